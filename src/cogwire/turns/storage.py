# SPDX-License-Identifier: MIT
"""Reading stored events, including those that older programs wrote.

Rules: spec/messages.md, "Reading stored events".
"""

import json
import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from operator import itemgetter
from typing import Any, Final, Literal, NoReturn, get_args

from ..events import (
    RESERVED_NAME,
    Code,
    Event,
    Payload,
    RespondEvent,
    StoredEvent,
    ThinkEvent,
    Usage,
    persisted,
)
from ..text import WHITE, is_array, short_repr
from ..text.json_text import decoded
from ..wire.blocks.values import is_mapping
from .changes import Change, Noted, noting, report_of

#: An event and its index in the input: for joined deltas, that of the first one.
Numbered = tuple[int, Event]
#: Called for what is not an event, with its index and what is wrong; it may raise.
Refuse = Callable[[int, ValueError], None]
#: The deltas of a segment, to which more may be added until it ends.
Deltas = list[tuple[int, ThinkEvent | RespondEvent]]

_CODES: Final[tuple[Code, ...]] = get_args(Code)

#: The codes of errors that no call caused: those in results, which the system wrote, and that of
#: errors of the framework, which have none.
CAUSELESS: Final = frozenset({"results-shape", "results-count", "results-order", ""})

#: The tool of a legacy outcome without a call.
_UNKNOWN_TOOL: Final = "unknown"


def read_events(
    events: Iterable[Mapping[str, object]],
    *,
    strict: bool = True,
    report: list[Change] | None = None,
) -> list[StoredEvent]:
    """Return `events` as the table of the spec defines them, with deltas joined to segments.

    Older spellings are rewritten, members that are not in the table are left out, call deltas are
    ignored, and the input is not changed.  Raises `ValueError` for anything but an event, naming
    its index; without `strict` it is left out, and is `skipped` in `report`.
    """
    noted: list[Noted] = []
    refuse = refused if strict else skipping(noted)
    read: list[StoredEvent] = [event for _, event in numbered_events(events, refuse=refuse)]
    if report is not None:
        report += report_of(noted)
    return read


def numbered_events(
    events: Iterable[Mapping[str, object]], *, older: bool = True, refuse: Refuse
) -> list[Numbered]:
    """Return what `read_events` does, each event with its index in `events`.

    Without `older` spellings, a result must have a payload, and is never a legacy outcome.
    """
    reader = EventReader(older=older)
    #: Each event with its place: its index, or for an outcome that of its call.
    read: list[tuple[int, Numbered | Deltas]] = []
    #: The index of the last event that storage keeps, calls and outcomes after them aside.
    last = -1
    for index, event in enumerate(events):
        try:
            one = reader.read(event)
            joined = None if one is None else reader.join(index, one)
        except ValueError as problem:
            refuse(index, problem)
            continue
        if one is None or joined is None:
            continue
        call = reader.outcome_of if one["type"] == "result" else None
        if call is not None and call > last:
            read.append((call, joined))
        else:
            read.append((index, joined))
            if one["type"] != "call" and persisted(one):
                last = index
    read.sort(key=itemgetter(0))
    return whole(each for _, each in read)


def refused(index: int, problem: ValueError) -> NoReturn:
    """Raise a `ValueError` that names the index of what is wrong."""
    raise ValueError(f"event {index}: {problem}") from None


def skipping(noted: list[Noted]) -> Refuse:
    """Return what leaves out an event, and appends that to `noted`; in a deep copy to its copy."""
    return partial(_skip, noted)


def _skip(noted: list[Noted], index: int, problem: ValueError) -> None:
    noting(noted)(index, "skipped", f"this is left out: {problem}")


def is_void_answer(items: object) -> bool:
    """Whether `items` answer a void block: one failure of the reserved tool."""
    return is_array(items) and len(items) == 1 and _outline(items[0]) == (RESERVED_NAME, "failure")


