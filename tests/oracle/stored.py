"""Stored events, from any program, read with the members of the table of events."""

import json
import math
from dataclasses import dataclass
from typing import Any

from .ledger import payload
from .refused import Refused
from .spelling import plain_json

# m-event-fields
# The members that an event of each type has besides `raw` and `timestamp`: those that it always
# has, and those that it may have.
REQUIRED: dict[str, tuple[str, ...]] = {
    "user": ("content",),
    "think": ("content",),
    "respond": ("content",),
    "call": ("content",),
    "result": ("content",),
    "error": (),
    "metric": ("total",),
    "execute": (),
    "end": (),
    "interrupt": (),
    "cancelled": (),
}
OPTIONAL: dict[str, tuple[str, ...]] = {
    "think": ("segment", "done"),
    "respond": ("segment", "done"),
    "result": ("payload",),
    "error": ("code", "content", "offset", "calls", "path"),
    "metric": ("step",),
}

# Where a rule of the wire was broken, and what that voids; an error with a code has the first two.
PLACE_OF_ERROR = ("offset", "calls", "path")

COUNTS = tuple(payload([], executed=0))
USAGE = ("input", "output", "duration")
# b-void msg-ignored
# These concern text that a system wrote, not a model.
RESULTS_CODES = ("results-shape", "results-count", "results-order")
# err-codes
CODES = (
    "json-syntax",
    "not-array",
    "not-object",
    "missing-name",
    "bad-name",
    "missing-args",
    "bad-args",
    "duplicate-key",
    "number-range",
    "lone-surrogate",
    "bad-encoding",
    "trailing-text",
    "xml-syntax",
    "xml-forbidden",
    "duplicate-arg",
    "unclosed-execute",
    "unclosed-call",
    "missing-execute",
    "forged-results",
    "limit-size",
    "limit-calls",
    "limit-depth",
    "limit-digits",
    *RESULTS_CODES,
)

# m-persisted
# The types that storage keeps without `raw`.
KEPT = ("user", "think", "call", "result", "respond", "cancelled")

Event = dict[str, Any]


@dataclass(frozen=True)
class Stored:
    """An event, and its index in the input; for joined deltas the index of the first."""

    index: int
    event: Event
    # The index of the call whose outcome it is.
    of: int | None = None


# msg-read-members msg-read-outcome-item msg-read-refused
# Every event has the members of the table, and a value that is not an event is refused.
def read(events: Any) -> list[Stored]:
    if type(events) is not list:
        raise Refused((), "not an array")
    waiting: list[tuple[int, str]] = []
    stored: list[Stored] = []
    for index, given in enumerate(events):
        if is_call_delta(given):
            continue
        event = read_members(given, index)
        of = None
        if event["type"] == "result":
            of = waiting[0][0] if waiting and outcome_of(event) is not None else None
            event = read_result(event, waiting, index)
        elif event["type"] == "call":
            waiting.append((index, tool_of(event.get("content"))))
        elif event["type"] in ("think", "respond", "user"):
            # Calls before one of these no longer wait for a result.
            waiting.clear()
        require_members(event, index)
        stored.append(Stored(index, event, of))
    return join_deltas(stored)


# m-call-delta-display
# Nothing that reads events for another purpose than a display takes call deltas.
def is_call_delta(given: Any) -> bool:
    return type(given) is dict and given.get("type") == "call_delta"


# m-persisted msg-kept
# Storage keeps these types, and every event with `raw`.
def is_stored(event: Event) -> bool:
    return event["type"] in KEPT or "raw" in event


# msg-read-members msg-read-metrics msg-read-refused
# A member that is null is absent, and members beyond the table are left out; `metrics` is `metric`.
def read_members(given: Any, index: int) -> Event:
    if type(given) is not dict:
        raise Refused((str(index),), "not an object")
    kind = "metric" if given.get("type") == "metrics" else given.get("type")
    if type(kind) is not str or kind not in REQUIRED:
        raise Refused((str(index),), "not a type of event")
    names = (*REQUIRED[kind], *OPTIONAL.get(kind, ()), "raw", "timestamp", "id")
    present = {name: given[name] for name in names if given.get(name) is not None}
    if kind == "error" and "code" not in present:
        # An error of the framework, which may have a message.
        present = {name: present[name] for name in present if name not in PLACE_OF_ERROR}
    return {"type": kind, **present}


# m-event-fields msg-read-refused
# The members have the values of the table; members of these values beyond the table are left out as
# well.
def require_members(event: Event, index: int) -> None:
    kind = event["type"]
    is_valid = (
        all(name in event for name in REQUIRED[kind])
        and all(type(event[name]) is str for name in ("content", "raw", "path") if name in event)
        and all(is_count(event[name]) for name in ("segment", "offset", "calls") if name in event)
        and event.get("done", True) is True
        and ("done" not in event or "segment" in event)
        and (kind != "error" or "code" not in event or is_error(event))
        and is_number(event.get("timestamp", 0))
        and type(event.get("id", 0)) in (str, int)
        and all(is_usage(event[name]) for name in ("total", "step") if name in event)
        and is_payload(event.get("payload", dict.fromkeys(COUNTS, 0)))
    )
    if not is_valid:
        raise Refused((str(index),), "not the members of the table")
    for name, inner in (("payload", COUNTS), ("total", USAGE), ("step", USAGE)):
        if name in event:
            event[name] = {
                each: event[name][each] for each in inner if event[name].get(each) is not None
            }


