# SPDX-License-Identifier: MIT
"""Reads calls in the notations of Python and of Gemma.

The machine has one function for each place between two parts, which takes the next character that
is not white space.  It sets `_step` to the function for the next place, or `_part` to the part that
begins there, and `_then` to what follows that.
"""

import re
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

from ...events import RESERVED_NAME, Code, Limits
from ...text import WHITE, WHITE_RUN, describe, jump, pointer_step, quote
from ...text.strict_json import quoted
from . import json_states as states
from .interface import Fault
from .literals_parts import (
    GEMMA_KEY,
    LITERAL_NAME,
    NUMBER,
    STRINGS,
    Gap,
    MarkedText,
    Name,
    Number,
    Part,
    PartReader,
    QuotedString,
    Sink,
    Spelling,
    Then,
    unescaped,
)

#: Takes the text and the place of a character; returns the place where reading continues.
_Step = Callable[[Any, str, int], int]

#: What a call in the notation of Gemma begins with.
CALL: Final = "call:"
#: How deep the args of a call are, since the calls of a batch are like one array.
_ARGS_DEPTH: Final = 2


_JSON_WORDS: Final = {word: word for word in ("true", "false", "null")}


#: An integer that is certainly whole and no infinity.
_INTEGER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,99})(?=[^0-9.eE])")


def _by_first(words: Mapping[str, str]) -> Mapping[str, tuple[str, str]]:
    return {word[0]: (word, json) for word, json in words.items()}