class EventReader:
    """Reads events in their order, and joins the deltas of each segment."""

    __slots__ = ("_answered", "_deltas", "_is_older", "_unanswered", "outcome_of")

    def __init__(self, *, older: bool = True) -> None:
        """Read `older` spellings too; without them, a result must have a payload."""
        self._is_older = older
        #: The calls that wait for results, with their indexes, and how many the last one answers.
        self._unanswered: list[tuple[int, str]] = []
        self._answered = 0
        #: The index of the call that the last result is the outcome of, if other calls wait.
        self.outcome_of: int | None = None
        #: The deltas of a segment that may continue.
        self._deltas: Deltas = []

    def read(self, stored: object) -> Event | None:
        """Return `stored` as an event, or `None` for a call delta, which is not stored.

        Raises `ValueError` for anything but an event.
        """
        if not is_mapping(stored):
            raise ValueError("not an object")
        kind = stored.get("type")
        if kind == "call_delta":
            return None
        if kind is None and "role" in stored:
            raise ValueError("this is a chat message, not an event; from_messages() reads those")
        if kind == "metrics":
            kind = "metric"
        if kind == "error" and stored.get("code") is None:
            required, optional = _OF_FRAMEWORK
        elif isinstance(kind, str) and kind in _MEMBERS:
            required, optional = _MEMBERS[kind]
        else:
            raise ValueError(f"{short_repr(kind)} is not a type of event")
        if kind == "result":
            stored = self._result(stored)
        event: Any = {"type": kind}
        for name, read in required:
            event[name] = read(stored.get(name), name)
        if len(event) < len(stored):
            for name, read in optional:
                if name in stored and (value := stored[name]) is not None:
                    event[name] = read(value, name)
            if "done" in event and "segment" not in event:
                raise ValueError(_DONE)
        # The tables below are those of the types; who reads an error checks its code first.
        checked: Event = event
        return checked

    def join(self, index: int, event: Event) -> Numbered | Deltas | None:
        """Take an event that was read, and return it, or the deltas of the segment that it begins.

        Returns `None` if the event is added to deltas that were returned before.
        """
        if event["type"] == "call":
            self._unanswered.append((index, event["content"]))
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

    def _result(self, stored: Mapping[str, object]) -> Mapping[str, object]:
        """Return a result, which may be in an older spelling, in today's."""
        self._answered = len(self._unanswered)
        self.outcome_of = None
        if not self._is_older:
            return stored
        content, payload = stored.get("content"), stored.get("payload")
        if outcome := _legacy(payload) or _legacy_in(content):
            call, written = self._unanswered[0] if self._unanswered else (None, "")
            tool = _tool_of(written)
            self.outcome_of = call if self._answered > 1 else None
            self._answered = 1
            status, text = outcome
            item = {"tool": tool, "status": status, "content": text}
            items = json.dumps([item], ensure_ascii=False)
            return {**stored, "content": items, "payload": _tally(items)}
        if payload is None and isinstance(content, str):
            return {**stored, "payload": _tally(content)}
        return stored


def whole(read: Iterable[Numbered | Deltas]) -> list[Numbered]:
    """Return what `EventReader.join` returned as events, with deltas joined."""
    return [each if isinstance(each, tuple) else _joined(each) for each in read]


# -- Results --------------------------------------------------------------------------------------


def _tool_of(content: str) -> str:
    """Return the name in the content of a call."""
    call = decoded(content)
    name = call.get("name") if is_mapping(call) else None
    return name if isinstance(name, str) else _UNKNOWN_TOOL


def _legacy_in(content: object) -> tuple[str, str] | None:
    """Return what `_legacy` returns for the JSON in `content`."""
    if isinstance(content, str) and content.lstrip(WHITE).startswith("{"):
        return _legacy(decoded(content))
    return None


