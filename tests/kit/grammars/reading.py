"""Grammars as data, read by a matcher and a writer of their own: no engine is asked."""

import math
import random
import sys
from contextlib import contextmanager

from cogwire_kit.grammars.nodes import (
    Chars,
    Choice,
    FixedText,
    Reference,
    Repeat,
    Sequence,
    Special,
)


@contextmanager
def room():
    """Have a deep stack for a while: what other tests refuse depends on its depth."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 10_000))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


#: No place.
NONE = frozenset()


class Matcher:
    """Says whether a text is in the language of a grammar."""

    def __init__(self, grammar):
        self._rules = {name: rule.node for name, rule in grammar.rules.items()}
        self._start = grammar.start
        #: The options of a choice that may begin with a character, by its id and the character.
        self._options = {}

    def accepts(self, text):
        self._text = text
        self._known = {}
        with room():
            return len(text) in self._ends(Reference(self._start), 0)

    def _ends(self, node, at):
        """Return where the node's texts may end that begin at a place."""
        kind = type(node)
        if kind is Chars:
            code = ord(self._text[at]) if at < len(self._text) else -1
            for first, last in node.ranges:
                if first <= code <= last:
                    return {at + 1}
            return NONE
        if kind is FixedText or kind is Special:
            return {at + len(node.text)} if self._text.startswith(node.text, at) else NONE
        key = node.name if kind is Reference else id(node), at
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._found(node, at)
        return found

    def _found(self, node, at):
        if isinstance(node, Reference):
            return self._ends(self._rules[node.name], at)
        if isinstance(node, Choice):
            key = id(node), self._text[at : at + 1]
            if key not in self._options:
                self._options[key] = [each for each in node.options if self._begins(each, key[1])]
            return {end for option in self._options[key] for end in self._ends(option, at)}
        if isinstance(node, Sequence):
            ends = {at}
            for part in node.parts:
                if not ends:
                    break
                ends = self._all_ends(part, ends)
            return ends
        return self._repeated(node, at)

    def _begins(self, node, char):
        """Whether a text of the node may begin with a character, or be empty."""
        match node:
            case FixedText(text) | Special(text):
                return text[:1] in ("", char)
            case Chars(ranges):
                return any(chr(first) <= char <= chr(last) for first, last in ranges)
            case Reference(name):
                return self._begins(self._rules[name], char)
            case Choice(options):
                return any(self._begins(each, char) for each in options)
            case Sequence(parts):
                return self._begins(parts[0], char)
            case Repeat(part, least):
                return least == 0 or self._begins(part, char)

    def _repeated(self, node, at):
        found, ends, count = set(), {at}, 0
        seen = set()
        while ends and (node.most is None or count <= node.most):
            if count >= node.least:
                found |= ends
                ends = ends - seen
                seen |= ends
            ends = self._all_ends(node.part, ends)
            count += 1
        return found

    def _all_ends(self, node, starts):
        if len(starts) == 1:
            return self._ends(node, *starts)
        return {end for start in starts for end in self._ends(node, start)}


class Writer:
    """Writes random texts of a grammar; after `most` nodes, if given, in the shortest way."""

    def __init__(self, grammar, seed, most=None):
        self._rules = {name: rule.node for name, rule in grammar.rules.items()}
        self._start = grammar.start
        self._random = random.Random(seed)
        self._most = most
        #: How long the shortest text of each rule is, once that is needed.
        self._sizes = {}

    def _shortest(self, options):
        if not self._sizes:
            self._sizes = dict.fromkeys(self._rules, math.inf)
            while sum(map(self._shrinks, self._rules)):
                pass
        return min(options, key=self._size)

    def _shrinks(self, name):
        """Whether a shorter text of a rule was found."""
        before = self._sizes[name]
        self._sizes[name] = self._size(self._rules[name])
        return self._sizes[name] < before

    def _size(self, node):
        """Return how long the shortest text of a node is, as far as it is known."""
        match node:
            case FixedText(text) | Special(text):
                return len(text)
            case Chars():
                return 1
            case Reference(name):
                return self._sizes[name]
            case Choice(options):
                return min(map(self._size, options))
            case Sequence(parts):
                return sum(map(self._size, parts))
            case Repeat(part, least):
                return least * self._size(part) if least else 0

    def text(self):
        self._left = self._most or 4000
        with room():
            return self._written(Reference(self._start))

    def _written(self, node):
        self._left -= 1
        match node:
            case FixedText(text) | Special(text):
                return text
            case Chars(ranges):
                return chr(self._random.randint(*self._random.choice(ranges)))
            case Reference(name):
                return self._written(self._rules[name])
            case Choice(options):
                if self._most and self._left < 0:
                    return self._written(self._shortest(options))
                return self._written(self._random.choice(options))
            case Sequence(parts):
                return "".join(map(self._written, parts))
            case Repeat(part, least, most):
                more = 3 if self._left > 0 else 0
                most = least + more if most is None else min(most, least + more)
                return "".join(
                    self._written(part) for _ in range(self._random.randint(least, most))
                )
