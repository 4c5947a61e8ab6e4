# SPDX-License-Identifier: MIT
"""Reading stored events, including those that older programs wrote.

Rules: spec/messages.md, "Reading stored events".
"""

import itertools
import json
import math
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, TypedDict, TypeGuard, cast, get_args

from ..events import (
    RESERVED_NAME,
    Code,
    ErrorEvent,
    Event,
    FrameworkErrorEvent,
    MetricEvent,
    Payload,
    RespondEvent,
    ResultEvent,
    StoredEvent,
    ThinkEvent,
    Usage,
    persisted,
)
from ..text.json_text import decoded
from ..text.scan import WHITE
from .changes import Change, Note, Noted, noting, report_of

#: An event and its index in the input: for joined deltas, that of the first one.
Numbered = tuple[int, Event]
#: The deltas of a segment, to which more may be added until it ends.
Deltas = list[tuple[int, ThinkEvent | RespondEvent]]

_Members = Mapping[str, object]

#: The names of an event's members, followed by the classes of their values.
_Shape = tuple[str | type, ...]

_CODES: Final[tuple[Code, ...]] = get_args(Code)

#: The tool of a legacy outcome without a call.
_UNKNOWN_TOOL: Final = "unknown"


class _Origin(TypedDict, total=False):
    raw: str
    #: Always absent: a span refers to the parsed text, which is not stored.
    span: list[int]
    timestamp: float
    id: str | int


class _Part(TypedDict, total=False):
    segment: int
    done: Literal[True]


def read_events(
    events: Iterable[_Members], *, strict: bool = True, report: list[Change] | None = None
) -> list[StoredEvent]:
    """Return `events` as the table of the spec defines them, with deltas joined to segments.

    Older spellings are rewritten, members that are not in the table are left out, call deltas are
    ignored, and the input is not changed.  Raises `ValueError` for anything but an event, naming
    its index; without `strict` it is left out, and is `skipped` in `report`.
    """
    noted: list[Noted] = []
    skip = None if strict else noting(noted)
    read: list[StoredEvent] = [event for _, event in numbered_events(events, skip=skip)]
    if report is not None:
        report += report_of(noted)
    return read


def numbered_events(
    events: Iterable[_Members], *, older: bool = True, skip: Note | None = None
) -> list[Numbered]:
    """Return what `read_events` does, each event with its index in `events`.

    Without `older` spellings, a result must have a payload, and is never a legacy outcome.
    Anything but an event raises `ValueError`, or is noted by `skip`.
    """
    reader = EventReader(older=older)
    read: list[Numbered | Deltas | None] = []
    for index, event in enumerate(events):
        try:
            one = reader.read(index, event)
            read.append(None if one is None else reader.join(index, one))
        except ValueError as problem:
            if skip is None:
                raise
            skip(index, "skipped", skipping(problem))
    return whole(each for each in read if each is not None)


def skipping(problem: ValueError) -> str:
    """Return the message for an event that is left out; `problem` begins with its index."""
    _, _, reason = str(problem).partition(": ")
    return f"this is left out: {reason}"


def is_void_answer(items: object) -> bool:
    """Whether `items` answer a void block: one failure of the reserved tool."""
    return is_list(items) and len(items) == 1 and _outline(items[0]) == (RESERVED_NAME, "failure")


def is_list(value: object) -> TypeGuard[list[object]]:
    """Whether `value` is a JSON array."""
    return isinstance(value, list)


def is_members(value: object) -> TypeGuard[_Members]:
    """Whether `value` is a JSON object."""
    return type(value) is dict or isinstance(value, Mapping)


class EventReader:
    """Reads events in their order, and joins the deltas of each segment."""

    __slots__ = ("_answered", "_deltas", "_is_older", "_unanswered")

    def __init__(self, *, older: bool = True) -> None:
        """Read `older` spellings too; without them, a result must have a payload."""
        self._is_older = older
        #: The calls that wait for results, and how many of them the last result answers.
        self._unanswered: list[str] = []
        self._answered = 0
        #: The deltas of a segment that may continue.
        self._deltas: Deltas = []

    def read(self, index: int, given: object) -> Event | None:
        """Return `given` as an event, or `None` for a call delta, which is not stored.

        Raises `ValueError`, naming `index`, for anything but an event.
        """
        event = _of_table(given)
        if event is None:
            try:
                return _read(given, self)
            except ValueError as problem:
                raise ValueError(f"event {index}: {problem}") from None
        if event["type"] == "result":
            self._answered = len(self._unanswered)
        return event

    def join(self, index: int, event: Event) -> Numbered | Deltas | None:
        """Take an event that was read, and return it, or the deltas of the segment that it begins.

        Returns `None` if the event is added to deltas that were returned before.
        """
        if event["type"] == "call":
            self._unanswered.append(event["content"])
        elif event["type"] == "think" or event["type"] == "respond":
            self._unanswered.clear()
            if "segment" in event:
                if self._deltas and _continues(self._deltas[-1][1], event):
                    self._deltas.append((index, event))
                    return None
                self._deltas = [(index, event)]
                return self._deltas
        elif event["type"] == "user":
            self._unanswered.clear()
        elif event["type"] == "result":
            del self._unanswered[: self._answered]
        if self._deltas and persisted(event):
            self._deltas = []
        return index, event

    def result(self, event: _Members, origin: _Origin) -> ResultEvent:
        """Return a result, in older spellings too; `ValueError` if it is malformed."""
        if not self._is_older:
            return _result(event, event.get("payload"), origin)
        payload, content = event.get("payload"), event.get("content")
        outcome = _legacy(payload) or _legacy_in(content)
        if outcome is not None:
            self._answered = 1
            tool = _tool_of(self._unanswered[0]) if self._unanswered else _UNKNOWN_TOOL
            status, text = outcome
            item = {"tool": tool, "status": status, "content": text}
            content = json.dumps([item], ensure_ascii=False)
            return {"type": "result", "content": content, "payload": _tally(content), **origin}
        self._answered = len(self._unanswered)
        if payload is None:
            payload = _tally(_text(event, "content"))
        return _result(event, payload, origin)


