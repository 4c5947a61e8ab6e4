"""Calls in the notation of Python or of Gemma, and calls that are one text."""

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from .block import Block, BlockError, Written, certain, complete, skip_white
from .json_block import (
    DIGITS,
    HEXADECIMAL,
    close_bracket,
    read_literal,
    read_number,
    require_array,
    separated,
)
from .text import WHITE, is_high, is_low, joined

# fd-literals-name
# No name contains these.
NO_NAME = WHITE + "()[]{},:=<>\"'`|;#\\"
OCTAL = "01234567"
# fd-literals-escape
SIMPLE = {
    "\n": "",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
}
SIZES = {"x": 2, "u": 4, "U": 8}


# fd-literals fd-literals-words
class Notation(NamedTuple):
    """The brackets around args, what follows a key of args, and the words with those of JSON.

    Strings are in Python's quotes, or between two marks.
    """

    brackets: str
    joint: str
    words: dict[str, str]
    mark: str
    is_trailing: bool


JSON_WORDS = {"true": "true", "false": "false", "null": "null"}
PYTHON = Notation(
    "()",
    "=",
    {**JSON_WORDS, "True": "true", "False": "false", "None": "null"},
    "",
    is_trailing=True,
)


# fd-literals-gemma
def gemma(payload: dict[str, Any]) -> Notation:
    mark = payload.get("quote", '<|"|>')
    return Notation("{}", ":", {**JSON_WORDS, "None": "null"}, mark, is_trailing=False)


# fd-literals-list fd-literals-limits
# Calls in a list.  Yields the place and the name of each, with the cursor after it.
def read_list(block: Block, index: int) -> Iterator[tuple[int, str]]:
    require_array(block)
    block.accept()
    for number in separated(block, "]", index, is_trailing=True):
        yield read_python_call(block, number)
        block.written = Written()
    close_bracket(block, ())


# fd-literals-lines fd-literals-limits
# Calls on lines of their own, and the closer.
def read_lines(block: Block, closer: str, index: int) -> Iterator[tuple[int, str]]:
    block.place = (str(index),)
    skip_white(block)
    while block.peek() != closer[0]:
        yield read_python_call(block, index)
        block.written = Written()
        index += 1
        block.place = (str(index),)
        first = block.at
        skip_white(block)
        if block.peek() != closer[0] and "\n" not in block.text.characters[first : block.at]:
            raise block.error("json-syntax")
    read_literal(block, closer)


# fd-literals-list fd-literals-broken
def read_python_call(block: Block, index: int) -> tuple[int, str]:
    if block.peek() in NO_NAME:
        raise block.error("bad-name")
    if index == block.limits.calls:
        raise block.error("limit-calls")
    first = block.at
    return first, read_call(block, PYTHON)


# fd-literals-gemma fd-literals-broken
def read_gemma_call(
    block: Block, payload: dict[str, Any], require_room: Callable[[Block], None]
) -> tuple[int, str]:
    skip_white(block)
    first = block.at
    for letter in "call:":
        if block.peek() != letter:
            raise block.error("bad-name")
        if block.at == first:
            require_room(block)
        block.accept()
    skip_white(block)
    if block.peek() in NO_NAME:
        raise block.error("bad-name")
    return first, read_call(block, gemma(payload))


# fd-literals-broken fd-literals-path fd-literals-content fd-literals-delta
# A name and args.
def read_call(block: Block, notation: Notation) -> str:
    outside = block.place
    block.written = Written()
    name = read_bare(block)
    if name == "execute":
        raise block.error("bad-name")
    block.written.call(name)
    skip_white(block)
    if block.peek() != notation.brackets[0]:
        raise block.error("missing-args")
    read_object(block, notation, 2, notation.brackets, "", inside="args")
    block.place = outside
    return name


# fd-literals-name
# A name, with the white space that may be inside of it.
def read_bare(block: Block, white: tuple[str, ...] = ()) -> str:
    name = ""
    while block.peek() in white or block.peek() not in NO_NAME:
        name += block.peek()
        block.accept()
    return name


