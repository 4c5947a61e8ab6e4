# SPDX-License-Identifier: MIT
"""Histories as an agent stores them, with orphans and interruptions, of which messages are made."""

import functools
import json
from typing import Any, Final

from hypothesis import strategies as st

from cogwire_kit.strategies._wire import DIALECTS, LINES, Event

# --- Texts ------------------------------------------------------------------------------------

#: Texts that are written unchanged, whatever their role.
PLAIN: Final = (
    *("Hello", "a < b & c", "two\n\nlines", "See &lt;execute>.", "5 §", "naïve 日本", "</execute>"),
)
#: Parts that a kind of text may contain once, and that are written in a different form: between
#: tags, and line by line.
LIVE_IN: Final[dict[str, tuple[list[str], list[str]]]] = {
    "user": (["<results>", "</Results>"], ["\n§Result: x", "\n \t[SYSTEM: x]"]),
    "think": (["</think>"], ["\n§end\n", "\n§CALL: {}"]),
    "respond": (["<think>", "<execute>", "<end>"], ["\n§execute\n", "\n [SYSTEM: x"]),
}


@st.composite
def texts(draw: st.DrawFn, kind: str, dialect: str) -> str:
    """Draw a text; white space around it is left out, and live markers are written literally."""
    live = draw(st.sampled_from(["", "", *LIVE_IN[kind][dialect in LINES]]))
    before, after = draw(st.sampled_from([("", ""), ("", ""), ("", "\n"), (" \t", "\r\n")]))
    return f"{before}{draw(st.sampled_from(PLAIN))}{live}.{after}"


# --- Turns ------------------------------------------------------------------------------------

calls = st.builds(
    lambda name, args: {"name": name, "args": args},
    st.sampled_from(["a", "read", "ls"]),
    st.sampled_from([{}, {"x": "1"}, {"file": "a.txt"}, {"x": "two words"}]),
)
batches = st.lists(calls, min_size=1, max_size=3)
outcomes = st.one_of(
    st.sampled_from(["ok", "two\nlines", 42]).map(lambda content: ("success", content)),
    st.sampled_from(["no", ""]).map(lambda content: ("failure", content)),
)


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


class _Drawn:
    """One history as it is drawn, part by part."""

    def __init__(self, draw: st.DrawFn, dialect: str) -> None:
        self.draw = draw
        self.dialect = dialect
        self.events: list[Event] = []
        self._users = 0

    def store(self, kind: str, **members: Any) -> None:
        self.events.append({"type": kind, **members})

    def user(self) -> None:
        """Store a text of the user, perhaps after one of white space only (msg-trim)."""
        if self.draw(st.integers(0, 9)) == 9:
            self.store("user", content=" \n")
        text = self.draw(texts("user", self.dialect))
        gap = text[: len(text) - len(text.lstrip())]
        self.store("user", content=f"{gap}({self._users}) {text.lstrip()}")
        self._users += 1

    def noise(self) -> None:
        """Store an event that is in no message (msg-ignored)."""
        kind = self.draw(st.sampled_from(["none", "none", "none", "metric", "interrupt"]))
        if kind == "metric":
            self.store("metric", total={"input": 1, "output": 2})
        elif kind == "interrupt":
            self.store("interrupt")

    def speak(self, *, must: bool = False) -> None:
        """Store a think and prose at the start of a turn, if any."""
        kinds = [(), ("think",), ("respond",), ("think", "respond")]
        for kind in self.draw(st.sampled_from(kinds[must:])):
            self.store(kind, content=self.draw(texts(kind, self.dialect)))
            self.noise()

    def asked(self) -> list[dict[str, Any]]:
        """Store calls, and perhaps that they may run, which storage does not keep (msg-storage)."""
        self.speak()
        called = self.draw(batches)
        for call in called:
            self.store("call", content=_written(call))
        if self.draw(st.booleans()):
            self.store("execute")
        self.noise()
        return called

    def answer(self, called: list[dict[str, Any]]) -> None:
        items = []
        for call in called:
            status, content = self.draw(outcomes)
            items.append({"tool": call["name"], "status": status, "content": content})
        self.store("result", content=_written(items))

    def answer_void(self, message: str) -> None:
        """Store the answer to a void block."""
        item = {"tool": "execute", "status": "failure", "content": message}
        self.store("result", content=_written([item]))

    # Each of these parts ends with results, so that another turn or a user may follow.

    def whole(self) -> None:
        """Store a batch with its results (msg-batch, msg-results)."""
        self.answer(self.asked())

    def empty(self) -> None:
        """Store results without items, of a block without calls (msg-empty-block)."""
        self.speak()
        self.answer([])

    def fewer(self) -> None:
        """Store results of the last calls; earlier ones were left of a turn (msg-fewer)."""
        called = self.asked()
        self.answer(called[-self.draw(st.integers(1, len(called))) :])

    def more(self) -> None:
        """Store results with items of no call, which are left out (msg-surplus)."""
        self.answer([*self.asked(), *self.draw(batches)])

    def stopped(self) -> None:
        """Store a batch that was cancelled, and its results after that (msg-cancelled)."""
        called = self.asked()
        self.store("cancelled")
        self.answer(called[-self.draw(st.integers(1, len(called))) :])

    def void(self) -> None:
        """Store a void block: its calls are not written, its answer is (msg-void)."""
        self.speak()
        for call in self.draw(st.lists(calls, max_size=2)):
            self.store("call", content=_written(call))
        self.answer_void("The array is not closed.")

    def replayed(self) -> None:
        """Store a batch whose events all carry `raw`, and its results (msg-replay)."""
        call = self.draw(calls)
        gap = self.draw(st.sampled_from(["", " ", "\n"]))
        content = _written(call)
        raws = {
            "xml-json": (f"<execute>{gap}[{content}", f"{gap}]</execute>"),
            "xml-elements": (f"<execute>{gap}{_element(call)}", f"{gap}</execute>"),
        }
        opening, closing = raws.get(self.dialect, (f"§Call:{gap}{content}", f" {gap}§EXECUTE"))
        prose = self.draw(st.sampled_from(["", "Hi. ", "\n\nHi.\n"]))
        if prose and self.dialect not in LINES:
            self.store("respond", content=prose.strip(), raw=prose)
        self.store("call", content=content, raw=opening)
        self.store("execute", raw=closing)
        self.answer([call])

    def replayed_void(self) -> None:
        """Store a void block whose turn carries `raw`: it is closed (msg-replay-void)."""
        codes = {"xml-json": "not-array", "xml-elements": "xml-forbidden"}
        code = codes.get(self.dialect, "json-syntax")
        raw = "<execute>x" if self.dialect in codes else "§call: x"
        self.store("error", code=code, content="No.", offset=0, calls=0, raw=raw)
        if self.dialect in LINES:
            self.store("respond", content="x", raw="")
        self.answer_void("No.")

    # These are before a user's text, or at the end.

    def orphaned(self) -> None:
        """Store calls that are not followed by their results (msg-orphan)."""
        self.asked()
        if self.draw(st.booleans()):
            self.store("cancelled")
        self.user()

    def prose(self) -> None:
        """Store a turn without calls."""
        self.speak(must=True)
        if self.draw(st.booleans()):
            self.store("end")


