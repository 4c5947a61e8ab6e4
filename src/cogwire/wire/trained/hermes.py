# SPDX-License-Identifier: MIT
"""`hermes`: a JSON object for each call, between `<tool_call>` and `</tool_call>`."""

from typing import Final

from ..blocks.json.payload import ARGUMENTS
from ..dialect import Dialect
from ..frames.wrapped import Wrapped

#: This frame is also that of other formats.
TOOL_CALLS: Final = Wrapped(
    think=("<think>", "</think>"),
    call=("<tool_call>", "</tool_call>"),
    result=("<tool_response>", "</tool_response>"),
)

DIALECT: Final = Dialect("hermes", TOOL_CALLS, ARGUMENTS, parallel=True)
