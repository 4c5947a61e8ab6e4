"""Converting: a transcript of one dialect, written in another, and what could not be kept.

The source is read with the place of each event, then written part by part.
"""

from dataclasses import dataclass
from typing import Any

from .framing import (
    ITEM,
    block,
    call_part,
    end,
    framed_results,
    joint,
    marker,
    segment,
    texts_of_call,
    with_args,
)
from .literal import live_markers, neutralised
from .reading import LINES, parse, read_transcript
from .refused import Refused
from .spelling import value
from .writing import SEGMENTS, require_element

# conv-report-codes
# The order of entries of one event at one offset.
CODES = ("dropped", "completed", "retyped", "moved", "joined", "neutralised")


@dataclass(frozen=True)
class Placed:
    """An event of the source: its number, where it begins, and in which turn."""

    number: int
    event: dict[str, Any]
    offset: int
    turn: int

    # conv-events
    @property
    def kind(self) -> str:
        return str(self.event["type"])

    # conv-events
    @property
    def content(self) -> str:
        return str(self.event["content"])


# conv-events conv-form conv-never-fails
def convert(text: str, source: str, target: str) -> tuple[str, list[dict[str, Any]]]:
    """Write `text`, a transcript of `source`, in `target`; return it with the report."""
    conversion = Conversion(source, target, read(text, source))
    for turn in range(1, conversion.turns() + 1):
        conversion.write_turn([each for each in conversion.events if each.turn == turn])
    return conversion.text(), conversion.report()


# conv-call-offset conv-marker-offset conv-report-entry
# The offset of a segment is that of its content, of a call that of its own first character, of an
# `execute` and an `end` that of their marker, of a `result` that of the marker that opens it, and
# of an error its own.
def read(text: str, dialect: str) -> list[Placed]:
    reading = read_transcript(text, dialect)
    pairs = zip(reading.events, reading.places, strict=True)
    return [Placed(number, event, *place) for number, (event, place) in enumerate(pairs)]


