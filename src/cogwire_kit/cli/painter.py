# SPDX-License-Identifier: MIT
"""Events for people: a line or more for each, coloured, as they come."""

import json
import os
import re
from collections import Counter
from typing import Any, Final

from rich.cells import cell_len
from rich.console import Console

from cogwire import Event
from cogwire_kit.texts.words import visible

_STYLES: Final = {
    "user": "bold",
    "think": "italic bright_black",
    "respond": "default",
    "call": "cyan",
    "call_delta": "bright_black",
    "execute": "magenta",
    "result": "green",
    "end": "magenta",
    "error": "red",
    "metric": "bright_black",
    "interrupt": "yellow",
    "cancelled": "yellow",
}
_LABEL_WIDTH: Final = 9
_OFFSET_WIDTH: Final = 8


class Screen(Console):
    """A console that leaves a broken pipe to the caller, instead of exiting in its own way."""

    def on_broken_pipe(self) -> None:
        """Raise what was raised."""
        raise BrokenPipeError


class Painter:
    """Writes events to a console.  With `offsets` every event says where its text begins."""

    def __init__(self, console: Console, *, offsets: bool = False) -> None:
        self._console = console
        self._offsets = offsets
        self._indent = " " * (_LABEL_WIDTH + 1 + (_OFFSET_WIDTH + 2 if offsets else 0))
        self._segment: tuple[str, int] | None = None
        #: Written before the next character of a line: nothing, its indent, or the label's padding.
        self._due = ""
        #: How many events of each type were shown; the deltas of a segment count once.
        self.counts: Counter[str] = Counter()

    def event(self, event: Event, offset: int = 0) -> None:
        """Show one event; a delta goes on where the delta before it stopped."""
        kind = event["type"]
        delta: Any = event
        if "segment" in delta:
            self._delta(delta, kind, delta["segment"], offset)
            return
        if "index" in delta:
            self._delta(delta, "call_delta", delta["index"], "")
            return
        self.close()
        self.counts[kind] += 1
        label: str = kind
        for text, style in _lines(event):
            self.line(label, text, style or _STYLES[kind], offset)
            label = ""

    def line(self, label: str, text: str, style: str, offset: int = 0) -> None:
        """Write a label and a text; further lines of the text are under its first."""
        self._head(label, style, offset)
        self._text(text.rstrip("\n"), style)
        self._console.out("")

    def _delta(self, event: Any, kind: str, number: int, offset: int | str) -> None:
        if self._segment != (kind, number):
            self.close()
            self._segment = (kind, number)
            if kind == "call_delta":
                # What it shows comes once more, and is counted then.
                self._head("writes", _STYLES[kind], offset)
                self._text(f"{event['name']} ", _STYLES[kind])
            else:
                self.counts[kind] += 1
                self._head(kind, _STYLES[kind], offset)
        self._text(event["content"], _STYLES[kind])
        if "done" in event:
            self.close()

    def close(self) -> None:
        """End the line of a segment, or of a call, that is still open."""
        if self._segment is not None:
            self._segment = None
            self._console.out("")

    def _head(self, label: str, style: str, offset: int | str) -> None:
        if self._offsets:
            place = offset if label else ""
            self._console.out(f"{place:>{_OFFSET_WIDTH}}  ", end="", style="bright_black")
        self._console.out(label, end="", style=f"bold {style}")
        self._due = " " * (_LABEL_WIDTH + 1 - len(label))

    def _text(self, text: str, style: str) -> None:
        """Write text as far as it is known; white space that may end a line waits for the rest."""
        if not text:
            return
        if not text.startswith("\n"):
            text = self._due + text
        self._due = self._indent if text.endswith("\n") else ""
        indented = re.sub(r"\n(?=[^\n])", "\n" + self._indent, text)
        self._console.out(visible(indented), end="", style=style)

    def raw(self, text: str) -> None:
        """Show the text that an event accounts for."""
        self._console.out(f"{self._indent}{json.dumps(text, ensure_ascii=False)}", style="dim")

    def caret(self, before: str, after: str) -> None:
        """Show the line an error is in, with a caret under the offending character."""
        before, after = (visible(part).replace("\t", " ") for part in (before, after))
        room = max(self._console.width - len(self._indent) - 1, 20)
        while cell_len(before) > room * 2 // 3:
            before = before[1:]
        while cell_len(before + after) > room:
            after = after[:-1]
        self._console.out(f"{self._indent}{before}{after}", style="bright_black")
        self._console.out(f"{self._indent}{' ' * cell_len(before)}^", style="bold red")

    def note(self, text: str, style: str = "bright_black") -> None:
        """Write a line of our own."""
        self._console.out(visible(text), style=style)


def on_stdout(color: str, *, offsets: bool) -> Painter:
    """Return a painter on stdout, for a value of `--color`."""
    if color == "auto" and not os.environ.get("NO_COLOR"):
        return Painter(Screen(highlight=False), offsets=offsets)
    coloured = color == "always"
    screen = Screen(
        highlight=False,
        force_terminal=coloured,
        color_system="standard" if coloured else None,
        no_color=not coloured,
    )
    return Painter(screen, offsets=offsets)


def _lines(event: Event) -> list[tuple[str, str]]:
    """Return the lines of an event's text, each with a style, or "" for that of its type."""
    match event["type"]:
        case "call":
            return [(_call(event["content"]), "")]
        case "result":
            return _items(event["content"])
        case "error":
            return [(f"{event['code']}: {event['content']}", "")]
        case "metric":
            return [(json.dumps(event["total"]), "")]
        case _:
            return [(str(event.get("content", "")), "")]


def _call(content: str) -> str:
    call = json.loads(content)
    return f"{call['name']} {json.dumps(call.get('args', {}), ensure_ascii=False)}"


def _items(content: str) -> list[tuple[str, str]]:
    lines = []
    for item in json.loads(content):
        body = item["content"]
        text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
        good = item["status"] == "success"
        mark, style = ("ok", "green") if good else ("failed", "red")
        shown = text.rstrip("\n").replace("\n", "\n" + " " * 8)
        lines.append((f"{mark:<7} {item['tool']}: {shown}", style))
    return lines or [("no calls", "")]
