# SPDX-License-Identifier: MIT
"""How the work of a target grows with its input, by the least of several measurements.

Work is the time of a processor, and where that is not known, or the work is done elsewhere, the
time on the clock (spec/conformance.md, "Growth").
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from cogwire_kit.conformance.target import Reply

#: Each size is asked for so often, in turns, and again while it seems to fail.
_REPETITIONS: Final = 3
_ROUNDS: Final = 4
#: After so many seconds of answers, nothing that has a value for each size is asked for again: what
#: takes so long is no matter of chance, and each more of a slow parser may take minutes.
_LONG: Final = 60.0
#: How often at most.
MOST: Final = _REPETITIONS * _ROUNDS
#: In seconds: shorter times do not show how work grows.
_MEASURABLE: Final = 0.02
#: How much faster than its input the work of an answer may grow.
_GROWTH: Final = 2.2
#: A target that uses a processor for a smaller part of the time than this has its work done by
#: other processes, such as a container or a server.
_ITS_OWN: Final = 0.02
#: The same, as a part of the time in which it did not wait for a processor.
_BUSY: Final = 1 / 3


@dataclass
class Measured:
    """The answers to a small input, and to one that is `times` as large."""

    times: float
    #: Of each size, the least work, time and idle time that an answer took.
    _least: dict[int, tuple[float, ...]] = field(default_factory=dict)
    _is_idle_known: bool = True
    _is_work_known: bool = True
    #: How long all answers together took.
    _seconds: float = 0.0

    @property
    def is_enough(self) -> bool:
        """Whether each size has a value, and what was asked has taken long."""
        return len(self._least) > 1 and self._seconds > _LONG

    def add(self, index: int, answer: Reply) -> None:
        """Keep the least of the size with this index."""
        self._is_work_known &= answer.work is not None
        self._is_idle_known &= answer.idle is not None
        took = (answer.work or 0.0, answer.seconds, answer.idle or 0.0)
        self._least[index] = tuple(map(min, took, self._least.get(index, took)))
        self._seconds += answer.seconds

    def judged(self) -> tuple[bool, str]:
        """Return whether the work grows no faster than allowed, and in words how fast it does."""
        small, large, is_own = self._counting()
        ratio = large / max(small, _MEASURABLE / self.times)
        unit = "as much processor time" if is_own else "as long"
        is_fine = large < _MEASURABLE or ratio <= self.times * _GROWTH
        return is_fine, f"{self.times:g} times the input takes {ratio:.1f} times {unit}"

    def _counting(self) -> tuple[float, float, bool]:
        """Return what counts of the small and the large input, and whether it is work alone."""
        (small, *small_times), (large, *large_times) = self._least[0], self._least[1]
        if self._is_idle_known:
            # A target that mostly sleeps, or lets others work, is judged by that time as well.
            idle_too = (small + small_times[1], large + large_times[1])
            is_own = large >= _BUSY * idle_too[1]
            return (small, large, True) if is_own else (*idle_too, False)
        is_own = self._is_work_known and large >= _ITS_OWN * large_times[0]
        return (small, large, True) if is_own else (small_times[0], large_times[0], False)


def measured(times: float, ask: Callable[[int], Reply | None]) -> tuple[bool, str] | None:
    """Return whether the work grows no faster than allowed, and in words how fast it does.

    `ask` returns the answer to a small input, for 0, or to one that is `times` as large, for 1; or
    None where nothing more has to be asked, so that nothing is returned.
    """
    least = Measured(times)
    is_fine, note = False, ""
    for _ in range(_ROUNDS):
        for index in _REPETITIONS * (0, 1):
            if (answer := ask(index)) is None:
                return None
            least.add(index, answer)
            if least.is_enough:
                break
        is_fine, note = least.judged()
        if is_fine or least.is_enough:
            break
    return is_fine, note
