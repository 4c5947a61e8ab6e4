# SPDX-License-Identifier: MIT
"""Reads a JSON array of objects as it arrives; it may stop anywhere, and go on in the next chunk.

The machine is the table at the end of this file, whose steps are methods of the reader.

Elements that are whole in the chunk are first offered to a decoder in C, which may only accept: the
machine reads whatever the decoder does not prove to be valid, and only the machine reports errors.

Of each open container `_open` has the state after it, and `_names` the names in it so far, if it is
an object.  The path of an error is found in the text when there is one.
"""

import functools
import json
import math
import re
from typing import Any, ClassVar, Final

from ...events import Event, Limits
from ...text import WHITE, WHITE_RUN, jump, pointer, pointer_step, quote
from ...text.strict_json import FINITE_DIGITS, decoder_of
from . import json_states as states
from .interface import BlockReader, CallFormat, CallKind, Fault, ReadCall, Step, Wrong
from .json_shapes import CallShape, Shape, refusal
from .json_states import NEXT_ELEMENT, PAYLOAD, START, JsonState

#: The longest run of the text of a string whose escapes are complete and valid.
_RUN: Final = re.compile(
    r"[^\"\\\x00-\x1f]*(?:\\(?:[\"\\/bfnrt]|u(?:[0-9abcefABCEF][0-9a-fA-F]{3}"
    r"|[dD][0-7][0-9a-fA-F]{2}|[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}))"
    r"[^\"\\\x00-\x1f]*)*"
)

#: The shortest piece for which the C decoder is worth trying.
_WORTH_OFFERING: Final = 24

#: The text between two elements of an array, through the first character of the second.
_TO_NEXT_CALL: Final = re.compile(f"[{WHITE}]*,[{WHITE}]*\\{{")

#: A string, with the colon after it if it is a name and perhaps cut; or what changes the place.
_PLACES: Final = re.compile(
    rf'"([^"\\]*(?:\\.[^"\\]*)*)(?:"([{WHITE}]*:)?|\\?\Z)|[\[\]{{}},]', re.DOTALL
)


def steps_in(text: str) -> list[str | int | None]:
    """Return the member or index in each container that is open where `text` ends.

    `text` is the beginning of a value that is valid so far; a member is `None` before its colon.
    """
    steps: list[str | int | None] = []
    for found in _PLACES.finditer(text):
        char, last = found[0][0], steps[-1] if steps else None
        if found[2]:
            steps[-1] = json.loads(f'"{found[1]}"')
        elif char in "{[":
            steps.append(None if char == "{" else 0)
        elif char in "}]":
            steps.pop()
        elif char == ",":
            steps[-1] = last + 1 if isinstance(last, int) else None
    return steps


@functools.lru_cache(maxsize=256)
def _closing(closer: str, end: Step) -> tuple[JsonState, re.Pattern[str]]:
    """Return the state before `closer`, and a pattern from "]" through it; its end is `end`."""
    state = JsonState(closer, "trailing-text")
    state.update(states.spelling(closer, end, closer, "trailing-text"))
    return state, re.compile(rf"\][{WHITE}]*{re.escape(closer)}")