def _legacy(value: object) -> tuple[str, str] | None:
    """Return status and content of an outcome in the form of the original delimiter document."""
    if not is_mapping(value):
        return None
    outcome, content = value.get("outcome"), value.get("content")
    if not (isinstance(outcome, str) and (content is None or isinstance(content, str))):
        return None
    text = f"{outcome}\n{content}" if content else outcome
    is_failure = value.get("error") is not None and value["error"] is not False
    return "failure" if is_failure else "success", text


def _tally(content: str) -> Payload:
    """Count the items of `content`; content that is not an array is written as one success."""
    items = decoded(content)
    if not is_array(items):
        items = [{"status": "success"}]
    statuses = [status for _, status in map(_outline, items)]
    return {
        "tools_executed": 0 if is_void_answer(items) else len(items),
        "success_count": statuses.count("success"),
        "failure_count": statuses.count("failure"),
    }


def _outline(item: object) -> tuple[object, object]:
    return (item.get("tool"), item.get("status")) if is_mapping(item) else (None, None)


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


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"`{name}` is not a string")  # noqa: TRY004 (bad data, not misuse)
    return value


def _number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"`{name}` is not a number")  # noqa: TRY004
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"`{name}` is {value}; JSON has no such number")
    return value


def _count(value: object, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"`{name}` is not a count")
    return value


def _id(value: object, name: str) -> str | int:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(f"`{name}` is neither a string nor an integer")  # noqa: TRY004
    return value


def _done(value: object, _name: str) -> Literal[True]:
    if value is not True:
        raise ValueError(_DONE)
    return True


def _code(value: object, _name: str) -> Code:
    code: Code | None = next((code for code in _CODES if code == value), None)
    if code is None:
        raise ValueError(f"{short_repr(value)} is not an error code")
    return code


def _usage(value: object, name: str) -> Usage:
    if not is_mapping(value):
        raise ValueError(f"`{name}` is not an object")
    usage: Usage = {
        "input": _count(value.get("input"), "input"),
        "output": _count(value.get("output"), "output"),
    }
    if (duration := value.get("duration")) is not None:
        usage["duration"] = _number(duration, "duration")
    return usage


def _payload(value: object, name: str) -> Payload:
    if not is_mapping(value):
        raise ValueError(f"`{name}` is not an object")
    return {
        "tools_executed": _count(value.get("tools_executed"), "tools_executed"),
        "success_count": _count(value.get("success_count"), "success_count"),
        "failure_count": _count(value.get("failure_count"), "failure_count"),
    }


_DONE: Final = "`done` is true, beside `segment`, or absent"

#: The name of a member, and what reads its value.
_Readers = tuple[tuple[str, Callable[[object, str], object]], ...]

_CONTENT: Final[_Readers] = (("content", _text),)
_ORIGIN: Final[_Readers] = (("raw", _text), ("timestamp", _number), ("id", _id))
_SEGMENT: Final[_Readers] = (("segment", _count), ("done", _done), *_ORIGIN)
_ERROR: Final[_Readers] = (("code", _code), *_CONTENT, ("offset", _count), ("calls", _count))

#: The members of each type of event: first those that may not be absent, then those that may.
_MEMBERS: Final[Mapping[str, tuple[_Readers, _Readers]]] = {
    "user": (_CONTENT, _ORIGIN),
    "think": (_CONTENT, _SEGMENT),
    "call": (_CONTENT, _ORIGIN),
    "execute": ((), _ORIGIN),
    "result": ((*_CONTENT, ("payload", _payload)), _ORIGIN),
    "respond": (_CONTENT, _SEGMENT),
    "end": ((), _ORIGIN),
    "metric": ((("total", _usage),), (("step", _usage), *_ORIGIN)),
    "error": (_ERROR, (("path", _text), *_ORIGIN)),
    "interrupt": ((), _ORIGIN),
    "cancelled": ((), _ORIGIN),
}
_OF_FRAMEWORK: Final[tuple[_Readers, _Readers]] = ((), (*_CONTENT, *_ORIGIN))
