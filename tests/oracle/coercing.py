"""The types of arguments that are elements, and therefore text: as the schema declares them."""

import copy
import json
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

from .block import DEFAULT_LIMITS
from .json_block import is_json
from .keywords import is_same, types_of, values_of
from .schemas import SchemaPlace, Schemas, member_schemas
from .text import WHITE

#: Array, call and args are three levels; a bracket in an argument is the fourth.
ARGUMENT_DEPTH = 4

#: A type, or none, and the only values to which it applies, or all values.
Option = tuple[str | None, list[Any] | None]


# val-coerce-types tr-qwen-types tr-glm-types
# The dialects whose arguments are texts, with the texts that are the two booleans.
WORDS = {
    "xml-elements": {"true": True, "false": False},
    "glm-4.5": {"true": True, "false": False},
    "qwen3-coder": {"true": True, "false": False, "True": True, "False": False},
}

# tr-qwen-types tr-glm-types
# Those in which null comes before every other type, with the texts that are null.
NULLS = {"glm-4.5": ["null"], "qwen3-coder": ["null", "None"]}


# val-coerce val-coerce-misfit
# Each argument is converted from its text to the type that its schema declares, and nothing else
# is; no default is filled in.  Also returns the names of those that fit no type.
def coerce(
    schemas: Schemas, args: dict[str, Any], dialect: str
) -> tuple[dict[str, Any], list[str]]:
    converted: dict[str, Any] = {}
    misfits: list[str] = []
    for name, text in args.items():
        converted[name] = text
        options = options_of_argument(schemas, (), name)
        if isinstance(text, str) and options:
            fitting = values_that_fit(text, options, WORDS[dialect])
            if text in NULLS.get(dialect, []) and is_null(text, options):
                fitting = [None]
            if fitting:
                converted[name] = fitting[0]
            else:
                misfits.append(name)
    return converted, misfits


# val-bounded
# The types that a schema declares are found once, however many references lead there.
def once(found_by: Callable[..., list[Option]]) -> Callable[..., list[Option]]:
    def remembered(schemas: Schemas, *where: Any) -> list[Option]:
        key = found_by.__name__, *where
        if key not in schemas.declared:
            schemas.declared[key] = found_by(schemas, *where)
        return schemas.declared[key]

    return remembered


# val-coerce val-coerce-where val-coerce-silent
# The types that the schemas of the arguments declare for the argument of this name; nothing where
# they have no schema for it.  Where a branch declares no type, text that fits no type may stay text.
@once
def options_of_argument(schemas: Schemas, place: SchemaPlace, name: str) -> list[Option]:
    schema = schemas.at[place]
    if isinstance(schema, bool):
        return []
    options: list[Option] = []
    for step in member_schemas(schema, name):
        options = both(options, options_of(schemas, (*place, *step)))
    for branches in applied_branches(schemas, place):
        of_branches = [options_of_argument(schemas, branch, name) for branch in branches]
        found = [option for each in of_branches for option in each if not is_silent(each)]
        if found and any(map(is_silent, of_branches)):
            found.append((None, None))
        options = both(options, found)
    return options


# val-coerce-silent
# What declares no type and lists no values says nothing.
def is_silent(options: list[Option]) -> bool:
    return all(option == (None, None) for option in options)


# val-coerce
# The schemas that a schema applies to the same value; of those in one group, one counts.
def applied_branches(schemas: Schemas, place: SchemaPlace) -> Iterator[list[SchemaPlace]]:
    schema = schemas.at[place]
    if "$ref" in schema:
        yield [schemas.reached(place, schema["$ref"])]
    for index in range(len(schema.get("allOf", []))):
        yield [(*place, "allOf", index)]
    for keyword in ("anyOf", "oneOf"):
        yield [(*place, keyword, index) for index in range(len(schema.get(keyword, [])))]


# val-coerce val-coerce-untyped val-coerce-branch
# A schema declares types by `type`, and through the schemas that it applies to the same value: one
# of the branches of `anyOf` or `oneOf`, and all other schemas.  None where it is `false`.
@once
def options_of(schemas: Schemas, place: SchemaPlace) -> list[Option]:
    schema = schemas.at[place]
    if isinstance(schema, bool):
        return [(None, None)] if schema else []
    listed = values_of(schema)
    kinds = types_of(schema) if "type" in schema else [None]
    options: list[Option] = [(kind, listed) for kind in kinds]
    for branches in applied_branches(schemas, place):
        found = [option for branch in branches for option in options_of(schemas, branch)]
        options = both(options, found)
    return options