class ArrayReader(BlockReader):
    """Reads one block: an array, and its closer if it has one."""

    __slots__ = (
        *("_args_begin", "_args_end", "_args_found", "_closer", "_first", "_has_offered"),
        *("_member", "_names", "_open", "_shape", "_short", "_state", "_token", "_token_size"),
        *("_value", "_waiting"),
    )

    #: Whether reading stops after each element, and continues when the next one is opened.
    _is_single: ClassVar[bool] = False
    #: The args in the content of a call that leaves them out.
    _absent: ClassVar[str] = ""
    #: The text between two elements that the C decoder may read at once.
    _between: re.Pattern[str] = _TO_NEXT_CALL

    def __init__(self, shape: Shape, closer: str, limits: Limits) -> None:
        super().__init__(limits)
        self._shape = shape
        self.tools = shape.tools
        self._closer = closer

        #: How many pieces of the text come before the open element.
        self._first: int = 0
        self._state: JsonState = START
        self._open: list[JsonState] = []
        self._names: list[set[str]] = []
        #: The name of the member of the element, and the last string that was needed.
        self._member = ""
        self._value = ""
        # Of an open token: the piece of the text that it begins in, and where; and how many
        # characters of it have been read, at least one, or exactly so many of a number.
        self._token = (0, 0)
        self._token_size = 0
        #: Whether the C decoder has been tried on the current text without enough success.
        self._has_offered = False
        # A number with at most this many characters is valid, unless it has an exponent.
        self._short = min(limits.digits, FINITE_DIGITS)

        # For call deltas: where the args of the open element begin and end in the current text
        # (`None` before that, and -1 for a beginning in an earlier text), and those of `found`.
        self._args_begin: int | None = None
        self._args_end: int | None = None
        self._args_found: list[tuple[int | None, int]] = []
        # The pieces of the open element's args that wait for its name.
        self._waiting: list[str] = []

    # -- What the parser uses ---------------------------------------------------------------

    def extend(self, chunk: str, _now: float | None) -> list[Event] | None:
        size = len(chunk)
        if (room := self._room - size) < 0:
            return self._read_chunk(chunk)
        is_plain = "\\" not in chunk and chunk.isprintable()
        if not self.in_text or ('"' in chunk if is_plain else _RUN.fullmatch(chunk) is None):
            # The body of `read`, since a call would cost a fifth of most chunks.  An override of
            # `_advance` only reads the head of a call, which is over before this is a fast path.
            self._from = 0
            try:
                at = ArrayReader._advance(self, chunk, 0, size, is_plain)
            except Fault as fault:
                self.stopped = fault
                return None
            if self.found or self.closed:
                self._room -= at
                self._pieces.append(chunk[self._from : at])
                self._from = self.stopped = at
                return None
            if self._from:
                chunk = chunk[self._from :]
        self._room = room
        self._pieces.append(chunk)
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

    def path(self, rest: str = "") -> str | None:
        """Return the JSON Pointer of the place after `rest`; `None` outside the array."""
        if not self._open:
            return None
        index = self.count - (self._state is NEXT_ELEMENT)
        return pointer([index, *(steps_in(self._before(rest)) if len(self._open) > 1 else ())])

    def _before(self, rest: str) -> str:
        """Return the text of the open element, which ends with `rest`."""
        return "".join(self._pieces[self._first :]) + rest

    def _fault(self, text: str, at: int, wrong: Wrong) -> Fault:
        return Fault(wrong[0], at, wrong[1], self.path(text[self._from : at]))

    def _is_in_closer(self) -> bool:
        return self._state.is_token and self._state.code == "trailing-text"

    # -- The loop ---------------------------------------------------------------------------

    def _advance(self, text: str, pos: int, end: int, is_plain: bool = False) -> int:  # noqa: FBT001, FBT002
        # If `is_plain`, the text ends at `end`, and has no backslash and no control character.
        self._has_offered = False
        state, begin = self._state, pos
        # Where the open token begins, which may be before this text.
        token_at = pos - self._token_size
        while pos < end:
            step = state.get(text[pos])
            if type(step) is JsonState:
                if step.is_kept and not state.is_kept:
                    token_at = pos
                state = step
                pos += 1
            elif step is None:
                if state.escape is None:
                    if state.ends_number and pos - token_at <= self._short:
                        state = state.after
                    else:
                        state = self._leave(state, text, token_at, begin, pos)
                elif is_plain:
                    pos = text.find('"', pos)
                    if pos < 0:
                        pos = end
                else:
                    run = _RUN.match(text, pos, end)  # a call of `jump` would cost as much again
                    stop = run.end() if run else pos
                    if stop > pos:
                        pos = stop
                    elif text[pos] == "\\":
                        state = state.escape
                        pos += 1
                    else:
                        raise self._refusal(state, text, pos)
            elif step is states.SKIP_WHITE:
                pos = jump(WHITE_RUN, text, pos, end)
            else:
                if state.is_kept:
                    value = self._whole(text, token_at, begin, pos)
                    self._value = json.loads(f'{value}"') if "\\" in value else value[1:]
                self._state = state
                pos = step(self, text, pos, end)
                if self.closed:
                    return pos
                state = self._state
        if state.is_kept:
            if token_at >= begin:
                self._token = len(self._pieces), token_at - self._from
            self._token_size = pos - token_at
            if self._token_size > self._limits.digits and state.refuse is None:
                self._check_digits(text, token_at, begin, pos)
        self._state = state
        self.in_text = state.escape is not None
        return pos

    def _refusal(self, state: JsonState, text: str, at: int) -> Fault:
        """Return the error of a character that is not allowed at this place."""
        self._state = state
        before = self._before(text[self._from : at])
        return self._fault(text, at, refusal(state, text[at], self._shape, self._closer, before))

    # -- Tokens -----------------------------------------------------------------------------

    def _check_digits(self, text: str, token_at: int, begin: int, pos: int) -> str:
        """Return the number that ends at `pos`; raise `Fault` if it has too many digits."""
        number, most = self._whole(text, token_at, begin, pos), self._limits.digits
        if pos - token_at > most:
            digits = [at for at, char in enumerate(number, token_at) if char.isdigit()]
            if len(digits) > most:
                raise self._fault(text, digits[most], states.too_long(most))
        return number

    def _whole(self, text: str, token_at: int, begin: int, pos: int) -> str:
        """Return the token that ends at `pos`, and begins at `token_at`, or before `begin`."""
        if token_at >= begin:
            return text[token_at:pos]
        piece, at = self._token
        return "".join([*self._pieces[piece:], text[self._from : pos]])[at:]

    def _leave(self, state: JsonState, text: str, token_at: int, begin: int, pos: int) -> JsonState:
        """Return the state after a number that ends at `pos`; `Fault` if it may not end there."""
        if not state.is_kept or state.refuse is not None:
            raise self._refusal(state, text, pos)
        number = self._check_digits(text, token_at, begin, pos)
        after = state.after
        if text[pos] not in after:
            raise self._refusal(after, text, pos)
        if not math.isfinite(float(number)):
            raise self._fault(text, pos, states.OUT_OF_RANGE)
        return after

    def close_name(self, text: str, pos: int, _end: int) -> int:
        """Take a name at its closing quote."""
        name, names = self._value, self._names[-1]
        if name in names:
            message = f"The member {quote(name)} appears twice in one object; write it once."
            path = self.path(text[self._from : pos]) or ""
            raise Fault("duplicate-key", pos, message, f"{path}{pointer_step(name)}")
        names.add(name)
        self._state = _COLON
        return pos + 1

    def close_member_name(self, text: str, pos: int, end: int) -> int:
        """Take the name of a member of an element."""
        pos = self.close_name(text, pos, end)
        self._member = self._value
        self._check_name(self._value, text, pos - 1)
        self._state = _MEMBER_COLON
        return pos

    def _check_name(self, name: str, text: str, pos: int) -> None:
        """Check the name of a member of an element."""

    def close_string(self, text: str, pos: int, _end: int) -> int:
        """At its closing quote, check a string that the shape needs."""
        if wrong := self._shape.check_string(self.count, self._member, self._value):
            raise self._fault(text, pos, wrong)
        self._state = _MEMBER_VALUE.after
        return pos + 1

    # -- Containers -------------------------------------------------------------------------

    def open_object(self, text: str, pos: int, end: int) -> int:
        self._names.append(set())
        self.open_list(text, pos, end)
        self._state = _FIRST_NAME
        return pos + 1

    def open_list(self, text: str, pos: int, _end: int) -> int:
        if len(self._open) >= self._limits.depth:
            raise self._fault(text, pos, states.too_deep(self._limits.depth))
        self._open.append(self._state.after)
        self._state = _FIRST_ITEM
        return pos + 1

    def close_object(self, _text: str, pos: int, _end: int) -> int:
        self._names.pop()
        self._state = self._open.pop()
        if self.shows_deltas and len(self._open) == 2 and self._member == self._shape.nested:
            self._args_end = pos + 1
        return pos + 1

    def close_list(self, _text: str, pos: int, _end: int) -> int:
        self._state = self._open.pop()
        return pos + 1

    def check_member(self, text: str, pos: int, _end: int) -> int:
        """Check the first character of a member's value, which is then read as any value."""
        member, char = self._member, text[pos]
        self._state = _MEMBER_VALUE
        if wrong := self._shape.check_first(member, char):
            raise self._fault(text, pos, wrong)
        if char == '"' and self._shape.needs(member):
            self._state = _NEEDED
        elif member == self._shape.nested:
            self._args_begin, self._args_end = pos, None
        return pos

    # -- Elements ---------------------------------------------------------------------------

    def open_block(self, _text: str, pos: int, _end: int) -> int:
        self._open.append(NEXT_ELEMENT)
        self._state = _FIRST_ELEMENT
        return pos + 1

    def open_element(self, text: str, pos: int, end: int) -> int:
        if self.count >= self._shape.capacity:
            raise self._fault(text, pos, self._shape.surplus())
        # The C decoder does not say where the args are.
        if end - pos > _WORTH_OFFERING and not (self._has_offered or self.shows_deltas):
            after = self._decode_whole_elements(text, pos, end)
            if after != pos:
                return after
        self._begin_element(text, pos)
        return pos + 1

    def _begin_element(self, text: str, pos: int) -> None:
        self.open_object(text, pos, pos)
        self._state = _FIRST_MEMBER_NAME
        self._pieces.append(text[self._from : pos])
        self._first = len(self._pieces)
        self._from = pos

    def close_element(self, text: str, pos: int, _end: int) -> int:
        names = self._names.pop()
        if wrong := self._shape.check_end(names):
            raise Fault(wrong[0], pos, wrong[1], f"/{self.count}")
        self._state = self._open.pop()
        content = "".join(self._pieces[self._first :]) + text[self._from : pos + 1]
        self._pieces[self._first :] = [content]
        if self.shows_deltas:
            end = pos + 1 if self._args_end is None else self._args_end
            self._args_found.append((self._args_begin, end))
        self._args_begin = None
        self._from = pos + 1
        self.found.append(self._call(content, len(names), text, pos + 1))
        self.count += 1
        self.closed = self._is_single
        return pos + 1

    def close_array(self, text: str, pos: int, end: int) -> int:
        if wrong := self._shape.check_array_end(self.count):
            raise self._fault(text, pos, wrong)
        self._open.pop()
        if not self._closer:
            return self._close_block(text, pos, end)
        self._state, whole = _closing(self._closer, ArrayReader._close_block)
        closing = whole.match(text, pos, end)
        self.closed = closing is not None
        return closing.end() if closing else pos + 1

    def _call(self, element: str, _size: int, _text: str, stop: int) -> ReadCall:
        """Return the call in an element that has `size` members and ends at `stop`."""
        return element, stop - len(element), stop

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
        self._has_offered = True
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
            found.append(self._call(content, len(known[0]), text, pos + stop))
            gap = between.match(source, stop)
            if gap is None:
                break
            at = gap.end() - 1
        # What is read twice is at most as much as what has been decoded.
        self._has_offered = at < len(source) // 2
        if not found:
            return pos
        self.found += found
        self.count += len(found)
        self._state = NEXT_ELEMENT
        self.closed = self._is_single
        return found[-1][2]

    def _bound(self, text: str, pos: int, end: int) -> int:
        """Return how far the C decoder may look, so that a failed attempt costs little."""
        closer = text.find(self._closer, pos, end)
        return end if closer < 0 else closer


