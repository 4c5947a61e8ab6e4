# SPDX-License-Identifier: MIT
"""Blocks of `xml-elements` with one fault.

The place of each is defined by spec/xml-elements.md, from xe-text to xe-path-duplicate.
"""

import json
from typing import NamedTuple

from hypothesis import strategies as st

from cogwire_kit.strategies._faults_written import Offence, Written, escaped
from cogwire_kit.strategies._prose import white
from cogwire_kit.strategies._xml_elements import argument_names, names, texts


class Argument(NamedTuple):
    """An argument: its name, its text as it is written, and its value."""

    name: str
    source: str
    value: str


class Tool(NamedTuple):
    """A call: its name, its arguments, and the white space in and between its elements."""

    name: str
    args: list[Argument]
    gap: str
    is_short: bool


class Place(NamedTuple):
    """A place where elements or text may be: its offset and path, and the tools before it."""

    kind: str
    offset: int
    tools: int


class Block(Written):
    """A block, and where in it something may be put."""

    def __init__(self) -> None:
        super().__init__()
        self.places: list[Place] = []
        #: Where each tool's `<` is.
        self.openers: list[int] = []

    def may(self, kind: str) -> None:
        """Remember that something may be put here."""
        self.places.append(Place(kind, len(self.text), len(self.openers)))


# --- Blocks without a fault -------------------------------------------------------------------


@st.composite
def _arguments(draw: st.DrawFn, name: str) -> Argument:
    source, value = draw(texts)
    return Argument(name, source, value)


@st.composite
def tools(draw: st.DrawFn, least: int = 0) -> Tool:
    """Draw a tool element with at least so many arguments; shrinks to `<a/>`."""
    called = draw(st.lists(argument_names, min_size=least, max_size=max(2, least), unique=True))
    args = [draw(_arguments(name)) for name in called]
    return Tool(draw(names), args, draw(white), draw(st.booleans()))


def write_block(called: list[Tool], gap: str) -> Block:
    """Write a block without a fault."""
    block = Block()
    block.put("<execute>", None)
    block.mark("inside")
    for tool in called:
        block.put(gap, None)
        block.may("block")
        _write_tool(block, tool)
    block.put(gap, None)
    block.may("block")
    block.mark("closer")
    block.put("</execute>", None)
    return block


def _write_tool(block: Block, tool: Tool) -> None:
    """Write a tool element; its path begins after the first character of its name."""
    path = f"/{len(block.openers)}"
    block.openers.append(len(block.text))
    block.put(f"<{tool.name[0]}", None)
    block.put(tool.name[1:] + tool.gap, path)
    if not tool.args and tool.is_short:
        block.put("/>", path)
    else:
        block.put(">", path)
        for argument in tool.args:
            block.put(tool.gap, f"{path}/args")
            block.may("tool")
            _write_argument(block, argument, f"{path}/args", tool)
        block.put(tool.gap, f"{path}/args")
        block.may("tool")
        block.put(f"</{tool.name}{tool.gap}>", f"{path}/args")
    args = {argument.name: argument.value for argument in tool.args}
    content = json.dumps({"name": tool.name, "args": args}, ensure_ascii=False)
    block.calls.append((len(block.text) - 1, content))


def _write_argument(block: Block, argument: Argument, path: str, tool: Tool) -> None:
    """Write an argument element; its name is part of the path between its tags."""
    name, inside = argument.name, path + escaped(argument.name)
    if not argument.source and tool.is_short:
        block.put(f"<{name}{tool.gap}/>", path)
        return
    block.put(f"<{name}{tool.gap}>", path)
    block.may("argument")
    block.put(argument.source, inside)
    block.may("argument")
    block.put(f"</{name}{tool.gap}>", inside)


@st.composite
def blocks(draw: st.DrawFn, least: int = 0, least_args: int = 0) -> Block:
    """Draw a block of a few tools; shrinks to `<execute></execute>`."""
    called = draw(st.lists(tools(least_args), min_size=least, max_size=max(3, least)))
    return write_block(called, draw(white))


# --- Faults -----------------------------------------------------------------------------------

SYNTAX, FORBIDDEN = "xml-syntax", "xml-forbidden"

