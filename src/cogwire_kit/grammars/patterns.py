# SPDX-License-Identifier: MIT
"""Patterns of ECMA-262 as nodes.

A pattern is read in the form in which the toolset passes it to RE2: each character is an escape,
and a class consists of characters, ranges and properties.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from cogwire.tooling import translate
from cogwire_kit.grammars.nodes import (
    EMPTY,
    NOTHING,
    Chars,
    Node,
    Ranges,
    Repeat,
    Sequence,
    chars,
    either,
    joined,
    parts_of,
    rebuilt,
    repeat,
    sequence,
    without,
)

_PIECE: Final = re.compile(
    r"\\x\{(?P<char>[0-9a-f]+)\}|\[(?P<not>\^?)(?P<class>[^\[\]]*)\]|(?P<open>\(\?:)|(?P<close>\))"
    r"|(?P<bar>\|)|\\(?P<place>[Azb])"
    r"|(?P<often>[*+?]|\{(?P<least>[0-9]+)(?P<comma>,?)(?P<most>[0-9]*)\})\??"
)
_MEMBER: Final = re.compile(r"\\x\{([0-9a-f]+)\}(?:-\\x\{([0-9a-f]+)\})?|(.)", re.DOTALL)
#: The characters of a text.
CHARACTERS: Final[Ranges] = ((0, 0xD7FF), (0xE000, 0x10FFFF))
_ANY: Final = repeat(Chars(CHARACTERS))


@dataclass(frozen=True, slots=True)
class _Place:
    """The start of the text, or its end."""

    letter: str


@dataclass(frozen=True, slots=True)
class _Group:
    """Alternatives, each of which consists of parts."""

    options: tuple[tuple["_Part", ...], ...]


_Part = Node | _Place | _Group


def pattern_node(pattern: str, least: int, most: int | None) -> Node:
    """Return the texts that a pattern matches somewhere, with a length between the given bounds.

    To keep the length, all repetitions in the pattern get the same bounds; the node is `NOTHING` if
    no such bounds keep it.  Its texts consist of single characters.  Raises `ValueError` for
    unsupported syntax; the message completes a sentence about the pattern.
    """
    node = _found(_parsed(iter_pieces(translate(pattern))))
    low, high = lengths_of(node)
    if most is not None and (high is None or high > most):
        fitting = (_repeating(node, 0, limit) for limit in range(most, -1, -1))
        node = next((each for each in fitting if _fits(each, 0, most)), NOTHING)
        low, high = lengths_of(node)
    if low < least:
        fitting = (_repeating(node, limit, None) for limit in range(1, least + 1))
        node = next((each for each in fitting if _fits(each, least, most)), NOTHING)
    return node


def before_any(node: Node) -> Node | None:
    """Return what the texts of a node begin with if any text may follow it, else `None`."""
    *begin, last = node.parts if isinstance(node, Sequence) else (node,)
    return sequence(*begin) if last == _ANY else None


def characters_of(node: Node) -> Ranges:
    """Return the characters in the texts of a node."""
    inside = map(characters_of, parts_of(node))
    return joined(*inside, node.ranges if isinstance(node, Chars) else ())


def spelled_out(node: Node, spell: Callable[[Ranges], Node]) -> Node:
    """Return a node whose characters are written as `spell` writes them."""
    if isinstance(node, Chars):
        return spell(node.ranges)
    return rebuilt(node, lambda each: spelled_out(each, spell))


def uncounted(node: Node, limit: int) -> Node:
    """Return a node that counts nothing beyond `limit` and contains all texts of `node`."""
    if not isinstance(node, Repeat):
        return rebuilt(node, lambda each: uncounted(each, limit))
    most = None if node.most is None or node.most > limit else node.most
    return repeat(uncounted(node.part, limit), min(node.least, limit), most)


def iter_pieces(text: str) -> "Iterator[re.Match[str]]":
    """Yield the pieces of a translated pattern; `ValueError` for unsupported syntax."""
    at = 0
    while at < len(text):
        piece = _PIECE.match(text, at)
        if piece is None:
            raise ValueError("has syntax that grammars do not support")
        yield piece
        at = piece.end()


# --- Reading ----------------------------------------------------------------------------------


def _parsed(pieces: "Iterator[re.Match[str]]") -> _Group:
    """Read alternatives, up to the parenthesis that closes them."""
    options: list[list[_Part]] = [[]]
    for piece in pieces:
        if piece["close"]:
            break
        if piece["bar"]:
            options.append([])
        elif piece["often"]:
            options[-1].append(_repeated(_plain(options[-1].pop()), piece))
        else:
            options[-1].append(_part(piece, pieces))
    return _Group(tuple(map(tuple, options)))


def _part(piece: "re.Match[str]", pieces: "Iterator[re.Match[str]]") -> _Part:
    if piece["open"]:
        return _parsed(pieces)
    if piece["place"] == "b":
        raise ValueError("has `\\b`, which no grammar can express")
    if piece["place"]:
        return _Place(piece["place"])
    if piece["char"]:
        code = int(piece["char"], 16)
        return chars((code, code))
    members: list[tuple[int, int]] = []
    for first, last, other in _MEMBER.findall(piece["class"]):
        if other:
            raise ValueError("has a Unicode property, for which grammars have no table")
        members.append((int(first, 16), int(last or first, 16)))
    taken = without(CHARACTERS, *members)
    return chars(*(taken if piece["not"] else without(CHARACTERS, *taken)))


def _repeated(part: Node, piece: "re.Match[str]") -> Node:
    if piece["least"] is None:
        least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}[piece["often"][0]]
        return repeat(part, least, most)
    least = int(piece["least"])
    most = int(piece["most"]) if piece["most"] else None if piece["comma"] else least
    return repeat(part, least, most)


def _plain(part: _Part) -> Node:
    """Return a part without anchors."""
    if isinstance(part, _Place):
        reason = "has `^` or `$` in a place where no grammar can express it"
        raise ValueError(reason)  # noqa: TRY004 - a pattern's, not a type's
    if isinstance(part, _Group):
        return either(*(sequence(*map(_plain, option)) for option in part.options))
    return part


def _found(group: _Group) -> Node:
    """Return the texts in which one of the alternatives is found, anywhere unless anchored."""
    found: list[Node] = []
    for option in group.options:
        if len(option) == 1 and isinstance(option[0], _Group):
            found.append(_found(option[0]))
            continue
        parts = list(option)
        before = after = _ANY
        while parts and parts[0] == _Place("A"):
            before = EMPTY
            del parts[0]
        while parts and parts[-1] == _Place("z"):
            after = EMPTY
            del parts[-1]
        found.append(sequence(before, *map(_plain, parts), after))
    return either(*found)


# --- Lengths ----------------------------------------------------------------------------------


def _fits(node: Node, least: int, most: int | None) -> bool:
    low, high = lengths_of(node)
    return low >= least and (most is None or (high is not None and high <= most))


def lengths_of(node: Node) -> tuple[int, int | None]:
    """Return the least and the most characters of a node's texts; `None` is unlimited."""
    if isinstance(node, Chars):
        return 1, 1
    if isinstance(node, Repeat):
        low, high = lengths_of(node.part)
        is_open = high is None or node.most is None
        return low * node.least, None if is_open else (high or 0) * (node.most or 0)
    lengths = [lengths_of(each) for each in parts_of(node)]
    lows, highs = [low for low, _ in lengths], [high for _, high in lengths]
    join = sum if isinstance(node, Sequence) else None
    low = sum(lows) if join else min(lows, default=0)
    if None in highs:
        return low, None
    known = [high for high in highs if high is not None]
    return low, sum(known) if join else max(known, default=0)


def _repeating(node: Node, low: int, high: int | None) -> Node:
    """Return a node repeating its parts `low` to `high` times, where their own bounds allow it."""
    if not isinstance(node, Repeat):
        return rebuilt(node, lambda each: _repeating(each, low, high))
    least = max(node.least, low if node.most is None else min(node.most, low))
    most = node.most
    if high is not None:
        most = max(least, high if most is None else min(most, high))
    return repeat(_repeating(node.part, low, high), least, most)