class LiteralReader(PartReader):
    """Reads calls with a name, and args between brackets; subclasses add the notation."""

    __slots__ = (
        *("_closer", "_has_key", "_joint", "_key", "_name", "_names", "_number", "_quotes"),
        *("_step", "_until"),
    )

    #: The brackets around args, and what is between a key of args and its value.
    _args: ClassVar[str]
    _equals: ClassVar[str]
    #: The words that values may be, by their first character, each with its word in JSON.
    _words: ClassVar[Mapping[str, tuple[str, str]]]
    #: Whether a comma may follow the last item.
    _is_trailing: ClassVar[bool]
    #: A call, for messages.
    _example: ClassVar[str]
    #: What the characters of a key match, which is not a string; and one with what follows it.
    _bare_key: ClassVar[re.Pattern[str]] = LITERAL_NAME
    _whole_key: ClassVar[re.Pattern[str]]

    #: The characters with which strings begin.
    _quotes: str
    #: The name and the number that were read last.
    _name: Name
    _number: Number
    #: The bracket that closes the open container, and what follows its keys.
    _closer: str
    _joint: str
    #: Where the text ends that is being read: parts that are whole in it are read at once.
    _until: int

    def __init__(self, limits: Limits) -> None:
        #: The keys so far in each open container, `None` for those of an array.
        self._names: list[set[str] | None] = []
        #: The pieces of the key that was read last.
        self._key: list[str] = []
        super().__init__(limits)

    def open(self) -> None:
        super().open()
        self._step: _Step = type(self)._start
        self._has_key = False

    @property
    def is_call(self) -> bool:
        """Whether this is surely a call: one is complete, or an argument has its key."""
        return self.count > 0 or self._has_key

    # -- The loop ---------------------------------------------------------------------------

    def _read_on(self, text: str, pos: int, end: int) -> int:
        self._until = end
        while pos < end and not self.closed:
            part = self._part
            if part is None:
                if text[pos] in WHITE:
                    pos = jump(WHITE_RUN, text, pos, end)
                else:
                    pos = self._step(self, text, pos)
                continue
            pos = part.read(text, pos, end)
            if part.done:
                self._part = None
                self._then(self, text, pos)
        return pos

    def _read_part(self, part: Part, then: Then) -> None:
        self._part = part
        self._then = then

    def _refusal(self, expected: str, text: str, pos: int, code: Code = "json-syntax") -> Fault:
        return Fault(code, pos, f"Expected {expected}, but got {describe(text[pos])}.")

    # -- Calls ------------------------------------------------------------------------------

    @abstractmethod
    def _start(self, text: str, pos: int) -> int:
        """Take the first character of the text of calls."""

    def _begin_name(self, text: str, pos: int) -> int:
        """Take the first character of the name of a tool."""
        stop = jump(LITERAL_NAME, text, pos, self._until)
        if stop == pos:
            raise self._refusal(f"a call like {self._example}", text, pos, "bad-name")
        if stop < self._until:
            self._take_tool(text[pos:stop], stop)
            return stop
        self._name = Name()
        self._read_part(self._name, LiteralReader._end_name)
        return pos

    def _end_name(self, _text: str, pos: int) -> None:
        self._take_tool(self._name.value, pos)

    def _take_tool(self, name: str, pos: int) -> None:
        if name == RESERVED_NAME:
            message = f'No tool is called "{RESERVED_NAME}": the name is reserved.'
            raise Fault("bad-name", pos, message)
        self._tool = name
        self._step = LiteralReader._open_args

    def _open_args(self, text: str, pos: int) -> int:
        if text[pos] != self._args[0]:
            expected = f"the arguments of the tool, as in {self._example}"
            raise self._refusal(expected, text, pos, "missing-args")
        pos = self._open(pos, "", is_array=False)
        self._steps.insert(1, "args")
        return pos

    @abstractmethod
    def _after_call(self) -> None:
        """Go on after a call."""

    # -- Containers -------------------------------------------------------------------------

    def _open(self, pos: int, joint: str, *, is_array: bool) -> int:
        if len(self._names) + _ARGS_DEPTH > self._limits.depth:
            code, message = states.too_deep(self._limits.depth)
            raise Fault(code, pos, message)
        self._out.append(joint + ("[" if is_array else "{"))
        self._names.append(None if is_array else set())
        self._steps.append(0 if is_array else None)
        self._step = LiteralReader._value if is_array else LiteralReader._member
        self._enter_container()
        return pos + 1

    def _enter_container(self) -> None:
        """Find what may be in the container that is open now."""
        is_inner = len(self._names) > 1
        self._closer = "]" if self._names[-1] is None else "}" if is_inner else self._args[1]
        self._joint = ":" if is_inner else self._equals

    def _may_close(self) -> bool:
        """Whether the container may end where another item may begin."""
        is_empty = self._steps[-1] == 0 if self._names[-1] is None else not self._names[-1]
        return self._is_trailing or is_empty

    def _close(self, pos: int) -> int:
        self._out.append("]" if self._names.pop() is None else "}")
        self._steps.pop()
        self._step = LiteralReader._next
        if self._names:
            self._enter_container()
        else:
            self._steps.pop()
            self._end_call(pos + 1)
            self._after_call()
        return pos + 1

    def _next(self, text: str, pos: int) -> int:
        """Take what follows a value."""
        if text[pos] == self._closer:
            return self._close(pos)
        if text[pos] != ",":
            raise self._refusal(f"a comma or {describe(self._closer)}", text, pos)
        step = self._steps[-1]
        self._step = LiteralReader._value
        if type(step) is int and self._names[-1] is None:
            self._steps[-1] = step + 1
        else:
            self._steps[-1] = None
            self._step = LiteralReader._member
        return pos + 1

    # -- Members ----------------------------------------------------------------------------

    def _member(self, text: str, pos: int) -> int:
        """Take the first character of a key, or the end of the container."""
        is_end = text[pos] == self._closer and self._may_close()
        return self._close(pos) if is_end else self._begin_key(text, pos)

    @abstractmethod
    def _begin_key(self, text: str, pos: int) -> int:
        """Take the first character of a key."""

    def _begin_bare_key(self, text: str, pos: int) -> int:
        if whole := self._whole_key.match(text, pos, self._until):
            self._take_key(whole[1].rstrip(WHITE), whole.end(1))
            return self._between(text, whole.end() - 1)
        self._name = Name(self._bare_key)
        self._read_part(self._name, LiteralReader._end_bare_key)
        return pos

    def _end_bare_key(self, text: str, pos: int) -> None:
        if not (key := self._name.value):
            raise self._refusal("the name of an argument", text, pos)
        self._check_equals(text, pos)
        self._take_key(key, pos)

    def _check_equals(self, text: str, pos: int) -> None:
        """Refuse a character that cannot follow a key."""
        if text[pos] != self._joint and text[pos] not in WHITE:
            raise self._refusal(f"{describe(self._joint)} after the key", text, pos)

    def _take_key(self, key: str, pos: int) -> None:
        """Take a key that the character at `pos` completes."""
        names = self._names[-1]
        assert names is not None  # noqa: S101 (arrays have no keys)
        if key in names:
            is_arg = len(self._names) == 1
            owner = "argument" if is_arg else "member"
            message = f"The {owner} {quote(key)} appears twice; write it once."
            path = f"{self.path()}{pointer_step(key)}"
            raise Fault("duplicate-arg" if is_arg else "duplicate-key", pos, message, path)
        self._out.append(f"{', ' if names else ''}{quoted(key)}: ")
        names.add(key)
        self._key = [key]
        self._step = LiteralReader._between

    def _between(self, text: str, pos: int) -> int:
        """Take what is between a key and its value."""
        if text[pos] != self._joint:
            raise self._refusal(f"{describe(self._joint)} after the key", text, pos)
        self._steps[-1] = self._key[0]
        self._has_key = True
        self._step = LiteralReader._value
        return pos + 1

    # -- Values -----------------------------------------------------------------------------

    def _value(self, text: str, pos: int) -> int:
        """Take the first character of a value, or the end of an array."""
        char = text[pos]
        is_array = self._names[-1] is None
        if is_array and char == self._closer and self._may_close():
            return self._close(pos)
        joint = ", " if is_array and self._steps[-1] != 0 else ""
        if char in "{[":
            return self._open(pos, joint, is_array=char == "[")
        if char in self._quotes:
            self._out.append(f'{joint}"')
            return self._read_string(text, pos, self._show, LiteralReader._end_string)
        if char in NUMBER:
            self._out.append(joint)
            return self._read_number(text, pos)
        if char not in self._words:
            raise self._refusal("a value", text, pos)
        self._out.append(joint)
        word, json = self._words[char]
        if text.startswith(word, pos, self._until):
            self._end_word(json)
            return pos + len(word)
        part = Spelling(word, hint=" A string needs quotes.")
        self._read_part(part, lambda self, _, __: self._end_word(json))
        return pos

    def _read_number(self, text: str, pos: int) -> int:
        """Begin the number at `pos`."""
        whole = _INTEGER.match(text, pos, self._until)
        if whole and whole.end() - pos <= self._limits.digits:
            self._out.append(whole[0])
            self._check_after(text, whole.end())
            self._step = LiteralReader._next
            return whole.end()
        self._number = Number(self._out.append, self._limits.digits)
        self._read_part(self._number, LiteralReader._end_number)
        return pos

    @abstractmethod
    def _read_string(self, text: str, pos: int, sink: Sink, then: Then) -> int:
        """Begin the string at `pos`."""

    def _end_string(self, _text: str, _pos: int) -> None:
        self._out.append('"')
        self._step = LiteralReader._next

    def _end_word(self, json: str) -> None:
        self._out.append(json)
        self._step = LiteralReader._next

    def _check_after(self, text: str, pos: int) -> None:
        """Refuse a character that cannot follow a number."""
        if text[pos] not in f",{self._closer}{WHITE}":
            raise self._refusal(f"a comma or {describe(self._closer)}", text, pos)

    def _end_number(self, text: str, pos: int) -> None:
        self._check_after(text, pos)
        if abs(self._number.value) == float("inf"):
            code, message = states.OUT_OF_RANGE
            raise Fault(code, pos, message)
        self._step = LiteralReader._next


