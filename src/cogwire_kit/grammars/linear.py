# SPDX-License-Identifier: MIT
"""Tokens in the form in which XGrammar is quick: what follows a part is in the rule of the part.

Before a model writes, XGrammar decides for each place in a rule which words of the vocabulary may
follow, but only within the rule: a word that goes on after the end of the rule is tried again at
every step.  A rule for one character therefore has it try the whole vocabulary for each character.
In `text ::= [a-z] text | "."` no rule ends inside of a text, so that all is decided before; and of
the words that go on after the text, those are left out before that no character after it allows.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from cogwire_kit.grammars.nodes import (
    EMPTY,
    Chars,
    Choice,
    Grammar,
    Node,
    Ranges,
    Reference,
    Repeat,
    Rule,
    Sequence,
    Special,
    Text,
    either,
    joined,
    parts_of,
    references_of,
    repeat,
    sequence,
    spelled,
)

#: How often a part is counted with a rule for each time.  XGrammar compiles each in 60 ms with a
#: vocabulary of 150,000 words; more are counted in blocks of these, at whose ends words are tried.
_COUNTED: Final = 300
#: How often a character is repeated within a rule.
_SHORT: Final = 40


def linear(grammar: Grammar) -> Grammar:
    """Return a grammar of the same texts, in this form."""
    return Grammar(_Linear(grammar).all(), grammar.narrowed)


class _Linear:
    """Makes the rules of one grammar anew."""

    def __init__(self, grammar: Grammar) -> None:
        self._rules = grammar.rules
        self._following = _Following(grammar.rules, grammar.start).of
        self._made: dict[str, Rule] = {}
        self._known: dict[tuple[Node, Node], Reference] = {}
        #: The name of the token that is being made, from which those of its rules come.
        self._token = ""
        #: The characters after the token.
        self._ahead: Ranges = ()

    def all(self) -> dict[str, Rule]:
        """Return all rules, the first of which is the start."""
        for name, rule in self._rules.items():
            if rule.is_token and self._is_tried(rule.node):
                self._token, self._ahead = name, self._following[name]
                self._known.clear()
                node = self._then(rule.node, EMPTY)
                self._made[name] = Rule(node, is_token=True, ahead=self._ahead)
            else:
                self._made[name] = rule
        return self._made

    def _is_tried(self, node: Node) -> bool:
        """Whether something is repeated in a node that is more than a character."""
        match node:
            case Reference(name):
                return self._is_tried(self._rules[name].node)
            case Repeat(part, _, most) if most != 1 and not isinstance(part, Chars | Text):
                return True
        return any(map(self._is_tried, parts_of(node)))

    # -- A node, and what follows it ----------------------------------------------------------

    def _then(self, node: Node, after: Node) -> Node:
        match node:
            case Reference(name):
                return self._then(self._rules[name].node, after)
            case Sequence(parts):
                for part in reversed(parts):
                    after = self._then(part, after)
                return after
            case Choice(options):
                after = self._named(after)
                return either(*(self._then(option, after) for option in options))
            case Repeat(Chars(), _, int(most)) if most <= _SHORT:
                return sequence(node, after)
            case Repeat(_, least, most):
                return self._repeated(node, least, most, self._named(after))
            case Text() | Chars() | Special():
                return sequence(node, after)

    def _repeated(self, node: Repeat, least: int, most: int | None, after: Node) -> Node:
        if most is None and not least:
            return self._forever(node.part, after)
        if max(least, most or 0) > _COUNTED:
            return self._in_blocks(node, least, most, after)
        rest = after if most == least else EMPTY
        count = least if most is None else most
        if most is None:
            rest = self._forever(node.part, after)
        elif most > least:
            rest = after
        # From the last time to the first; what comes later is known by then.
        for done in range(count - 1, -1, -1):
            one = self._then(node.part, rest)
            may_end = done >= least
            rest = self._named(either(one, after) if may_end else one)
        return rest

    def _forever(self, part: Node, after: Node) -> Node:
        """Return the rule of a part, any number of times, and what follows."""
        key = Repeat(part, 0, None), after
        if key not in self._known:
            reference = self._known[key] = self._new()
            body = either(self._then(part, reference), after)
            self._made[reference.name] = Rule(body, is_token=True, ahead=self._ahead)
        return self._known[key]

    def _in_blocks(self, node: Repeat, least: int, most: int | None, after: Node) -> Node:
        """Return a part many times: whole blocks, and then fewer than a block has."""
        part = node.part
        self._ahead = ()  # another part may follow a block
        block = self._named(self._then(repeat(part, _COUNTED, _COUNTED), EMPTY))
        count = (least if most is None else most) // _COUNTED
        rest: Node | None = None
        for done in range(count, -1, -1):
            low = max(least - done * _COUNTED, 0)
            high = _COUNTED - 1 if most is None else min(most - done * _COUNTED, _COUNTED - 1)
            options: list[Node] = []
            if most is None and done == count:
                options.append(self._then(repeat(part, low, None), after))
            elif low <= high:
                options.append(self._then(repeat(part, low, high), after))
            if rest is not None:
                options.append(sequence(block, rest))
            rest = self._named(either(*options))
        return rest if rest is not None else after

    # -- Rules --------------------------------------------------------------------------------

    def _named(self, node: Node) -> Node:
        """Return a reference to a node that is large, which may then be used more than once."""
        if isinstance(node, Reference | Text):
            return node
        key = node, EMPTY
        if key not in self._known:
            self._known[key] = self._new()
            self._made[self._known[key].name] = Rule(node, is_token=True, ahead=self._ahead)
        return self._known[key]

    def _new(self) -> Reference:
        return Reference(f"{self._token}-part-{len(self._known)}")


class _Firsts(NamedTuple):
    """The characters with which the texts of a node begin, and whether one of them is empty."""

    ranges: Ranges
    is_empty: bool

    def then(self, after: Ranges) -> Ranges:
        """Return the characters with which a text of the node and what follows it begin."""
        return joined(self.ranges, after) if self.is_empty else self.ranges


#: The end of the whole text, among characters.
_END: Final[Ranges] = ((-2, -2),)


class _Following:
    """Finds the characters that may follow each rule."""

    def __init__(self, rules: Mapping[str, Rule], start: str) -> None:
        self._rules = rules
        self._firsts: dict[str, _Firsts] = {}
        found: dict[str, Ranges] = dict.fromkeys(rules, ())
        found[start] = _END
        for name in _parents_first(rules, start):
            self._pass(rules[name].node, found[name], found)
        #: For each rule the characters; none if the whole text may end there.
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
            case Text(text) | Special(text):
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


def _parents_first(rules: Mapping[str, Rule], start: str) -> list[str]:
    """Return the names of the rules, each before those that it refers to; no rule is in itself."""
    done: dict[str, None] = {}
    waiting = [(start, False)]
    while waiting:
        name, is_left = waiting.pop()
        if is_left:
            done.setdefault(name)
        elif name not in done:
            waiting.append((name, True))
            waiting += ((inner, False) for inner in references_of(rules[name].node))
    return list(reversed(done))
