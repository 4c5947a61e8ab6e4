# SPDX-License-Identifier: MIT
"""The words of the adapter protocol, version 1 (spec/adapter.md)."""

from typing import Final

PROTOCOL: Final = 1

#: The bounds of what either side has to take: bytes of a line, and requests without a reply.
LINE_LIMIT: Final = 64 * 1024 * 1024
IN_FLIGHT: Final = 64

OPS: Final = (
    "parse",
    "validate",
    "calls",
    "results",
    "render",
    "batch",
    "messages",
    "from_messages",
    "exchanges",
    "convert",
)

#: What an adapter may be able to do in a dialect, beside the ops as such.
ABILITIES: Final = (
    "token",
    "bytes",
    "raw",
    "spans",
    "sealed",
    "call-deltas",
    "limits",
    "transcript",
    "start",
    "finish",
    "snapshot",
    "turns",
    "lone-surrogates",
    "bigint",
)
