# SPDX-License-Identifier: MIT
"""The keywords of draft 2020-12: those of `jsonschema`, wrapped, and a few of our own.

Work is counted before a keyword runs, and its errors become findings, which a model can act on.
Some keywords of the library are replaced:

- `pattern`, `patternProperties`, `additionalProperties`: the library matches patterns with `re`;
- `uniqueItems`: the library compares every item with every other;
- `multipleOf`: the library divides doubles, but 19.99 is a multiple of 0.01;
- `type`, `required`, `items` and those that compare two numbers: the library takes longer for them
  than for everything else in a call;
- `properties`, `propertyNames`: the library does not report which member `false` forbids;
- `unevaluatedProperties`, `unevaluatedItems`: the same, and here the declarations of a schema count
  even if the value violates it.
"""

import json
import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, Final

from .evaluated import evaluated_by
from .problems import (
    Finding,
    alternatives,
    canonical,
    description_of,
    first_few,
    is_array,
    is_object,
    kinds_of,
    received,
    shown,
)
from .validation import TEXT, VALIDATION, Keyword, Validation, finding_of, target_of, violation

# --- Keywords of the library, wrapped -----------------------------------------------------------

#: Makes a keyword's findings from the error, the keyword's argument, the value and the schema.
_Describe = Callable[[Validation, Any, Any, Any, Any], Iterable[Finding]]


def _size(value: Any) -> int:
    return len(value) if is_array(value) or is_object(value) else 0


def _counted(keyword: Keyword) -> Keyword:
    """Return a keyword that applies schemas, which report what is wrong."""

    def checked(validator: Any, argument: Any, value: Any, schema: Any) -> Iterable[Any]:
        VALIDATION.get().work.spend(1 + _size(argument))
        return keyword(validator, argument, value, schema)

    return checked