# m-event-fields err-codes
# A broken rule of the wire has one of the codes, a message, and its place.
def is_error(event: Event) -> bool:
    return event["code"] in CODES and all(name in event for name in ("content", "offset", "calls"))


# m-event-fields
# An integer that is not negative.
def is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


# m-event-fields
# A number that JSON can represent.
def is_number(value: Any) -> bool:
    return type(value) is int or (type(value) is float and math.isfinite(value))


# m-event-fields
# Counts of tokens, and optionally seconds.
def is_usage(value: Any) -> bool:
    return (
        type(value) is dict
        and is_count(value.get("input"))
        and is_count(value.get("output"))
        and (value.get("duration") is None or is_number(value["duration"]))
    )


# m-event-fields
# A payload has all three counts.
def is_payload(value: Any) -> bool:
    return type(value) is dict and all(is_count(value.get(name)) for name in COUNTS)


# msg-read-outcome msg-read-outcome-item msg-read-payload
# An outcome, in the payload or as JSON in the content, is an array of one item: that of the first
# call that has no result yet.  Any other result is that of all waiting calls.
def read_result(event: Event, waiting: list[tuple[int, str]], index: int) -> Event:
    outcome = outcome_of(event)
    if outcome is not None:
        tool = waiting.pop(0)[1] if waiting else "unknown"
        more = outcome.get("content") or ""
        has_error = outcome.get("error") is not None and outcome["error"] is not False
        item = {
            "tool": tool,
            "status": "failure" if has_error else "success",
            "content": outcome["outcome"] + ("\n" + more if more else ""),
        }
        content = json.dumps([item], ensure_ascii=False)
        return {**event, "content": content, "payload": counted(content)}
    waiting.clear()
    if type(event.get("content")) is not str:
        raise Refused((str(index),), "the content is missing")
    if "payload" not in event:
        event = {**event, "payload": counted(event["content"])}
    return event


# msg-read-outcome
# An outcome is a string, optionally with more content, in the payload or as JSON in the content.
def outcome_of(event: Event) -> Event | None:
    content = event.get("content")
    for value in (event.get("payload"), plain_json(content) if type(content) is str else None):
        if (
            type(value) is dict
            and type(value.get("outcome")) is str
            and (value.get("content") is None or type(value["content"]) is str)
        ):
            return value
    return None


# msg-read-payload xj-result-payload
# A payload counts the items; no call of a void block was executed, and text is one success.
def counted(content: str) -> dict[str, int]:
    items = plain_json(content)
    if type(items) is not list:
        return payload(["success"], executed=1)
    statuses = [item.get("status") if type(item) is dict else None for item in items]
    return payload(statuses, executed=0 if is_void_answer(items) else len(items))


# msg-void res-void
# One failure of the tool `execute` answers a void block, or forged results.
def is_void_answer(items: Any) -> bool:
    return (
        type(items) is list
        and len(items) == 1
        and type(items[0]) is dict
        and items[0].get("tool") == "execute"
        and items[0].get("status") == "failure"
    )


# msg-read-outcome-item
# The name in the content of a call.
def tool_of(content: Any) -> str:
    call = plain_json(content) if type(content) is str else None
    name = call.get("name") if type(call) is dict else None
    return name if type(name) is str else "unknown"


# msg-read-deltas msg-read-attempts msg-attempts-ended msg-read-whole
# The deltas of one segment are one event, in the place of the first, with the timestamp of the
# last, and with `raw` if all of them have it.  Events that are not stored may be between them;
# after another number or type, a `done` or an event that is stored, another segment begins.
def join_deltas(stored: list[Stored]) -> list[Stored]:
    joined: list[Stored] = []
    is_open: Event | None = None
    segment: tuple[str, int] | None = None
    for each in stored:
        event = each.event
        this = (event["type"], event["segment"]) if "segment" in event else None
        if is_open is not None and this is not None and this == segment:
            join(is_open, event)
            if "done" in event:
                is_open = None
            continue
        bare = {name: event[name] for name in event if name not in ("segment", "done")}
        joined.append(Stored(each.index, bare, each.of))
        if this is not None:
            is_open, segment = (None if "done" in event else bare), this
        elif is_stored(event):
            is_open = None
    return joined


# msg-read-deltas
# The content that a delta adds to the first one.
def join(first: Event, delta: Event) -> None:
    first["content"] += delta["content"]
    if "raw" in first and "raw" in delta:
        first["raw"] += delta["raw"]
    else:
        first.pop("raw", None)
    first.pop("timestamp", None)
    if "timestamp" in delta:
        first["timestamp"] = delta["timestamp"]
