# SPDX-License-Identifier: MIT
"""Reads a block of JSON as it arrives: an array of objects and then a closer, or object by object.

Theory of operation
-------------------
The machine is a table: each state maps the characters that may stand there to the move they make,
and a character without a move is the error, so an error comes at the first character that has no
valid continuation.  What is longer than one character (a string, a number, a literal, the closer)
is read by the function in `_resume`, which may stop anywhere and go on in the next chunk.

Containers are two parallel stacks: `_names` holds the member names seen (`None` for an array), and
`_steps` the member or index being read, which together are the error's JSON Pointer.

Elements that lie whole in the chunk are first offered to the C scanner (`_scanner.py`).  It may
only accept: what it does not vouch for, the machine reads and judges.
"""

import json
import math
import re
from collections.abc import Callable
from typing import Any, ClassVar, Final

from ._events import WHITE, Code
from ._limits import Limits
from ._scanner import FINITE_DIGITS, decode, marker_between
from ._shapes import Shape, Wrong, counted, describe, quote


class Fault(Exception):  # noqa: N818 (it is caught where it is raised and becomes an event)
    """The block broke a rule at one character."""

    def __init__(self, code: Code, at: int, message: str, path: str | None = None) -> None:
        super().__init__(message)
        self.code: Code = code
        #: Index of the offending character in the text being read.
        self.at = at
        self.message = message
        self.path = path


Move = Callable[["ArrayReader", str, int, int], int]


class _State(dict[str, Move]):
    """One place in the array: the move that each character which may stand there makes."""

    def __init__(
        self, expected: str, code: Code = "json-syntax", *, is_element: bool = False
    ) -> None:
        super().__init__()
        self.expected = expected
        self.code: Code = code
        #: Whether what stands here is an element, so that another value is of a wrong shape.
        self.is_element = is_element


_START: Final = _State('"[" and an array', "not-array")
_PAYLOAD: Final = _State("an object", is_element=True)
_FIRST_ELEMENT: Final = _State("an object or the end of the array", is_element=True)
_ELEMENT: Final = _State("an object", is_element=True)
_NEXT_ELEMENT: Final = _State('"," or "]"')
_FIRST_NAME: Final = _State('a member name in double quotes or "}"')
_NAME: Final = _State("a member name in double quotes")
_COLON: Final = _State('":"')
_VALUE: Final = _State("a value")
_FIRST_ITEM: Final = _State('a value or "]"')
_NEXT_MEMBER: Final = _State('"," or "}"')
_NEXT_ITEM: Final = _State('"," or "]"')

WHITE_RUN: Final = re.compile(f"[{WHITE}]*")
_DIGITS: Final = re.compile("[0-9]*")
_BEGINS_VALUE: Final = frozenset('{["-0123456789tfn')

#: How long a piece must be for the C scanner to be worth asking.
_WORTH_OFFERING: Final = 24
#: How many elements it is asked for at once: what is decoded and not yet judged stays in the cache.
_RUN: Final = 64

#: The first character that ends, escapes in or breaks a string.
_STRING_STOP: Final = re.compile(r'["\\\x00-\x1f]')
#: The longest run of string body whose escapes are whole and sound.
_STRING_RUN: Final = re.compile(
    r"[^\"\\\x00-\x1f]*(?:\\(?:[\"\\/bfnrt]|u(?:[0-9abcefABCEF][0-9a-fA-F]{3}"
    r"|[dD][0-7][0-9a-fA-F]{2}|[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}))"
    r"[^\"\\\x00-\x1f]*)*"
)
_HEX: Final = frozenset("0123456789abcdefABCDEF")
_SHORT_ESCAPES: Final = frozenset('"\\/bfnrt')

#: Where a number stands → what each character leads to; runs of digits are jumped over.
_NUMBER_MOVES: Final[dict[str, dict[str, str]]] = {
    "minus": {"0": "zero", **dict.fromkeys("123456789", "integer")},
    "zero": {".": "point", "e": "e", "E": "e"},
    "integer": {".": "point", "e": "e", "E": "e"},
    "point": dict.fromkeys("0123456789", "fraction"),
    "fraction": {"e": "e", "E": "e"},
    "e": {"+": "sign", "-": "sign", **dict.fromkeys("0123456789", "exponent")},
    "sign": dict.fromkeys("0123456789", "exponent"),
    "exponent": {},
}
_NUMBER_RUNS: Final = frozenset({"integer", "fraction", "exponent"})
_NUMBER_ENDS: Final = _NUMBER_RUNS | {"zero"}