class PythonReader(LiteralReader):
    """Reads calls in Python's notation, in a list or on lines of their own."""

    __slots__ = ("_end", "_gap", "_quoted")

    _args = "()"
    _equals = "="
    _whole_key = re.compile(f"(?!=)({LITERAL_NAME.pattern})[{WHITE}]*=")
    _is_trailing = True
    _example = 'tool(key="value")'
    #: Also the words of JSON, since chat templates write them in a dictionary.
    _words = _by_first({"True": "true", "False": "false", "None": "null", **_JSON_WORDS})

    #: The white space and the string that were read last; `None` for one that was read at once.
    _gap: Gap
    _quoted: QuotedString | None

    def __init__(self, limits: Limits, end: str = "") -> None:
        """Read calls in a list or, with an `end`, on lines before it."""
        self._end = end
        self._quotes = "\"'"
        super().__init__(limits)

    def open(self) -> None:
        super().open()
        if self._end:
            self._steps = [self.count]

    def _start(self, text: str, pos: int) -> int:
        if self._end:
            return self._line(text, pos)
        if text[pos] != "[":
            raise self._refusal(f"a list of calls like [{self._example}]", text, pos, "not-array")
        self._steps = [self.count]
        self._step = PythonReader._item
        return pos + 1

    def _item(self, text: str, pos: int) -> int:
        """Take the first character of a call in a list, or the end of the list."""
        if text[pos] == "]":
            return self._end_list(text, pos)
        return self._begin(text, pos)

    def _line(self, text: str, pos: int) -> int:
        """Take the first character of a call on a line, or of the closer."""
        if text[pos] == self._end[0]:
            self._read_part(Spelling(self._end), PythonReader._end_lines)
            return pos
        return self._begin(text, pos)

    def _begin(self, text: str, pos: int) -> int:
        if jump(LITERAL_NAME, text, pos, pos + 1) > pos:
            self._begin_call(pos)
        return self._begin_name(text, pos)

    def _after_call(self) -> None:
        if self._end:
            self._steps = [self.count]
            self._gap = Gap()
            self._read_part(self._gap, PythonReader._end_gap)
        else:
            self._step = PythonReader._after_item

    def _after_item(self, text: str, pos: int) -> int:
        if text[pos] == "]":
            return self._end_list(text, pos)
        if text[pos] != ",":
            raise self._refusal('a comma or "]"', text, pos)
        self._steps = [self.count]
        self._step = PythonReader._item
        return pos + 1

    def _end_list(self, _text: str, pos: int) -> int:
        self._steps = []
        self.closed = True
        return pos + 1

    def _end_gap(self, text: str, pos: int) -> None:
        if not (self._gap.has_line or text[pos] == self._end[0]):
            raise self._refusal("a line feed after the call", text, pos)
        self._step = PythonReader._line

    def _end_lines(self, _text: str, _pos: int) -> None:
        self.closed = True

    # -- Keys and strings -------------------------------------------------------------------

    def _begin_key(self, text: str, pos: int) -> int:
        if len(self._names) == 1:
            return self._begin_bare_key(text, pos)
        if text[pos] not in self._quotes:
            raise self._refusal("a key in quotes", text, pos)
        self._key = []
        return self._read_string(text, pos, self._key.append, PythonReader._end_key)

    def _end_key(self, text: str, pos: int) -> None:
        at = self._quoted.at if self._quoted else pos - 1
        if at == pos:  # an empty key, which the next character completes
            self._check_equals(text, pos)
        self._take_key("".join(self._key), at)

    def _read_string(self, text: str, pos: int, sink: Sink, then: Then) -> int:
        if whole := STRINGS[text[pos]].match(text, pos, self._until):
            sink(unescaped(whole[1]))
            self._quoted = None
            then(self, text, whole.end())
            return whole.end()
        self._quoted = QuotedString(text[pos], sink)
        self._read_part(self._quoted, then)
        return pos + 1


