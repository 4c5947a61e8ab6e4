# SPDX-License-Identifier: MIT
"""`delimiter-upper`: a marker at the start of each part, in upper case."""

from typing import Final

from .blocks.json.payload import PAYLOADS
from .delimiter import RESULT, SYSTEM
from .dialects import Dialect
from .frames.lines.frame import Lines

DIALECT: Final = Dialect(
    "delimiter-upper",
    Lines(
        mark="§",
        think="§THINK:",
        call="§CALL:",
        respond="§RESPOND:",
        execute="§EXECUTE",
        end="§END",
        results=(SYSTEM, RESULT),
    ),
    PAYLOADS,
    parallel=False,
)
