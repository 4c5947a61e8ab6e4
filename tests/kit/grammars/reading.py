"""Grammars as data, read by a matcher and a writer of their own: no engine is asked."""

import functools
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
    """Says whether a text is in the language of a grammar.

    Of each node a function is made that returns where the node's texts may end that begin at a place.
    """

    def __init__(self, grammar):
        self._rules = {name: rule.node for name, rule in grammar.rules.items()}
        self._text = ""
        #: The functions by the ids of their nodes, and what they have found in the text.
        self._readers = {}
        self._found = []
        self._start = self._reader(Reference(grammar.start))

    def accepts(self, text):
        self._text = text
        for each in self._found:
            each.clear()
        with room():
            return len(text) in self._start(0)

    def _reader(self, node):
        key = node.name if isinstance(node, Reference) else id(node)
        if key not in self._readers:
            self._readers[key] = self._made(node)
        return self._readers[key]

    def _made(self, node):
        match node:
            case Chars():
                fits = functools.cache(functools.partial(self._begins, node))
                return lambda at: {at + 1} if fits(self._text[at : at + 1]) else NONE
            case FixedText(text) | Special(text):
                return lambda at: {at + len(text)} if self._text.startswith(text, at) else NONE
            case Reference(name):
                # It may be that of a node of which a function is being made just now.
                return lambda at: self._reader(self._rules[name])(at)  # noqa: PLW0108
            case Choice():
                return self._choice(node)
            case Sequence(parts):
                return self._sequence([*map(self._reader, parts)])
            case Repeat(part):
                return self._repeated(node, self._reader(part))

    def _places(self):
        """Return a table of where texts of a node end, by where they begin."""
        self._found.append({})
        return self._found[-1]

    def _choice(self, node):
        options, known = {}, self._places()

        def read(at):
            if at not in known:
                char = self._text[at : at + 1]
                if char not in options:
                    fitting = (each for each in node.options if self._begins(each, char))
                    options[char] = [*map(self._reader, fitting)]
                known[at] = {end for each in options[char] for end in each(at)}
            return known[at]

        return read

    def _sequence(self, parts):
        known = self._places()

        def read(at):
            if at not in known:
                ends = {at}
                for each in parts:
                    ends = _all_ends(each, ends)
                    if not ends:
                        break
                known[at] = ends
            return known[at]

        return read

    def _repeated(self, node, part):
        known = self._places()

        def read(at):
            if at in known:
                return known[at]
            found, ends, count = set(), {at}, 0
            while ends and (node.most is None or count <= node.most):
                if count >= node.least:
                    ends = ends - found
                    found |= ends
                ends = _all_ends(part, ends)
                count += 1
            known[at] = found
            return found

        return read

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


def _all_ends(read, starts):
    if len(starts) == 1:
        (start,) = starts
        return read(start)
    return {end for start in starts for end in read(start)}


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
