# SPDX-License-Identifier: MIT
"""Values held against JSON Schemas of draft 2020-12, with an end to the time that it takes.

A schema is applied to a value once, however many references lead there: what it found is kept
until the call has been judged.  Otherwise schemas that refer to each other twice would take time
exponential in their number.  And all work is counted, so that no call takes more than a bound.
"""

import functools
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import chain
from types import ModuleType, NoneType
from typing import Any, Final, TypeVar
from urllib.parse import urljoin

from ._patterns import Matcher, Matchers
from ._schemas import (
    ARRAY,
    DRAFT,
    OBJECT,
    ONE,
    Finding,
    ProblemCode,
    Resource,
    alternatives,
    came,
    description_of,
    expected_by,
    is_object,
    kinds_of,
    localised,
    pointer,
    shown,
    some_of,
)
from ._work import Work

# --- Values -------------------------------------------------------------------------------------

_KINDS: Final[Mapping[type[object], str]] = {
    dict: "object",
    list: "array",
    str: "string",
    bool: "boolean",
    int: "number",
    float: "number",
    NoneType: "null",
}


_WITH_PARTS: Final = frozenset({"array", "object"})


class Value:
    """A value in the arguments of a call, and the way to it."""

    __slots__ = ("_parent", "_step", "data", "kind", "size")

    def __init__(self, data: Any, parent: "Value | None" = None, step: str | int = "") -> None:
        self.data: Final = data
        #: Its type in JSON; the integers are numbers.
        self.kind: Final = _kind_of(data)
        #: How many members or items it has.
        self.size: Final = len(data) if self.kind in _WITH_PARTS else 0
        self._parent = parent
        self._step = step

    @property
    def path(self) -> str:
        """The JSON Pointer that leads to it."""
        return self._parent.path + pointer([self._step]) if self._parent else ""


def _kind_of(data: object) -> str:
    # What is of somebody's own class is what that derives from.
    kinds = (_KINDS[each] for each in type(data).__mro__ if each in _KINDS)
    return next(kinds, "value")


def _form(data: Any) -> str:
    """Return the text that only those values share which JSON Schema calls equal."""
    if type(data) in (str, int):
        return json.dumps(data)
    plain = json.loads(json.dumps(data, default=repr), parse_float=_number)
    return json.dumps(plain, sort_keys=True)


def _number(text: str) -> float:
    number = float(text)
    return int(number) if number.is_integer() else number


def _decimal(number: Any) -> Fraction:
    """Return a number as it is written; the double nearest to 0.1 is not a tenth."""
    return Fraction(str(number)) if isinstance(number, float) else Fraction(number)


# --- Schemas ------------------------------------------------------------------------------------

#: Which schema the names of `$dynamicAnchor` mean, from the outermost resource on the way here.
_Scope = tuple[tuple[str, "Schema"], ...]
_Findings = tuple[Finding, ...]
_Some = TypeVar("_Some")
#: What a keyword of a schema says of a value: takes the judge, the schema, the keyword's argument,
#: the value and the scope.  Some say what is wrong, the others which schemas judge which values.
_Rule = Callable[["Judge", "Schema", Any, Value, _Scope], Iterable[Finding]]
_Application = Callable[["Judge", "Schema", Any, Value, _Scope], Iterable[tuple["Schema", Value]]]


