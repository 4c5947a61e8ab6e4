# SPDX-License-Identifier: MIT
"""`qwen3-coder`: a function with parameters in tags, between `<tool_call>` and `</tool_call>`."""

from typing import Final

from ..blocks.tagged import CallTags, Tagged
from ..dialect import Dialect
from .hermes import TOOL_CALLS

_TAGS: Final = CallTags(
    name=("<function=", ">"),
    key=("<parameter=", ">"),
    value=("", "</parameter>"),
    end="</function>",
    margin="\n",
)

#: The template writes truth values as Python does.
_WORDS: Final = (("True", "true"), ("False", "false"))

DIALECT: Final = Dialect(
    "qwen3-coder", TOOL_CALLS, Tagged(_TAGS, reads_closer=False, words=_WORDS), parallel=True
)
