// SPDX-License-Identifier: MIT

package main

import (
	"fmt"
	"strings"
)

// The markers, exactly so (xj-markers).
const (
	thinkOpener   = "<think>"
	thinkCloser   = "</think>"
	blockOpener   = "<execute>"
	blockCloser   = "</execute>"
	resultsOpener = "<results>"
	resultsCloser = "</results>"
	endMarker     = "<end>"
)

// liveInProse are the markers that end prose (xj-live-prose).
var liveInProse = []string{thinkOpener, blockOpener, resultsOpener, endMarker}

// reservedTool is the tool that results name for a void block itself.
const reservedTool = "execute"

// Limits are the limits of a block or of results (m-limits).
type Limits struct {
	Size, Calls, Depth, Digits int
}

var defaultLimits = Limits{Size: 8_388_608, Calls: 256, Depth: 128, Digits: 1000}

// Options control how a text is read. Without Closed, more text may follow.
type Options struct {
	Transcript, StartThink, Raw, Closed bool
	Limits                              Limits
}

// Event is an event; its members are in the order of m-event-order.
type Event struct {
	Type    string `json:"type"`
	Content string `json:"content,omitempty"`
	*Fault
	Payload *Payload `json:"payload,omitempty"`
	Raw     *string  `json:"raw,omitempty"`
}

// Fault has the members of an error event (err-shape).
type Fault struct {
	Code   string `json:"code"`
	Offset int    `json:"offset"`
	Path   string `json:"path,omitempty"`
	Calls  int    `json:"calls"`
}

// Payload counts the items of a result.
type Payload struct {
	Executed  int `json:"tools_executed"`
	Succeeded int `json:"success_count"`
	Failed    int `json:"failure_count"`
}

// Parser reads one text. at is the offset of the next character to read, and
// claimed the end of the last event's raw (m-raw).
type Parser struct {
	Events []Event
	State  string

	text    Text
	options Options
	at      int
	claimed int
}

// Parse reads a text: a turn, or a transcript.
func Parse(text Text, options Options) *Parser {
	p := &Parser{Events: []Event{}, State: "prose", text: text, options: options}
	p.beginTurn()
	for !p.Stopped() && p.at < len(text.points) {
		p.prose()
	}
	return p
}

// Stopped reports whether there was a hard stop (m-hard-stop).
func (p *Parser) Stopped() bool {
	return p.State == "paused" || p.State == "ended"
}

// Discarded returns the number of characters after the hard stop.
func (p *Parser) Discarded() int {
	return len(p.text.points) - p.end()
}

// Tail returns the text that no event accounts for (m-tail).
func (p *Parser) Tail() string {
	return p.text.slice(p.claimed, p.end())
}

// end returns the offset where the text ends, without what is discarded.
func (p *Parser) end() int {
	if p.Stopped() {
		return p.at
	}
	return len(p.text.points)
}

// --- Turns -------------------------------------------------------------------

// beginTurn skips an opener that the model wrote although its prompt ended with
// one (xj-start-think).
func (p *Parser) beginTurn() {
	p.State = "prose"
	if !p.options.StartThink {
		return
	}
	if at := p.text.skipWhite(p.at); p.text.has(thinkOpener, at) {
		p.at = at + len(thinkOpener)
	}
	p.think()
}

// endTurn makes a hard stop in a turn; in a transcript it begins the next turn
// (m-transcript-turns).
func (p *Parser) endTurn(state string) {
	if p.options.Transcript {
		p.beginTurn()
	} else {
		p.State = state
	}
}

// endBlock ends the turn after a block that called tools, or after a void one. In
// a transcript its results may come first (m-transcript-results).
func (p *Parser) endBlock(tools []string, isVoid bool) {
	at := p.text.skipWhite(p.at)
	if p.options.Transcript && p.text.has(resultsOpener, at) {
		p.at = at + len(resultsOpener)
		p.results(&resultRules{tools: tools, isAnswer: isVoid})
		if p.State == "results" {
			return
		}
	}
	p.endTurn("paused")
}

// --- Segments ----------------------------------------------------------------

func (p *Parser) prose() {
	start := p.at
	marker, at := p.nextMarker()
	if marker == "" && !p.options.Closed { // The segment may continue.
		p.at = at
		return
	}
	p.segment("respond", start, at, at)
	p.at = at + len(marker)
	switch marker {
	case thinkOpener:
		p.think()
	case blockOpener:
		p.block()
	case resultsOpener:
		p.forged(at)
	case endMarker:
		p.emit(Event{Type: "end"}, p.at)
		p.endTurn("ended")
	}
}

// nextMarker returns the next marker that is live in prose and its offset, or
// the end of the text.
func (p *Parser) nextMarker() (marker string, at int) {
	for at = p.at; at < len(p.text.points); at++ {
		if p.text.points[at] != '<' {
			continue
		}
		for _, marker := range liveInProse {
			if p.text.has(marker, at) {
				return marker, at
			}
		}
	}
	return "", at
}