def whole(read: Iterable[Numbered | Deltas]) -> list[Numbered]:
    """Return what `EventReader.join` returned as events, with deltas joined."""
    return [each if isinstance(each, tuple) else _joined(each) for each in read]


# -- One event ------------------------------------------------------------------------------------


def _of_table(given: Any) -> Event | None:
    """Return a copy of an event with exactly the members in the table, except for metrics."""
    if given.__class__ is not dict:
        return None
    kinds = _SHAPES.get((*given, *map(type, given.values())))
    if kinds is None or given["type"] not in kinds:
        return None
    if "timestamp" in given and not math.isfinite(given["timestamp"]):
        return None
    event = cast("Event", given.copy())
    if "segment" in given and not (given["segment"] >= 0 and given.get("done", True)):
        return None
    if event["type"] == "result":
        payload = event["payload"] = event["payload"].copy()
        return event if event["content"][:1] == "[" and _is_payload(payload) else None
    return event


def _is_payload(given: Mapping[str, object]) -> bool:
    counts: Any = given.values()
    return (*given, *map(type, counts)) == _COUNTS and min(counts) >= 0


def _shapes() -> dict[_Shape, set[str]]:
    """Return the types of the events with certain members, of certain classes."""
    classes = {"payload": dict, "segment": int, "done": bool, "timestamp": float}
    segments = {"think", "respond"}
    kinds = {
        (): {"execute", "end", "interrupt", "cancelled"},
        ("content",): {"user", "call", *segments},
        ("content", "payload"): {"result"},
        ("content", "segment"): segments,
        ("content", "segment", "done"): segments,
    }
    rest = ("raw", "timestamp", "id")
    origins = [subset for size in range(4) for subset in itertools.combinations(rest, size)]
    return {
        (*(names := ("type", *inner, *origin)), *(classes.get(name, str) for name in names)): some
        for (inner, some), origin in itertools.product(kinds.items(), origins)
    }


_COUNTS: Final = ("tools_executed", "success_count", "failure_count", int, int, int)
_SHAPES: Final = _shapes()


def _read(event: object, reader: EventReader) -> Event | None:
    if not is_members(event):
        raise ValueError("not an object")
    if event.get("type") == "call_delta":
        return None
    origin = _origin(event)
    match event.get("type"):
        case "user":
            return {"type": "user", "content": _text(event, "content"), **origin}
        case "think":
            return {"type": "think", "content": _text(event, "content"), **_part(event), **origin}
        case "respond":
            return {"type": "respond", "content": _text(event, "content"), **_part(event), **origin}
        case "call":
            return {"type": "call", "content": _text(event, "content"), **origin}
        case "result":
            return reader.result(event, origin)
        case "metric" | "metrics":
            return _metric(event, origin)
        case "error":
            return _error(event, origin)
        case "execute":
            return {"type": "execute", **origin}
        case "end":
            return {"type": "end", **origin}
        case "interrupt":
            return {"type": "interrupt", **origin}
        case "cancelled":
            return {"type": "cancelled", **origin}
        case None if "role" in event:
            raise ValueError("this is a chat message, not an event; from_messages() reads those")
        case other:
            raise ValueError(f"{other!r} is not a type of event")


def _origin(event: _Members) -> _Origin:
    origin: _Origin = {}
    if event.get("raw") is not None:
        origin["raw"] = _text(event, "raw")
    if event.get("timestamp") is not None:
        origin["timestamp"] = _number(event, "timestamp")
    if (own := event.get("id")) is not None:
        if isinstance(own, bool) or not isinstance(own, str | int):
            raise ValueError("`id` is neither a string nor an integer")
        origin["id"] = own
    return origin


def _part(event: _Members) -> _Part:
    part: _Part = {}
    if event.get("segment") is not None:
        part["segment"] = _count(event, "segment")
    if event.get("done") is not None:
        if event["done"] is not True or "segment" not in part:
            raise ValueError("`done` is true, beside `segment`, or absent")
        part["done"] = True
    return part


