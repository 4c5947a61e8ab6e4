# SPDX-License-Identifier: MIT
"""Texts up to the first of several markers, and texts without any marker.

The automaton of Aho and Corasick reads a text and knows at each place how much of a marker it has
seen.  Its states are eliminated one by one, which leaves a regular expression.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final

from cogwire_kit.grammars.nodes import (
    EMPTY,
    NOTHING,
    FixedText,
    Node,
    Ranges,
    chars,
    common,
    either,
    joined,
    repeat,
    sequence,
    spelled,
    without,
)

#: A separate rule begins after each so many characters of a marker.
_NESTED: Final = 8
#: The state after the whole text; no marker contains it.
_END: Final = "\ud800"


class Scanner:
    """Texts over an alphabet, in which markers are live."""

    def __init__(
        self,
        live: Iterable[str],
        alphabet: Ranges,
        breaks: Node = NOTHING,
        shared: Callable[[Node], Node] = lambda node: node,
        before: str = "",
    ) -> None:
        """Look for the markers `live`; `breaks` are texts after which no marker has begun.

        The texts follow `before`, with which a marker may begin.

        `shared` makes a rule of a node, so that nodes are not nested too deeply for an engine.
        """
        self._shared = shared
        self._live = frozenset(live)
        self._alphabet = alphabet
        self._breaks = breaks
        self._before = before
        self._states = {marker[:size] for marker in self._live for size in range(len(marker))}
        self._states |= {"", *self._live}
        letters = sorted(set("".join(self._live)))
        self._letters = letters
        #: The characters that are in no marker.
        self._others = common(alphabet, without(alphabet, *map(spelled, letters)))

    def to(self, ends: Collection[str]) -> Node:
        """Return the texts that end with the first marker in them, which is one of `ends`."""
        return self._solved(dict.fromkeys(self._states.intersection(ends), _END))

    def until(self, ends: Iterable[str], mark: Callable[[str], Node]) -> Node:
        """Return the same texts as `to`, with the nodes that `mark` makes of the markers.

        If a node is not the marker's text alone, such as a special token, it follows `rest()`.
        """
        written = {end: mark(end) for end in ends}
        plain = [end for end in written if written[end] == FixedText(end)]
        others = [written[end] for end in written if end not in plain]
        found = either(*(sequence(self.rest(), each) for each in others))
        return either(self.to(plain), found) if plain else found

    def rest(self) -> Node:
        """Return the texts without a marker."""
        open_states = (each for each in self._states if not self._is_complete(each))
        return self._solved(dict.fromkeys(open_states, _END))

    def _is_complete(self, state: str) -> bool:
        """Whether the text that leads to a state contains a marker."""
        return any(marker in state for marker in self._live)

    def _steps(self, state: str) -> dict[str, Ranges]:
        """Return the characters that lead from a state to each next one."""
        if self._is_complete(state):
            # Only a longer marker may continue.
            further = (each for each in self._states if each[:-1] == state and each)
            return {each: (spelled(each[-1]),) for each in further}
        steps: dict[str, Ranges] = {"": self._others}
        for letter in self._letters:
            seen = f"{state}{letter}"
            target = next(seen[at:] for at in range(len(seen) + 1) if seen[at:] in self._states)
            taken = common(self._alphabet, (spelled(letter),))
            steps[target] = joined(steps.get(target, ()), taken)
        return steps

    def _solved(self, last: Mapping[str, str]) -> Node:
        """Return the texts that lead from the first state to one of the last ones."""
        first = self._before
        edges: dict[str, dict[str, Node]] = {}
        for state in self._states:
            edges[state] = {to: chars(*ranges) for to, ranges in self._steps(state).items()}
            if not self._is_complete(state):
                edges[state][""] = either(edges[state][""], self._breaks)
            if state in last:
                edges[state][last[state]] = EMPTY
        for state in sorted(self._states - {first}, key=lambda each: (-len(each), each)):
            after = edges.pop(state)
            again = repeat(after.pop(state, NOTHING))
            if len(state) % _NESTED == 0:
                after = {to: self._shared(node) for to, node in after.items()}
            for others in edges.values():
                if (before := others.pop(state, NOTHING)) != NOTHING:
                    for to, node in after.items():
                        found = sequence(before, again, node)
                        others[to] = either(others.get(to, NOTHING), found)
        again = repeat(edges[first].pop(first, NOTHING))
        return sequence(again, edges[first].get(_END, NOTHING))
