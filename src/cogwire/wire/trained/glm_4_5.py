# SPDX-License-Identifier: MIT
"""`glm-4.5`: a name, and keys and values in tags, between `<tool_call>` and `</tool_call>`."""

from typing import Final

from ..blocks.tagged import CallTags, Tagged
from ..dialect import Dialect
from .hermes import TOOL_CALLS

_TAGS: Final = CallTags(
    name=("", ""),
    key=("<arg_key>", "</arg_key>"),
    value=("<arg_value>", "</arg_value>"),
    end=TOOL_CALLS.call[1],
    margin="",
)

DIALECT: Final = Dialect("glm-4.5", TOOL_CALLS, Tagged(_TAGS, reads_closer=True), parallel=True)
