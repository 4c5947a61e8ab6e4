# SPDX-License-Identifier: MIT
"""Decides whether a parser's output is as expected: values, texts in pieces, timing."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any


def plain(value: Any) -> str:
    """Return a value in a form in which equal JSON values are the same."""
    return json.dumps(_numbers(value), sort_keys=True)


def _numbers(value: Any) -> Any:
    """Return `value` with whole numbers as integers, so that 1.0 is 1, and true is neither."""
    if isinstance(value, dict):
        return {name: _numbers(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_numbers(element) for element in value]
    is_whole = isinstance(value, float) and value.is_integer()
    return int(value) if is_whole else value


def has(pieces: list[str] | None, text: str) -> bool:
    """Return whether a text is these pieces, with any white space around each; None is any text."""
    if pieces is None:
        return True
    pattern = r"\s*".join(["", *map(re.escape, pieces), ""])
    return re.fullmatch(pattern, text) is not None


def alike(one: str, other: str) -> int:
    """Return the length of the common beginning of two texts."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def delta_faults(events: Iterable[dict[str, Any]]) -> str | None:
    """Return what is wrong with the deltas of a token stream, or None.

    Segments are numbered from 0; each has one last delta, which is `done`, and which alone may be
    empty (m-delta-segment, m-delta-done, m-delta-empty); no call delta is (m-call-delta-fields).
    """
    segment = 0
    is_open = False
    for event in events:
        if event["type"] == "call_delta" and not event.get("content"):
            return "an empty call delta (m-call-delta-fields)"
        if event["type"] not in ("think", "respond"):
            if is_open:
                return f"{event['type']} comes before segment {segment} is done (m-delta-done)"
            continue
        if event.get("segment") != segment:
            found = event.get("segment")
            return f"segment {found} where {segment} is expected (m-delta-segment)"
        is_open = event.get("done") is not True
        if is_open and not event.get("content"):
            return f"an empty delta, not the last of segment {segment} (m-delta-empty)"
        segment += not is_open
    return f"segment {segment} is never done (m-delta-done)" if is_open else None


def untimely(known: list[list[Any]], actual: list[list[Any]]) -> tuple[int, bool] | None:
    """Return the first feed with which a parser has not given what the reference has by then.

    With it comes whether the parser has given less.  Both have given the same events in the end.
    """
    for place, (came, due) in enumerate(zip(_amounts(actual), _amounts(known), strict=True)):
        if came != due:
            return place, any(one < other for one, other in zip(came, due, strict=True))
    return None


def _amounts(feeds: list[list[Any]]) -> Iterator[tuple[int, int]]:
    """Yield how much there is after each feed: whole events, and characters of deltas."""
    whole, characters = 0, 0
    for feed in feeds:
        for event in feed:
            is_delta = event["type"] == "call_delta" or "segment" in event
            whole += not is_delta or bool(event.get("done"))
            characters += len(event["content"]) if is_delta else 0
        yield whole, characters
