# SPDX-License-Identifier: MIT
"""How much work one question may cause, so that none takes forever."""

from typing import Final

#: Steps for one question, of a few microseconds at most: the longest takes seconds.  The largest
#: call that the default limits let through takes half of them, if its tool is an ordinary one.
MOST: Final = 10_000_000


class TooMuchWorkError(Exception):
    """A question took more work than any may."""


class Work:
    """The work that is left for one question."""

    def __init__(self, left: int = MOST) -> None:
        self.left = left

    def spend(self, steps: int) -> None:
        """Take steps from what is left; `TooMuchWorkError` if there are not so many."""
        self.left -= steps
        if self.left < 0:
            raise TooMuchWorkError