def _element(call: dict[str, Any]) -> str:
    """Write a call as an element (xe-write-tool)."""
    inside = "".join(f"<{name}>{value}</{name}>" for name, value in call["args"].items())
    return f"<{call['name']}>{inside}</{call['name']}>" if inside else f"<{call['name']}/>"


#: What may follow a text of the user or results.
TURNS: Final = (
    *("whole", "whole", "empty", "fewer", "more", "stopped", "void", "replayed", "replayed_void"),
    "orphaned",
)


@st.composite
def _histories(draw: st.DrawFn, dialect: str) -> list[Event]:
    drawn = _Drawn(draw, dialect)
    if draw(st.integers(0, 4)) == 0:
        # A window of a history begins between a call and its result.
        drawn.answer(draw(batches))
    drawn.user()
    for _ in range(draw(st.integers(0, 4))):
        getattr(drawn, draw(st.sampled_from(TURNS)))()
        drawn.noise()
        way = draw(st.sampled_from(["", "", "user", "prose"]))
        if way == "prose":
            drawn.prose()
        if way:
            drawn.user()
    last = draw(st.sampled_from(["", "prose", "asked"]))
    if last:
        getattr(drawn, last)()
    return drawn.events


@functools.cache
def histories(dialect: str) -> st.SearchStrategy[list[Event]]:
    """Draw the events of several turns, complete and interrupted ones, as they are stored.

    There are batches with results, more or fewer than the calls, and none; void, cancelled and
    empty ones; replays; users who continue before the results; texts that are written in a
    different form.  Each text of a user begins with its number, such as `(0) `.  Shrinks to one
    text of a user.  `ValueError` for an unknown dialect.
    """
    if dialect not in DIALECTS:
        raise ValueError(f"no dialect is called {dialect!r}")
    return _histories(dialect)


@st.composite
def cut_histories(draw: st.DrawFn, dialect: str) -> list[Event]:
    """Draw a window of a history without a few of its events, as after a crash.

    Shrinks to no events.
    """
    events = draw(histories(dialect))
    start, stop = sorted([draw(st.integers(0, len(events))), draw(st.integers(0, len(events)))])
    lost = draw(st.sets(st.integers(start, max(start, stop - 1)), max_size=2))
    return [
        event for place, event in enumerate(events) if start <= place < stop and place not in lost
    ]
