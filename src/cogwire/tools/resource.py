# SPDX-License-Identifier: MIT
"""The JSON Schemas of arguments, validated and made self-contained when a tool is declared.

A schema is read as draft 2020-12, and is validated by its metaschema.  Before it is used, every
reference in it is resolved, so that no target can be missing later, nothing is fetched, and no
references form a cycle.
"""

import copy
import functools
import re
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from types import ModuleType
from typing import Any, Final
from urllib.parse import quote, unquote, urljoin

from ..text import is_array, is_object, pointer
from .patterns import Matcher, Matchers
from .problems import Work, problems_of, shown
from .validation import Rules

#: The draft that every schema is read as.
DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"

#: The keywords whose argument is a schema, an array of schemas, or an object of schemas.
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
#: The keywords among them whose schemas apply to the value itself rather than to a part of it.
_IN_PLACE: Final = frozenset(
    {"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"}
)
#: Keywords of older drafts that this one ignores, and their replacements.
_OLDER: Final = {
    "$recursiveRef": "$dynamicRef",
    "additionalItems": "items beside prefixItems",
    "dependencies": "dependentRequired or dependentSchemas",
    "disallow": "not",
    "divisibleBy": "multipleOf",
    "extends": "allOf",
    "id": "$id",
}
_REFERENCES: Final = ("$ref", "$dynamicRef")
#: How many keywords one schema may have; all of them are visited whenever the schema is applied.
_MOST_KEYWORDS: Final = 100
#: How deeply schemas may be nested; validation takes several stack frames for each level.
_DEEPEST: Final = 100


# --- Self-contained schemas ---------------------------------------------------------------------


