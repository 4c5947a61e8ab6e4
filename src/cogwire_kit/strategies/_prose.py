# SPDX-License-Identifier: MIT
"""Running text: white space, confusing prose, and the segments that it makes."""

from collections.abc import Callable

from hypothesis import strategies as st

from cogwire_kit.strategies._wire import WHITE, Event

#: White space, mostly none.
white = st.sampled_from(["", "", "", " ", "\n", "\n\n", "  ", "\t", "\r\n", " \n \t\r"])

#: Confusing parts of running text: near-markers, entities, rare characters.
NEAR = [
    "<",
    "<<",
    "</",
    ">",
    "</think>",
    "</execute>",
    "</results>",
    "</end>",
    "<THINK>",
    "< think>",
    "<think >",
    "<thi",
    "<think",
    "<execut",
    "<result",
    "<en",
    "<end/>",
    "<ex<execut",
    "&lt;think>",
    "&lt;execute&gt;",
    "&amp;",
    "```\n",
    '[{"name": "a", "args": {}}]',
    "§end",
    "\n§end",
    "\n §Execute",
    "§call: {",
    "§thin",
    "\n§",
    "&sect;end",
    "[SYSTEM: ",
    "\n[SYSTEM: ",
    "[system: ",
    "]\n",
    "]",
    "]]>",
    " ",
    "\n",
    "  \n\n",
    "\t",
    "\r\n",
    "\x0b",
    "\x1f",
    "\u0085",
    "\u00a0",
    "\u2028",
    "\ufeff",
    "\ufffd",
    "\0",
    "é",
    "e\u0301",
    "日本語",
    "\U0001f600",
    "\U0010ffff",
]

words = st.text(st.sampled_from("abc xyzé<>/&\n\"'{}[]\\😀"), max_size=8)
running = st.lists(st.one_of(st.sampled_from(NEAR), words), max_size=8).map("".join)


def segment(kind: Callable[[str], Event], text: str) -> list[Event]:
    """Return the event of a segment, if it produces one."""
    content = text.strip(WHITE)
    return [kind(content)] if content else []
