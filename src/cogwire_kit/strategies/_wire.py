# SPDX-License-Identifier: MIT
"""The parts of every dialect: markers, running text, and documents with the ways to read them."""

import dataclasses
import functools
import re
from typing import Any, Final

from hypothesis import strategies as st

from cogwire import Limits, Parser

#: An event: a JSON object, an error without its message.
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
#: Input that becomes one U+FFFD: halves of surrogate pairs.
HALVES: Final = ("\ud83d", "\ude00", "\ud800", "\udfff")
#: A whole marker of the delimiter dialects; the text after the last two is not part of it.
MARKER: Final = re.compile(
    r"§(?:think:|call:|respond:|result:|(?:execute|end)(?=[ \t\n\r§]|\Z))|\[(?-i:SYSTEM): ",
    re.IGNORECASE | re.ASCII,
)


@dataclasses.dataclass(frozen=True)
class Document:
    """A text or bytes, how to read them, and the events that cogwire's parser emits.

    `options` has the `dialect`, the `mode` (`"turn"` or `"transcript"`), the `start` (`"prose"` or
    `"think"`) and, if a limit is crossed, the `limits`, such as `{"depth": 3}`.
    """

    data: str | bytes
    options: dict[str, Any]

    @property
    def events(self) -> list[Event]:
        """The events in the normal form (m-normal-form), of a turn that the model ended."""
        return self._read[0]

    @property
    def state(self) -> str:
        """Where the text stopped."""
        return self._read[1]

    @property
    def discarded(self) -> int:
        """How many code points follow a hard stop."""
        return self._read[2]

    @functools.cached_property
    def _read(self) -> tuple[list[Event], str, int]:
        limits = Limits(**self.options.get("limits", {}))
        parser = Parser(**self.options | {"limits": limits}, clock=None)
        events: list[Event] = [
            dict(each) for each in [*parser.feed(self.data), *parser.close(finished=True)]
        ]
        for event in events:
            if event["type"] == "error":
                del event["content"]
        return events, parser.state, parser.discarded


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


def crossed(code: str, deepest: int = 7) -> st.SearchStrategy[dict[str, Any]]:
    """Draw the option with the limit that a text of this code crosses, or none."""
    name = code.removeprefix("limit-")
    ranges = {"size": (1, 12), "calls": (1, 3), "depth": (1, deepest), "digits": (2, 8)}
    if name not in ranges:
        return st.just({})
    return st.integers(*ranges[name]).map(lambda most: {"limits": {name: most}})
