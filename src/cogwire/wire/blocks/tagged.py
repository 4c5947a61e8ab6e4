# SPDX-License-Identifier: MIT
"""Reads calls whose names and values are between tags.

The machine has one function for each state.  It reads on as far as its state goes, may stop
anywhere, and sets `_step` to the function that reads on.  Where a tag is expected it also sets
`_place`, which has the tags and, for each, the function that is called at its end.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, NamedTuple

from ...events import RESERVED_NAME, Code, Event, Limits
from ...text import WHITE, WHITE_RUN, describe, jump, pointer_step, quote
from ...text.json_text import sound
from ...text.strict_json import quoted
from .cut_markers import Expected, beginnings, end_of
from .headed import ID_RUN
from .interface import FULL, CallFormat, CallKind, Fault, Step, Tree
from .json_value import ValueReader, whole_value
from .literals_calls import python_json
from .nested import KEY, read_tree
from .spelled import SpelledReader, beginning_at_end

_Handler = Callable[[Any, str, int], None]
#: What a value is: text, or JSON, perhaps only of one type.
ValueType = Literal["text", "json", "array", "boolean", "null", "number", "object"]


class CallTags(NamedTuple):
    """The tags around the name of a tool, and around the key and the value of each argument.

    A tag may be empty: the name then ends where the next tag begins, and the value begins where
    the key ends; but not both tags between a key and its value.
    """

    name: tuple[str, str]
    key: tuple[str, str]
    value: tuple[str, str]
    #: What ends the call.
    end: str
    #: The white space that is written around each value, and is not content when it is read.
    margin: str = ""
    #: The tag after the id that follows the name of the tool; empty if no id does.
    after_id: str = ""
    #: The tags that end a key in place of its own, each with what the value after it is.
    types: tuple[tuple[str, ValueType], ...] = ()
    #: The key of the values of an array, where arrays and objects are in tags; empty if none are.
    item: str = ""
    #: The markers that may be around a value, which then ends at the second one with its own tag.
    raw: tuple[str, str] = ("", "")
    #: The closers of a call, which come after it and are not part of it, if it has no other end.
    closers: tuple[str, ...] = ()

    @property
    def ends(self) -> tuple[str, ...]:
        """The tags after the last argument."""
        return self.closers or (self.end,)

    def value_end(self, key: str) -> str:
        """Return the tag that ends the value of this key."""
        return self.value[1].replace(KEY, key)

    def begins(self, key: str) -> str:
        """Return the tag that begins a value of this key."""
        return f"{self.key[0]}{key}{self.key[1]}"

    @property
    def tool_ends(self) -> tuple[str, ...]:
        """The tags that may end the name of a tool."""
        return (self.name[1],) if self.name[1] else (self.key[0], self.end)

    @property
    def key_ends(self) -> tuple[str, ...]:
        """The tags that may end a key."""
        if self.types:
            return tuple(tag for tag, _ in self.types)
        return (self.key[1] or self.value[0],)

    @property
    def is_text(self) -> bool:
        """Whether every value is a text."""
        return all(type_ == "text" for _, type_ in self.types)


class TagGrammar(NamedTuple):
    """What may come at each place in a call: tags, each with the function to call at its end."""

    tags: CallTags
    #: The characters of the name of a tool, and of a key, with the white space after it.
    runs: list[re.Pattern[str]]
    #: The first characters of the tags that end the name of a tool, and of those that end a key.
    ends: list[str]
    #: What matches several parts at once; see `_whole`.
    whole: tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]
    call: Expected[_Handler]
    after_tool: Expected[_Handler]
    after_id: Expected[_Handler]
    argument: Expected[_Handler]
    after_key: Expected[_Handler]
    value: Expected[_Handler]
    after_json: Expected[_Handler]


def _whole(tags: CallTags) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Return patterns for the name of a tool, for an argument, and for what follows a key.

    An argument is matched up to its value, if all of that is there.  The groups are a name and the
    tag that says what the value is; without them the call ends.  No marker begins with white space,
    so that no character is matched in two ways.
    """
    (before, after), (opener, closer), begin = tags.name, tags.key, tags.value[0]
    gap = f"[{WHITE}]*"

    def named(ends: tuple[str, ...], *following: str) -> tuple[str, str]:
        stops = re.escape("".join(tag[0] for tag in ends))
        after = gap.join(filter(None, following))
        after = rf"(?:\n{gap})?{after}" if after else rf"(?=[\n{stops}])"
        return rf"{gap}([^<>{WHITE}{stops}][^<>\n{stops}]*)", after

    after_id = (ID_RUN.pattern + gap + re.escape(tags.after_id)) if tags.after_id else ""
    tool = "".join((re.escape(before), *named(tags.tool_ends, re.escape(after)), after_id))
    types = "|".join(re.escape(tag) for tag, _ in tags.types)
    after_key = (f"({types})",) if types else (re.escape(closer), re.escape(begin))
    key, value = named(tags.key_ends, *after_key)
    after_opener = "".join(end[len(opener)] for end in tags.ends if end.startswith(opener))
    longer = f"(?![{re.escape(after_opener)}])" if after_opener else ""
    argument = "|".join((f"{re.escape(opener)}{longer}{key}{value}", *map(re.escape, tags.ends)))
    return re.compile(tool), re.compile(f"{gap}(?:{argument})"), re.compile(value)


