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

    The index of each event is appended to `places`.  Older results are returned as today's.
    """
    events: list[Event] = []
    for index, each in enumerate(given):
        changes: list[Change] = []
        read: list[Any] = [*cogwire.read_events([each], strict=False, report=changes)]
        reason = next((one["message"] for one in changes if one["code"] == "skipped"), None)
        event = each
        if isinstance(each, dict) and each.get("type") == "error":
            # No message has it, whatever it lacks, but the calls that it voids are left out.
            reason = None if _is_count(each.get("calls", 0)) else f"{_LEFT}`calls` is not a number"
        elif read and each["type"] == "result":
            # Other deltas are joined with those beside them, which are not here.
            event = read[0]
            reason = None if _are_items(event["content"]) else f"{_LEFT}{_NO_ITEMS}"
        if reason is None:
            events.append(event)
            if places is not None:
                places.append(index)
        elif report is not None:
            report.append({"index": index, "code": "skipped", "message": reason})
    return events


_LEFT: Final = "this is left out: "
_NO_ITEMS: Final = "the content is not an array of results"


def _is_count(value: object) -> bool:
    return isinstance(value, int) and value >= 0


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
