# SPDX-License-Identifier: MIT
"""`hermes`: a JSON object for each call, between `<tool_call>` and `</tool_call>`."""

from typing import Final

from .format import Format, ObjectPayload

HERMES: Final = Format(
    name="hermes",
    call=("<tool_call>", "</tool_call>"),
    payload=ObjectPayload(partial=True),
    result=("<tool_response>", "</tool_response>"),
    gap="\n",
)
DIALECT: Final = HERMES.wire
