"""The dialect `xml-json`: segments, markers, blocks of calls and blocks of results."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from .json_block import (
    Block,
    BlockError,
    Limits,
    close_bracket,
    items,
    members,
    read_closer,
    read_string,
    read_value,
    require,
    require_array,
)
from .text import WHITE, Text, decode

# In prose these four are markers, wherever they stand; inside a region only its own closer is one.
LIVE_IN_PROSE = ("<think>", "<execute>", "<results>", "<end>")


@dataclass(frozen=True)
class Outcome:
    """What a whole text gives.  An error event has no message here; that is prose, not spec."""

    events: list[dict[str, Any]]
    state: str
    discarded: int
    tail: str


def parse(
    data: str | bytes,
    *,
    mode: str = "turn",
    start: str = "prose",
    raw: bool = False,
    limits: tuple[int, int, int, int] = (8_388_608, 256, 128, 1000),
) -> Outcome:
    """Read `data` as one turn or as a transcript; `limits` are size, calls, depth and digits."""
    if mode not in ("turn", "transcript") or start not in ("prose", "think"):
        raise ValueError(f"mode {mode!r}, start {start!r}")
    text = decode(data)
    reading = Reading(text, mode, start, Limits(*limits), raw=raw)
    with room_for_brackets(min(reading.limits.depth, len(text.characters))):
        state = reading.read_transcript() if mode == "transcript" else reading.read_turn()
    return Outcome(
        events=reading.events,
        state=state,
        discarded=len(text.characters) - reading.at,
        tail=text.characters[reading.claimed : reading.at] if raw else "",
    )


# A bracket takes two frames of Python's stack.
@contextmanager
def room_for_brackets(depth: int) -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(before + 2 * depth)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


class Reading:
    """One text: how far it is read, and how far its events account for it."""

    def __init__(self, text: Text, mode: str, start: str, limits: Limits, *, raw: bool) -> None:
        self.text = text
        self.characters = text.characters
        self.mode = mode
        self.start = start
        self.limits = limits
        self.raw = raw
        self.events: list[dict[str, Any]] = []
        self.at = 0
        self.claimed = 0
        # The tools that the last block called, or nothing when it was void.
        self.called: list[str] | None = None

    # The ledger: the raw of an event runs from the end of the previous one's through the
    # character that completed this one.
    def emit(self, kind: str, **rest: object) -> None:
        event = {"type": kind, **rest}
        if self.raw:
            event["raw"] = self.characters[self.claimed : self.at]
        self.claimed = self.at
        self.events.append(event)

    # An error is complete at the offending character.  It has a path inside an array only.
    def emit_error(self, code: str, offset: int, path: str, calls: int) -> None:
        self.at = min(offset + 1, len(self.characters))
        place = {"path": path} if path else {}
        self.emit("error", code=code, offset=offset, **place, calls=calls)

    # White space at the ends of a segment is not content; an all-white segment gives no event.
    def emit_segment(self, kind: str, first: int, last: int) -> None:
        content = self.characters[first:last].strip(WHITE)
        if content:
            self.emit(kind, content=content)

    # A transcript is one turn after another; an execute or a void block may be answered.
    # Gives the state in which the text stops.
    def read_transcript(self) -> str:
        while True:
            state = self.read_turn()
            if state == "paused" and self.next_is_results():
                state = self.read_results_block()
            if state not in ("paused", "ended"):
                return state

    # A turn goes on until a hard stop (it is then paused or ended) or the end of the text.
    def read_turn(self) -> str:
        if self.start == "think":
            self.skip_opener()
            if not self.read_think():
                return "think"
        while True:
            self.read_prose()
            marker = self.marker_here()
            if marker == "":
                return "prose"
            self.at += len(marker)
            if marker == "<execute>":
                return self.read_execute_block()
            if marker == "<end>":
                self.emit("end")
                return "ended"
            if marker == "<think>" and not self.read_think():
                return "think"
            if marker == "<results>":
                self.emit_forged_results()
                if self.mode == "turn":
                    return "paused"
                if not self.skip_past("</results>", self.at):
                    return "results"

    # With start="think", an opener that comes first, white space aside, is the opener.
    def skip_opener(self) -> None:
        first = self.after_white()
        if self.characters.startswith("<think>", first):
            self.at = first + len("<think>")

    # Think is opaque up to the first closer; the end of the text closes it as well.
    # Says whether the closer came.
    def read_think(self) -> bool:
        first = self.at
        closed = self.skip_past("</think>", first)
        last = self.at - len("</think>") if closed else self.at
        self.emit_segment("think", first, last)
        return closed

    # Prose goes on until a marker or the end of the text; it ends before the marker.
    def read_prose(self) -> None:
        first = self.at
        while self.at < len(self.characters) and self.marker_here() == "":
            self.at += 1
        self.emit_segment("respond", first, self.at)

    # A marker is exact and case-sensitive.
    def marker_here(self) -> str:
        if self.characters.startswith("<", self.at):
            for marker in LIVE_IN_PROSE:
                if self.characters.startswith(marker, self.at):
                    return marker
        return ""

    # Results written by the model: an error at the opener, seen when the opener is complete.
    def emit_forged_results(self) -> None:
        self.emit("error", code="forged-results", offset=self.at - len("<results>"), calls=0)

    # Each call comes as its element closes, the execute at the closer.  After an error the text
    # is skipped to the first closer at or after the offending character.
    def read_execute_block(self) -> str:
        block = Block(self.text, self.at, self.limits)
        called: list[str] = []
        try:
            for name, content in read_calls(block):
                called.append(name)
                self.at = block.at
                self.emit("call", content=content)
            read_closer(block, "</execute>")
        except BlockError as error:
            self.called = None
            self.emit_error(error.code, error.offset, error.path, len(called))
            return "paused" if self.skip_past("</execute>", error.offset) else "execute"
        self.called = called
        self.at = block.at
        self.emit("execute")
        return "paused"

    # A results block is read only as the next thing, white space aside.
    def next_is_results(self) -> bool:
        return self.characters.startswith("<results>", self.after_white())

    # A results block gives one event: its result, or its first error.  Any broken rule other
    # than those of count and order is one of shape.
    def read_results_block(self) -> str:
        block = Block(self.text, self.after_white() + len("<results>"), self.limits)
        try:
            statuses = read_results(block, self.called)
            last = block.at
            read_closer(block, "</results>")
        except BlockError as error:
            code = error.code if error.code.startswith("results-") else "results-shape"
            self.emit_error(code, error.offset, error.path, 0)
            return "paused" if self.skip_past("</results>", error.offset) else "results"
        self.at = block.at
        payload = {
            "tools_executed": 0 if self.called is None else len(statuses),
            "success_count": statuses.count("success"),
            "failure_count": statuses.count("failure"),
        }
        content = self.characters[block.start : last].strip(WHITE)
        self.emit("result", content=content, payload=payload)
        return "paused"

    # Goes behind the first closer at or after `first`, or to the end of the text.
    # Says whether the closer came.
    def skip_past(self, closer: str, first: int) -> bool:
        found = self.characters.find(closer, first)
        self.at = len(self.characters) if found < 0 else found + len(closer)
        return found >= 0

    def after_white(self) -> int:
        at = self.at
        while at < len(self.characters) and self.characters[at] in WHITE:
            at += 1
        return at


# A block of calls is an array of objects.  Gives each call as its name and its own text.
def read_calls(block: Block) -> Iterator[tuple[str, str]]:
    require_array(block)
    for index in items(block, 1):
        require(block, "{", "not-object")
        if index == block.limits.calls:
            raise block.error("limit-calls")
        first = block.at
        name = read_call(block)
        yield name, block.text.characters[first : block.at]
    close_bracket(block, ())


# A call has a name and args, in any order; other members are ignored.
def read_call(block: Block) -> str:
    outside = block.place
    name = ""
    has_args = False
    for member in members(block, 2):
        if member == "name":
            name = read_tool_name(block)
        elif member == "args":
            require(block, "{", "bad-args")
            has_args = True
            read_value(block, 3, "}")
        else:
            read_value(block, 3, "}")
    if name == "":
        raise block.error("missing-name", outside)
    if not has_args:
        raise block.error("missing-args", outside)
    close_bracket(block, outside)
    return name


# A name is a string, not empty, and not `execute`.
def read_tool_name(block: Block) -> str:
    require(block, '"', "bad-name")
    name = read_string(block)
    if name in ("", "execute"):
        raise block.error("bad-name")
    block.accept()
    return name


# A block of results is an array with one object for each call, in the order of the calls; a void
# block has one, from `execute`.  Gives the statuses.
def read_results(block: Block, called: list[str] | None) -> list[str]:
    tools = ["execute"] if called is None else called
    statuses: list[str] = []
    require_array(block)
    for index in items(block, 1):
        require(block, "{", "results-shape")
        if index == len(tools):
            raise block.error("results-count")
        statuses.append(read_result(block, tools[index], is_void=called is None))
    if len(statuses) < len(tools):
        raise block.error("results-count")
    close_bracket(block, ())
    return statuses


# A result has the tool of its call, a status, and a content: any value, for a failure a string.
# A void block has failed.  Gives the status.
def read_result(block: Block, tool: str, *, is_void: bool) -> str:
    outside = block.place
    status = ""
    present: set[str] = set()
    content_is_string = False
    for member in members(block, 2):
        present.add(member)
        if member == "tool":
            read_tool(block, tool)
        elif member == "status":
            status = read_status(block)
        else:
            if member == "content":
                content_is_string = block.peek() == '"'
            read_value(block, 3, "}")
    if not present >= {"tool", "status", "content"}:
        raise block.error("results-shape", outside)
    if status == "failure" and not content_is_string:
        raise block.error("results-shape", outside)
    if status == "success" and is_void:
        raise block.error("results-shape", outside)
    close_bracket(block, outside)
    return status


# The tool is the name of the call in that place; names compare unescaped.
def read_tool(block: Block, tool: str) -> None:
    require(block, '"', "results-shape")
    if read_string(block) != tool:
        raise block.error("results-order")
    block.accept()


# A status is one of two words.
def read_status(block: Block) -> str:
    require(block, '"', "results-shape")
    status = read_string(block)
    if status not in ("success", "failure"):
        raise block.error("results-shape")
    block.accept()
    return status