class Conversion:
    """The parts of the target so far, and the entries of the report."""

    def __init__(self, source: str, target: str, events: list[Placed]) -> None:
        self.source = source
        self.target = target
        self.events = events
        # Each part with its kind, which distinguishes prose from the rest.
        self.parts: list[tuple[str, str]] = []
        # Offset, number of the event, and code.
        self.entries: list[tuple[int, int, str]] = []

    # conv-events
    # A turn ends where it ends in the source.
    def turns(self) -> int:
        return max((each.turn for each in self.events), default=0)

    # conv-form
    def text(self) -> str:
        return joint(self.target).join(part for _, part in self.parts)

    # conv-report conv-report-codes
    # In the order of the offsets, those of one offset in the order of the events.
    def report(self) -> list[dict[str, Any]]:
        ordered = sorted(self.entries, key=lambda each: (*each[:2], CODES.index(each[2])))
        return [{"offset": offset, "code": code} for offset, _, code in ordered]

    # conv-report-entry
    # An entry has the offset of its place in the source.
    def note(self, placed: Placed, code: str, inside: int = 0) -> None:
        self.entries.append((placed.offset + inside, placed.number, code))

    # conv-drop conv-drop-back
    # A turn has one block at most.  Without its `execute` the block is void, and left out with its
    # results; so is a block that the target cannot contain, or the source when it is converted
    # back.
    def write_turn(self, turn: list[Placed]) -> None:
        calls = [each for each in turn if each.kind == "call"]
        contents = [call_written(each.content, self.target) for each in calls]
        has_execute = any(each.kind == "execute" for each in turn)
        is_kept = has_execute and all(
            is_expressible(contents, dialect) for dialect in (self.target, self.source)
        )
        for each in turn:
            if each.kind in SEGMENTS:
                is_after_call = bool(calls) and calls[0].number < each.number
                self.write_segment(each, is_moved=is_kept and is_after_call)
            elif each.kind == "end":
                self.parts.append(("end", end(self.target)))
            elif each.kind == "error" or not is_kept:
                self.note(each, "dropped")
            elif each.kind == "call":
                self.write_call(each)
            elif each.kind == "execute":
                self.write_execute(contents)
            else:
                self.write_result(each, contents)

    # conv-neutralise conv-join conv-join-source conv-move
    # In the xml dialects a block contains only calls, so that segments between and after them are
    # written before it.  Prose directly after prose is joined to it there, and in every target if
    # the source is an xml dialect and there is no event between the two.
    def write_segment(self, each: Placed, *, is_moved: bool) -> None:
        if is_moved and self.target not in LINES:
            self.note(each, "moved")
        places = live_markers(each.content, each.kind, self.target)
        for at in places:
            self.note(each, "neutralised", at)
        content = neutralised(each.content, places)
        is_after_prose = (
            each.kind == "respond" and self.parts[-1:] and self.parts[-1][0] == "respond"
        )
        is_split = self.source not in LINES and self.events[each.number - 1].kind == "respond"
        if is_after_prose and (is_split or self.target not in LINES):
            self.note(each, "joined")
        if is_after_prose and is_split and self.target in LINES:
            _, before = self.parts.pop()
            self.parts.append(("respond", before + joint(self.target) + content))
        else:
            self.parts.append((each.kind, segment(each.kind, content, self.target)))

    # conv-complete conv-retype conv-drop conv-values
    # In the xml dialects calls are written with their `execute`, and reported at their place.
    def write_call(self, each: Placed) -> None:
        if self.target in LINES:
            self.parts.append(("call", call_part(each.content, self.target)))
            return
        call = value(each.content)
        if "args" not in call:
            self.note(each, "completed")
        if self.target == "xml-elements":
            if not call.keys() <= {"name", "args"}:
                self.note(each, "dropped")
            if not all(isinstance(given, str) for given in call.get("args", {}).values()):
                self.note(each, "retyped")

    # conv-form conv-move
    # In the delimiter dialects the calls come before it; in the xml dialects it writes the block.
    def write_execute(self, contents: list[str]) -> None:
        if self.target in LINES:
            self.parts.append(("execute", marker("execute", self.target)))
        else:
            self.parts.append(("execute", block(contents, self.target)))

    # conv-drop conv-drop-back conv-values
    # In the xml dialects the array is unchanged; in the delimiter dialects each item has its body,
    # in which other members have no place.  Results that exceed a limit of the target, or of the
    # source when they are converted back, are left out.
    def write_result(self, each: Placed, contents: list[str]) -> None:
        part = framed_results(each.content, self.target)
        there = read_back(contents, part, self.target)
        if (
            there is None
            or read_back(contents, framed_results(there, self.source), self.source) is None
        ):
            self.note(each, "dropped")
            return
        self.parts.append(("result", part))
        if self.target in LINES and any(len(item) > len(ITEM) for item in value(each.content)):
            self.note(each, "dropped")


# conv-complete conv-values
# A call is written unchanged, or, where args are required and absent, with empty ones.
def call_written(content: str, dialect: str) -> str:
    return content if dialect in LINES or "args" in value(content) else with_args(content)


# conv-drop
# Whether the dialect can express a block of these calls: elements cannot have names that are not
# XML names, nor characters that XML does not have, and there are limits.
def is_expressible(contents: list[str], dialect: str) -> bool:
    try:
        for content in contents if dialect == "xml-elements" else []:
            require_element(texts_of_call(content), ())
    except Refused:
        return False
    back = parse(block(contents, dialect), dialect, mode="transcript").events
    return [event["type"] for event in back] == ["call"] * len(contents) + ["execute"]


# conv-drop conv-drop-back
# The event as which results are read after their block; nothing where they exceed a limit.
def read_back(contents: list[str], part: str, dialect: str) -> str | None:
    text = block(contents, dialect) + "\n" + part
    last = parse(text, dialect, mode="transcript").events[-1]
    return str(last["content"]) if last["type"] == "result" else None
