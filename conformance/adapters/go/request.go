// SPDX-License-Identifier: MIT

package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"regexp"
	"strconv"
	"unicode/utf8"
)

// request has the members of a request. The functions that read them fail with
// an `error` if one is missing or has the wrong type (ad-bad-request).
type request map[string]any

func readRequest(line []byte) (asked request) {
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	err := decoder.Decode(&asked)
	if err == nil {
		_, err = decoder.Token()
	}
	if err != io.EOF || asked == nil || !utf8.Valid(line) {
		fail("error", "the line is not one JSON object in UTF-8")
	}
	return asked
}

var (
	pairs      = regexp.MustCompile(`\\\\|\\u[dD][89abAB]..\\u[dD][c-fC-F]..`)
	surrogates = regexp.MustCompile(`\\u[dD][89a-fA-F]`)
)

// hasLoneSurrogate reports whether a JSON text contains the escape of a lone
// surrogate, which the standard library would replace.
func hasLoneSurrogate(line []byte) bool {
	return surrogates.Match(line) && surrogates.Match(pairs.ReplaceAll(line, []byte(" ")))
}

// member returns a member, which must have the type of fallback, or fallback if
// the member is absent. A member whose fallback is "" is required.
func member[T any](asked request, name string, fallback T) T {
	value, present := asked[name]
	if !present && any(fallback) != "" {
		return fallback
	}
	typed, ok := value.(T)
	if !ok {
		fail("error", "`%s` is missing or has the wrong type", name)
	}
	return typed
}

func toInteger(value any, name string) int {
	digits, _ := value.(json.Number)
	number, err := strconv.Atoi(digits.String())
	if err != nil {
		fail("error", "`%s` needs an integer", name)
	}
	return number
}

func readOptions(asked request) Options {
	if name := member(asked, "dialect", dialect); name != dialect {
		fail("unsupported", "dialect %q", name)
	}
	if isSecond(asked, "stream", "event", "token") {
		fail("unsupported", "token")
	}
	if len(member(asked, "snapshots", []any{})) > 0 {
		fail("unsupported", "snapshot")
	}
	if member(asked, "spans", false) {
		fail("unsupported", "spans")
	}
	if isSecond(asked, "calls", "shown", "sealed") {
		fail("unsupported", "sealed")
	}
	if member(asked, "finish", "stop") != "stop" {
		fail("unsupported", "finish")
	}
	if member(asked, "call_deltas", false) {
		fail("unsupported", "call-deltas")
	}
	return Options{
		Transcript: isSecond(asked, "mode", "turn", "transcript"),
		StartThink: isSecond(asked, "start", "prose", "think"),
		Raw:        member(asked, "raw", false),
		Closed:     member(asked, "close", true),
		Limits:     readLimits(asked),
	}
}

// isSecond reports whether a member has the second of two values; the first is
// the default.
func isSecond(asked request, name, first, second string) bool {
	value := member(asked, name, first)
	if value != first && value != second {
		fail("unsupported", "%s %q", name, value)
	}
	return value == second
}

func readLimits(asked request) Limits {
	limits := defaultLimits
	places := map[string]*int{
		"size": &limits.Size, "calls": &limits.Calls,
		"depth": &limits.Depth, "digits": &limits.Digits,
	}
	for name, value := range member(asked, "limits", map[string]any{}) {
		place, known := places[name]
		if !known {
			fail("unsupported", "limit %q", name)
		}
		*place = toInteger(value, name)
		if *place < 1 { // m-limit-values
			fail("error", "the limit `%s` must be a positive integer", name)
		}
	}
	return limits
}

// readTurns returns the chunks of each turn as UTF-8.
func readTurns(asked request) (turns [][][]byte) {
	inputs := 0
	for _, name := range []string{"chunks", "chunks_b64", "text", "turns"} {
		value, present := asked[name]
		if !present {
			continue
		}
		inputs++
		switch name {
		case "text":
			turns = append(turns, cut(member(asked, name, ""), member(asked, "cuts", []any{})))
		case "turns":
			for _, chunks := range member(asked, name, []any{}) {
				turns = append(turns, readChunks(chunks, false))
			}
		default:
			turns = append(turns, readChunks(value, name == "chunks_b64"))
		}
	}
	if _, cuts := asked["cuts"]; cuts && asked["text"] == nil { // ad-misuse
		fail("error", "`cuts` requires `text`")
	}
	if inputs != 1 {
		fail("error", "exactly one of `chunks`, `chunks_b64`, `text` and `turns` is required")
	}
	return turns
}

func readChunks(value any, isBase64 bool) [][]byte {
	values, ok := value.([]any)
	if !ok {
		fail("error", "chunks must be an array")
	}
	chunks := make([][]byte, len(values))
	for index, value := range values {
		chunk, ok := value.(string)
		if !ok {
			fail("error", "a chunk must be a string")
		}
		chunks[index] = []byte(chunk)
		if isBase64 {
			data, err := base64.StdEncoding.DecodeString(chunk)
			if err != nil {
				fail("error", "a chunk is not Base64: %v", err)
			}
			chunks[index] = data
		}
	}
	return chunks
}

// cut divides a text into chunks at offsets (ad-cuts).
func cut(text string, cuts []any) (chunks [][]byte) {
	points := []rune(text)
	start := 0
	for _, value := range cuts {
		end := toInteger(value, "cuts")
		if end < start || end > len(points) {
			fail("error", "`cuts` must be ascending offsets into `text`")
		}
		chunks = append(chunks, []byte(string(points[start:end])))
		start = end
	}
	return append(chunks, []byte(string(points[start:])))
}
