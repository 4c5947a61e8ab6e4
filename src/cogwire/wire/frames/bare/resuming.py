# SPDX-License-Identifier: MIT
# The state that it reads is private to the classes beside it, to which it belongs.
# pyright: reportPrivateUsage=false
"""Resumes where a brace may begin a call, or is prose."""

from typing import TYPE_CHECKING

from ....text.scan import WHITE
from ..markers import Markers
from ..snapshot import Fields
from ..wrapped.resuming import WrappedResuming

if TYPE_CHECKING:
    from ..frame import MarkerSet


class BareResuming(WrappedResuming):
    """The state of a machine that reads calls without markers."""

    def legal(self, markers: Markers, region: str, form: int) -> "MarkerSet | None":
        # Prose that has begun may begin with a brace.
        return markers.void if region == "prose" else super().legal(markers, region, form)

    def _resume(self, fields: Fields) -> None:
        super()._resume(fields)
        machine = self.machine
        machine._fresh = fresh = fields.flag("fresh")
        if machine._region == "prose":
            has_begun = bool(fields.text("content").strip(WHITE))
            if self.options.token:
                has_begun = fields.flag("started")
            fields.require("fresh", not (fresh and has_begun))
        else:
            fields.require("fresh", fresh)
