# SPDX-License-Identifier: MIT
"""The parts of every dialect: markers, running text, events in short form, ways to read it."""

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from hypothesis import strategies as st

#: An event in the normal form (m-normal-form): a JSON object, an error without its message.
Event = dict[str, Any]

#: Every dialect of the specification.
DIALECTS: Final = ("xml-json", "xml-elements", "delimiter", "delimiter-upper")
#: The dialects whose parts are between tags.
TAGS: Final = ("xml-json", "xml-elements")
#: The dialects whose parts begin with a marker at the start of a line.
LINES: Final = ("delimiter", "delimiter-upper")

#: White space, everywhere in the protocol.
WHITE: Final = " \t\n\r"
#: The tags that count in prose.
LIVE: Final = ("<think>", "<execute>", "<results>", "<end>")
#: A whole marker of the delimiter dialects; the text after the last two is not part of it.
MARKER: Final = re.compile(
    r"§(?:think:|call:|respond:|result:|(?:execute|end)(?=[ \t\n\r§]|\Z))|\[(?-i:SYSTEM): ",
    re.IGNORECASE | re.ASCII,
)


class Document(NamedTuple):
    """A text, how to read it, and its required events.

    `options` has the `dialect`, the `mode` (`"turn"` or `"transcript"`) and the `start`
    (`"prose"` or `"think"`).  `state` states where the text stopped, and `discarded` how many
    code points follow a hard stop.
    """

    text: str
    events: list[Event]
    state: str
    discarded: int
    options: dict[str, Any]


def think(content: str) -> Event:
    """Return the events of a think."""
    return {"type": "think", "content": content}


def respond(content: str) -> Event:
    """Return the events of prose."""
    return {"type": "respond", "content": content}


def call(content: str) -> Event:
    """Return the events of a call with this text."""
    return {"type": "call", "content": content}


def execute() -> Event:
    """Return the event that allows the calls before it to run."""
    return {"type": "execute"}


def end() -> Event:
    """Return the event that ends a turn."""
    return {"type": "end"}


def result(content: str, succeeded: int = 0, failed: int = 0, *, executed: int = -1) -> Event:
    """Return a result; `executed` is how many tools ran, where that is not the number of items."""
    executed = succeeded + failed if executed < 0 else executed
    payload = {"tools_executed": executed, "success_count": succeeded, "failure_count": failed}
    return {"type": "result", "content": content, "payload": payload}


def error(code: str, path: str | None = None, *, calls: int = 0, offset: int) -> Event:
    """Return an error; `path` is a JSON Pointer into the block, and `calls` how many it voids."""
    event: Event = {"type": "error", "code": code, "offset": offset, "calls": calls}
    return event if path is None else event | {"path": path}


# --- Running text -----------------------------------------------------------------------------

#: White space, mostly none.
white = st.sampled_from(["", "", "", " ", "\n", "\n\n", "  ", "\t", "\r\n", " \n \t\r"])

#: Confusing parts of running text: near-markers, entities, rare characters.
NEAR: Final = (
    *("<", "<<", "</", ">", "</think>", "</execute>", "</results>", "</end>", "<THINK>"),
    *("< think>", "<think >", "<thi", "<think", "<execut", "<result", "<en", "<end/>"),
    *("<ex<execut", "&lt;think>", "&lt;execute&gt;", "&amp;", "```\n"),
    *('[{"name": "a", "args": {}}]', "§end", "\n§end", "\n §Execute", "§call: {", "§thin", "\n§"),
    *("&sect;end", "[SYSTEM: ", "\n[SYSTEM: ", "[system: ", "]\n", "]", "]]>"),
    *(" ", "\n", "  \n\n", "\t", "\r\n", "\x0b", "\x1f", "\u0085", "\u00a0", "\u2028", "\ufeff"),
    *("\ufffd", "\0", "é", "e\u0301", "日本語", "\U0001f600", "\U0010ffff"),
)

words = st.text(st.sampled_from("abc xyzé<>/&\n\"'{}[]\\😀"), max_size=8)
running = st.lists(st.one_of(st.sampled_from(NEAR), words), max_size=8).map("".join)


def segment(kind: Callable[[str], Event], text: str) -> list[Event]:
    """Return the event of a segment, if it produces one."""
    content = text.strip(WHITE)
    return [kind(content)] if content else []


# --- The ways to read a text ------------------------------------------------------------------

modes = st.sampled_from(["turn", "transcript"])
starts = st.sampled_from(["prose", "prose", "think"])
streams = st.sampled_from(["event", "token"])
#: When calls are emitted.
calls = st.sampled_from(["shown", "sealed"])

#: The default limits (limits.md): size, calls, depth, digits.
DEFAULT_LIMITS: Final = (8_388_608, 256, 128, 1000)

#: The limits' defaults, or small ones that documents cross, in the same order.
limits: st.SearchStrategy[tuple[int, int, int, int]] = st.one_of(
    st.just(DEFAULT_LIMITS),
    st.tuples(st.integers(1, 200), st.integers(1, 3), st.integers(1, 6), st.integers(1, 5)),
    st.integers(1, 120).map(lambda size: (size, *DEFAULT_LIMITS[1:])),
)
