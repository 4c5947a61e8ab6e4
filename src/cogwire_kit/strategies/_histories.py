# SPDX-License-Identifier: MIT
"""Histories as an agent stores them, with orphans and interruptions, and their messages.

Everything follows from spec/messages.md, and is made without an assembler: msg-joint, msg-segments,
msg-block, msg-end, msg-results, msg-bodies, msg-merge, msg-joined and the clauses named below.
"""

import functools
import json
from typing import Any, NamedTuple

from hypothesis import strategies as st

from cogwire_kit.strategies._wire import DIALECTS, LINES, Event

# --- Writing ----------------------------------------------------------------------------------

#: The answer to a call without a result (msg-orphan).
CANCELLED = "Cancelled: this call has no result."


class Call(NamedTuple):
    """A call of a tool with at most one argument, a string without markup."""

    name: str
    args: dict[str, str]

    @property
    def content(self) -> str:
        """The content of its event."""
        return json.dumps({"name": self.name, "args": self.args}, ensure_ascii=False)

    @property
    def element(self) -> str:
        """Its element (xe-write-tool)."""
        inside = "".join(f"<{name}>{value}</{name}>" for name, value in self.args.items())
        return f"<{self.name}>{inside}</{self.name}>" if inside else f"<{self.name}/>"


class Item(NamedTuple):
    """An item of results; a tool returns a plain text or a number."""

    tool: str
    is_success: bool
    content: str | int

    @property
    def text(self) -> str:
        """The item as JSON."""
        status = "success" if self.is_success else "failure"
        whole = {"tool": self.tool, "status": status, "content": self.content}
        return json.dumps(whole, ensure_ascii=False)

    @property
    def body(self) -> str:
        """The item as the body of a result (dl-write-plain, dl-write-json, dl-write-item)."""
        return str(self.content) if self.is_success else self.text


class Text(NamedTuple):
    """A text as it is stored, as it is written, and the codes of the changes in the report."""

    stored: str
    written: str
    changes: tuple[str, ...]


class Piece(NamedTuple):
    """A part of a message; `ends` means that it ends a turn by itself."""

    role: str
    kind: str
    text: str
    ends: bool


