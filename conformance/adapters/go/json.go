// SPDX-License-Identifier: MIT

package main

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
)

// problem describes a broken rule.
type problem struct {
	code     string
	expected string // for the message
	path     string // set by the reader
	offset   int    // set by the parser
}

func broken(code, expected string) *problem {
	return &problem{code: code, expected: expected}
}

func syntax(expected string) *problem {
	return broken("json-syntax", expected)
}

// elementRules check the elements of the array. After a problem, none of their
// methods is called again.
type elementRules interface {
	// begin checks, at the `{` of an element, that its index is allowed.
	begin(index int) *problem
	// value checks the type of a member's value, at its first character.
	value(member string, first rune) *problem
	// text checks a member that is a string, at its closing quote.
	text(member, value string) *problem
	// endElement checks an element as a whole, at its `}`.
	endElement() *problem
	// endArray checks the number of elements, at the `]`.
	endArray() *problem
}

// level is an open array or object.
type level struct {
	closer   rune            // `]` or `}`
	index    int             // of the open element, or of the next one
	names    map[string]bool // of the members so far
	member   string
	inMember bool // between the `:` of the member and the end of its value
}

// arrayReader reads the inside of a block or of results, including the closer,
// one character at a time, so that a streaming parser can use it unchanged.
type arrayReader struct {
	rules  elementRules
	limits Limits
	closer []rune

	next    step // reads the next character
	taken   int  // the number of characters read
	matched int  // the number of characters of the closer read
	stack   []level

	element       int  // index, in the characters read, of the `{` of the last element
	elementClosed bool // the last character read was its `}`

	// The open string.
	isName bool
	keeps  bool // its characters will be needed
	chars  []rune
	high   rune // the high surrogate of an escaped pair, or 0
	unit   rune // of a \u escape
	hex    int  // the number of its digits still to read

	// The open number.
	phase   phase
	digits  int
	numeral []byte

	rest string // of the open literal
}

// step reads a character in one state of the reader and sets the next state.
type step func(*arrayReader, rune) *problem

func newArrayReader(closer string, rules elementRules, limits Limits) *arrayReader {
	return &arrayReader{
		rules: rules, limits: limits, closer: []rune(closer), next: (*arrayReader).beforeArray,
	}
}

// take reads one more character. If it breaks several rules, the problem is the
// first in the order of err-order, which each state follows in its own checks.
func (r *arrayReader) take(c rune, replaced bool) *problem {
	r.elementClosed = false
	isOver := r.taken >= r.limits.Size
	pathBefore := ""
	if isOver {
		pathBefore = r.path()
	}
	found := broken("bad-encoding", "well-formed UTF-8")
	if !replaced {
		found = r.next(r, c)
	}
	r.taken++
	if found != nil {
		found.path = r.path()
	} else if isOver && r.matched == 0 { // The closer itself does not count (xj-limit-size).
		found = broken("limit-size", "at most "+strconv.Itoa(r.limits.Size)+" characters")
		found.path = pathBefore
	}
	return found
}

// finished reports whether the closer is complete.
func (r *arrayReader) finished() bool {
	return r.matched == len(r.closer)
}

