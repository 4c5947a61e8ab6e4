# SPDX-License-Identifier: MIT
"""Numbers with their nouns, for people."""


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return `number` with what it counts: 1 file, 1,200 files; `many` if an s is not enough."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def share(number: int, total: int, noun: str, does: str, do: str) -> str:
    """Return how many of a total do something: 1 of 24 cases passes, 3 of 24 cases pass."""
    return f"{number:,} of {counted(total, noun)} {does if 1 in (number, total) else do}"
