# SPDX-License-Identifier: MIT
"""Reading events that were stored, or that older programs wrote.

Rules: spec/messages.md, "Reading stored events".
"""

import json
import math
from collections.abc import Iterable, Mapping
from typing import Final, Literal, TypedDict, TypeGuard, get_args

from ..events import (
    RESERVED_NAME,
    Code,
    ErrorEvent,
    Event,
    MetricEvent,
    Payload,
    RespondEvent,
    ResultEvent,
    ThinkEvent,
    Usage,
    persisted,
)
from ..text.json_text import decoded

#: An event and its place in what was given: for joined deltas, that of the first one.
Numbered = tuple[int, Event]

_Members = Mapping[str, object]
_Delta = tuple[int, ThinkEvent | RespondEvent]

_CODES: Final[tuple[Code, ...]] = get_args(Code)

#: The events that end a run of calls; after `cancelled` its result may still come.
_RUN_ENDS: Final = frozenset({"user", "think", "respond"})

#: The tool of a legacy outcome that came without a call.
_UNKNOWN_TOOL: Final = "unknown"


class _Origin(TypedDict, total=False):
    raw: str
    span: list[int]
    timestamp: float


class _Part(TypedDict, total=False):
    segment: int
    done: Literal[True]


def read_events(events: Iterable[_Members]) -> list[Event]:
    """Return `events` as the table of the spec has them, with the deltas of each segment joined.

    Older spellings are rewritten, members that the table does not have are left out, and the
    input is not changed.  Raises `ValueError` for what is no event, naming its index.
    """
    return [event for _, event in numbered_events(events)]


def numbered_events(events: Iterable[_Members], *, older: bool = True) -> list[Numbered]:
    """Return what `read_events` does, each event with its place in `events`.

    Without `older` spellings, a result says what it is: it has a payload, and is no outcome.
    """
    return _join_deltas(_read_all(events, older=older))


def is_void_answer(items: object) -> bool:
    """Whether `items` are what answers a void block: one failure of the reserved tool."""
    return is_list(items) and [_outline(item) for item in items] == [(RESERVED_NAME, "failure")]


def is_list(value: object) -> TypeGuard[list[object]]:
    """Whether `value` is a JSON array."""
    return isinstance(value, list)


def is_members(value: object) -> TypeGuard[_Members]:
    """Whether `value` is a JSON object."""
    return isinstance(value, Mapping)


# -- One event ------------------------------------------------------------------------------------


def _read_all(events: Iterable[_Members], *, older: bool) -> list[Numbered]:
    numbered: list[Numbered] = []
    unanswered: list[str] = []
    for index, event in enumerate(events):
        try:
            read = _read(event, unanswered if older else None)
        except ValueError as problem:
            raise ValueError(f"event {index}: {problem}") from None
        _follow(read, unanswered)
        numbered.append((index, read))
    return numbered


def _follow(event: Event, unanswered: list[str]) -> None:
    """Keep in `unanswered` the tools of the run of calls that waits for its results."""
    if event["type"] == "call":
        call = decoded(event["content"])
        name = call.get("name") if is_members(call) else None
        unanswered.append(name if isinstance(name, str) else _UNKNOWN_TOOL)
    elif event["type"] in _RUN_ENDS:
        unanswered.clear()


def _read(event: object, unanswered: list[str] | None) -> Event:
    if not is_members(event):
        raise ValueError("not an object")
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
            return (
                _result(event, origin)
                if unanswered is None
                else _older_result(event, unanswered, origin)
            )
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
        case other:
            raise ValueError(f"{other!r} is no type of event")


def _origin(event: _Members) -> _Origin:
    origin: _Origin = {}
    if event.get("raw") is not None:
        origin["raw"] = _text(event, "raw")
    if event.get("span") is not None:
        origin["span"] = _span(event["span"])
    if event.get("timestamp") is not None:
        origin["timestamp"] = _number(event, "timestamp")
    return origin


def _span(span: object) -> list[int]:
    if is_list(span) and len(span) == 2:
        start, end = span
        if type(start) is int and type(end) is int and 0 <= start <= end:
            return [start, end]
    raise ValueError("`span` is not two offsets, the first not after the second")


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
    code: Code | None = next((code for code in _CODES if code == event.get("code")), None)
    if code is None:
        raise ValueError(f"{event.get('code')!r} is no code of an error")
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


def _result(event: _Members, origin: _Origin) -> ResultEvent:
    content, payload = _text(event, "content"), _payload(event.get("payload"))
    return {"type": "result", "content": content, "payload": payload, **origin}


def _older_result(event: _Members, unanswered: list[str], origin: _Origin) -> ResultEvent:
    payload, content = event.get("payload"), event.get("content")
    outcome = _legacy(payload) or (_legacy(decoded(content)) if isinstance(content, str) else None)
    if outcome is not None:
        tool = unanswered.pop(0) if unanswered else _UNKNOWN_TOOL
        status, text = outcome
        item = {"tool": tool, "status": status, "content": text}
        content = json.dumps([item], ensure_ascii=False)
        return {"type": "result", "content": content, "payload": _tally(content), **origin}
    unanswered.clear()
    if payload is None:
        payload = _tally(_text(event, "content"))
    return _result({**event, "payload": payload}, origin)


def _legacy(value: object) -> tuple[str, str] | None:
    """Return status and content of an outcome as the delimiter document has it, if it is one."""
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
    """Count the items of `content`; what is no array goes on the wire as one success."""
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


def _join_deltas(numbered: Iterable[Numbered]) -> list[Numbered]:
    """Join the deltas of each segment; what is not persisted may come between them."""
    groups: list[Numbered | list[_Delta]] = []
    segment: list[_Delta] = []
    for index, event in numbered:
        if (event["type"] == "think" or event["type"] == "respond") and "segment" in event:
            if not (segment and _continues(segment[-1][1], event)):
                segment = []
                groups.append(segment)
            segment.append((index, event))
        else:
            groups.append((index, event))
            if persisted(event):
                segment = []
    return [_joined(group) if isinstance(group, list) else group for group in groups]


def _continues(last: ThinkEvent | RespondEvent, event: ThinkEvent | RespondEvent) -> bool:
    same_segment = (last["type"], last.get("segment")) == (event["type"], event.get("segment"))
    return same_segment and "done" not in last


def _joined(deltas: list[_Delta]) -> Numbered:
    """Return the whole segment, which came when its last delta did."""
    index, _ = deltas[0]
    events = [event for _, event in deltas]
    joined = events[-1].copy()
    joined["content"] = "".join(event["content"] for event in events)
    joined.pop("segment", None)
    joined.pop("done", None)
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
