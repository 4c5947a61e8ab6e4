# SPDX-License-Identifier: MIT
"""The JSON Schemas of arguments: made self-contained when built, their failures as problems.

A schema is read as draft 2020-12.  Before it is used every reference in it is resolved, so that
later nothing can be missing, nothing is fetched, and no reference leads round in a circle.
`jsonschema` does the validating; it is passed in, and this module does not import it.
"""

import copy
import functools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from itertools import chain
from types import ModuleType, NoneType
from typing import Any, Final, Literal, NamedTuple, Protocol, TypedDict, TypeGuard
from urllib.parse import unquote, urljoin

#: The draft that every schema is read as.
DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"

#: Where a schema holds other schemas: as a value, in an array, in an object.
_ONE: Final = (
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
)
_ARRAY: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_OBJECT: Final = ("$defs", "definitions", "dependentSchemas", "patternProperties", "properties")
#: The keywords among them whose schemas judge the same value, and no part of it.
_IN_PLACE: Final = frozenset(
    {"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"}
)
_REFERENCES: Final = ("$ref", "$dynamicRef")


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    """Whether a JSON value is an object."""
    return isinstance(value, dict)


def pointer(steps: Iterable[str | int]) -> str:
    """Return the JSON Pointer that takes `steps`."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


# --- Self-contained schemas ---------------------------------------------------------------------


class Resource(NamedTuple):
    """A schema that needs nothing outside itself."""

    root: dict[str, Any]
    #: All schemas in it, by JSON Pointer, and where the `$ref` of each leads.
    schemas: dict[str, Any]
    targets: dict[str, str]
    #: What is read otherwise than it was written.
    warnings: list[str]


def localised(schema: Mapping[str, Any], uri: str) -> Resource:
    """Return `schema` as a resource called `uri`.

    `schema` is valid by the metaschema.  `ValueError`, with a JSON Pointer, for a reference that
    leads nowhere or out of the schema, for references that go round in a circle without going into
    the value, for a name that is given twice, and for a pattern that is none.
    """
    root = copy.deepcopy(dict(schema))
    index = _Index(root, uri)
    judges = {place: index.connect(place) for place in index.nodes}
    try:
        TopologicalSorter(judges).prepare()
    except CycleError as error:
        circle = " -> ".join(map(repr, reversed(error.args[1])))
        raise ValueError(f"references go round in a circle: {circle}") from None
    return Resource(root, index.nodes, index.targets, index.warnings)


class _Index:
    """Every schema inside a schema, by JSON Pointer, and the names that it can be called by."""

    def __init__(self, root: dict[str, Any], uri: str) -> None:
        self.nodes: dict[str, Any] = {}
        self.targets: dict[str, str] = {}
        self.warnings: list[str] = []
        #: What the references inside a place are relative to.
        self._bases: dict[str, str] = {}
        #: The place of each resource, by the URI that the schema gives it.
        self._resources: dict[str, str] = {}
        self._anchors: dict[tuple[str, str], str] = {}
        self._dynamic_anchors: dict[str, list[str]] = {}
        root.setdefault("$id", "")
        self._add("", root, "")
        # Schemas of several tools are put into one, so the names they chose must not meet.
        self._uris = {
            old: f"{uri}:{number}" if number else uri for number, old in enumerate(self._resources)
        }
        for old, place in self._resources.items():
            self.nodes[place]["$id"] = self._uris[old]

    def _add(self, place: str, node: Any, base: str) -> None:
        self.nodes[place] = node
        if not is_object(node):
            return
        if "$id" in node:
            base = self._add_resource(place, node["$id"], base)
        self._bases[place] = base
        self._drop_draft(place, node)
        self._add_anchors(place, node, base)
        for path, pattern in _patterns(node):
            _check_pattern(place + path, pattern)
        for path, child in _children(node):
            self._add(place + path, child, base)

    def _add_resource(self, place: str, identifier: str, base: str) -> str:
        uri, _ = _resolved(base, identifier)
        if uri in self._resources:
            raise ValueError(f"at {place + '/$id'!r}: {identifier!r} is the name of two schemas")
        self._resources[uri] = place
        return uri

    def _drop_draft(self, place: str, node: dict[str, Any]) -> None:
        draft = node.pop("$schema", DRAFT)
        if draft.rstrip("#") != DRAFT:
            self.warnings.append(f"at {place + '/$schema'!r}: {draft!r} is read as draft 2020-12")

    def _add_anchors(self, place: str, node: dict[str, Any], base: str) -> None:
        for keyword in ("$anchor", "$dynamicAnchor"):
            if keyword in node:
                name = node[keyword]
                if self._anchors.setdefault((base, name), place) != place:
                    where = f"{place}/{keyword}"
                    raise ValueError(f"at {where!r}: {name!r} is the anchor of two schemas")
        if "$dynamicAnchor" in node:
            self._dynamic_anchors.setdefault(node["$dynamicAnchor"], []).append(place)

    def connect(self, place: str) -> list[str]:
        """Return the places that judge the same value as `place`, references followed.

        The references are rewritten to the names that the resources have from here on.
        """
        node = self.nodes[place]
        if not is_object(node):
            return []
        children = (path for path, _ in _children(node) if path.split("/")[1] in _IN_PLACE)
        judges = [place + path for path in children]
        for keyword in _REFERENCES:
            if keyword in node:
                judges += self._follow(place, node, keyword)
        return judges

    def _follow(self, place: str, node: dict[str, Any], keyword: str) -> list[str]:
        """Return where a reference may lead, and rewrite it."""
        reference = node[keyword]
        uri, fragment = _resolved(self._bases[place], reference)
        where = f"at {place + '/' + keyword!r}: {reference!r}"
        if uri not in self._resources:
            raise ValueError(f"{where} is not part of this schema, and nothing is fetched")
        target = self._place(uri, fragment)
        if target not in self.nodes:
            raise ValueError(f"{where} leads to no schema")
        if keyword == "$ref":
            self.targets[place] = target
        if not reference.startswith("#"):
            node[keyword] = f"{self._uris[uri]}#{fragment}"
        # Which of the anchors of one name is meant depends on the way there, so take them all.
        return self._dynamic_anchors[fragment] if self._is_dynamic(target, fragment) else [target]

    def _place(self, uri: str, fragment: str) -> str | None:
        if fragment and not fragment.startswith("/"):
            return self._anchors.get((uri, fragment))
        return self._resources[uri] + unquote(fragment)

    def _is_dynamic(self, place: str, fragment: str) -> bool:
        return place in self._dynamic_anchors.get(fragment, ())


def _children(node: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the schemas directly inside a schema, each with its JSON Pointer from there."""
    for keyword in _ONE:
        if keyword in node:
            yield pointer([keyword]), node[keyword]
    for keyword in _ARRAY:
        for index, child in enumerate(node.get(keyword, ())):
            yield pointer([keyword, index]), child
    for keyword in _OBJECT:
        for name, child in node.get(keyword, {}).items():
            yield pointer([keyword, name]), child


