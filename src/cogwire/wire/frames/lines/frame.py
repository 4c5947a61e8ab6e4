# SPDX-License-Identifier: MIT
"""The frame whose parts begin with a marker."""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from ..machine import Machine, Options
from ..markers import Markers, Pair, Role
from .machine import LineMachine
from .markers import LineMarkers

if TYPE_CHECKING:
    from ...blocks.format import CallFormat


class Lines(NamedTuple):
    """Parts that begin with a marker at the start of a line and last until the next marker.

    A marker that begins with `mark` is read in any ASCII letter case.
    """

    mark: str
    think: str
    call: str
    respond: str
    execute: str
    end: str
    #: The markers around the body of a result: those that are written, then others that are read.
    results: tuple[Pair, ...]

    # The members of every frame (`frame.py`).
    is_block_last: bool = False
    has_result_array: bool = False
    ignores_case: bool = True
    runs_at_end: bool = False

    @property
    def openers(self) -> tuple[str, ...]:
        results = (opener for opener, _ in self.results)
        return (self.think, self.call, self.respond, self.execute, self.end, *results)

    @property
    def block_ends(self) -> Pair:
        return self.call, self.execute

    @property
    def markers(self) -> Markers:
        return _markers(self)

    def machines(self, calls: "CallFormat", options: Options) -> Callable[[], Machine]:
        ends = self.block_ends, self.results
        return functools.partial(LineMachine, self.markers, ends, calls, options)


@functools.cache
def _markers(frame: Lines) -> Markers:
    results: dict[str, Role] = {opener: "results" for opener, _ in frame.results}
    live: dict[str, Role] = {
        frame.think: "think",
        frame.respond: "prose",
        frame.call: "call",
        frame.execute: "execute",
        frame.end: "end",
        **results,
    }
    everywhere = LineMarkers(frame.mark, live)
    return Markers(
        prose=everywhere,
        think=everywhere,
        opening=LineMarkers(frame.mark, {frame.think: "think"}),
        answer=LineMarkers(frame.mark, results),
        void=everywhere,
        results=tuple(LineMarkers(frame.mark, live, closer) for _, closer in frame.results),
    )