class HistoryWriter:
    """Writes events, and the messages and the report that must be made from them."""

    def __init__(self, dialect: str) -> None:
        self.dialect = dialect
        self.by_lines = dialect in LINES
        self.joint = "\n" if self.by_lines else "\n\n"
        self.events: list[Event] = []
        self.report: list[tuple[int, str]] = []
        self._pieces: list[Piece] = []

    # --- Stored events -----------------------------------------------------------------------

    def store(self, kind: str, **members: Any) -> int:
        """Store an event; return its place."""
        self.events.append({"type": kind, **members})
        return len(self.events) - 1

    def store_calls(self, calls: list[Call]) -> list[int]:
        """Store calls; return their places."""
        return [self.store("call", content=call.content) for call in calls]

    def store_result(self, items: list[Item]) -> int:
        """Store a result with these items."""
        return self.store("result", content=_array(items))

    def store_error(self, code: str, raw: str) -> None:
        """Store an error with its `raw`."""
        self.store("error", code=code, content="No.", offset=0, calls=0, raw=raw)

    # --- Written messages ---------------------------------------------------------------------

    def change(self, index: int, *codes: str) -> None:
        """Expect entries in the report."""
        self.report += [(index, code) for code in codes]

    def write(self, role: str, kind: str, text: str, index: int, *, ends: bool = False) -> None:
        """Expect a part of a message; a boundary that is lost is reported (msg-joined)."""
        before = self._pieces[-1].kind if self._pieces else ""
        if (before, kind) == ("user", "user"):
            self.change(index, "joined")
        if self.dialect == "delimiter" and (before, kind) == ("results", "user"):
            text = f"{self.marker('end')}\n{text}"  # msg-after-results
        self._pieces.append(Piece(role, kind, text, ends))

    def text(self, kind: str, text: Text, **members: Any) -> None:
        """Store a `user`, a `think` or a `respond`, and expect its written form."""
        index = self.store(kind, content=text.stored, **members)
        self.change(index, *text.changes)
        if text.written:
            role = "user" if kind == "user" else "assistant"
            self.write(role, kind, self.segment(kind, text.written), index)

    def segment(self, kind: str, text: str) -> str:
        """Return a text after its marker, or between its tags."""
        if kind == "user" or (kind == "respond" and not self.by_lines):
            return text
        return f"{self.marker(f'{kind}:')} {text}" if self.by_lines else f"<think>{text}</think>"

    def marker(self, word: str) -> str:
        """Return a marker of the line dialects."""
        return "§" + (word.upper() if self.dialect == "delimiter-upper" else word)

    def block(self, calls: list[Call], index: int) -> None:
        """Expect a block (msg-block, msg-empty-block)."""
        self.write("assistant", "block", self.written_block(calls), index, ends=True)

    def written_block(self, calls: list[Call]) -> str:
        """Return the plain writing of a block."""
        if self.by_lines:
            lines = [f"{self.marker('call:')} {call.content}" for call in calls]
            return "\n".join([*lines, self.marker("execute")])
        if self.dialect == "xml-elements":
            return "<execute>\n" + "".join(f"  {call.element}\n" for call in calls) + "</execute>"
        array = "[\n  " + ",\n  ".join(call.content for call in calls) + "\n]" if calls else "[]"
        return f"<execute>\n{array}\n</execute>"

    def results(self, items: list[Item], index: int, *, is_stored: bool = True) -> None:
        """Expect results: as they are stored, or as they are made here."""
        if self.by_lines:
            bodies = [item.body for item in items] or ["[]"]
            upper = self.dialect == "delimiter-upper"
            text = "\n".join(
                f"[SYSTEM: {each}]" if upper else f"§result: {each}" for each in bodies
            )
        else:
            text = f"<results>\n{_array(items) if is_stored else _lines(items)}\n</results>"
        self.write("user", "results", text, index)

    def orphans(self, calls: list[Call], indices: list[int]) -> None:
        """Expect calls that are answered as cancelled (msg-orphan)."""
        if calls:
            self.block(calls, indices[0])
            self.cancelled(calls, indices)

    def cancelled(self, calls: list[Call], indices: list[int]) -> None:
        """Expect the answer of calls that have no result."""
        for index in indices:
            self.change(index, "orphan")
        failures = [Item(call.name, is_success=False, content=CANCELLED) for call in calls]
        self.results(failures, indices[0], is_stored=False)

    def stand_in(self, index: int) -> None:
        """Expect an empty think where results would follow a user's text (msg-stand-in)."""
        if self._pieces and self._pieces[-1].role == "user":
            text = self.marker("think:") if self.by_lines else "<think></think>"
            self.write("assistant", "think", text, index)

    def messages(self) -> list[dict[str, str]]:
        """Return the messages: the parts of one role in a row are one (msg-roles)."""
        runs: list[list[Piece]] = []
        for piece in self._pieces:
            if not runs or runs[-1][-1].role != piece.role:
                runs.append([])
            runs[-1].append(piece)
        return [{"role": run[0].role, "content": self._joined(run)} for run in runs]

    def _joined(self, run: list[Piece]) -> str:
        text = self.joint.join(piece.text for piece in run)
        is_open = self.by_lines and run[0].role == "assistant" and not run[-1].ends
        return text + ("\n" + self.marker("end") if is_open else "")


def _array(items: list[Item]) -> str:
    return "[" + ", ".join(item.text for item in items) + "]"


def _lines(items: list[Item]) -> str:
    return "[\n  " + ",\n  ".join(item.text for item in items) + "\n]"


# --- Histories --------------------------------------------------------------------------------