_LITERALS: Final = {"t": "true", "f": "false", "n": "null"}


def _enter(state: _State, moves: dict[str, Move]) -> None:
    """Write the moves of one state, each for all of its characters."""
    for chars, move in moves.items():
        state.update(dict.fromkeys(chars, move))


class ArrayReader:
    """Reads one block; give it text until it is `closed` or raises `Fault`."""

    __slots__ = (
        "_after_string",
        "_body",
        "_closer",
        "_digits",
        "_done",
        "_escape",
        "_from",
        "_half",
        "_is_name",
        "_kept",
        "_limits",
        "_matched",
        "_member",
        "_names",
        "_number",
        "_open",
        "_refused",
        "_resume",
        "_room",
        "_run",
        "_shape",
        "_slice",
        "_slice_from",
        "_slice_to",
        "_state",
        "_steps",
        "_token",
        "_word",
        "closed",
        "count",
        "found",
        "in_body",
    )

    #: Whether reading stops behind each element, and goes on when it is told to.
    _is_single = False

    def __init__(self, shape: Shape, closer: str, limits: Limits) -> None:
        self._shape = shape
        self._closer = closer
        self._limits = limits
        #: Whether the closer has been read, or the one element that was asked for.
        self.closed = False
        #: How many elements there are so far.
        self.count: int = 0
        #: Whether the text stands in the body of a string, so that `extend` may take a chunk.
        self.in_body = False
        #: The elements that the last `read` completed: their text, and where each ends.
        self.found: list[tuple[str, int]] = []

        self._state = _START
        self._resume: Move | None = None
        self._names: list[set[str] | None] = []
        self._steps: list[Any] = []

        # How many more characters the block may hold.
        self._room = limits.size

        # The text of the block: before the open element, and from its first character on.  What
        # stands in the current text from `_from` on is not in either yet.  `_body` is the one of
        # the two to which the body of a string belongs.
        self._done: list[str] = []
        self._body = self._done
        self._open: list[str] | None = None
        self._from = 0

        # The string, number or fixed word being read.
        self._kept: list[str] | None = None
        self._after_string = False
        self._is_name = False
        self._escape = ""
        self._half = False
        self._member = ""
        self._token: list[str] = []
        self._number = ""
        self._digits = 0
        self._word = ""
        self._matched = 0

        # What the C scanner is shown, where it stands in the text, how many elements it is asked
        # for at once, and where the element that it did not take begins.
        self._slice = ""
        self._run = 1
        self._slice_from = 0
        self._slice_to = 0
        self._refused = -1

    # -- What the parser uses ---------------------------------------------------------------

    def read(self, text: str, pos: int, end: int) -> int:
        """Read `text[pos:end]` and return where reading stopped: `end`, or behind the closer.

        Raises `Fault` at the first character that breaks a rule; `found` holds what came before.
        """
        if self.found:
            self.found = []
        if self._slice_to:
            self._slice_to = 0
            self._refused = -1
        self._from = pos
        self.in_body = False
        if end - pos <= self._room:
            at = self._advance(text, pos, end)
            self._room -= at - pos
        else:
            stop = pos + self._room
            at = self._advance(text, pos, stop)
            self._room -= at - pos
            if at == stop:
                at = self._cross(text, at, end)
        pieces = self._done if self._open is None else self._open
        pieces.append(text[self._from : at])
        if self.in_body:
            self._body = pieces
        self._from = at
        return at

    def extend(self, chunk: str) -> bool:
        """Take `chunk` if it is nothing but more body of the open string."""
        size = len(chunk)
        if (
            self.in_body
            and '"' not in chunk
            and "\\" not in chunk
            and chunk.isprintable()
            and size <= self._room
        ):
            self._body.append(chunk)
            self._room -= size
            return True
        return False

    @property
    def tools(self) -> list[str]:
        """The tools of the elements so far, in order."""
        return self._shape.tools

    def text(self) -> str:
        """Return what was read of the block so far."""
        return "".join(self._done) + "".join(self._open or ())

    def unread(self, _text: str, _at: int) -> str:
        """Return nothing: in JSON no closer can begin before the character that breaks a rule."""
        return ""

    def path(self) -> str | None:
        """Return the JSON Pointer of where the text stands; `None` outside the array."""
        if not self._names:
            return None
        return "".join(pointer_step(step) for step in self._steps if step is not None)

    # -- The loop ---------------------------------------------------------------------------

    def _advance(self, text: str, pos: int, end: int) -> int:
        while pos < end and not self.closed:
            resume = self._resume
            if resume is not None:
                pos = resume(self, text, pos, end)
                continue
            char = text[pos]
            move = self._state.get(char)
            if move is None:
                raise self._refusal(char, pos)
            pos = move(self, text, pos, end)
        return pos

    def _cross(self, text: str, pos: int, end: int) -> int:
        """Read on where the block has no room left: only the closer may still come."""
        if not self._in_closer() and not self.closed:
            path, count = self.path(), len(self.found)
            pos = self._advance(text, pos, pos + 1)
            if not self._in_closer():
                del self.found[count:]
                message = (
                    f"A block holds at most {counted(self._limits.size, 'character')}. "
                    "Send less at once, or in several blocks."
                )
                raise Fault("limit-size", pos - 1, message, path)
        return self._advance(text, pos, end)

    def _in_closer(self) -> bool:
        return self._resume is ArrayReader._read_closer and self._matched > 0

    def _fault(self, at: int, wrong: Wrong) -> Fault:
        return Fault(wrong[0], at, wrong[1], self.path())

    def _refusal(self, char: str, at: int) -> Fault:
        """Return the error of a character that no value, or no such value, may begin with."""
        state = self._state
        if state.is_element and char in _BEGINS_VALUE:
            message = (
                f"{self._shape.single} is {self._shape.example}, "
                f"but {describe(char)} begins another value."
            )
            return self._fault(at, ("not-object", message))
        message = f"Expected {state.expected}, but got {describe(char)}. {self._hint(char)}"
        return self._fault(at, (state.code, message.rstrip()))

    def _hint(self, char: str) -> str:
        """Say what was probably meant."""
        state = self._state
        if state is _START:
            return f"A block is [{self._shape.example}, …]."
        if state is _PAYLOAD:
            # The closer of a payload is the marker of the next.
            return f"Write {self._closer} {self._shape.example}."
        if (state is _NAME or state is _ELEMENT) and char in "}]":
            return "JSON has no trailing comma."
        behind = state is _NEXT_MEMBER or state is _NEXT_ITEM
        if behind and self._after_string and char not in '{}[]:"':
            return 'A double quote inside a string is written \\".'
        return _HINTS.get(char, "")

    # -- Moves between tokens ---------------------------------------------------------------

    def _skip_white(self, text: str, pos: int, end: int) -> int:
        after = pos + 1
        if after == end or text[after] not in WHITE:
            return after
        return jump(WHITE_RUN, text, after, end)

    def _open_block(self, _text: str, pos: int, _end: int) -> int:
        self._names.append(None)
        self._steps.append(0)
        self._state = _FIRST_ELEMENT
        return pos + 1

    def _open_element(self, text: str, pos: int, end: int) -> int:
        if self.count >= self._shape.capacity:
            raise self._fault(pos, self._shape.surplus())
        if end - pos > _WORTH_OFFERING and pos != self._refused:
            after = self._offer(text, pos, end)
            if after != pos:
                return after
        self._nest(pos)
        self._done.append(text[self._from : pos])
        self._from = pos
        self._open = []
        self._names.append(set())
        self._steps.append(None)
        self._state = _FIRST_NAME
        return pos + 1

    def _open_object(self, _text: str, pos: int, _end: int) -> int:
        if len(self._names) == 2:
            self._begin_member_value("{", pos)
        self._nest(pos)
        self._names.append(set())
        self._steps.append(None)
        self._state = _FIRST_NAME
        return pos + 1

    def _open_array(self, _text: str, pos: int, _end: int) -> int:
        if len(self._names) == 2:
            self._begin_member_value("[", pos)
        self._nest(pos)
        self._names.append(None)
        self._steps.append(0)
        self._state = _FIRST_ITEM
        return pos + 1

    def _nest(self, pos: int) -> None:
        if len(self._names) >= self._limits.depth:
            message = (
                f"Values may be nested {self._limits.depth} deep; this is one level more. "
                "Nest less, or pass the value as JSON in a string where the tool takes one."
            )
            raise self._fault(pos, ("limit-depth", message))

    def _close_object(self, text: str, pos: int, _end: int) -> int:
        self._steps[-1] = None
        names = self._names[-1]
        if len(self._names) == 2 and names is not None:
            if wrong := self._shape.ends(names):
                raise self._fault(pos, wrong)
            content = "".join(self._open or ()) + text[self._from : pos + 1]
            self._done.append(content)
            self._open = None
            self._from = pos + 1
            self.found.append((content, pos + 1))
            self.count += 1
            self.closed = self._is_single
        self._names.pop()
        self._steps.pop()
        self._end_value()
        return pos + 1

    def _close_array(self, _text: str, pos: int, _end: int) -> int:
        if len(self._names) == 1 and (wrong := self._shape.ends_array(self.count)):
            raise self._fault(pos, wrong)
        self._names.pop()
        self._steps.pop()
        if self._names:
            self._end_value()
        else:
            self._matched = 0
            self._resume = ArrayReader._read_closer
        return pos + 1

    def _begin_member_value(self, char: str, pos: int) -> None:
        """Judge the first character of a member of an element."""
        if wrong := self._shape.begins(self._steps[-1], char):
            raise self._fault(pos, wrong)

    def _end_value(self, *, is_string: bool = False) -> None:
        self._after_string = is_string
        if self._names[-1] is not None:
            self._state = _NEXT_MEMBER
        else:
            self._state = _NEXT_ITEM if len(self._names) > 1 else _NEXT_ELEMENT

    def _next_element(self, _text: str, pos: int, _end: int) -> int:
        self._steps[-1] += 1
        self._state = _ELEMENT
        return pos + 1

    # Most often one space follows a comma or a colon; it is not worth a move of its own.

    def _next_item(self, text: str, pos: int, end: int) -> int:
        self._steps[-1] += 1
        self._state = _VALUE
        return pos + 1 + text.startswith(" ", pos + 1, end)

    def _next_member(self, text: str, pos: int, end: int) -> int:
        self._steps[-1] = None
        self._state = _NAME
        return pos + 1 + text.startswith(" ", pos + 1, end)

    def _begin_member(self, text: str, pos: int, end: int) -> int:
        self._steps[-1] = self._member
        self._state = _VALUE
        return pos + 1 + text.startswith(" ", pos + 1, end)

    # -- Strings ----------------------------------------------------------------------------

    def _open_name(self, text: str, pos: int, end: int) -> int:
        self._is_name = True
        self._kept = []
        self._resume = ArrayReader._read_string
        return self._read_string(text, pos + 1, end)

    def _open_string(self, text: str, pos: int, end: int) -> int:
        self._is_name = False
        if len(self._names) == 2:
            self._begin_member_value('"', pos)
            if self._shape.keeps(self._steps[-1]):
                self._kept = []
        self._resume = ArrayReader._read_string
        return self._read_string(text, pos + 1, end)

    def _read_string(self, text: str, pos: int, end: int) -> int:
        begin = pos
        kept = self._kept
        while pos < end:
            if self._escape or self._half:
                self._read_escape(text[pos], pos)
                pos += 1
                continue
            match = _STRING_STOP.search(text, pos, end)
            if match is None:
                pos = end
                break
            pos = match.start()
            char = text[pos]
            if char == '"':
                if kept is not None:
                    kept.append(text[begin:pos])
                self._close_string(pos)
                pos += 1
                if self._state is _COLON and text.startswith(":", pos, end):
                    return self._begin_member(text, pos, end)
                return pos
            if char != "\\":
                raise self._control(char, pos)
            run = jump(_STRING_RUN, text, pos, end)
            if run == pos:
                self._escape = char
                run += 1
            pos = run
        if kept is not None:
            kept.append(text[begin:pos])
        else:
            self.in_body = not (self._escape or self._half)
        return pos

    def _read_escape(self, char: str, pos: int) -> None:
        """Take one character of an escape that no run holds: it is cut, or unsound."""
        if not self._escape:
            if char < " ":
                raise self._control(char, pos)
            if char != "\\":
                raise self._lone(pos)
            self._escape = char
        elif self._escape == "\\":
            if char == "u":
                self._escape += char
                return
            if char not in _SHORT_ESCAPES:
                message = (
                    f'A backslash in a string escapes one of " \\ / b f n r t u, not '
                    f"{describe(char)}. Write two backslashes for one."
                )
                raise self._fault(pos, ("json-syntax", message))
            if self._half:
                raise self._lone(pos)
            self._escape = ""
        elif char in _HEX:
            self._escape += char
            if len(self._escape) == 6:
                unit = int(self._escape.removeprefix("\\u"), 16)
                if (0xDC00 <= unit <= 0xDFFF) != self._half:
                    raise self._lone(pos)
                self._half = 0xD800 <= unit <= 0xDBFF
                self._escape = ""
        else:
            message = f"Four hexadecimal digits follow \\u, but here is {describe(char)}."
            raise self._fault(pos, ("json-syntax", message))

    def _control(self, char: str, pos: int) -> Fault:
        message = (
            f"A string may not hold {describe(char)} as it is. "
            "Escape control characters: \\n for a line feed, \\t for a tab."
        )
        return self._fault(pos, ("json-syntax", message))

    def _lone(self, pos: int) -> Fault:
        message = (
            "An escape gives half of a surrogate pair without the other half. "
            "Write the character itself, or both halves."
        )
        return self._fault(pos, ("lone-surrogate", message))

    def _close_string(self, pos: int) -> None:
        self._resume = None
        kept = self._kept
        if kept is None:
            self._end_value(is_string=True)
            return
        self._kept = None
        value = "".join(kept)
        if "\\" in value:
            value = json.loads(f'"{value}"')
        if self._is_name:
            self._close_name(value, pos)
            return
        if wrong := self._shape.says(self.count, self._steps[-1], value):
            raise self._fault(pos, wrong)
        self._end_value(is_string=True)

    def _close_name(self, name: str, pos: int) -> None:
        names = self._names[-1]
        if names is None or name in names:
            message = f"The member {quote(name)} stands twice in one object; write it once."
            raise Fault("duplicate-key", pos, message, f"{self.path()}{pointer_step(name)}")
        names.add(name)
        self._member = name
        self._state = _COLON

    # -- Numbers ----------------------------------------------------------------------------

    def _open_number(self, text: str, pos: int, end: int) -> int:
        char = text[pos]
        if len(self._names) == 2:
            self._begin_member_value(char, pos)
        self._token = [char]
        self._digits = int(char != "-")
        self._number = {"-": "minus", "0": "zero"}.get(char, "integer")
        self._resume = ArrayReader._read_number
        return self._read_number(text, pos + 1, end)

    def _read_number(self, text: str, pos: int, end: int) -> int:
        begin = pos
        while pos < end:
            if self._number in _NUMBER_RUNS:
                run = jump(_DIGITS, text, pos, end)
                self._count_digits(run - pos, run)
                pos = run
                if pos == end:
                    break
            stage = _NUMBER_MOVES[self._number].get(text[pos])
            if stage is None:
                return self._close_number(text[begin:pos], text[pos], pos)
            self._number = stage
            pos += 1
            self._count_digits(int(text[pos - 1] in "0123456789"), pos)
        self._token.append(text[begin:pos])
        return pos

    def _count_digits(self, count: int, pos: int) -> None:
        self._digits += count
        surplus = self._digits - self._limits.digits
        if surplus > 0:
            message = (
                f"A number has at most {counted(self._limits.digits, 'digit')}. "
                "Write it as a string if it needs more."
            )
            raise self._fault(pos - surplus, ("limit-digits", message))

    def _close_number(self, rest: str, char: str, pos: int) -> int:
        if self._number not in _NUMBER_ENDS:
            message = f"Expected a digit, but got {describe(char)}."
            raise self._fault(pos, ("json-syntax", message))
        self._resume = None
        self._end_value()
        if char not in self._state:
            raise self._refusal(char, pos)
        if self._number == "exponent" or self._digits > FINITE_DIGITS:
            token = "".join(self._token) + rest
            if not math.isfinite(float(token)):
                message = (
                    "This number is beyond the range of a double. "
                    "Write it as a string if it is meant so."
                )
                raise self._fault(pos, ("number-range", message))
        return pos

    # -- Fixed words: the literals and the closer -------------------------------------------

    def _open_literal(self, text: str, pos: int, end: int) -> int:
        if len(self._names) == 2:
            self._begin_member_value(text[pos], pos)
        self._word = _LITERALS[text[pos]]
        self._matched = 1
        self._resume = ArrayReader._read_literal
        return self._read_literal(text, pos + 1, end)

    def _read_literal(self, text: str, pos: int, end: int) -> int:
        pos = self._match(self._word, text, pos, end)
        if pos < end and self._matched < len(self._word):
            message = f"Expected {self._word}, but got {describe(text[pos])} in it."
            raise self._fault(pos, ("json-syntax", message))
        if self._matched == len(self._word):
            self._resume = None
            self._end_value()
        return pos

    def _read_closer(self, text: str, pos: int, end: int) -> int:
        if not self._matched:
            pos = jump(WHITE_RUN, text, pos, end)
        pos = self._match(self._closer, text, pos, end)
        if pos < end and self._matched < len(self._closer):
            message = (
                f"After the array only {self._closer} may come, but got {describe(text[pos])}."
            )
            raise Fault("trailing-text", pos, message)
        self.closed = self._matched == len(self._closer)
        return pos

    def _match(self, word: str, text: str, pos: int, end: int) -> int:
        """Go over as much of what is left of `word` as stands at `pos`."""
        stop = min(end, pos + len(word) - self._matched)
        while pos < stop and text[pos] == word[self._matched]:
            self._matched += 1
            pos += 1
        return pos

    # -- The C scanner ----------------------------------------------------------------------

    def _offer(self, text: str, pos: int, end: int) -> int:
        """Let the C scanner read elements from `pos` on; return where what it vouches for ends."""
        if pos >= self._slice_to:
            # Never past a closer: what a failed attempt costs must not grow with the text behind.
            closer = text.find(self._closer, pos, end)
            self._slice_from = pos
            self._slice_to = end if closer < 0 else closer
            self._slice = text[pos : self._slice_to]
            self._run = _RUN
        block, base = self._slice, self._slice_from
        self._refused = pos
        if block.find("}", pos - base) < 0:
            return pos
        most = min(self._run, self._shape.capacity - self.count)
        run = decode(block, pos - base, most, self._limits)
        if not run.is_sound(block, self._limits, self._shape.nested):
            # One of them is for the machine; so that no other is decoded again and again, the
            # rest of this text is offered one by one.
            self._run = 1
            run = decode(block, pos - base, 1, self._limits)
            if not run.is_sound(block, self._limits, self._shape.nested):
                return pos
        if run.refused is not None:
            self._refused = base + run.refused
        for element, (begin, stop) in zip(run.elements, run.spans, strict=True):
            if not self._shape.accepts(self.count, element):
                self._refused = base + begin
                break
            self.found.append((block[begin:stop], base + stop))
            self.count += 1
            self._steps[0] = self.count - 1
            self._state = _NEXT_ELEMENT
            pos = base + stop
        return pos

    # -- The table --------------------------------------------------------------------------

    _VALUES: ClassVar[dict[str, Move]] = {
        '"': _open_string,
        "{": _open_object,
        "[": _open_array,
        "-0123456789": _open_number,
        "tfn": _open_literal,
    }

    _enter(_START, {WHITE: _skip_white, "[": _open_block})
    _enter(_PAYLOAD, {WHITE: _skip_white, "{": _open_element})
    _enter(_FIRST_ELEMENT, {WHITE: _skip_white, "{": _open_element, "]": _close_array})
    _enter(_ELEMENT, {WHITE: _skip_white, "{": _open_element})
    _enter(_NEXT_ELEMENT, {WHITE: _skip_white, ",": _next_element, "]": _close_array})
    _enter(_FIRST_NAME, {WHITE: _skip_white, '"': _open_name, "}": _close_object})
    _enter(_NAME, {WHITE: _skip_white, '"': _open_name})
    _enter(_COLON, {WHITE: _skip_white, ":": _begin_member})
    _enter(_VALUE, {WHITE: _skip_white, **_VALUES})
    _enter(_FIRST_ITEM, {WHITE: _skip_white, **_VALUES, "]": _close_array})
    _enter(_NEXT_MEMBER, {WHITE: _skip_white, ",": _next_member, "}": _close_object})
    _enter(_NEXT_ITEM, {WHITE: _skip_white, ",": _next_item, "]": _close_array})