# -- The table: what each character leads to ------------------------------------------------------


def value_steps(after: JsonState) -> dict[str, Any]:
    """Return where the first character of a value leads, if the state `after` follows the value."""
    words = {word[0]: states.spelling(word[1:], after, word) for word in ("true", "false", "null")}
    return {
        "{": ArrayReader.open_object,
        "[": ArrayReader.open_list,
        '"': states.string(after),
        **states.number(after),
        **words,
    }


def object_states(close_name: Step, close: Step) -> tuple[JsonState, JsonState, JsonState]:
    """Return three states of an object: before its first name, after a name, and before a value.

    `close_name` is the step at the end of a name, and `close` that at the end of the object.
    """
    expected = "a member name in double quotes"
    first, name = JsonState(f'{expected} or "}}"'), JsonState(expected)
    colon, value, after = JsonState('":"'), JsonState("a value"), JsonState('"," or "}"')
    begin_name = {'"': states.string(close_name, is_kept=True)}
    first.enter({**begin_name, "}": close})
    name.enter(begin_name)
    colon.enter({":": value})
    value.after = after
    value.enter(value_steps(after))
    after.enter({",": name, "}": close})
    return first, colon, value


_FIRST_ELEMENT: Final = JsonState("an object or the end of the array", is_element=True)
_ELEMENT: Final = JsonState("an object", is_element=True)
START.enter({"[": ArrayReader.open_block})
PAYLOAD.after = _FIRST_ELEMENT.after = _ELEMENT.after = NEXT_ELEMENT
PAYLOAD.enter({"{": ArrayReader.open_element})
_FIRST_ELEMENT.enter({"{": ArrayReader.open_element, "]": ArrayReader.close_array})
_ELEMENT.enter({"{": ArrayReader.open_element})
NEXT_ELEMENT.enter({",": _ELEMENT, "]": ArrayReader.close_array})

