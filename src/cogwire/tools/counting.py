# SPDX-License-Identifier: MIT
"""The counter of work: the cost of a question is bounded, whatever the schema and arguments."""

from typing import Final

#: Steps for judging one call.  A step takes a few microseconds, so that the longest call takes
#: seconds.
JUDGING: Final = 1_000_000
#: Steps for making one tool ready, which happens before any call.
DECLARING: Final = 200_000


class TooMuchWorkError(Exception):
    """A question took more work than is allowed."""


class Work:
    """The work that is left for one question."""

    __slots__ = ("left",)

    def __init__(self, left: int = JUDGING) -> None:
        self.left = left

    def spend(self, steps: int) -> None:
        """Take steps from what is left; `TooMuchWorkError` if too few are left."""
        self.left -= steps
        if self.left < 0:
            raise TooMuchWorkError
