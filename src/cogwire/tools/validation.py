# SPDX-License-Identifier: MIT
"""The state of validation: caches for the schema and for the value, and the remaining work."""

import importlib
import json
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from types import NoneType
from typing import Any, Final

from .counting import Work
from .patterns import Matcher
from .problems import Finding, expected_by, first_few, is_object, received

#: The cost of a finding in steps, including its way up through the schemas.
_FOUND: Final = 20
#: Writing or comparing this many characters costs one step.
TEXT: Final = 64


#: The types of JSON Schema that every value of a Python type has.
_TYPES: Final[Mapping[type[object], frozenset[str]]] = {
    NoneType: frozenset({"null"}),
    bool: frozenset({"boolean"}),
    int: frozenset({"integer", "number"}),
    float: frozenset({"number"}),
    str: frozenset({"string"}),
    list: frozenset({"array"}),
    dict: frozenset({"object"}),
}
#: The type that a keyword applies to, if it accepts values of all other types.
_APPLIES_TO: Final[Mapping[str, str]] = {
    keyword: kind
    for kind, keywords in (
        ("number", "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf"),
        ("string", "minLength maxLength pattern"),
        ("array", "minItems maxItems uniqueItems prefixItems items contains unevaluatedItems"),
        ("object", "minProperties maxProperties required dependentRequired dependentSchemas"),
        ("object", "properties patternProperties additionalProperties unevaluatedProperties"),
        ("object", "propertyNames"),
    )
    for keyword in keywords.split()
}

#: A keyword: takes a validator, the keyword's argument, the value and the schema; returns errors.
Keyword = Callable[[Any, Any, Any, Any], Iterable[Any]]
#: A keyword with its argument.
Applied = tuple[Keyword, Any]


class Known:
    """The caches for the schema of one tool."""

    def __init__(
        self,
        keywords: Mapping[str, Keyword],
        matchers: Mapping[str, Matcher],
        *,
        is_dynamic: bool,
    ) -> None:
        self.matchers: Final = matchers
        #: Whether the target of a reference depends on the dynamic scope.
        self.is_dynamic: Final = is_dynamic
        # Keyed by the `id` of schemas and of lists of values, which live as long as the root does.
        #: The validators of schemas, unless they depend on the dynamic scope.
        self.validators: Final[dict[int, Any]] = {}
        self._keywords: Final = keywords
        #: The keywords of schemas that a value of each Python type may break.
        self._applied: Final[dict[tuple[int, type[object]], list[Applied]]] = {}
        #: The targets of references, unless they depend on the dynamic scope.
        self.targets: Final[dict[object, tuple[Any, Any]]] = {}
        #: What messages name as expected, for schemas and lists of values.
        self.expected: Final[dict[int, tuple[str, ...]]] = {}
        #: The lengths of lists of values, as JSON.
        self.lengths: Final[dict[int, int]] = {}

    def applied(self, schema: Mapping[str, Any], kind: type[object]) -> list[Applied]:
        """Return the keywords of a schema that some value of the Python type may break."""
        key = id(schema), kind
        found = self._applied.get(key)
        if found is None:
            found = self._applied[key] = [
                (self._keywords[name], argument)
                for name, argument in schema.items()
                if name in self._keywords and _may_break(name, argument, kind)
            ]
        return found

    def fits(self, schema: Any, kind: type[object]) -> bool:
        """Whether a schema certainly accepts every value of the Python type."""
        return schema is True or (is_object(schema) and not self.applied(schema, kind))


def _may_break(name: str, argument: Any, kind: type[object]) -> bool:
    # Programs may pass subclasses, too; `bool` precedes `int`, of which it is a subclass.
    types = next((_TYPES[each] for each in _TYPES if issubclass(kind, each)), frozenset[str]())
    if name == "type":
        return types.isdisjoint([argument] if isinstance(argument, str) else argument)
    checked = _APPLIES_TO.get(name)
    return checked is None or checked in types


