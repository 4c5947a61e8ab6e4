# SPDX-License-Identifier: MIT
"""Writes a history as an agent stores it and, beside it, its messages and its report.

Each part is written by its clause in spec/messages.md: msg-joint, msg-segments, msg-block, msg-end,
msg-results, msg-bodies, msg-merge, msg-joined and those named at the methods.
"""

import json
from typing import Any, NamedTuple

from cogwire_kit.strategies._wire import LINES, Event

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
