# SPDX-License-Identifier: MIT
"""Grammars as data, from which the syntax of every engine is written.

A node is a set of texts, over code points.  Two nodes are special: `EMPTY` contains only the empty
text, and `NOTHING` no text at all.  A node with a part that is `NOTHING` is `NOTHING` itself, so
that an impossible alternative disappears.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain, groupby
from typing import Final

#: Ranges of code points, first and last inclusive, in ascending order.
Ranges = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Chars:
    """One character of these ranges."""

    ranges: Ranges


@dataclass(frozen=True, slots=True)
class FixedText:
    """This text."""

    text: str


@dataclass(frozen=True, slots=True)
class Sequence:
    """The parts, one after the other."""

    parts: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """Any one of the options."""

    options: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """The part, at least `least` times, and at most `most` times unless that is `None`."""

    part: "Node"
    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class Reference:
    """The texts of the rule with this name."""

    name: str


@dataclass(frozen=True, slots=True)
class Special:
    """A special token of a vocabulary: its text and its number.

    For engines that read only characters, its text is written.  Only rules contain it, not tokens.
    """

    text: str
    number: int


Node = Chars | FixedText | Special | Sequence | Choice | Repeat | Reference

EMPTY: Final = FixedText("")
NOTHING: Final = Choice(())


@dataclass(frozen=True, slots=True)
class GrammarRule:
    """A rule: its texts, and whether an engine's lexer may read each of them as one token.

    A token refers only to tokens, and wherever one is allowed, a lexer reads the longest text that
    it can.  Single characters are in tokens only.
    """

    node: Node
    is_token: bool = False
    #: One of these characters follows each of its texts; empty if that is not known.
    ahead: Ranges = ()


@dataclass(frozen=True, slots=True)
class Grammar:
    """The rules by name, of which the first is the start."""

    rules: Mapping[str, GrammarRule]
    #: What the tools allow but the grammar leaves out: a tool, a place in its schema, a reason.
    narrowed: tuple[str, ...] = field(default=())
    #: What the grammar allows but the tools refuse, in the same form.
    widened: tuple[str, ...] = field(default=())

    @property
    def start(self) -> str:
        """The name of the rule of a whole turn."""
        return next(iter(self.rules))


# --- Making nodes -----------------------------------------------------------------------------


def sequence(*parts: Node | str) -> Node:
    """Return the parts one after the other; a string is a text."""
    joined: list[Node] = []
    for part in parts:
        node = FixedText(part) if isinstance(part, str) else part
        for each in node.parts if isinstance(node, Sequence) else (node,):
            if each == NOTHING:
                return NOTHING
            if isinstance(each, FixedText) and joined and isinstance(joined[-1], FixedText):
                joined[-1] = FixedText(joined[-1].text + each.text)
            elif each != EMPTY:
                joined.append(each)
    if len(joined) == 1:
        return joined[0]
    return Sequence(tuple(joined)) if joined else EMPTY


def either(*options: Node | str) -> Node:
    """Return a choice of the options that are possible."""
    found: dict[Node, None] = {}
    for option in options:
        node = FixedText(option) if isinstance(option, str) else option
        found.update(dict.fromkeys(node.options if isinstance(node, Choice) else (node,)))
    if EMPTY in found:
        del found[EMPTY]
        return optional(either(*found))
    return next(iter(found)) if len(found) == 1 else Choice(tuple(found))


def repeat(part: Node, least: int = 0, most: int | None = None) -> Node:
    """Return a part repeated."""
    if most is not None and most < least:
        return NOTHING
    if part == NOTHING or most == 0:
        return NOTHING if part == NOTHING and least else EMPTY
    if part == EMPTY or (least == 1 and most == 1):
        return part
    if isinstance(part, Repeat) and (least, most) == (0, 1) and part.least == 0:
        return part
    return Repeat(part, least, most)


def optional(part: Node) -> Node:
    """Return a part that may be left out."""
    return repeat(part, 0, 1)


def may_be_empty(node: Node) -> bool:
    """Whether a node contains the empty text; the rules in it are taken not to."""
    match node:
        case Sequence(parts):
            return all(map(may_be_empty, parts))
        case Choice(options):
            return any(map(may_be_empty, options))
        case Repeat(part, least):
            return not least or may_be_empty(part)
        case _:
            return node == EMPTY


def rebuilt(node: Node, change: Callable[[Node], Node]) -> Node:
    """Return a node in which `change` has replaced each of the nodes directly inside."""
    match node:
        case Sequence(parts):
            return sequence(*map(change, parts))
        case Choice(options):
            return either(*map(change, options))
        case Repeat(part, least, most):
            return repeat(change(part), least, most)
        case Chars() | FixedText() | Special() | Reference():
            return node


# --- Characters -------------------------------------------------------------------------------


def chars(*ranges: tuple[int, int]) -> Node:
    """Return one character of these ranges, which may overlap."""
    merged = joined(ranges)
    return Chars(merged) if merged else NOTHING


def joined(*many: Iterable[tuple[int, int]]) -> Ranges:
    """Return the union of these ranges, which may overlap."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(chain.from_iterable(many)):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(last, merged[-1][1])
        else:
            merged.append((first, last))
    return tuple(merged)


def one_of(characters: str) -> Node:
    """Return one of these characters."""
    return chars(*((ord(each), ord(each)) for each in characters))


def without(ranges: Ranges, *others: tuple[int, int]) -> Ranges:
    """Return the part of `ranges` that is in none of the others."""
    kept = list(ranges)
    for first, last in others:
        pieces = ((a, min(b, first - 1), max(a, last + 1), b) for a, b in kept)
        kept = [
            (a, b)
            for start, end, after, stop in pieces
            for a, b in ((start, end), (after, stop))
            if a <= b
        ]
    return tuple(sorted(kept))


