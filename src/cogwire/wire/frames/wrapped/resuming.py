# SPDX-License-Identifier: MIT
"""Resumes inside a call or inside results between tags."""

from typing import TYPE_CHECKING

from ..markers import Markers
from ..single.resuming import SingleResuming
from ..snapshot import Fields
from .machine import WrappedMachine

if TYPE_CHECKING:
    from ..frame import MarkerSet


class WrappedResuming(SingleResuming[WrappedMachine]):
    """The state of a machine that reads calls between tags."""

    def _resume(self, fields: Fields) -> None:
        super()._resume(fields)
        fields.require("region", self.machine.has_closer or fields.text("region") != "called")

    def legal(self, markers: Markers, region: str, form: int) -> "MarkerSet | None":
        # After a call only its closer is legal.
        return markers.void if region == "called" else super().legal(markers, region, form)
