# SPDX-License-Identifier: MIT
"""Reads a JSON array of objects as it arrives; it may stop anywhere, and go on in the next chunk.

The machine is the table at the end of this file, whose steps are methods of the reader.  The most
frequent ones are in the loop, since a call for each character would cost more than all the rest.

Elements that are whole in the chunk are first offered to a decoder in C, which may only accept: the
machine reads whatever the decoder does not prove to be valid, and only the machine reports errors.

Open containers are two parallel stacks: `_names` has the member names so far (`None` for an array),
and `_steps` the member or index being read; the latter make the JSON Pointer of an error.
"""

import functools
import json
import math
import re
from typing import Any, ClassVar, Final

from ...events import Event, Limits
from ...text import WHITE, pointer, pointer_step, quote
from ...text.strict_json import FINITE_DIGITS, decoder_of
from . import json_states as states
from .interface import BlockReader, CallFormat, CallKind, Fault, ReadCall, Step, Wrong
from .json_shapes import CallShape, Shape, refusal
from .json_states import (
    COLON,
    ELEMENT,
    EXPONENT,
    FIRST_ELEMENT,
    FIRST_ITEM,
    FIRST_NAME,
    IN_NAME,
    IN_STRING,
    MEMBER,
    NAME,
    NEXT_ELEMENT,
    NEXT_ITEM,
    NEXT_MEMBER,
    NUMBER,
    PAYLOAD,
    START,
    VALUE,
    JsonState,
)

#: The steps that the loop handles itself; the last one, at the end of a literal, ends a value.
_SET_MEMBER, _BEGIN_NUMBER, _NEXT_NAME, _OPEN_STRING, _NEXT_VALUE, _END_VALUE = range(6)

#: The longest run of the text of a string whose escapes are complete and valid.
_RUN: Final = re.compile(
    r"[^\"\\\x00-\x1f]*(?:\\(?:[\"\\/bfnrt]|u(?:[0-9abcefABCEF][0-9a-fA-F]{3}"
    r"|[dD][0-7][0-9a-fA-F]{2}|[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}))"
    r"[^\"\\\x00-\x1f]*)*"
)
_HEX: Final = frozenset("0123456789abcdefABCDEF")
_SHORT_ESCAPES: Final = frozenset('"\\/bfnrt')
#: The length of an escape of half of a surrogate pair.
_UNIT: Final = len("\\ud83d")

#: The shortest piece for which the C decoder is worth trying.
_WORTH_OFFERING: Final = 24

#: The text between two elements of an array, through the first character of the second.
_TO_NEXT_CALL: Final = re.compile(f"[{WHITE}]*,[{WHITE}]*\\{{")


@functools.lru_cache(maxsize=256)
def _closer_state(closer: str, end: Step) -> JsonState:
    """Return the state after the array, which allows only `closer`; `end` is its last step."""
    state = JsonState(closer, "trailing-text")
    state.update(states.spelling(closer, end, closer, "trailing-text"))
    return state


@functools.lru_cache(maxsize=256)
def _last(closer: str) -> re.Pattern[str]:
    """Return the text after the last element of an array, through `closer`."""
    return re.compile(rf"[{WHITE}]*\][{WHITE}]*{re.escape(closer)}")


