# SPDX-License-Identifier: MIT
"""Validates values by JSON Schemas of draft 2020-12, in bounded time.

`jsonschema` validates, with its keywords wrapped.  The findings of a reference in a value are
cached until the call has been validated: schemas that refer to each other twice would otherwise
take time exponential in their number.
"""

import functools
import importlib
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any, Final

from .counting import Work
from .keywords import wrapped
from .patterns import Matcher
from .problems import Finding, is_object
from .validation import (
    VALIDATION,
    Keyword,
    Known,
    Validation,
    finding_of,
    resolver_of,
    resource_of,
    violation,
)


class Rules:
    """A schema that is ready for validation."""

    def __init__(
        self,
        library: ModuleType,
        schema: Mapping[str, Any],
        matchers: Mapping[str, Matcher],
        *,
        is_dynamic: bool = False,
    ) -> None:
        validator = _validator_class(library)
        keywords: dict[str, Keyword] = validator.VALIDATORS
        self._known: Final = Known(keywords, matchers, is_dynamic=is_dynamic)
        uri = schema.get("$id", "")
        # A registry without `retrieve` fetches nothing.
        registry = importlib.import_module("referencing").Registry()
        registry = registry.with_resource(uri, resource_of(schema)).crawl()
        self._validator: Final = validator(schema, _resolver=registry.resolver(uri))

    def findings(self, value: Any, work: Work) -> list[Finding]:
        """Return what is wrong with a value; raises `TooMuchWorkError`."""
        token = VALIDATION.set(Validation(self._known, work))
        try:
            return list(map(finding_of, self._validator.iter_errors(value)))
        finally:
            VALIDATION.reset(token)


@functools.cache
def _validator_class(library: ModuleType) -> Any:
    """Return the library's validator of the draft, with its keywords wrapped.

    The descent from schema to schema is ours: the library makes a validator at each step, and
    writes the whole value into the message of a schema `false`.
    """
    stock = library.Draft202012Validator
    checker = stock.TYPE_CHECKER.redefine("number", _is_number)
    keywords = {name: wrapped(name, keyword) for name, keyword in stock.VALIDATORS.items()}
    ours = library.validators.extend(stock, keywords, type_checker=checker)
    evolve = ours.evolve

    def evolved(validator: Any, **changes: Any) -> Any:
        rules = VALIDATION.get().rules
        if rules.is_dynamic:
            return evolve(validator, **changes)
        known = rules.validators.get(id(changes["schema"]))
        if known is None:
            known = rules.validators[id(changes["schema"])] = evolve(validator, **changes)
        return known

    ours.evolve = evolved
    ours.descend = _descend
    ours.iter_errors = _errors
    return ours


def _errors(validator: Any, value: Any) -> Iterator[Any]:
    return iter(_descend(validator, value, validator.schema))


def _descend(
    validator: Any,
    instance: object,
    schema: Any,
    *,
    path: Any = None,
    schema_path: Any = None,
    resolver: Any = None,
) -> list[Any]:
    """Return the errors of a value by a subschema, or by a schema referred to."""
    if schema is True:
        return []
    validation = VALIDATION.get()
    if is_object(schema):
        keywords = validation.rules.applied(schema, type(instance))
        if not keywords:
            return []
        if validation.rules.is_dynamic:
            resolver = resolver or resolver_of(validator).in_subresource(resource_of(schema))
            validator = validator.evolve(schema=schema, _resolver=resolver)
        else:
            validator = validator.evolve(schema=schema)
        errors: list[Any] = []
        for keyword, argument in keywords:
            errors += keyword(validator, argument, instance, schema)
        if not errors:
            return errors
    else:
        errors = [validation.error(violation("false", None, instance))]
        schema_path = None
    for error in errors:
        if path is not None:
            error.path.appendleft(path)
        if schema_path is not None:
            error.schema_path.appendleft(schema_path)
    return errors


def _is_number(_: Any, value: object) -> bool:
    # The library also accepts complex numbers, which JSON does not have and which have no order.
    return isinstance(value, int | float) and not isinstance(value, bool)