#: Text that may not be between tools, and its offending character.
BETWEEN_TOOLS = [
    ("hello", 0, FORBIDDEN),
    ("[", 0, FORBIDDEN),
    ('{"name": "a"}', 0, FORBIDDEN),
    ("&amp;", 0, FORBIDDEN),
    (">", 0, FORBIDDEN),
    ("\u00a0", 0, FORBIDDEN),
    ("<!-- no -->", 1, FORBIDDEN),
    ("<!DOCTYPE a>", 1, FORBIDDEN),
    ("<![CDATA[a]]>", 1, FORBIDDEN),
    ("<?xml?>", 1, FORBIDDEN),
    ("\0", 0, SYNTAX),
    ("\uffff", 0, SYNTAX),
    ("<1/>", 1, SYNTAX),
    ("< a/>", 1, SYNTAX),
    ("<>", 1, SYNTAX),
    ("<<a/>", 1, SYNTAX),
    ("<:a/>", 1, SYNTAX),
    ("</a>", 2, SYNTAX),
    ("</ execute>", 2, SYNTAX),
    ("</Execute>", 2, SYNTAX),
    ("</executes>", 9, SYNTAX),
    ("</execute >", 9, SYNTAX),
]

#: Tools that may not be there; the path of each has the number of the tool.
BAD_TOOLS = [
    ("<n:a/>", 2, SYNTAX),
    ("<a/ >", 3, SYNTAX),
    ("<a/x>", 3, SYNTAX),
    ("<a<", 2, SYNTAX),
    ("<a&gt;", 2, SYNTAX),
    ("<a=", 2, SYNTAX),
    ("<a 1>", 3, SYNTAX),
    ("<a \n='1'>", 4, SYNTAX),
    ("<a\0>", 2, SYNTAX),
    ("<a\u00d7>", 2, SYNTAX),
    ("<execute:a/>", 8, SYNTAX),
    ("<a x='1'/>", 3, FORBIDDEN),
    ("<a \t é/>", 5, FORBIDDEN),
    ("<execute>", 8, FORBIDDEN),
    ("<execute/>", 8, FORBIDDEN),
    ("<execute\n>", 8, FORBIDDEN),
]

#: Text that may not be between arguments.
BETWEEN_ARGUMENTS = [
    ("hello", 0, FORBIDDEN),
    ("&lt;", 0, FORBIDDEN),
    ("{", 0, FORBIDDEN),
    ("]]>", 0, FORBIDDEN),
    ("<!-- no -->", 1, FORBIDDEN),
    ("<![CDATA[a]]>", 1, FORBIDDEN),
    ("<?a?>", 1, FORBIDDEN),
    ("<z x='1'>", 3, FORBIDDEN),
    ("<z\n_", 3, FORBIDDEN),
    ("\x1f", 0, SYNTAX),
    ("<1>", 1, SYNTAX),
    ("< z>", 1, SYNTAX),
    ("<>", 1, SYNTAX),
    ("<z:a>", 2, SYNTAX),
    ("<z/ >", 3, SYNTAX),
    ("<z 2>", 3, SYNTAX),
    ("<z</z>", 2, SYNTAX),
    ("</ ", 2, SYNTAX),
    ("</>", 2, SYNTAX),
    ("</1", 2, SYNTAX),
]

#: Text that may not be in the value of an argument.
IN_TEXT = [
    ("<b>", 1, FORBIDDEN),
    ("<_", 1, FORBIDDEN),
    ("<?a?>", 1, FORBIDDEN),
    ("<!-- no -->", 2, FORBIDDEN),
    ("<!DOCTYPE a>", 2, FORBIDDEN),
    ("< b", 1, SYNTAX),
    ("<1", 1, SYNTAX),
    ("<<", 1, SYNTAX),
    ("<!x", 2, SYNTAX),
    ("<![cdata[", 3, SYNTAX),
    ("<![CDATA<", 8, SYNTAX),
    ("<![CDATA[a\0]]>", 10, SYNTAX),
    ("]]>", 2, SYNTAX),
    ("& ", 1, SYNTAX),
    ("&&", 1, SYNTAX),
    ("&;", 1, SYNTAX),
    ("&nbsp;", 1, SYNTAX),
    ("&am;", 3, SYNTAX),
    ("&lt ", 3, SYNTAX),
    ("&AMP;", 1, SYNTAX),
    ("&quo;", 4, SYNTAX),
    ("&ampersand;", 4, SYNTAX),
    ("&#;", 2, SYNTAX),
    ("&#X41;", 2, SYNTAX),
    ("&#x;", 3, SYNTAX),
    ("&#6a;", 3, SYNTAX),
    ("&#0;", 3, SYNTAX),
    ("&#x1F;", 5, SYNTAX),
    ("&#xD800;", 7, SYNTAX),
    ("&#xFFFF;", 7, SYNTAX),
    ("&#x110000;", 8, SYNTAX),
    ("&#1114112;", 8, SYNTAX),
    ("&#99999999;", 8, SYNTAX),
    ("</1", 2, SYNTAX),
    ("</ ", 2, SYNTAX),
    ("\0", 0, SYNTAX),
    ("\x0b", 0, SYNTAX),
    ("\ufffe", 0, SYNTAX),
]

