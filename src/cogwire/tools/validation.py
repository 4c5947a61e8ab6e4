# SPDX-License-Identifier: MIT
"""Validates values by JSON Schemas of draft 2020-12, in bounded time.

`jsonschema` validates.  Work is counted before a keyword runs, and for each error, whose message
contains the whole value.  A keyword is our own where that does not bound the library's (the times
are those of `jsonschema` 4.26 with one schema and one value), or where its errors do not say what a
model needs to know:

- `pattern`, `patternProperties`, `additionalProperties`: the library matches with `re`, which takes
  2 s to refuse 25 characters by `^(a+)+$`, and twice as long for each further one;
- `uniqueItems`: it compares every item with every other, 9 s for 3,000 arrays and objects;
- `$ref`, `$dynamicRef`: 14 definitions, each of which refers to the next one twice, take 1 s, and
  each further one up to three times as long, so a schema is applied to the same value only once;
- `unevaluatedProperties`, `unevaluatedItems`: such references take 3 s for 12 definitions; and here
  the declarations of a schema count even if the value violates it;
- `properties`, `prefixItems`, `items`, `propertyNames`: errors do not say which member or item is
  forbidden, and the library makes a validator for each part of a value;
- `multipleOf`: it divides doubles, but 19.99 is a multiple of 0.01.
"""

import functools
import importlib
import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from fractions import Fraction
from itertools import chain
from types import ModuleType
from typing import Any, Final

from ..text import is_array, is_object
from .patterns import Matcher
from .problems import (
    FOUND,
    Violation,
    Work,
    canonical,
    types_of,
    unexpected,
    violation,
    violations_of,
)

#: The cost of an error in steps, and of passing one on.
_FOUND: Final = 20
#: Writing or comparing this many characters costs one step.
_TEXT: Final = 64
#: How many references a piece of a value may follow inside each other.
_PIECE: Final = 4

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


class Rules:
    """A schema that is ready for validation; its caches are by the `id` of the schemas in it."""

    def __init__(
        self,
        library: ModuleType,
        schema: Mapping[str, Any],
        matchers: Mapping[str, Matcher],
        targets: Mapping[tuple[str, int], Any] | None,
    ) -> None:
        self.error: Final[Callable[..., Any]] = library.ValidationError
        self.matchers: Final = matchers
        #: The schemas that references lead to; `None` if that depends on the way there.
        self.targets: Final = targets
        # A registry without `retrieve` fetches nothing.
        registry = importlib.import_module("referencing").Registry()
        self._validator: Final = _validator_class(library)(schema, registry=registry)
        self._validators: Final[dict[int, Any]] = {}

    def violations(self, value: Any, work: Work, *, in_pieces: bool = False) -> list[Violation]:
        """Return what is wrong with a value; raises `TooMuchWorkError`.

        A deep value needs a deep stack, but with `in_pieces` no deeper one than its schema.
        """
        validation = Validation(self, work, _PIECE if in_pieces else None)
        token = VALIDATION.set(validation)
        try:
            while True:
                errors = self._validator.iter_errors(value)
                found = list(chain.from_iterable(map(violations_of, errors)))
                if not validation.waiting:
                    return found
                validation.follow_waiting()
        finally:
            VALIDATION.reset(token)

    def errors(self, validator: Any, schema: Any, value: Any) -> Iterable[Any]:
        """Return the errors of a value by a schema inside a schema, or by one referred to."""
        errors: Iterable[Any]
        if self.targets is None:
            errors = validator.descend(value, schema)
        else:
            inside = self._validators.get(id(schema))
            if inside is None:
                inside = self._validators[id(schema)] = validator.evolve(schema=schema)
            errors = inside.iter_errors(value)
        return errors


@functools.cache
def _validator_class(library: ModuleType) -> Any:
    """Return the library's validator of the draft, with work counted."""
    stock = library.Draft202012Validator
    keywords = {name: keyword_of(name, keyword) for name, keyword in stock.VALIDATORS.items()}
    return library.validators.extend(stock, keywords, type_checker=_Types())


