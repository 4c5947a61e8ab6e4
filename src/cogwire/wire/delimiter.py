# SPDX-License-Identifier: MIT
"""`delimiter` and `delimiter-upper`: a marker at the start of each part, in lower or upper case."""

from typing import Final

from .blocks.json_payload import PAYLOADS
from .dialect import Dialect
from .frames.lines import Lines

#: The markers around the body of a result; both dialects read both.
_RESULT: Final = ("§result:", "")
_SYSTEM: Final = ("[SYSTEM: ", "]")

DELIMITER: Final = Dialect(
    "delimiter",
    Lines(
        mark="§",
        think="§think:",
        call="§call:",
        respond="§respond:",
        execute="§execute",
        end="§end",
        results=(_RESULT, _SYSTEM),
    ),
    PAYLOADS,
    parallel=False,
)

DELIMITER_UPPER: Final = Dialect(
    "delimiter-upper",
    Lines(
        mark="§",
        think="§THINK:",
        call="§CALL:",
        respond="§RESPOND:",
        execute="§EXECUTE",
        end="§END",
        results=(_SYSTEM, _RESULT),
    ),
    PAYLOADS,
    parallel=False,
)