class History(NamedTuple):
    """Events as they are stored, the messages made from them, and the report.

    An entry of `report` is the place of its event and a code, in ascending order.  `users` has the
    written texts of the user, in order, each of which occurs once.
    """

    dialect: str
    events: list[Event]
    messages: list[dict[str, str]]
    report: list[tuple[int, str]]
    users: list[str]


# --- Texts ------------------------------------------------------------------------------------

#: Texts that are written unchanged, whatever their role.
PLAIN = [
    "Hello",
    "a < b & c",
    "two\n\nlines",
    "See &lt;execute>.",
    "5 §",
    "naïve 日本",
    "</execute>",
]

#: Parts that a kind of text may contain once, and the different form in which they are written.
LIVE_IN: dict[str, dict[bool, list[tuple[str, str]]]] = {
    "user": {
        False: [("<results>", "&lt;results>"), ("</Results>", "&lt;/Results>")],
        True: [("\n§Result: x", "\n&sect;Result: x"), ("\n \t[SYSTEM: x]", "\n \t&#91;SYSTEM: x]")],
    },
    "think": {
        False: [("</think>", "&lt;/think>")],
        True: [("\n§end\n", "\n&sect;end\n"), ("\n§CALL: {}", "\n&sect;CALL: {}")],
    },
    "respond": {
        False: [("<think>", "&lt;think>"), ("<execute>", "&lt;execute>"), ("<end>", "&lt;end>")],
        True: [("\n§execute\n", "\n&sect;execute\n"), ("\n [SYSTEM: x", "\n &#91;SYSTEM: x")],
    },
}


@st.composite
def texts(draw: st.DrawFn, kind: str, dialect: str, beginning: str = "") -> Text:
    """Draw a text; white space around it is left out, and live markers are written literally."""
    first, last = draw(st.sampled_from(PLAIN)), "."
    live, literal = draw(st.sampled_from([("", ""), ("", ""), *LIVE_IN[kind][dialect in LINES]]))
    changes = ("neutralised",) if live else ()
    before, after = draw(st.sampled_from([("", ""), ("", ""), ("", "\n"), (" \t", "\r\n")]))
    trimmed = ("trimmed",) if before or after else ()
    stored, written = (beginning + first + each + last for each in (live, literal))
    return Text(before + stored + after, written, trimmed + changes)


# --- Turns ------------------------------------------------------------------------------------

calls = st.builds(
    Call,
    st.sampled_from(["a", "read", "ls"]),
    st.sampled_from([{}, {"x": "1"}, {"file": "a.txt"}, {"x": "two words"}]),
)
batches = st.lists(calls, min_size=1, max_size=3)


@st.composite
def items(draw: st.DrawFn, call: Call) -> Item:
    """Draw the item that answers a call."""
    content: st.SearchStrategy[str | int] = st.sampled_from(["ok", "two\nlines", 42])
    if draw(st.booleans()):
        return Item(call.name, is_success=True, content=draw(content))
    return Item(call.name, is_success=False, content=draw(st.sampled_from(["no", ""])))


