# SPDX-License-Identifier: MIT
"""The frame of calls that need no marker at the beginning of a text."""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..machine import Machine, Options
from ..markers import Markers
from ..wrapped.frame import Wrapped, markers_of
from .machine import BareMachine
from .markers import BareMarkers

if TYPE_CHECKING:
    from ...blocks.format import CallFormat


class Bare(Wrapped):
    """A call is a JSON object at the beginning of a text, or after a tag; no marker runs the calls.

    An object that begins like a call is prose, unless it is certain that a call was intended.
    """

    __slots__ = ()

    @property
    def markers(self) -> Markers:
        return _markers(self)

    def machines(self, calls: "CallFormat", options: Options) -> Callable[[], Machine]:
        ends = self.call, (self.result,)
        return functools.partial(BareMachine, self.markers, ends, calls, options)


@functools.cache
def _markers(frame: Bare) -> Markers:
    return markers_of(frame)._replace(prose=BareMarkers(frame.roles))