TABLES = {
    "block": [*BETWEEN_TOOLS, *BAD_TOOLS],
    "tool": BETWEEN_ARGUMENTS,
    "argument": IN_TEXT,
}


@st.composite
def _put_in(draw: st.DrawFn, block: Block, code: str) -> Written:
    """Put something with this fault where elements or text may be."""
    place = draw(st.sampled_from(block.places))
    rows = [row for row in TABLES[place.kind] if row[2] == code]
    text, at, _ = draw(st.sampled_from(rows))
    struck = block.struck(place.offset, text, code, at)
    if (text, at, code) in BAD_TOOLS:
        struck.offence = Offence(code, place.offset + at, f"/{place.tools}")
    return struck


@st.composite
def _controls(draw: st.DrawFn, block: Block) -> Written:
    """Put a character that XML does not have anywhere in the block, its closer included."""
    place = draw(st.integers(block.marks["inside"], len(block.text) - 1))
    return block.struck(place, draw(st.sampled_from(["\0", "\x08", "\x1f", "\ufffe"])), SYNTAX)


@st.composite
def _wrong_ends(draw: st.DrawFn) -> Written:
    """Draw a tool whose end tag is another's, or that the closer of the block ends."""
    tool = draw(tools(least=1))
    block = write_block([*draw(st.lists(tools(), max_size=2)), tool], draw(white))
    end = f"</{tool.name}{tool.gap}>"
    place = block.text.rindex(end)
    if draw(st.booleans()):
        closer = block.marks["closer"] - len(end)
        same = next(n for n in range(8) if not tool.name.startswith("execute>"[: n + 1]))
        changed = block.struck(place, "", SYNTAX, closer - place + 2 + same)
        changed.text = block.text[:place] + block.text[place + len(end) :]
        return changed
    kept = draw(st.integers(0, len(tool.name)))
    # No name goes on with a character that begins none.
    text = block.text[: place + 2 + kept] + draw(st.sampled_from("×!</'\0"))
    changed = block.struck(place, "", SYNTAX, 2 + kept)
    changed.text = text + block.text[place + len(end) :]
    return changed


@st.composite
def _twins(draw: st.DrawFn) -> Written:
    """Draw a tool with two arguments of one name."""
    tool = draw(tools(least=1))
    name = draw(st.sampled_from([argument.name for argument in tool.args]))
    before = draw(st.lists(tools(), max_size=2))
    block = write_block([*before, tool], draw(white))
    after = draw(st.sampled_from([">", "/>", " >", "\n/>", "><", ">1"]))
    place = block.places[-2].offset
    struck = block.struck(place, f"<{name}{after}", "duplicate-arg", len(name) + 1)
    path = f"/{len(before)}/args{escaped(name)}"
    struck.offence = Offence("duplicate-arg", place + len(name) + 1, path)
    return struck


@st.composite
def limited_blocks(draw: st.DrawFn, code: str) -> tuple[Written, dict[str, int]]:
    """Draw a block that crosses the limit `calls` or `depth`, and that limit."""
    if code == "limit-calls":
        block = draw(blocks(least=2))
        limit = draw(st.integers(1, len(block.openers) - 1))
        return block.crossing(block.openers[limit] + 1, code), {"calls": limit}
    limit = draw(st.integers(1, 2))
    if limit == 1:
        block = draw(blocks(least=1))
        return block.crossing(block.openers[0] + 1, code), {"depth": 1}
    bare = draw(st.lists(st.builds(Tool, names, st.just([]), white, st.booleans()), max_size=2))
    block = write_block([*bare, draw(tools(least=1))], draw(white))
    first = next(
        each.offset for each in block.places if each.kind == "tool" and each.tools > len(bare)
    )
    return block.crossing(first + 1, code), {"depth": 2}


def block_faults(code: str) -> st.SearchStrategy[Written]:
    """Draw a block of `xml-elements` with one fault of grammar."""
    if code == "duplicate-arg":
        return _twins()
    put_in = blocks(least_args=1).flatmap(lambda block: _put_in(block, code))
    if code == FORBIDDEN:
        return put_in
    controls = blocks().flatmap(_controls)
    return st.one_of(put_in, put_in, controls, _wrong_ends())
