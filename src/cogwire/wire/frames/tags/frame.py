# SPDX-License-Identifier: MIT
"""The frame whose parts are between tags."""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from ..machine import Machine, Options
from ..markers import Markers, Pair, Role
from .machine import TagMachine
from .markers import TagMarkers

if TYPE_CHECKING:
    from ...blocks.format import CallFormat


class Tags(NamedTuple):
    """Parts between an opener and a closer; in prose an opener is live wherever it appears."""

    think: Pair
    execute: Pair
    results: Pair
    #: The marker that ends a turn; empty if there is none.
    end: str

    # The members of every frame (`frame.py`).
    is_block_last: bool = True
    has_result_array: bool = True
    ignores_case: bool = False
    runs_at_end: bool = False

    @property
    def openers(self) -> tuple[str, ...]:
        openers = (self.think[0], self.execute[0], self.results[0])
        return (*openers, self.end) if self.end else openers

    @property
    def block_ends(self) -> Pair:
        return self.execute

    @property
    def markers(self) -> Markers:
        return _markers(self)

    def machines(self, calls: "CallFormat", options: Options) -> Callable[[], Machine]:
        ends = self.execute, (self.results,)
        return functools.partial(TagMachine, self.markers, ends, calls, options)


@functools.cache
def _markers(frame: Tags) -> Markers:
    live: dict[str, Role] = {
        frame.think[0]: "think",
        frame.execute[0]: "block",
        frame.results[0]: "results",
    }
    if frame.end:
        live[frame.end] = "end"
    return Markers(
        prose=TagMarkers(live),
        think=TagMarkers({frame.think[1]: "close"}),
        opening=TagMarkers({frame.think[0]: "think"}),
        answer=TagMarkers({frame.results[0]: "results"}),
        void=TagMarkers({frame.execute[1]: "close"}),
        results=(TagMarkers({frame.results[1]: "close"}),),
    )