class Schema:
    """A schema that is ready to judge."""

    def __init__(self, source: Any, owner: "Schema | None" = None) -> None:
        self.source: Final = source
        #: The schema by which a member may not be there, if this is the `false` that says so.
        self.owner: Final = owner
        #: What its keywords say; other schemas, and patterns, are ready to judge as well.
        self.arguments: dict[str, Any] = {"false": None} if source is False else {}
        #: What the names of `$dynamicAnchor` mean in its resource.
        self.anchors: dict[str, Schema] = {}
        self._rules: dict[str, tuple[list[tuple[_Rule, Any]], list[tuple[_Application, Any]]]] = {}

    def rules(self, kind: str) -> tuple[list[tuple[_Rule, Any]], list[tuple[_Application, Any]]]:
        """Return both kinds of rules for values of a kind, with the arguments of their keywords."""
        rules = self._rules.get(kind)
        if rules is None:
            rules = self._chosen(_RULES, kind), self._chosen(_APPLICATIONS, kind)
            self._rules[kind] = rules
        return rules

    def _chosen(self, table: Mapping[str, tuple[str, _Some]], kind: str) -> list[tuple[_Some, Any]]:
        return [
            (table[keyword][1], argument)
            for keyword, argument in self.arguments.items()
            if keyword in table and table[keyword][0] in (kind, "any")
        ]

    @functools.cached_property
    def kinds(self) -> tuple[str, ...]:
        """What it expects, in few words."""
        return some_of(kinds_of(self.source))

    @functools.cached_property
    def description(self) -> str:
        """What it is, in brackets."""
        return description_of(self.source)

    @functools.cached_property
    def known(self) -> tuple[str, ...]:
        """Some names of members that it declares."""
        return some_of(self.arguments.get("properties", ()))

    def patterns_of(self, name: str, work: Work) -> Iterator["Schema"]:
        """Yield the schemas of `patternProperties` for a member."""
        for matcher, schema in self.arguments.get("patternProperties", ()):
            if matcher(name, work):
                yield schema

    def declares(self, name: str, work: Work) -> bool:
        """Whether `properties` or `patternProperties` have a schema for a member."""
        return name in self.arguments.get("properties", ()) or any(
            True for _ in self.patterns_of(name, work)
        )


#: The keywords whose schemas judge members; what they forbid is not expected.
_OF_MEMBERS: Final = frozenset(
    {"properties", "patternProperties", "additionalProperties", "unevaluatedProperties"}
)


def ready(resource: Resource) -> Schema:
    """Return the schema of a resource, ready to judge."""
    schemas = {place: Schema(source) for place, source in resource.schemas.items()}
    called = {name for _, name in resource.dynamic_targets.values()}
    for place, schema in schemas.items():
        if is_object(schema.source):
            schema.arguments.update(_arguments(place, schema, resource, schemas))
            anchors = resource.anchors.get(resource.bases[place], {})
            schema.anchors = {name: schemas[anchors[name]] for name in called & anchors.keys()}
    return schemas[""]


def _arguments(
    place: str, schema: Schema, resource: Resource, schemas: Mapping[str, Schema]
) -> Iterator[tuple[str, Any]]:
    """Yield what each keyword says, ready for its rule."""

    def at(*steps: str | int) -> Schema:
        inner = schemas[place + pointer(steps)]
        return Schema(False, schema) if inner.source is False and steps[0] in _OF_MEMBERS else inner

    for keyword, said in schema.source.items():
        argument: Any = said
        if keyword in ONE:
            argument = at(keyword)
        elif keyword in ARRAY:
            argument = [at(keyword, index) for index in range(len(said))]
        elif keyword == "patternProperties":
            argument = [(resource.matchers[each], at(keyword, each)) for each in said]
        elif keyword in OBJECT:
            argument = {name: at(keyword, name) for name in said}
        elif keyword == "$ref":
            argument = schemas[resource.targets[place]]
        elif keyword == "$dynamicRef":
            target, name = resource.dynamic_targets[place]
            argument = schemas[target], name
        elif keyword == "pattern":
            argument = resource.matchers[said]
        elif keyword == "type":
            argument = [said] if isinstance(said, str) else said
        elif keyword in ("enum", "const"):
            listed = [said] if keyword == "const" else said
            argument = frozenset(map(_form, listed)), some_of(map(shown, listed))
        yield keyword, argument


@functools.cache
def metaschema(jsonschema: ModuleType) -> Schema:
    """Return the schema of schemas of draft 2020-12, which `jsonschema` has; it is passed in."""
    contents = jsonschema.validators.SPECIFICATIONS.contents
    parts = {each: contents(urljoin(DRAFT, each)) for each in _VOCABULARIES}
    return ready(localised({**contents(DRAFT), "$defs": parts}, DRAFT, Matchers()))


_VOCABULARIES: Final = tuple(
    f"meta/{name}"
    for name in (
        "core",
        "applicator",
        "unevaluated",
        "validation",
        "meta-data",
        "format-annotation",
        "content",
    )
)


# --- Judging ------------------------------------------------------------------------------------