def common(ranges: Ranges, others: Ranges) -> Ranges:
    """Return the intersection of both."""
    pairs = ((max(a, c), min(b, d)) for a, b in ranges for c, d in others)
    return tuple(sorted((first, last) for first, last in pairs if first <= last))


def spelled(character: str) -> tuple[int, int]:
    """Return the range of one character."""
    return ord(character), ord(character)


def unlike(
    words: Iterable[str],
    alphabet: Ranges,
    rest: Node,
    *,
    fold: bool = False,
    whole: bool = False,
    first: Ranges | None = None,
) -> Node:
    """Return the texts over `alphabet` that begin with none of the words, including the empty text.

    `rest` is any text over `alphabet`.  With `fold`, the words are excluded in any ASCII letter
    case, and with `whole` only the words themselves are.  `first` restricts the characters with
    which a text may begin.
    """
    tails = sorted({word.lower() if fold else word for word in words})
    if whole and not tails:
        return rest
    is_word = bool(tails) and not tails[0]
    if is_word and not whole:
        return NOTHING
    options: list[Node] = [] if is_word else [EMPTY]
    free = alphabet if first is None else first
    for lead, group in groupby(filter(None, tails), key=lambda word: word[0]):
        cases = {lead, lead.upper()} if fold and lead.isascii() else {lead}
        taken = common(free, tuple(sorted(map(spelled, cases))))
        free = without(free, *taken)
        after = unlike([word[1:] for word in group], alphabet, rest, fold=fold, whole=whole)
        options.append(sequence(chars(*taken), after))
    return either(*options, sequence(chars(*free), rest))


#: More listed texts than these are one token: the lexer of llguidance tries each token for every
#: word, so that a mask takes 0.33 ms with 150 of them, and 0.07 ms with one.
_LISTED: Final = 10
#: Names that are reserved by an engine.
_TAKEN = frozenset({"root", "start", "true", "false"})


class Book:
    """The rules by name; equal nodes share one rule."""

    def __init__(self) -> None:
        self._rules: dict[str, GrammarRule] = {}
        self._names: dict[GrammarRule, str] = {}
        #: The rules with a special token in them, or in a rule to which they refer.
        self._special: set[str] = set()
        self._narrowed: dict[str, None] = {}
        self._widened: dict[str, None] = {}

    def narrow(self, text: str) -> None:
        """Report what the grammar leaves out."""
        self._narrowed[text] = None

    def widen(self, text: str) -> None:
        """Report what the grammar allows and the tools refuse."""
        self._widened[text] = None

    def rule(self, hint: str, node: Node) -> Node:
        """Return a reference to a rule for a node."""
        return self._add(hint, GrammarRule(node))

    def token(self, hint: str, node: Node) -> Node:
        """Return a reference to a token for a node; with special tokens in it, to a rule."""
        if not self._has_special(node):
            return self._add(hint, GrammarRule(node, is_token=True))
        if isinstance(node, Sequence):
            parts: list[Node] = []
            for is_split, group in groupby(node.parts, key=self._has_special):
                many = list(group)
                parts += (
                    [self.token(hint, each) for each in many]
                    if is_split
                    else [self.token(hint, sequence(*many))]
                )
            return self.rule(hint, sequence(*parts))
        return self.rule(hint, rebuilt(node, lambda part: self.token(hint, part)))

    def listed(self, texts: Iterable[Node]) -> Node:
        """Return a choice of these texts; what follows one must never turn it into another."""
        node = either(*texts)
        is_long = isinstance(node, Choice) and len(node.options) > _LISTED
        return self.token("listed", node) if is_long else node

    def _has_special(self, node: Node) -> bool:
        """Whether there is a special token in a node."""
        if isinstance(node, Reference):
            return node.name in self._special
        return isinstance(node, Special) or any(map(self._has_special, parts_of(node)))

    def _add(self, hint: str, rule: GrammarRule) -> Node:
        if rule.node == NOTHING or isinstance(rule.node, Reference | Special):
            return rule.node
        if rule not in self._names:
            # Every engine accepts letters, digits and dashes in a name.
            base = re.sub("[^a-z0-9]+", "-", hint.lower()).strip("-") or "rule"
            base = base if base[0].isalpha() else f"r-{base}"
            name, number = base, 1
            while name in self._rules or name in _TAKEN:
                number += 1
                name = f"{base}-{number}"
            self._rules[name] = rule
            self._names[rule] = name
            if self._has_special(rule.node):
                self._special.add(name)
        return Reference(self._names[rule])

    def grammar(self, start: Node) -> Grammar:
        """Return the grammar of the node `start`, with the rules that it needs."""
        rules = {"root": GrammarRule(start)}
        for rule in rules_of(start, self._rules):
            rules[rule] = self._rules[rule]
        return Grammar(rules, tuple(self._narrowed), tuple(self._widened))


def rules_of(start: Node, rules: Mapping[str, GrammarRule]) -> list[str]:
    """Return the names of the rules that a node needs, in the order of their first use."""
    found: dict[str, None] = {}
    waiting = references_of(start)[::-1]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = None
            waiting += reversed(references_of(rules[name].node))
    return list(found)


def references_of(node: Node) -> list[str]:
    """Return the names of the rules to which a node refers directly."""
    found: list[str] = []
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Reference):
            found.append(part.name)
        waiting += reversed(parts_of(part))
    return found


def parts_of(node: Node) -> tuple[Node, ...]:
    """Return the nodes directly inside a node."""
    match node:
        case Sequence(parts):
            return parts
        case Choice(options):
            return options
        case Repeat(part):
            return (part,)
        case Chars() | FixedText() | Special() | Reference():
            return ()
