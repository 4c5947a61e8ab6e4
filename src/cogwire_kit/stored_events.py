# SPDX-License-Identifier: MIT
"""The events of a record, of which anybody may have written any."""

import json
from collections.abc import Iterable
from typing import Any, Final

import cogwire
from cogwire import Change, Event


def stored_events(
    given: Iterable[Any], report: list[Change] | None, places: list[int] | None
) -> list[Event]:
    """Return the events that can be read; each other one is `skipped` in `report`.

    The index of each event is appended to `places`.  Older events are returned as today's, without
    members that no event has.
    """
    events: list[Event] = []
    for index, each in enumerate(given):
        changes: list[Change] = []
        read: list[Any] = [*cogwire.read_events([each], strict=False, report=changes)]
        reason = next((one["message"] for one in changes if one["code"] == "skipped"), None)
        kind = each.get("type") if isinstance(each, dict) else None
        event: Any = read[0] if read else {"type": kind}
        if kind == "error":
            # No message has it, whatever it lacks, but the calls that it voids are left out.
            calls = each.get("calls", 0)
            is_count = isinstance(calls, int) and calls >= 0
            reason = None if is_count else f"{_LEFT}`calls` is not a number"
            texts = (name for name in ("code", "content") if isinstance(each.get(name), str))
            event |= _of(each, *texts, "calls")
        elif kind == "result" and read:
            reason = None if _are_items(event["content"]) else f"{_LEFT}{_NO_ITEMS}"
        elif kind in ("think", "respond"):
            # Deltas are joined with those beside them, which are not here.
            event |= _of(each, "segment", "done")
        if reason is None and (read or kind == "error"):
            events.append(event)
            if places is not None:
                places.append(index)
        elif reason is not None and report is not None:
            report.append({"index": index, "code": "skipped", "message": reason})
    return events


_LEFT: Final = "this is left out: "
_NO_ITEMS: Final = "the content is not an array of results"


def _of(event: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: event[name] for name in names if name in event}


def _are_items(content: str) -> bool:
    try:
        items = json.loads(content)
    except (ValueError, RecursionError):
        return False
    return isinstance(items, list) and all(
        isinstance(each, dict)
        and all(isinstance(each.get(name), str) for name in ("tool", "status", "content"))
        for each in items
    )
