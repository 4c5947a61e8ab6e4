# SPDX-License-Identifier: MIT
"""Documents of `xml-elements`: blocks are elements, and every value is a string."""

import json
import re

from hypothesis import strategies as st

from cogwire_kit.strategies import _tags as tags
from cogwire_kit.strategies._prose import white
from cogwire_kit.strategies._wire import call, execute

#: Names that XML allows, some of them only since its fifth edition.
NAMES = [
    "a",
    "read",
    "write",
    "end",
    "think",
    "Execute",
    "executes",
    "_",
    "a-b.c",
    "a1",
    "é",
    "e\u0301",
    "x\u00b7y",
    "日本語",
    "x\u203f",
    "\U00010000",
]

names = st.sampled_from(NAMES)
#: Only a tool may not be called so.
argument_names = st.sampled_from([*NAMES, "execute", "name", "args", "content", "file"])

#: References and the characters that they represent.
REFERENCES = [
    ("&amp;", "&"),
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", '"'),
    ("&apos;", "'"),
    ("&#9;", "\t"),
    ("&#13;", "\r"),
    ("&#65;", "A"),
    ("&#x41;", "A"),
    ("&#xe9;", "é"),
    ("&#xE9;", "é"),
    ("&#0000000093;", "]"),
    ("&#x000000003E;", ">"),
    ("&#xD7FF;", "\ud7ff"),
    ("&#xFFFD;", "\ufffd"),
    ("&#x1F600;", "\U0001f600"),
    ("&#x10FFFF;", "\U0010ffff"),
]

#: Character data that may confuse.
PLAIN = [
    "]]",
    "]",
    ">",
    "/>",
    "-->",
    "'\"",
    "amp;",
    "\n",
    "\r\n",
    "\t",
    "\r",
    " ",
    "  ",
    "\x7f",
    "\x85",
    "\u2028",
    "\ufeff",
    "\ufffd",
    "é",
    "\U0001f600",
    "§end",
    "\n§end\n",
    "[SYSTEM: x]",
    '{"name": "a", "args": {}}',
    "[[",
    "\\n",
]

#: Text that only a CDATA section may contain.
SECTIONS = [
    "",
    "]",
    "]]",
    "]] >",
    "<b>hi</b>",
    "</execute>",
    "</w></execute><end>",
    "<![CDATA[",
    "&amp;",
    "&",
    "<",
    ">",
    "é\r\n",
]

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


@st.composite
def elements(draw: st.DrawFn, name: str, content: str) -> str:
    """Write one element; an empty one in any of the three ways."""
    space = draw(white)
    if not content and draw(st.booleans()):
        return f"<{name}{space}/>"
    return f"<{name}{space}>{content}</{name}{draw(white)}>"


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, str, str]:
    """Write one tool element; return the text, and the call as content and name."""
    name = draw(names)
    args: dict[str, str] = {}
    source, gap = "", draw(white)
    for argument in draw(st.lists(argument_names, max_size=3, unique=True)):
        text, args[argument] = draw(texts)
        source += gap + draw(elements(argument, text))
    written = {"name": name, "args": args}
    inside = source + gap if source else draw(st.sampled_from(["", "", " ", "\n"]))
    element = draw(elements(name, inside))
    return element, json.dumps(written, ensure_ascii=False), name


tiny_calls = st.sampled_from(
    [
        ("<a/>", '{"name": "a", "args": {}}', "a"),
        ("<b></b>", '{"name": "b", "args": {}}', "b"),
        ("<c><x>1</x></c>", '{"name": "c", "args": {"x": "1"}}', "c"),
        ("<d>\n<x/> </d >", '{"name": "d", "args": {"x": ""}}', "d"),
    ]
)


@st.composite
def blocks(draw: st.DrawFn) -> tags.Block:
    """Write a valid block; return its text, its events and the names of its calls."""
    batch = draw(st.lists(st.one_of(tiny_calls, calls()), max_size=5))
    gap = draw(white)
    text = "".join(gap + source for source, _, _ in batch) + gap
    events = [*(call(content) for _, content, _ in batch), execute()]
    return f"<execute>{text}</execute>", events, [name for _, _, name in batch]


turns = tags.turns(blocks())
transcripts = tags.transcripts(blocks())
