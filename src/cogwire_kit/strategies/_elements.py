# SPDX-License-Identifier: MIT
"""Tools of `xml-elements`, valid or with one fault: they are elements, and values are strings."""

import re
from typing import Final

from hypothesis import strategies as st

from cogwire_kit.strategies._wire import white

# --- Names and texts --------------------------------------------------------------------------

#: Names that XML allows, some of them only since its fifth edition.
NAMES: Final = (
    *("a", "read", "write", "end", "think", "Execute", "executes", "_", "a-b.c", "a1", "é"),
    *("e\u0301", "x\u00b7y", "日本語", "x\u203f", "\U00010000"),
)
names = st.sampled_from(NAMES)
#: Only a tool may not be called so.
argument_names = st.sampled_from([*NAMES, "execute", "name", "args", "content", "file"])

#: References to characters.
REFERENCES: Final = (
    *("&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#9;", "&#13;", "&#65;", "&#x41;", "&#xe9;"),
    *("&#xE9;", "&#0000000093;", "&#x000000003E;", "&#xD7FF;", "&#xFFFD;", "&#x1F600;"),
    "&#x10FFFF;",
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


sections = st.one_of(st.sampled_from(SECTIONS), plain_text).filter(lambda text: "]]>" not in text)
pieces = st.one_of(
    plain_text,
    st.sampled_from((*PLAIN, *REFERENCES)),
    sections.map(lambda text: f"<![CDATA[{text}]]>"),
)


def _may_stand(source: str) -> bool:
    """Whether no `]]>` is in the character data of a source."""
    return "]]>" not in re.sub(r"(?s)<!\[CDATA\[.*?\]\]>|&", "|", source)


#: The text of an argument.
texts: st.SearchStrategy[str] = st.lists(pieces, max_size=4).map("".join).filter(_may_stand)


# --- Tools ------------------------------------------------------------------------------------


@st.composite
def element(draw: st.DrawFn, name: str, inside: str, gap: str = "") -> str:
    """Write an element, with white space in its tags; an empty one may be one tag."""
    if not inside and draw(st.booleans()):
        return f"<{name}{gap}/>"
    return f"<{name}{gap}>{inside}</{name}{gap}>"


@st.composite
def tools(draw: st.DrawFn, name: str, *others: str, least: int = 0) -> str:
    """Draw a tool element with at least so many arguments, and others among them."""
    gap = draw(white)
    called = draw(st.lists(argument_names, min_size=least, max_size=max(3, least), unique=True))
    args = [draw(element(each, draw(texts), gap)) for each in called]
    inside = "".join(f"{each}{gap}" for each in draw(st.permutations([*args, *others])))
    return draw(element(name, f"{gap}{inside}" if inside else "", gap))


any_tools = names.flatmap(tools)


# --- Faults -----------------------------------------------------------------------------------

CODES = SYNTAX, FORBIDDEN, TWINS = "xml-syntax", "xml-forbidden", "duplicate-arg"

#: Text that may not be between tools.
BETWEEN_TOOLS: Final = {
    SYNTAX: (
        *("\0", "\uffff", "<1/>", "< a/>", "<>", "<<a/>", "<:a/>", "</a>"),
        *("</ execute>", "</Execute>", "</executes>", "</execute >"),
    ),
    FORBIDDEN: (
        *("hello", "[", '{"name": "a"}', "&amp;", ">", "\u00a0", "<!-- no -->"),
        *("<!DOCTYPE a>", "<![CDATA[a]]>", "<?xml?>"),
    ),
}
#: Tools that may not be there; the path of each has the number of the tool.
BAD_TOOLS: Final = {
    SYNTAX: (
        *("<n:a/>", "<a/ >", "<a/x>", "<a<", "<a&gt;", "<a=", "<a 1>", "<a \n='1'>"),
        *("<a\0>", "<a\u00d7>", "<execute:a/>"),
    ),
    FORBIDDEN: ("<a x='1'/>", "<a \t é/>", "<execute>", "<execute/>", "<execute\n>"),
}
#: Text that may not be between arguments.
BETWEEN_ARGUMENTS: Final = {
    SYNTAX: (
        *("\x1f", "<1>", "< z>", "<>", "<z:a>", "<z/ >", "<z 2>", "<z</z>", "</ "),
        *("</>", "</1"),
    ),
    FORBIDDEN: (
        *("hello", "&lt;", "{", "]]>", "<!-- no -->", "<![CDATA[a]]>", "<?a?>"),
        *("<z x='1'>", "<z\n_"),
    ),
}
#: Text that may not be in the value of an argument.
IN_TEXT: Final = {
    SYNTAX: (
        *("< b", "<1", "<<", "<!x", "<![cdata[", "<![CDATA<", "<![CDATA[a\0]]>"),
        *("]]>", "& ", "&&", "&;", "&nbsp;", "&am;", "&lt ", "&AMP;", "&quo;"),
        *("&ampersand;", "&#;", "&#X41;", "&#x;", "&#6a;", "&#0;", "&#x1F;"),
        *("&#xD800;", "&#xFFFF;", "&#x110000;", "&#1114112;", "&#99999999;", "</1"),
        *("</ ", "\0", "\x0b", "\ufffe"),
    ),
    FORBIDDEN: ("<b>", "<_", "<?a?>", "<!-- no -->", "<!DOCTYPE a>"),
}

TABLES: Final = {"block": BETWEEN_TOOLS, "tool": BETWEEN_ARGUMENTS, "argument": IN_TEXT}


@st.composite
def _wrong_ends(draw: st.DrawFn) -> str:
    """Draw a tool whose end tag is that of another, or of the block."""
    name = draw(names)
    inside = f"<{name}>{draw(element(draw(argument_names), draw(texts)))}"
    # No name goes on with a character that begins none.
    end = draw(st.sampled_from("×!</'\0"))
    return inside + draw(
        st.sampled_from(["</execute>", f"</{name[: draw(st.integers(0, len(name)))]}{end}"])
    )


@st.composite
def _twins(draw: st.DrawFn) -> str:
    """Draw a tool with two arguments of one name."""
    name, after = draw(argument_names), draw(st.sampled_from([">", "/>", " >", "\n/>", "><", ">1"]))
    arg = draw(element(name, draw(texts)))
    return f"<{draw(names)}>{arg}{draw(white)}<{name}{after}"


@st.composite
def bad_tools(draw: st.DrawFn, code: str) -> str:
    """Draw a tool with a fault of grammar, or other text where a tool may be."""
    if code == TWINS:
        return draw(_twins())
    kinds = [*TABLES, "tools", *(["end", "control"] if code == SYNTAX else [])]
    kind = draw(st.sampled_from(kinds))
    if kind == "end":
        return draw(_wrong_ends())
    if kind == "control":
        tool = draw(any_tools)
        place = draw(st.integers(0, len(tool)))
        return tool[:place] + draw(st.sampled_from(["\0", "\x08", "\x1f", "\ufffe"])) + tool[place:]
    row = draw(st.sampled_from((BAD_TOOLS if kind == "tools" else TABLES[kind])[code]))
    if kind == "tool":
        return draw(tools(draw(names), row))
    if kind == "argument":
        name = draw(argument_names)
        arg = f"<{name}>{draw(texts)}{row}{draw(texts)}</{name}>"
        return f"<{draw(names)}>{draw(white)}{arg}</"
    return row
