# SPDX-License-Identifier: MIT
"""What is wrong with a call: problems, and their messages."""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from types import NoneType
from typing import Any, Final, Literal, NamedTuple, TypedDict

from ..text import is_array, is_object, pointer, shorten

ProblemCode = Literal[
    "unknown-tool",
    "missing-arg",
    "unexpected-arg",
    "bad-type",
    "not-in-enum",
    "bad-value",
    "too-much-work",
]


def canonical(text: str) -> str:
    """Return a JSON text that is the same for all values that JSON Schema calls equal."""
    return json.dumps(json.loads(text, parse_float=_number), sort_keys=True)


def _number(text: str) -> float:
    number = float(text)
    return int(number) if number.is_integer() else number


#: Steps for validating one call.  A step takes a few microseconds, so that no call takes more than
#: a few seconds.
VALIDATING: Final = 1_000_000
#: Steps for preparing one tool, which happens before any call.
DECLARING: Final = 200_000


class TooMuchWorkError(Exception):
    """Validating a call, or preparing a tool, took more work than is allowed."""


class Work:
    """The remaining work for validating one call, or preparing one tool, in steps."""

    __slots__ = ("left",)

    def __init__(self, left: int = VALIDATING) -> None:
        self.left = left

    def spend(self, steps: int) -> None:
        """Subtract steps from the remaining ones; `TooMuchWorkError` if too few remain."""
        self.left -= steps
        if self.left < 0:
            raise TooMuchWorkError


class Problem(TypedDict):
    """One thing that is wrong with a call."""

    #: What kind of problem it is.
    code: ProblemCode
    #: A JSON Pointer into the arguments, also for a missing or unexpected member.
    path: str
    #: For a model: what was expected, and what was found.
    message: str


#: What the other keywords expect; the braces are replaced by the keyword's value.
_EXPECTED: Final = {
    "false": "nothing at all",
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
    "unevaluatedItems": "fewer items",
    "uniqueItems": "items that are all different",
}

#: How many values, names or alternatives a message lists, and how long one of them may be.
_MOST: Final = 20
_LENGTH: Final = 80
#: What a message calls the value at the empty path.
_ALL: Final = "the arguments"


class Violation(NamedTuple):
    """A problem with its message in parts, and a path that is relative to some value."""

    path: tuple[str | int, ...]
    code: ProblemCode
    #: The alternatives that would have been valid.
    expected: tuple[str, ...]
    #: How the message ends.
    rest: str


#: The keyword of an error that carries violations, as its argument.
FOUND: Final = "violations"


def violations_of(error: Any) -> list[Violation]:
    """Return what an error of the library says is wrong."""
    path = tuple(error.relative_path)
    found = _described(error)
    return [each._replace(path=path + each.path) for each in found] if path else found


def _described(error: Any) -> list[Violation]:
    """Return the violations of an error, with paths relative to the value of its keyword."""
    keyword, argument, value = error.validator, error.validator_value, error.instance
    if keyword == FOUND:
        found: list[Violation] = argument
        return found
    if keyword == "type":
        expected = (argument,) if isinstance(argument, str) else tuple(argument)
        return [Violation((), "bad-type", expected, f", got {received(value)}")]
    if keyword in ("enum", "const"):
        expected = first_few(map(shown, [argument] if keyword == "const" else argument))
        return [Violation((), "not-in-enum", expected, f", got {received(value)}")]
    if keyword == "required":
        return _missing(argument, value, error.schema)
    if keyword == "dependentRequired":
        others = chain.from_iterable(argument[name] for name in argument if name in value)
        return _missing(others, value, error.schema)
    if keyword not in ("anyOf", "oneOf"):
        return [violation(keyword or "false", argument, value)]
    branches: dict[int, list[Violation]] = {}
    for each in error.context:
        # A branch that is `false` has no keyword, and is left out.
        if each.relative_schema_path:
            branches.setdefault(each.relative_schema_path[0], []).extend(violations_of(each))
    if branches:
        return list(alternatives(value, list(branches.values())))
    return [violation("false" if error.context else keyword, argument, value)]