# val-coerce-first
# Where two schemas apply, a type has to be declared by both.  Where no type is, or one schema
# declares none, the first schema that declares types counts.
def both(some: list[Option], others: list[Option]) -> list[Option]:
    found = [
        (kind, common_values(ones, theirs))
        for one, ones in some
        for other, theirs in others
        for kind in common_type(one, other)
    ]
    return found or some or others


# val-coerce-first
# Where both list values, those in both lists count.
def common_values(ones: list[Any] | None, theirs: list[Any] | None) -> list[Any] | None:
    if ones is None or theirs is None:
        return theirs if ones is None else ones
    return [each for each in ones if any(is_same(each, value) for value in theirs)]


# val-coerce-first
# Every integer is a number.
def common_type(one: str | None, other: str | None) -> list[str | None]:
    if one is None or one == other:
        return [other]
    if other is None:
        return [one]
    return ["integer"] if {one, other} == {"integer", "number"} else []


# tr-qwen-types tr-glm-types
# A text for null is null where null is declared and, if values are listed too, listed.  Where it is
# only listed, an earlier string counts.
def is_null(text: str, options: list[Option]) -> bool:
    if any(kind == "null" and (listed is None or None in listed) for kind, listed in options):
        return True
    for kind, listed in options:
        if kind in (None, "string") and (listed is None or text in listed):
            return False
        if kind is None and listed is not None and None in listed:
            return True
    return False


# val-coerce-first
# The first type that the text fits counts; a type that also lists values applies only to these.
# Text that fits a type but none of its values is converted to it, and validated in that form; values
# that are listed without a type come after the types then.
def values_that_fit(text: str, options: list[Option], words: dict[str, bool]) -> list[Any]:
    for kind, listed in options:
        for value in converted_to(kind, text, listed, words):
            if listed is None or any(is_same(value, each) for each in listed):
                return [value]
    ordered = sorted(options, key=lambda option: option[0] is None)
    return [value for kind, listed in ordered for value in converted_to(kind, text, listed, words)][
        :1
    ]


# val-coerce-types
# Returns the value of a text that fits, and nothing for one that does not.
def converted_to(
    kind: str | None, text: str, listed: list[Any] | None, words: dict[str, bool]
) -> list[Any]:
    if kind is None:
        return [untyped(text, listed or [], words)]
    if kind == "string":
        return [text]
    if kind == "boolean":
        return [words[text]] if text in words else []
    if kind == "null":
        return [None] if text == "null" else []
    if kind == "integer":
        is_integer = re.fullmatch(r"-?(0|[1-9][0-9]*)", text) and is_finite(text)
        return [whole(text)] if is_integer else []
    if kind == "number":
        number = re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", text)
        return [number_of(text)] if number and is_finite(text) else []
    values = json_values(text)
    return [value for value in values if isinstance(value, list if kind == "array" else dict)]


# val-coerce-untyped tr-qwen-types
# Without a type the value is the text, unless that is the JSON text of a listed value only; in
# `qwen3-coder` the JSON texts of truth values have another spelling too.
def untyped(text: str, listed: list[Any], words: dict[str, bool]) -> Any:
    if text not in [each for each in listed if isinstance(each, str)]:
        for value in [words[text]] if text in words else json_values(text):
            for each in listed:
                if is_same(value, each):
                    return copy.deepcopy(each)
    return text


# val-coerce-types
# A number without a near finite double fits no type.
def is_finite(text: str) -> bool:
    return math.isfinite(float(text))


# val-coerce-types
# The nearest double is finite, so the number of digits is small enough.
def whole(text: str) -> int:
    return int(text)


# val-coerce-types
# Only digits are an integer, whatever the type of the value.
def number_of(text: str) -> float:
    return float(text) if set(text) & set(".eE") else whole(text)


# val-coerce-types
# JSON by the rules of blocks, and white space around it.
def json_values(text: str) -> list[Any]:
    text = text.strip(WHITE)
    return [json.loads(text)] if is_json(text, DEFAULT_LIMITS, ARGUMENT_DEPTH) else []
