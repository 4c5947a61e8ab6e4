# SPDX-License-Identifier: MIT
"""The values that fit a schema, in JSON or in another notation.

A value is made for each type that its schemas allow.  A rule that no grammar can express, such as
that all items are different, is kept by writing fewer values, which is reported.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial, reduce
from itertools import chain
from math import gcd
from typing import Any, Final, Literal, NamedTuple

from cogwire import Limits
from cogwire_kit.grammars.members import Items, Members
from cogwire_kit.grammars.nodes import (
    EMPTY,
    NOTHING,
    Book,
    Choice,
    Node,
    Reference,
    common,
    either,
    joined,
    optional,
    repeat,
    sequence,
    spelled,
)
from cogwire_kit.grammars.numbers import Bounds, decimal, integers, numbers
from cogwire_kit.grammars.patterns import (
    CHARACTERS,
    before_any,
    characters_of,
    lengths_of,
    pattern_node,
    spelled_out,
    uncounted,
)
from cogwire_kit.grammars.schemas import KINDS, All, Places, Schemas, kind_of, types_of
from cogwire_kit.grammars.spelling import ValueSpelling

#: The most repetitions of anything that a schema counts, since engines count with rules.
MOST: Final = 5000
#: The longest length that is counted where only short ones are: XGrammar compiles each character
#: of a bound in 30 to 40 ms, in its own schemas as in ours.
_SHORT: Final = 100
#: The most values from which different ones are chosen: each choice is a rule, for each count.
_CHOSEN: Final = 40


class ObjectForm(NamedTuple):
    """How the members of an object are written."""

    #: Writes the name of a member, with what is between it and the value.
    key: Callable[[str], Node]
    opener: str = "{"
    closer: str = "}"
    #: Whether there may be members that no schema names.
    has_others: bool = True
    #: Writes members that are objects in a second notation, which is allowed, too.
    objects: "Values | None" = None


Maps = Literal["named", "any"]
Lengths = Literal["all", "short"]


class Extent(NamedTuple):
    """Which of the values that a schema allows are written."""

    limits: Limits
    #: Whether members are written that no schema names.
    has_maps: bool
    #: The longest length of a string that is counted.
    counted: int

    @classmethod
    def of(cls, limits: Limits, maps: Maps, lengths: Lengths) -> "Extent":
        """Return the extent that the options of a grammar select."""
        return cls(limits, maps == "any", MOST if lengths == "all" else _SHORT)


class Values:
    """Makes the nodes of the values of one tool."""

    def __init__(
        self, schemas: Schemas, book: Book, spelling: ValueSpelling, extent: Extent
    ) -> None:
        self._schemas = schemas
        self._extent = extent
        self._book = book
        self._spelling = spelling
        #: The white space between two tokens.
        self.space = optional(space(book))
        #: What is between two items or members: one token, which llguidance reads once for all of
        #: the members that may follow.
        self._comma = book.token("comma", sequence(",", self.space))
        self._known: dict[tuple[Places, int], Node] = {}
        #: The nodes that the limit of depth did not cut, and how deep each is.
        self._whole: dict[Places, tuple[Node, int]] = {}
        self._deepest = 0
        self._is_cut = False

    def value(self, places: Places, left: int) -> Node:
        """Return the values that fit all places and nest at most `left` levels."""
        node, depth = self._whole.get(places, (NOTHING, left + 1))
        if depth <= left:
            self._deepest = min(self._deepest, left - depth)
            return node
        key = places, left
        if key not in self._known:
            deepest, is_cut = self._deepest, self._is_cut
            self._deepest, self._is_cut = left, False
            node = either(*(self.kind(places, kind, left) for kind in KINDS))
            hint = places[0].split("\0")[0].rpartition("/")[2] if places else "value"
            node = node if _is_small(node) else self._book.rule(hint or "args", node)
            self._known[key] = node
            if not self._is_cut:
                self._whole[places] = node, left - self._deepest
            self._deepest = min(deepest, self._deepest)
            self._is_cut = self._is_cut or is_cut
        else:
            self._is_cut = True
        return self._known[key]

    def kind(self, places: Places, kind: str, left: int) -> Node:
        """Return the values of one type that fit all places."""
        values = self._schemas.listed(places)
        if values is not None:
            return self._literals(values, kind, left)
        options: list[Node] = []
        for held in self._schemas.alternatives(places):
            values = self.listed_in(held)
            if values is None:
                options.append(self.of(held, kind, left))
            else:
                options.append(self._literals(values, kind, left))
        return either(*options)

    def listed_in(self, held: All) -> list[Any] | None:
        """Return the values that one alternative lists."""
        return self._schemas.listed([each.place for each in held])

    def _literals(self, values: Iterable[Any], kind: str, left: int) -> Node:
        fitting = (value for value in values if kind_of(value) == kind)
        return self._book.listed(self._literal(value, left) for value in fitting)

    def _literal(self, value: Any, left: int) -> Node:
        if depth_of(value) > left:
            self._is_cut = True
            return NOTHING
        return self._spelling.literal(value)

    def of(self, held: All, kind: str, left: int) -> Node:
        """Return the values of a type that fit these schemas, which are one alternative."""
        types = self.types(held)
        if kind not in types:
            return NOTHING
        if kind == "integer" and "number" in types:
            return NOTHING  # Integers are among the numbers.
        match kind:
            case "null":
                return sequence(self._spelling.words["null"])
            case "boolean":
                return either(self._spelling.words["true"], self._spelling.words["false"])
            case "integer" | "number":
                return self._number(held, kind)
            case "string":
                return self.string(held, self._spelling)
        if left < 1:
            self._is_cut = True
            return NOTHING
        self._deepest = min(self._deepest, left - 1)
        if kind == "object":
            return self.object(held, left, ObjectForm(self._spelling.key))
        return self._array(held, left)

    def types(self, held: All) -> set[str]:
        """Return the types that these schemas allow."""
        nodes = (self._schemas.nodes[each.place] for each in held)
        return reduce(set[str].intersection, map(types_of, nodes), set[str](KINDS))

    # -- Single values ----------------------------------------------------------------------

    def _number(self, held: All, kind: str) -> Node:
        nodes = [self._schemas.nodes[each.place] for each in held]
        bounds = _bounds(nodes)
        make = integers if kind == "integer" else numbers
        node = make(
            bounds, self._extent.limits.digits, lambda part: self._book.token("digits", part)
        )
        if bounds.step is not None or (bounds != Bounds() and kind == "number"):
            place = next(
                each.place for each, n in zip(held, nodes, strict=True) if _BOUNDED & n.keys()
            )
            self._schemas.narrow(place, "numbers have no exponent, and few digits")
        return self._book.token(kind, node)

    def string(self, held: All, spelling: ValueSpelling, first: Node | None = None) -> Node:
        """Return the strings that fit these schemas; `first` spells their first character."""
        if "string" not in self.types(held):
            return NOTHING
        nodes = [self._schemas.nodes[each.place] for each in held]
        least = int(max((node.get("minLength", 0) for node in nodes), default=0))
        limits = [int(node["maxLength"]) for node in nodes if "maxLength" in node]
        most = min(limits, default=None)
        patterns = {
            node["pattern"]: each.place
            for each, node in zip(held, nodes, strict=True)
            if "pattern" in node
        }
        counted = self._extent.counted
        if counted < MOST and max(least, most or 0) > counted:
            self._leave_lengths(held[0].place)
            least, most = min(least, counted), None if most is None or most > counted else most
        if most is not None and most > MOST:
            self._schemas.narrow(held[0].place, f"strings have at most {MOST} characters")
            most = MOST
        if least > MOST:
            self._schemas.refuse(held[0].place, f"no grammar counts to a `minLength` of {least}")
        if len(patterns) > 1:
            place = list(patterns.values())[1]
            self._schemas.refuse(f"{place}/pattern", "no grammar keeps two patterns at once")
        if patterns:
            if first is not None:
                return NOTHING
            ((pattern, place),) = patterns.items()
            node = self._pattern(pattern, place, least, most)
            return self._book.token("string", self._matching(node, place, spelling))
        if held and spelling.unbounded and (least or most is not None):
            reason = "are written only where the length is not counted"
            reason = f"the characters {spelling.unbounded!r} {reason}"
            self._schemas.narrow(held[0].place, reason)
        return self._counted(least, most, spelling, first)

    def _leave_lengths(self, place: str) -> None:
        reason = f"lengths above {self._extent.counted} are left to the check of the arguments"
        self._book.widen(self._schemas.placed(place, reason))

    def _counted(
        self, least: int, most: int | None, spelling: ValueSpelling, first: Node | None
    ) -> Node:
        one = self._book.token("character", spelling.character(CHARACTERS))
        begin = EMPTY if first is None else first
        if first is not None:
            least, most = max(least - 1, 0), None if most is None else most - 1
        if most is None:
            shared = partial(self._book.token, "text")
            return self._book.token("string", spelling.longer(begin, one, shared, least))
        body = NOTHING if most < 0 else sequence(begin, repeat(one, least, most))
        return self._book.token("string", spelling.string(body))

    def _pattern(self, pattern: str, place: str, least: int, most: int | None) -> Node:
        """Return the texts that match, without escapes or entities."""
        try:
            node = pattern_node(pattern, least, most)
        except ValueError as error:
            self._schemas.refuse(f"{place}/pattern", f"the pattern {pattern!r} {error}")
        if least or most is not None:
            reason = "to keep the length, all repetitions in the pattern get the same bounds"
            self._schemas.narrow(f"{place}/pattern", reason)
        counted = self._extent.counted
        if counted < MOST and (open_ := uncounted(node, counted)) != node:
            self._leave_lengths(f"{place}/pattern")
            return open_
        return node

    def _matching(self, node: Node, place: str, spelling: ValueSpelling) -> Node:
        """Return the strings whose texts are in the node of a pattern."""
        used = characters_of(node)
        spell = spelling.speller(used, lengths_of(node)[1])
        wanted = [each for each in spelling.unbounded if common(used, (spelled(each),))]
        lost = "".join(each for each in wanted if spell((spelled(each),)) == NOTHING)
        if not lost:
            return spelling.string(spelled_out(node, spell))
        if isinstance(node, Choice):
            return either(*(self._matching(each, place, spelling) for each in node.options))
        begin = before_any(node)
        if begin is not None and not common(characters_of(begin), joined(map(spelled, lost))):
            one = self._book.token("character", spelling.character(CHARACTERS))
            shared = partial(self._book.token, "text")
            return spelling.longer(spelled_out(begin, spell), one, shared)
        reason = f"the characters {lost!r}, with which a marker begins, are left out"
        self._schemas.narrow(f"{place}/pattern", reason)
        return spelling.string(spelled_out(node, spell))

    # -- Arrays and objects -----------------------------------------------------------------

    def _array(self, held: All, left: int) -> Node:
        items = Items(self._schemas, held, MOST)
        first = [self.value(items.at(index), left - 1) for index in range(items.size)]
        rest = self.value(items.at(items.size), left - 1)
        if items.is_unique:
            return self._unique(items, left)
        if items.least > len(first) and rest == NOTHING:
            return NOTHING
        most = items.most if rest != NOTHING else min(items.most or len(first), len(first))
        if NOTHING in first:
            possible = first.index(NOTHING)
            most, rest = min(most if most is not None else possible, possible), NOTHING
            first = first[:possible]
        if most is not None and most < items.least:
            return NOTHING
        body = self._listed(first, rest, items.least, most)
        return self._bracketed("[", body, "]")

    def _listed(self, first: list[Node], rest: Node, least: int, most: int | None) -> Node:
        """Return items: these first ones, and then others like `rest`."""
        comma = self._comma
        size = len(first) if most is None else min(len(first), most)
        many = None if most is None else most - size
        body: Node = EMPTY
        if many != 0 and rest != NOTHING:
            if size:
                body = repeat(sequence(comma, rest), max(least - size, 0), many)
            else:
                others = repeat(
                    sequence(comma, rest), max(least - 1, 0), None if many is None else many - 1
                )
                body = sequence(rest, others)
                body = body if least else optional(body)
        for index in reversed(range(size)):
            body = sequence(comma if index else EMPTY, first[index], body)
            body = body if index < least else optional(body)
        return body

    def _unique(self, items: Items, left: int) -> Node:
        """Return arrays without equal items: of listed values in their order, or of one item."""
        values = self._schemas.listed(items.at(0)) if not items.size else None
        if values is not None:
            self._schemas.narrow(items.unique_at, "items are in the order of the list")
            options = [self._literal(value, left - 1) for value in values]
            options = [each for each in dict.fromkeys(options) if each != NOTHING]
            if len(options) > _CHOSEN:
                self._schemas.narrow(
                    items.unique_at, f"only the first {_CHOSEN} values are written"
                )
                options = options[:_CHOSEN]
            most = len(options) if items.most is None else items.most
            return self._bracketed("[", self._chosen(options, items.least, most), "]")
        if items.least > 1:
            self._schemas.refuse(
                items.unique_at, "no grammar can require all items to be different"
            )
        self._schemas.narrow(items.unique_at, "the grammar allows at most one item")
        one = self.value(items.at(0), left - 1)
        body = NOTHING if items.most == 0 else one
        return self._bracketed(
            "[", body if items.least else optional(body) if body != NOTHING else EMPTY, "]"
        )

    def _chosen(self, options: list[Node], least: int, most: int) -> Node:
        """Return some of the options, in their order, as many as required."""
        known: dict[tuple[int, int], Node] = {}

        def after(index: int, count: int) -> Node:
            if index == len(options):
                return EMPTY if count >= least else NOTHING
            # Without an upper bound, no more than the least count must be tracked.
            state = index, count if most < len(options) else min(count, max(least, 1))
            if state not in known:
                taken = sequence(
                    self._comma if count else EMPTY,
                    options[index],
                    after(index + 1, count + 1),
                )
                left_out = after(index + 1, count)
                known[state] = self._book.rule(
                    "chosen", either(taken if count < most else NOTHING, left_out)
                )
            return known[state]

        return after(0, 0)

    def object(self, held: All, left: int, shape: "ObjectForm") -> Node:
        """Return the objects that fit these schemas, written in this shape."""
        members = Members(self._schemas, held)
        written: list[tuple[Node, bool]] = []
        for name, places in members.places.items():
            value = self.value(places, left - 1)
            if shape.objects is not None:
                value = either(value, shape.objects.kind(places, "object", left - 1))
            node = sequence(shape.key(name), self.space, value)
            written.append((node, name in members.required))
        others: Node = NOTHING
        if self._extent.has_maps and shape.has_others and members.is_free:
            others = self._other_member(members, left)
        if others == NOTHING:
            members.note_others()
        elif not written:
            body = self._listed([], others, *members.bounds)
            return self._bracketed(shape.opener, body, shape.closer)
        body = self._members(members.enough(written), others)
        return self._bracketed(shape.opener, body, shape.closer)

    def _other_member(self, members: Members, left: int) -> Node:
        """Return the members that no schema names, whose names have no escapes."""
        value = self.value(members.others(), left - 1)
        if value == NOTHING:
            return NOTHING
        name = self._spelling.other_key(members.places, self._book)
        return self._book.rule("member", sequence(name, self.space, value))

    def _members(self, members: list[tuple[Node, bool]], others: Node) -> Node:
        """Return members in this order, of which some may be absent, and then others."""
        more = repeat(sequence(self._comma, others)) if others != NOTHING else EMPTY
        tails: list[Node] = [more]
        for node, is_required in reversed(members):
            each = sequence(self._comma, node)
            # Each tail is a rule, since it may follow any earlier member.
            tail = sequence(each if is_required else optional(each), tails[-1])
            tails.append(tail if tail == NOTHING else self._tail(tail))
        tails.reverse()
        options: list[Node] = []
        for index, (node, is_required) in enumerate(members):
            options.append(sequence(node, tails[index + 1]))
            if is_required:
                return either(*options)
        last = optional(sequence(others, more)) if others != NOTHING else EMPTY
        return either(*options, last)

    def _tail(self, tail: Node) -> Node:
        return tail if _is_small(tail) else self._book.rule("members", tail)

    def _bracketed(self, opener: str, body: Node, closer: str) -> Node:
        if body == EMPTY:
            return sequence(opener, closer)
        return sequence(opener, self.space, body, self.space, closer)


def _is_small(node: Node) -> bool:
    return isinstance(node, Reference) or node in (NOTHING, EMPTY)


def space(book: Book) -> Node:
    """Return the white space between tokens: a space, or a line end and an indent."""
    return book.token("space", either(" ", sequence("\n", repeat(sequence(" "), 0, 32))))


def depth_of(value: Any) -> int:
    """Return the depth of a value: the deepest nesting of arrays and objects in it."""
    depth = 0
    level = [value]
    while level := [each for each in level if isinstance(each, list | dict)]:
        depth += 1
        level = list(
            chain.from_iterable(each.values() if isinstance(each, dict) else each for each in level)
        )
    return depth


_BOUNDED: Final = frozenset(
    {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
)


def _bounds(nodes: Iterable[dict[str, Any]]) -> Bounds:
    """Return the bounds that all of these schemas together put on a number."""
    lows: list[tuple[Fraction, bool]] = []
    highs: list[tuple[Fraction, bool]] = []
    step: Fraction | None = None
    for node in nodes:
        for keyword, found, is_strict in (
            ("minimum", lows, False),
            ("exclusiveMinimum", lows, True),
            ("maximum", highs, False),
            ("exclusiveMaximum", highs, True),
        ):
            if keyword in node:
                found.append((decimal(node[keyword]), is_strict))
        if "multipleOf" in node:
            other = decimal(node["multipleOf"])
            step = other if step is None else _common_multiple(step, other)
    low, is_above = max(lows, default=(None, False))
    high, is_below = min(highs, key=lambda pair: (pair[0], not pair[1]), default=(None, False))
    return Bounds(low, high, is_above, is_below, step)


def _common_multiple(one: Fraction, other: Fraction) -> Fraction:
    denominator = one.denominator * other.denominator // gcd(one.denominator, other.denominator)
    first, second = int(one * denominator), int(other * denominator)
    return Fraction(first * second // gcd(first, second), denominator)
