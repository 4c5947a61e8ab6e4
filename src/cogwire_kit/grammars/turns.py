# SPDX-License-Identifier: MIT
"""The grammar of a turn: think, prose, and a block of calls that fit the tools' schemas."""

from collections.abc import Callable
from typing import Final, Literal, NamedTuple

from cogwire import Limits, Toolset
from cogwire.tooling import Notation, Tool, TooMuchWorkError, notation
from cogwire_kit.grammars.elements import Elements
from cogwire_kit.grammars.nodes import (
    EMPTY,
    NOTHING,
    Book,
    Chars,
    Grammar,
    Node,
    Ranges,
    either,
    optional,
    repeat,
    sequence,
    spelled,
    unlike,
    without,
)
from cogwire_kit.grammars.patterns import CHARACTERS
from cogwire_kit.grammars.schemas import GrammarError, Schemas
from cogwire_kit.grammars.spelling import Json
from cogwire_kit.grammars.values import Values, space

#: The default: the parser's limits, except for the depth, with which a grammar grows.
LIMITS: Final = Limits(depth=16)

Start = Literal["prose", "think"]
Calls = Literal["may", "must"]
Maps = Literal["named", "any"]

#: The characters of think and prose: all except U+0000, at which engines end a text.
_TEXT: Final = without(CHARACTERS, (0, 0))


class _Options(NamedTuple):
    """Which turns the grammar contains."""

    start: Start
    calls: Calls
    limits: Limits


def turn_grammar(
    toolset: Toolset,
    *,
    start: Start = "prose",
    calls: Calls = "may",
    maps: Maps = "named",
    limits: Limits = LIMITS,
) -> Grammar:
    """Return the grammar of the turns in which every call fits its tool.

    A parser of the toolset's dialect reads every turn in the grammar without an error, and the
    toolset finds no problem in its calls.  Not every such turn is in the grammar:

    - A think is closed, and a block has at least one call.  In the delimiter dialects, all text is
      in a `§think:` or a `§respond:`, neither of which follows a call, and no line of it begins
      with text that could become a marker.
    - Members are written in the order of the schema, followed by those that are required but not
      declared.  A call has `name`, then `args`, and nothing else.
    - Between the tokens of JSON, and between elements, there is nothing, a space, or a line end and
      at most 32 spaces.
    - A number has at most 15 digits before its point, 15 after it and two in its exponent; if a
      schema bounds it, it has 15 digits in all and no exponent.
    - Elements are written with start and end tags without white space in them, and the only
      references are the five entities and `&#13;`.
    - Everything else that a schema allows but the grammar does not write is listed in `narrowed`.

    `limits` are at most those of the parser that reads the turn: the grammar keeps `calls`, `depth`
    and `digits`; nothing in it bounds `size`.  With `start="think"`, the prompt has already opened
    the think, and with `calls="must"`, every turn ends with a block.

    No grammar can require that two names are different.  So a member that no schema names is not
    written, unless `maps="any"`: then an object with `additionalProperties`, or without
    `properties`, has such members in JSON, whose names have no escapes, and a name that is there
    twice is the one error that a turn may have.

    Raises `GrammarError`, a `ValueError`, with the tool and a JSON Pointer into its schema, for a
    keyword that can neither be kept nor narrowed, for a tool for which no call can be written, and
    for a dialect without grammars.
    """
    dialect = notation(toolset)
    if dialect.name not in _TURNS:
        raise GrammarError(f"there are no grammars of {dialect.name}")
    book = Book()
    written = [_calls(tool, dialect, book, limits, maps) for tool in toolset.tools]
    if not written and calls == "must":
        raise GrammarError("there are no tools, so that no turn can end with calls")
    call = book.rule("call", either(*written))
    return book.grammar(_TURNS[dialect.name](dialect, book, call, _Options(start, calls, limits)))


def _calls(tool: Tool, dialect: Notation, book: Book, limits: Limits, maps: Maps) -> Node:
    """Return the calls of one tool."""
    try:
        return _call(tool, dialect, book, limits, maps)
    except RecursionError:
        reason = "its schema is nested too deeply"
    except TooMuchWorkError:
        reason = "its values take too much work to judge"
    except UnicodeError:
        reason = "a name in its schema contains half of a surrogate pair, which is not text"
    raise GrammarError(f"tool {tool.name!r}: {reason}")


def _call(tool: Tool, dialect: Notation, book: Book, limits: Limits, maps: Maps) -> Node:
    schemas = Schemas(tool, book.note)
    is_text = dialect.is_text
    json = Json(in_element=is_text)
    values = Values(schemas, book, limits, json, has_maps=maps == "any")
    # The array of a block is the first level, a call the second, and its `args` the third.
    left = limits.depth - 2
    if is_text:
        node = Elements(tool, schemas, values, book, left - 1).call()
    else:
        separator, gap = sequence(",", values.space), values.space
        name = sequence('"name":', gap, json.literal(tool.name))
        args = sequence('"args":', gap, values.kind(("",), "object", left))
        node = sequence("{", gap, name, separator, args, gap, "}")
    if node == NOTHING:
        left_out = "".join(f"; {note}" for note in schemas.notes)
        schemas.refuse("", f"no call that fits can be written{left_out}")
    return book.rule(f"call-{tool.name}", node)


def _last(book: Book, node: Node) -> Node:
    """Return the token of a turn without calls, which may be empty."""
    return optional(book.token("answer", node))


# --- Tags -------------------------------------------------------------------------------------


#: The marker that ends a turn.
_END: Final = "<end>"


def _tags(dialect: Notation, book: Book, call: Node, options: _Options) -> Node:
    start, calls, limits = options
    opener, closer = dialect.block
    think_opener, think_closer = dialect.think
    # Every marker begins with a `<` and contains no other, so a `<` begins a marker if and only if
    # the rest of the marker follows it.
    (lead,) = {marker[0] for marker in (*dialect.openers, think_closer)}
    others = without(_TEXT, spelled(lead))
    run = book.token("run", repeat(Chars(others)))
    unclosed = sequence(lead, unlike([think_closer[1:]], others, run))
    thought = book.token("thought", sequence(run, repeat(unclosed), think_closer))
    piece = unlike([marker[1:] for marker in dialect.openers], others, run)
    segment = either(sequence(lead, piece), sequence(think_opener, thought, run))
    text = book.token("text", sequence(run, repeat(segment)))
    before = sequence(thought, text) if start == "think" else text
    gap = optional(space(book))
    if dialect.is_text:
        more = repeat(sequence(gap, call), 0, limits.calls - 1)
        listed = sequence(call, more)
    else:
        more = repeat(sequence(",", gap, call), 0, limits.calls - 1)
        listed = sequence("[", gap, call, more, gap, "]")
    block = sequence(book.token("lead", sequence(before, opener)), gap, listed, gap, closer)
    if calls == "must":
        return block
    return either(block, _last(book, sequence(before, optional(sequence(_END)))))


# --- Lines ------------------------------------------------------------------------------------

_BLANKS: Final[Ranges] = (spelled("\t"), spelled(" "))
_LINE_ENDS: Final[Ranges] = (spelled("\n"), spelled("\r"))


def _lines(dialect: Notation, book: Book, call: Node, options: _Options) -> Node:
    start, calls, limits = options
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
    return either(block, _last(book, either(body, last) if start == "think" else last))


_Turn = Callable[[Notation, Book, Node, _Options], Node]
_TURNS: Final[dict[str, _Turn]] = {
    "xml-json": _tags,
    "xml-elements": _tags,
    "delimiter": _lines,
    "delimiter-upper": _lines,
}
