// SPDX-License-Identifier: MIT

package main

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Text is the decoded input. An offset is an index into points (m-codepoints).
type Text struct {
	points []rune
	// replaced has the offsets of the characters that decoding replaced. A U+FFFD
	// in the input itself is not among them (m-fffd).
	replaced map[int]bool
}

// decode reads UTF-8, with one U+FFFD for each maximal subpart of an ill-formed
// sequence (m-utf8). A sequence that is incomplete at the end counts as
// ill-formed (m-utf8-end); while the input is still open, it is left out.
func decode(data []byte, closed bool) Text {
	text := Text{points: make([]rune, 0, len(data)), replaced: map[int]bool{}}
	for len(data) > 0 {
		point, size := utf8.DecodeRune(data)
		if point == utf8.RuneError && size == 1 {
			if !closed && !utf8.FullRune(data) {
				break
			}
			size = subpart(data)
			text.replaced[len(text.points)] = true
		}
		text.points = append(text.points, point)
		data = data[size:]
	}
	return text
}

// subpart returns the length of the maximal subpart at the start of ill-formed
// data: the longest part that more bytes could still complete to a character.
func subpart(data []byte) int {
	size := 1
	for size < len(data) && !utf8.FullRune(data[:size+1]) {
		size++
	}
	return size
}

// slice returns the characters from start to before end.
func (t Text) slice(start, end int) string {
	return string(t.points[start:end])
}

// has reports whether marker is at an offset.
func (t Text) has(marker string, at int) bool {
	for _, point := range marker {
		if at >= len(t.points) || t.points[at] != point {
			return false
		}
		at++
	}
	return true
}

// find returns the offset of the first marker at or after an offset, or -1.
func (t Text) find(marker string, at int) int {
	for ; at < len(t.points); at++ {
		if t.has(marker, at) {
			return at
		}
	}
	return -1
}

// skipWhite returns the offset of the first character at or after an offset
// that is not white space.
func (t Text) skipWhite(at int) int {
	for at < len(t.points) && isWhite(t.points[at]) {
		at++
	}
	return at
}

// isWhite reports whether a character is white space (m-white).
func isWhite(point rune) bool {
	return point == ' ' || point == '\t' || point == '\n' || point == '\r'
}

// trim removes the white space around a segment (m-segment-trim).
func trim(content string) string {
	return strings.TrimFunc(content, isWhite)
}

// shown names a character for a message.
func shown(point rune) string {
	if point < ' ' || point > '~' {
		return fmt.Sprintf("U+%04X", point)
	}
	return fmt.Sprintf("`%c`", point)
}
