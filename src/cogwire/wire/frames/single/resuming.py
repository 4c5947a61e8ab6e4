# SPDX-License-Identifier: MIT
# The state that it writes and reads is private to the classes beside it, to which it belongs.
# pyright: reportPrivateUsage=false
"""Resumes inside a separate call or inside separate results."""

from typing import Any, TypeVar

from ....events import UNLIMITED
from ...blocks.interface import Fault
from ..resuming import Resuming
from ..snapshot import Fields
from .bodies import Bodies
from .machine import SingleMachine
from .transcript import SingleTranscript

Kind = TypeVar("Kind", bound=SingleMachine)


class SingleResuming(Resuming[Kind]):
    """The state of a machine that reads separate calls."""

    def written(self) -> dict[str, Any]:
        machine = self.machine
        state = super().written()
        state["void"], state["batch"] = machine._is_void, self.waiting
        if isinstance(machine, SingleTranscript) and machine._region in ("body", "between"):
            state["content"] = "".join(machine._body)
            state["extent"] = list(machine._extent)
            if machine._bodies is not None:
                state["bodies"], state["room"] = machine._bodies.items, machine._bodies.room
        return state

    @property
    def waiting(self) -> str:
        return "".join(self.machine._waiting)

    def _resume(self, fields: Fields) -> None:
        super()._resume(fields)
        machine = self.machine
        machine._is_void = fields.flag("void")
        if isinstance(machine, SingleTranscript) and machine._region in ("body", "between"):
            self._resume_bodies(machine, fields)
        self._resume_payloads(fields.text("block"), fields)

    def _resume_payloads(self, block: str, fields: Fields) -> None:
        """Read the calls of the batch again; their events have been emitted already."""
        machine = self.machine
        region, is_open = machine._region, machine._region == "payload"
        if not (is_open or block):
            return
        # A sealed batch is read from its text, as long as it is held back.
        is_shown = not self.options.sealed or machine._is_void or fields.flag("closed")
        fields.require("batch", is_shown)
        machine._open_payload()
        machine._region = region
        reader = machine._payloads
        try:
            pos = 0
            while (pos := reader.read(block, pos, len(block))) < len(block):
                reader.open()
        except Fault as fault:
            raise fields.wrong("block", fault.message) from None
        if is_open and reader.closed:
            reader.open()
        fields.require("block", reader.closed != is_open, not (machine._is_void and reader.count))
        if machine._follower is not None:
            machine._follower.follow(block)
        machine._calls = reader.count
        reader.found = []

    def _resume_bodies(self, machine: SingleTranscript, fields: Fields) -> None:
        items, room, extent = fields.names("bodies"), fields.count("room"), fields.extent()
        fields.require("extent", max(extent) <= fields.size)
        machine._extent = extent
        if text := fields.text("content"):
            machine._body = [text]
        if items is None:
            return
        limits, answers = self.options.limits, fields.names("answers")
        fields.require("room", room <= limits.size)
        # A body that is within the limits may be nested more deeply as an item.
        machine._bodies = bodies = Bodies(answers, UNLIMITED)
        fields.require("bodies", len(items) <= bodies.expected)
        try:
            for item in items:
                bodies.take(item)
        except Fault as fault:
            raise fields.wrong("bodies", fault.message) from None
        bodies.room, bodies._limits = room, limits