class ArrayReader(BlockReader):
    """Reads one block: an array, and its closer if it has one."""

    __slots__ = (
        *("_after", "_args_begin", "_args_end", "_args_found", "_closer", "_escape", "_first"),
        *("_has_offered", "_kept", "_member", "_names", "_number_size", "_shape", "_short"),
        *("_state", "_steps", "_token", "_waiting"),
    )

    #: How many pieces of the text come before the open element.
    _first: int

    #: Whether reading stops after each element, and continues when the next one is opened.
    _is_single: ClassVar[bool] = False
    #: What the content of a call has for args that are absent.
    _absent: ClassVar[str] = ""
    #: The text between two elements that the C decoder may read at once.
    _between: re.Pattern[str] = _TO_NEXT_CALL

    def __init__(self, shape: Shape, closer: str, limits: Limits) -> None:
        super().__init__(limits)
        self._shape = shape
        self.tools = shape.tools
        self._closer = closer

        #: The state, and the state after the value being read.
        self._state: JsonState = START
        self._after: JsonState = NEXT_ELEMENT
        self._names: list[set[str] | None] = []
        self._steps: list[Any] = []
        # The string being read, if it is needed, and the last member's name.
        self._kept: list[str] | None = None
        self._member = ""
        # The open escape in it, or the first half of a pair and what there is of the second.
        self._escape = ""

        # A number with at most this many characters is valid, unless it has an exponent.
        self._short = min(limits.digits, FINITE_DIGITS)
        # How many characters of the number being read are in earlier texts.
        self._number_size = 0

        # For call deltas: where the args of the open element begin and end in the current text
        # (`None` before that, and -1 for a beginning in an earlier text), and those of `found`.
        self._args_begin: int | None = None
        self._args_end: int | None = None
        self._args_found: list[tuple[int | None, int]] = []
        # The pieces of the open element's args that wait for its name.
        self._waiting: list[str] = []

    # -- What the parser uses ---------------------------------------------------------------

    def extend(self, chunk: str, _now: float | None) -> list[Event] | None:
        room = self._room - len(chunk)
        if not self.in_text or room < 0:
            return self._read_chunk(chunk)
        if ('"' in chunk or "\\" in chunk or not chunk.isprintable()) and (
            "\\" not in chunk or _RUN.fullmatch(chunk) is None
        ):
            return self._read_chunk(chunk)
        self._pieces.append(chunk)
        self._room = room
        if self._kept is not None:
            self._kept.append(chunk)
        return []

    def deltas(self, text: str, pos: int, stop: int) -> list[tuple[str, str]]:
        begin, end = self._args_begin, self._args_end
        if not self._args_found:  # as for most chunks
            if begin is None:
                return [("", "")]
            if begin == -1 and end is None and self._shape.name and not self._waiting:
                return [(self._shape.name, text[pos:stop])]
        found, self._args_found = self._args_found, []
        if begin is not None:
            self._args_begin = -1
            self._args_end = None if end is None else 0
        names = [*self.tools[len(self.tools) - len(found) :], self._shape.name]
        places = [*found, (begin, stop if end is None else min(end, stop))]
        deltas: list[tuple[str, str]] = []
        for name, (first, last_) in zip(names, places, strict=True):
            if first is not None:
                self._waiting.append(text[max(first, pos) : last_])
            elif len(deltas) < len(found):
                self._waiting.append(self._absent)
            deltas.append((name, "".join(self._waiting) if name else ""))
            if name:
                self._waiting = []
        return deltas

    def path(self) -> str | None:
        """Return the JSON Pointer of the current place; `None` outside the array."""
        if not self._names:
            return None
        return pointer(self._steps)

    def _fault(self, at: int, wrong: Wrong) -> Fault:
        return Fault(wrong[0], at, wrong[1], self.path())

    def _is_in_closer(self) -> bool:
        return self._state.is_token and self._state.code == "trailing-text"

    # -- The loop ---------------------------------------------------------------------------

    def _advance(self, text: str, pos: int, end: int) -> int:
        # Whether the C decoder has been asked for elements of this text.
        self._has_offered = False
        state = self._state
        if not state:
            pos = self._read_string(text, pos, end)
            if pos == end:
                return pos
            state = self._state
        begin = pos
        # Where the number being read begins, which may be before this text.
        number_at = pos - self._number_size
        steps = self._steps
        while pos < end:
            char = text[pos]
            step = state.get(char)
            if type(step) is JsonState:
                state = step
            elif step is None:
                if not state.ends_number or pos - number_at > self._short:
                    self._leave(state, text, number_at, begin, pos)
                state = self._after
                continue
            elif type(step) is not int:
                self._state = state
                pos = step(self, text, pos, end)
                if self.closed:
                    return pos
                state = self._state
                continue
            elif step == _SET_MEMBER:
                steps[-1] = self._member
                state = VALUE if len(steps) > 2 else MEMBER
            elif step == _BEGIN_NUMBER:
                number_at = pos
                state = NUMBER[char]
            elif step == _NEXT_NAME:
                steps[-1] = None
                state = NAME
            elif step == _OPEN_STRING:
                self._state = IN_STRING
                pos = self._read_string(text, pos + 1, end)
                state = self._state
                continue
            elif step == _NEXT_VALUE:
                steps[-1] += 1  # pyright: ignore[reportOperatorIssue] (an index)
                state = VALUE
            else:
                state = self._after
            pos += 1
        if state.is_number:
            self._keep_number(text, number_at, begin, pos)
        self._state = state
        return pos

    def _refusal(self, state: JsonState, char: str, at: int) -> Fault:
        """Return the error of a character that is not allowed at this place."""
        return self._fault(at, refusal(state, char, self._shape, self._closer))

    # -- Other steps ------------------------------------------------------------------------

    def open_name(self, text: str, pos: int, end: int) -> int:
        stop = text.find('"', pos + 1, end)
        if stop > 0 and (name := text[pos + 1 : stop]).isidentifier():
            # The whole name is there and needs no further check.
            self._take_name(name, stop)
            return stop + 1
        self._state = IN_NAME
        self._kept = []
        return self._read_string(text, pos + 1, end)

    def open_object(self, _text: str, pos: int, _end: int) -> int:
        self._nest(pos)
        self._names.append(set())
        self._steps.append(None)
        self._after = NEXT_MEMBER
        self._state = FIRST_NAME
        return pos + 1

    def open_array(self, _text: str, pos: int, _end: int) -> int:
        self._nest(pos)
        self._names.append(None)
        self._steps.append(0)
        self._after = NEXT_ITEM
        self._state = FIRST_ITEM
        return pos + 1

    def close_container(self, text: str, pos: int, _end: int) -> int:
        if len(self._names) == 2:
            return self._close_element(text, pos)
        self._names.pop()
        self._steps.pop()
        if len(self._steps) == 2 and self._steps[1] == self._shape.nested:
            self._args_end = pos + 1
        self._state = self._after = NEXT_ITEM if self._names[-1] is None else NEXT_MEMBER
        return pos + 1

    def check_member(self, text: str, pos: int, _end: int) -> int:
        """Check the first character of a member's value, which is then read as any value."""
        member, char = self._steps[-1], text[pos]
        if wrong := self._shape.check_first(member, char):
            raise self._fault(pos, wrong)
        if char == '"' and self._shape.needs(member):
            self._kept = []
        elif member == self._shape.nested:
            self._args_begin, self._args_end = pos, None
        self._state = VALUE
        return pos

    def _nest(self, pos: int) -> None:
        if len(self._names) >= self._limits.depth:
            raise self._fault(pos, states.too_deep(self._limits.depth))

    # -- Strings ----------------------------------------------------------------------------

    def _read_string(self, text: str, pos: int, end: int) -> int:
        """Read the open string through its closing quote, or to `end`."""
        begin, kept = pos, self._kept
        if self._escape:
            pos = self._read_escape(text, pos, end)
        while pos < end:
            run = _RUN.match(text, pos, end)  # a call of `jump` would cost as much again
            pos = run.end() if run else pos
            if pos == end:
                break
            if text[pos] == '"':
                if kept is None:
                    self._state = self._after.after_string
                else:
                    self._close_kept("".join([*kept, text[begin:pos]]), pos)
                return pos + 1
            pos = self._read_escape(text, pos, end)
        if kept is not None:
            kept.append(text[begin:pos])
        self.in_text = not self._escape
        return pos

    def _read_escape(self, text: str, pos: int, end: int) -> int:
        """Read what no run matches: an escape that is cut or invalid, or a control character."""
        while pos < end:
            char, escape = text[pos], self._escape
            is_second = len(escape) >= _UNIT
            if len(escape) % _UNIT == 0:
                if char < " ":
                    raise self._fault(pos, states.control_character(char))
                if char != "\\":
                    raise self._fault(pos, states.LONE_SURROGATE)
                self._escape += char
            elif escape[-1] == "\\":
                if char != "u" and char not in _SHORT_ESCAPES:
                    raise self._fault(pos, states.no_escape(char, is_hex=False))
                if char != "u" and is_second:
                    raise self._fault(pos, states.LONE_SURROGATE)
                self._escape = escape + char if char == "u" else ""
            elif char in _HEX:
                self._escape += char
                if len(self._escape) % _UNIT == 0:
                    unit = int(self._escape[-4:], 16)
                    if (0xDC00 <= unit <= 0xDFFF) != is_second:
                        raise self._fault(pos, states.LONE_SURROGATE)
                    if not 0xD800 <= unit <= 0xDBFF:
                        self._escape = ""
            else:
                raise self._fault(pos, states.no_escape(char, is_hex=True))
            pos += 1
            if not self._escape:
                break
        return pos

    def _close_kept(self, value: str, pos: int) -> None:
        """Check a name, or a string that the shape needs, at its closing quote."""
        self._kept = None
        if "\\" in value:
            value = json.loads(f'"{value}"')
        if self._state is IN_NAME:
            self._take_name(value, pos)
            return
        if wrong := self._shape.check_string(self.count, self._steps[-1], value):
            raise self._fault(pos, wrong)
        self._state = self._after.after_string

    def _take_name(self, name: str, pos: int) -> None:
        names = self._names[-1]
        if names is None or name in names:
            message = f"The member {quote(name)} appears twice in one object; write it once."
            raise Fault("duplicate-key", pos, message, f"{self.path() or ''}{pointer_step(name)}")
        names.add(name)
        self._member = name
        self._state = COLON if len(self._names) > 2 else self._after_name(name, pos)

    def _after_name(self, _name: str, _pos: int) -> JsonState:
        """Check the name of a member of an element, and return the state after it."""
        return COLON

    # -- Numbers ----------------------------------------------------------------------------

    def _keep_number(self, text: str, number_at: int, begin: int, pos: int) -> None:
        """Keep the number that begins at `number_at`, before `begin` if an earlier text did."""
        if number_at >= begin:
            self._token: list[str] = []
        self._token.append(text[max(number_at, begin) : pos])
        self._number_size = pos - number_at
        most = self._limits.digits
        if self._number_size > most:
            token = "".join(self._token)
            digits = [at for at, char in enumerate(token, number_at) if char.isdigit()]
            if len(digits) > most:
                raise self._fault(digits[most], states.too_long(most))

    def _leave(self, state: JsonState, text: str, number_at: int, begin: int, pos: int) -> None:
        """Check a number that ends at `pos`, or raise the error of the character there."""
        char = text[pos]
        if state.is_number:
            self._keep_number(text, number_at, begin, pos)
            if state is EXPONENT or state.ends_number:
                state = self._after
        if char not in state:
            raise self._refusal(state, char, pos)
        if not math.isfinite(float("".join(self._token))):
            raise self._fault(pos, states.OUT_OF_RANGE)

    # -- Elements ---------------------------------------------------------------------------

    def open_block(self, _text: str, pos: int, _end: int) -> int:
        self._names.append(None)
        self._steps.append(self.count)
        self._state = FIRST_ELEMENT
        return pos + 1

    def open_element(self, text: str, pos: int, end: int) -> int:
        if self.count >= self._shape.capacity:
            raise self._fault(pos, self._shape.surplus())
        # The C decoder does not say where the args are.
        if end - pos > _WORTH_OFFERING and not (self._has_offered or self.shows_deltas):
            self._has_offered = True
            after = self._decode_whole_elements(text, pos, end)
            if after != pos:
                return after
        self._pieces.append(text[self._from : pos])
        self._first = len(self._pieces)
        self._from = pos
        return self.open_object(text, pos, end)

    def _close_element(self, text: str, pos: int) -> int:
        if wrong := self._shape.check_end(self._names[-1] or set()):
            self._steps[-1] = None
            raise self._fault(pos, wrong)
        self._names.pop()
        self._steps.pop()
        content = "".join(self._pieces[self._first :]) + text[self._from : pos + 1]
        self._pieces[self._first :] = [content]
        if self.shows_deltas:
            end = pos + 1 if self._args_end is None else self._args_end
            self._args_found.append((self._args_begin, end))
        self._args_begin = None
        self._from = pos + 1
        self.found.append(self._call(content, text, pos + 1))
        self.count += 1
        self.closed = self._is_single
        self._state = self._after = NEXT_ELEMENT
        return pos + 1

    def close_array(self, text: str, pos: int, end: int) -> int:
        if wrong := self._shape.check_array_end(self.count):
            raise self._fault(pos, wrong)
        self._names.pop()
        self._steps.pop()
        if not self._closer:
            return self._close_block(text, pos, end)
        self._state = _closer_state(self._closer, ArrayReader._close_block)
        last = _last(self._closer).match(text, pos, end)
        self.closed = last is not None
        return last.end() if last else pos + 1

    def _call(self, element: str, _text: str, stop: int) -> ReadCall:
        """Return the call that an element is, which ends at `stop`."""
        return element, stop - len(element), stop

    def next_element(self, _text: str, pos: int, _end: int) -> int:
        self._steps[-1] += 1
        self._state = ELEMENT
        return pos + 1

    def _close_block(self, _text: str, pos: int, _end: int) -> int:
        self.closed = True
        return pos + 1

    # -- The C decoder ----------------------------------------------------------------------

    def _decode_whole_elements(self, text: str, pos: int, end: int) -> int:
        """Decode elements from `pos` on, and return where the last one ends.

        This stops at the first one that may break a rule.
        """
        # A slice, because an error of the decoder counts the lines before it.
        source = text[pos : self._bound(text, pos, end)]
        if "}" not in source:
            return pos
        decode = decoder_of(self._limits.depth, self._limits.digits).decode
        shape, between = self._shape, self._between
        found: list[ReadCall] = []
        at = 0
        for index in range(self.count, shape.capacity):
            known = decode(source, at)
            if known is None or not shape.take_decoded(index, known[0]):
                break
            content = known[1]
            stop = at + len(content)
            found.append(self._call(content, text, pos + stop))
            gap = between.match(source, stop)
            if gap is None:
                break
            at = gap.end() - 1
        if not found:
            return pos
        self.found += found
        self.count += len(found)
        self._steps[0] = self.count - 1
        self._state = NEXT_ELEMENT
        self.closed = self._is_single
        return found[-1][2]

    def _bound(self, text: str, pos: int, end: int) -> int:
        """Return how far the scanner may look, which bounds the cost of a failed attempt."""
        closer = text.find(self._closer, pos, end)
        return end if closer < 0 else closer


