# SPDX-License-Identifier: MIT
"""Reads back what a conversion has written, to see whether it is what was meant."""

import functools
from collections.abc import Callable, Sequence

from ..events import Event, Limits
from ..text.json_text import same_json
from ..wire.blocks.values import RenderError
from ..wire.dialects import Dialect
from ..wire.frames.machine import Machine, Options
from ..wire.writing import frame_calls, writing_of


class BlockReader:
    """Reads back one block, and its results, in one dialect."""

    def __init__(self, wire: Dialect, limits: Limits, calls: Sequence[str]) -> None:
        """Prepare to read the block of `calls`, each as the dialect writes it."""
        self._wire = wire
        self._limits = limits
        self._block = frame_calls(calls, wire) + writing_of(wire).joint
        self._at = 0

    @functools.cached_property
    def _machine(self) -> Machine:
        return _begin(self._wire, self._limits)()

    @property
    def size(self) -> int:
        """The length of the block in characters."""
        return len(self._block)

    def read_calls(self) -> list[str]:
        """Return the contents of the calls; `RenderError` if they are not a valid block."""
        events = self._read(self._block)
        self._block = ""
        return [event["content"] for event in events if event["type"] == "call"]

    def read_results(self, written: str) -> str:
        """Return the content of results as read back; `RenderError` if they are malformed."""
        events = self._read(self._block + written, is_last=True)
        (result,) = [event["content"] for event in events if event["type"] == "result"]
        return result

    def _read(self, text: str, *, is_last: bool = False) -> list[Event]:
        events = self._machine.read(text, self._at, [])
        self._at += len(text)
        if is_last:
            events += self._machine.finish(self._at, finished=True)
        for event in events:
            if event["type"] == "error":
                raise RenderError("", f"{self._wire.name} would not read it: {event['content']}")
        return events


def require_same(back: str, results: str) -> None:
    """Raise `RenderError` unless `back` has the values of `results`, with numbers as spelled."""
    if not same_json(back, results):
        raise RenderError("", "they would be read as other values")


@functools.lru_cache(maxsize=16)
def _begin(wire: Dialect, limits: Limits) -> Callable[[], Machine]:
    """Return a factory of machines that read a transcript, to check what is written."""
    options = Options(token=False, transcript=True, start="prose", limits=limits, trace=False)
    return wire.frame.machines(wire.calls, options)