class Judge:
    """Judges one call.  `TooMuchWorkError` if that takes too much work."""

    def __init__(self, work: Work) -> None:
        self.work: Final = work
        #: What is known already: the members and items, what schemas found, what they evaluated.
        self._inside: dict[tuple[Value, str | int], Value] = {}
        self._found: dict[tuple[Schema, Value, _Scope], _Findings] = {}
        self._evaluated: dict[tuple[Schema, Value, _Scope], frozenset[str | int]] = {}

    def findings(self, schema: Schema, value: Value, scope: _Scope) -> _Findings:
        """Return what is wrong with a value, each thing once."""
        self.work.spend(1)
        if schema.anchors:
            scope = self._entered(schema, scope)
        key = schema, value, scope
        findings = self._found.get(key)
        if findings is None:
            found: list[Finding] = []
            rules, applications = schema.rules(value.kind)
            for rule, argument in rules:
                found += rule(self, schema, argument, value, scope)
            for application, argument in applications:
                for inner, part in application(self, schema, argument, value, scope):
                    found += self.findings(inner, part, scope)
            self.work.spend(value.size + len(found))
            findings = self._found[key] = tuple(dict.fromkeys(found))
        return findings

    def at(self, value: Value, step: str | int) -> Value:
        """Return the member of this name, or the item at this index."""
        key = value, step
        inside = self._inside.get(key)
        if inside is None:
            inside = self._inside[key] = Value(value.data[step], value, step)
        return inside

    def fits(self, schema: Schema, value: Value, scope: _Scope) -> bool:
        """Whether nothing is wrong with a value."""
        return not self.findings(schema, value, scope)

    def _entered(self, schema: Schema, scope: _Scope) -> _Scope:
        """Return the scope inside a schema: a name means what it meant further out."""
        self.work.spend(len(schema.anchors) + len(scope))
        known = dict(scope)
        new = (anchor for anchor in schema.anchors.items() if anchor[0] not in known)
        return (*scope, *new)

    def found(
        self, value: Value, code: ProblemCode, expected: Iterable[str], rest: str | None = None
    ) -> list[Finding]:
        """Return what is wrong with a value itself."""
        path = value.path
        self.work.spend(len(path) // 4)
        rest = f", got {came(value.data)}" if rest is None else rest
        return [Finding(path, code, tuple(expected), rest)]

    def missing(self, schema: Schema, value: Value, name: str) -> list[Finding]:
        """Return that a member is missing."""
        path = value.path + pointer([name])
        self.work.spend(len(path) // 4)
        declared = schema.arguments.get("properties", {}).get(name, _UNKNOWN)
        return [Finding(path, "missing-arg", declared.kinds, declared.description)]

    # -- Members and items that are evaluated -----------------------------------------------

    def evaluated(self, schema: Schema, value: Value, scope: _Scope) -> frozenset[str | int]:
        """Return the members or items that the keywords of a schema evaluate.

        Those of its `unevaluatedProperties` and `unevaluatedItems` are left out.
        """
        key = schema, value, scope
        known = self._evaluated.get(key)
        if known is None:
            self.work.spend(1 + value.size)
            own = self._members if value.kind == "object" else self._items
            found = set(own(schema, value, scope))
            for inner in self._applied(schema, value, scope):
                found.update(self._all_evaluated(inner, value, scope))
            known = self._evaluated[key] = frozenset(found)
        return known

    def _all_evaluated(self, schema: Schema, value: Value, scope: _Scope) -> Iterable[str | int]:
        self.work.spend(1 + value.size)
        rest = "unevaluatedProperties" if value.kind == "object" else "unevaluatedItems"
        if rest in schema.arguments:
            return list(value.data) if value.kind == "object" else range(value.size)
        return self.evaluated(schema, value, self._entered(schema, scope))

    def _members(self, schema: Schema, value: Value, _: _Scope) -> Iterable[str | int]:
        if "additionalProperties" in schema.arguments:
            return list(value.data)
        return (name for name in value.data if schema.declares(name, self.work))

    def _items(self, schema: Schema, value: Value, scope: _Scope) -> Iterable[str | int]:
        if "items" in schema.arguments:
            return range(value.size)
        listed = min(len(schema.arguments.get("prefixItems", ())), value.size)
        if "contains" not in schema.arguments:
            return range(listed)
        contained = schema.arguments["contains"]
        others = range(listed, value.size)
        fitting = (index for index in others if self.fits(contained, self.at(value, index), scope))
        return chain(range(listed), fitting)

    def _applied(self, schema: Schema, value: Value, scope: _Scope) -> Iterator[Schema]:
        """Yield the schemas that a schema applies to the value itself and whose word counts.

        These are all that the value has to fit.  Of those between which there is a choice they are
        the ones that it fits, and all where it fits none: what is in them is not unknown.
        """
        said = schema.arguments
        if "$ref" in said:
            yield said["$ref"]
        if "$dynamicRef" in said:
            yield _meant(said["$dynamicRef"], scope)
        yield from said.get("allOf", ())
        for keyword in ("anyOf", "oneOf"):
            branches = said.get(keyword, ())
            yield from [each for each in branches if self.fits(each, value, scope)] or branches
        if "if" in said:
            if self.fits(said["if"], value, scope):
                yield said["if"]
            yield from self.chosen(schema, value, scope)
        for name, inner in said.get("dependentSchemas", {}).items():
            if value.kind == "object" and name in value.data:
                yield inner

    def chosen(self, schema: Schema, value: Value, scope: _Scope) -> list[Schema]:
        """Return the schema in `then` or `else`, whichever is applied, if it is there."""
        branch = "then" if self.fits(schema.arguments["if"], value, scope) else "else"
        return [schema.arguments[branch]] if branch in schema.arguments else []


_UNKNOWN: Final = Schema(True)


def _meant(reference: tuple[Schema, str], scope: _Scope) -> Schema:
    """Return where a `$dynamicRef` leads."""
    first, name = reference
    return dict(scope).get(name, first)


# --- Rules: a value by itself -------------------------------------------------------------------


def _nothing(judge: Judge, schema: Schema, _: Any, value: Value, __: _Scope) -> list[Finding]:
    if schema.owner:
        return judge.found(value, "unexpected-arg", schema.owner.known, "")
    return judge.found(value, "bad-value", [expected_by("false", None)])


def _type(judge: Judge, _: Schema, names: Any, value: Value, __: _Scope) -> Iterable[Finding]:
    if value.kind in names or ("integer" in names and _is_integer(value)):
        return ()
    return judge.found(value, "bad-type", names)


def _is_integer(value: Value) -> bool:
    return value.kind == "number" and value.data == value.data // 1


def _listed(judge: Judge, _: Schema, listed: Any, value: Value, __: _Scope) -> Iterable[Finding]:
    forms, expected = listed
    form = _form(value.data)
    judge.work.spend(len(form) // 16)
    return () if form in forms else judge.found(value, "not-in-enum", expected)


def _unless(keyword: str, holds: Callable[[Any, Any], bool]) -> _Rule:
    """Return the rule that a value is bad unless `holds(argument, value)`."""

    def rule(judge: Judge, _: Schema, limit: Any, value: Value, __: _Scope) -> Iterable[Finding]:
        if holds(limit, value.data):
            return ()
        return judge.found(value, "bad-value", [expected_by(keyword, limit)])

    return rule


def _pattern(
    judge: Judge, schema: Schema, matcher: Matcher, value: Value, _: _Scope
) -> Iterable[Finding]:
    if matcher(value.data, judge.work):
        return ()
    return judge.found(value, "bad-value", [expected_by("pattern", schema.source["pattern"])])


def _unique(judge: Judge, _: Schema, unique: Any, value: Value, __: _Scope) -> Iterable[Finding]:
    forms = [_form(item) for item in value.data] if unique else []
    judge.work.spend(sum(map(len, forms)) // 16 + len(forms))
    if len(set(forms)) == len(forms):
        return ()
    return judge.found(value, "bad-value", [expected_by("uniqueItems", unique)])


def _required(
    judge: Judge, schema: Schema, names: Collection[str], value: Value, _: _Scope
) -> list[Finding]:
    judge.work.spend(len(names))
    absent = (name for name in names if name not in value.data)
    return [each for name in absent for each in judge.missing(schema, value, name)]


def _dependent_required(
    judge: Judge, schema: Schema, others: Mapping[str, list[str]], value: Value, scope: _Scope
) -> list[Finding]:
    demanding = (others[name] for name in value.data if name in others)
    return [each for names in demanding for each in _required(judge, schema, names, value, scope)]


def _property_names(
    judge: Judge, schema: Schema, inner: Schema, value: Value, scope: _Scope
) -> list[Finding]:
    refused = [name for name in value.data if not judge.fits(inner, Value(name), scope)]
    members = (judge.at(value, name) for name in refused)
    return [
        each
        for member in members
        for each in judge.found(member, "unexpected-arg", schema.known, "")
    ]


def _too_many(
    judge: Judge, schema: Schema, inner: Schema, value: Value, _: _Scope
) -> Iterable[Finding]:
    listed = len(schema.arguments.get("prefixItems", ()))
    if inner.source is False and value.size > listed:
        return judge.found(value, "bad-value", [expected_by("items", listed)])
    return ()


def _contains(
    judge: Judge, schema: Schema, inner: Schema, value: Value, scope: _Scope
) -> Iterable[Finding]:
    count = sum(judge.fits(inner, judge.at(value, index), scope) for index in range(value.size))
    least = schema.arguments.get("minContains", 1)
    most = schema.arguments.get("maxContains", count)
    if least <= count <= most:
        return ()
    expected = expected_by("maxContains", most)
    if count < least:
        said = schema.source["contains"]
        expected = expected_by("minContains", least) if count else expected_by("contains", said)
    return judge.found(value, "bad-value", [expected])


def _unevaluated_items(
    judge: Judge, schema: Schema, inner: Schema, value: Value, scope: _Scope
) -> Iterable[Finding]:
    evaluated = judge.evaluated(schema, value, scope)
    rest = (index for index in range(value.size) if index not in evaluated)
    if all(judge.fits(inner, judge.at(value, index), scope) for index in rest):
        return ()
    return judge.found(value, "bad-value", [expected_by("unevaluatedItems", None)])


def _not(judge: Judge, _: Schema, inner: Schema, value: Value, scope: _Scope) -> Iterable[Finding]:
    if judge.fits(inner, value, scope):
        return judge.found(value, "bad-value", [expected_by("not", inner.source)])
    return ()


def _judged_by_each(
    judge: Judge, inner: list[Schema], value: Value, scope: _Scope
) -> list[_Findings]:
    branches: list[_Findings] = []
    for schema in inner:  # A comprehension would be one more call on the way down.
        branches.append(judge.findings(schema, value, scope))  # noqa: PERF401
    return branches


def _any_of(
    judge: Judge, _: Schema, inner: list[Schema], value: Value, scope: _Scope
) -> Iterable[Finding]:
    branches = _judged_by_each(judge, inner, value, scope)
    return () if () in branches else _none_of(judge, inner, branches, value)


def _one_of(
    judge: Judge, _: Schema, inner: list[Schema], value: Value, scope: _Scope
) -> Iterable[Finding]:
    branches = _judged_by_each(judge, inner, value, scope)
    if branches.count(()) > 1:
        return judge.found(value, "bad-value", [expected_by("oneOf", None)])
    return () if () in branches else _none_of(judge, inner, branches, value)


def _none_of(
    judge: Judge, inner: list[Schema], branches: list[_Findings], value: Value
) -> Iterable[Finding]:
    """Return what it means that a value fits none of several schemas."""
    judge.work.spend(sum(map(len, branches)) + len(value.path) // 4)
    pairs = zip(inner, branches, strict=True)
    said = [branch for schema, branch in pairs if schema.source is not False]
    if not said:
        return judge.found(value, "bad-value", [expected_by("false", None)])
    return alternatives(value.path, value.data, said)


# --- Rules: which schemas judge which values ------------------------------------------------------

_Applied = Iterable[tuple[Schema, Value]]


def _properties(
    judge: Judge, _: Schema, inner: Mapping[str, Schema], value: Value, __: _Scope
) -> _Applied:
    return [(inner[name], judge.at(value, name)) for name in value.data if name in inner]


def _pattern_properties(judge: Judge, schema: Schema, _: Any, value: Value, __: _Scope) -> _Applied:
    return [
        (inner, judge.at(value, name))
        for name in value.data
        for inner in schema.patterns_of(name, judge.work)
    ]


def _additional_properties(
    judge: Judge, schema: Schema, inner: Schema, value: Value, _: _Scope
) -> _Applied:
    rest = (name for name in value.data if not schema.declares(name, judge.work))
    return [(inner, judge.at(value, name)) for name in rest]


def _unevaluated_properties(
    judge: Judge, schema: Schema, inner: Schema, value: Value, scope: _Scope
) -> _Applied:
    evaluated = judge.evaluated(schema, value, scope)
    return [(inner, judge.at(value, name)) for name in value.data if name not in evaluated]


def _items(judge: Judge, schema: Schema, inner: Schema, value: Value, _: _Scope) -> _Applied:
    if inner.source is False:
        return ()
    listed = len(schema.arguments.get("prefixItems", ()))
    return [(inner, judge.at(value, index)) for index in range(listed, value.size)]


def _prefix_items(
    judge: Judge, _: Schema, inner: list[Schema], value: Value, __: _Scope
) -> _Applied:
    return [(each, judge.at(value, index)) for index, each in enumerate(inner[: value.size])]


def _reference(_: Judge, __: Schema, target: Schema, value: Value, ___: _Scope) -> _Applied:
    return [(target, value)]


def _dynamic_reference(
    _: Judge, __: Schema, reference: tuple[Schema, str], value: Value, scope: _Scope
) -> _Applied:
    return [(_meant(reference, scope), value)]


def _all_of(_: Judge, __: Schema, inner: list[Schema], value: Value, ___: _Scope) -> _Applied:
    return [(each, value) for each in inner]


def _if(judge: Judge, schema: Schema, _: Any, value: Value, scope: _Scope) -> _Applied:
    return [(each, value) for each in judge.chosen(schema, value, scope)]


def _dependent_schemas(
    _: Judge, __: Schema, inner: Mapping[str, Schema], value: Value, ___: _Scope
) -> _Applied:
    return [(inner[name], value) for name in value.data if name in inner]


def _is_multiple(step: Any, number: Any) -> bool:
    return not _decimal(number) % _decimal(step)


#: The kind of values that each keyword judges, and how.
_RULES: Final[Mapping[str, tuple[str, _Rule]]] = {
    "false": ("any", _nothing),
    "type": ("any", _type),
    "enum": ("any", _listed),
    "const": ("any", _listed),
    "maxLength": ("string", _unless("maxLength", lambda most, text: len(text) <= most)),
    "minLength": ("string", _unless("minLength", lambda least, text: len(text) >= least)),
    "pattern": ("string", _pattern),
    "maximum": ("number", _unless("maximum", lambda most, number: number <= most)),
    "minimum": ("number", _unless("minimum", lambda least, number: number >= least)),
    "exclusiveMaximum": ("number", _unless("exclusiveMaximum", lambda end, number: number < end)),
    "exclusiveMinimum": ("number", _unless("exclusiveMinimum", lambda end, number: number > end)),
    "multipleOf": ("number", _unless("multipleOf", _is_multiple)),
    "maxItems": ("array", _unless("maxItems", lambda most, items: len(items) <= most)),
    "minItems": ("array", _unless("minItems", lambda least, items: len(items) >= least)),
    "uniqueItems": ("array", _unique),
    "maxProperties": ("object", _unless("maxProperties", lambda most, names: len(names) <= most)),
    "minProperties": ("object", _unless("minProperties", lambda least, names: len(names) >= least)),
    "required": ("object", _required),
    "dependentRequired": ("object", _dependent_required),
    "propertyNames": ("object", _property_names),
    "items": ("array", _too_many),
    "contains": ("array", _contains),
    "unevaluatedItems": ("array", _unevaluated_items),
    "not": ("any", _not),
    "anyOf": ("any", _any_of),
    "oneOf": ("any", _one_of),
}

_APPLICATIONS: Final[Mapping[str, tuple[str, _Application]]] = {
    "properties": ("object", _properties),
    "patternProperties": ("object", _pattern_properties),
    "additionalProperties": ("object", _additional_properties),
    "unevaluatedProperties": ("object", _unevaluated_properties),
    "items": ("array", _items),
    "prefixItems": ("array", _prefix_items),
    "$ref": ("any", _reference),
    "$dynamicRef": ("any", _dynamic_reference),
    "allOf": ("any", _all_of),
    "if": ("any", _if),
    "dependentSchemas": ("object", _dependent_schemas),
}