def _asserted(name: str, keyword: Keyword, describe: _Describe) -> Keyword:
    """Return a keyword that applies no other schema; `describe` returns its findings."""

    def checked(validator: Any, argument: Any, value: Any, schema: Any) -> Iterable[Any]:
        validation = VALIDATION.get()
        if name == "enum" and type(value) is str and value in argument:
            return ()
        validation.work.spend(1 + _size(argument) + (_size(value) if name == "contains" else 0))
        if _size(value) and name in ("enum", "const"):
            validation.work.spend(validation.length(argument) // TEXT)
        error = next(iter(keyword(validator, argument, value, schema)), None)
        if error is None:
            return ()
        # The error's message contains the whole value.
        validation.work.spend(len(error.message) // TEXT)
        return [
            validation.error(each) for each in describe(validation, error, argument, value, schema)
        ]

    return checked


def _enum(validation: Validation, _: Any, values: Any, value: Any, __: Any) -> list[Finding]:
    expected = validation.expected(values, lambda allowed: map(shown, allowed))
    return [Finding((), "not-in-enum", expected, f", got {received(value)}")]


def _const(_: Validation, __: Any, only: Any, value: Any, ___: Any) -> list[Finding]:
    return [Finding((), "not-in-enum", (shown(only),), f", got {received(value)}")]


def _required(
    validation: Validation, _: Any, names: Collection[str], value: Any, schema: Any
) -> Iterator[Finding]:
    declared = schema.get("properties", {})
    for name in names:
        if name not in value:
            inner = declared.get(name)
            expected = validation.expected(inner, kinds_of) if is_object(inner) else ()
            yield Finding((name,), "missing-arg", expected, description_of(inner))


def _dependent_required(
    validation: Validation, error: Any, others: Mapping[str, list[str]], value: Any, schema: Any
) -> Iterator[Finding]:
    for name in others.keys() & value.keys():
        yield from _required(validation, error, others[name], value, schema)


def _contains(_: Validation, error: Any, argument: Any, value: Any, __: Any) -> list[Finding]:
    if error.validator in ("minContains", "maxContains"):
        return [violation(error.validator, error.validator_value, value)]
    return [violation("contains", argument, value)]


def _not(_: Validation, __: Any, argument: Any, value: Any, ___: Any) -> list[Finding]:
    return [violation("not", argument, value)]


_DESCRIBERS: Final[Mapping[str, _Describe]] = {
    "enum": _enum,
    "const": _const,
    "dependentRequired": _dependent_required,
    "contains": _contains,
    "not": _not,
}


def _alternatives(name: str, keyword: Keyword) -> Keyword:
    """Return `anyOf` or `oneOf`, whose errors contain those of the branches."""

    def checked(validator: Any, branches: Any, value: Any, schema: Any) -> Iterable[Any]:
        validation = VALIDATION.get()
        validation.work.spend(1 + len(branches))
        kind = value.__class__
        if name == "anyOf" and any(validation.rules.fits(each, kind) for each in branches):
            return ()
        error = next(iter(keyword(validator, branches, value, schema)), None)
        if error is None:
            return ()
        validation.work.spend(len(error.message) // TEXT + len(error.context))
        found: dict[int, list[Finding]] = {}
        for each in error.context:
            # A branch that is `false` has no keyword, and is left out.
            if each.schema_path:
                found.setdefault(each.schema_path[0], []).append(finding_of(each))
        if found:
            return map(validation.error, alternatives(value, list(found.values())))
        broken = "false" if error.context else "oneOf"
        return [validation.error(violation(broken, None, value))]

    return checked


def _reference(name: str) -> Keyword:
    """Return `$ref` or `$dynamicRef`, which apply a schema to the same value only once."""

    def checked(validator: Any, reference: Any, value: Any, schema: Any) -> Iterable[Any]:
        validation = VALIDATION.get()
        validation.work.spend(2)
        key = name, id(schema), id(value), validation.way(validator)
        found = validation.found.get(key)
        if found is None:
            target, resolver = target_of(validation, validator, reference, key[:2])
            errors = validator.descend(value, target, resolver=resolver)
            found = validation.found[key] = tuple(dict.fromkeys(map(finding_of, errors)))
        return map(validation.error, found)

    return checked


# --- Keywords of our own ------------------------------------------------------------------------
#
# They are called only with values of the type that they apply to.


def _bound(name: str, is_broken: Callable[[Any, Any], bool]) -> Keyword:
    """Return a keyword that compares a value with a bound."""

    def checked(_: Any, bound: Any, value: Any, __: Any) -> Iterable[Any]:
        if not is_broken(value, bound):
            return ()
        return [VALIDATION.get().error(violation(name, bound, value))]

    return checked


def _type(validator: Any, names: Any, value: Any, _: Any) -> Iterable[Any]:
    expected = (names,) if isinstance(names, str) else tuple(names)
    if any(validator.is_type(value, name) for name in expected):
        return ()
    return [VALIDATION.get().error(Finding((), "bad-type", expected, f", got {received(value)}"))]


def _is_shorter(value: Any, length: float) -> bool:
    return len(value) < length


def _is_longer(value: Any, length: float) -> bool:
    return len(value) > length


def _require(_: Any, names: list[str], value: Any, schema: Any) -> Iterable[Any]:
    validation = VALIDATION.get()
    validation.work.spend(1 + len(names))
    if all(name in value for name in names):
        return ()
    return map(validation.error, _required(validation, None, names, value, schema))


def _properties(validator: Any, properties: Any, value: Any, schema: Any) -> Iterable[Any]:
    VALIDATION.get().work.spend(1 + len(value))
    errors: list[Any] = []
    for name in value:
        if name in properties:
            errors += _member(validator, name, properties[name], value, schema)
    return errors


def _pattern_properties(validator: Any, patterns: Any, value: Any, schema: Any) -> Iterator[Any]:
    validation = VALIDATION.get()
    for name in value:
        for pattern, inner in patterns.items():
            if validation.matches(pattern, name):
                yield from _member(validator, name, inner, value, schema)


def _additional_properties(validator: Any, inner: Any, value: Any, schema: Any) -> Iterable[Any]:
    validation = VALIDATION.get()
    validation.work.spend(1 + len(value))
    declared = schema.get("properties", ())
    errors: list[Any] = []
    for name in value:
        if name not in declared and not validation.declares(schema, name):
            errors += _member(validator, name, inner, value, schema)
    return errors


def _items(validator: Any, inner: Any, value: Any, schema: Any) -> Iterable[Any]:
    validation = VALIDATION.get()
    first = len(schema.get("prefixItems", ()))
    if inner is False:
        return [validation.error(violation("items", first, value))] if len(value) > first else ()
    validation.work.spend(1 + len(value))
    errors: list[Any] = []
    for index in range(first, len(value)):
        errors += validator.descend(value[index], inner, path=index)
    return errors


def _unevaluated_properties(validator: Any, inner: Any, value: Any, schema: Any) -> Iterator[Any]:
    evaluated = evaluated_by(VALIDATION.get(), validator, value)
    for name in value:
        if name not in evaluated:
            yield from _member(validator, name, inner, value, schema)


def _member(
    validator: Any, name: str, inner: Any, value: Mapping[str, Any], schema: Any
) -> Iterable[Any]:
    """Return what is wrong with a member by the schema `inner`, which may forbid its presence."""
    if inner is False:
        return [VALIDATION.get().error(_unexpected(name, schema))]
    errors: Iterable[Any] = validator.descend(value[name], inner, path=name)
    return errors


def _unexpected(name: str, schema: Mapping[str, Any]) -> Finding:
    known = (each for each, inner in schema.get("properties", {}).items() if inner is not False)
    return Finding((name,), "unexpected-arg", first_few(known), "")


def _property_names(validator: Any, inner: Any, value: Any, schema: Any) -> Iterator[Any]:
    validation = VALIDATION.get()
    validation.work.spend(1 + len(value))
    for name in value:
        if any(True for _ in validator.descend(name, inner)):
            yield validation.error(_unexpected(name, schema))


def _unevaluated_items(validator: Any, inner: Any, value: Any, _: Any) -> Iterator[Any]:
    validation = VALIDATION.get()
    evaluated = evaluated_by(validation, validator, value)
    rest = (item for index, item in enumerate(value) if index not in evaluated)
    if any(True for item in rest for _ in validator.descend(item, inner)):
        yield validation.error(violation("unevaluatedItems", None, value))


def _pattern(_: Any, pattern: Any, value: Any, __: Any) -> Iterable[Any]:
    validation = VALIDATION.get()
    return (
        ()
        if validation.matches(pattern, value)
        else [validation.error(violation("pattern", pattern, value))]
    )


def _unique_items(_: Any, is_unique: Any, value: Any, __: Any) -> Iterator[Any]:
    if is_unique:
        validation = VALIDATION.get()
        forms: set[str] = set()
        for item in value:
            form = _form(item)
            validation.work.spend(1 + len(form) // TEXT)
            forms.add(form)
        if len(forms) < len(value):
            yield validation.error(violation("uniqueItems", is_unique, value))


def _form(value: Any) -> str:
    """Return a text that is the same for two values if and only if JSON Schema calls them equal."""
    if type(value) in (str, int):
        return json.dumps(value)
    return canonical(json.dumps(value, default=repr))


def _multiple_of(_: Any, step: Any, value: Any, __: Any) -> Iterator[Any]:
    validation = VALIDATION.get()
    validation.work.spend(1)
    if _decimal(value) % _decimal(step):
        yield validation.error(violation("multipleOf", step, value))


def _decimal(number: Any) -> Fraction:
    """Return the exact value of a number as written; the double nearest to 0.1 is not a tenth."""
    return Fraction(str(number)) if isinstance(number, float) else Fraction(number)


_OWN: Final[Mapping[str, Keyword]] = {
    **{
        name: _bound(name, is_broken)
        for name, is_broken in (
            ("minimum", operator.lt),
            ("maximum", operator.gt),
            ("exclusiveMinimum", operator.le),
            ("exclusiveMaximum", operator.ge),
            *((f"min{what}", _is_shorter) for what in ("Length", "Items", "Properties")),
            *((f"max{what}", _is_longer) for what in ("Length", "Items", "Properties")),
        )
    },
    "type": _type,
    "required": _require,
    "items": _items,
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "unevaluatedProperties": _unevaluated_properties,
    "propertyNames": _property_names,
    "unevaluatedItems": _unevaluated_items,
    "pattern": _pattern,
    "uniqueItems": _unique_items,
    "multipleOf": _multiple_of,
}


def wrapped(name: str, keyword: Keyword) -> Keyword:
    """Return our own keyword of this name, or else the library's, wrapped."""
    if name in _OWN:
        return _OWN[name]
    if name in _DESCRIBERS:
        return _asserted(name, keyword, _DESCRIBERS[name])
    if name in ("$ref", "$dynamicRef"):
        return _reference(name)
    return _alternatives(name, keyword) if name in ("anyOf", "oneOf") else _counted(keyword)
