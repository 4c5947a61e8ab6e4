# SPDX-License-Identifier: MIT
"""`qwen3-coder`: a function with parameters in tags, between `<tool_call>` and `</tool_call>`."""

from dataclasses import replace
from typing import Final

from .format import TagsPayload
from .hermes import HERMES

QWEN3_CODER: Final = replace(
    HERMES,
    name="qwen3-coder",
    payload=TagsPayload(
        tool=("<function=", ">"),
        key=("<parameter=", ">"),
        value=("", "</parameter>"),
        end="</function>",
        margin="\n",
        # The template writes truth values as Python does.
        words=(("True", "true"), ("False", "false")),
    ),
)
DIALECT: Final = QWEN3_CODER.wire
