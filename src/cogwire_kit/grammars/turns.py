# SPDX-License-Identifier: MIT
"""The grammar of a turn: think, prose, and a block of calls that fit the tools' schemas."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Any, Final, Literal, NamedTuple

from cogwire import Format, Limits, Toolset
from cogwire.tooling import WHITE, Notation, Start, Tool, TooMuchWorkError, notation
from cogwire_kit.grammars.described import Described, Headers
from cogwire_kit.grammars.elements import Elements
from cogwire_kit.grammars.nodes import (
    EMPTY,
    NOTHING,
    Book,
    Chars,
    FixedText,
    Grammar,
    Node,
    Ranges,
    Special,
    either,
    one_of,
    optional,
    repeat,
    sequence,
    spelled,
    unlike,
    without,
)
from cogwire_kit.grammars.patterns import CHARACTERS
from cogwire_kit.grammars.scanning import Scanner
from cogwire_kit.grammars.schemas import GrammarError, Schemas
from cogwire_kit.grammars.spelling import Json
from cogwire_kit.grammars.syntaxes import ebnf
from cogwire_kit.grammars.values import Extent, Lengths, Maps, Values, space
from cogwire_kit.texts.dialects import markers_in

#: The default: the parser's limits, except for the depth, with which a grammar grows.
LIMITS: Final = Limits(depth=16)

Calls = Literal["may", "must"]

#: The characters of think and prose: all except U+0000, at which engines end a text.
_TEXT: Final = without(CHARACTERS, (0, 0))
#: Precedes a marker that counts only at the beginning of a think; no text contains it.
_BEGIN: Final = "\udfff"


class _Options(NamedTuple):
    """Which turns the grammar contains."""

    start: Start
    calls: Calls
    limits: Limits
    #: Makes the node of a marker, with the special tokens in it.
    mark: Callable[[str], Node]


def turn_grammar(
    toolset: Toolset,
    *,
    start: Start = "prose",
    calls: Calls = "may",
    maps: Maps = "named",
    lengths: Lengths = "all",
    limits: Limits = LIMITS,
    special: Mapping[str, int] | None = None,
) -> Grammar:
    """Return the grammar of the turns in which every call fits its tool.

    A parser of the toolset's dialect reads every turn in the grammar without an error, and the
    toolset finds no problem in its calls.  Not every such turn is in the grammar:

    - A think is closed, and a block has at least one call.  In the delimiter dialects, all text is
      in `§think:` and `§respond:` parts, which come before the calls, and no line in them begins
      with text that could become a marker.
    - Members are written in the order of the schema, followed by those that are required but not
      declared.  A call has `name`, then `args`, and nothing else.
    - Between the tokens of JSON, and between elements, there is nothing, a space, or a line end and
      at most 32 spaces; around the content of a call also the `gap` of its format.
    - A number has at most 15 digits before its point, 15 after it and two in its exponent; if a
      schema bounds it, it has 15 digits in all and no exponent.
    - Elements are written with start and end tags without white space in them, and the only
      references are the five entities and `&#13;`.
    - Everything else that a schema allows but the grammar does not write is listed in `narrowed`.

    Pass `limits` no larger than those of the parser that reads the turn.  The grammar keeps
    `calls`, `depth` and `digits`, but does not bound `size`.  With `start="think"`, the prompt has
    already opened the think.  With `calls="must"`, every turn ends with a block, and then perhaps
    white space and a marker that ends the turn.

    No grammar can require that two names are different.  So a member that no schema names is not
    written, unless `maps="any"`: then, in JSON, an object with `additionalProperties`, or without
    `properties`, may have such members.  Their names have no escapes, and a duplicate name is the
    only error that a turn may have.

    XGrammar takes 30 ms to compile each character that is counted, and many words of its vocabulary
    are slow at the end of a count.  With `lengths="short"`, no length above 100 is counted:
    `widened` names the places, and the toolset finds what is too long or too short.

    `special` maps the text of each special token of the vocabulary to its number: llguidance
    matches such a token only by its number, and not by the characters of its text.

    In a described format a turn is written as `render_calls` writes it: with the first of several
    markers or names, and with one section or list.  Prose and thinks may come between the calls and
    after them, without the closer of a value, which would be an error after a call.  Calls without
    markers are written only at the beginning of a turn, or after thinks there; prose then contains
    neither the bracket with which such a call begins nor a semicolon.

    Raises `GrammarError`, a `ValueError`, with the tool and a JSON Pointer into its schema, for a
    keyword that can neither be kept nor narrowed, for a tool for which no call can be written, for
    a dialect without grammars, and for a format in which the opener of a call and the text after it
    may be another marker.
    """
    dialect, book = notation(toolset), Book()
    options = _Options(start, calls, limits, _marking(special or {}))
    made = _marked(toolset, dialect, book, options, Extent.of(limits, maps, lengths))
    return book.grammar(_turn(made, book, options) if isinstance(made, _Marks) else made)


def structural_tag(
    toolset: Toolset,
    *,
    calls: Calls = "may",
    maps: Maps = "named",
    lengths: Lengths = "short",
    limits: Limits = LIMITS,
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return XGrammar's structural tag for the calls of a toolset, and what it cannot express.

    The second value is what a `Grammar` lists in `narrowed` and `widened`.

    The tag constrains what follows an opener of calls, through their closer, as `turn_grammar`
    does, and nothing else: text is free, and an opener in a think counts too, unless the server
    removes thinks first.  `limits.calls` counts those of one block; where it is 1, nothing follows
    the first block, except in a format with a `gap` and no closer.  With `calls="must"` the text
    begins with a call.  Raises `GrammarError` as `turn_grammar` does, and for a dialect whose calls
    have no opener.
    """
    dialect, book = notation(toolset), Book()
    options = _Options("prose", calls, limits, FixedText)
    made = _marked(toolset, dialect, book, options, Extent.of(limits, maps, lengths))
    if not isinstance(made, _Marks) or made.has_calls:
        raise GrammarError(
            f"{dialect.name} has no structural tag, since no marker begins its calls"
        )
    form = dialect.form
    # Without a closer, the gap is also written after a call.
    is_closed = form is None or not form.gap or any(markers_in(form, "call")[1])
    grammar = book.grammar(made.block(EMPTY))
    content = {"type": "grammar", "grammar": ebnf(grammar)}
    tags = {
        "type": "triggered_tags",
        "triggers": list(made.openers),
        "tags": [
            {"type": "tag", "begin": opener, "content": content, "end": ""}
            for opener in made.openers
        ],
        "at_least_one": calls == "must",
        "stop_after_first": made.is_last or (limits.calls == 1 and is_closed),
    }
    return {"type": "structural_tag", "format": tags}, (*grammar.narrowed, *grammar.widened)