class _Types:
    """Which values are of a type of JSON Schema, for the library.

    Its own table of types is written in Rust, which panics where the stack ends meanwhile; and it
    calls complex numbers numbers, which JSON does not have and which have no order.
    """

    @staticmethod
    def is_type(value: object, name: str) -> bool:
        """Whether a value is of a type."""
        is_whole = name == "integer" and isinstance(value, float) and value.is_integer()
        return is_whole or name in types_of(value.__class__)


class Validation:
    """The validation of one value: the remaining work, and what has been found so far."""

    __slots__ = ("_deepest", "_found", "_level", "evaluated", "rules", "waiting", "work")

    def __init__(self, rules: Rules, work: Work, deepest: int | None) -> None:
        self.rules: Final = rules
        self.work: Final = work
        #: How many references are followed inside each other at once, and how many now are.
        self._deepest: Final = deepest
        self._level = 0
        #: The references that wait until then, and whose values have no violations meanwhile.
        self.waiting: list[tuple[Any, Any, Any]] = []
        #: The violations of references, by schema and value.
        self._found: Final[dict[object, tuple[Violation, ...]]] = {}
        #: Set while keywords do not validate, but only say what they evaluate.
        self.evaluated: Evaluated | None = None

    def error(self, *violations: Violation) -> Any:
        """Return an error of the library that carries violations."""
        self.work.spend(_FOUND)
        return self.rules.error("", validator=FOUND, validator_value=list(violations))

    def follow(self, validator: Any, target: Any, value: Any) -> tuple[Violation, ...]:
        """Return the violations of the schema that a reference leads to."""
        key = id(target), id(value)
        found = self._found.get(key)
        if found is not None:
            return found
        if self._level == self._deepest:
            self.waiting.append((validator, target, value))
            return ()
        before = len(self.waiting)
        self._level += 1
        violations = map(violations_of, self.rules.errors(validator, target, value))
        found = tuple(dict.fromkeys(chain.from_iterable(violations)))
        self._level -= 1
        if len(self.waiting) == before:
            self._found[key] = found
        return found

    def follow_waiting(self) -> None:
        """Follow the references that wait, and those that these lead to."""
        stack, self.waiting = self.waiting, []
        while stack:
            self.follow(*stack[-1])
            if self.waiting:
                stack += self.waiting
                self.waiting = []
            else:
                stack.pop()

    def matches(self, pattern: str, text: str) -> bool:
        """Whether a pattern matches somewhere in a text."""
        return self.rules.matchers[pattern](text, self.work)


VALIDATION: Final[ContextVar[Validation]] = ContextVar("VALIDATION")

#: A keyword of the library: takes a validator, the keyword's argument, the value and the schema.
_Keyword = Callable[[Any, Any, Any, Any], Iterable[Any]]


