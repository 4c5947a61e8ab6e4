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

// reservedTool stands for a block itself in results.
const reservedTool = "execute"

// Limits bound a block or results (m-limits).
type Limits struct {
	Size, Calls, Depth, Digits int
}

var defaultLimits = Limits{Size: 8_388_608, Calls: 256, Depth: 128, Digits: 1000}

// Options say how a text is read. Without Closed, its end is not yet known.
type Options struct {
	Transcript, StartThink, Raw, Closed bool
	Limits                              Limits
}

// Event is what a parser gives; its members stand in the order of m-event-order.
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

// Parser reads one text. at is the next character to read, and claimed the end
// of the last event's raw (m-raw).
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

// Stopped tells whether the text met a hard stop (m-hard-stop).
func (p *Parser) Stopped() bool {
	return p.State == "paused" || p.State == "ended"
}

// Discarded returns how many characters came after the hard stop.
func (p *Parser) Discarded() int {
	return len(p.text.points) - p.end()
}

// Tail returns the text that no event accounts for (m-tail).
func (p *Parser) Tail() string {
	return p.text.slice(p.claimed, p.end())
}

// end returns the offset at which the text that counts ends.
func (p *Parser) end() int {
	if p.Stopped() {
		return p.at
	}
	return len(p.text.points)
}

// --- Turns -------------------------------------------------------------------

// beginTurn skips the opener that a model may write although its prompt ended
// in one (xj-start-think).
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

// endTurn is a hard stop in a turn; in a transcript the next turn begins
// (m-transcript-turns).
func (p *Parser) endTurn(state string) {
	if p.options.Transcript {
		p.beginTurn()
	} else {
		p.State = state
	}
}

// endBlock ends the turn of a block that called tools, or of a void one. In a
// transcript its results may come first (m-transcript-results).
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
	if marker == "" && !p.options.Closed { // The segment may go on.
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

// skipTo goes on behind the closer of a region, or to the end of the text, in
// which case the text stopped in the region.
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

// block reads calls, from behind the opener (xj-block).
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

// results reads the results of a transcript, from behind the opener.
func (p *Parser) results(rules *resultRules) {
	p.State = "results"
	start := p.at
	reader := newArrayReader(resultsCloser, rules, p.options.Limits)
	found := p.read(reader, func() {})
	switch {
	case found != nil:
		if !strings.HasPrefix(found.code, "results-") {
			found.code = "results-shape" // One code is enough (xj-results-shape).
		}
		p.fault(found, 0)
		p.skipTo(resultsCloser, found.offset, "results")
	case reader.finished():
		content := trim(p.text.slice(start, p.at-len(resultsCloser)))
		p.emit(Event{Type: "result", Content: content, Payload: rules.payload()}, p.at)
		p.State = "prose"
	}
}

// read gives a reader its characters, up to its first problem.
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

// forged answers results that nobody waits for, whose opener is at an offset.
func (p *Parser) forged(opener int) {
	found := broken("forged-results", "no results, which the system alone writes")
	found.offset = opener
	p.fault(found, 0)
	if p.options.Transcript { // It does not end the turn (xj-forged-transcript).
		p.skipTo(resultsCloser, p.at, "results")
	} else {
		p.State = "paused"
	}
}

// --- Events ------------------------------------------------------------------

// emit gives an event, which accounts for the text up to an offset.
func (p *Parser) emit(event Event, end int) {
	if p.options.Raw {
		raw := p.text.slice(p.claimed, end)
		event.Raw = &raw
		p.claimed = end
	}
	p.Events = append(p.Events, event)
}

// fault gives the error of a problem, at the last character read.
func (p *Parser) fault(found *problem, calls int) {
	fault := &Fault{Code: found.code, Offset: found.offset, Path: found.path, Calls: calls}
	p.emit(Event{Type: "error", Content: p.message(found), Fault: fault}, p.at)
}

// message says what was expected and what came; it quotes nothing behind the
// offending character (err-message).
func (p *Parser) message(found *problem) string {
	place := fmt.Sprintf("character %d", found.offset)
	if found.path != "" {
		place += ", at " + found.path
	}
	came := "the text ended"
	if found.offset < len(p.text.points) {
		came = shown(p.text.points[found.offset]) + " came"
	}
	return fmt.Sprintf("%s (%s): expected %s, but %s.", found.code, place, found.expected, came)
}
