# SPDX-License-Identifier: MIT
"""`mistral`: the name of a tool and a JSON object of arguments after `[TOOL_CALLS]`."""

from typing import Final

from ..blocks.json.headed import HeadedCalls
from ..dialect import Dialect
from ..frames.wrapped import Wrapped

DIALECT: Final = Dialect(
    "mistral",
    Wrapped(
        think=("[THINK]", "[/THINK]"),
        call=("[TOOL_CALLS]", ""),
        result=("[TOOL_RESULTS]", "[/TOOL_RESULTS]"),
        gap="",
    ),
    HeadedCalls(["{name}[ARGS]", "{name}[CALL_ID]{id}[ARGS]"]),
    parallel=True,
)
