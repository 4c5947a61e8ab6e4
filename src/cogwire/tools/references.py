# SPDX-License-Identifier: MIT
"""The JSON Schemas of arguments, made self-contained when a tool is declared.

A schema is read as draft 2020-12.  Before it is used every reference in it is resolved, so that
later nothing can be missing, nothing is fetched, and no reference leads round in a circle.
"""

import copy
from collections.abc import Callable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any, Final, NamedTuple
from urllib.parse import quote, unquote, urljoin

from .counting import Work
from .patterns import Matcher
from .problems import is_object, pointer, shown

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
#: What older drafts have and this one ignores, and what says the same.
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
#: How many keywords one schema may have; each is looked at whenever the schema is applied.
_MOST_KEYWORDS: Final = 100


# --- Self-contained schemas ---------------------------------------------------------------------


class Resource(NamedTuple):
    """A schema that needs nothing outside itself."""

    root: dict[str, Any]
    #: All schemas in it, by JSON Pointer, and where the `$ref` of each leads.
    schemas: dict[str, Any]
    targets: dict[str, str]
    #: Whether there is a `$dynamicRef`, which may lead elsewhere depending on the way there.
    is_dynamic: bool
    #: The matcher of each pattern.
    matchers: dict[str, Matcher]
    #: What is read otherwise than it was written.
    warnings: list[str]


def localised(
    schema: Mapping[str, Any], uri: str, make_matcher: Callable[[str], Matcher], work: Work
) -> Resource:
    """Return `schema` as a resource called `uri`.

    `schema` is valid by the metaschema.  `ValueError`, with a JSON Pointer, for a reference that
    leads nowhere or out of the schema, for references that go round in a circle without going into
    the value, for a name that is given twice, for a schema of more than 100 keywords, and for a
    pattern that `make_matcher` refuses, with a `ValueError` too.  `TooMuchWorkError` for a
    schema that is too large.
    """
    root = copy.deepcopy(dict(schema))
    index = _Index(root, uri, make_matcher, work)
    judges = {place: index.connect(place) for place in index.nodes}
    try:
        TopologicalSorter(judges).prepare()
    except CycleError as error:
        circle = " -> ".join(map(repr, reversed(error.args[1])))
        raise ValueError(f"references go round in a circle: {circle}") from None
    return Resource(
        root,
        index.nodes,
        index.targets,
        index.is_dynamic,
        index.matchers,
        index.warnings,
    )


class _Index:
    """Every schema inside a schema, by JSON Pointer, and the names that it can be called by."""

    def __init__(
        self,
        root: dict[str, Any],
        uri: str,
        make_matcher: Callable[[str], Matcher],
        work: Work,
    ) -> None:
        self.nodes: dict[str, Any] = {}
        self.targets: dict[str, str] = {}
        self.is_dynamic = False
        self.matchers: dict[str, Matcher] = {}
        self.warnings: list[str] = []
        self._make_matcher = make_matcher
        self._work = work
        #: What the references inside a place are relative to.
        self._bases: dict[str, str] = {}
        #: The place of each resource, by the URI that the schema gives it.
        self._resources: dict[str, str] = {}
        self._anchors: dict[tuple[str, str], str] = {}
        self._dynamic_anchors: dict[str, list[str]] = {}
        root.setdefault("$id", "")
        self._add("", root, "")
        # Schemas of several tools are put into one, so the names they chose must not clash.
        self._uris = {
            old: f"{uri}:{number}" if number else uri for number, old in enumerate(self._resources)
        }
        for old, place in self._resources.items():
            self.nodes[place]["$id"] = self._uris[old]

    def _add(self, place: str, node: Any, base: str) -> None:
        self._work.spend(1 + len(place) // 8)
        self.nodes[place] = node
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

    def connect(self, place: str) -> list[str]:
        """Return the places that judge the same value as `place`, references followed.

        The references are rewritten to the names that the resources have from here on.
        """
        node = self.nodes[place]
        if not is_object(node):
            return []
        inside = (path for path, _ in children(node) if path.split("/")[1] in _IN_PLACE)
        judges = [place + path for path in inside]
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
            # An anchor that is dynamic is none for a `$ref`, which `referencing` overlooks.
            fragment = quote(target.removeprefix(self._resources[uri]))
        if uri or not reference.startswith("#") or keyword == "$ref":
            node[keyword] = f"{self._uris[uri] if uri else ''}#{fragment}"
        if keyword == "$ref":
            return [target]
        self.is_dynamic = True
        # Which of the anchors of one name is meant depends on the way there, so take them all.
        others = self._dynamic_anchors.get(fragment, [])
        self._work.spend(len(others))
        return others if target in others else [target]

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
        return reference, fragment  # No URI, so no schema here has this name.


def _patterns(node: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if "pattern" in node:
        yield "/pattern", node["pattern"]
    for pattern in node.get("patternProperties", ()):
        yield pointer(["patternProperties", pattern]), pattern