// think reads the content of a think, whose opener has been read.
func (p *Parser) think() {
	start := p.at
	if end, found := p.skipTo(thinkCloser, start, "think"); found {
		p.segment("think", start, end, p.at)
	} else if p.options.Closed { // The end of the text ends it (xj-think-open).
		p.segment("think", start, p.at, p.at)
	}
}

// segment emits the content from start to end, if there is any.
func (p *Parser) segment(kind string, start, end, rawEnd int) {
	if content := trim(p.text.slice(start, end)); content != "" {
		p.emit(Event{Type: kind, Content: content}, rawEnd)
	}
}

// skipTo moves to the end of the closer of a region. If there is no closer, it
// moves to the end of the text, which then ends in the region.
func (p *Parser) skipTo(closer string, from int, region string) (at int, found bool) {
	at = p.text.find(closer, from)
	if at < 0 {
		p.at = len(p.text.points)
		p.State = region
		return p.at, false
	}
	p.at = at + len(closer)
	p.State = "prose"
	return at, true
}

// --- Blocks ------------------------------------------------------------------

// block reads calls, starting after the opener (xj-block).
func (p *Parser) block() {
	p.State = "execute"
	start, calls := p.at, 0
	rules := &callRules{limit: p.options.Limits.Calls}
	reader := newArrayReader(blockCloser, rules, p.options.Limits)
	found := p.read(reader, func() {
		calls++
		p.emit(Event{Type: "call", Content: p.text.slice(start+reader.element, p.at)}, p.at)
	})
	switch {
	case found != nil:
		p.fault(found, calls)
		if _, isClosed := p.skipTo(blockCloser, found.offset, "execute"); isClosed {
			p.endBlock([]string{reservedTool}, true)
		}
	case reader.finished():
		p.emit(Event{Type: "execute"}, p.at)
		p.endBlock(rules.names, false)
	}
}

// results reads the results of a transcript, starting after the opener.
func (p *Parser) results(rules *resultRules) {
	p.State = "results"
	start := p.at
	reader := newArrayReader(resultsCloser, rules, p.options.Limits)
	found := p.read(reader, func() {})
	switch {
	case found != nil:
		if !strings.HasPrefix(found.code, "results-") {
			found.code = "results-shape" // Results have one code for all of these (xj-results-shape).
		}
		p.fault(found, 0)
		p.skipTo(resultsCloser, found.offset, "results")
	case reader.finished():
		content := trim(p.text.slice(start, p.at-len(resultsCloser)))
		p.emit(Event{Type: "result", Content: content, Payload: rules.payload()}, p.at)
		p.State = "prose"
	}
}

// read passes characters to a reader, up to its first problem.
func (p *Parser) read(reader *arrayReader, onElement func()) *problem {
	for p.at < len(p.text.points) && !reader.finished() {
		at := p.at
		p.at++
		if found := reader.take(p.text.points[at], p.text.replaced[at]); found != nil {
			found.offset = at
			return found
		}
		if reader.elementClosed {
			onElement()
		}
	}
	if reader.finished() || !p.options.Closed {
		return nil
	}
	found := broken("unclosed-execute", string(reader.closer))
	found.path, found.offset = reader.path(), p.at
	return found
}

// forged emits the error for results that answer nothing.
func (p *Parser) forged(opener int) {
	found := broken("forged-results", "no results, because only the system writes them")
	found.offset = opener
	p.fault(found, 0)
	if p.options.Transcript { // The turn continues (xj-forged-transcript).
		p.skipTo(resultsCloser, p.at, "results")
	} else {
		p.State = "paused"
	}
}

// --- Events ------------------------------------------------------------------

// emit adds an event, which accounts for the text up to an offset.
func (p *Parser) emit(event Event, end int) {
	if p.options.Raw {
		raw := p.text.slice(p.claimed, end)
		event.Raw = &raw
		p.claimed = end
	}
	p.Events = append(p.Events, event)
}

// fault emits the error of a problem, at the last character read.
func (p *Parser) fault(found *problem, calls int) {
	fault := &Fault{Code: found.code, Offset: found.offset, Path: found.path, Calls: calls}
	p.emit(Event{Type: "error", Content: p.message(found), Fault: fault}, p.at)
}

// message states what was expected and what was found; it quotes nothing after
// the offending character (err-message).
func (p *Parser) message(found *problem) string {
	place := fmt.Sprintf("character %d", found.offset)
	if found.path != "" {
		place += ", at " + found.path
	}
	actual := "the end of the text"
	if found.offset < len(p.text.points) {
		actual = shown(p.text.points[found.offset])
	}
	return fmt.Sprintf("%s (%s): expected %s, found %s.", found.code, place, found.expected, actual)
}
