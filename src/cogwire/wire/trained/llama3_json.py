# SPDX-License-Identifier: MIT
"""`llama3-json`: a turn that is a JSON object with `name` and `parameters`, or several."""

from typing import Final

from ..blocks.json.objects import ObjectCalls
from ..dialect import Dialect
from ..frames.bare import Bare

DIALECT: Final = Dialect(
    "llama3-json",
    Bare(
        think=("<think>", "</think>"),
        call=("<|python_tag|>", ""),
        result=("<|start_header_id|>ipython<|end_header_id|>", "<|eot_id|>"),
        gap="",
    ),
    ObjectCalls(("parameters",), is_partial=False),
    parallel=True,
)
