"""The keywords of a schema that validate a value by themselves, without another schema."""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from .block import pointer
from .patterns import is_found

#: A problem, before it is written: the path and the code.
Problem = tuple[str, str]


# val-bad-type val-not-in-enum val-missing-arg val-bad-value val-format
# A violated `type` is `bad-type`, `enum` and `const` are `not-in-enum`, a required member that is
# absent is `missing-arg` at the member, and everything else is `bad-value`.  `format` is ignored.
def own_problems(schema: dict[str, Any], value: Any, at: tuple[str, ...]) -> set[Problem]:
    found: set[Problem] = set()
    here = pointer(at)
    if "type" in schema and not any(has_type(value, name) for name in types_of(schema)):
        found.add((here, "bad-type"))
    listed = values_of(schema)
    if listed is not None and not any(is_same(value, each) for each in listed):
        found.add((here, "not-in-enum"))
    if isinstance(value, dict):
        for name in required_members(schema, value):
            if name not in value:
                found.add((pointer((*at, name)), "missing-arg"))
    if breaks_a_rule(schema, value):
        found.add((here, "bad-value"))
    return found


# val-missing-arg
# `required`, and `dependentRequired` of the members that are present.
def required_members(schema: dict[str, Any], value: dict[str, Any]) -> Iterator[str]:
    yield from schema.get("required", [])
    for name, others in schema.get("dependentRequired", {}).items():
        if name in value:
            yield from others


# val-bad-value
# Each keyword applies to values of one type, and accepts all others.
def breaks_a_rule(schema: dict[str, Any], value: Any) -> bool:
    if isinstance(value, str):
        return breaks_length(schema, "Length", len(value)) or (
            "pattern" in schema and not is_found(schema["pattern"], value)
        )
    if isinstance(value, list):
        return breaks_length(schema, "Items", len(value)) or (
            schema.get("uniqueItems", False) and has_duplicates(value)
        )
    if isinstance(value, dict):
        return breaks_length(schema, "Properties", len(value))
    return is_number(value) and breaks_range(schema, value)


# val-bad-value
# The keywords that bound a length, both bounds included.
def breaks_length(schema: dict[str, Any], what: str, length: int) -> bool:
    return not schema.get("min" + what, 0) <= length <= schema.get("max" + what, length)


# val-bad-value val-decimal
# The keywords that bound a number, and `multipleOf`.
def breaks_range(schema: dict[str, Any], value: float) -> bool:
    exact = decimal(value)
    return (
        ("minimum" in schema and exact < decimal(schema["minimum"]))
        or ("maximum" in schema and exact > decimal(schema["maximum"]))
        or ("exclusiveMinimum" in schema and exact <= decimal(schema["exclusiveMinimum"]))
        or ("exclusiveMaximum" in schema and exact >= decimal(schema["exclusiveMaximum"]))
        or ("multipleOf" in schema and exact % decimal(schema["multipleOf"]) != 0)
    )


# val-decimal
# Numbers are compared in decimal, as they are written.
def decimal(number: float) -> Fraction:
    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))


# val-bad-value
# `uniqueItems`: no two items are the same.
def has_duplicates(items: list[Any]) -> bool:
    return any(
        is_same(one, other) for index, one in enumerate(items) for other in items[index + 1 :]
    )


# val-bad-type
# `type` is one name or an array of them.
def types_of(schema: dict[str, Any]) -> list[Any]:
    kinds = schema["type"]
    return [kinds] if isinstance(kinds, str) else kinds


# val-not-in-enum
# The values that a schema lists, in `enum`, `const` or both.
def values_of(schema: dict[str, Any]) -> list[Any] | None:
    if "const" in schema:
        constant = schema["const"]
        is_taken = any(is_same(constant, each) for each in schema.get("enum", [constant]))
        return [constant] if is_taken else []
    return schema.get("enum")


# val-bad-type
# `true` and `false` are not numbers.
def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


# val-bad-type
# `3.0` is an integer, `true` is not a number.
def has_type(value: Any, name: str) -> bool:
    if name == "integer":
        return is_number(value) and value == math.floor(value)
    return {
        "string": isinstance(value, str),
        "number": is_number(value),
        "boolean": isinstance(value, bool),
        "null": value is None,
        "array": isinstance(value, list),
        "object": isinstance(value, dict),
    }[name]


# val-not-in-enum
# Two JSON values are the same if their types and contents are, in any order of members; 1 is 1.0.
def is_same(one: Any, other: Any) -> bool:
    if is_number(one) and is_number(other):
        return bool(one == other)
    if type(one) is not type(other):
        return False
    if isinstance(one, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(is_same(one[name], other[name]) for name in one)
    return bool(one == other)
