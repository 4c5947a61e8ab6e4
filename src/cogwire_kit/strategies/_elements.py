# SPDX-License-Identifier: MIT
"""Blocks of `xml-elements`, valid or with one fault: blocks are elements, and values are strings.

The place of each fault is defined by spec/xml-elements.md, from xe-text to xe-path-duplicate; in
the tables a caret is before it.
"""

import json
import re
from typing import Final, NamedTuple

from hypothesis import strategies as st

from cogwire_kit.strategies._wire import white
from cogwire_kit.strategies._written import Offence, Written, escaped, pointed

# --- Names and texts --------------------------------------------------------------------------

#: Names that XML allows, some of them only since its fifth edition.
NAMES: Final = (
    *("a", "read", "write", "end", "think", "Execute", "executes", "_", "a-b.c", "a1", "é"),
    *("e\u0301", "x\u00b7y", "日本語", "x\u203f", "\U00010000"),
)
names = st.sampled_from(NAMES)
#: Only a tool may not be called so.
argument_names = st.sampled_from([*NAMES, "execute", "name", "args", "content", "file"])

#: References and the characters that they represent.
REFERENCES: Final = (
    *(("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'")),
    *(("&#9;", "\t"), ("&#13;", "\r"), ("&#65;", "A"), ("&#x41;", "A"), ("&#xe9;", "é")),
    *(("&#xE9;", "é"), ("&#0000000093;", "]"), ("&#x000000003E;", ">"), ("&#xD7FF;", "\ud7ff")),
    *(("&#xFFFD;", "\ufffd"), ("&#x1F600;", "\U0001f600"), ("&#x10FFFF;", "\U0010ffff")),
)

#: Character data that may confuse.
PLAIN: Final = (
    *("]]", "]", ">", "/>", "-->", "'\"", "amp;", "\n", "\r\n", "\t", "\r", " ", "  ", "\x7f"),
    *("\x85", "\u2028", "\ufeff", "\ufffd", "é", "\U0001f600", "§end", "\n§end\n", "[SYSTEM: x]"),
    *('{"name": "a", "args": {}}', "1", "true", "[[", "\\n"),
)

#: Text that only a CDATA section may contain.
SECTIONS: Final = (
    *("", "]", "]]", "]] >", "<b>hi</b>", "</execute>", "</w></execute><end>", "<![CDATA["),
    *("&amp;", "&", "<", ">", "é\r\n"),
)

plain_text = st.text(st.sampled_from("abcxyz 019/{}[]>:;,#'\"é日😀\n"), max_size=10)


def _section(content: str) -> tuple[str, str]:
    return f"<![CDATA[{content}]]>", content


sections = st.one_of(st.sampled_from(SECTIONS), plain_text).filter(lambda text: "]]>" not in text)
pieces = st.one_of(
    plain_text.map(lambda text: (text, text)),
    st.sampled_from(PLAIN).map(lambda text: (text, text)),
    st.sampled_from(REFERENCES),
    sections.map(_section),
)


def _joined(parts: list[tuple[str, str]]) -> tuple[str, str]:
    return "".join(source for source, _ in parts), "".join(value for _, value in parts)


def _may_stand(pair: tuple[str, str]) -> bool:
    """Whether no `]]>` is in the character data of the source."""
    return "]]>" not in re.sub(r"(?s)<!\[CDATA\[.*?\]\]>|&", "|", pair[0])


#: The source of an argument's text, and its value.
texts: st.SearchStrategy[tuple[str, str]] = (
    st.lists(pieces, max_size=4).map(_joined).filter(_may_stand)
)


# --- Blocks -----------------------------------------------------------------------------------


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


@st.composite
def _arguments(draw: st.DrawFn, name: str) -> Argument:
    source, value = draw(texts)
    return Argument(name, source, value)