def _marked(
    toolset: Toolset, dialect: Notation, book: Book, options: _Options, extent: Extent
) -> "_Marks | Node":
    """Return the markers around the calls of the tools, or whole turns with these calls."""
    make, turn = _makers(dialect, book, options, extent)
    written = [_checked(tool, dialect, book, make) for tool in toolset.tools]
    if not written and options.calls == "must":
        raise GrammarError("there are no tools, so that no turn can end with calls")
    return turn(book.rule("call", either(*written)))


def _makers(
    dialect: Notation, book: Book, options: _Options, extent: Extent
) -> tuple[Callable[[Tool, Schemas], Node], Callable[[Node], "_Marks | Node"]]:
    """Return what makes the calls of a tool, and what makes markers or turns around calls."""
    if dialect.form is not None:
        form = dialect.form
        described = Described(form, dialect, book, options.mark, extent)
        return described.call, partial(_described, form, described, options)
    if dialect.name not in _TURNS:
        raise GrammarError(f"there are no grammars of {dialect.name}")
    make = partial(_call, dialect, book, extent)
    return make, partial(_TURNS[dialect.name], dialect, book, options)


def _marking(special: Mapping[str, int]) -> Callable[[str], Node]:
    """Return what makes the node of a text; at each place the longest special token is a token."""
    if not special:
        return FixedText
    tokens = re.compile("|".join(map(re.escape, sorted(special, key=len, reverse=True))))

    def mark(text: str) -> Node:
        parts: list[Node] = []
        at = 0
        for found in tokens.finditer(text):
            parts += [FixedText(text[at : found.start()]), Special(found[0], special[found[0]])]
            at = found.end()
        return sequence(*parts, text[at:])

    return mark


