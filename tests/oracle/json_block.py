"""A block of strict JSON: one array, read character by character up to the first broken rule."""

import itertools
import math
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from .block import Block, BlockError, Limits, skip_white
from .text import WHITE, Text, is_high, is_low, joined

DIGITS = "0123456789"
HEXADECIMAL = "0123456789abcdefABCDEF"
ESCAPES = {
    '"': '"',
    "\\": "\\",
    "/": "/",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
}
LITERALS = {"t": "true", "f": "false", "n": "null"}
# What a string may contain without an escape.
ORDINARY = re.compile(r'[^"\\\x00-\x1f]*')


# dl-body-strict
# Whether a text is one value by these rules, whatever its size, if a bracket that opens at its
# start is at the level `depth`.
def is_json(text: str, limits: Limits, depth: int) -> bool:
    block = Block(Text(text + "]", frozenset()), 0, limits._replace(size=len(text) + 1))
    try:
        with room_for_brackets(min(limits.depth, len(text))):
            read_value(block, depth, "]")
    except BlockError:
        return False
    return block.at == len(text)


# m-law-never-raises
# A bracket takes two frames of Python's stack.
@contextmanager
def room_for_brackets(depth: int) -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(before + 2 * depth)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


# xj-block xj-not-array
# Before the array there may be only white space.
def require_array(block: Block) -> None:
    skip_white(block)
    if block.peek() != "[":
        raise block.error("not-array")


# xj-trailing-text xj-limit-size xj-limit-size-closer err-path-outside
# After the array there may be white space, and then the closer, which does not count as size.
def read_closer(block: Block, closer: str) -> None:
    skip_white(block)
    for expected in closer:
        if block.peek() != expected:
            raise block.error("trailing-text")
        block.at += 1


# xj-block xj-empty-array err-path-index fd-array-shape
# array = "[" [ value *( "," value ) ] "]"
# Yields each index, from `first` on, and leaves the cursor at the "]", which the caller closes.
def items(block: Block, depth: int, *, first: int = 0) -> Iterator[int]:
    open_bracket(block, depth)
    yield from separated(block, "]", first)


# xj-block xj-json err-path-index err-path-member fd-literals-trailing
# [ value *( "," value ) ], up to the closing bracket; in some formats a comma may be before it.
# Yields with the cursor at each value's first character, which the caller reads.  The index of an
# item, of which the first is given, is part of the path from the opening bracket on, and grows at
# each ","; the name of a member is part of it up to there.
def separated(
    block: Block, closing: str, first: int | None = None, *, is_trailing: bool = False
) -> Iterator[int]:
    outside = block.place
    for count in itertools.count():
        block.place = outside if first is None else (*outside, str(first + count))
        skip_white(block)
        if block.peek() == closing and (count == 0 or is_trailing):
            return
        yield (first or 0) + count
        skip_white(block)
        if block.peek() == closing:
            return
        block.take(",")


# xj-json err-path-member err-path-object err-path-colon
# object = "{" [ member *( "," member ) ] "}", member = string ":" value
# Yields each name with the cursor at the value's first character, and leaves it at the "}", like an
# array.  A name is part of the path from its ":" on, until the "," or the "}" is accepted.
# fd-one-of
# Where one of `alike` is, no other of them may be.
def members(block: Block, depth: int, alike: Sequence[Sequence[str]] = ()) -> Iterator[str]:
    names: set[str] = set()
    open_bracket(block, depth)
    for _ in separated(block, "}"):
        name = read_name(block, names)
        names.update(each for several in alike if name in several for each in several)
        yield name


# xj-duplicate-key xj-name-compare err-path-duplicate
# No name appears twice in one object; names compare unescaped.
def read_name(block: Block, names: set[str]) -> str:
    if block.peek() != '"':
        raise block.error("json-syntax")
    name = read_string(block)
    block.named.append((*block.place, name))
    if name in names:
        raise block.error("duplicate-key", (*block.place, name))
    names.add(name)
    block.accept()
    skip_white(block)
    block.take(":")
    block.place = (*block.place, name)
    skip_white(block)
    return name


# xj-limit-depth
# The depth is the number of open brackets; the outermost array is 1.
def open_bracket(block: Block, depth: int) -> None:
    if depth > block.limits.depth:
        raise block.error("limit-depth")
    block.accept()


# err-path-member
def close_bracket(block: Block, outside: tuple[str, ...]) -> None:
    block.accept()
    block.place = outside


# xj-value-start xj-not-object xj-name-type xj-args-type
# A character that begins no JSON value breaks the grammar; one that begins a value of a type that
# is not expected here breaks the shape.
def require(block: Block, first: str, code: str) -> None:
    if block.peek() == first:
        return
    raise block.error(code if block.peek() in '{["-tfn' + DIGITS else "json-syntax")