class PayloadReader(ArrayReader):
    """Reads elements that stand one by one, as if in an array whose brackets are left out.

    Where the C scanner vouches for it, it reads on over the markers to the elements behind them.
    """

    __slots__ = ("_alone_to", "_dividing", "_payload")

    _is_single = True

    def __init__(self, shape: Shape, marker: str, limits: Limits) -> None:
        """Read elements of which `marker` stands before each but the first."""
        super().__init__(shape, marker, limits)
        self._names.append(None)
        self._steps.append(0)
        self._dividing = marker_between(marker)
        #: Up to where in the text elements are offered to the C scanner one by one.
        self._alone_to = 0
        self.open()

    def open(self) -> None:
        """Go on with another element."""
        self.closed = False
        self._state = _PAYLOAD
        self._steps[0] = self.count
        #: How much of `_done` stands before it.
        self._payload = len(self._done)

    def payload(self) -> str:
        """Return what was read of the open element."""
        return "".join([*self._done[self._payload :], *(self._open or ())])

    def payload_before(self, text: str, at: int) -> str:
        """Return the open element up to `at`, where reading `text` broke off."""
        # The character that crosses a limit may have been read already.
        read = self.payload()
        return read + text[self._from : at] if self._from <= at else read[: at - self._from]

    def _offer(self, text: str, pos: int, end: int) -> int:
        self._refused = pos
        most = 1 if pos < self._alone_to else min(_RUN, self._shape.capacity - self.count)
        block = text[pos : self._bound(text, pos, end, most)]
        run = decode(block, 0, most, self._limits, self._dividing)
        if run.spans and not run.is_sound(block, self._limits, self._shape.nested):
            # One of them is for the machine; see `ArrayReader`.
            self._alone_to = pos + run.spans[-1][1]
            run = decode(block, 0, 1, self._limits, self._dividing)
        if not run.is_sound(block, self._limits, self._shape.nested):
            return pos
        base = pos
        for element, (begin, stop) in zip(run.elements, run.spans, strict=True):
            if not self._shape.accepts(self.count, element):
                self._alone_to = base + run.spans[-1][1]
                break
            if self.closed:
                self._pass_marker(text, pos)
            pos = base + stop
            self.found.append((block[begin:stop], pos))
            self.count += 1
            self.closed = True
        return pos

    def _bound(self, text: str, pos: int, end: int, most: int) -> int:
        """Return how far `most` elements may go: what a failed attempt costs must not grow."""
        bound = pos
        for _ in range(most):
            bound = text.find(self._closer[0], bound + 1, end)
            if bound < 0:
                return end
        return bound

    def _pass_marker(self, text: str, pos: int) -> None:
        """Leave out the marker behind `pos`, which is no part of the elements."""
        after = text.index(":", pos) + 1
        self._done.append(text[self._from : pos])
        self._from = after
        self._room += after - pos


def jump(pattern: re.Pattern[str], text: str, pos: int, end: int) -> int:
    """Return where `pattern`, which matches the empty string too, ends at `pos`."""
    match = pattern.match(text, pos, end)
    return match.end() if match else pos


def pointer_step(step: str | int) -> str:
    """Return one reference token of a JSON Pointer (RFC 6901), with its slash."""
    return "/" + str(step).replace("~", "~0").replace("/", "~1")


_HINTS: Final = {
    "'": "JSON strings stand in double quotes.",
    "“": "JSON strings stand in straight double quotes.",
    "/": "JSON has no comments.",
    "#": "JSON has no comments.",
    "N": "JSON has no NaN and no None; write null.",
    "T": "JSON writes true in small letters.",
    "F": "JSON writes false in small letters.",
    "I": "JSON has no Infinity.",
    "}": "Was a comma, a colon or a value left out or too many?",
    "]": "Was a comma, a brace or a value left out or too many?",
    "<": "The block goes on until its array is closed.",
    "+": "JSON numbers begin with a digit or a minus sign.",
    ".": "JSON numbers begin with a digit or a minus sign.",
}
