// SPDX-License-Identifier: MIT

// Command cogwire-adapter answers the adapter protocol, version 1, for a parser
// of whole texts of the dialect xml-json.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

const (
	dialect   = "xml-json"
	lineLimit = 64 << 20 // bytes (ad-line-length)
)

// abilities lists what works; a request that needs any other is unsupported (ad-honest).
var abilities = []string{"bytes", "raw", "limits", "transcript", "start", "turns"}

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve answers each line, in order, until the requests end (ad-lines).
func serve(requests io.Reader, replies io.Writer) error {
	input, output := bufio.NewReader(requests), bufio.NewWriter(replies)
	encoder := json.NewEncoder(output)
	encoder.SetEscapeHTML(false)
	for {
		line, end := readLine(input)
		if len(line) > 0 {
			if err := encoder.Encode(respond(line)); err != nil {
				return err
			}
			if err := output.Flush(); err != nil {
				return err
			}
		}
		if end == io.EOF {
			return nil
		}
		if end != nil {
			return end
		}
	}
}

// readLine reads a line of any length; it keeps only the beginning of one that is
// too long.
func readLine(input *bufio.Reader) (line []byte, err error) {
	for {
		part, err := input.ReadSlice('\n')
		if len(line) <= lineLimit {
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

type reply map[string]any

// failure is an answer without a result. Its kind is `error` or `unsupported`. The
// functions that read a request panic with it; any other panic is a crash.
type failure struct {
	kind, message string
}

func fail(kind, format string, values ...any) {
	panic(failure{kind, fmt.Sprintf(format, values...)})
}

// respond returns the reply to one line.
func respond(line []byte) (answer reply) {
	var id any // null until it has been read (ad-not-a-request)
	defer func() {
		switch failed := recover().(type) {
		case nil:
		case failure:
			answer = reply{failed.kind: failed.message}
		default:
			answer = reply{"crashed": fmt.Sprint(failed)}
		}
		answer["id"] = id
	}()
	line = bytes.TrimSuffix(line, []byte("\n"))
	if len(line) > lineLimit {
		fail("error", "the line has more than %d bytes", lineLimit)
	}
	asked := readRequest(line)
	id = member(asked, "id", "")
	if hasLoneSurrogate(line) {
		fail("unsupported", "lone-surrogates")
	}
	switch op := member(asked, "op", ""); op {
	case "hello":
		return hello(asked)
	case "parse":
		return parse(asked)
	default:
		fail("unsupported", "op %q", op)
	}
	return nil
}

func hello(asked request) reply {
	if protocol := toInteger(asked["protocol"], "protocol"); protocol != 1 {
		fail("unsupported", "protocol %d", protocol)
	}
	return reply{
		"protocol": 1, "name": "cogwire-go", "version": "0.1.0", "language": "go",
		"offset_unit": "codepoint", "ops": []string{"parse"},
		"dialects": map[string][]string{dialect: abilities},
		"lacks":    []string{"prompt"},
	}
}

func parse(asked request) reply {
	options := readOptions(asked)
	turns := readTurns(asked)
	_, several := asked["turns"]
	if several && options.Transcript { // ad-misuse
		fail("error", "`turns` is not allowed in a transcript, which contains its own turns")
	}
	answers := []reply{}
	for index, chunks := range turns {
		parser := Parse(decode(bytes.Join(chunks, nil), options.Closed), options)
		answers = append(answers, turnReply(parser, len(chunks)))
		isOver := options.Closed || parser.Stopped()
		if index < len(turns)-1 && !isOver {
			fail("error", "the previous turn is still open") // ad-misuse
		}
	}
	if several {
		return reply{"turns": answers}
	}
	return answers[0]
}

// turnReply returns all events in the close, because the text is read as a whole
// (ad-not-prompt), or in the last feed if the text is not closed.
func turnReply(parser *Parser, chunks int) reply {
	feeds, closing := make([][]Event, chunks), parser.Events
	for index := range feeds {
		feeds[index] = []Event{}
	}
	if !parser.options.Closed {
		closing = []Event{}
		if chunks > 0 {
			feeds[chunks-1] = parser.Events
		}
	}
	answer := reply{
		"feeds": feeds, "close": closing, "state": parser.State, "discarded": parser.Discarded(),
	}
	if parser.options.Raw {
		answer["tail"] = parser.Tail()
	}
	return answer
}