def _resolved(base: str, reference: str) -> tuple[str, str]:
    """Return the URI of the resource that `reference` means, and the fragment in it."""
    uri, _, fragment = reference.partition("#")
    try:
        return urljoin(base, uri) if uri else base, fragment
    except ValueError:
        return reference, fragment  # No URI, so no schema here has this name.


def _patterns(node: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if "pattern" in node:
        yield "/pattern", node["pattern"]
    for pattern in node.get("patternProperties", ()):
        yield pointer(["patternProperties", pattern]), pattern


def _check_pattern(place: str, pattern: str) -> None:
    try:
        re.compile(pattern)
    except (re.error, OverflowError) as error:
        raise ValueError(f"at {place!r}: {pattern!r} is no pattern: {error}") from None


# --- Validators ---------------------------------------------------------------------------------


class Failure(Protocol):
    """What `jsonschema` says of one broken keyword."""

    validator: str | None
    validator_value: Any
    instance: Any
    schema: Any
    context: Sequence["Failure"]
    relative_schema_path: Sequence[str | int]

    @property
    def absolute_path(self) -> Sequence[str | int]:
        """Where the value stands."""
        ...


class Validator(Protocol):
    """A schema, ready to judge values."""

    def iter_errors(self, instance: Any) -> Iterator[Failure]:
        """Yield what is wrong with a value."""
        ...


def check_metaschema(jsonschema: ModuleType, registry: Any, schema: Mapping[str, Any]) -> None:
    """Raise `ValueError`, with a JSON Pointer, for what is no schema of draft 2020-12."""
    stock = jsonschema.Draft202012Validator
    failures = stock(stock.META_SCHEMA, registry=registry).iter_errors(schema)
    worst = jsonschema.exceptions.best_match(failures)
    if worst is not None:
        place = pointer(worst.absolute_path)
        raise ValueError(f"at {place!r} its schema is invalid: {_short(worst.message, 200)}")


@functools.cache  # Making a class compiles code, so it is made once.
def validator_class(jsonschema: ModuleType) -> Callable[..., Validator]:
    """Return the validator of draft 2020-12, changed so that each member has its own failure.

    The stock keywords on objects give one failure for several members, at the object.  These give
    one for each, at the member; and that of an item whose schema is `false` stands at the item.
    And `multipleOf` counts in decimal, so that 19.99 is a multiple of 0.01.
    """
    stock = jsonschema.Draft202012Validator
    failure = jsonschema.ValidationError
    witness: Final = object()

    def member(validator: Any, name: str, value: Any, subschema: Any) -> Iterator[Any]:
        if subschema is False:
            yield failure("unexpected", path=[name])
        else:
            yield from validator.descend(value, subschema, path=name)

    def properties(validator: Any, subschemas: Any, value: Any, _: Any) -> Iterator[Any]:
        for name in _names(value):
            if name in subschemas:
                yield from member(validator, name, value[name], subschemas[name])

    def pattern_properties(validator: Any, subschemas: Any, value: Any, _: Any) -> Iterator[Any]:
        for name in _names(value):
            for pattern, subschema in subschemas.items():
                if re.search(pattern, name):
                    yield from member(validator, name, value[name], subschema)

    def additional_properties(
        validator: Any, subschema: Any, value: Any, schema: Any
    ) -> Iterator[Any]:
        known = schema.get("properties", {})
        patterns = schema.get("patternProperties", ())
        for name in _names(value):
            if name not in known and not any(re.search(pattern, name) for pattern in patterns):
                yield from member(validator, name, value[name], subschema)

    def unevaluated_properties(
        validator: Any, subschema: Any, value: Any, schema: Any
    ) -> Iterator[Any]:
        # The stock keyword knows the names and keeps them; it applies its subschema to each, so
        # one that fails whatever the value is tells them.
        witnesses: list[Any] = []
        stock_keyword = stock.VALIDATORS["unevaluatedProperties"]
        list(stock_keyword(validator, {witness: witnesses}, value, schema))
        for seen in witnesses:
            name = seen.path[0]
            yield from member(validator, name, value[name], subschema)

    def bear_witness(_: Any, witnesses: list[Any], __: Any, ___: Any) -> Iterator[Any]:
        witnesses.append(failure("unevaluated"))
        yield witnesses[-1]

    def property_names(validator: Any, subschema: Any, value: Any, _: Any) -> Iterator[Any]:
        for name in _names(value):
            if any(validator.descend(name, subschema)):
                yield failure("unexpected", path=[name])

    def required(_: Any, names: Any, value: Any, __: Any) -> Iterator[Any]:
        if is_object(value):
            for name in names:
                if name not in value:
                    yield failure("missing", path=[name])

    def dependent_required(
        validator: Any, dependencies: Any, value: Any, schema: Any
    ) -> Iterator[Any]:
        for name in _names(value):
            yield from required(validator, dependencies.get(name, ()), value, schema)

    def prefix_items(validator: Any, subschemas: Any, value: Any, _: Any) -> Iterator[Any]:
        items = value if validator.is_type(value, "array") else ()
        for index, (item, subschema) in enumerate(zip(items, subschemas, strict=False)):
            if subschema is False:
                yield failure("unexpected", path=[index], instance=item)
            else:
                yield from validator.descend(item, subschema, path=index)

    def multiple_of(validator: Any, step: Any, value: Any, _: Any) -> Iterator[Any]:
        if validator.is_type(value, "number") and _decimal(value) % _decimal(step):
            yield failure("not a multiple")

    keywords = {
        witness: bear_witness,
        "properties": properties,
        "patternProperties": pattern_properties,
        "additionalProperties": additional_properties,
        "unevaluatedProperties": unevaluated_properties,
        "propertyNames": property_names,
        "required": required,
        "dependentRequired": dependent_required,
        "prefixItems": prefix_items,
        "multipleOf": multiple_of,
    }
    changed: Callable[..., Validator] = jsonschema.validators.extend(stock, keywords)
    return changed


def _names(value: Any) -> list[str]:
    return list(value) if is_object(value) else []


def _decimal(number: Any) -> Fraction:
    """Return a number as it is written; the double nearest to 0.1 is not a tenth."""
    return Fraction(str(number)) if isinstance(number, float) else Fraction(number)


# --- Failures as problems -----------------------------------------------------------------------

ProblemCode = Literal[
    "unknown-tool", "missing-arg", "unexpected-arg", "bad-type", "not-in-enum", "bad-value"
]


class Problem(TypedDict):
    """One thing that is wrong with a call."""

    #: What kind of problem it is.
    code: ProblemCode
    #: A JSON Pointer into the arguments; a missing or unexpected member's own.
    path: str
    #: For a model: what was expected, what came.
    message: str


_CODES: Final[Mapping[str | None, ProblemCode]] = {
    "required": "missing-arg",
    "dependentRequired": "missing-arg",
    "properties": "unexpected-arg",
    "patternProperties": "unexpected-arg",
    "additionalProperties": "unexpected-arg",
    "unevaluatedProperties": "unexpected-arg",
    "propertyNames": "unexpected-arg",
    "type": "bad-type",
    "enum": "not-in-enum",
    "const": "not-in-enum",
}

#: What the other keywords expect; the braces stand for the keyword's value.
_EXPECTED: Final[Mapping[str | None, str]] = {
    None: "nothing at all",
    "anyOf": "nothing at all",
    "contains": "an item that fits {}",
    "exclusiveMaximum": "a number below {}",
    "exclusiveMinimum": "a number above {}",
    "items": "at most {} items",
    "maxContains": "at most {} of the items that are counted",
    "maxItems": "at most {} items",
    "maxLength": "a length of at most {}",
    "maxProperties": "at most {} members",
    "maximum": "at most {}",
    "minContains": "at least {} of the items that are counted",
    "minItems": "at least {} items",
    "minLength": "a length of at least {}",
    "minProperties": "at least {} members",
    "minimum": "at least {}",
    "multipleOf": "a multiple of {}",
    "not": "a value that does not fit {}",
    "oneOf": "a value that fits only one of the alternatives",
    "pattern": "text that matches the pattern {}",
    "prefixItems": "nothing at all",
    "unevaluatedItems": "fewer items",
    "uniqueItems": "items that are all different",
}

#: How many values, names or alternatives a message lists, and how long one of them may be.
_MOST: Final = 20
_LENGTH: Final = 80


class _Finding(NamedTuple):
    """A problem whose message is still in parts."""

    path: str
    code: ProblemCode
    #: What would have been right: any of these.
    expected: Sequence[str]
    #: How the message ends.
    rest: str


def problems_of(failures: Iterable[Failure]) -> list[Problem]:
    """Return `failures` as problems, one for each path and code, in their order."""
    found: dict[tuple[str, ProblemCode], list[_Finding]] = {}
    for failure in failures:
        for finding in _findings(failure):
            found.setdefault((finding.path, finding.code), []).append(finding)
    mistyped = {path for path, code in found if code == "bad-type"}
    return [
        {"code": code, "path": path, "message": _message(findings)}
        for (path, code), findings in sorted(found.items())
        if code not in {"not-in-enum", "bad-value"} or path not in mistyped
    ]


def _findings(failure: Failure) -> list[_Finding]:
    keyword, value = failure.validator, failure.validator_value
    branches = _branches(failure) if keyword in {"anyOf", "oneOf"} else []
    if branches:
        return _alternatives(failure, branches)
    code: ProblemCode = _CODES.get(keyword, "bad-value")
    steps = failure.absolute_path
    rest = f", got {_came(failure.instance)}"
    if code == "missing-arg":
        missing = failure.schema.get("properties", {}).get(steps[-1], True)
        expected, rest = _kinds(missing), _description(missing)
    elif code == "unexpected-arg":
        expected, rest = list(failure.schema.get("properties", ())), ""
    elif code == "bad-type":
        expected = _type_names(value)
    elif code == "not-in-enum":
        expected = _values([value] if keyword == "const" else value)
    else:
        template = _EXPECTED.get(keyword, "a value that fits the schema")
        limit = len(failure.schema.get("prefixItems", ())) if keyword == "items" else value
        expected = [template.format(shown(limit))]
    return [_Finding(pointer(steps), code, expected, rest)]


def _branches(failure: Failure) -> list[list[_Finding]]:
    """Return what each branch of `anyOf` or `oneOf` finds; those that are `false` say nothing."""
    branches: dict[str | int, list[_Finding]] = {}
    for cause in failure.context:
        if cause.relative_schema_path:
            branch = branches.setdefault(cause.relative_schema_path[0], [])
            branch += _findings(cause)
    return list(branches.values())


def _alternatives(failure: Failure, branches: list[list[_Finding]]) -> list[_Finding]:
    """Return what it means that the value fits none of the branches."""
    here = pointer(failure.absolute_path)
    rest = f", got {_came(failure.instance)}"
    fitting = [branch for branch in branches if not _only(branch, here, "bad-type")]
    if not fitting:
        kinds = _only(chain(*branches), here, "bad-type")
        return [_Finding(here, "bad-type", _expected(kinds), rest)]
    if len(fitting) == 1:
        return fitting[0]
    if all(_only(branch, here, "not-in-enum") for branch in fitting):
        values = _only(chain(*fitting), here, "not-in-enum")
        return [_Finding(here, "not-in-enum", _expected(values), rest)]
    reasons = "; ".join(_short(_message(branch[:1]), 2 * _LENGTH) for branch in fitting[:_MOST])
    expected = f"a value that fits one of {len(fitting)} alternatives ({reasons})"
    return [_Finding(here, "bad-value", [expected], rest)]


def _only(findings: Iterable[_Finding], path: str, code: ProblemCode) -> list[_Finding]:
    return [each for each in findings if each.path == path and each.code == code]


def _expected(findings: Iterable[_Finding]) -> list[str]:
    return [text for finding in findings for text in finding.expected]


def _message(findings: Sequence[_Finding]) -> str:
    """Return one message for findings of one path and code."""
    path, code, known, rest = findings[0]
    path = _short(path, 2 * _LENGTH)
    if code == "unexpected-arg":
        return f"{path} is not expected" + (f"; known: {_listed(known, ', ')}" if known else "")
    wanted = [_listed(finding.expected, " or ") for finding in findings if finding.expected]
    expected = f": expected {_listed(wanted, ' and ')}" if wanted else ""
    return f"{path or 'the arguments'}{' is missing' * (code == 'missing-arg')}{expected}{rest}"


def _listed(texts: Iterable[str], joint: str) -> str:
    different = list(dict.fromkeys(texts))
    more = ["…"] if len(different) > _MOST else []
    return joint.join(different[:_MOST] + more)


def _kinds(schema: Any) -> list[str]:
    """Return what a schema expects, in few words; nothing where it does not say."""
    if not is_object(schema):
        return []
    if "const" in schema:
        return _values([schema["const"]])
    if "enum" in schema:
        return _values(schema["enum"])
    if "type" in schema:
        return _type_names(schema["type"])
    branches = schema.get("anyOf") or schema.get("oneOf") or ()
    return [kind for branch in branches for kind in _kinds(branch)]


def _type_names(names: str | list[str]) -> list[str]:
    return [names] if isinstance(names, str) else names


def _description(schema: Any) -> str:
    text = schema.get("description", "") if is_object(schema) else ""
    return f" ({_short(' '.join(text.split()), 2 * _LENGTH)})" if text else ""


def _values(values: Sequence[Any]) -> list[str]:
    return [shown(value) for value in values[: _MOST + 1]]


def _came(value: Any) -> str:
    """Return a value that came, with its type."""
    return shown(value) if value is None else f"{type_name(value)} {shown(value)}"


def type_name(value: Any) -> str:
    """Return the type of a JSON value, in the words of JSON Schema."""
    return next(name for kind, name in _TYPES if isinstance(value, kind))


#: bool stands before int, which it is a kind of.
_TYPES: Final = (
    (NoneType, "null"),
    (bool, "boolean"),
    (int, "integer"),
    (float, "number"),
    (str, "string"),
    (list, "array"),
    (dict, "object"),
    (object, "value"),
)


def shown(value: Any) -> str:
    """Return a value as JSON, shortened."""
    return _short(json.dumps(value, ensure_ascii=False, default=repr), _LENGTH)


def _short(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