# xj-json xj-value-start
# A value is an object, an array, a string, a number, `true`, `false` or `null`.  `depth` is that of
# a bracket which opens here, `closing` is the bracket that closes the array or object around the
# value.
def read_value(block: Block, depth: int, closing: str) -> None:
    first = block.peek()
    if first == "{":
        read_object(block, depth)
    elif first == "[":
        read_array(block, depth)
    elif first == '"':
        read_string(block)
        block.accept()
    elif first in LITERALS:
        read_literal(block, LITERALS[first])
    else:
        read_number(block, closing)


# xj-json
def read_object(block: Block, depth: int) -> None:
    outside = block.place
    for _ in members(block, depth):
        read_value(block, depth + 1, "}")
    close_bracket(block, outside)


# xj-json
def read_array(block: Block, depth: int) -> None:
    outside = block.place
    for _ in items(block, depth):
        read_value(block, depth + 1, "]")
    close_bracket(block, outside)


# xj-literals
def read_literal(block: Block, literal: str) -> None:
    for letter in literal:
        block.take(letter)


# xj-number-range xj-number-kept err-path-number
# number = [ "-" ] ( "0" / digit1-9 *digit ) [ "." 1*digit ] [ ( "e" / "E" ) [ "+" / "-" ] 1*digit ]
# A number is complete at the character after it; its nearest double must be finite.
def read_number(block: Block, closing: str) -> None:
    first = block.at
    if block.peek() == "-":
        block.accept()
    digits = read_digit(block, 0) if block.peek() == "0" else read_digits(block, 0)
    if block.peek() == ".":
        block.accept()
        digits = read_digits(block, digits)
    if block.peek() in "eE":
        block.accept()
        if block.peek() in "+-":
            block.accept()
        digits = read_digits(block, digits)
    if block.peek() not in WHITE + "," + closing:
        raise block.error("json-syntax")
    if not math.isfinite(float(block.text.characters[first : block.at])):
        raise block.error("number-range")


# xj-json
# 1*digit, after `digits` earlier digits of the same number.
def read_digits(block: Block, digits: int) -> int:
    digits = read_digit(block, digits)
    while block.peek() in DIGITS:
        digits = read_digit(block, digits)
    return digits


# xj-limit-digits
# The digits of one number are limited, fraction and exponent included.
def read_digit(block: Block, digits: int) -> int:
    if block.peek() not in DIGITS:
        raise block.error("json-syntax")
    if digits == block.limits.digits:
        raise block.error("limit-digits")
    block.accept()
    return digits + 1


# xj-control xj-closer-in-string xj-lone-surrogate dl-in-string
# string = quote *( character / escape ) quote, without raw control characters
# Returns the unescaped string, and leaves the cursor at the closing quote, which the caller checks
# and accepts.  An escaped high surrogate must be followed by an escaped low one.
def read_string(block: Block) -> str:
    block.accept()
    content: list[str] = []
    high = 0
    while True:
        character = block.peek()
        if character < " ":
            raise block.error("json-syntax")
        if character == "\\":
            unit = read_escape(block, high)
            if is_high(unit):
                high = unit
            elif is_low(unit):
                content.append(joined(high, unit))
                high = 0
            else:
                content.append(chr(unit))
            continue
        if high:
            raise block.error("lone-surrogate")
        if character == '"':
            return "".join(content)
        block.accept()
        content.append(character + block.accept_all(ORDINARY))


# xj-literals xj-lone-surrogate
# escape = "\" ( one of the eight letters / "u" 4hexdigit )
# Returns the code unit, with the cursor after the escape.  `high` is the pending high surrogate, or
# 0.
def read_escape(block: Block, high: int) -> int:
    block.accept()
    letter = block.peek()
    if letter == "u":
        return read_code_unit(block, high)
    if letter not in ESCAPES:
        raise block.error("json-syntax")
    if high:
        raise block.error("lone-surrogate")
    block.accept()
    return ord(ESCAPES[letter])


# xj-literals xj-lone-surrogate
# A lone surrogate is an error at the last hexadecimal digit.
def read_code_unit(block: Block, high: int) -> int:
    block.accept()
    unit = 0
    for place in range(4):
        digit = block.peek()
        if digit not in HEXADECIMAL:
            raise block.error("json-syntax")
        unit = unit * 16 + int(digit, 16)
        if place == 3 and is_low(unit) != (high != 0):
            raise block.error("lone-surrogate")
        block.accept()
    return unit