def _metric(event: _Members, origin: _Origin) -> MetricEvent:
    metric: MetricEvent = {"type": "metric", "total": _usage(event, "total")}
    if event.get("step") is not None:
        metric["step"] = _usage(event, "step")
    return {**metric, **origin}


def _usage(event: _Members, name: str) -> Usage:
    given = event.get(name)
    if not is_members(given):
        raise ValueError(f"`{name}` is not an object")
    usage: Usage = {"input": _count(given, "input"), "output": _count(given, "output")}
    if given.get("duration") is not None:
        usage["duration"] = _number(given, "duration")
    return usage


def _error(event: _Members, origin: _Origin) -> ErrorEvent:
    if event.get("code") is None:
        failure: FrameworkErrorEvent = {"type": "error"}
        if event.get("content") is not None:
            failure["content"] = _text(event, "content")
        # Readers of a history check for a code before they use any other member.
        return cast("ErrorEvent", {**failure, **origin})
    code: Code | None = next((code for code in _CODES if code == event.get("code")), None)
    if code is None:
        raise ValueError(f"{event.get('code')!r} is not an error code")
    error: ErrorEvent = {
        "type": "error",
        "code": code,
        "content": _text(event, "content"),
        "offset": _count(event, "offset"),
        "calls": _count(event, "calls"),
    }
    if event.get("path") is not None:
        error["path"] = _text(event, "path")
    return {**error, **origin}


# -- Results --------------------------------------------------------------------------------------


def _result(event: _Members, payload: object, origin: _Origin) -> ResultEvent:
    content = _text(event, "content")
    return {"type": "result", "content": content, "payload": _payload(payload), **origin}


def _tool_of(content: str) -> str:
    """Return the name in the content of a call."""
    call = decoded(content)
    name = call.get("name") if is_members(call) else None
    return name if isinstance(name, str) else _UNKNOWN_TOOL


def _legacy_in(content: object) -> tuple[str, str] | None:
    """Return what `_legacy` returns for the JSON in `content`."""
    if isinstance(content, str) and content.lstrip(WHITE).startswith("{"):
        return _legacy(decoded(content))
    return None


def _legacy(value: object) -> tuple[str, str] | None:
    """Return status and content of an outcome in the form of the original delimiter document."""
    if not is_members(value):
        return None
    outcome, content = value.get("outcome"), value.get("content")
    if not (isinstance(outcome, str) and (content is None or isinstance(content, str))):
        return None
    text = f"{outcome}\n{content}" if content else outcome
    is_failure = value.get("error") is not None and value["error"] is not False
    return "failure" if is_failure else "success", text


def _payload(value: object) -> Payload:
    if not is_members(value):
        raise ValueError("`payload` is not an object")
    return {
        "tools_executed": _count(value, "tools_executed"),
        "success_count": _count(value, "success_count"),
        "failure_count": _count(value, "failure_count"),
    }


def _tally(content: str) -> Payload:
    """Count the items of `content`; content that is not an array is written as one success."""
    items = decoded(content)
    if not is_list(items):
        items = [{"status": "success"}]
    statuses = [status for _, status in map(_outline, items)]
    return {
        "tools_executed": 0 if is_void_answer(items) else len(items),
        "success_count": statuses.count("success"),
        "failure_count": statuses.count("failure"),
    }


def _outline(item: object) -> tuple[object, object]:
    return (item.get("tool"), item.get("status")) if is_members(item) else (None, None)


# -- Deltas ---------------------------------------------------------------------------------------


def _continues(last: ThinkEvent | RespondEvent, event: ThinkEvent | RespondEvent) -> bool:
    same_segment = (last["type"], last.get("segment")) == (event["type"], event.get("segment"))
    return same_segment and "done" not in last


def _joined(deltas: Deltas) -> Numbered:
    """Return the whole segment, with the timestamp of its last delta."""
    index, first = deltas[0]
    events = [event for _, event in deltas]
    joined = events[-1].copy()
    joined["content"] = "".join(event["content"] for event in events)
    joined.pop("segment", None)
    joined.pop("done", None)
    joined.pop("id", None)
    if "id" in first:
        joined["id"] = first["id"]
    raws = [event["raw"] for event in events if "raw" in event]
    if len(raws) == len(events):
        joined["raw"] = "".join(raws)
    else:
        joined.pop("raw", None)
    return index, joined


# -- Members --------------------------------------------------------------------------------------


def _text(members: _Members, name: str) -> str:
    value = members.get(name)
    if not isinstance(value, str):
        raise ValueError(f"`{name}` is not a string")  # noqa: TRY004 (bad data, not misuse)
    return value


def _number(members: _Members, name: str) -> float:
    value = members.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"`{name}` is not a number")  # noqa: TRY004
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"`{name}` is {value}; JSON has no such number")
    return value


def _count(members: _Members, name: str) -> int:
    value = members.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"`{name}` is not a count")
    return value
