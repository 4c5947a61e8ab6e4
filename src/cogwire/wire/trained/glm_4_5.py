# SPDX-License-Identifier: MIT
"""`glm-4.5`: a name, and keys and values in tags, between `<tool_call>` and `</tool_call>`."""

from dataclasses import replace
from typing import Final

from .format import TagsPayload
from .hermes import HERMES

GLM_4_5: Final = replace(
    HERMES,
    name="glm-4.5",
    payload=TagsPayload(
        tool=("", ""),
        key=("<arg_key>", "</arg_key>"),
        value=("<arg_value>", "</arg_value>"),
    ),
)
DIALECT: Final = GLM_4_5.wire