def _checked(
    tool: Tool, dialect: Notation, book: Book, make: Callable[[Tool, Schemas], Node]
) -> Node:
    """Return the calls of a tool that `make` writes, or raise `GrammarError`."""
    try:
        schemas = Schemas(tool, dialect, book.narrow)
        node = make(tool, schemas)
        if node == NOTHING:
            left_out = "".join(f"; {note}" for note in schemas.notes)
            schemas.refuse("", f"no call that fits can be written{left_out}")
        return book.rule(f"call-{tool.name}", node)
    except RecursionError:
        reason = "its schema is nested too deeply"
    except TooMuchWorkError:
        reason = "its values take too much work to validate"
    except UnicodeError:
        reason = "a name in its schema contains half of a surrogate pair, which is not text"
    raise GrammarError(f"tool {tool.name!r}: {reason}")


def _call(dialect: Notation, book: Book, extent: Extent, tool: Tool, schemas: Schemas) -> Node:
    json = Json(in_element=dialect.is_text, escape=dialect.escaped)
    values = Values(schemas, book, json, extent)
    # The array of a block is the first level, a call the second, and its `args` the third.
    left = extent.limits.depth - 2
    if dialect.is_text:
        return Elements(tool, schemas, values, book, left - 1).call()
    separator, gap = sequence(",", values.space), values.space
    name = sequence('"name":', gap, json.literal(tool.name))
    args = sequence('"args":', gap, values.kind(("",), "object", left))
    return sequence("{", gap, name, separator, args, gap, "}")


# --- Between markers --------------------------------------------------------------------------


class _Marks(NamedTuple):
    """The markers of a turn, and what follows them."""

    think: tuple[Sequence[str], Sequence[str]]
    #: The openers of a block, what appends a block to the text before it, and the most blocks.
    openers: Sequence[str]
    block: Callable[[Node], Node]
    most: int
    #: Other markers that are live in prose: they end a turn, have no meaning, or are not written.
    ends: Sequence[str] = ()
    ignored: Sequence[str] = ()
    #: The characters that may follow the opener of a block; empty if all may.
    begins: str = ""
    refused: Sequence[str] = ()
    #: Whether nothing follows a block.
    is_last: bool = False
    #: Markers that would end or break a think, so that no think contains them.
    breaks: Sequence[str] = ()
    #: The markers that begin headers, what writes headers, and whether these name the tools.
    heads: Sequence[str] = ()
    header: Headers | None = None
    has_calls: bool = False
    #: Appends calls without markers, with which a turn may begin, to the text before them.
    bare: Callable[[Node], Node] | None = None
    #: Appends a block whose closer ends the turn to the text before it.
    last: Callable[[Node], Node] | None = None


