# SPDX-License-Identifier: MIT
"""Text for a terminal, on which some characters would act instead of being seen."""

import re
from typing import Final

#: Control and direction characters, and halves of surrogate pairs, which no terminal can be given.
_UNSEEN: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    """Return `text` with the characters that act on a terminal written as escapes."""
    return _UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
