# SPDX-License-Identifier: MIT
r"""A grammar as text: Lark for llguidance, GBNF for llama.cpp, and the EBNF of XGrammar.

The lexer of llguidance reads tokens, whose names are in upper case; a token may have other tokens
inside, and is compiled to one automaton.  Single characters are in tokens only.

XGrammar's EBNF is nearly GBNF.  Their characters are escaped with four or eight hexadecimal digits:
after `\x`, the two engines read different numbers of digits.
"""

import json
from abc import ABC, abstractmethod
from typing import Final

from cogwire_kit.grammars.linear import linear
from cogwire_kit.grammars.nodes import (
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
)

#: The most repetitions that llama.cpp accepts; more are written in groups.
_BLOCK: Final = 500
_ESCAPES: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}
#: The characters with a special meaning in a class.
_SPECIAL: Final = frozenset("[]^-")
#: Servers that know several syntaxes detect Lark by this line.
_HEADER: Final = "%llguidance {}\n"


def lark(grammar: Grammar) -> str:
    """Return a grammar as Lark; the first rule is `start`."""
    return _Lark(grammar).whole(grammar)


def gbnf(grammar: Grammar) -> str:
    """Return a grammar as GBNF; the first rule is `root`."""
    return _Bnf(block=_BLOCK).whole(grammar)


def ebnf(grammar: Grammar) -> str:
    """Return a grammar as the EBNF of XGrammar; the first rule is `root`."""
    return _Bnf(block=None).whole(linear(grammar))


class _RuleWriter(ABC):
    """Writes the rules of one grammar."""

    def _choice(self, node: Node) -> str:
        options = node.options if isinstance(node, Choice) else (node,)
        return " | ".join(map(self._sequence, options))

    def _sequence(self, node: Node) -> str:
        parts = node.parts if isinstance(node, Sequence) else (node,)
        return " ".join(map(self._part, parts))

    def _part(self, node: Node) -> str:
        match node:
            case FixedText(text):
                return self._text(text)
            case Chars(ranges):
                return self._chars(ranges)
            case Special():
                return self._special(node)
            case Reference(name):
                return self._name(name)
            case Repeat(part, least, most):
                return self._repeat(part, least, most)
            case Sequence() | Choice():
                return f"({self._choice(node)})"

    @abstractmethod
    def _text(self, text: str) -> str: ...

    def _special(self, node: Special) -> str:
        return self._text(node.text)

    @abstractmethod
    def _chars(self, ranges: Ranges) -> str: ...

    @abstractmethod
    def _name(self, name: str) -> str: ...

    @abstractmethod
    def _repeat(self, part: Node, least: int, most: int | None) -> str: ...


class _Lark(_RuleWriter):
    def __init__(self, grammar: Grammar) -> None:
        self._names = {name: self._named(name, rule) for name, rule in grammar.rules.items()}
        self._names[grammar.start] = "start"

    def _named(self, name: str, rule: GrammarRule) -> str:
        name = name.replace("-", "_")
        return name.upper() if rule.is_token else name

    def whole(self, grammar: Grammar) -> str:
        rules = grammar.rules.items()
        lines = (f"{self._names[name]}: {self._choice(rule.node)}\n" for name, rule in rules)
        return _HEADER + "".join(lines)

    def _text(self, text: str) -> str:
        return json.dumps(text, ensure_ascii=False)

    def _chars(self, ranges: Ranges) -> str:
        written = ("-".join(f"\\x{{{end:x}}}" for end in dict.fromkeys(each)) for each in ranges)
        return f"/[{''.join(written)}]/"

    def _special(self, node: Special) -> str:
        return f"<[{node.number}]>"

    def _name(self, name: str) -> str:
        return self._names[name]

    def _repeat(self, part: Node, least: int, most: int | None) -> str:
        written = self._part(part)
        return (f"({written})" if isinstance(part, Repeat) else written) + _often(least, most)


class _Bnf(_RuleWriter):
    def __init__(self, block: int | None) -> None:
        self._block = block
        self._blocks: dict[str, str] = {}

    def whole(self, grammar: Grammar) -> str:
        lines = [f"{name} ::= {self._rule(rule)}" for name, rule in grammar.rules.items()]
        lines += (f"{name} ::= {body}" for body, name in self._blocks.items())
        return "".join(f"{line}\n" for line in lines)

    def _rule(self, rule: GrammarRule) -> str:
        body = self._choice(rule.node)
        return f"({body}) (={self._chars(rule.ahead)})" if rule.ahead else body

    def _text(self, text: str) -> str:
        return f'"{"".join(map(_in_text, text))}"'

    def _chars(self, ranges: Ranges) -> str:
        return f"[{''.join(_range(*each) for each in ranges)}]"

    def _name(self, name: str) -> str:
        return name

    def _repeat(self, part: Node, least: int, most: int | None) -> str:
        written = self._part(part)
        if isinstance(part, Repeat) or (isinstance(part, FixedText) and len(part.text) != 1):
            written = f"({self._choice(part)})"
        block = self._block
        if block is None or (least <= block and (most or 0) <= block):
            return written + _often(least, most)
        # Groups and a rest, such that each number of parts can be made in only one way.
        whole = self._named(f"{written}{{{block}}}")
        first = f"{whole}{{{least // block}}} {written}{{{least % block}}}"
        if most is None:
            return f"({first} {written}*)"
        blocks, over = divmod(most - least, block)
        if not blocks:
            return f"({first} {written}{{0,{over}}})"
        fewer = f"{whole}{{0,{blocks - 1}}} {written}{{0,{block - 1}}}"
        return f"({first} ({fewer} | {whole}{{{blocks}}} {written}{{0,{over}}}))"

    def _named(self, body: str) -> str:
        return self._blocks.setdefault(body, f"block-of-{len(self._blocks)}")


def _often(least: int, most: int | None) -> str:
    short = {(0, None): "*", (1, None): "+", (0, 1): "?"}
    if (least, most) in short:
        return short[least, most]
    return f"{{{least}}}" if least == most else f"{{{least},{'' if most is None else most}}}"


def _range(first: int, last: int) -> str:
    one, other = _character(chr(first)), _character(chr(last))
    return one if first == last else f"{one}-{other}"


def _character(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char in _SPECIAL or not char.isprintable():
        return f"\\u{ord(char):04x}" if char <= "\uffff" else f"\\U{ord(char):08x}"
    return char


def _in_text(char: str) -> str:
    return char if char in _SPECIAL else _character(char)
