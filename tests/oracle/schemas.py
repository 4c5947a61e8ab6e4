"""The schemas of a tool: which values are schemas, what is refused, and where references lead."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote, urljoin

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from .patterns import Unreadable, is_found, require_readable
from .refused import Refused

#: Names and indices that lead to a schema in its tool's parameters.
SchemaPlace = tuple[str | int, ...]

# Where draft 2020-12 has schemas: as a single value, in an array, and in an object.
ALONE = (
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
IN_ARRAY = ("allOf", "anyOf", "oneOf", "prefixItems")
IN_OBJECT = ("$defs", "definitions", "dependentSchemas", "patternProperties", "properties")

# Those of them that apply to the value itself, and not to a part of it.
SAME_VALUE = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas")


# val-draft
class Schemas:
    """The parameters of one tool, and every schema in them by its place."""

    def __init__(self, parameters: Any, where: tuple[str, ...]) -> None:
        self.where = where
        # A schema that is invalid by the metaschema is refused.
        if not isinstance(parameters, dict) or not is_valid_schema(parameters):
            raise Refused(where, "not a schema")
        self.at: dict[SchemaPlace, Any] = {}
        # The types that schemas declare, as far as they are known.
        self.declared: dict[Any, list[Any]] = {}
        # The address against which the references in a schema are resolved.
        self.base: dict[SchemaPlace, str] = {}
        # The schemas that have a name by `$id`, `$anchor` or `$dynamicAnchor`: by address, and the
        # names that count for `$dynamicRef`.
        self.named: dict[str, SchemaPlace] = {"": ()}
        self.dynamic: set[str] = set()
        self.walk((), parameters, "")
        self.require_patterns()
        self.require_references()
        self.require_no_cycle()

    # val-reference
    # A value in a place where the draft does not have a schema is not a schema.
    def walk(self, place: SchemaPlace, schema: Any, base: str) -> None:
        self.at[place] = schema
        if isinstance(schema, dict) and "$id" in schema:
            base = resolve(base, schema["$id"]).removesuffix("#")
            if place or base:
                self.name(base, place)
        self.base[place] = base
        if isinstance(schema, dict):
            for keyword in ("$anchor", "$dynamicAnchor"):
                if keyword in schema:
                    self.name(f"{base}#{schema[keyword]}", place)
            if "$dynamicAnchor" in schema:
                self.dynamic.add(f"{base}#{schema['$dynamicAnchor']}")
            for step, below in parts(schema):
                self.walk((*place, *step), below, base)

    # val-names
    # A name given to two schemas is refused.
    def name(self, address: str, place: SchemaPlace) -> None:
        if self.named.get(address, place) != place:
            raise Refused(self.where, "two schemas have this name")
        self.named[address] = place

    # val-pattern
    # A pattern that cannot be read is refused, and so is one that might take forever.
    def require_patterns(self) -> None:
        for schema in self.at.values():
            if isinstance(schema, dict):
                for pattern in [schema.get("pattern", ""), *schema.get("patternProperties", {})]:
                    try:
                        require_readable(pattern)
                    except Unreadable:
                        raise Refused(self.where, "a pattern that cannot be read") from None

    # val-reference
    # A reference that does not lead to a schema inside the same parameters is refused.
    def require_references(self) -> None:
        for place, schema in self.at.items():
            if isinstance(schema, dict):
                for keyword in ("$ref", "$dynamicRef"):
                    if keyword in schema and self.target(place, schema[keyword]) is None:
                        raise Refused(
                            self.where, "a reference that leads to no schema in the parameters"
                        )

    # val-circle
    # References that form a cycle on the same value are refused.
    def require_no_cycle(self) -> None:
        # val-circle
        def visit(place: SchemaPlace) -> None:
            if place in on_the_way:
                raise Refused(self.where, "a cycle of references")
            if place not in done:
                on_the_way.add(place)
                for other in self.applied(place):
                    visit(other)
                on_the_way.remove(place)
                done.add(place)

        on_the_way: set[SchemaPlace] = set()
        done: set[SchemaPlace] = set()
        for place in self.at:
            visit(place)

    # val-circle
    # The schemas that a schema applies to the same value.
    def applied(self, place: SchemaPlace) -> Iterator[SchemaPlace]:
        schema = self.at[place]
        if isinstance(schema, dict):
            for step, _ in parts(schema):
                if step[0] in SAME_VALUE:
                    yield (*place, *step)
            if "$ref" in schema:
                yield self.reached(place, schema["$ref"])
            if "$dynamicRef" in schema:
                first = self.reached(place, schema["$dynamicRef"])
                yield first
                yield from self.dynamic_anchors(first, schema["$dynamicRef"])

    # val-reference val-no-fetch
    # Where a reference leads: to a resource, to an anchor in it, or by a pointer from its root.
    def target(self, place: SchemaPlace, reference: str) -> SchemaPlace | None:
        address = resolve(self.base[place], reference)
        resource, _, fragment = address.partition("#")
        fragment = unquote(fragment)
        if fragment and not fragment.startswith("/"):
            return self.named.get(f"{resource}#{fragment}")
        root = self.named.get(resource)
        if root is None:
            return None
        below = self.below(root, fragment)
        return below if below in self.at else None

    # val-reference
    def reached(self, place: SchemaPlace, reference: str) -> SchemaPlace:
        found = self.target(place, reference)
        if found is None:
            raise AssertionError(reference)
        return found

    # val-reference
    # RFC 6901, from a schema on: an array has indices without leading zeros.
    def below(self, root: SchemaPlace, fragment: str) -> SchemaPlace | None:
        value, place = self.at[root], root
        for step in fragment.split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            if isinstance(value, dict) and name in value:
                value, place = value[name], (*place, name)
            elif isinstance(value, list) and name in map(str, range(len(value))):
                value, place = value[int(name)], (*place, int(name))
            else:
                return None
        return place

    # val-reference
    # All schemas to which a `$dynamicRef` may lead that leads to `first` as it is written.
    def dynamic_anchors(self, first: SchemaPlace, reference: str) -> list[SchemaPlace]:
        ending = "#" + reference.rpartition("#")[2]
        if self.base[first] + ending not in self.dynamic:
            return []
        return [self.named[name] for name in sorted(self.dynamic) if name.endswith(ending)]

    # val-reference
    # A `$dynamicRef` to a `$dynamicAnchor` leads to the schema of that name in the outermost
    # resource on the way that has one; any other is a `$ref`.
    def dynamic_target(
        self, place: SchemaPlace, reference: str, way: tuple[str, ...]
    ) -> SchemaPlace:
        first = self.reached(place, reference)
        name = reference.rpartition("#")[2]
        if f"{self.base[first]}#{name}" in self.dynamic:
            for resource in way:
                if f"{resource}#{name}" in self.dynamic:
                    return self.named[f"{resource}#{name}"]
        return first


# val-invalid-schema val-draft
# `parameters` are read as draft 2020-12, whatever draft they name.
def is_valid_schema(parameters: dict[str, Any]) -> bool:
    return bool(Draft202012Validator(Draft202012Validator.META_SCHEMA).is_valid(parameters))


# val-reference
# The schemas directly inside a schema, each with the path to it.
def parts(schema: dict[str, Any]) -> Iterator[tuple[SchemaPlace, Any]]:
    for keyword in ALONE:
        if keyword in schema:
            yield (keyword,), schema[keyword]
    for keyword in IN_ARRAY:
        for index, below in enumerate(schema.get(keyword, [])):
            yield (keyword, index), below
    for keyword in IN_OBJECT:
        for name, below in schema.get(keyword, {}).items():
            yield (keyword, name), below


# val-reference
# RFC 3986; a reference that is joined to a base without a hierarchy, such as a URN, is a fragment
# or absolute.
def resolve(base: str, reference: str) -> str:
    if reference == "" or reference.startswith("#"):
        return base + reference
    try:
        return urljoin(base, reference)
    except ValueError:
        return reference


# val-unexpected-arg val-applied
# The adjacent schemas that validate a member, in `properties`, `patternProperties`, and, where
# these have none, `additionalProperties`.
def member_schemas(schema: dict[str, Any], name: str) -> Iterator[SchemaPlace]:
    is_declared = False
    if name in schema.get("properties", {}):
        is_declared = True
        yield ("properties", name)
    for pattern in schema.get("patternProperties", {}):
        if is_found(pattern, name):
            is_declared = True
            yield ("patternProperties", pattern)
    if not is_declared and "additionalProperties" in schema:
        yield ("additionalProperties",)
