# SPDX-License-Identifier: MIT
"""Writes tokens in the form that XGrammar handles quickly: a rule for each state of an automaton.

When XGrammar compiles a grammar, it decides for each place in a rule which words of the vocabulary
may follow, but only within the rule: a word that goes past the end of the rule is tried again each
time.  A rule for one character therefore makes it try the whole vocabulary for each character, and
a rule that counts, such as `[a-z]{1,64}`, all words that go past the end of the count.  In
`text ::= [a-z] text | "."` no rule ends inside a text, so everything is decided when it is
compiled; a word that goes past the end of the text is excluded then, too, if none of the characters
that may come next allows it.

Each place takes time to compile, so there are no more of them than states.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from graphlib import TopologicalSorter
from itertools import pairwise
from typing import Final, NamedTuple

from cogwire_kit.grammars.nodes import (
    EMPTY,
    Chars,
    Choice,
    FixedText,
    Grammar,
    GrammarRule,
    Node,
    Ranges,
    Reference,
    Repeat,
    Sequence,
    Special,
    common,
    either,
    joined,
    parts_of,
    rebuilt,
    references_of,
    repeat,
    rules_of,
    sequence,
    spelled,
)

#: The most repetitions that are counted with states.  XGrammar compiles each in 60 ms with a
#: vocabulary of 150,000 words; more are counted in blocks, at whose ends words are tried again.
_COUNTED: Final = 300
#: The most characters in a class that XGrammar counts itself.  The digits are so many: few words
#: consist of them, so states would cost more than they save.
_FEW: Final = 10
#: What a step of an automaton reads: a character, or a text of a rule.
_Label = Ranges | Reference


class _State(NamedTuple):
    """What each step reads and the number of the state it leads to; whether the text may end."""

    steps: tuple[tuple[_Label, int], ...]
    may_end: bool


def linear(grammar: Grammar) -> Grammar:
    """Return a grammar of the same texts, with its tokens in this form."""
    return replace(grammar, rules=_Linear(grammar).all())


class _Linear:
    """Rewrites the rules of one grammar."""

    def __init__(self, grammar: Grammar) -> None:
        self._rules = grammar.rules
        self._following = _Following(grammar.rules, grammar.start).of
        self._made: dict[str, GrammarRule] = {}
        #: The token that is being written, and the blocks in it, by what they repeat.
        self._token = ""
        self._blocks: dict[Node, Reference] = {}

    def all(self) -> dict[str, GrammarRule]:
        """Return the rules that are needed, the first of which is the start."""
        for name, rule in self._rules.items():
            if rule.is_token and self._is_tried(name):
                self._token = name
                self._blocks = {}
                self._make(name, self._whole(rule.node), self._following[name])
                for part, block in self._blocks.items():
                    # Another part may follow a block.
                    self._make(block.name, repeat(part, _COUNTED, _COUNTED), ())
            else:
                self._made[name] = rule
        start = next(iter(self._rules))
        return {name: self._made[name] for name in rules_of(Reference(start), self._made)}

    def _is_tried(self, name: str) -> bool:
        """Whether a rule repeats more than a character or counts, so that words are tried again."""
        # Each rule is examined once, however many rules refer to it.
        reached = rules_of(Reference(name), self._rules)
        return any(_repeats(self._rules[each].node) for each in reached)

    def _whole(self, node: Node) -> Node:
        """Return a node of single characters, in which only blocks are rules."""
        match node:
            case Reference(name):
                return self._whole(self._rules[name].node)
            case FixedText(text):
                return sequence(*(Chars((spelled(char),)) for char in text))
            case Repeat(part, least, most) if max(least, most or 0) > _COUNTED:
                return self._in_blocks(self._whole(part), least, most)
        return rebuilt(node, self._whole)

    def _in_blocks(self, part: Node, least: int, most: int | None) -> Node:
        """Return many repetitions of a part: whole blocks, then fewer than a block has."""
        block = Reference(f"{self._token}-block-{len(self._blocks)}")
        block = self._blocks.setdefault(part, block)
        count = (least if most is None else most) // _COUNTED
        rest: Node | None = None
        for done in range(count, -1, -1):
            low = max(least - done * _COUNTED, 0)
            high = _COUNTED - 1 if most is None else min(most - done * _COUNTED, _COUNTED - 1)
            if most is None and done == count:
                rest = repeat(part, low)
            elif rest is None:
                rest = repeat(part, low, high)
            else:
                rest = either(repeat(part, low, high), sequence(block, rest))
        return EMPTY if rest is None else rest

    def _make(self, name: str, node: Node, ahead: Ranges) -> None:
        """Make the rules of the states of a node, of which the first has this name."""
        for each, body in _Bodies(name, _states_of(node)).all():
            self._made[each] = GrammarRule(body, is_token=True, ahead=ahead)


def _repeats(node: Node) -> bool:
    """Whether a node repeats more than a character, or counts characters of words.

    Longer counts are left to XGrammar, which compiles them in a tenth of the time and then takes
    0.2 ms for a mask.
    """
    match node:
        case Repeat(Chars(ranges), least, most) if 1 < max(least, most or 0) <= _COUNTED:
            return sum(last - first + 1 for first, last in ranges) > _FEW
        case Repeat(part, _, most) if most != 1 and not isinstance(part, Chars | FixedText):
            return True
    return any(map(_repeats, parts_of(node)))


#: If at least so many labels lead to one state, their common parts get rules.
_MANY: Final = 4


class _Bodies:
    """Makes the rules of states; the rule of the first state has the given name.

    Many states may lead back to one, each with all characters except one or two.  They then share
    a rule for each character that some of them lack, and one for all others, so that XGrammar
    decides about these only once.
    """

    def __init__(self, name: str, states: list[_State]) -> None:
        self._states = states
        self._names = [name, *(f"{name}-part-{number}" for number in range(1, len(states)))]
        self._uses = Counter(target for state in states for _, target in state.steps)
        back: dict[int, dict[_Label, None]] = {}
        for at, state in enumerate(states):
            for label, target in state.steps:
                if target != at:
                    back.setdefault(target, {})[label] = None
        #: For a state, the common parts of the labels that lead to it, each with its rule.
        self._shared: dict[int, list[tuple[Ranges, Reference]]] = {}
        for target, found in back.items():
            if len(found) >= _MANY:
                labels = [each for each in found if not isinstance(each, Reference)]
                pieces = _apart([(label, at) for at, label in enumerate(labels)])
                self._shared[target] = [
                    (ranges, Reference(f"{self._names[target]}-via-{number}"))
                    for number, (ranges, _) in enumerate(pieces)
                ]

    def all(self) -> Iterator[tuple[str, Node]]:
        for at, name in enumerate(self._names):
            if not at or self._then(at) == Reference(name):
                yield name, self._body(at)
        for target, pieces in self._shared.items():
            for ranges, shared in pieces:
                yield shared.name, sequence(_plain(ranges), self._then(target))

    def _then(self, at: int) -> Node:
        """Return what follows a step to a state."""
        state = self._states[at]
        if not state.steps:
            return EMPTY
        if self._uses[at] == 1 and len(state.steps) == 1 and not state.may_end:
            return self._body(at)
        return Reference(self._names[at])

    def _body(self, at: int) -> Node:
        state = self._states[at]
        options: list[Node] = [EMPTY] if state.may_end else []
        for label, target in state.steps:
            if target == at or isinstance(label, Reference) or target not in self._shared:
                options.append(sequence(_plain(label), self._then(target)))
            else:
                options += [each for ranges, each in self._shared[target] if common(ranges, label)]
        return either(*options)


def _plain(label: _Label) -> Node:
    """Return what a step reads as a node."""
    if isinstance(label, Reference):
        return label
    if label[0][0] == label[-1][1]:
        return FixedText(chr(label[0][0]))
    return Chars(label)


class _Firsts(NamedTuple):
    """The characters with which the texts of a node begin, and whether one text is empty."""

    ranges: Ranges
    is_empty: bool

    def then(self, after: Ranges) -> Ranges:
        """Return the characters with which a text of the node and what follows it begin."""
        return joined(self.ranges, after) if self.is_empty else self.ranges


#: Represents the end of the whole text among the characters that may follow a rule.
_END: Final[Ranges] = ((-2, -2),)


class _Following:
    """Finds the characters that may follow each rule."""

    def __init__(self, rules: Mapping[str, GrammarRule], start: str) -> None:
        self._rules = rules
        self._firsts: dict[str, _Firsts] = {}
        found: dict[str, Ranges] = dict.fromkeys(rules, ())
        found[start] = _END
        # A rule precedes those that it refers to; no rule refers to itself, even through others.
        referred = {name: references_of(rule.node) for name, rule in rules.items()}
        for name in reversed([*TopologicalSorter(referred).static_order()]):
            self._pass(rules[name].node, found[name], found)
        #: The characters that may follow each rule; none if the whole text may end there.
        self.of = {name: () if _END[0] in each else each for name, each in found.items()}

    def _pass(self, node: Node, after: Ranges, found: dict[str, Ranges]) -> None:
        match node:
            case Reference(name):
                found[name] = joined(found[name], after)
            case Sequence(parts):
                for part in reversed(parts):
                    self._pass(part, after, found)
                    after = self._first(part).then(after)
            case Repeat(part, _, most):
                again = self._first(part).ranges if most != 1 else ()
                self._pass(part, joined(again, after), found)
            case _:
                for part in parts_of(node):
                    self._pass(part, after, found)

    def _first(self, node: Node) -> _Firsts:
        match node:
            case FixedText(text) | Special(text):
                return _Firsts((spelled(text[0]),) if text else (), not text)
            case Chars(ranges):
                return _Firsts(ranges, is_empty=False)
            case Reference(name):
                if name not in self._firsts:
                    self._firsts[name] = self._first(self._rules[name].node)
                return self._firsts[name]
            case Sequence(parts):
                begun: Ranges = ()
                for part in parts:
                    first = self._first(part)
                    begun = joined(begun, first.ranges)
                    if not first.is_empty:
                        return _Firsts(begun, is_empty=False)
                return _Firsts(begun, is_empty=True)
            case Choice(options):
                firsts = [self._first(option) for option in options]
                found = joined(*(each.ranges for each in firsts))
                return _Firsts(found, any(each.is_empty for each in firsts))
            case Repeat(part, least):
                first = self._first(part)
                return _Firsts(first.ranges, first.is_empty or not least)


# --- The automaton of an expression ---------------------------------------------------------------


def _states_of(node: Node) -> list[_State]:
    """Return the states of the automaton of a node, beginning with the initial state."""
    rests = _Rests()
    numbers = {frozenset([rests.of(node, 0)]): 0}
    waiting = list(numbers)
    states: list[_State] = []
    for state in waiting:  # grows
        steps, may_end = rests.steps(state)
        for _, target in steps:
            if target not in numbers:
                numbers[target] = len(waiting)
                waiting.append(target)
        states.append(_State(tuple((label, numbers[each]) for label, each in steps), may_end))
    return _merged(states)


def _merged(states: list[_State]) -> list[_State]:
    """Return the states, with those that have the same steps merged."""
    while True:
        numbers: dict[_State, int] = {}
        places = [numbers.setdefault(state, len(numbers)) for state in states]
        if len(numbers) == len(states):
            return states
        states = [
            _State(tuple((label, places[target]) for label, target in steps), may_end)
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

    def steps(self, state: Iterable[int]) -> tuple[list[tuple[_Label, frozenset[int]]], bool]:
        """Return what leads from a state to each next one, and whether the text may end."""
        ranges: list[tuple[Ranges, int]] = []
        blocks: list[tuple[_Label, frozenset[int]]] = []
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
        return [*_apart(ranges), *blocks], 0 in seen

    def _inner(self, node: Node, after: int) -> Iterator[int]:
        """Yield the numbers of what a node other than a character begins with, the last first."""
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
        """Return what remains of a repeated node after one repetition."""
        least, most = max(node.least - 1, 0), None if node.most is None else node.most - 1
        self._repeats.setdefault((id(node.part), node.least, node.most), node)
        return self._repeats.setdefault(
            (id(node.part), least, most), Repeat(node.part, least, most)
        )


def _apart(ranges: list[tuple[Ranges, int]]) -> list[tuple[Ranges, frozenset[int]]]:
    """Split ranges where they overlap; return each piece with the numbers of its ranges."""
    ends = {end for each, _ in ranges for first, last in each for end in (first, last + 1)}
    found: dict[frozenset[int], list[tuple[int, int]]] = {}
    for first, end in pairwise(sorted(ends)):
        over = frozenset(
            number for each, number in ranges if any(one <= first <= last for one, last in each)
        )
        if over:
            found.setdefault(over, []).append((first, end - 1))
    return [(joined(pieces), over) for over, pieces in found.items()]