class Resource:
    """A copy of a schema, self-contained and called `uri`, with every schema inside it.

    Raises `ValueError`, with a JSON Pointer, for a schema that the metaschema of the draft does not
    accept, for a reference without a target in the schema, for references that form a cycle without
    descending into the value, for a name that is given twice, for a schema of more than 100
    keywords, and for a pattern that cannot be matched.  Raises `TooMuchWorkError` for a schema that
    is too large.
    """

    def __init__(
        self, library: ModuleType, schema: Mapping[str, Any], uri: str, work: Work
    ) -> None:
        self.root: Final[dict[str, Any]] = copy.deepcopy(dict(schema))
        #: All schemas in it, by JSON Pointer, and the target of the `$ref` of each.
        self.schemas: Final[dict[str, Any]] = {}
        self.targets: Final[dict[str, str]] = {}
        #: The matcher of each pattern.
        self.matchers: Final[dict[str, Matcher]] = {}
        #: What is read differently from how it was written.
        self.warnings: Final[list[str]] = []
        self._links: dict[tuple[str, int], Any] = {}
        self._is_dynamic = False
        self._make_matcher = Matchers()
        self._metaschema = _metaschema(library)
        self._draft: Any = schema.get("$schema", DRAFT)
        self._work = work
        #: The base URI of the references in each schema.
        self._bases: dict[str, str] = {}
        #: The place of each resource, by its URI in the schema.
        self._resources: dict[str, str] = {}
        self._anchors: dict[tuple[str, str], str] = {}
        self._dynamic_anchors: dict[str, list[str]] = {}
        self.root.setdefault("$id", "")
        self._add("", self.root, "", 0)
        # The schemas of several tools are put into one, so their URIs must not clash.
        self._uris = {
            old: f"{uri}:{number}" if number else uri for number, old in enumerate(self._resources)
        }
        for old, place in self._resources.items():
            self.schemas[place]["$id"] = self._uris[old]
        in_place = {place: self._connect(place) for place in self.schemas}
        try:
            TopologicalSorter(in_place).prepare()
        except CycleError as error:
            circle = " -> ".join(map(repr, reversed(error.args[1])))
            raise ValueError(f"circular references: {circle}") from None

    @property
    def links(self) -> dict[tuple[str, int], Any] | None:
        """The schema that each reference leads to, by its keyword and the `id` of the one with it.

        `None` if that of a `$dynamicRef` depends on the way there.
        """
        return None if self._is_dynamic else self._links

    def _add(self, place: str, node: Any, base: str, depth: int) -> None:
        # Each place is a full path, so deep schemas with long names take more than their size.
        self._work.spend(1 + len(place) // 8)
        if depth > _DEEPEST:
            raise ValueError("its schema is nested too deeply")
        self._require_valid(place, node)
        self.schemas[place] = node
        if not is_object(node):
            return
        if len(node) > _MOST_KEYWORDS:
            raise ValueError(f"at {place!r}: it has more than {_MOST_KEYWORDS} keywords")
        if "$id" in node:
            base = self._add_resource(place, node["$id"], base)
        self._bases[place] = base
        self._drop_draft(place, node)
        self._warn_of_older(place, node)
        self._add_anchors(place, node, base)
        for path, pattern in _patterns(node):
            self._add_pattern(place + path, pattern)
        for path, child in children(node):
            self._add(place + path, child, base, depth + 1)
        # This draft has no such keyword, but its metaschema does.
        for name, ignored in node.get("dependencies", {}).items():
            if is_object(ignored):
                self._require_valid(place + pointer(["dependencies", name]), ignored)

    def _require_valid(self, place: str, node: Any) -> None:
        """Raise `ValueError` if the metaschema does not accept a schema, whatever is inside it."""
        violations = self._metaschema.violations(node, self._work)
        for problem in problems_of(violations, self._work):
            message = problem["message"].removeprefix(f"{problem['path']}: ")
            if isinstance(self._draft, str) and self._draft.rstrip("#") != DRAFT:
                message += f"; its $schema is {self._draft}, but schemas are read as draft 2020-12"
            where = place + problem["path"]
            raise ValueError(f"at {where!r} its schema is invalid: {message}")

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

    def _warn_of_older(self, place: str, node: dict[str, Any]) -> None:
        for keyword in sorted(_OLDER.keys() & node.keys()):
            where = f"{place}/{keyword}"
            reason = "is ignored, since draft 2020-12 has no such keyword; it has"
            self.warnings.append(f"at {where!r}: it {reason} {_OLDER[keyword]}")

    def _add_anchors(self, place: str, node: dict[str, Any], base: str) -> None:
        for keyword in ("$anchor", "$dynamicAnchor"):
            if keyword in node:
                name = node[keyword]
                if self._anchors.setdefault((base, name), place) != place:
                    where = f"{place}/{keyword}"
                    raise ValueError(f"at {where!r}: {name!r} is the anchor of two schemas")
        if "$dynamicAnchor" in node:
            name = node["$dynamicAnchor"]
            self._dynamic_anchors.setdefault(name, []).append(place)

    def _add_pattern(self, place: str, pattern: str) -> None:
        if pattern not in self.matchers:
            try:
                self.matchers[pattern] = self._make_matcher(pattern)
            except ValueError as error:
                raise ValueError(f"at {place!r}: {shown(pattern)} {error}") from None

    def _connect(self, place: str) -> list[str]:
        """Return the places of the schemas that apply to the same value as the one at `place`.

        The references in it are rewritten to the new URIs of their resources.
        """
        node = self.schemas[place]
        if not is_object(node):
            return []
        inside = (path for path, _ in children(node) if path.split("/")[1] in _IN_PLACE)
        places = [place + path for path in inside]
        for keyword in _REFERENCES:
            if keyword in node:
                places += self._follow(place, node, keyword)
        return places

    def _follow(self, place: str, node: dict[str, Any], keyword: str) -> list[str]:
        """Return where a reference may lead, and rewrite it."""
        reference = node[keyword]
        uri, fragment = _resolved(self._bases[place], reference)
        where = f"at {place + '/' + keyword!r}: {reference!r}"
        if uri not in self._resources:
            raise ValueError(f"{where} is not part of this schema, and nothing is fetched")
        target = self._place(uri, fragment)
        if target not in self.schemas:
            raise ValueError(f"{where} leads to no schema")
        self._links[keyword, id(node)] = self.schemas[target]
        if keyword == "$ref":
            self.targets[place] = target
            # A `$ref` must not follow an anchor dynamically, but `referencing` does.
            fragment = quote(target.removeprefix(self._resources[uri]))
        if uri or not reference.startswith("#") or keyword == "$ref":
            node[keyword] = f"{self._uris[uri] if uri else ''}#{fragment}"
        if keyword == "$ref":
            return [target]
        # The way there decides which of the anchors of one name is meant, so return all.
        others = self._dynamic_anchors.get(fragment, [])
        self._work.spend(len(others))
        if target not in others:
            return [target]
        self._is_dynamic |= len(others) > 1
        return others

    def _place(self, uri: str, fragment: str) -> str | None:
        if fragment and not fragment.startswith("/"):
            return self._anchors.get((uri, fragment))
        return self._resources[uri] + unquote(fragment)


def children(node: dict[str, Any]) -> Iterator[tuple[str, Any]]:
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
        return reference, fragment  # It is not a URI, so no schema here has this name.


def _patterns(node: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if "pattern" in node:
        yield "/pattern", node["pattern"]
    for pattern in node.get("patternProperties", ()):
        yield pointer(["patternProperties", pattern]), pattern


# --- Schemas of schemas ---------------------------------------------------------------------------


@functools.cache
def _metaschema(library: ModuleType) -> Rules:
    """Return the library's metaschema as one schema, which accepts any schema inside a schema.

    Its own is of eight resources that refer to each other: validating 50 schemas by it takes 100 ms
    instead of 9 ms, and a schema of 100 levels takes more stack than Python has.
    """
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
    if isinstance(reference := flat.get("$ref"), str):  # and not the keyword of that name
        del flat["$ref"]
        flat |= _flat(definitions[reference.rpartition("/")[2]], definitions)
    return flat


def _constant(pattern: str) -> Matcher:
    """Return the matcher of a pattern in the metaschema, where RE2 may be missing."""
    compiled = re.compile(pattern.replace("$", r"\Z"))
    return lambda text, _: bool(compiled.search(text))


_METASCHEMA_PATTERNS: Final = {
    pattern: _constant(pattern) for pattern in ("^[^#]*#?$", "^[A-Za-z_][-A-Za-z0-9._]*$")
}
