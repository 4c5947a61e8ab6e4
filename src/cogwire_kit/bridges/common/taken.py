# SPDX-License-Identifier: MIT
"""Checks what a program passes to the writer of a stream: only events are written."""

from collections.abc import Mapping
from typing import Any

from cogwire import read_events
from cogwire.tooling import WHITE, read_call


class TakenEvents:
    """Counts the events of a stream, reads older forms of them, and refuses anything else."""

    def __init__(self) -> None:
        self._count = 0

    def read(self, event: object) -> Mapping[str, Any]:
        """Return an event in its current form; raises `ValueError`, with the index, for others."""
        index, self._count = self._count, self._count + 1
        try:
            return _read(event)
        except ValueError as problem:
            reason = str(problem).removeprefix("event 0: ")
            raise ValueError(f"event {index}: {reason}") from None


def _read(event: Any) -> Mapping[str, Any]:
    stored: Mapping[str, Any] = event if isinstance(event, Mapping) else {}
    kind, content = stored.get("type"), stored.get("content")
    if kind == "call_delta":  # the only event that is not stored
        members = stored.get("index"), stored.get("name"), content
        if tuple(map(type, members)) != (int, str, str):
            raise ValueError("a call_delta has an `index`, a `name` and a `content`")
    elif not (kind in ("think", "respond") and isinstance(content, str)):  # as most events are
        read: list[Any] = [*read_events([event])]
        if kind != "result":  # in its older forms, it is read with its calls
            stored = read[0]
        if kind == "call":
            try:
                read_call(stored["content"].strip(WHITE))
            except ValueError as problem:
                raise ValueError(f"the content is not that of one call. {problem}") from None
    return stored
