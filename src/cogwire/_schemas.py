# SPDX-License-Identifier: MIT
"""The JSON Schemas of arguments: made self-contained when built, their failures as problems.

A schema is read as draft 2020-12.  Before it is used every reference in it is resolved, so that
later nothing can be missing, nothing is fetched, and no reference leads round in a circle.
"""

import copy
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import chain, islice
from types import NoneType
from typing import Any, Final, Literal, NamedTuple, TypedDict, TypeGuard
from urllib.parse import unquote, urljoin

from ._patterns import Matcher

#: The draft that every schema is read as.
DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"

#: Where a schema holds other schemas: as a value, in an array, in an object.
ONE: Final = (
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
ARRAY: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
OBJECT: Final = ("$defs", "definitions", "dependentSchemas", "patternProperties", "properties")
#: The keywords among them whose schemas judge the same value, and no part of it.
_IN_PLACE: Final = frozenset(
    {"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"}
)
_REFERENCES: Final = ("$ref", "$dynamicRef")


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    """Whether a JSON value is an object."""
    return isinstance(value, dict)


def pointer(steps: Iterable[str | int]) -> str:
    """Return the JSON Pointer that takes `steps`."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


# --- Self-contained schemas ---------------------------------------------------------------------


class Resource(NamedTuple):
    """A schema that needs nothing outside itself."""

    root: dict[str, Any]
    #: All schemas in it, by JSON Pointer, and where the `$ref` of each leads.
    schemas: dict[str, Any]
    targets: dict[str, str]
    #: Where the `$dynamicRef` of each leads, and the name for which it may lead elsewhere, or none.
    dynamic_targets: dict[str, tuple[str, str]]
    #: The URI that each had for its resource, and who has which `$dynamicAnchor` in a resource.
    bases: dict[str, str]
    anchors: dict[str, dict[str, str]]
    #: What finds each pattern.
    matchers: dict[str, Matcher]
    #: What is read otherwise than it was written.
    warnings: list[str]


def localised(
    schema: Mapping[str, Any], uri: str, make_matcher: Callable[[str], Matcher]
) -> Resource:
    """Return `schema` as a resource called `uri`.

    `schema` is valid by the metaschema.  `ValueError`, with a JSON Pointer, for a reference that
    leads nowhere or out of the schema, for references that go round in a circle without going into
    the value, for a name that is given twice, and for a pattern of which `make_matcher`, which
    raises it too, makes nothing.
    """
    root = copy.deepcopy(dict(schema))
    index = _Index(root, uri, make_matcher)
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
        index.dynamic_targets,
        index.bases,
        index.anchors,
        index.matchers,
        index.warnings,
    )


class _Index:
    """Every schema inside a schema, by JSON Pointer, and the names that it can be called by."""

    def __init__(
        self, root: dict[str, Any], uri: str, make_matcher: Callable[[str], Matcher]
    ) -> None:
        self.nodes: dict[str, Any] = {}
        self.targets: dict[str, str] = {}
        self.dynamic_targets: dict[str, tuple[str, str]] = {}
        self.matchers: dict[str, Matcher] = {}
        self.warnings: list[str] = []
        #: What the references inside a place are relative to.
        self.bases: dict[str, str] = {}
        #: The places of `$dynamicAnchor`, by resource and name.
        self.anchors: dict[str, dict[str, str]] = {}
        self._make_matcher = make_matcher
        #: The place of each resource, by the URI that the schema gives it.
        self._resources: dict[str, str] = {}
        self._anchors: dict[tuple[str, str], str] = {}
        self._dynamic_anchors: dict[str, list[str]] = {}
        root.setdefault("$id", "")
        self._add("", root, "")
        # Schemas of several tools are put into one, so the names they chose must not meet.
        self._uris = {
            old: f"{uri}:{number}" if number else uri for number, old in enumerate(self._resources)
        }
        for old, place in self._resources.items():
            self.nodes[place]["$id"] = self._uris[old]

    def _add(self, place: str, node: Any, base: str) -> None:
        self.nodes[place] = node
        if not is_object(node):
            return
        if "$id" in node:
            base = self._add_resource(place, node["$id"], base)
        self.bases[place] = base
        self._drop_draft(place, node)
        self._add_anchors(place, node, base)
        for path, pattern in _patterns(node):
            self._add_pattern(place + path, pattern)
        for path, child in _children(node):
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
            self.anchors.setdefault(base, {})[name] = place

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
        children = (path for path, _ in _children(node) if path.split("/")[1] in _IN_PLACE)
        judges = [place + path for path in children]
        for keyword in _REFERENCES:
            if keyword in node:
                judges += self._follow(place, node, keyword)
        return judges

    def _follow(self, place: str, node: dict[str, Any], keyword: str) -> list[str]:
        """Return where a reference may lead, and rewrite it."""
        reference = node[keyword]
        uri, fragment = _resolved(self.bases[place], reference)
        where = f"at {place + '/' + keyword!r}: {reference!r}"
        if uri not in self._resources:
            raise ValueError(f"{where} is not part of this schema, and nothing is fetched")
        target = self._place(uri, fragment)
        if target not in self.nodes:
            raise ValueError(f"{where} leads to no schema")
        is_dynamic = self._is_dynamic(target, fragment)
        if keyword == "$ref":
            self.targets[place] = target
        else:
            self.dynamic_targets[place] = target, fragment * is_dynamic
        if not reference.startswith("#"):
            node[keyword] = f"{self._uris[uri]}#{fragment}"
        # Which of the anchors of one name is meant depends on the way there, so take them all.
        return self._dynamic_anchors[fragment] if is_dynamic else [target]

    def _place(self, uri: str, fragment: str) -> str | None:
        if fragment and not fragment.startswith("/"):
            return self._anchors.get((uri, fragment))
        return self._resources[uri] + unquote(fragment)

    def _is_dynamic(self, place: str, fragment: str) -> bool:
        return place in self._dynamic_anchors.get(fragment, ())


def _children(node: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the schemas directly inside a schema, each with its JSON Pointer from there."""
    for keyword in ONE:
        if keyword in node:
            yield pointer([keyword]), node[keyword]
    for keyword in ARRAY:
        for index, child in enumerate(node.get(keyword, ())):
            yield pointer([keyword, index]), child
    for keyword in OBJECT:
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


# --- Problems -----------------------------------------------------------------------

ProblemCode = Literal[
    "unknown-tool", "missing-arg", "unexpected-arg", "bad-type", "not-in-enum", "bad-value"
]


class Problem(TypedDict):
    """One thing that is wrong with a call."""

    #: What kind of problem it is.
    code: ProblemCode
    #: A JSON Pointer into the arguments; a missing or unexpected member's own.
    path: str
    #: For a model: what was expected, what came.
    message: str


#: What the other keywords expect; the braces stand for the keyword's value.
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


class Finding(NamedTuple):
    """A problem whose message is still in parts."""

    path: str
    code: ProblemCode
    #: What would have been right: any of these.
    expected: tuple[str, ...]
    #: How the message ends.
    rest: str


def problems_of(findings: Iterable[Finding]) -> list[Problem]:
    """Return `findings` as problems, one for each path and code, in their order."""
    found: dict[tuple[str, ProblemCode], list[Finding]] = {}
    for finding in findings:
        found.setdefault((finding.path, finding.code), []).append(finding)
    mistyped = {path for path, code in found if code == "bad-type"}
    return [
        {"code": code, "path": path, "message": _message(same)}
        for (path, code), same in sorted(found.items())
        if code not in {"not-in-enum", "bad-value"} or path not in mistyped
    ]


def expected_by(keyword: str, argument: Any) -> str:
    """Return what a keyword expects, or the schema `false`."""
    return _EXPECTED[keyword].format(shown(argument))


def alternatives(here: str, value: Any, branches: Sequence[Sequence[Finding]]) -> Sequence[Finding]:
    """Return what it means that the value at `here` fits none of the branches."""
    rest = f", got {came(value)}"
    fitting = [branch for branch in branches if not _only(branch, here, "bad-type")]
    if not fitting:
        kinds = _only(chain(*branches), here, "bad-type")
        return [Finding(here, "bad-type", _expected(kinds), rest)]
    if len(fitting) == 1:
        return fitting[0]
    if all(_only(branch, here, "not-in-enum") for branch in fitting):
        values = _only(chain(*fitting), here, "not-in-enum")
        return [Finding(here, "not-in-enum", _expected(values), rest)]
    reasons = "; ".join(_short(_message(branch[:1]), 2 * _LENGTH) for branch in fitting[:_MOST])
    expected = f"a value that fits one of {len(fitting)} alternatives ({reasons})"
    return [Finding(here, "bad-value", (expected,), rest)]


def _only(findings: Iterable[Finding], path: str, code: ProblemCode) -> list[Finding]:
    return [each for each in findings if each.path == path and each.code == code]


def _expected(findings: Iterable[Finding]) -> tuple[str, ...]:
    return some_of(text for finding in findings for text in finding.expected)


def _message(findings: Sequence[Finding]) -> str:
    """Return one message for findings of one path and code."""
    path, code, known, rest = findings[0]
    path = _short(path, 2 * _LENGTH)
    if code == "unexpected-arg":
        return f"{path} is not expected" + (f"; known: {_listed(known, ', ')}" if known else "")
    wanted = [_listed(finding.expected, " or ") for finding in findings if finding.expected]
    expected = f": expected {_listed(wanted, ' and ')}" if wanted else ""
    return f"{path or 'the arguments'}{' is missing' * (code == 'missing-arg')}{expected}{rest}"


def _listed(texts: Iterable[str], joint: str) -> str:
    different = list(some_of(texts))
    return joint.join([*different[:_MOST], "…"] if len(different) > _MOST else different)


def some_of(texts: Iterable[str]) -> tuple[str, ...]:
    """Return different texts among these, of which one is more than a message lists."""
    return tuple(islice(dict.fromkeys(texts), _MOST + 1))


def kinds_of(schema: Any) -> Iterator[str]:
    """Yield what a schema expects, in few words; nothing where it does not say."""
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
    """Return how a schema describes its value, in brackets; nothing where it does not."""
    text = schema.get("description", "") if is_object(schema) else ""
    return f" ({_short(' '.join(text.split()), 2 * _LENGTH)})" if text else ""


def came(value: Any) -> str:
    """Return a value that came, with its type."""
    return shown(value) if value is None else f"{type_name(value)} {shown(value)}"


def type_name(value: Any) -> str:
    """Return the type of a JSON value, in the words of JSON Schema."""
    return next(name for kind, name in _TYPES if isinstance(value, kind))


#: bool stands before int, which it is a kind of.
_TYPES: Final = (
    (NoneType, "null"),
    (bool, "boolean"),
    (int, "integer"),
    (float, "number"),
    (str, "string"),
    (list, "array"),
    (dict, "object"),
    (object, "value"),
)


def shown(value: Any) -> str:
    """Return a value as JSON, shortened; how long it takes does not depend on its length."""
    text = ""
    for piece in _pieces(value):
        text += piece
        if len(text) > _LENGTH:
            break
    return _short(text, _LENGTH)


def _is_array(value: Any) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def _pieces(value: Any) -> Iterator[str]:
    """Yield a value as JSON, piece by piece, of which none is long."""
    if _is_array(value):
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


def _short(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