class _TurnParts:
    """Makes the parts of a turn between markers."""

    def __init__(self, marks: _Marks, book: Book, mark: Callable[[str], Node]) -> None:
        self._marks = marks
        self._book = book
        self._mark = mark
        openers = (*marks.think[0], *marks.openers)
        live = (*openers, *marks.ends, *marks.ignored, *marks.refused)
        heads = tuple(marks.heads)
        live = *(each for each in live if not (heads and each.startswith(heads))), *heads
        self._prose = Scanner(live, _TEXT, shared=partial(book.token, "rest"))
        self._opening = [each for each in openers if each in live]
        for marker, rest in ((each, rest) for each in marks.openers for rest in _rests(each, live)):
            if rest[0] in (marks.begins or rest[0]):
                reason = "no grammar can tell them apart"
                raise GrammarError(f"{marker + rest!r} begins with {marker!r}: {reason}")
        #: The openers of thinks, by the texts that would complete another marker after them.
        self.thinks: dict[tuple[str, ...], list[str]] = {}
        for each in marks.think[0]:
            others = (other for other in live if other not in marks.think[0])
            self.thinks.setdefault(_rests(each, others), []).append(each)
        #: Returns the rest of a think, through its closer, that begins with none of these texts.
        self.thought = cache(self._thought)
        self._ignored = [each for each in marks.ignored if not _rests(each, live)]
        #: What follows the beginning of a header, up to prose and up to a block.
        self.opened: Node = NOTHING
        self.called: Node = NOTHING
        if marks.header is not None:
            self._read_headers(marks.header)
        #: White space and thinks, which may be before calls without markers.
        thinks = (
            sequence(either(*map(mark, openers)), self.thought(rests))
            for rests, openers in self.thinks.items()
        )
        self.silence = repeat(either(one_of(WHITE), *thinks))
        self._text = book.token("text", repeat(either(*self._segments())))
        #: Text through the opener of a block, and text up to the end of the turn.
        self.lead = book.token("lead", sequence(self._text, self._openers()))
        last = either(self._prose.rest(), self._until(marks.ends))
        self.answer = book.token("answer", sequence(self._text, last))

    def _thought(self, rests: tuple[str, ...]) -> Node:
        closers = self._marks.think[1]
        live = (*closers, *self._marks.breaks, *(f"{_BEGIN}{rest}" for rest in rests))
        think = Scanner(live, _TEXT, before=_BEGIN if rests else "").until(closers, self._mark)
        return self._book.token("thought", think)

    def _read_headers(self, header: Headers) -> None:
        marks, mark = self._marks, self._mark
        thinks: dict[tuple[str, ...], list[Node]] = {(): [header.think()]}
        for rests, openers in self.thinks.items():
            thinks.setdefault(rests, []).extend(map(mark, self._rests(openers)))
        begun = (sequence(either(*ends), self.thought(rests)) for rests, ends in thinks.items())
        self.opened = either(header.prose(), *begun)
        self.opened = self._book.token("opened", self.opened)
        self.called = EMPTY if marks.has_calls else either(*map(mark, self._rests(marks.openers)))

    def _rests(self, openers: Sequence[str]) -> list[str]:
        """Return the rest of each of these openers that begins with a marker of headers."""
        heads = self._marks.heads
        return [each[len(head) :] for each in openers for head in heads if each.startswith(head)]

    def _segments(self) -> list[Node]:
        """Return the segments of text, each through the marker that ends it."""
        thinks = []
        for rests, openers in self.thinks.items():
            plain = [each for each in openers if each in self._opening]
            thinks.append(sequence(self._until(plain), self.thought(rests)))
        return [
            *thinks,
            self._until(self._ignored),
            sequence(self._until(self._marks.heads), self.opened),
        ]

    def _until(self, markers: Sequence[str]) -> Node:
        return self._prose.until(markers, self._mark)

    def _openers(self) -> Node:
        """Return prose through the opener of a block."""
        calls = [each for each in self._marks.openers if each in self._opening]
        headed = sequence(self._until(self._marks.heads), self.called)
        return either(self._until(calls), headed)


def _rests(marker: str, live: Iterable[str]) -> tuple[str, ...]:
    """Return the rest of each longer live marker that begins with this one."""
    return tuple(each[len(marker) :] for each in live if each.startswith(marker) and each != marker)


def _turn(marks: _Marks, book: Book, options: _Options) -> Node:
    """Return turns between these markers."""
    parts = _TurnParts(marks, book, options.mark)
    if options.start == "header" and marks.header is None:
        raise GrammarError("no header can be begun in the prompt: the format has none")
    begin = parts.thought(next(iter(parts.thinks))) if options.start == "think" else EMPTY
    if marks.header is not None and options.start == "header":
        begin = sequence(marks.header.begun(), parts.opened)
    leads = [book.token("lead", sequence(begin, parts.lead))]
    if marks.header is not None and options.start == "header":
        leads.append(book.token("lead", sequence(marks.header.begun(), parts.called)))
    first = either(*map(marks.block, leads))
    blocks = sequence(first, repeat(marks.block(parts.lead), 0, marks.most - 1))
    if marks.bare is not None:
        blocks = either(blocks, marks.bare(sequence(begin, parts.silence)))
    answer = optional(book.token("answer", sequence(begin, parts.answer)))
    if marks.is_last:
        return blocks if options.calls == "must" else either(blocks, answer)
    ended: Node = NOTHING
    if marks.last is not None:
        before = sequence(first, repeat(marks.block(parts.lead), 0, marks.most - 2))
        ended = either(*map(marks.last, leads), sequence(before, marks.last(parts.lead)))
    if options.calls == "must":
        # One token, since a lexer cannot tell white space here from that in prose.
        ends = sequence(optional(space(book)), either(*map(options.mark, marks.ends)))
        after = book.token("after", either(space(book), ends))
        return either(sequence(blocks, optional(after)), ended)
    return either(sequence(blocks, optional(parts.answer)), ended, answer)