class _Drawn:
    """One history as it is drawn, part by part."""

    def __init__(self, draw: st.DrawFn, dialect: str) -> None:
        self.draw = draw
        self.to = HistoryWriter(dialect)
        self.users: list[str] = []

    def user(self) -> None:
        """Store a text of the user, perhaps after one of white space only (msg-trim)."""
        if self.draw(st.integers(0, 9)) == 9:
            self.to.text("user", Text(" \n", "", ("dropped",)))
        text = self.draw(texts("user", self.to.dialect, f"({len(self.users)}) "))
        self.users.append(text.written)
        self.to.text("user", text)

    def noise(self) -> None:
        """Store an event that is in no message (msg-ignored)."""
        kind = self.draw(st.sampled_from(["none", "none", "none", "metric", "interrupt"]))
        if kind == "metric":
            self.to.store("metric", total={"input": 1, "output": 2})
        elif kind == "interrupt":
            self.to.store("interrupt")

    def speak(self, *, must: bool = False) -> None:
        """Store a think and prose at the start of a turn, if any."""
        kinds = [(), ("think",), ("respond",), ("think", "respond")]
        for kind in self.draw(st.sampled_from(kinds[must:])):
            self.to.text(kind, self.draw(texts(kind, self.to.dialect)))
            self.noise()

    def answered(self, called: list[Call]) -> list[Item]:
        """Draw an item for each call."""
        return [self.draw(items(call)) for call in called]

    def asked(self) -> tuple[list[Call], list[int]]:
        """Store calls, and perhaps that they may run, which storage does not keep (msg-storage)."""
        called = self.draw(batches)
        indices = self.to.store_calls(called)
        if self.draw(st.booleans()):
            self.to.store("execute")
        self.noise()
        return called, indices

    # Each of these parts ends with results, so that another turn or a user may follow.

    def whole(self) -> None:
        """Store a batch with its results (msg-batch, msg-results)."""
        self.speak()
        called, indices = self.asked()
        self.to.block(called, indices[0])
        answer = self.answered(called)
        self.to.results(answer, self.to.store_result(answer))

    def empty(self) -> None:
        """Store results without items, of a block without calls (msg-empty-block)."""
        self.speak()
        index = self.to.store_result([])
        self.to.block([], index)
        self.to.results([], index)

    def fewer(self) -> None:
        """Store results of the last calls; earlier ones were left of a turn (msg-fewer)."""
        self.speak()
        called, indices = self.asked()
        kept = self.draw(st.integers(1, len(called)))
        earlier = len(called) - kept
        self.to.orphans(called[:earlier], indices[:earlier])
        self.to.block(called[earlier:], indices[earlier])
        answer = self.answered(called[earlier:])
        self.to.results(answer, self.to.store_result(answer))

    def more(self) -> None:
        """Store results with items of no call, which are left out (msg-surplus)."""
        self.speak()
        called, indices = self.asked()
        self.to.block(called, indices[0])
        answer = self.answered(called)
        index = self.to.store_result([*answer, *self.answered(self.draw(batches))])
        self.to.change(index, "surplus")
        self.to.results(answer, index, is_stored=False)

    def stopped(self) -> None:
        """Store a batch that was cancelled, and its results after that (msg-cancelled)."""
        self.speak()
        called, indices = self.asked()
        self.to.store("cancelled")
        self.to.block(called, indices[0])
        kept = self.draw(st.integers(1, len(called)))
        answer = self.answered(called[-kept:])
        index = self.to.store_result(answer)
        missing = called[:-kept]
        for orphan in indices[: len(missing)]:
            self.to.change(orphan, "orphan")
        failures = [Item(call.name, is_success=False, content=CANCELLED) for call in missing]
        self.to.results([*failures, *answer], index, is_stored=not missing)

    def void(self) -> None:
        """Store a void block: its calls are not written, its answer is (msg-void)."""
        self.speak()
        self.to.store_calls(self.draw(st.lists(calls, max_size=2)))
        answer = [Item("execute", is_success=False, content="The array is not closed.")]
        index = self.to.store_result(answer)
        self.to.change(index, "void")
        self.to.stand_in(index)
        self.to.results(answer, index)

    def replayed(self) -> None:
        """Store a batch whose events all carry `raw`, and its results (msg-replay)."""
        call = self.draw(calls)
        opening, closing = self._raws(call)
        prose = "" if self.to.by_lines else self.draw(st.sampled_from(["Hi. ", "\n\nHi.\n"]))
        if prose:
            self.to.store("respond", content=prose.strip(), raw=prose)
        self.to.store("call", content=call.content, raw=opening)
        index = self.to.store("execute", raw=closing)
        self.to.write("assistant", "replay", prose + opening + closing, index, ends=True)
        answer = self.answered([call])
        self.to.results(answer, self.to.store_result(answer))

    def _raws(self, call: Call) -> tuple[str, str]:
        gap = self.draw(st.sampled_from(["", " ", "\n"]))
        if self.to.by_lines:
            return f"§Call:{gap}{call.content}", f" {gap}§EXECUTE"
        if self.to.dialect == "xml-elements":
            return f"<execute>{gap}{call.element}", f"{gap}</execute>"
        return f"<execute>{gap}[{call.content}", f"{gap}]</execute>"

    def replayed_void(self) -> None:
        """Store a void block whose turn carries `raw`: it is closed (msg-replay-void)."""
        if self.to.by_lines:
            raw, closer = "§call: x", "\n" + self.to.marker("execute")
            self.to.store_error("json-syntax", raw)
            self.to.store("respond", content="x", raw="")
        else:
            raw, closer = "<execute>x", "\n</execute>"
            code = "xml-forbidden" if self.to.dialect == "xml-elements" else "not-array"
            self.to.store_error(code, raw)
        answer = [Item("execute", is_success=False, content="No.")]
        self.to.write("assistant", "replay", raw + closer, 0, ends=True)
        self.to.results(answer, self.to.store_result(answer))

    # These are before a user's text, or at the end.

    def orphaned(self) -> None:
        """Store calls that are not followed by their results (msg-orphan)."""
        self.speak()
        called, indices = self.asked()
        self.to.orphans(called, indices)
        if self.draw(st.booleans()):
            self.to.store("cancelled")
        self.user()

    def unasked(self) -> None:
        """Store results of no call, which are left out (msg-surplus)."""
        index = self.to.store_result(self.answered(self.draw(batches)))
        self.to.change(index, "surplus")

    def prose(self) -> None:
        """Store a turn without calls."""
        self.speak(must=True)
        if self.draw(st.booleans()):
            self.to.store("end")

    def open(self) -> None:
        """Store calls that may still be running (msg-open)."""
        self.speak()
        called, indices = self.asked()
        self.to.block(called, indices[0])


