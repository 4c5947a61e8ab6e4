# SPDX-License-Identifier: MIT
"""The schemas of one tool, taken apart into alternatives without combining keywords.

The schemas of a value are named by places: JSON Pointers into the tool's schema.  A value must fit
all of its schemas.  Schemas that are made here, such as that of a negation, have new places, which
begin with the place that they were made from.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import count
from types import NoneType
from typing import Any, Final, NamedTuple, NoReturn

from cogwire.tooling import HasDialect, Tool, ToolSchema, pointer

#: Begins the number of a schema that was made here; no JSON Pointer contains it.
_MADE: Final = "\0"
#: The most combinations of alternatives that one value may have.
_MOST: Final = 200

#: The types of values; every integer is a number.
KINDS: Final = ("null", "boolean", "integer", "number", "string", "array", "object")

Places = tuple[str, ...]
Node = Any


class GrammarError(ValueError):
    """A keyword that no grammar can express, or a tool for which no call can be written."""


class Held(NamedTuple):
    """A schema that a value must fit, and the schemas for which its evaluations count."""

    place: str
    under: frozenset[str] = frozenset()


#: Schemas that a value must all fit.
All = tuple[Held, ...]


class Schemas:
    """The schemas of one tool, by place."""

    def __init__(self, tool: Tool, dialect: HasDialect, note: Callable[[str], None]) -> None:
        self._tool = tool.name
        self._note = note
        #: What has been left out so far, in order.
        self.notes: dict[str, None] = {}
        #: The schema of the tool, with those that are made here.
        self.whole: Final = ToolSchema(tool, dialect)
        if self.whole.is_dynamic:
            raise GrammarError(f"tool {tool.name!r}: no grammar can follow `$dynamicRef`")
        self.nodes: Final[dict[str, Node]] = self.whole.schemas
        self._targets = self.whole.targets
        self._numbers = count()
        self._known: dict[str, list[All]] = {}

    # -- Messages ---------------------------------------------------------------------------

    def refuse(self, place: str, reason: str) -> NoReturn:
        """Raise an error that names a place."""
        raise GrammarError(self.placed(place, reason))

    def narrow(self, place: str, reason: str) -> None:
        """Report that the grammar leaves out something that a place allows."""
        self.notes[f"at {_pointer(place)!r}: {reason}"] = None
        self._note(self.placed(place, reason))

    def placed(self, place: str, reason: str) -> str:
        """Return a message about a place: the tool, the place and the reason."""
        return f"tool {self._tool!r}: at {_pointer(place)!r}: {reason}"

    # -- Validation -------------------------------------------------------------------------

    def fits(self, value: Any, places: Iterable[str]) -> bool:
        """Whether a value fits all of these places."""
        return all(self.whole.fits(value, place) for place in places)

    def matches(self, pattern: str, text: str) -> bool:
        """Whether a pattern of the schema matches somewhere in a text."""
        return self.whole.matches(pattern, text)

    def made(self, origin: str, node: Node) -> Held:
        """Return a new schema, made for a place."""
        place = f"{_pointer(origin)}{_MADE}{next(self._numbers)}"
        self.whole.add(place, node)
        return Held(place)

    # -- What always applies ----------------------------------------------------------------

    def always(self, places: Iterable[str]) -> list[str]:
        """Return the places that apply wherever these do: through references and `allOf`."""
        found = list(dict.fromkeys(places))
        for place in found:  # the list grows meanwhile
            node = self.nodes[place]
            if place in self._targets and self._targets[place] not in found:
                found.append(self._targets[place])
            inner = node.get("allOf", ()) if isinstance(node, dict) else ()
            found += (f"{place}/allOf/{index}" for index in range(len(inner)))
        return found

    def listed(self, places: Iterable[str]) -> list[Any] | None:
        """Return the values in `enum` or `const` that fit; `None` if there is no list."""
        wanted = list(places)
        for place in self.always(wanted):
            node = self.nodes[place]
            if isinstance(node, dict) and ("const" in node or "enum" in node):
                values = [node["const"]] if "const" in node else node["enum"]
                return [value for value in values if self.fits(value, wanted)]
        return None

    # -- Alternatives -----------------------------------------------------------------------

    def alternatives(self, places: Places) -> list[All]:
        """Return alternatives, each as the schemas that a value must all fit."""
        return self._together(Held(place) for place in places)

    def _together(self, parts: Iterable[Held]) -> list[All]:
        found: list[All] = [()]
        for part in parts:
            inner = [_under(part.under, each) for each in self._expanded(part.place)]
            found = self._combined(part.place, found, inner)
        return found

    def _combined(self, place: str, ones: list[All], others: list[All]) -> list[All]:
        """Return each combination of two alternatives."""
        found = dict.fromkeys(_merged(one, other) for one in ones for other in others)
        if len(found) > _MOST:
            self.refuse(place, "too many alternatives are combined here")
        return list(found)

    def _expanded(self, place: str) -> list[All]:
        """Return the alternatives of a place, each as the schemas that a value must all fit."""
        if place not in self._known:
            node = self.nodes[place]
            if isinstance(node, bool):
                return [()] if node else []
            found: list[All] = [(Held(place),)]
            for options in self._applied(place, node):
                branches = [each for option in options for each in self._together(option)]
                found = self._combined(place, found, branches)
            self._known[place] = found
        return self._known[place]

    def _applied(self, place: str, node: dict[str, Any]) -> Iterator[list[All]]:
        """Yield what a schema requires of the same value: for each keyword, its alternatives."""
        under = frozenset({place})
        if place in self._targets:
            yield [(Held(self._targets[place], under),)]
        for index in range(len(node.get("allOf", ()))):
            yield [(Held(f"{place}/allOf/{index}", under),)]
        if "anyOf" in node:
            yield [(Held(f"{place}/anyOf/{i}", under),) for i in range(len(node["anyOf"]))]
        if "oneOf" in node:
            yield self._one_of(place, under, len(node["oneOf"]))
        if "if" in node and ("then" in node or "else" in node):
            yield self._conditional(place, under, node)
        for name in node.get("dependentSchemas", ()):
            inner = place + pointer(["dependentSchemas", name])
            yield [(self._absent(place, name),), (Held(inner, under),)]
        for name, needed in node.get("dependentRequired", {}).items():
            needs = {"required": needed}
            yield [(self._absent(place, name),), (self.made(place, needs),)]
        if "not" in node:
            yield self.negated(f"{place}/not")

    def _absent(self, place: str, name: str) -> Held:
        return self.made(place, {"properties": {name: False}})

    def _conditional(self, place: str, under: frozenset[str], node: dict[str, Any]) -> list[All]:
        """Return the alternatives of an `if`: it and its `then`, or both its `then` and `else`.

        In the second, what they evaluate does not count, since only one of the two applies.
        """
        then = (Held(f"{place}/then"),) if "then" in node else ()
        other = (Held(f"{place}/else"),) if "else" in node else ()
        self.narrow(f"{place}/if", "if the condition fails, `then` is required all the same")
        options: list[All] = [then + other]
        true = Held(f"{place}/if", under)
        try:
            self._expanded(true.place)
        except GrammarError:
            return options
        return [(true, *((Held(f"{place}/then", under),) if then else ())), *options]

    def _one_of(self, place: str, under: frozenset[str], number: int) -> list[All]:
        branches = [f"{place}/oneOf/{index}" for index in range(number)]
        found: list[All] = []
        for branch in branches:
            options: list[All] = [(Held(branch, under),)]
            for other in branches:
                if other != branch and not self._are_apart(branch, other):
                    options = [one + no for one in options for no in self.negated(other)]
                    if len(options) > _MOST:
                        self.refuse(place, "too many alternatives are combined here")
            found += options
        return found

    def _are_apart(self, place: str, other: str) -> bool:
        """Whether certainly no value fits both places."""
        shared = self._types(place) & self._types(other)
        if not shared:
            return True
        if self._share_no_value((place,), (other,)):
            return True
        mine, theirs = self._members(place), self._members(other)
        return shared == {"object"} and any(
            self._share_no_value(mine[name], theirs[name]) for name in mine.keys() & theirs.keys()
        )

    def _share_no_value(self, places: Places, others: Places) -> bool:
        """Whether one of two places lists values, none of which fits the other."""
        for one, other in ((places, others), (others, places)):
            values = self.listed(one)
            if values is not None and not any(self.fits(value, other) for value in values):
                return True
        return False

    def _types(self, place: str) -> set[str]:
        found = set[str](KINDS)
        for each in self.always([place]):
            node = self.nodes[each]
            if isinstance(node, bool):
                found &= found if node else set()
                continue
            found &= types_of(node)
            for keyword in {"anyOf", "oneOf"} & node.keys():
                branches = (f"{each}/{keyword}/{i}" for i in range(len(node[keyword])))
                found &= set().union(*map(self._types, branches))
        return found

    def _members(self, place: str) -> dict[str, Places]:
        """Return the places of the members that are required and declared."""
        always = [each for each in self.always([place]) if isinstance(self.nodes[each], dict)]
        names = {name for each in always for name in self.nodes[each].get("required", ())}
        found: dict[str, Places] = {}
        for each in always:
            for name in names & self.nodes[each].get("properties", {}).keys():
                found[name] = (*found.get(name, ()), each + pointer(["properties", name]))
        return found

    # -- Negations --------------------------------------------------------------------------

    def negated(self, place: str) -> list[All]:
        """Return alternatives, each of which guarantees that a value does not fit the place."""
        node = self.nodes[place]
        if isinstance(node, bool):
            return [] if node else [()]
        options: list[All] = []
        unexpressed: list[str] = []
        if place in self._targets:
            options += self.negated(self._targets[place])
        for keyword in node.keys() - _IGNORED:
            if keyword == "not":
                options.append((Held(f"{place}/not"),))
            elif keyword == "allOf":
                for index in range(len(node["allOf"])):
                    options += self.negated(f"{place}/allOf/{index}")
            elif keyword in ("anyOf", "oneOf"):
                branches = range(len(node[keyword]))
                options += self._none_of([f"{place}/{keyword}/{index}" for index in branches])
            else:
                made = list(_contradictions(keyword, node, place, self.whole.reference))
                options += [(self.made(place, each),) for each in made]
                unexpressed += [] if made else [keyword]
        if unexpressed:
            names = ", ".join(f"`{each}`" for each in sorted(unexpressed))
            if not options:
                self.refuse(place, f"no grammar can express the negation of {names}")
            self.narrow(place, f"values that violate only {names} are not written")
        return options

    def _none_of(self, places: list[str]) -> list[All]:
        found: list[All] = [()]
        for place in places:
            found = [one + other for one in found for other in self.negated(place)]
        return found


def _under(places: frozenset[str], held: All) -> All:
    return tuple(Held(each.place, each.under | places) for each in held)


def _merged(one: All, other: All) -> All:
    found = {each.place: each.under for each in one}
    for each in other:
        found[each.place] = found.get(each.place, frozenset()) | each.under
    return tuple(Held(place, under) for place, under in found.items())


def _pointer(place: str) -> str:
    return place.partition(_MADE)[0]


# --- Types and negations --------------------------------------------------------------------------

_NUMERIC: Final = frozenset({"integer", "number"})
_KINDS: Final = {
    NoneType: "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}
#: Keywords that alone constrain no value.
_IGNORED: Final = frozenset(
    (
        *("$id", "$schema", "$anchor", "$dynamicAnchor", "$comment", "$defs", "$ref"),
        *("$vocabulary", "definitions", "title", "description", "default", "deprecated"),
        *("readOnly", "writeOnly", "examples", "format", "contentEncoding", "contentMediaType"),
        *("contentSchema", "minContains", "maxContains"),
    )
)
#: For a keyword with a bound: its type, its opposite, and what to add for the bound of that.
_OPPOSITES: Final = {
    "minimum": ("number", "exclusiveMaximum", 0),
    "exclusiveMinimum": ("number", "maximum", 0),
    "maximum": ("number", "exclusiveMinimum", 0),
    "exclusiveMaximum": ("number", "minimum", 0),
    "minLength": ("string", "maxLength", -1),
    "maxLength": ("string", "minLength", 1),
    "minItems": ("array", "maxItems", -1),
    "maxItems": ("array", "minItems", 1),
}


def kind_of(value: Any) -> str:
    """Return the type of a JSON value; that of an `int` is `integer`."""
    return _KINDS[type(value)]


def types_of(node: dict[str, Any]) -> set[str]:
    """Return the types that `type`, `const` or `enum` of one schema leave."""
    found = set[str](KINDS)
    if "type" in node:
        declared = {node["type"]} if isinstance(node["type"], str) else set(node["type"])
        found &= declared | ({"integer"} if "number" in declared else set())
    if "const" in node or "enum" in node:
        values = [node["const"]] if "const" in node else node["enum"]
        kinds = {kind_of(value) for value in values}
        # An integer may be written as a number, and some numbers as integers.
        found &= kinds | (_NUMERIC if kinds & _NUMERIC else set())
    return found


def _contradictions(
    keyword: str, node: dict[str, Any], place: str, reference: Callable[[str], Node]
) -> Iterator[Node]:
    """Yield schemas that contradict a keyword; `reference` returns one that refers to a place.

    A value that violates the keyword need not fit any of them, so a grammar may leave out some.
    """
    value = node[keyword]
    match keyword:
        case "type":
            yield _other_types({value} if isinstance(value, str) else set(value))
        case "const":
            yield from _other_values([value])
        case "enum":
            yield from _other_values(value)
        case "required":
            for name in value:
                yield {"type": "object", "properties": {name: False}}
        case "properties":
            for name in value:
                wrong = {"not": reference(place + pointer(["properties", name]))}
                yield {"type": "object", "required": [name], "properties": {name: wrong}}
        case "contains" if "minContains" not in node:
            yield {"type": "array", "items": {"not": reference(f"{place}/contains")}}
        case _ if keyword in _OPPOSITES:
            kind, other, change = _OPPOSITES[keyword]
            if kind == "number" or value + change >= 0:
                yield {"type": kind, other: value + change}


def _other_types(types: set[str]) -> Node:
    # Some numbers are integers, so neither type excludes the other.
    taken = types | (_NUMERIC if types & _NUMERIC else set())
    return {"type": [each for each in KINDS if each not in taken and each != "integer"]}


def _other_values(values: list[Any]) -> Iterator[Node]:
    yield _other_types({kind_of(value) for value in values})
    lengths = [len(value) for value in values if isinstance(value, str)]
    if lengths:
        yield {"type": "string", "minLength": max(lengths) + 1}
        if min(lengths):
            yield {"type": "string", "maxLength": min(lengths) - 1}
    numbers = [value for value in values if kind_of(value) in _NUMERIC]
    if numbers:
        yield {"type": "number", "exclusiveMinimum": max(numbers)}
        yield {"type": "number", "exclusiveMaximum": min(numbers)}