class GemmaReader(LiteralReader):
    """Reads calls in the notation of Gemma, one by one."""

    __slots__ = ("_quote",)

    _args = "{}"
    _equals = ":"
    _is_trailing = False
    _example = "call:tool{key:5}"
    # Templates write keys as they are, also with white space inside of them.
    _bare_key = GEMMA_KEY
    _whole_key = re.compile(f"(?!:)({GEMMA_KEY.pattern}):")
    _words = _by_first({"None": "null", **_JSON_WORDS})

    def __init__(self, limits: Limits, quote: str) -> None:
        """Read calls in which strings are between two of `quote`."""
        self._quote = quote
        self._quotes = quote[0]
        super().__init__(limits)

    def open(self) -> None:
        super().open()
        self._steps = [self.count]

    def _start(self, text: str, pos: int) -> int:
        if text[pos] != CALL[0]:
            raise self._refusal(f"a call like {self._example}", text, pos, "bad-name")
        self._begin_call(pos)
        self._read_part(Spelling(CALL, "bad-name"), GemmaReader._end_prefix)
        return pos

    def _end_prefix(self, _text: str, _pos: int) -> None:
        self._step = LiteralReader._begin_name

    def _after_call(self) -> None:
        self.closed = True

    def _begin_key(self, text: str, pos: int) -> int:
        if text[pos] not in self._quotes:
            return self._begin_bare_key(text, pos)
        self._key = []
        return self._read_string(text, pos, self._key.append, GemmaReader._end_key)

    def _end_key(self, _text: str, pos: int) -> None:
        self._take_key("".join(self._key), pos - 1)

    def _read_string(self, text: str, pos: int, sink: Sink, then: Then) -> int:
        mark = self._quote
        begin = pos + len(mark)
        stop = text.find(mark, begin, self._until)
        if stop >= 0 and text.startswith(mark, pos):
            if stop > begin:
                sink(text[begin:stop])
            then(self, text, stop + len(mark))
            return stop + len(mark)
        inside = MarkedText(mark, sink)
        self._read_part(
            Spelling(self._quote), lambda reader, _, __: reader._read_part(inside, then)
        )
        return pos
