# SPDX-License-Identifier: MIT
"""The calls of described formats: the text between a call's markers, and around several calls."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from cogwire import Format, RenderError, render_calls
from cogwire.tooling import WHITE, Notation, Tool
from cogwire_kit.grammars.elements import ID, KEY, Tagging, TagNodes
from cogwire_kit.grammars.members import Members
from cogwire_kit.grammars.nodes import (
    EMPTY,
    NOTHING,
    Book,
    Chars,
    Node,
    Repeat,
    either,
    joined,
    may_be_empty,
    one_of,
    optional,
    parts_of,
    repeat,
    sequence,
    spelled,
    unlike,
)
from cogwire_kit.grammars.schemas import GrammarError, Schemas
from cogwire_kit.grammars.spelling import Gemma, Json, Python, Raw, ValueSpelling
from cogwire_kit.grammars.values import Extent, ObjectForm, Values, space
from cogwire_kit.texts.dialects import markers_in

NAME: Final = "{name}"
#: The characters of a word in a written header, and the most of them after the first.
_WORD: Final = joined(map(spelled, "-.=_"), [(0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)])
_LETTERS: Final = 16


class Described:
    """Makes the nodes of the calls of one described format."""

    def __init__(
        self,
        form: Format,
        dialect: Notation,
        book: Book,
        mark: Callable[[str], Node],
        extent: Extent,
    ) -> None:
        self._payload: dict[str, Any] = form.to_json()["payload"]
        self._kind = form.payload.kind
        self._call_openers, closers = markers_in(form, "call")
        self._section_openers, self._section_closers = markers_in(form, "section")
        #: The closers of a call after which the turn goes on, and those that end it.
        self._closers = [each for each in closers if each not in form.ends]
        self._last_closers = [each for each in closers if each in form.ends]
        #: The headers that name the tools, if there are any.
        header = form.header
        self._headers = Headers(header, mark) if header and header.prefixes else None
        self._dialect = dialect
        self._book = book
        self._mark = mark
        self._extent = extent
        self._gap = optional(space(book))
        #: What is written between a marker of a call and its content.
        self._margin = either(self._gap, form.gap)
        #: The header of the calls of each tool, and what follows it.
        self._headed: list[tuple[Node, Node]] = []
        #: How deep the arguments of a call may nest.
        self._left = extent.limits.depth - 2
        makers: dict[str, Callable[[Tool, Schemas], Node]] = {
            "object": self._object,
            "array": self._object,
            "arguments": self._arguments,
            "tags": self._tags,
            "literals": self._literals,
            "text": self._text,
        }
        if self._kind not in makers:
            raise GrammarError(f"there are no grammars of calls of the kind {self._kind}")
        #: Makes the calls of one tool, without their markers.
        self.call: Final = makers[self._kind]

    # -- Around calls -----------------------------------------------------------------------

    @property
    def openers(self) -> tuple[str, ...]:
        """The markers that are written before a block."""
        return self._section_openers or self._call_openers

    @property
    def first(self) -> str:
        """The characters that may follow an opener of `openers`; empty if all may."""
        inner = "".join(each[0] for each in self._call_openers) if self._section_openers else ""
        is_json = self._kind in ("object", "array")
        return WHITE + (inner or self.begins) if inner or is_json else ""

    @property
    def most(self) -> int:
        """The most blocks of a turn."""
        is_list = self._kind == "array" or self._is_python
        return 1 if is_list or self._section_openers else self._extent.limits.calls

    @property
    def _is_python(self) -> bool:
        return self._kind == "literals" and self._payload["style"] == "python"

    def block(self, lead: Node, call: Node) -> Node:
        """Return blocks after `lead`, text through an opener; `call` is any call inside.

        A header with the name of a tool is one token with the text before it, since a lexer cannot
        tell it from a header before prose until the name.
        """
        return self._after(lead, call, self._closers)

    def last(self, lead: Node, call: Node) -> Node:
        """Return blocks after `lead` whose closer ends the turn."""
        can_choose = self._last_closers and not self._is_closed
        return self._after(lead, call, self._last_closers) if can_choose else NOTHING

    @property
    def _is_closed(self) -> bool:
        """Whether the calls themselves end with the closer of a call."""
        is_open = self._headers is not None or self._payload.get("end")
        return self._kind == "text" or (self._kind == "tags" and not is_open)

    def _after(self, lead: Node, call: Node, closers: Sequence[str]) -> Node:
        if self._headers is not None:
            token = self._book.token
            return either(
                *(
                    sequence(token("lead", sequence(lead, header)), self._calls(args, closers))
                    for header, args in self._headed
                )
            )
        return sequence(lead, self._block(call, closers))

    def _block(self, call: Node, closers: Sequence[str]) -> Node:
        inner = self._calls(call, closers)
        if not self._section_openers:
            return inner
        openers = self._call_openers
        opener = either(*map(self._mark, openers)) if openers else EMPTY
        if not closers:
            inner = sequence(inner, self._margin)
        one = sequence(self._gap, opener, inner)
        times = 1 if self._kind == "array" or self._is_python else self._extent.limits.calls
        return sequence(repeat(one, 1, times), self._gap, self._ended(self._section_closers))

    @property
    def begins(self) -> str:
        """The character with which calls without markers begin."""
        return "{" if self._kind == "object" or self._payload.get("member") else "["

    def bare(self, before: Node, call: Node) -> Node:
        """Return calls without markers after `before`: white space and thinks, if any.

        A list begins in the same token, since a lexer cannot tell whether its bracket begins an
        opener.
        """
        gap, most = self._gap, self._extent.limits.calls - 1
        if self._kind == "object":
            calls = sequence(call, repeat(sequence(";", gap, call), 0, most))
            silence = self._book.token("silence", before)
            return sequence(optional(silence) if may_be_empty(before) else silence, calls)
        if call == NOTHING:
            return NOTHING
        begin, *rest = parts_of(self._list(call))
        return sequence(self._book.token("silence", sequence(before, begin)), *rest)

    def _list(self, call: Node) -> Node:
        gap, most = self._gap, self._extent.limits.calls - 1
        more = repeat(sequence(",", gap, call), 0, most)
        array = sequence("[", gap, call, more, gap, "]")
        if member := self._payload.get("member"):
            return sequence(
                "{", gap, Json(escape=self._dialect.escaped).key(member), gap, array, gap, "}"
            )
        return array

    def _calls(self, call: Node, closers: Sequence[str]) -> Node:
        """Return what follows the opener of a call, through one of these closers if it has one."""
        gap, most = self._gap, self._extent.limits.calls - 1
        if self._is_closed:
            return sequence("" if self._kind == "text" else self._margin, call)
        if self._payload.get("lines"):
            # One token, since a lexer reads a line end and an indent as the space before a closer.
            line = self._book.token("line", sequence("\n", gap))
            inner = sequence(call, repeat(sequence(line, call), 0, most))
        elif self._kind == "array" or self._is_python:
            inner = self._list(call)
        else:
            inner = call
        inner = sequence(self._margin, inner)
        return sequence(inner, self._margin, self._ended(closers)) if closers else inner

    def _ended(self, closers: Sequence[str]) -> Node:
        return either(*map(self._mark, closers))

    # -- Calls ------------------------------------------------------------------------------

    def _values(self, schemas: Schemas, spelling: ValueSpelling) -> Values:
        return Values(schemas, self._book, spelling, self._extent)

    def _can_write(self, call: dict[str, Any]) -> bool:
        try:
            render_calls([call], self._dialect)
        except RenderError:
            return False
        return True

    def _require_name(self, tool: Tool, schemas: Schemas, args: Mapping[str, Any]) -> None:
        if not self._can_write({"name": tool.name, "args": dict(args)}):
            schemas.refuse("", f"no call can have the name {tool.name!r}")

    def _object(self, tool: Tool, schemas: Schemas) -> Node:
        gap, json = self._gap, Json(escape=self._dialect.escaped)
        args = self._values(schemas, json).kind(("",), "object", self._left)
        if self._payload.get("keyed"):
            return sequence("{", gap, json.key(tool.name), gap, args, gap, "}")
        names = (self._payload.get("name", "name"), self._payload.get("args", "arguments"))
        firsts = (each if isinstance(each, str) else each[0] for each in names)
        name, member = map(json.key, firsts)
        named = sequence(name, gap, json.literal(tool.name))
        return sequence("{", gap, named, ",", gap, member, gap, args, gap, "}")

    def _arguments(self, tool: Tool, schemas: Schemas) -> Node:
        self._require_name(tool, schemas, {})
        values = self._values(schemas, Json(escape=self._dialect.escaped))
        args = values.kind(("",), "object", self._left)
        if self._headers is not None:
            return self._after_header(tool, sequence(self._gap, args))
        head: Node = EMPTY
        before, _, after = self._payload["head"][0].partition(NAME)
        for part in (before, tool.name, after):
            text, field, rest = part.partition(ID) if part is not tool.name else (part, "", "")
            number = self._number() if field else EMPTY
            head = sequence(head, self._mark(text), number, self._mark(rest))
        return sequence(head, self._gap, args)

    def _after_header(self, tool: Tool, args: Node) -> Node:
        """Keep the header of a tool with the arguments that follow it, and return the arguments."""
        if self._headers is not None:
            self._headed.append((self._headers.call(tool.name), args))
        return args

    def _number(self) -> Node:
        return self._book.token("id", repeat(one_of("0123456789"), 1, 3))

    def _tags(self, tool: Tool, schemas: Schemas) -> Node:
        opener, closer = self._payload["value"]
        book, left = self._book, self._left - 1
        between: TagNodes | None = None
        if raw := self._payload.get("raw"):
            form = self._tagging(schemas, (raw[0], f"{raw[1]}{closer}"))
            between = TagNodes(tool, schemas, book, left, form=form)
        form = self._tagging(schemas, (opener, closer), raw[:1] if raw else ())
        call = TagNodes(tool, schemas, book, left, form=form, between=between).call()
        return self._after_header(tool, call)

    def _tagging(
        self, schemas: Schemas, value: tuple[str, str], refused: Sequence[str] = ()
    ) -> Tagging:
        """Return the tagging of calls whose values are between these markers.

        No text contains one of `refused`.
        """
        payload = self._payload
        margin, types = payload.get("margin", ""), payload.get("types", {})
        is_typed = any(type_ != "text" for type_ in types.values())
        key = tuple(payload["key"])
        # A text may contain a value of the same key only if that is complete, so none is written.
        begin = [KEY.join(key)] if "item" in payload else []

        def plain(name: str) -> Raw:
            live = (each.replace(KEY, name) for each in (*refused, *begin))
            return Raw(value[1].replace(KEY, name), margin, live, mark=self._mark)

        closers = [] if is_typed else [each.partition(KEY)[0] for each in (value[1], *begin)]
        others: tuple[Values, ...] = ()
        if payload.get("literals") == "python":
            others = (self._values(schemas, Python(closers=closers)),)
        return Tagging(
            payload,
            value,
            payload.get("end") or (self._closers[0] if self._is_closed else ""),
            self._margin,
            plain,
            self._values(schemas, plain("")),
            self._values(schemas, Json(closers=closers, escape=self._dialect.escaped)),
            others,
            self._number(),
            self._mark,
            self._can_write,
            is_headed=self._headers is not None,
        )

    def _literals(self, tool: Tool, schemas: Schemas) -> Node:
        self._require_name(tool, schemas, {})
        if schemas.listed([""]) is not None:
            schemas.refuse("", "literals cannot express whole objects in `enum` or `const`")
        spelling = (
            Python(self._quote, escape=self._dialect.escaped)
            if self._is_python
            else Gemma(self._quote, self._mark)
        )
        shape = ObjectForm(spelling.key)
        name = tool.name if self._is_python else f"call:{tool.name}"
        if self._is_python:

            def key(argument: str) -> Node:
                can_write = self._can_write({"name": tool.name, "args": {argument: ""}})
                return sequence(f"{argument}=") if can_write else NOTHING

            # Some templates write an argument that is an object as JSON, which is read, too.
            objects = self._values(schemas, Json(escape=self._dialect.escaped))
            shape = ObjectForm(key, "(", ")", has_others=False, objects=objects)
        values = self._values(schemas, spelling)
        found = (
            values.object(held, self._left, shape)
            for held in schemas.alternatives(("",))
            if "object" in values.types(held)
        )
        return sequence(name, either(*found))

    @property
    def _quote(self) -> str:
        return str(self._payload.get("quote", '"' if self._is_python else '<|"|>'))

    def _text(self, tool: Tool, schemas: Schemas) -> Node:
        name, closer = self._payload["arg"], self._closers[0]
        if tool.name != self._payload["tool"]:
            schemas.refuse("", f"the format has only calls of the tool {self._payload['tool']!r}")
        self._require_name(tool, schemas, {name: ""})
        margin = self._payload.get("margin", "")
        before = margin if self._call_openers[0].endswith(margin) else ""
        raw = Raw(closer, margin, is_first=False, mark=self._mark, before=before)
        values = self._values(schemas, raw)
        found: list[Node] = []
        for held in schemas.alternatives(("",)):
            members = Members(schemas, held)
            if members.required <= {name}:
                places = members.places.get(name, members.others())
                found.append(values.kind(places, "string", self._left))
        return either(*found)


class Headers:
    """Makes the nodes of headers, without the marker that begins them."""

    def __init__(self, header: Any, mark: Callable[[str], Node]) -> None:
        """Write the headers of a format, with the first of the prefixes that tool names have."""
        self._header = header
        self._close = mark(header.close)
        openers = either(*map(mark, header.open))
        self._between = either(" ", openers, sequence(" ", openers))
        taken = (*header.prefixes, *header.think)
        rest = repeat(Chars(_WORD), 0, _LETTERS)
        word = unlike(taken, _WORD, rest)
        #: A word that is neither the name of a tool nor of a think.
        self._word: Node = word.part if isinstance(word, Repeat) else NOTHING
        #: Another word in a header that names a tool: the name outweighs the word of a think.
        self._with_name: Node = either(self._word, *header.think)

    def begun(self) -> Node:
        """Return what may separate the words of a header in the prompt from those after them."""
        return EMPTY if "" in self._header.prefixes else optional(self._between)

    def prose(self) -> Node:
        """Return the rest of a header before prose."""
        if "" in self._header.prefixes:
            return sequence(either(*self._header.prose), self._close)
        words = sequence(self._word, repeat(sequence(self._between, self._word), 0, 3))
        return sequence(optional(words), self._close)

    def think(self) -> Node:
        """Return the rest of a header before a think."""
        return self._with(either(*self._header.think), self._word)

    def call(self, name: str) -> Node:
        """Return the rest of a header that names a tool."""
        return self._with(sequence(f"{self._header.prefixes[0]}{name}"), self._with_name)

    def _with(self, word: Node, other: Node) -> Node:
        """Return the rest of a header that contains `word`, with others before and after it."""
        if "" in self._header.prefixes:
            return sequence(word, self._close)
        before = repeat(sequence(other, self._between), 0, 3)
        after = repeat(sequence(self._between, other), 0, 2)
        return sequence(before, word, after, self._close)