def _missing(names: Iterable[str], value: Any, schema: Any) -> list[Violation]:
    declared = schema.get("properties", {})
    found: list[Violation] = []
    for name in names:
        if name not in value:
            inner = declared.get(name)
            expected = first_few(kinds_of(inner))
            found.append(Violation((name,), "missing-arg", expected, description_of(inner)))
    return found


def unexpected(name: str, schema: dict[str, Any]) -> Violation:
    """Return the violation by a member of this name, which a schema forbids."""
    known = (each for each, inner in schema.get("properties", {}).items() if inner is not False)
    return Violation((name,), "unexpected-arg", first_few(known), "")


def violation(keyword: str, argument: Any, value: Any) -> Violation:
    """Return the violation of a keyword, or of the schema `false`, by a value."""
    expected = _EXPECTED[keyword].format(shown(argument))
    return Violation((), "bad-value", (expected,), f", got {received(value)}")


def problems_of(violations: Iterable[Violation], work: Work) -> list[Problem]:
    """Return `violations` as problems, one for each path and code, in their order."""
    found: dict[tuple[str, ProblemCode], list[Violation]] = {}
    for each in violations:
        path = pointer(each.path)
        work.spend(1 + len(path) // 4)
        found.setdefault((path, each.code), []).append(each)
    mistyped = {path for path, code in found if code == "bad-type"}
    return [
        {"code": code, "path": path, "message": _message(path, same)}
        for (path, code), same in sorted(found.items())
        if code not in {"not-in-enum", "bad-value"} or path not in mistyped
    ]


def value_problems(args: Any, work: Work) -> list[Problem]:
    """Return what in the arguments is not JSON: non-finite numbers, and keys that are not strings.

    A model can write `1e999`, which is read as infinity; all else comes from programs.
    """
    problems: list[Problem] = []
    # Each value has the steps to it in reverse, as nested pairs, which take no time to extend.
    waiting: list[tuple[Any, Any]] = [((), args)]
    for steps, value in waiting:  # the list grows meanwhile
        if fault := _value_fault(value):
            path = pointer(_in_order(steps))
            work.spend(1 + len(path) // 4)
            message = f"{shorten(path, 2 * _LENGTH) or _ALL}: {fault}"
            problems.append({"code": "bad-value", "path": path, "message": message})
        elif is_object(value) or is_array(value):
            work.spend(len(value))
            members = value.items() if is_object(value) else enumerate(value)
            waiting += [((key, steps), member) for key, member in members]
    return sorted(problems, key=lambda problem: problem["path"])


def _in_order(steps: Any) -> list[str | int]:
    ordered: list[str | int] = []
    while steps:
        step, steps = steps
        ordered.append(step)
    return ordered[::-1]


def _value_fault(value: Any) -> str:
    # NaN is not below anything, either.
    if isinstance(value, int | float) and not abs(value) <= sys.float_info.max:
        return "expected a number in the range of doubles"
    names = list[object](value) if is_object(value) else []
    if any(not isinstance(name, str) for name in names):
        return "expected names that are strings"
    return ""


def alternatives(value: Any, branches: Sequence[Sequence[Violation]]) -> Sequence[Violation]:
    """Return the violations for a value that fits no branch, given those of each branch."""
    rest = f", got {received(value)}"
    fitting = [branch for branch in branches if not _only(branch, "bad-type")]
    if not fitting:
        kinds = _only(chain(*branches), "bad-type")
        return [Violation((), "bad-type", _expected(kinds), rest)]
    if len(fitting) == 1:
        return fitting[0]
    if all(_only(branch, "not-in-enum") for branch in fitting):
        values = _only(chain(*fitting), "not-in-enum")
        return [Violation((), "not-in-enum", _expected(values), rest)]
    reasons = "; ".join(_reason(branch[0]) for branch in fitting[:_MOST])
    expected = f"a value that fits one of {len(fitting)} alternatives ({reasons})"
    return [Violation((), "bad-value", (expected,), rest)]


def _only(violations: Iterable[Violation], code: ProblemCode) -> list[Violation]:
    """Return the violations with this code that concern the value itself."""
    return [each for each in violations if not each.path and each.code == code]


def _expected(violations: Iterable[Violation]) -> tuple[str, ...]:
    return first_few(text for each in violations for text in each.expected)


def _reason(first: Violation) -> str:
    """Return why a value does not fit a branch, with paths relative to the value."""
    message = _message(pointer(first.path[:_MOST]), [first])
    return shorten(message.removeprefix(f"{_ALL}: "), 2 * _LENGTH)


def _message(path: str, violations: Sequence[Violation]) -> str:
    """Return one message for violations of one path and code."""
    _, code, known, rest = violations[0]
    place = shorten(path, 2 * _LENGTH) or _ALL
    if code == "unexpected-arg":
        return f"{place} is not expected" + (f"; known: {_listed(known, ', ')}" if known else "")
    wanted = [_listed(each.expected, " or ") for each in violations if each.expected]
    expected = f": expected {_listed(wanted, ' and ')}" if wanted else ""
    return f"{place}{' is missing' * (code == 'missing-arg')}{expected}{rest}"


def _listed(texts: Iterable[str], joint: str) -> str:
    different = list(first_few(texts))
    return joint.join([*different[:_MOST], "…"] if len(different) > _MOST else different)


def first_few(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the first distinct texts, at most one more than a message lists."""
    found: dict[str, None] = {}
    for text in texts:
        found[text] = None
        if len(found) > _MOST:
            break
    return tuple(found)


def kinds_of(schema: Any) -> Iterator[str]:
    """Yield short texts for what a schema expects; nothing if it declares no type and no values."""
    if not is_object(schema):
        return
    if "const" in schema:
        yield shown(schema["const"])
    elif "enum" in schema:
        yield from map(shown, schema["enum"])
    elif "type" in schema:
        names: str | list[str] = schema["type"]
        yield from [names] if isinstance(names, str) else names
    else:
        for branch in schema.get("anyOf") or schema.get("oneOf") or ():
            yield from kinds_of(branch)


def description_of(schema: Any) -> str:
    """Return a schema's description in parentheses, or an empty text if there is none."""
    text = schema.get("description", "") if is_object(schema) else ""
    return f" ({shorten(' '.join(text.split()), 2 * _LENGTH)})" if text else ""


def received(value: Any) -> str:
    """Return a value with its type, for a message."""
    return shown(value) if value is None else f"{type_name(value)} {shown(value)}"


#: The types of JSON Schema that every value of a Python type has, the one that messages name first;
#: `bool` precedes `int`, of which it is a subclass.
_TYPES: Final[dict[type[Any], tuple[str, ...]]] = {
    NoneType: ("null",),
    bool: ("boolean",),
    int: ("integer", "number"),
    float: ("number",),
    str: ("string",),
    list: ("array",),
    dict: ("object",),
}


def types_of(kind: type[Any]) -> tuple[str, ...]:
    """Return the types of JSON Schema that every value of a Python type has."""
    types = _TYPES.get(kind)
    if types is None:
        # Programs may pass subclasses, too, and values that are not JSON.
        types = next((_TYPES[each] for each in _TYPES if issubclass(kind, each)), ())
    return types


def type_name(value: object) -> str:
    """Return the name that JSON Schema has for the type of a value."""
    return next(iter(types_of(value.__class__)), "value")


def shown(value: Any) -> str:
    """Return a value as JSON, shortened; the time that this takes does not depend on its length."""
    text = ""
    for piece in _pieces(value):
        text += piece
        if len(text) > _LENGTH:
            break
    return shorten(text, _LENGTH)


def _pieces(value: Any) -> Iterator[str]:
    """Yield a value as JSON, in short pieces."""
    if is_array(value):
        yield "["
        for index, item in enumerate(value):
            yield ", " * bool(index)
            yield from _pieces(item)
        yield "]"
    elif is_object(value):
        yield "{"
        for index, (name, member) in enumerate(value.items()):
            yield ", " * bool(index) + shown(name) + ": "
            yield from _pieces(member)
        yield "}"
    else:
        clipped = value[:_LENGTH] if isinstance(value, str) else value
        yield json.dumps(clipped, ensure_ascii=False, default=repr)