def keyword_of(name: str, stock: _Keyword) -> _Keyword:
    """Return the keyword of this name with its work counted, given that of the library."""
    if name in ("$ref", "$dynamicRef"):
        return _reference(name, stock)
    kind = _APPLIES_TO.get(name)
    is_passing = name in _PASSING
    keyword = functools.partial(_applied, name) if name in _PARTED else _OWN.get(name, stock)

    def checked(validator: Any, argument: Any, value: Any, schema: Any) -> Iterable[Any]:
        if kind is not None and kind not in types_of(value.__class__):
            return ()
        validation = VALIDATION.get()
        if validation.evaluated is not None:
            return validation.evaluated.add(name, validator, argument, value, schema)
        work = validation.work
        work.spend(_cost(name, argument, value))
        errors: list[Any] = []
        for error in keyword(validator, argument, value, schema):
            errors.append(error)
            work.spend(1 if is_passing else _FOUND + len(error.message) // _TEXT)
        # Only `required` has several of its own, one for each name, and none says which.
        return errors if is_passing else errors[:1]

    return checked


#: The keywords that apply schemas to members or items, with errors that say to which.
_PARTED: Final = (
    *("additionalProperties", "items", "patternProperties", "prefixItems", "properties"),
    "unevaluatedProperties",
)
#: The keywords whose errors are those of other schemas.
_PASSING: Final = ("allOf", "if", "dependentSchemas", *_PARTED)


def _cost(name: str, argument: Any, value: Any) -> int:
    """Return the steps that a keyword itself takes, without those of the schemas it applies."""
    if name in _PARTED:
        return 1 + len(value)
    steps = 1 + _size(argument)
    if name == "contains":
        steps += len(value)
    elif name in ("enum", "const") and _size(value):
        steps += len(json.dumps(argument)) // _TEXT
    return steps


def _size(value: Any) -> int:
    return len(value) if is_array(value) or is_object(value) else 0


def _reference(name: str, stock: _Keyword) -> _Keyword:
    """Return `$ref` or `$dynamicRef`, which apply a schema to the same value only once."""

    def checked(validator: Any, reference: Any, value: Any, schema: Any) -> Iterable[Any]:
        validation = VALIDATION.get()
        validation.work.spend(2)
        rules = validation.rules
        if rules.targets is None:
            return stock(validator, reference, value, schema)
        target = rules.targets[name, id(schema)]
        if validation.evaluated is not None:
            return validation.evaluated.follow(validator, target, value)
        found = validation.follow(validator, target, value)
        return [validation.error(*found)] if found else ()

    return checked


# --- Members and items ----------------------------------------------------------------------------


def _applied(name: str, validator: Any, argument: Any, value: Any, schema: Any) -> Iterator[Any]:
    """Yield the errors of the members or items that a keyword applies schemas to."""
    validation = VALIDATION.get()
    for step, inner in _parts(name, validator, argument, value, schema):
        if inner is False:
            yield validation.error(_forbidden(name, step, value, schema))
            if name == "items":
                return  # The array has too many items, whatever they are.
            continue
        for error in validation.rules.errors(validator, inner, value[step]):
            error.path.appendleft(step)
            yield error


def _forbidden(name: str, step: Any, value: Any, schema: Any) -> Violation:
    """Return the violation by a member or an item whose schema is `false`."""
    if name == "items":
        return violation("items", step, value)
    if name == "prefixItems":
        return violation("false", None, value[step])._replace(path=(step,))
    return unexpected(step, schema)


def _parts(
    name: str, validator: Any, argument: Any, value: Any, schema: Any
) -> list[tuple[Any, Any]]:
    """Return the steps to the parts that a keyword applies schemas to, each with its schema."""
    matches = VALIDATION.get().matches
    if name == "prefixItems":
        return [(index, argument[index]) for index in range(min(len(argument), len(value)))]
    if name == "items":
        first = len(schema.get("prefixItems", ()))
        return [(index, argument) for index in range(first, len(value))]
    if name == "properties":
        return [(member, argument[member]) for member in value if member in argument]
    if name == "patternProperties":
        return [
            (member, inner)
            for member in value
            for pattern, inner in argument.items()
            if matches(pattern, member)
        ]
    if name == "additionalProperties":
        declared, patterns = schema.get("properties", ()), schema.get("patternProperties", ())
        rest = [each for each in value if each not in declared]
        return [
            (member, argument)
            for member in rest
            if not any(matches(pattern, member) for pattern in patterns)
        ]
    evaluated = _evaluated(VALIDATION.get(), validator, value)
    return [(member, argument) for member in value if member not in evaluated]


# --- Other keywords of our own --------------------------------------------------------------------


def _property_names(validator: Any, inner: Any, value: Any, schema: Any) -> list[Any]:
    validation = VALIDATION.get()
    validation.work.spend(len(value))
    wrong = [name for name in value if any(True for _ in validator.descend(name, inner))]
    return [validation.error(*(unexpected(name, schema) for name in wrong))] if wrong else []


def _unevaluated_items(validator: Any, inner: Any, value: Any, _: Any) -> Iterable[Any]:
    validation = VALIDATION.get()
    evaluated = _evaluated(validation, validator, value)
    rest = (item for index, item in enumerate(value) if index not in evaluated)
    if any(True for item in rest for _ in validator.descend(item, inner)):
        yield validation.error(violation("unevaluatedItems", None, value))


def _pattern(_: Any, pattern: Any, value: Any, __: Any) -> Iterable[Any]:
    validation = VALIDATION.get()
    if not validation.matches(pattern, value):
        yield validation.error(violation("pattern", pattern, value))


def _unique_items(_: Any, is_unique: Any, value: Any, __: Any) -> Iterable[Any]:
    if is_unique:
        validation = VALIDATION.get()
        forms: set[str] = set()
        for item in value:
            form = _form(item)
            validation.work.spend(1 + len(form) // _TEXT)
            forms.add(form)
        if len(forms) < len(value):
            yield validation.error(violation("uniqueItems", is_unique, value))


def _form(value: Any) -> str:
    """Return a text that is the same for two values if and only if JSON Schema calls them equal."""
    if type(value) in (str, int):
        return json.dumps(value)
    return canonical(json.dumps(value, default=repr))


def _multiple_of(_: Any, step: Any, value: Any, __: Any) -> Iterable[Any]:
    if _decimal(value) % _decimal(step):
        yield VALIDATION.get().error(violation("multipleOf", step, value))


def _decimal(number: Any) -> Fraction:
    """Return the exact value of a number as written; the double nearest to 0.1 is not a tenth."""
    return Fraction(str(number)) if isinstance(number, float) else Fraction(number)


_OWN: Final[Mapping[str, _Keyword]] = {
    "multipleOf": _multiple_of,
    "pattern": _pattern,
    "propertyNames": _property_names,
    "unevaluatedItems": _unevaluated_items,
    "uniqueItems": _unique_items,
}


# --- What is evaluated (JSON Schema Core 11) ------------------------------------------------------


class Evaluated:
    """The members or items of a value that the keywords of a schema evaluate.

    The library's validators walk through the schemas as always, but each keyword only says what it
    evaluates.  The declarations of a schema count even if the value violates it.
    """

    __slots__ = ("_followed", "_root", "_validation", "names")

    def __init__(self, validation: Validation, root: Any) -> None:
        self.names: Final[set[str | int]] = set()
        self._validation: Final = validation
        #: The schema whose `unevaluatedProperties` or `unevaluatedItems` asks.
        self._root: Final = root
        self._followed: Final[set[int]] = set()

    def add(
        self, name: str, validator: Any, argument: Any, value: Any, schema: Any
    ) -> Iterable[Any]:
        """Add what a keyword evaluates; there are no errors."""
        self._validation.work.spend(1 + _size(argument) + _size(value))
        if name.startswith("unevaluated"):
            if schema is not self._root:
                self.names.update(value if is_object(value) else range(len(value)))
        elif name in _PARTED:
            parts = _parts(name, validator, argument, value, schema)
            self.names.update(step for step, _ in parts)
        elif name == "contains":
            items = enumerate(value)
            self.names.update(at for at, item in items if self._fits(validator, argument, item))
        else:
            for each in self._in_place(name, validator, argument, value, schema):
                deque(validator.descend(value, each), maxlen=0)
        return ()

    def follow(self, validator: Any, target: Any, value: Any) -> Iterable[Any]:
        """Add what the schema evaluates that a reference leads to, once."""
        if id(target) not in self._followed:
            self._followed.add(id(target))
            deque(self._validation.rules.errors(validator, target, value), maxlen=0)
        return ()

    def _in_place(
        self, name: str, validator: Any, argument: Any, value: Any, schema: Any
    ) -> Iterable[Any]:
        """Return the schemas of a keyword that apply to the value itself and count.

        Of alternatives, they are those that the value fits, or all if it fits none.
        """
        if name == "allOf":
            return list(argument)
        if name in ("anyOf", "oneOf"):
            return [each for each in argument if self._fits(validator, each, value)] or list(
                argument
            )
        if name == "dependentSchemas":
            return [inner for member, inner in argument.items() if member in value]
        if name == "if":
            if self._fits(validator, argument, value):
                return [argument, schema.get("then", True)]
            return [schema.get("else", True)]
        return ()

    def _fits(self, validator: Any, schema: Any, value: Any) -> bool:
        self._validation.evaluated = None
        is_fitting: bool = validator.evolve(schema=schema).is_valid(value)
        self._validation.evaluated = self
        return is_fitting


def _evaluated(validation: Validation, validator: Any, value: Any) -> set[str | int]:
    """Return the members or items that the other keywords of a schema evaluate."""
    validation.work.spend(1 + len(value))
    validation.evaluated = evaluated = Evaluated(validation, validator.schema)
    deque(validator.iter_errors(value), maxlen=0)
    validation.evaluated = None
    return evaluated.names
