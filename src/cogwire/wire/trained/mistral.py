# SPDX-License-Identifier: MIT
"""`mistral`: the name of a tool and a JSON object of arguments after `[TOOL_CALLS]`."""

from typing import Final

from .format import ArgumentsPayload, Format

MISTRAL: Final = Format(
    name="mistral",
    think=("[THINK]", "[/THINK]"),
    call=("[TOOL_CALLS]", ""),
    payload=ArgumentsPayload(("{name}[ARGS]", "{name}[CALL_ID]{id}[ARGS]")),
    result=("[TOOL_RESULTS]", "[/TOOL_RESULTS]"),
)
DIALECT: Final = MISTRAL.wire