# fd-literals-limits
def open_container(block: Block, depth: int, json_bracket: str) -> None:
    if depth > block.limits.depth:
        raise block.error("limit-depth")
    block.accept()
    block.written.args += json_bracket


# fd-literals-object fd-literals-trailing
# The members are inside of the place `inside`, if it is given.
def read_object(
    block: Block, notation: Notation, depth: int, brackets: str, joint: str, *, inside: str = ""
) -> None:
    keys: list[str] = []
    open_container(block, depth, f"{joint}{{")
    place = block.place = (*block.place, inside) if inside else block.place
    equals = notation.joint if depth == 2 else ":"
    for _ in separated(block, brackets[1], is_trailing=notation.is_trailing):
        key = read_key(block, notation, equals, depth, keys)
        keys.append(key)
        skip_white(block)
        block.take(equals)
        block.has_key = True
        block.place = (*place, key)
        skip_white(block)
        read_value(block, notation, depth + 1, brackets[1], "")
    close_bracket(block, place)
    block.written.args += "}"


# fd-literals-object fd-literals-name fd-literals-duplicate
# A key, with the cursor at the character that completes it.
def read_key(block: Block, notation: Notation, joint: str, depth: int, keys: list[str]) -> str:
    is_bare = notation.mark != "" or depth == 2
    if begins_string(block, notation) and (notation.mark != "" or depth > 2):
        key, is_complete = read_string(block, notation, is_shown=False)
    elif is_bare and block.peek() not in NO_NAME:
        # In the style of Gemma white space may be inside of a key.
        white = tuple(WHITE) if notation.mark else ()
        key, is_complete = read_bare(block, white).rstrip(WHITE), False
    else:
        raise block.error("json-syntax")
    if not is_complete and block.peek() not in WHITE + joint:
        raise block.error("json-syntax")
    if key in keys:
        code = "duplicate-arg" if depth == 2 else "duplicate-key"
        raise block.error(code, (*block.place, key))
    if is_complete:
        block.accept()
    else:
        complete(block)
    block.written.args += f"{', ' if keys else ''}{json.dumps(key, ensure_ascii=False)}: "
    return key


# fd-literals-value fd-literals-trailing
def read_array(block: Block, notation: Notation, depth: int, joint: str) -> None:
    place = block.place
    open_container(block, depth, f"{joint}[")
    for index in separated(block, "]", 0, is_trailing=notation.is_trailing):
        read_value(block, notation, depth + 1, "]", ", " if index else "")
    close_bracket(block, place)
    block.written.args += "]"


# fd-literals-value fd-literals-words fd-literals-number
def read_value(block: Block, notation: Notation, depth: int, closing: str, joint: str) -> None:
    first = block.peek()
    words = [word for word in notation.words if word[0] == first]
    if first == "[":
        read_array(block, notation, depth, joint)
    elif first == "{":
        read_object(block, notation, depth, "{}", joint)
    elif begins_string(block, notation):
        complete(block)
        block.written.args += f'{joint}"'
        _, is_complete = read_string(block, notation, is_shown=True)
        if is_complete:
            block.accept()
        else:
            complete(block)
        block.written.args += '"'
    elif words:
        complete(block)
        block.written.args += joint
        read_literal(block, words[0])
        block.written.args += notation.words[words[0]]
    elif first == "-" or first in DIGITS:
        complete(block)
        block.written.args += joint
        begin = block.at
        try:
            read_number(block, closing)
        finally:
            block.written.args += block.text.characters[begin : block.at]
    else:
        raise block.error("json-syntax")


# fd-literals-string
def begins_string(block: Block, notation: Notation) -> bool:
    return block.peek() in (notation.mark[0] if notation.mark else "\"'")


# fd-literals-string fd-literals-mark
# Returns the string, and whether the cursor is at its last character, or after it.
def read_string(block: Block, notation: Notation, *, is_shown: bool) -> tuple[str, bool]:
    def show(text: str) -> None:
        if is_shown:
            block.written.args += json.dumps(text, ensure_ascii=False)[1:-1]

    if notation.mark:
        read_literal(block, notation.mark)
        return read_to(block, notation.mark, "", show), True
    return read_quoted(block, show)