def _tags(dialect: Notation, book: Book, options: _Options, call: Node) -> _Marks:
    opener, closer = dialect.block
    gap, most = optional(space(book)), options.limits.calls - 1
    if dialect.is_text:
        listed = sequence(call, repeat(sequence(gap, call), 0, most))
    else:
        listed = sequence("[", gap, call, repeat(sequence(",", gap, call), 0, most), gap, "]")
    think = dialect.think
    written = {think[0], opener, _END}
    return _Marks(
        think=(think[:1], think[1:]),
        openers=(opener,),
        block=lambda lead: sequence(lead, gap, listed, gap, options.mark(closer)),
        most=1,
        ends=(_END,),
        refused=[each for each in dialect.openers if each not in written],
        is_last=True,
    )


#: The marker that ends a turn.
_END: Final = "<end>"


def _described(form: Format, calls: Described, options: _Options, call: Node) -> _Marks:
    header, strays = form.header, form.wire.frame.strays
    others = markers_in(form, "call")[0] if any(form.section) else ()
    heads = header.open if header else ()
    breaks = (*calls.openers, *others, *heads) if form.think_ends_at_call else ()
    begins = (calls.begins, ";") if form.bare else ()
    return _Marks(
        think=markers_in(form, "think"),
        openers=calls.openers,
        block=partial(calls.block, call=call),
        last=partial(calls.last, call=call),
        most=calls.most,
        ends=form.ends,
        ignored=form.ignored,
        begins=calls.first,
        refused=(*markers_in(form, "result")[0], *others, *begins, *strays),
        breaks=(*breaks, *strays),
        heads=heads,
        header=Headers(header, options.mark) if header else None,
        has_calls=bool(header and header.prefixes),
        bare=partial(calls.bare, call=call) if form.bare else None,
    )


# --- Lines ------------------------------------------------------------------------------------

_BLANKS: Final[Ranges] = (spelled("\t"), spelled(" "))
_LINE_ENDS: Final[Ranges] = (spelled("\n"), spelled("\r"))


def _lines(dialect: Notation, book: Book, options: _Options, call: Node) -> Node:
    start, calls, limits, _ = options
    if start == "header":
        raise GrammarError(f"no header can be begun in the prompt: {dialect.name} has none")
    opener, execute = dialect.block
    (think, _), (respond, _) = dialect.think, dialect.respond
    inside = without(_TEXT, *_LINE_ENDS)
    rest = book.token("rest", repeat(Chars(inside)))
    # A line, after its blanks, does not begin like a marker.
    begun = unlike(dialect.openers, inside, rest, fold=True, first=without(inside, *_BLANKS))
    line = book.token("line", sequence(repeat(Chars(_BLANKS)), begun))
    body = book.token("body", sequence(line, repeat(sequence(Chars(_LINE_ENDS), line))))
    part = book.token("part", sequence(either(think.rstrip(), respond.rstrip()), body))
    parts = book.token("parts", repeat(sequence(part, "\n")))
    before = sequence(body, "\n", parts) if start == "think" else parts
    lead = book.token("lead", sequence(before, f"{opener} "))
    more = repeat(sequence(f"\n{opener} ", call), 0, limits.calls - 1)
    block = sequence(lead, call, more, f"\n{execute}")
    if calls == "must":
        return block
    last = sequence(before, either(part, dialect.closing, EMPTY))
    answer = either(body, last) if start == "think" else last
    return either(block, optional(book.token("answer", answer)))


_TURNS: Final[dict[str, Callable[..., _Marks | Node]]] = {
    "xml-json": _tags,
    "xml-elements": _tags,
    "delimiter": _lines,
    "delimiter-upper": _lines,
}
