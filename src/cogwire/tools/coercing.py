# SPDX-License-Identifier: MIT
"""Arguments that are text: the types that a tool's schema declares, and the values of the texts.

Only the declared type decides.  A text that fits no declared type is left unchanged, and validation
by the schema reports it: a text is never changed to make it fit.
"""

import functools
import json
import math
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, product
from typing import Any, Final, NamedTuple

from ..events import Limits
from ..text import WHITE, is_object, pointer
from ..wire.blocks.interface import CallFormat, Fault, Tree
from ..wire.blocks.json_shapes import CallShape
from ..wire.blocks.results import read_elements
from .problems import Problem, Violation, Work, canonical, received
from .resource import Resource

_INTEGER: Final = "-?(0|[1-9][0-9]*)"
_NUMBER: Final = rf"{_INTEGER}(\.[0-9]+)?([eE][+\-]?[0-9]+)?"

#: The texts of each type; of arrays and objects, only how they begin.
_SPELLINGS: Final = {
    "integer": re.compile(_INTEGER),
    "number": re.compile(_NUMBER),
    "boolean": re.compile("true|false"),
    "null": re.compile("null"),
    "array": re.compile(rf"[{WHITE}]*\[.*", re.DOTALL),
    "object": re.compile(rf"[{WHITE}]*\{{.*", re.DOTALL),
}

#: Means that no type is declared: a text is a string, unless another schema declares a type.
_ANY: Final = "any"


class Option(NamedTuple):
    """What an argument may be: a value of one type or, if none is declared, one of a list."""

    #: The type, or `any`.
    type: str
    #: The list, each member as JSON; `None` if there is no list.
    members: tuple[str, ...] | None = None

    @property
    def is_untyped(self) -> bool:
        """Whether no type is declared, so that the listed values decide what a text means."""
        return self.type == _ANY


#: In the order of the schema; `None` if it declares nothing.
Options = tuple[Option, ...] | None


