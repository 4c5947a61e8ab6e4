# SPDX-License-Identifier: MIT
"""What is between the markers of a call: the payloads that a description may have."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ...events import RESERVED_NAME
from ...text import WHITE, jump, pointer_step
from ...text.json_text import sound
from ..blocks.headed import ID, ID_RUN, NAME_RUN, TOOL, HeadedCalls, HeaderCalls, places
from ..blocks.header_tags import HeaderTags
from ..blocks.interface import BlockReader
from ..blocks.json_objects import KeyedCalls, Names, ObjectCalls
from ..blocks.literals_calls import Literals, Style, Text
from ..blocks.literals_parts import LITERAL_NAME, QUOTES
from ..blocks.nested import KEY
from ..blocks.tagged import CallTags, Tagged, ValueType
from ..frames.markers import Pair
from ..frames.single import SingleFormat
from .members import Words, WrongError

#: The closers of a key, each with what the value is.
Types = tuple[tuple[str, ValueType], ...]


@dataclass(frozen=True)
class ObjectPayload:
    """One JSON object for each call."""

    kind: ClassVar[str] = "object"
    #: What the member with the name of the tool is called, and that with its arguments.  Of several
    #: names any one is read, and the first is written.
    name: str | tuple[str, ...] = "name"
    args: str | tuple[str, ...] = "arguments"
    #: Whether a call may have no args.
    partial: bool = False
    #: Whether a call has one member instead, which is called like the tool.
    keyed: bool = False

    def calls(self, closer: str) -> SingleFormat[BlockReader]:
        """Return how such calls are read; with a `closer`, several may be read at once."""
        return self._calls(is_array=False, closer=closer)

    def _calls(self, *, closer: str, is_array: bool, member: str = "") -> SingleFormat[BlockReader]:
        if self.keyed:
            return KeyedCalls(is_array=is_array, member=member)
        names, args = every(self.name), every(self.args)
        return ObjectCalls(
            args,
            is_partial=self.partial,
            names=names,
            is_array=is_array,
            member=member,
            closer=closer,
        )

    def check(self, _closers: Names) -> None:
        """Raise `WrongError` if these members contradict each other, or the closers of a call."""
        names, args = every(self.name), every(self.args)
        for member, several in (("name", names), ("args", args)):
            if not several or len(several) > len({*several}):
                raise WrongError(f"/payload/{member}", "must be one name, or several that differ")
        if not {*names}.isdisjoint(args):
            raise WrongError("/payload/args", "must not have a name that /payload/name has")
        if self.keyed and (self.partial or (names, args) != (("name",), ("arguments",))):
            raise WrongError("/payload/keyed", "cannot be combined with name, args or partial")


@dataclass(frozen=True)
class ArrayPayload(ObjectPayload):
    """One JSON array of such objects."""

    kind: ClassVar[str] = "array"
    #: The member of an object that the array is in, if it is in one.
    member: str = ""

    def calls(self, closer: str) -> SingleFormat[BlockReader]:
        return self._calls(is_array=True, member=self.member, closer=closer)


@dataclass(frozen=True)
class ArgumentsPayload:
    """The name of a tool in a head, of which there are templates, and an object with its args."""

    kind: ClassVar[str] = "arguments"
    head: tuple[str, ...]

    def calls(self, _closer: str) -> SingleFormat[BlockReader]:
        """Return how such calls are read; `ValueError` if the templates contradict each other."""
        return HeadedCalls(self.head)

    def check(self, _closers: Names) -> None:
        """Raise `WrongError` if the templates contradict each other, or if there is none."""
        if not self.head:
            raise WrongError("/payload/head", "must have a template")
        try:
            places(self.head)
        except ValueError as error:
            raise WrongError("/payload/head", str(error)) from None


@dataclass(frozen=True)
class TagsPayload:
    """Names and values without quotes, between tags."""

    kind: ClassVar[str] = "tags"
    tool: Pair
    key: Pair
    value: Pair
    end: str = ""
    margin: str = ""
    #: Words that values may have, each with the word of JSON that it stands for.
    words: Words = ()
    #: How values other than strings are written: as "json", or in the notation of "python".
    literals: str = "json"
    #: The closers of a key, instead of that in `key`, each with what the value is: "text", "json",
    #: or a type of JSON other than a string.
    types: Types = ()
    #: The key of the values of an array, where arrays and objects are in tags themselves.
    item: str = ""
    #: The markers that may be around a value, which then ends where its closer follows the second.
    raw: Pair = ("", "")

    def calls(self, closer: str) -> SingleFormat[BlockReader]:
        """Return how such calls are read."""
        tags, is_python = self._tags(closer), self.literals == "python"
        return Tagged(tags, reads_closer=not self.end, words=self.words, is_python=is_python)

    def calls_after(self, header: HeaderCalls, closers: Names) -> SingleFormat[BlockReader]:
        """Return how such calls are read after headers like `header`, with one of these closers."""
        tags = self._tags("")._replace(closers=() if self.end else closers)
        return HeaderTags(tags, header, words=self.words, is_python=self.literals == "python")

    @property
    def head(self) -> Names:
        """The template of a header that names the tool."""
        return (TOOL.join(self.tool),)

    def _tags(self, closer: str) -> CallTags:
        tool, _, after_id = self.tool[1].partition(ID)
        return CallTags(
            *((self.tool[0], tool), self.key, self.value, self.end or closer, self.margin),
            after_id=after_id,
            types=self.types,
            item=self.item,
            raw=self.raw,
        )

    def check(self, closers: Names) -> None:
        """Raise `WrongError` if these members contradict each other, or the closers of a call."""
        closer, *others = closers
        if others and not self.end:
            raise WrongError("/call/1", "must be one closer if /payload/end is empty")
        end = self.end or closer
        if end == self.key[0] or not end.startswith(self.key[0]):
            check_apart("/payload/end", (self.key[0], end))
        if self.margin not in ("", *WHITE):
            raise WrongError("/payload/margin", "must be empty or one character of white space")
        before, field, after = self.tool[1].partition(ID)
        if field and (not (before and after) or ID in after or before != before.rstrip(WHITE)):
            raise WrongError("/payload/tool/1", f"must have {ID} once, between two markers")
        if field and (after != after.lstrip(WHITE) or jump(ID_RUN, after, 0, 1)):
            raise WrongError(
                "/payload/tool/1", f"must not have a letter, digit or space after {ID}"
            )
        for tag, _ in self.types:
            if not tag or tag != tag.strip(WHITE):
                reason = "must not be empty, and must begin and end without white space"
                raise WrongError(f"/payload/types{pointer_step(tag)}", reason)
        if self.types and self.key[1]:
            raise WrongError("/payload/types", "needs an empty /payload/key/1")
        self._check_closer()
        self._check_names(end)
        for word, meant in self.words:
            if meant != "null" and sound(meant) is None:
                place = f"/payload/words{pointer_step(word)}"
                raise WrongError(place, f"must be JSON such as true, not {meant!r}")
        if self.literals not in ("json", "python"):
            raise WrongError("/payload/literals", "must be json or python")
        for member in ("words", "literals"):
            is_given = getattr(self, member) not in ((), "json")
            if is_given and any(type_ != "text" for _, type_ in self.types):
                raise WrongError(f"/payload/{member}", "types already say which values are JSON")
        for one, other in itertools.permutations([tag for tag, _ in self.types], 2):
            if other.startswith(one):
                raise WrongError("/payload/types", f"{other!r} begins with {one!r}")

    def _check_names(self, end: str) -> None:
        """Raise `WrongError` if a marker would end a name in the middle."""
        tags = self._tags(end)
        for member, ends in (("tool", tags.tool_ends), ("key", tags.key_ends)):
            for marker in ends:
                if jump(NAME_RUN, marker, 0, 1):
                    reason = f"{marker!r} ends a name, but begins with a character of names"
                    raise WrongError(f"/payload/{member}", reason)

    def _check_closer(self) -> None:
        """Raise `WrongError` if the closer of a value cannot have its key, or values be nested."""
        closer = self.value[1]
        before, field, after = closer.partition(KEY)
        if field and (not (before and after) or KEY in after):
            raise WrongError("/payload/value/1", f"must have {KEY} once, between two markers")
        if field and self.types:
            raise WrongError("/payload/value/1", f"must not have {KEY} if there are types")
        if any(self.raw):
            if not all(self.raw) or self.margin or self.types or self.item:
                raise WrongError("/payload/raw", "needs two markers, and no margin, types or item")
            check_apart("/payload/raw", (self.raw[0], before or closer))
        if not self.item:
            return
        if not field:
            reason = f"must have {KEY} if there is an item, but is {closer!r}"
            raise WrongError("/payload/value/1", reason)
        if not self.key[1] or self.value[0] or self.margin:
            raise WrongError("/payload/item", "keys need a closer, and values no opener or margin")
        if self.item.strip(WHITE) != self.item or set("<>\n").intersection(self.item):
            raise WrongError("/payload/item", "must have no <, >, line feed or outer white space")


@dataclass(frozen=True)
class LiteralsPayload:
    """The name of a tool, and its args in the notation of Python or of Gemma."""

    kind: ClassVar[str] = "literals"
    style: Style
    #: Whether calls are on lines of their own, instead of in a list; in the style of Python.
    lines: bool = False
    #: What begins and ends a string; in the style of Python, the quote that is written, by
    #: default `"`.
    quote: str = '<|"|>'

    def calls(self, closer: str) -> SingleFormat[BlockReader]:
        """Return how such calls are read."""
        is_default = self.quote == LiteralsPayload.quote
        quote = '"' if self.style == "python" and is_default else self.quote
        return Literals(self.style, quote, closer if self.lines else None)

    def check(self, closers: Names) -> None:
        """Raise `WrongError` if these members contradict each other, or the closers of a call."""
        is_python = self.style == "python"
        if self.style not in ("python", "gemma"):
            raise WrongError("/payload/style", "must be python or gemma")
        if self.lines and not is_python:
            raise WrongError("/payload/lines", "needs the style python")
        if self.lines and len(closers) > 1:
            raise WrongError("/call/1", "must be one closer if calls are on lines: the usual one")
        if self.lines and LITERAL_NAME.fullmatch("".join(closers)[0]):
            raise WrongError("/call/1", "must not begin with a character that a name may have")
        if is_python and self.quote not in (LiteralsPayload.quote, '"', "'"):
            raise WrongError("/payload/quote", "must be \" or ' in the style python")
        if self.quote[0] not in QUOTES:
            raise WrongError("/payload/quote", f"must begin with one of {QUOTES}")
        if self.quote != self.quote.strip(WHITE):
            raise WrongError("/payload/quote", "must begin and end without white space")


@dataclass(frozen=True)
class TextPayload:
    """A text that is one argument of one tool."""

    kind: ClassVar[str] = "text"
    tool: str
    arg: str
    margin: str = ""

    def calls(self, closer: str, openers: Names) -> SingleFormat[BlockReader]:
        """Return how such calls are read after these openers."""
        before = self.margin if openers[0].endswith(self.margin) else ""
        return Text(self.tool, self.arg, self.margin, before, closer)

    def check(self, closers: Names) -> None:
        """Raise `WrongError` if these members contradict each other, or the closers of a call."""
        if self.tool in ("", RESERVED_NAME):
            raise WrongError("/payload/tool", "must be the name of a tool")
        if self.margin not in ("", *WHITE):
            raise WrongError("/payload/margin", "must be empty or one character of white space")
        if len(closers) > 1:
            raise WrongError("/call/1", "must be one closer if the payload is a text")


Payload = (
    ObjectPayload | ArrayPayload | ArgumentsPayload | TagsPayload | LiteralsPayload | TextPayload
)


def every(member: str | tuple[str, ...]) -> Names:
    """Return a marker or a name, or several, as several."""
    return (member,) if isinstance(member, str) else member


def check_apart(path: str, markers: Sequence[str]) -> None:
    """Refuse markers if one contains another."""
    for one, other in itertools.permutations(markers, 2):
        if one in other:
            raise WrongError(path, f"{other!r} contains {one!r}, so they cannot be told apart")