_FIRST_MEMBER_NAME, _MEMBER_COLON, _MEMBER_VALUE = object_states(
    ArrayReader.close_member_name, ArrayReader.close_element
)
# The shape checks the first character of the value of a member, and may need all of a string.
_MEMBER, _NEEDED = JsonState("a value"), JsonState("a value")
_MEMBER_COLON.enter({":": _MEMBER})
_MEMBER.enter({states.BEGINS_VALUE: ArrayReader.check_member})
_NEEDED.enter({'"': states.string(ArrayReader.close_string, is_kept=True)})

_FIRST_NAME, _COLON, _ = object_states(ArrayReader.close_name, ArrayReader.close_object)

_FIRST_ITEM, _ITEM = JsonState('a value or "]"'), JsonState("a value")
_NEXT_ITEM: Final = JsonState('"," or "]"')
_FIRST_ITEM.after = _ITEM.after = _NEXT_ITEM
_ITEM.enter(value_steps(_NEXT_ITEM))
_FIRST_ITEM.enter({**value_steps(_NEXT_ITEM), "]": ArrayReader.close_list})
_NEXT_ITEM.enter({",": _ITEM, "]": ArrayReader.close_list})


class ArrayFormat(CallFormat):
    """A JSON array of objects with `name` and `args`."""

    kind: CallKind = "array"
    is_verbatim: bool = True
    reads_closer: bool = True

    def reader(self, closer: str, limits: Limits) -> BlockReader:
        return ArrayReader(CallShape(limits.calls), closer, limits)


ARRAY: Final = ArrayFormat()