class TaggedReader(SpelledReader):
    """Reads calls one by one; feed it text until it is `closed` or raises `Fault`."""

    __slots__ = (
        *("_beginnings", "_held", "_json", "_key", "_keys", "_level", "_matched", "_name", "_part"),
        *("_place", "_grammar", "_step", "_tags", "_type", "_value", "_value_begin", "_value_end"),
    )

    _full = FULL

    def __init__(self, grammar: TagGrammar, limits: Limits) -> None:
        self._tags = grammar.tags
        self._grammar = grammar
        super().__init__(limits)

    def open(self) -> None:
        super().open()
        self._step: Step = TaggedReader._read_start
        #: The part of a tag that has been read.
        self._matched = ""
        #: Where the call begins among the calls; the keys of its arguments; and the open one.
        self._opened = self._limits.size - self._room
        self._keys: set[str] = set()
        self._key: str | None = None
        #: The name being read, and how many pieces come before the value being read.
        self._name: list[str] = []
        self._value = 0
        #: What ends the value; in how many values of the same key the place is; and how many pieces
        #: come before the text after the last closer among them.
        self._value_end = ""
        self._level = self._part = 0
        #: Where the value begins in the current text, or -1 if it began in an earlier one; and for
        #: call deltas, the end of it that is not certain yet, `None` if nothing of it has arrived.
        self._value_begin = -1
        self._held: str | None = None
        #: What the open value is, empty if that is not known yet; and its reader if it is JSON.
        self._type: ValueType | Literal[""] = "text"
        self._json: ValueReader | None = None

    @staticmethod
    def grammar(tags: CallTags) -> TagGrammar:
        """Return what may come at each place in calls between these tags."""
        reader = TaggedReader
        after_tool = reader._begin_id if tags.after_id else reader._begin_argument
        closes = {each: partial(reader._close_call, end=each) for each in tags.ends}
        typed = {
            tag: reader._expect_text if type_ == "text" else reader._expect_json
            for tag, type_ in tags.types
        }
        ends = ["".join(tag[0] for tag in each) for each in (tags.tool_ends, tags.key_ends)]
        return TagGrammar(
            tags=tags,
            runs=[re.compile(rf"[^<>\n{re.escape(each)}]*") for each in ends],
            ends=ends,
            whole=_whole(tags),
            call=Expected({tags.name[0]: reader._begin_name}),
            after_tool=Expected({tags.name[1]: after_tool}),
            after_id=Expected({tags.after_id: reader._begin_argument}),
            argument=Expected({tags.key[0]: reader._begin_name, **closes}),
            after_key=Expected(typed or {tags.key[1]: reader._end_key}),
            value=Expected({tags.value[0]: reader._begin_value}),
            after_json=Expected({tags.value[1]: reader._end_json_value}),
        )

    # -- What the parser uses ---------------------------------------------------------------

    def extend(self, chunk: str, _now: float | None) -> list[Event] | None:
        room = self._room - len(chunk)
        if not self.in_text or room < 0:
            return self._read_chunk(chunk)
        if self._matched:
            seen = self._matched + chunk
            if seen not in self._beginnings:
                return self._read_chunk(chunk)
            self._matched = seen
        elif self._value_end[0] in chunk:
            return self._read_chunk(chunk)
        self._pieces.append(chunk)
        self._room = room
        return []

    def _next_of_value(self, text: str, pos: int, stop: int) -> str:
        piece = ""
        if self._step is TaggedReader._read_value:
            piece = quoted(self._next_text(text, pos, stop))[1:-1]
        elif self._step is TaggedReader._read_json:
            written = text[max(self._value_begin, pos) : stop]
            piece = written if self._shown_of_value else written.lstrip(WHITE)
        self._value_begin = -1
        return piece

    def _next_text(self, text: str, pos: int, stop: int) -> str:
        """Return the text of the open value that `text[pos:stop]` makes certain."""
        if self._value_begin >= 0:
            self._held = None
        written = text[max(self._value_begin, pos) : stop]
        if self._held is None and written:
            self._held = ""
            written = written.removeprefix(self._tags.margin)
        written = (self._held or "") + written
        # The closing tag may begin here, and the white space before it is not content.
        certain = written.removesuffix(self._matched).removesuffix(self._tags.margin)
        self._held = self._held if self._held is None else written[len(certain) :]
        return certain

    def path(self) -> str:
        """Return the JSON Pointer of the current place."""
        if not self._tool:
            return f"/{self.count}"
        if self._step is TaggedReader._read_json and self._json is not None:
            return self._json.path()
        args = f"/{self.count}/args"
        return args if self._key is None else args + pointer_step(self._key)

    # -- The loop ---------------------------------------------------------------------------

    def _advance(self, text: str, pos: int, end: int) -> int:
        while pos < end and not self.closed:
            pos = self._step(self, text, pos, end)
        return pos

    def _fault(self, code: Code, at: int, message: str) -> Fault:
        return Fault(code, at, message, self.path())

    def _unexpected(self, expected: str, char: str, at: int) -> Fault:
        return self._fault("xml-syntax", at, f"Expected {expected}, but got {describe(char)}.")

    # -- Tags -------------------------------------------------------------------------------

    def _expect(self, place: Expected[_Handler]) -> None:
        """Expect a tag, after white space."""
        self._place = place
        #: The proper prefixes of the tags that may come.
        self._beginnings = place.beginnings
        self._step = TaggedReader._read_tag

    def _go_on(self, place: Expected[_Handler], text: str, pos: int) -> None:
        """Expect a tag, or go on at once if it may be empty."""
        if "" in place.then:
            place.then[""](self, text, pos)
        else:
            self._expect(place)

    def _read_tag(self, text: str, pos: int, end: int) -> int:
        expected = self._place
        if not self._matched:
            if end - pos >= expected.shortest and (whole := expected.whole.match(text, pos, end)):
                expected.then[whole[1]](self, text, whole.end())
                return whole.end()
            if text[pos] in WHITE:
                pos = jump(WHITE_RUN, text, pos, end)
            if end - pos < expected.shortest and text[pos:end] in self._beginnings:
                self._matched = text[pos:end]
                self.in_text = pos < end
                return end
        tag, self._matched, pos = expected.read(self._matched, text, pos, end)
        if tag:
            expected.then[tag](self, text, pos)
        elif pos < end:
            found = quote(self._matched + text[pos]) if self._matched else describe(text[pos])
            message = f"Expected {expected.named}, but got {found}."
            raise self._fault("xml-syntax", pos, message)
        else:
            self.in_text = bool(self._matched)
        return pos

    # -- Names ------------------------------------------------------------------------------

    def _read_start(self, text: str, pos: int, end: int) -> int:
        """Look for the first character of a call."""
        pos = jump(WHITE_RUN, text, pos, end)
        if pos == end:
            return end
        tag = self._tags.name[0]
        if tag and text[pos] != tag[0]:
            raise self._unexpected(tag, text[pos], pos)
        if not tag and jump(self._grammar.runs[0], text, pos, pos + 1) == pos:
            raise self._no_name(text[pos], pos)
        self._begin_call(pos)
        if found := self._grammar.whole[0].match(text, pos, end):
            at = found.end(1)
            self._take_tool(found[1].rstrip(WHITE), text[at], at)
            pos = found.end()
            self._begin_argument(text, pos)
        elif tag:
            self._expect(self._grammar.call)
        else:
            self._begin_name(text, pos)
        return pos

    def _begin_name(self, _text: str, _pos: int) -> None:
        self._name = []
        self._step = TaggedReader._read_name

    def _read_name(self, text: str, pos: int, end: int) -> int:
        """Read a name up to the character that ends it."""
        if not self._name and text[pos] in WHITE:
            pos = jump(WHITE_RUN, text, pos, end)
        stop = jump(self._grammar.runs[bool(self._tool)], text, pos, end)
        if stop > pos:
            self._name.append(text[pos:stop])
        if stop < end:
            name = "".join(self._name).rstrip(WHITE)
            # In a short chunk there can be no more than the beginning of a tag.
            is_long = self._tool and end - stop >= self._grammar.after_key.shortest
            if is_long and (found := self._grammar.whole[2].match(text, stop, end)):
                return self._take_whole_key(name, found, text, stop)
            self._end_name(name, text[stop], stop)
        return stop

    def _end_name(self, name: str, char: str, at: int) -> None:
        grammar, tags = self._grammar, self._tags
        is_key = bool(self._tool)
        if char in "<>" and char not in grammar.ends[is_key]:
            tag = (tags.key if is_key else tags.name)[1] or "a line feed"
            raise self._unexpected(tag, char, at)
        (self._take_key if is_key else self._take_tool)(name, char, at)
        if is_key and tags.types:
            self._type = ""
        self._go_on(grammar.after_key if is_key else grammar.after_tool, "", at)

    def _begin_id(self, _text: str, _pos: int) -> None:
        self._step = TaggedReader._read_id

    def _read_id(self, text: str, pos: int, end: int) -> int:
        pos = jump(ID_RUN, text, pos, end)
        if pos < end:
            self._expect(self._grammar.after_id)
        return pos

    def _take_tool(self, name: str, char: str, at: int) -> None:
        if not name:
            raise self._no_name(char, at)
        if name == RESERVED_NAME:
            message = f'No tool is called "{RESERVED_NAME}": the name is reserved.'
            raise self._fault("bad-name", at, message)
        self._tool = name
        self._out.append("{")

    def _no_name(self, char: str, at: int) -> Fault:
        message = f"Expected the name of a tool, but got {describe(char)}."
        return self._fault("bad-name", at, message)

    def _take_key(self, name: str, char: str, at: int) -> None:
        if not name:
            raise self._unexpected("the name of an argument", char, at)
        if name in self._keys:
            message = f"The argument {quote(name)} appears twice in one call; write it once."
            raise Fault("duplicate-arg", at, message, self.path() + pointer_step(name))
        begin = f"{', ' if self._keys else ''}{quoted(name)}: "
        self._out.append(begin if self._tags.types else f'{begin}"')
        self._keys.add(name)
        self._key = name
        self._value_end = self._tags.value[1].replace(KEY, name)

    # -- Arguments --------------------------------------------------------------------------

    def _begin_argument(self, _text: str, _pos: int) -> None:
        """Read on after an argument."""
        self._step = TaggedReader._read_argument

    def _read_argument(self, text: str, pos: int, end: int) -> int:
        """Take an argument up to its value, or the end of the call, if all of that is there."""
        is_long = end - pos >= self._grammar.argument.shortest
        found = self._grammar.whole[1].match(text, pos, end) if is_long else None
        if found is None:
            self._expect(self._grammar.argument)
            return self._read_tag(text, pos, end)
        if found[1] is None:
            self._close_call(text, found.end(), found[0].lstrip(WHITE))
            return found.end()
        return self._take_whole_key(found[1].rstrip(WHITE), found, text, found.end(1))

    def _take_whole_key(self, name: str, found: re.Match[str], text: str, at: int) -> int:
        """Take a key that ends at `at`; `found` ends, and says in its last group, what follows."""
        self._take_key(name, text[at], at)
        stop = found.end()
        if self._tags.types:
            self._grammar.after_key.then[found[found.lastindex or 0]](self, text, stop)
        else:
            self._begin_value(text, stop)
        return stop

    def _expect_text(self, text: str, pos: int) -> None:
        """Go on with a value that is text."""
        self._type = "text"
        self._out.append('"')
        self._end_key(text, pos)

    def _expect_json(self, text: str, pos: int) -> None:
        """Go on with a value that is JSON."""
        self._type = "json"
        self._json = None
        self._end_key(text, pos)

    def _end_key(self, text: str, pos: int) -> None:
        self._go_on(self._grammar.value, text, pos)

    def _begin_value(self, text: str, pos: int) -> None:
        self._pieces.append(text[self._from : pos])
        self._from = pos
        self._value = self._part = len(self._pieces)
        self._value_begin = pos
        if self._tags.raw[0]:
            self._step = TaggedReader._read_raw
        elif self._type == "text":
            self._step = TaggedReader._read_value
            self.in_text = True
        else:
            self._step = TaggedReader._read_json

    def _read_raw(self, text: str, pos: int, end: int) -> int:
        """Find out whether the value begins with the first of the `raw` markers."""
        opener, closer = self._tags.raw
        before = self._matched
        stop = min(end, pos + len(opener) - len(before))
        seen = before + text[pos:stop]
        if seen == opener:
            self._matched = ""
            self._value_end = closer + self._value_end
            self._begin_value(text, stop)
            self._step = TaggedReader._read_value
            return stop
        if opener.startswith(seen):
            self._matched = seen
            return stop
        self._matched = beginning_at_end(before, self._value_end)
        self._held = before  # if the value began in an earlier text
        self._step = TaggedReader._read_value
        return pos

    def _read_value(self, text: str, pos: int, end: int) -> int:
        tag = self._value_end
        at = pos if self._matched else text.find(tag[0], pos, end)
        if at >= 0:
            stop = end_of(tag, self._matched, text, at, end)
            if stop >= 0:
                return self._close_value(text, stop)
            seen = self._matched + text[max(pos, end - len(tag)) : end]
            self._matched = beginning_at_end(seen, tag)
            if self._matched:
                self._beginnings = beginnings(tag)
        self.in_text = True
        return end

    def _close_value(self, text: str, pos: int) -> int:
        tags = self._tags
        assert self._key is not None  # noqa: S101 (a value has a key)
        written = text[self._from : pos]
        if len(self._pieces) > self._part:
            written = "".join([*self._pieces[self._part :], written])
            del self._pieces[self._part :]
        self._pieces.append(written)
        self._from = pos
        self._matched = ""
        self.in_text = False
        if tags.item:
            last = len(written) - len(self._value_end)
            self._level += written.count(tags.begins(self._key), 0, last)
            if self._level:
                self._level -= 1
                self._part += 1
                return pos
            written = "".join(self._pieces[self._value :])
            self._pieces[self._value :] = [written]
        value = written.removesuffix(self._value_end)
        self._end_value(quoted(value.removeprefix(tags.margin).removesuffix(tags.margin))[1:])
        self._key = None
        self._begin_argument(text, pos)
        return pos

    def _read_json(self, text: str, pos: int, end: int) -> int:
        """Read a value that is JSON, at first the white space before it."""
        if self._json is None:
            pos = jump(WHITE_RUN, text, pos, end)
            if pos == end:
                return end
            tag = self._tags.value[1]
            at = text.find(tag, pos, end)
            stop = at if at >= 0 else text.find(tag[0], pos, end)
            if stop >= 0 and (last := whole_value(text, pos, stop, self._limits)) > pos:
                self._end_json(text, last)
                if at < 0:
                    return last
                self._end_json_value(text, at + len(tag))
                return at + len(tag)
            self._json = ValueReader(tag, self.path(), self._limits)
        pos = self._json.read(text, pos, end)
        if self._json.closed:
            self._end_json(text, pos)
        return pos

    def _end_json(self, text: str, pos: int) -> None:
        written = "".join([*self._pieces[self._value :], text[self._from : pos]])
        self._end_value(written.strip(WHITE))
        self._pieces[self._value :] = [written]
        self._from = pos
        self._step = TaggedReader._read_after_json

    def _read_after_json(self, text: str, pos: int, end: int) -> int:
        """Look for the tag that must follow a value that is JSON."""
        pos = jump(WHITE_RUN, text, pos, end)
        if pos < end:
            tag = self._tags.value[1]
            if text[pos] != tag[0]:
                message = f"After the value only {tag} may follow, but got {describe(text[pos])}."
                raise self._fault("json-syntax", pos, message)
            self._expect(self._grammar.after_json)
        return pos

    def _end_json_value(self, text: str, pos: int) -> None:
        self._key = None
        self._begin_argument(text, pos)

    def _close_call(self, _text: str, pos: int, end: str) -> None:
        """End the call at `pos`, without the tag that ends there if it is not part of the call."""
        self.ahead = end if self._tags.closers else ""
        self._out.append("}")
        self._end_call(pos - len(self.ahead))
        self.closed = True