#: What may follow a text of the user or results.
TURNS = [
    "whole",
    "whole",
    "empty",
    "fewer",
    "more",
    "stopped",
    "void",
    "replayed",
    "replayed_void",
    "orphaned",
]


@st.composite
def _histories(draw: st.DrawFn, dialect: str) -> History:
    drawn = _Drawn(draw, dialect)
    if draw(st.integers(0, 4)) == 0:
        # A window of a history begins between a call and its result.
        drawn.unasked()
    drawn.user()
    for _ in range(draw(st.integers(0, 4))):
        getattr(drawn, draw(st.sampled_from(TURNS)))()
        drawn.noise()
        way = draw(st.sampled_from(["", "", "user", "prose"]))
        if way == "prose":
            drawn.prose()
        if way:
            drawn.user()
    last = draw(st.sampled_from(["", "prose", "open"]))
    if last:
        getattr(drawn, last)()
    written = drawn.to
    return History(dialect, written.events, written.messages(), sorted(written.report), drawn.users)


@functools.cache
def histories(dialect: str) -> st.SearchStrategy[History]:
    """Draw a history of several turns, complete and interrupted ones, with its messages and report.

    There are batches with results, more or fewer than the calls, and none; void, cancelled and
    empty ones; replays; users who continue before the results; trimmed or neutralised texts.
    Shrinks to one text of a user.  `ValueError` for an unknown dialect.
    """
    if dialect not in DIALECTS:
        raise ValueError(f"no dialect is called {dialect!r}")
    return _histories(dialect)


@st.composite
def cut_histories(draw: st.DrawFn, dialect: str) -> list[dict[str, Any]]:
    """Draw a window of a history without a few of its events, as after a crash.

    It has no expected messages, but every law of messages applies; shrinks to no events.
    """
    events = draw(histories(dialect)).events
    start, stop = sorted([draw(st.integers(0, len(events))), draw(st.integers(0, len(events)))])
    lost = draw(st.sets(st.integers(start, max(start, stop - 1)), max_size=2))
    return [
        event for place, event in enumerate(events) if start <= place < stop and place not in lost
    ]
