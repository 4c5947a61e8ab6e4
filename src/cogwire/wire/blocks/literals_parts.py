# SPDX-License-Identifier: MIT
"""The parts of calls in literals: words, names, numbers and strings.

A part reads its own text, may stop anywhere, and is `done` at the character that completes it.
What is certain of a value goes to a sink, as it is read.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Final

from ...events import Code, Event
from ...text import WHITE, WHITE_RUN, describe, jump, pointer
from . import json_states as states
from .cut_markers import end_of
from .interface import FULL, Fault
from .spelled import SpelledReader, beginning_at_end

#: Called when a part is done, with the text and the place after the part.
Then = Callable[[Any, str, int], None]

#: Takes the next piece of a value.
Sink = Callable[[str], None]

#: A name: no white space, and no character that has a meaning in one of the notations.
LITERAL_NAME: Final = re.compile(rf"[^{WHITE}()\[\]{{}},:=<>\"'`|;#\\]*")
#: A key of Gemma, which may have white space inside of it, and white space after it.
GEMMA_KEY: Final = re.compile(r"[^()\[\]{},:=<>\"'`|;#\\]*")
#: Those of the excluded characters with which no other part begins.
QUOTES: Final = "<>\"'`|;#\\="
_DIGITS: Final = re.compile("[0-9]*")


class Part(ABC):
    """One part of a call; feed it text until it is `done` or raises `Fault`, without a path."""

    #: The first character of what ends a string, and what takes the text of the string.
    _stop: str
    _sink: Sink
    #: Whether the part has ended; the last character that was read may follow it.
    done: bool = False

    @property
    def in_text(self) -> bool:
        """Whether the text is inside a string that `extend` may continue."""
        return False

    def extend(self, chunk: str) -> bool:
        """Take the chunk if all of it continues the string; called only if `in_text`."""
        if self._stop in chunk:
            return False
        self._sink(chunk)
        return True

    @abstractmethod
    def read(self, text: str, pos: int, end: int) -> int:
        """Read `text[pos:end]` and return where reading stopped: `end`, or after the part."""


class PartReader(SpelledReader):
    """Reads calls part by part; feed it text until it is `closed` or raises `Fault`."""

    __slots__ = ("_part", "_steps", "_then")

    _full = FULL

    #: What to do after the part that is being read.
    _then: Then

    def open(self) -> None:
        super().open()
        #: The part that is being read.
        self._part: Part | None = None
        #: The index of the open call, and the keys and indices that lead to the place in its args;
        #: `None` for a key that is not known yet.  Empty outside of all calls.
        self._steps: list[str | int | None] = []

    def extend(self, chunk: str, _now: float | None) -> list[Event] | None:
        part, room = self._part if self.in_text else None, self._room - len(chunk)
        if part is None or room < 0 or not part.extend(chunk):
            return self._read_chunk(chunk)
        self._pieces.append(chunk)
        self._room = room
        return []

    def unread(self, _text: str, _at: int, _closer: str, /) -> str:
        return ""

    def path(self) -> str | None:
        """Return the JSON Pointer of the current place; `None` outside of all calls."""
        return pointer(self._steps) or None

    def _advance(self, text: str, pos: int, end: int) -> int:
        try:
            pos = self._read_on(text, pos, end)
        except Fault as fault:
            fault.path = self.path() if fault.path is None else fault.path
            raise
        self.in_text = self._part is not None and self._part.in_text
        return pos

    @abstractmethod
    def _read_on(self, text: str, pos: int, end: int) -> int:
        """Read as `_advance` does, which adds the path to a `Fault`."""


class Spelling(Part):
    """A fixed word."""

    def __init__(self, word: str, code: Code = "json-syntax", hint: str = "") -> None:
        self._hint = hint
        self._word = word
        self._rest = word
        self._code: Code = code

    def read(self, text: str, pos: int, end: int) -> int:
        rest = self._rest
        size = min(len(rest), end - pos)
        if not text.startswith(rest[:size], pos):
            at = next(at for at, char in enumerate(rest, pos) if text[at] != char)
            message = f"Expected {self._word}, but got {describe(text[at])} in it.{self._hint}"
            raise Fault(self._code, at, message)
        self._rest = rest[size:]
        self.done = not self._rest
        return pos + size


class Name(Part):
    """A name, up to the first character that is not part of it."""

    def __init__(self, run: re.Pattern[str] = LITERAL_NAME) -> None:
        """Read a name whose characters match `run`."""
        self._run = run
        self._pieces: list[str] = []

    @property
    def value(self) -> str:
        """The name so far, without white space at its end."""
        return "".join(self._pieces).rstrip(WHITE)

    def read(self, text: str, pos: int, end: int) -> int:
        stop = jump(self._run, text, pos, end)
        self._pieces.append(text[pos:stop])
        self.done = stop < end
        return stop


class Gap(Part):
    """White space, up to the first other character."""

    #: Whether there is a line feed in it.
    has_line: bool = False

    def read(self, text: str, pos: int, end: int) -> int:
        stop = jump(WHITE_RUN, text, pos, end)
        self.has_line = self.has_line or "\n" in text[pos:stop]
        self.done = stop < end
        return stop


# -- Numbers -------------------------------------------------------------------------------------


#: The state before a number, whatever follows it.
NUMBER: Final = states.number(states.JsonState("the end"))


class Number(Part):
    """A number of JSON, up to the first character that is not part of it."""

    def __init__(self, sink: Sink, most: int) -> None:
        """Read a number of at most so many digits."""
        self._sink = sink
        self._state = NUMBER
        self._room = most
        self._most = most
        self._pieces: list[str] = []

    @property
    def value(self) -> float:
        """The double that is nearest to the number."""
        return float("".join(self._pieces))

    def read(self, text: str, pos: int, end: int) -> int:
        begin = pos
        try:
            while pos < end and not self.done:
                pos = self._read_on(text, pos, end)
        except Fault as fault:
            pos = fault.at
            raise
        finally:
            self._pieces.append(text[begin:pos])
            self._sink(text[begin:pos])
        return pos

    def _read_on(self, text: str, pos: int, end: int) -> int:
        char = text[pos]
        after = self._state.get(char)
        if after is None:
            if self._state.after is self._state:
                raise Fault("json-syntax", pos, f"Expected a digit, but got {describe(char)}.")
            self.done = True
            return pos
        self._state = after
        if not char.isdigit():
            return pos + 1
        # Another digit may follow this one, except after a zero that begins the number.
        stop = jump(_DIGITS, text, pos, end) if char in after else pos + 1
        if stop - pos > self._room:
            code, message = states.too_long(self._most)
            raise Fault(code, pos + self._room, message)
        self._room -= stop - pos
        return stop


# -- Strings -------------------------------------------------------------------------------------

_OCTAL: Final = "01234567"
_HEX: Final = frozenset("0123456789abcdefABCDEF")
#: The escapes of one character, and how long those with digits are.
_SHORT: Final = {
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
_LENGTHS: Final = {"x": 4, "u": 6, "U": 10}
#: How a cut text of a string may end: outside of an escape, or after its backslash.
_CUT: Final = ("", "\\")
#: An escape of one character, and one with digits that is certainly whole.
_ONE: Final = re.compile(r"\\([^0-7xuUN])")
_WHOLE: Final = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[0-7]{3}|[0-7]{1,2}(?=[^0-7]))")
#: The longest run of the text of a string with escapes of one character; and a whole string of
#: that, which is neither empty nor between three quotes.
_RUNS: Final = {quote: rf"[^\\{quote}]*(?:\\[^0-7xuUN][^\\{quote}]*)*" for quote in "\"'"}
_INSIDE: Final = {quote: re.compile(run) for quote, run in _RUNS.items()}
STRINGS: Final = {
    quote: re.compile(f"{quote}(?!{quote})({run}){quote}") for quote, run in _RUNS.items()
}


def unescaped(text: str) -> str:
    """Return the value of the text of a string whose escapes are all of one character."""
    return _ONE.sub(_meaning, text) if "\\" in text else text


def _meaning(escape: re.Match[str]) -> str:
    return _SHORT.get(escape[1], escape[0])


class QuotedString(Part):
    """A string of Python, from the character after its first quote on."""

    def __init__(self, quote: str, sink: Sink) -> None:
        #: Where the character is that completed the string; an empty one ends before it.
        self.at = 0
        self._quote = quote
        self._sink = sink
        #: How many quotes begin the string, until that is certain; and whether there are three.
        self._opening = 1
        self._is_triple = False
        #: How many quotes of the end have been read, if it ends with three.
        self._closing = 0
        #: The part of an escape that has been read, and the first half of a surrogate pair.
        self._escape = ""
        self._half = 0

    @property
    def in_text(self) -> bool:
        is_cut = self._escape not in _CUT or self._half
        return not (self._opening or self._closing or is_cut or self.done)

    def extend(self, chunk: str) -> bool:
        text = self._escape + chunk
        if "\\" in text:
            stop = jump(_INSIDE[self._quote], text, 0, len(text))
            if text[stop:] not in _CUT:
                return False
            self._escape = text[stop:]
            text = unescaped(text[:stop])
        elif self._quote in text:
            return False
        self._sink(text)
        return True

    def read(self, text: str, pos: int, end: int) -> int:
        while pos < end and not self.done:
            if self._opening:
                pos = self._open(text[pos], pos)
            elif self._escape or self._half:
                pos = self._read_escape(text, pos, end)
            elif self._closing:
                pos = self._close(text[pos], pos)
            else:
                pos = self._read_inside(text, pos, end)
        return pos

    def _open(self, char: str, pos: int) -> int:
        """Find out whether the string begins with one quote or three, or is empty."""
        if char != self._quote:
            self.done = self._opening == 2
            self.at = pos
            self._opening = 0
            return pos
        self._opening += 1
        if self._opening == 3:
            self._opening = 0
            self._is_triple = True
        return pos + 1

    def _close(self, char: str, pos: int) -> int:
        """Count the quotes that may end a string of three."""
        if char != self._quote:
            self._sink(self._quote * self._closing)
            self._closing = 0
            return pos
        self._closing += 1
        self.done = self._closing == 3
        self.at = pos
        return pos + 1

    def _read_inside(self, text: str, pos: int, end: int) -> int:
        stop = jump(_INSIDE[self._quote], text, pos, end)
        if stop > pos:
            self._sink(unescaped(text[pos:stop]))
        if stop == end:
            return end
        if text[stop] == self._quote:
            self._closing = 1
            self.done = not self._is_triple
            self.at = stop
            return stop + 1
        whole = _WHOLE.match(text, stop, end)
        if whole is None:
            self._escape = "\\"
            return stop + 1
        self._end_escape(whole[0], whole.end() - 1)
        return whole.end()

    def _read_escape(self, text: str, pos: int, end: int) -> int:
        """Read an escape that may be cut or invalid, or the second half of a pair."""
        char, kind = text[pos], self._escape[1:2]
        if kind and kind in _OCTAL:
            if char in _OCTAL:
                self._escape += char
            if char not in _OCTAL or len(self._escape) == 4:
                self._end_escape(self._escape, pos)
            return pos + (char in _OCTAL)
        if kind:
            if char not in _HEX:
                message = (
                    f"Expected {_LENGTHS[kind] - 2} hexadecimal digits after \\{kind}, but got "
                    f"{describe(char)}."
                )
                raise Fault("json-syntax", pos, message)
            self._escape += char
            if len(self._escape) == _LENGTHS[kind]:
                self._end_escape(self._escape, pos)
        elif not self._escape:
            if char != "\\":
                raise _lone(pos)
            self._escape = char
        else:
            self._begin_escape(char, pos)
        return pos + 1

    def _begin_escape(self, char: str, pos: int) -> None:
        """Take the character after a backslash."""
        if char == "N":
            message = "A character is not written by its name. Write the character itself."
            raise Fault("json-syntax", pos, message)
        if self._half and char != "u":
            raise _lone(pos)
        self._escape += char
        if char not in _LENGTHS and char not in _OCTAL:
            self._end_escape(self._escape, pos)

    def _end_escape(self, escape: str, pos: int) -> None:
        """Take an escape that is whole, and whose last character is at `pos`."""
        self._escape = ""
        kind = escape[1]
        if kind in _OCTAL:
            self._sink(chr(int(escape[1:], 8)))
        elif kind not in _LENGTHS:
            self._sink(_SHORT.get(kind, escape))
        else:
            self._end_code(kind, int(escape.removeprefix(f"\\{kind}"), 16), pos)

    def _end_code(self, kind: str, code: int, pos: int) -> None:
        is_low = 0xDC00 <= code <= 0xDFFF
        if is_low != bool(self._half) or (kind == "U" and 0xD800 <= code <= 0xDFFF):
            raise _lone(pos)
        if code > 0x10FFFF:
            message = "No character has this number; the last one is \\U0010ffff."
            raise Fault("json-syntax", pos, message)
        if is_low:
            code = 0x10000 + ((self._half - 0xD800) << 10) + code - 0xDC00
        self._half = code if 0xD800 <= code <= 0xDBFF else 0
        if not self._half:
            self._sink(chr(code))


def _lone(pos: int) -> Fault:
    code, message = states.LONE_SURROGATE
    return Fault(code, pos, message)


class MarkedText(Part):
    """Text up to a marker, in which nothing is escaped."""

    def __init__(self, marker: str, sink: Sink, margin: str = "", before: str = "") -> None:
        """Leave out one `margin` at the beginning, which may be in `before`, the text before."""
        self._marker = marker
        self._stop = marker[0]
        self._sink = sink
        self._margin = margin
        #: The part of the marker with which the text so far ends.
        self._matched = before

    @property
    def in_text(self) -> bool:
        return not (self._matched or self._margin or self.done)

    def read(self, text: str, pos: int, end: int) -> int:
        marker = self._marker
        at = pos if self._matched else text.find(marker[0], pos, end)
        if at < 0:
            self._take(text[pos:end])
            return end
        stop = end_of(marker, self._matched, text, at, end)
        self.done = stop >= 0
        stop = stop if self.done else end
        seen = self._matched + text[pos:stop]
        self._matched = marker if self.done else beginning_at_end(seen, marker)
        self._take(seen[: len(seen) - len(self._matched)])
        return stop

    def _take(self, text: str) -> None:
        if text:
            text, self._margin = text.removeprefix(self._margin), ""
            self._sink(text)