class Tagged(CallFormat):
    """The name of a tool, and then a key and a value for each argument, between `tags`."""

    kind: CallKind = "tagged"

    def __init__(
        self,
        tags: CallTags,
        *,
        reads_closer: bool,
        words: tuple[tuple[str, str], ...] = (),
        is_python: bool = False,
    ) -> None:
        """Read calls of which the last tag is the closer of the block, if it `reads_closer`.

        A text may be one of `words` for JSON, and if it `is_python`, be written as Python shows it.
        """
        self.tags = tags
        self._grammar = TaggedReader.grammar(tags)
        self.is_text: bool = tags.is_text
        self.reads_closer = reads_closer
        self.closer: str | None = tags.end if reads_closer else None
        self._words = dict(words)
        self._is_python = is_python
        ends = "".join(tag[0] for tag in (*tags.tool_ends, *tags.key_ends))
        #: A name that is read back as it is written.
        self.names: re.Pattern[str] | None = re.compile(
            rf"(?![ \t\r])[^<>\n{re.escape(ends)}]+(?<![ \t\r])"
        )

    def json_of(self, text: str) -> str:
        if text in self._words:
            return self._words[text]
        is_python = self._is_python and sound(text.strip(WHITE)) is None
        return (python_json(text) if is_python else None) or text

    def tree_of(self, text: str) -> Tree | None:
        tags = self.tags
        return read_tree(text, tags.key, tags.value[1], tags.item) if tags.item else None

    def reader(self, _closer: str, limits: Limits) -> TaggedReader:
        return TaggedReader(self._grammar, limits)

    def takes(self, _name: str) -> bool:
        """Whether a name, which has no wrong characters, is read back as it is written."""
        return True
