# SPDX-License-Identifier: MIT
"""The parts of every dialect: its markers, and its events in short form."""

import re
from typing import Any, Final, NamedTuple

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