class Arguments:
    """What the schema of one tool declares for its arguments."""

    def __init__(self, resource: Resource, calls: CallFormat) -> None:
        """Read what `resource` declares, for texts in calls of this format.

        Unless calls are XML, a text that may be null is null, whatever else it may be.
        """
        self._schemas = resource.schemas
        self._targets = resource.targets
        self._matchers = resource.matchers
        self._json_of = calls.json_of
        self._tree_of = calls.tree_of
        self._knows_null = calls.is_text and not calls.is_xml
        #: The options that have been computed, by place.
        self._known: dict[str, Options] = {}

    def read(self, args: Mapping[str, Any], work: Work) -> dict[str, Any]:
        """Return the arguments with their texts coerced; raises `TooMuchWorkError`."""
        return {
            name: self._argument(name, value, work) if isinstance(value, str) else value
            for name, value in args.items()
        }

    def _argument(self, name: str, text: str, work: Work) -> Any:
        options = self.options(name, work)
        tree = self._tree_of(text) if options else None
        if tree is None:
            return self._value(text, options, work)
        return self._tree(tree, options, self._inner([""], name, work), work)

    def options(self, name: str, work: Work | None = None) -> Options:
        """Return what an argument may be."""
        return self._options("", name, {}, work or Work(sys.maxsize))

    def misfits(self, args: Mapping[str, Any], work: Work) -> Iterator[Violation]:
        """Yield a violation for each argument that is still a text, though no type allows one."""
        for name, value in args.items():
            kinds = dict.fromkeys(option.type for option in self.options(name, work) or ())
            if isinstance(value, str) and kinds and "string" not in kinds and _ANY not in kinds:
                yield Violation((name,), "bad-type", tuple(kinds), f", got {received(value)}")

    def explain(self, problems: Iterable[Problem], args: Mapping[str, Any]) -> None:
        """Add to the messages why a text that begins as an array or an object is not JSON."""
        mistyped = {each["path"]: each for each in problems if each["code"] == "bad-type"}
        for name, text in args.items() if mistyped else ():
            problem = mistyped.get(pointer([name]))
            if problem and isinstance(text, str) and text.lstrip(WHITE)[:1] in ("[", "{"):
                kinds = {option.type for option in self.options(name) or ()}
                if kinds & {"array", "object"} and (flaw := _flaw(text)):
                    problem["message"] += f"; it is not valid JSON: {flaw}"

    def names(self) -> list[str]:
        """Return the names of the arguments, including required ones that nothing else declares."""
        nodes = self._nodes("allOf", "anyOf", "oneOf")
        named = ((*node.get("properties", ()), *node.get("required", ())) for node in nodes)
        return list(dict.fromkeys(chain.from_iterable(named)))

    # -- Places -----------------------------------------------------------------------------

    def _nodes(self, *keywords: str) -> Iterator[dict[str, Any]]:
        return filter(is_object, map(self._schemas.__getitem__, self._places(*keywords)))

    def _places(self, *keywords: str, within: Sequence[str] = ("",)) -> list[str]:
        """Return the places of schemas for a value, through references and these keywords.

        The value is that of which the schemas `within` speak: the arguments.
        """
        places = list(within)
        seen = {*within}
        for place in places:  # the list grows meanwhile
            others = chain(self._target(place), *(self._branches(place, each) for each in keywords))
            new = [other for other in dict.fromkeys(others) if other not in seen]
            places += new
            seen.update(new)
        return places

    def _target(self, place: str) -> list[str]:
        return [self._targets[place]] if place in self._targets else []

    def _branches(self, place: str, keyword: str) -> list[str]:
        node = self._schemas[place]
        count = len(node.get(keyword, ())) if is_object(node) else 0
        return [f"{place}/{keyword}/{index}" for index in range(count)]

    def _value(self, text: str, options: Options, work: Work) -> Any:
        """Return the text's value by the first option that it fits, or the text itself.

        Where values are listed too, an option that lists this one, or none, comes first.
        """
        first: list[Any] = []
        may_be_json = any(option.type != "string" for option in options or ())
        written = self._json_of(text) if may_be_json else text
        if self._knows_null and written == "null" and any(map(_may_be_null, options or ())):
            return None
        for option in options or ():
            work.spend(1 + len(text) // 32)
            for value in _readings(text, written, option):
                if option.members is None or canonical(json.dumps(value)) in _listed(option):
                    return value
                first.append(value)
        return first[0] if first else text

    def _tree(self, tree: Tree, options: Options, places: Sequence[str], work: Work) -> Any:
        """Return a value with parts in it by the first option that it fits, or its text.

        `places` are those of the schemas that apply to it.
        """
        parts, item = tree.parts, tree.item
        if parts is None:
            return self._value(tree.text, options, work)
        work.spend(1 + len(parts))
        kinds = [option.type for option in options or ()] or ["array", "object"] * bool(parts)
        for kind in kinds:
            if kind == "array" and all(key == item for key, _ in parts):
                return [
                    self._part(part, places, index, work) for index, (_, part) in enumerate(parts)
                ]
            if kind == "object" and len(dict(parts)) == len(parts):
                return {key: self._part(part, places, key, work) for key, part in parts}
            if kind == "null" and not tree.text:
                return None
            if kind in ("string", _ANY):
                break
        return self._value(tree.text, options, work)

    def _part(self, tree: Tree, around: Sequence[str], member: str | int, work: Work) -> Any:
        """Return a part of a value to which the schemas at the places `around` apply."""
        options: Options = None
        for place in around:
            options = _all_of(options, self._options(place, member, {}, work), work)
        return self._tree(tree, options, self._inner(around, member, work), work)

    def _inner(self, around: Sequence[str], member: str | int, work: Work) -> list[str]:
        """Return the places of the schemas that apply to a member of a value."""
        places = self._places("allOf", "anyOf", "oneOf", within=around)
        return [
            place + inner for place in places for inner in self._schemas_of(place, member, work)
        ]

    # -- Options ----------------------------------------------------------------------------

    def _options(
        self, place: str, member: str | int | None, known: dict[str, Options], work: Work
    ) -> Options:
        """Return what a schema declares for its values, or for a member of them."""
        known = self._known if member is None else known
        if place not in known:
            known[place] = self._combined(place, member, known, work)
        return known[place]

    def _combined(
        self, place: str, member: str | int | None, known: dict[str, Options], work: Work
    ) -> Options:
        node = self._schemas[place]
        options = _declared(node) if member is None else None
        for inner in self._schemas_of(place, member, work) if member is not None else ():
            options = _all_of(options, self._options(place + inner, None, known, work), work)
        for each in chain(self._target(place), self._branches(place, "allOf")):
            options = _all_of(options, self._options(each, member, known, work), work)
        for keyword in ("anyOf", "oneOf"):
            branches = self._branches(place, keyword)
            possible = (each for each in branches if self._schemas[each] is not False)
            found = [self._options(each, member, known, work) for each in possible]
            if member is not None:  # which of the arguments a branch speaks of is no order of types
                found.sort(key=lambda declared: not declared)
            options = _all_of(options, _one_of(found), work)
        return options

    def _schemas_of(self, place: str, member: str | int, work: Work) -> list[str]:
        """Return the pointers from a schema to the schemas in it that apply to a member."""
        node = self._schemas[place]
        if not is_object(node):
            return []
        if isinstance(member, int):
            is_first = member < len(node.get("prefixItems", ()))
            return [f"/prefixItems/{member}"] if is_first else ["/items"] * ("items" in node)
        declared = [["properties", member]] if member in node.get("properties", ()) else []
        declared += (
            ["patternProperties", pattern]
            for pattern in node.get("patternProperties", ())
            if self._matchers[pattern](member, work)
        )
        if not declared and "additionalProperties" in node:
            declared = [["additionalProperties"]]
        return [pointer(path) for path in declared]


def name_warnings(
    tool: str, arguments: Arguments, dialect: str, names: re.Pattern[str]
) -> list[str]:
    """Return warnings for the names of a tool and its arguments that do not match `names`."""
    warnings: list[str] = []
    if not names.fullmatch(tool):
        warnings.append(f"its name cannot be written in {dialect}, so no call can name it")
    return warnings + [
        f"the name {name!r} cannot be written in {dialect}, so no call can pass this argument"
        for name in arguments.names()
        if not names.fullmatch(name)
    ]


def _declared(node: Any) -> Options:
    """Return what a schema itself declares, without the schemas that it refers to."""
    if not is_object(node):
        return None
    listed = [node["const"]] if "const" in node else node.get("enum")
    members = None if listed is None else tuple(map(json.dumps, listed))
    if "type" in node:
        types: str | list[str] = node["type"]
        return tuple(
            Option(each, members) for each in ([types] if isinstance(types, str) else types)
        )
    return None if members is None else (Option(_ANY, members),)


def _one_of(branches: Sequence[Options]) -> Options:
    """Return the options of alternative schemas."""
    if not any(branches):
        return None
    options = chain.from_iterable(each or (Option(_ANY),) for each in branches)
    return tuple(dict.fromkeys(options))


def _all_of(first: Options, second: Options, work: Work) -> Options:
    """Return the options of two schemas that both apply; those of the first, if they conflict."""
    work.spend(1)
    if not first or not second:
        return first or second
    work.spend(len(first) * len(second))
    common = (_common(*pair, work) for pair in product(first, second))
    return tuple(dict.fromkeys(option for option in common if option)) or first


def _common(first: Option, second: Option, work: Work) -> Option | None:
    """Return what two options have in common: a type, and the members that both list."""
    kinds = {first.type, second.type} - {_ANY}
    if len(kinds) > 1 and kinds != {"integer", "number"}:
        return None
    members = second.members if first.members is None else first.members
    if first.members and second.members is not None:
        work.spend(len(first.members) + len(second.members))
        others = _listed(second)
        members = tuple(member for form, member in _listed(first).items() if form in others)
    return Option(min(kinds, default=_ANY), members)


# --- Texts --------------------------------------------------------------------------------------


def _may_be_null(option: Option) -> bool:
    """Whether null is declared as a type, and listed if values are."""
    return option.type == "null" and (option.members is None or "null" in option.members)


@functools.lru_cache(maxsize=256)
def _listed(option: Option) -> dict[str, str]:
    """Return the members of an option, by the canonical form of their values; first ones win."""
    return {canonical(member): member for member in reversed(option.members or ())}


def _readings(text: str, word: str, option: Option) -> Iterator[Any]:
    """Yield the value of the text, which may be `word` in JSON, if it fits the option."""
    if option.is_untyped and option.members is not None:
        for written in (json.dumps(text), word):
            if not _flaw(written) and (member := _listed(option).get(canonical(written))):
                yield json.loads(member)
    elif option.is_untyped or option.type == "string":
        yield text
    elif _SPELLINGS[option.type].fullmatch(word):
        if option.type in ("integer", "number"):
            if math.isfinite(float(word)):
                yield json.loads(word)
        elif not _flaw(word):
            yield json.loads(word)


def _flaw(text: str) -> str:
    """Return why a text is not JSON by the rules of blocks; empty if it is."""
    flaw = ""
    try:
        read_elements(f'{{"name":"-","args":{{"-":{text}}}}}', CallShape(1), Limits())
    except Fault as fault:
        flaw = fault.message
        if fault.code in ("limit-depth", "limit-digits"):
            return flaw
    try:
        json.loads(text)  # exactly one value; its reasons do not mention the block
    except (ValueError, RecursionError) as error:
        return str(error)
    return flaw