// path returns the JSON Pointer of the current place (err-path-...).
func (r *arrayReader) path() string {
	var path strings.Builder
	for _, level := range r.stack {
		if level.closer == ']' {
			path.WriteString("/" + strconv.Itoa(level.index))
		} else if level.inMember {
			path.WriteString("/" + pointerEscapes.Replace(level.member))
		}
	}
	return path.String()
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

func (r *arrayReader) top() *level {
	return &r.stack[len(r.stack)-1]
}

// --- Around the array --------------------------------------------------------

func (r *arrayReader) beforeArray(c rune) *problem {
	if isWhite(c) {
		return nil
	}
	if c != '[' {
		return broken("not-array", "a JSON array of calls")
	}
	return r.open(c)
}

func (r *arrayReader) afterArray(c rune) *problem {
	if r.matched == 0 && isWhite(c) {
		return nil
	}
	if c != r.closer[r.matched] {
		return broken("trailing-text", string(r.closer)+" after the array")
	}
	r.matched++
	return nil
}

// --- Values ------------------------------------------------------------------

func (r *arrayReader) firstElement(c rune) *problem {
	if c == ']' {
		return r.close()
	}
	return r.value(c)
}

func (r *arrayReader) value(c rune) *problem {
	if isWhite(c) {
		return nil
	}
	// A character that begins no value is not JSON, whatever type is expected (xj-value-start).
	if !strings.ContainsRune(`{["-0123456789tfn`, c) {
		return syntax("a JSON value")
	}
	if found := r.checkType(c); found != nil {
		return found
	}
	switch c {
	case '{', '[':
		return r.open(c)
	case '"':
		r.openString(false)
	case 't', 'f', 'n':
		r.rest = map[rune]string{'t': "rue", 'f': "alse", 'n': "ull"}[c]
		r.next = (*arrayReader).literal
	default:
		return r.openNumber(c)
	}
	return nil
}

// checkType checks the type of an element or of one of its members; deeper
// values may have any type.
func (r *arrayReader) checkType(c rune) *problem {
	switch len(r.stack) {
	case 1:
		if c != '{' {
			return broken("not-object", "an object")
		}
		return r.rules.begin(r.top().index)
	case 2:
		return r.rules.value(r.top().member, c)
	}
	return nil
}

func (r *arrayReader) open(c rune) *problem {
	if len(r.stack) == r.limits.Depth {
		return broken("limit-depth", "at most "+strconv.Itoa(r.limits.Depth)+" levels")
	}
	if len(r.stack) == 1 {
		r.element = r.taken
	}
	if c == '[' {
		r.stack = append(r.stack, level{closer: ']'})
		r.next = (*arrayReader).firstElement
	} else {
		r.stack = append(r.stack, level{closer: '}', names: map[string]bool{}})
		r.next = (*arrayReader).firstName
	}
	return nil
}

func (r *arrayReader) close() *problem {
	r.top().inMember = false // The `}` ends the member (err-path-member).
	var found *problem
	switch len(r.stack) {
	case 1:
		found = r.rules.endArray()
	case 2:
		found = r.rules.endElement()
	}
	if found != nil {
		return found
	}
	r.stack = r.stack[:len(r.stack)-1]
	r.elementClosed = len(r.stack) == 1
	r.next = (*arrayReader).afterValue
	if len(r.stack) == 0 {
		r.next = (*arrayReader).afterArray
	}
	return nil
}

func (r *arrayReader) afterValue(c rune) *problem {
	if !r.mayFollow(c) {
		return syntax("`,` or `" + string(r.top().closer) + "`")
	}
	if c == r.top().closer {
		return r.close()
	}
	if c == ',' {
		r.comma()
	}
	return nil
}

func (r *arrayReader) mayFollow(c rune) bool {
	return isWhite(c) || c == ',' || c == r.top().closer
}

func (r *arrayReader) comma() {
	top := r.top()
	top.index++
	top.inMember = false
	r.next = (*arrayReader).value
	if top.closer == '}' {
		r.next = (*arrayReader).name
	}
}

func (r *arrayReader) literal(c rune) *problem {
	if c != rune(r.rest[0]) {
		return syntax("`" + r.rest[:1] + "` of true, false or null")
	}
	r.rest = r.rest[1:]
	if r.rest == "" {
		r.next = (*arrayReader).afterValue
	}
	return nil
}

// --- Members -----------------------------------------------------------------

func (r *arrayReader) firstName(c rune) *problem {
	if c == '}' {
		return r.close()
	}
	return r.name(c)
}

func (r *arrayReader) name(c rune) *problem {
	if isWhite(c) {
		return nil
	}
	if c != '"' {
		return syntax("a name in double quotes")
	}
	r.openString(true)
	return nil
}

func (r *arrayReader) endName(name string) *problem {
	top := r.top()
	top.member = name
	if top.names[name] {
		top.inMember = true // although its `:` has not been read yet (err-path-duplicate)
		return broken("duplicate-key", "each name only once in an object")
	}
	top.names[name] = true
	r.next = (*arrayReader).colon
	return nil
}

func (r *arrayReader) colon(c rune) *problem {
	if isWhite(c) {
		return nil
	}
	if c != ':' {
		return syntax("`:`")
	}
	r.top().inMember = true
	r.next = (*arrayReader).value
	return nil
}

// --- Strings -----------------------------------------------------------------

func (r *arrayReader) openString(isName bool) {
	r.isName = isName
	r.keeps = isName || len(r.stack) == 2
	r.chars = r.chars[:0]
	r.next = (*arrayReader).inString
}

func (r *arrayReader) inString(c rune) *problem {
	if c < ' ' {
		return syntax("an escape such as \\n instead of a control character")
	}
	if c == '\\' { // The low surrogate of a pair may follow.
		r.next = (*arrayReader).escape
		return nil
	}
	if r.high != 0 {
		return loneSurrogate()
	}
	if c == '"' {
		return r.endString()
	}
	r.keep(c)
	return nil
}

func (r *arrayReader) endString() *problem {
	if r.isName {
		return r.endName(string(r.chars))
	}
	r.next = (*arrayReader).afterValue
	if len(r.stack) == 2 {
		return r.rules.text(r.top().member, string(r.chars))
	}
	return nil
}

func (r *arrayReader) keep(c rune) {
	if r.keeps {
		r.chars = append(r.chars, c)
	}
}

var escapes = map[rune]rune{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

func (r *arrayReader) escape(c rune) *problem {
	if c == 'u' {
		r.unit, r.hex = 0, 4
		r.next = (*arrayReader).unicode
		return nil
	}
	meant, known := escapes[c]
	if !known {
		return syntax("an escape of JSON")
	}
	if r.high != 0 {
		return loneSurrogate()
	}
	r.keep(meant)
	r.next = (*arrayReader).inString
	return nil
}

func (r *arrayReader) unicode(c rune) *problem {
	digit := strings.IndexRune("0123456789abcdef", c|0x20) // 0x20 converts letters to lower case
	if digit < 0 || c < '0' {
		return syntax("a hexadecimal digit")
	}
	r.unit = r.unit<<4 | rune(digit)
	r.hex--
	if r.hex > 0 {
		return nil
	}
	r.next = (*arrayReader).inString
	return r.endUnit()
}

// endUnit checks an escape at its last digit (xj-lone-surrogate).
func (r *arrayReader) endUnit() *problem {
	isLow := 0xDC00 <= r.unit && r.unit <= 0xDFFF
	if isLow != (r.high != 0) {
		return loneSurrogate()
	}
	switch {
	case isLow:
		r.keep(utf16.DecodeRune(r.high, r.unit))
		r.high = 0
	case utf16.IsSurrogate(r.unit):
		r.high = r.unit
	default:
		r.keep(r.unit)
	}
	return nil
}

func loneSurrogate() *problem {
	return broken("lone-surrogate", "both halves of a surrogate pair")
}

// --- Numbers -----------------------------------------------------------------

// phase is the part of a number that was read last.
type phase int

const (
	minus phase = iota
	zero
	integer
	decimalPoint
	fraction
	exponentMark
	exponentSign
	exponent
)

// after returns the phase that a character leads to, if the number can continue
// with it.
func (p phase) after(c rune) (next phase, ok bool) {
	switch {
	case isDigit(c) && p >= exponentMark:
		return exponent, true
	case isDigit(c) && p >= decimalPoint:
		return fraction, true
	case c == '0' && p == minus:
		return zero, true
	case isDigit(c) && p != zero:
		return integer, true
	case c == '.' && (p == zero || p == integer):
		return decimalPoint, true
	case c|0x20 == 'e' && (p == zero || p == integer || p == fraction):
		return exponentMark, true
	case (c == '+' || c == '-') && p == exponentMark:
		return exponentSign, true
	}
	return p, false
}

// isComplete reports whether the number may end here.
func (p phase) isComplete() bool {
	return p == zero || p == integer || p == fraction || p == exponent
}

func isDigit(c rune) bool {
	return '0' <= c && c <= '9'
}

func (r *arrayReader) openNumber(c rune) *problem {
	r.phase, r.digits, r.numeral = minus, 0, r.numeral[:0]
	r.next = (*arrayReader).number
	if c == '-' {
		r.numeral = append(r.numeral, '-')
		return nil
	}
	return r.number(c)
}

func (r *arrayReader) number(c rune) *problem {
	next, ok := r.phase.after(c)
	if !ok {
		return r.endNumber(c)
	}
	if isDigit(c) {
		r.digits++
	}
	if r.digits > r.limits.Digits {
		return broken("limit-digits", "at most "+strconv.Itoa(r.limits.Digits)+" digits")
	}
	r.phase = next
	r.numeral = append(r.numeral, byte(c))
	return nil
}

// endNumber reads the character after a number. The grammar is checked before
// the range, and the range before whatever the character closes (err-order).
func (r *arrayReader) endNumber(c rune) *problem {
	if !r.phase.isComplete() {
		return syntax("a digit")
	}
	if !r.mayFollow(c) {
		return syntax("the rest of the number, or its end")
	}
	if value, _ := strconv.ParseFloat(string(r.numeral), 64); math.IsInf(value, 0) {
		return broken("number-range", "a number that a double can hold")
	}
	r.next = (*arrayReader).afterValue
	return r.afterValue(c)
}
