# SPDX-License-Identifier: MIT
"""The automaton of an expression, in which every text leads to one state."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from cogwire_kit.grammars.nodes import (
    EMPTY,
    Chars,
    Choice,
    Node,
    Ranges,
    Reference,
    Repeat,
    Sequence,
    joined,
)

#: What a step reads: a character, or a text of a rule.
Label = Ranges | Reference


class State(NamedTuple):
    """What each step reads and the number of the state it leads to; whether the text may end."""

    steps: tuple[tuple[Label, int], ...]
    may_end: bool


def states_of(node: Node) -> list[State]:
    """Return the states of the automaton of a node, the first of which is that of the beginning."""
    rests = _Rests()
    numbers = {frozenset([rests.of(node, 0)]): 0}
    waiting = list(numbers)
    states: list[State] = []
    for state in waiting:  # grows
        steps, may_end = rests.steps(state)
        for _, target in steps:
            if target not in numbers:
                numbers[target] = len(waiting)
                waiting.append(target)
        states.append(State(tuple((label, numbers[each]) for label, each in steps), may_end))
    return _merged(states)


def _merged(states: list[State]) -> list[State]:
    """Return the states, of which those with the same steps are one."""
    while True:
        numbers: dict[State, int] = {}
        places = [numbers.setdefault(state, len(numbers)) for state in states]
        if len(numbers) == len(states):
            return states
        states = [
            State(tuple((label, places[target]) for label, target in steps), may_end)
            for steps, may_end in numbers
        ]


class _Rests:
    """Numbers what may still follow: a node, and the number of what follows it; 0 is the end."""

    def __init__(self) -> None:
        self._rests: list[tuple[Node, int]] = [(EMPTY, 0)]
        self._known: dict[tuple[int, int], int] = {}
        self._repeats: dict[tuple[int, int, int | None], Repeat] = {}

    def of(self, node: Node, after: int) -> int:
        """Return the number of a node and what follows it."""
        key = id(node), after
        if key not in self._known:
            self._known[key] = len(self._rests)
            self._rests.append((node, after))
        return self._known[key]

    def steps(self, state: Iterable[int]) -> tuple[list[tuple[Label, frozenset[int]]], bool]:
        """Return what leads from a state to each other one, and whether the text may end."""
        ranges: list[tuple[Ranges, int]] = []
        blocks: list[tuple[Label, frozenset[int]]] = []
        seen: dict[int, None] = {}
        waiting = sorted(state, reverse=True)
        while waiting:
            number = waiting.pop()
            if number in seen:
                continue
            seen[number] = None
            node, after = self._rests[number]
            match node:
                case Chars(chars):
                    ranges.append((chars, after))
                case Reference():
                    blocks.append((node, frozenset([after])))
                case _ if number:
                    waiting += self._inner(node, after)
        return [*apart(ranges), *blocks], 0 in seen

    def _inner(self, node: Node, after: int) -> Iterator[int]:
        """Yield what a node that is no character begins with, the last first."""
        match node:
            case Sequence(parts):
                for part in reversed(parts):
                    after = self.of(part, after)
                yield after
            case Choice(options):
                yield from (self.of(option, after) for option in reversed(options))
            case Repeat(part, least, most):
                if not least:
                    yield after
                yield self.of(part, after if most == 1 else self.of(self._again(node), after))
            case _:
                yield after  # the empty text

    def _again(self, node: Repeat) -> Node:
        """Return a repeated node after its part was there once."""
        least, most = max(node.least - 1, 0), None if node.most is None else node.most - 1
        self._repeats.setdefault((id(node.part), node.least, node.most), node)
        return self._repeats.setdefault(
            (id(node.part), least, most), Repeat(node.part, least, most)
        )


def apart(ranges: list[tuple[Ranges, int]]) -> list[tuple[Ranges, frozenset[int]]]:
    """Return the ranges that have the same numbers, each with these; no two overlap."""
    ends = {end for each, _ in ranges for first, last in each for end in (first, last + 1)}
    found: dict[frozenset[int], list[tuple[int, int]]] = {}
    for first, end in pairwise(sorted(ends)):
        over = frozenset(
            number for each, number in ranges if any(one <= first <= last for one, last in each)
        )
        if over:
            found.setdefault(over, []).append((first, end - 1))
    return [(joined(pieces), over) for over, pieces in found.items()]