@st.composite
def tools(draw: st.DrawFn, least: int = 0) -> Tool:
    """Draw a tool element with at least so many arguments; shrinks to `<a/>`."""
    called = draw(st.lists(argument_names, min_size=least, max_size=max(3, least), unique=True))
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
    called = draw(st.lists(tools(least_args), min_size=least, max_size=max(4, least)))
    return write_block(called, draw(white))


# --- Faults -----------------------------------------------------------------------------------

SYNTAX, FORBIDDEN = "xml-syntax", "xml-forbidden"

#: Text that may not be between tools.
BETWEEN_TOOLS: Final = {
    SYNTAX: (
        *("‸\0", "‸\uffff", "<‸1/>", "<‸ a/>", "<‸>", "<‸<a/>", "<‸:a/>", "</‸a>"),
        *("</‸ execute>", "</‸Execute>", "</execute‸s>", "</execute‸ >"),
    ),
    FORBIDDEN: (
        *("‸hello", "‸[", '‸{"name": "a"}', "‸&amp;", "‸>", "‸\u00a0", "<‸!-- no -->"),
        *("<‸!DOCTYPE a>", "<‸![CDATA[a]]>", "<‸?xml?>"),
    ),
}
#: Tools that may not be there; the path of each has the number of the tool.
BAD_TOOLS: Final = {
    SYNTAX: (
        *("<n‸:a/>", "<a/‸ >", "<a/‸x>", "<a‸<", "<a‸&gt;", "<a‸=", "<a ‸1>", "<a \n‸='1'>"),
        *("<a‸\0>", "<a‸\u00d7>", "<execute‸:a/>"),
    ),
    FORBIDDEN: ("<a ‸x='1'/>", "<a \t ‸é/>", "<execute‸>", "<execute‸/>", "<execute‸\n>"),
}
#: Text that may not be between arguments.
BETWEEN_ARGUMENTS: Final = {
    SYNTAX: (
        *("‸\x1f", "<‸1>", "<‸ z>", "<‸>", "<z‸:a>", "<z/‸ >", "<z ‸2>", "<z‸</z>", "</‸ "),
        *("</‸>", "</‸1"),
    ),
    FORBIDDEN: (
        *("‸hello", "‸&lt;", "‸{", "‸]]>", "<‸!-- no -->", "<‸![CDATA[a]]>", "<‸?a?>"),
        *("<z ‸x='1'>", "<z\n‸_"),
    ),
}
#: Text that may not be in the value of an argument.
IN_TEXT: Final = {
    SYNTAX: (
        *("<‸ b", "<‸1", "<‸<", "<!‸x", "<![‸cdata[", "<![CDATA‸<", "<![CDATA[a‸\0]]>"),
        *("]]‸>", "&‸ ", "&‸&", "&‸;", "&‸nbsp;", "&am‸;", "&lt‸ ", "&‸AMP;", "&quo‸;"),
        *("&amp‸ersand;", "&#‸;", "&#‸X41;", "&#x‸;", "&#6‸a;", "&#0‸;", "&#x1F‸;"),
        *("&#xD800‸;", "&#xFFFF‸;", "&#x11000‸0;", "&#111411‸2;", "&#999999‸99;", "</‸1"),
        *("</‸ ", "‸\0", "‸\x0b", "‸\ufffe"),
    ),
    FORBIDDEN: ("<‸b>", "<‸_", "<‸?a?>", "<!‸-- no -->", "<!‸DOCTYPE a>"),
}

TABLES: Final = {"block": BETWEEN_TOOLS, "tool": BETWEEN_ARGUMENTS, "argument": IN_TEXT}


@st.composite
def _put_in(draw: st.DrawFn, block: Block, code: str) -> Written:
    """Put something with this fault where elements or text may be."""
    place = draw(st.sampled_from(block.places))
    bad_tools = BAD_TOOLS[code] if place.kind == "block" else ()
    row = draw(st.sampled_from((*TABLES[place.kind][code], *bad_tools)))
    text, at = pointed(row)
    struck = block.struck(place.offset, text, code, at)
    if row in bad_tools:
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