# -- The table: what each character leads to ------------------------------------------------------

#: What the first character of a value leads to.
_BEGIN_VALUE: Final[dict[str, Any]] = {
    "{": ArrayReader.open_object,
    "[": ArrayReader.open_array,
    '"': _OPEN_STRING,
    "".join(NUMBER): _BEGIN_NUMBER,
    **{word[0]: states.spelling(word[1:], _END_VALUE, word) for word in ("true", "false", "null")},
}
START.enter({"[": ArrayReader.open_block})
PAYLOAD.enter({"{": ArrayReader.open_element})
FIRST_ELEMENT.enter({"{": ArrayReader.open_element, "]": ArrayReader.close_array})
ELEMENT.enter({"{": ArrayReader.open_element})
NEXT_ELEMENT.enter({",": ArrayReader.next_element, "]": ArrayReader.close_array})
FIRST_NAME.enter({'"': ArrayReader.open_name, "}": ArrayReader.close_container})
NAME.enter({'"': ArrayReader.open_name})
COLON.enter({":": _SET_MEMBER})
MEMBER.enter({states.BEGINS_VALUE: ArrayReader.check_member})
NEXT_MEMBER.enter({",": _NEXT_NAME, "}": ArrayReader.close_container})
FIRST_ITEM.enter({**_BEGIN_VALUE, "]": ArrayReader.close_container})
VALUE.enter({**_BEGIN_VALUE})
NEXT_ITEM.enter({",": _NEXT_VALUE, "]": ArrayReader.close_container})


class ArrayFormat(CallFormat):
    """A JSON array of objects with `name` and `args`."""

    kind: CallKind = "array"
    is_verbatim: bool = True
    reads_closer: bool = True

    def reader(self, closer: str, limits: Limits) -> BlockReader:
        return ArrayReader(CallShape(limits.calls), closer, limits)


ARRAY: Final = ArrayFormat()