class Error:
    """An error with the attributes that the library needs, which carries a finding upwards."""

    __slots__ = ("finding", "parent", "path", "schema_path")

    def __init__(self, finding: Finding) -> None:
        self.finding: Final = finding
        self.path: Final = deque(finding.path)
        self.schema_path: Final[deque[str | int]] = deque()
        self.parent: Any = None


class Validation:
    """The validation of one value: the remaining work, and what has been found so far."""

    __slots__ = ("evaluated", "found", "rules", "work")

    def __init__(self, rules: Known, work: Work) -> None:
        self.rules: Final = rules
        self.work: Final = work
        self.found: Final[dict[object, tuple[Finding, ...]]] = {}
        self.evaluated: Final[dict[object, frozenset[str | int]]] = {}

    def error(self, finding: Finding) -> "Error":
        """Return an error with the finding."""
        self.work.spend(_FOUND)
        return Error(finding)

    def matches(self, pattern: str, text: str) -> bool:
        """Whether a pattern matches somewhere in a text."""
        return self.rules.matchers[pattern](text, self.work)

    def declares(self, schema: Mapping[str, Any], name: str) -> bool:
        """Whether `properties` or `patternProperties` have a schema for a member."""
        return name in schema.get("properties", ()) or any(
            self.matches(pattern, name) for pattern in schema.get("patternProperties", ())
        )

    def way(self, validator: Any) -> object:
        """Return the dynamic scope of a schema, if its references may depend on it."""
        if not self.rules.is_dynamic:
            return None
        return tuple(uri for uri, _ in resolver_of(validator).dynamic_scope())

    def expected(self, value: Any, texts: Callable[[Any], Iterable[str]]) -> tuple[str, ...]:
        """Return what messages name as expected, for a schema or a list of values."""
        known = self.rules.expected.get(id(value))
        if known is None:
            known = self.rules.expected[id(value)] = first_few(texts(value))
        return known

    def length(self, values: Any) -> int:
        """Return the length of a list of values, as JSON."""
        known = self.rules.lengths.get(id(values))
        if known is None:
            known = self.rules.lengths[id(values)] = len(json.dumps(values))
        return known


VALIDATION: Final[ContextVar[Validation]] = ContextVar("VALIDATION")


def finding_of(error: Any) -> Finding:
    """Return the finding in an error, with the path that the error has collected."""
    finding: Finding = error.finding
    return Finding(tuple(error.path), finding.code, finding.expected, finding.rest)


def violation(keyword: str, argument: Any, value: Any) -> Finding:
    """Return the finding that a value violates a keyword, or the schema `false`."""
    return Finding((), "bad-value", (expected_by(keyword, argument),), f", got {received(value)}")


def resolver_of(validator: Any) -> Any:
    """Return the resolver of the references in a validator's schema."""
    # The library's own keywords use this private name, and there is no public one.
    return validator._resolver  # noqa: SLF001


def resource_of(schema: Any) -> Any:
    """Return a schema as a resource of `referencing`."""
    return importlib.import_module("referencing.jsonschema").DRAFT202012.create_resource(schema)


def target_of(
    validation: Validation, validator: Any, reference: str, key: object
) -> tuple[Any, Any]:
    """Return the schema that a reference leads to, and the resolver of the references there."""
    found = validation.rules.targets.get(key)
    if found is None:
        resolved = resolver_of(validator).lookup(reference)
        found = resolved.contents, resolved.resolver
        if not validation.rules.is_dynamic:
            validation.rules.targets[key] = found
    return found


def inside(validator: Any, schema: Any) -> Any:
    """Return the validator of a schema inside a schema."""
    if is_object(schema) and "$id" in schema:
        resolver = resolver_of(validator).in_subresource(resource_of(schema))
        return validator.evolve(schema=schema, _resolver=resolver)
    return validator.evolve(schema=schema)
