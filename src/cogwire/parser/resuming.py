# SPDX-License-Identifier: MIT
# This module is part of `Parser`, whose private state it writes and reads back.
# pyright: reportPrivateUsage=false
"""Writes the state of a parser as a snapshot, and restores a parser from an untrusted one."""

from typing import Any

from ..wire.frames.snapshot import SNAPSHOT_VERSION, Fields
from .accounts import Accounts
from .ledger import Ledger
from .parser import Clock, Parser


def written(parser: Parser) -> dict[str, Any]:
    """Return the state of `parser` as a JSON value."""
    options, is_raw = parser._plan.options, parser._plan.raw
    state = parser._machine.save()
    tail, held = parser.tail, len(state["carry"])
    return {
        "version": SNAPSHOT_VERSION,
        "dialect": parser._plan.dialect.name,
        "stream": "token" if options.token else "event",
        "mode": "transcript" if options.transcript else "turn",
        "start": options.start,
        "raw": is_raw,
        "spans": parser._plan.spans,
        "calls": "sealed" if options.sealed else "shown",
        "call_deltas": options.call_deltas,
        "limits": options.limits._asdict(),
        "unit": parser._decoder.unit,
        "pending": list(parser._decoder.pending),
        "offset": parser._offset,
        "discarded": parser.discarded,
        "closed": parser._closed,
        # The beginning of the text that is held back may already be claimed.
        "claimed": max(0, held - len(tail)) if is_raw else 0,
        "unclaimed": tail[: max(0, len(tail) - held)],
        **state,
    }


def restored(kind: type[Parser], value: object, clock: Clock | None) -> Parser:
    """Return a parser in the state `value`; `ValueError` if no parser can be in it."""
    fields = Fields(value)
    parser = kind(
        fields.text("dialect"),
        stream=fields.value("stream"),
        mode=fields.value("mode"),
        start=fields.value("start"),
        raw=fields.flag("raw"),
        spans=fields.flag("spans"),
        calls=fields.value("calls"),
        call_deltas=fields.flag("call_deltas"),
        clock=clock,
        limits=fields.limits(),
    )
    _resume(parser, fields)
    return parser


def _resume(parser: Parser, fields: Fields) -> None:
    decoder, machine, is_raw = parser._decoder, parser._machine, parser._plan.raw
    decoder.unit, decoder.pending = fields.unit(), fields.pending()
    carry, unclaimed = fields.text("carry"), fields.text("unclaimed")
    claimed = fields.count("claimed")
    parser._closed = fields.flag("closed")
    parser._offset = fields.count("offset")
    discarded = machine.discarded = fields.count("discarded")
    machine.load(fields)
    fields.require("closed", not parser._closed or not (decoder.pending or carry))
    fields.require("unit", decoder.unit is not None or not parser._offset)
    kept = [unclaimed, *map(fields.text, ("content", "white", "block"))]
    least = len(carry) + max(map(len, kept))
    fields.require("offset", parser._offset >= least + discarded)
    fields.require("discarded", not discarded or parser.stopped)
    fields.require("claimed", claimed <= (len(carry) if is_raw else 0))
    fields.require("unclaimed", is_raw or not unclaimed)
    if isinstance(parser._reader, Accounts) and is_raw:
        tail = unclaimed + carry[claimed:]
        # An error before it may have claimed its first character, the offending one.
        fields.require("unclaimed", tail.endswith(machine.waiting[1:]))
        parser._reader.ledger = Ledger(tail, parser._offset - discarded)
