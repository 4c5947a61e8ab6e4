# SPDX-License-Identifier: MIT
"""Validates schemas themselves, by the metaschema of the draft."""

import functools
import re
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any, Final
from urllib.parse import urljoin

from .patterns import Matcher
from .problems import Work, is_array, is_object, pointer, problems_of
from .references import DRAFT, children
from .validation import Rules

#: How deeply schemas may be nested; validation takes several stack frames for each level.
_DEEPEST: Final = 100


def require_schema(library: ModuleType, schema: Mapping[str, Any], work: Work) -> None:
    """Raise `ValueError` for a schema that the metaschema of the draft does not accept.

    Each schema inside is validated separately, so that nesting takes no stack.
    """
    rules = _metaschema(library)
    waiting: list[tuple[str, Any, int]] = [("", schema, 0)]
    for place, node, depth in waiting:  # the list grows meanwhile
        if depth > _DEEPEST:
            raise ValueError("its schema is nested too deeply")
        for problem in problems_of(rules.findings(node, work), work):
            where = place + problem["path"]
            message = problem["message"].removeprefix(f"{problem['path']}: ")
            draft = schema.get("$schema", DRAFT)
            if isinstance(draft, str) and draft.rstrip("#") != DRAFT:
                message += f"; its $schema is {draft}, but schemas are read as draft 2020-12"
            raise ValueError(f"at {where!r} its schema is invalid: {message}")
        for path, inner in _schemas_in(node):
            # Each place is a full path, so deep schemas with long names take more than their size.
            work.spend(1 + len(place) // 8)
            waiting.append((place + path, inner, depth + 1))


def _schemas_in(node: Any) -> Iterator[tuple[str, Any]]:
    if is_object(node):
        yield from children(node)
        # This draft has no such keyword, but its metaschema does.
        for name, inner in node.get("dependencies", {}).items():
            if is_object(inner):
                yield pointer(["dependencies", name]), inner


@functools.cache
def _metaschema(library: ModuleType) -> Rules:
    """Return the library's metaschema as one schema, which accepts any schema inside a schema."""
    contents = library.validators.SPECIFICATIONS.contents
    vocabularies = (urljoin(DRAFT, f"meta/{name}") for name in _VOCABULARIES)
    parts = [contents(uri) for uri in (DRAFT, *vocabularies)]
    definitions = {name: node for part in parts for name, node in part.get("$defs", {}).items()}
    properties = {name: node for part in parts for name, node in part["properties"].items()}
    whole = {"type": ["object", "boolean"], "properties": _flat(properties, definitions)}
    return Rules(library, whole, _METASCHEMA_PATTERNS, {})


_VOCABULARIES: Final = (
    *("core", "applicator", "unevaluated", "validation"),
    *("meta-data", "format-annotation", "content"),
)


def _flat(node: Any, definitions: Mapping[str, Any]) -> Any:
    """Return a part of the metaschema with the definitions in place of the references to them."""
    if is_array(node):
        return [_flat(each, definitions) for each in node]
    if not is_object(node):
        return node
    if isinstance(node.get("$dynamicRef"), str):
        return {"type": ["object", "boolean"]}
    flat = {name: _flat(inner, definitions) for name, inner in node.items()}
    if isinstance(reference := flat.pop("$ref", None), str):
        flat |= _flat(definitions[reference.rpartition("/")[2]], definitions)
    return flat


def _constant(pattern: str) -> Matcher:
    """Return the matcher of a pattern in the metaschema, where RE2 may be missing."""
    compiled = re.compile(pattern.replace("$", r"\Z"))
    return lambda text, _: bool(compiled.search(text))


_METASCHEMA_PATTERNS: Final = {
    pattern: _constant(pattern) for pattern in ("^[^#]*#?$", "^[A-Za-z_][-A-Za-z0-9._]*$")
}
