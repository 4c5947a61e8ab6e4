# SPDX-License-Identifier: MIT
"""The frame of calls between tags, which the end of a turn runs."""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from ..machine import Machine, Options
from ..markers import Markers, Pair, Role
from ..tags.markers import TagMarkers
from .machine import WrappedMachine

if TYPE_CHECKING:
    from ...blocks.format import CallFormat


class Wrapped(NamedTuple):
    """Each call and each result is between its own tags; no marker runs the calls.

    They run where the turn ends: at the end of the text, or in a transcript before the results.
    If calls have no closer, their format defines where they end.
    """

    think: Pair
    call: Pair
    result: Pair
    #: The white space that is written between the markers of a call or a result and its content.
    gap: str = "\n"

    # The properties of every frame (`frame.py`).
    end: str = ""
    is_block_last: bool = False
    has_result_array: bool = False
    ignores_case: bool = False
    runs_at_end: bool = True

    @property
    def openers(self) -> tuple[str, ...]:
        return self.think[0], self.call[0], self.result[0]

    @property
    def roles(self) -> dict[str, Role]:
        """The role of each opener."""
        return dict(zip(self.openers, ("think", "call", "results"), strict=True))

    @property
    def block_ends(self) -> Pair:
        return self.call

    @property
    def markers(self) -> Markers:
        return markers_of(self)

    def machines(self, calls: "CallFormat", options: Options) -> Callable[[], Machine]:
        ends = self.call, (self.result,)
        return functools.partial(WrappedMachine, self.markers, ends, calls, options)


@functools.cache
def markers_of(frame: Wrapped) -> Markers:
    """Return the markers of such a frame."""
    prose = TagMarkers(frame.roles)
    return Markers(
        prose=prose,
        think=TagMarkers({frame.think[1]: "close"}),
        opening=TagMarkers({frame.think[0]: "think"}),
        answer=TagMarkers({frame.result[0]: "results"}),
        void=TagMarkers({frame.call[1]: "close"}) if frame.call[1] else prose,
        results=(TagMarkers({frame.result[1]: "close"}),),
    )