# fd-literals-mark fd-text
# The text before a marker, without one margin at its beginning, which `before` may be, with the
# cursor at the last character of the marker.
def read_to(
    block: Block, marker: str, margin: str, show: Callable[[str], None], before: str = ""
) -> str:
    text = before
    try:
        while not (text + block.peek()).endswith(marker):
            letter = block.peek()
            block.accept()
            text += letter
        text = (text + block.peek()).removesuffix(marker)
    except BlockError:
        show(certain(text, marker).removeprefix(margin))
        raise
    show(text.removeprefix(margin))
    return text.removeprefix(margin)


# fd-literals-string fd-literals-escape
# A string in one quote or three at each end.  The quotes in one with three are content if others
# do not follow.
def read_quoted(block: Block, show: Callable[[str], None]) -> tuple[str, bool]:
    quote = end = block.peek()
    block.accept()
    if block.peek() == quote:
        block.accept()
        if block.peek() != quote:
            return "", False
        block.accept()
        end = quote * 3
    value = held = ""
    high = 0
    while True:
        letter = block.peek()
        if high and letter != "\\":
            raise block.error("lone-surrogate")
        if letter == quote:
            held += letter
            if held == end:
                return value, True
            block.accept()
            continue
        complete(block)
        show(held)
        value, held = value + held, ""
        if letter == "\\":
            read, high = read_escape(block, high)
        else:
            read = letter
            block.accept()
        show(read)
        value += read


# fd-literals-escape
# An escape, with the cursor after it.  Returns its text, or none and the first half of a surrogate
# pair.
def read_escape(block: Block, high: int) -> tuple[str, int]:
    block.accept()
    letter = block.peek()
    if letter == "N":
        raise block.error("json-syntax")
    if high and letter != "u":
        raise block.error("lone-surrogate")
    if letter in OCTAL:
        return read_octal(block), 0
    block.accept()
    if letter not in SIZES:
        return SIMPLE.get(letter, f"\\{letter}"), 0
    return read_hexadecimal(block, letter, high)


# fd-literals-escape
# Fewer than three digits are complete at the next character.
def read_octal(block: Block) -> str:
    digits = ""
    while len(digits) < 3 and block.peek() in OCTAL:
        digits += block.peek()
        block.accept()
    if len(digits) < 3:
        complete(block)
    return chr(int(digits, 8))


# fd-literals-escape fd-literals-surrogate
def read_hexadecimal(block: Block, kind: str, high: int) -> tuple[str, int]:
    code = 0
    for place in range(SIZES[kind]):
        digit = block.peek()
        if digit not in HEXADECIMAL:
            raise block.error("json-syntax")
        code = code * 16 + int(digit, 16)
        if place == SIZES[kind] - 1:
            require_character(block, kind, code, high)
        block.accept()
    if is_high(code):
        return "", code
    return joined(high, code) if is_low(code) else chr(code), 0


# fd-literals-surrogate
def require_character(block: Block, kind: str, code: int, high: int) -> None:
    is_surrogate = is_high(code) or is_low(code)
    if is_low(code) != (high != 0) or (kind == "U" and is_surrogate):
        raise block.error("lone-surrogate")
    if code > 0x10FFFF:
        raise block.error("json-syntax")


# fd-text fd-text-limits
# A text that is an argument, and the closer.  Returns the place of the call.
def read_text(
    block: Block,
    payload: dict[str, Any],
    markers: tuple[str, str],
    require_room: Callable[[Block], None],
) -> tuple[int, str]:
    tool, key, margin = payload["tool"], payload["arg"], payload.get("margin", "")
    opener, closer = markers
    before = margin if opener.endswith(margin) else ""
    block.written = Written()
    block.peek()
    require_room(block)
    first, outside = block.at, block.place
    complete(block)
    block.written.call(tool)
    block.written.args = f'{{{json.dumps(key, ensure_ascii=False)}: "'
    block.place = (*outside, "args", key)

    def show(text: str) -> None:
        block.written.args += json.dumps(text, ensure_ascii=False)[1:-1]

    read_to(block, margin + closer, margin, show, before)
    block.accept()
    block.written.args += '"}'
    return first, tool
