# SPDX-License-Identifier: MIT
"""The limits of one block."""

import sys
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one block may hold; each is checked at the character that crosses it.

    Raises `ValueError` for a limit that is no positive integer.
    """

    #: Code points between opener and closer: 8 MiB of text is past any model's output window.
    size: int = 8_388_608
    #: Calls in one block: far more than anyone would run at once.
    calls: int = 256
    #: Nesting, the array itself being 1: within what every JSON library reads without trouble.
    depth: int = 128
    #: Digits of one number, exponent included: within what interpreters convert by default.
    digits: int = 1000

    def __post_init__(self) -> None:
        for name in LIMITS:
            value = getattr(self, name)
            if type(value) is not int or value < 1:
                raise ValueError(f"the limit {name!r} is a positive integer, not {value!r}")


#: The names of the limits.
LIMITS: Final = ("size", "calls", "depth", "digits")

#: For text that was judged when it was first read, by limits that are no longer known.
UNLIMITED: Final = Limits(sys.maxsize, sys.maxsize, sys.maxsize, sys.maxsize)
