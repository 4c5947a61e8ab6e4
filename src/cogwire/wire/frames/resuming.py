# SPDX-License-Identifier: MIT
# This module is part of the machines, whose private state it writes and reads back.
# pyright: reportPrivateUsage=false
"""Writes the state of a machine as a snapshot, and restores it from an untrusted one.

A member that breaks a rule is refused when it is read.  One test refuses all other states that no
machine can have: a restored state must be written as exactly the same snapshot.
"""

from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, get_args

from ...text.scan import WHITE
from .machine import Machine
from .markers import Markers
from .segments import DeltaSegment, WholeSegment
from .snapshot import Fields
from .transcript import Transcript
from .window import Region

if TYPE_CHECKING:
    from .frame import MarkerSet

_Kind = TypeVar("_Kind", bound=Machine)

#: The regions in which a block reader is open, and those in which the calls of the batch matter.
_OPEN: Final = frozenset({"execute", "payload", "results"})
_ANSWERS: Final = frozenset({"answer", "results", "body", "between"})


class Resuming(Generic[_Kind]):
    """The state of a machine; a subclass adds the state of one kind of frame."""

    def __init__(self, machine: _Kind) -> None:
        self.machine = machine
        self.options = machine._options

    def written(self) -> dict[str, Any]:
        """Return the state as members of a JSON object; `resume` reads them."""
        machine, segment = self.machine, self.machine._segment
        region, form, answers = machine._region, 0, None
        if isinstance(machine, Transcript):
            form = machine._form
            if region in _ANSWERS and machine._answers is not None:
                answers = list(machine._answers)
        return {
            "region": region,
            "carry": machine._carry,
            "segment": segment.number,
            "started": segment.started,
            "content": segment.content,
            "white": segment.white,
            "fresh": machine._fresh,
            "void": False,
            "block": machine._reader.text() if region in _OPEN or machine._calls else "",
            "batch": "",
            "answers": answers,
            "bodies": None,
            "room": 0,
            "form": form,
            "extent": [0, 0],
        }

    @property
    def waiting(self) -> str:
        """The text of an open batch with sealed calls, which no event has claimed."""
        trace = self.machine.trace
        return self.machine._reader.text() if trace is not None and trace.held else ""

    def resume(self, fields: Fields) -> None:
        """Restore what `written` returned; `ValueError` for a state that no machine can be in."""
        machine, form = self.machine, fields.count("form")
        fields.require("form", form < len(machine._markers.results))
        if isinstance(machine, Transcript):
            machine._form = form
        if batch := fields.text("batch"):
            self._read_again(batch, fields)
        else:
            self._resume(fields)
        state = self.written()
        fields.require_all({"batch": state["batch"], **state})

    def _resume(self, fields: Fields) -> None:
        """Restore the members; only those that could do harm are checked here."""
        machine, segment, options = self.machine, self.machine._segment, self.options
        region = fields.chosen("region", get_args(Region))
        machine._region = region
        fields.require(
            "region",
            region in machine._SCANS,
            not (machine.stopped and options.transcript),
            region != "opening" or options.start == "think",
        )
        if isinstance(machine, Transcript):
            machine._answers = fields.names("answers")
        in_segment = region in ("prose", "think")
        started = fields.flag("started")
        fields.require("started", in_segment or not started)
        content, white = fields.text("content"), fields.text("white")
        fields.require("content", started or not (content and in_segment))
        fields.require("white", in_segment or not white, not white.strip(WHITE))
        segment.kind = "think" if region == "think" else "respond"
        number = fields.count("segment")
        segment.started = started
        if isinstance(segment, WholeSegment):
            segment._pieces = [content] if content and in_segment else []
        else:
            segment.number, segment._white = number, [white] if white else []
        machine._carry = carry = fields.text("carry")
        legal = self.legal(machine._markers, region, fields.count("form"))
        fields.require("carry", not carry or (legal is not None and legal.may_hold(carry)))
        fields.require("content", legal is None or not legal.find(content, 0, fresh=True))

    def legal(self, markers: Markers, region: str, form: int) -> "MarkerSet | None":
        """Return the markers that are legal in a region; `form` is that of results."""
        return {
            "opening": markers.opening,
            "prose": markers.prose,
            "think": markers.think,
            "void": markers.void,
            "called": markers.prose,
            "answer": markers.answer,
            "between": markers.answer,
            "broken": markers.results[0],
            "body": markers.results[form],
            "forged": markers.results[form],
        }.get(region)

    def take_calls(self, block: str, fields: Fields) -> None:
        """Restore the calls of the open block; only sealed ones have not been emitted."""
        machine = self.machine
        if machine._follower is not None:
            machine._follower.follow(block)
        if not self.options.sealed or fields.flag("closed"):
            machine._calls = machine._reader.count
            return
        base = fields.size - len(block)
        fields.require("offset", base >= 0)
        machine._open("", base)
        machine._emit_calls("", 0, 0)

    def _read_again(self, batch: str, fields: Fields) -> None:
        """Read a sealed batch again; the number of segments before it comes from the snapshot."""
        machine, segment = self.machine, self.machine._segment
        base = fields.size - len(batch)
        fields.require("batch", base >= 0, not fields.flag("closed"))
        machine._region = "prose"  # batches begin in prose, even if turns begin in a think
        machine.read(batch, base, ())
        earlier = fields.count("segment") - segment.number
        fields.require("segment", earlier >= 0)
        if isinstance(segment, DeltaSegment):
            segment.number += earlier
        for event, _ in machine.trace.held if machine.trace is not None else ():
            if event["type"] in ("think", "respond") and "segment" in event:
                event["segment"] += earlier
