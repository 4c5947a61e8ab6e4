"""Validating calls: whether a tool accepts its arguments, and what is wrong with them.

The schemas are evaluated here, keyword by keyword; only the metaschema is left to a library.
"""

from collections.abc import Iterator
from typing import Any

from .block import pointer
from .coercing import WORDS, coerce
from .keywords import Problem, own_problems
from .refused import Refused
from .schemas import SchemaPlace, Schemas, member_schemas


# val-codes val-problem val-path
def validate(
    tools: list[Any], calls: list[dict[str, Any]], dialect: str
) -> tuple[list[list[dict[str, str]]], list[Any]]:
    """Validate `calls`: return the problems of each, and its arguments as they are passed on.

    Raises `Refused` for tools that are refused when they are declared.
    """
    declared = declare(tools)
    problems, args = [], []
    for call in calls:
        found, converted = problems_of_call(declared, call, dialect)
        problems.append(found)
        args.append(converted)
    return problems, args


# val-tool-name val-no-parameters
# A name is a string, not empty, not `execute`, and not that of another tool.  A tool without
# parameters accepts every object.
def declare(tools: list[Any]) -> dict[str, Schemas]:
    declared: dict[str, Schemas] = {}
    for index, tool in enumerate(tools):
        name = tool["name"] if isinstance(tool, dict) and "name" in tool else None
        if not isinstance(name, str) or name in ("", "execute") or name in declared:
            raise Refused((str(index), "name"), "not a name")
        parameters = tool.get("parameters", {"type": "object"})
        declared[name] = Schemas(parameters, (str(index), "parameters"))
    return declared


# val-unknown-tool val-no-args val-unchanged val-never-fails val-too-deep val-order
# A call of an unknown tool has one problem; one without args is validated as one with `{}`.
# Problems are in the order of their paths, then of their codes.
def problems_of_call(
    declared: dict[str, Schemas], call: dict[str, Any], dialect: str
) -> tuple[list[dict[str, str]], Any]:
    args = call.get("args", {})
    if call["name"] not in declared:
        return [{"code": "unknown-tool", "path": ""}], args
    schemas = declared[call["name"]]
    misfits: list[str] = []
    if dialect in WORDS:
        args, misfits = coerce(schemas, args, dialect)
    try:
        found = Validator(schemas).problems((), args, (), ("",))
    except RecursionError:
        # Arguments that are nested too deeply to be validated.
        return [{"code": "too-much-work", "path": ""}], args
    found |= {(pointer((name,)), "bad-type") for name in misfits}
    return [{"code": code, "path": path} for path, code in sorted(type_first(found))], args


# val-type-first
# Where there is a `bad-type`, the value has neither a `not-in-enum` nor a `bad-value`.
def type_first(found: set[Problem]) -> set[Problem]:
    mistyped = {path for path, code in found if code == "bad-type"}
    return {
        (path, code)
        for path, code in found
        if path not in mistyped or code not in ("not-in-enum", "bad-value")
    }


# val-once
class Validator:
    """The schemas of a tool, applied to values.

    A set contains each path and code once. `way` lists the resources that led to a schema.
    """

    def __init__(self, schemas: Schemas) -> None:
        self.schemas = schemas
        self.known: dict[Any, set[Problem]] = {}
        self.evaluated: dict[Any, set[Any]] = {}

    # val-bounded
    # The problems of a schema and a value are found once, however many references lead there.
    def problems(
        self, place: SchemaPlace, value: Any, at: tuple[str, ...], way: tuple[str, ...]
    ) -> set[Problem]:
        key = place, id(value), at, way
        if key not in self.known:
            self.known[key] = self.all_problems(place, value, at, way)
        return self.known[key].copy()

    # val-applied val-bad-value
    # Every value violates a schema `false`; any other schema has the problems of its keywords.
    def all_problems(
        self, place: SchemaPlace, value: Any, at: tuple[str, ...], way: tuple[str, ...]
    ) -> set[Problem]:
        schema = self.schemas.at[place]
        if isinstance(schema, bool):
            return set() if schema else {(pointer(at), "bad-value")}
        way = tuple(dict.fromkeys((*way, self.schemas.base[place])))
        found = own_problems(schema, value, at)
        for target in self.references(place, way):
            found |= self.problems(target, value, at, way)
        for index in range(len(schema.get("allOf", []))):
            found |= self.problems((*place, "allOf", index), value, at, way)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                found |= self.alternatives(place, keyword, value, at, way)
        found |= self.conditions(place, value, at, way)
        if isinstance(value, dict):
            found |= self.of_members(place, value, at, way)
        if isinstance(value, list):
            found |= self.of_items(place, value, at, way)
        return found

    # val-valid
    def is_valid(self, place: SchemaPlace, value: Any, way: tuple[str, ...]) -> bool:
        return not self.problems(place, value, (), way)

    # val-applied
    # The schemas to which `$ref` and `$dynamicRef` lead.
    def references(self, place: SchemaPlace, way: tuple[str, ...]) -> Iterator[SchemaPlace]:
        schema = self.schemas.at[place]
        if "$ref" in schema:
            yield self.schemas.reached(place, schema["$ref"])
        if "$dynamicRef" in schema:
            yield self.schemas.dynamic_target(place, schema["$dynamicRef"], way)

    # val-applied val-bad-value
    # `not` has a separate problem; for `if`, `then` and `else`, and for `dependentSchemas`, the
    # schemas that apply produce their problems.
    def conditions(
        self, place: SchemaPlace, value: Any, at: tuple[str, ...], way: tuple[str, ...]
    ) -> set[Problem]:
        schema = self.schemas.at[place]
        found: set[Problem] = set()
        if "not" in schema and self.is_valid((*place, "not"), value, way):
            found.add((pointer(at), "bad-value"))
        for branch in self.chosen(place, value, way):
            found |= self.problems(branch, value, at, way)
        return found

    # val-applied
    # Those of `then`, `else` and `dependentSchemas` that apply to the value.
    def chosen(self, place: SchemaPlace, value: Any, way: tuple[str, ...]) -> Iterator[SchemaPlace]:
        schema = self.schemas.at[place]
        if "if" in schema:
            branch = "then" if self.is_valid((*place, "if"), value, way) else "else"
            if branch in schema:
                yield (*place, branch)
        if isinstance(value, dict):
            for name in schema.get("dependentSchemas", {}):
                if name in value:
                    yield (*place, "dependentSchemas", name)

    # --- Alternatives -------------------------------------------------------------------------

    # val-any-type val-any-one val-any-enum val-any-value val-one-of
    # A value that fits no branch has the problems of the one that fits its type, or one problem;
    # one that fits several branches of a `oneOf` has one `bad-value`.
    def alternatives(
        self,
        place: SchemaPlace,
        keyword: str,
        value: Any,
        at: tuple[str, ...],
        way: tuple[str, ...],
    ) -> set[Problem]:
        here = pointer(at)
        branches = [
            self.problems((*place, keyword, index), value, at, way)
            for index, branch in enumerate(self.schemas.at[place][keyword])
            if branch is not False
        ]
        fitting = [found for found in branches if not found]
        if fitting:
            return {(here, "bad-value")} if keyword == "oneOf" and len(fitting) > 1 else set()
        # Where every branch is `false`, no type is violated.
        if not branches:
            return {(here, "bad-value")}
        of_the_type = [found for found in branches if (here, "bad-type") not in found]
        if not of_the_type:
            return {(here, "bad-type")}
        if len(of_the_type) == 1:
            return of_the_type[0]
        if all((here, "not-in-enum") in found for found in of_the_type):
            return {(here, "not-in-enum")}
        return {(here, "bad-value")}

    # --- Objects ------------------------------------------------------------------------------

    # val-unexpected-arg val-applied
    # A member is forbidden if a schema for it is `false`, or if its name is not accepted; any other
    # schema for it produces its problems.
    def of_members(
        self, place: SchemaPlace, value: dict[str, Any], at: tuple[str, ...], way: tuple[str, ...]
    ) -> set[Problem]:
        schema = self.schemas.at[place]
        found: set[Problem] = set()
        is_closed = "unevaluatedProperties" in schema
        evaluated = self.evaluated_members(place, value, way) if is_closed else set()
        for name, member in value.items():
            there = (*at, name)
            steps = list(member_schemas(schema, name))
            if is_closed and name not in evaluated:
                steps.append(("unevaluatedProperties",))
            for step in steps:
                if self.schemas.at[(*place, *step)] is False:
                    found.add((pointer(there), "unexpected-arg"))
                else:
                    found |= self.problems((*place, *step), member, there, way)
            names = (*place, "propertyNames")
            if "propertyNames" in schema and not self.is_valid(names, name, way):
                found.add((pointer(there), "unexpected-arg"))
        return found

    # val-unexpected-arg
    # The members that `unevaluatedProperties` of this schema finds evaluated: by the adjacent
    # keywords, and by those schemas for the same value that the value fits.
    def evaluated_members(
        self, place: SchemaPlace, value: dict[str, Any], way: tuple[str, ...]
    ) -> set[str]:
        schema = self.schemas.at[place]
        names = {name for name in value if any(True for _ in member_schemas(schema, name))}
        for below in self.fitting(place, value, way):
            key = below, id(value), tuple(dict.fromkeys((*way, self.schemas.base[below])))
            if key not in self.evaluated:
                self.evaluated[key] = self.all_evaluated_members(below, value, key[-1])
            names |= self.evaluated[key]
        return names

    # val-unexpected-arg
    def all_evaluated_members(
        self, place: SchemaPlace, value: dict[str, Any], way: tuple[str, ...]
    ) -> set[str]:
        schema = self.schemas.at[place]
        if isinstance(schema, bool):
            return set()
        if "unevaluatedProperties" in schema:
            return set(value)
        return self.evaluated_members(place, value, way)

    # val-unexpected-arg
    # The schemas for the same value that count: those that it has to satisfy, and of alternatives
    # the ones that it satisfies, or all where it satisfies none.  `not` is not among them.
    def fitting(
        self, place: SchemaPlace, value: Any, way: tuple[str, ...]
    ) -> Iterator[SchemaPlace]:
        schema = self.schemas.at[place]
        yield from self.references(place, way)
        yield from ((*place, "allOf", index) for index in range(len(schema.get("allOf", []))))
        for keyword in ("anyOf", "oneOf"):
            branches = [(*place, keyword, index) for index in range(len(schema.get(keyword, [])))]
            fitting = [branch for branch in branches if self.is_valid(branch, value, way)]
            yield from fitting or branches
        if "if" in schema and self.is_valid((*place, "if"), value, way):
            yield (*place, "if")
        yield from self.chosen(place, value, way)

    # --- Arrays -------------------------------------------------------------------------------

    # val-items val-applied
    # Items that `"items": false` or `unevaluatedItems` does not accept produce one `bad-value` at
    # the array; the schemas of any others produce their problems.
    def of_items(
        self, place: SchemaPlace, value: list[Any], at: tuple[str, ...], way: tuple[str, ...]
    ) -> set[Problem]:
        schema = self.schemas.at[place]
        found: set[Problem] = set()
        first = len(schema.get("prefixItems", []))
        for index, item in enumerate(value):
            if index < first:
                prefix = (*place, "prefixItems", index)
                found |= self.problems(prefix, item, (*at, str(index)), way)
            elif schema.get("items") is False:
                found.add((pointer(at), "bad-value"))
            elif "items" in schema:
                found |= self.problems((*place, "items"), item, (*at, str(index)), way)
        if "contains" in schema and not self.has_enough(place, value, way):
            found.add((pointer(at), "bad-value"))
        if "unevaluatedItems" in schema:
            evaluated = self.evaluated_items(place, value, way)
            unevaluated = (*place, "unevaluatedItems")
            for index, item in enumerate(value):
                if index not in evaluated and not self.is_valid(unevaluated, item, way):
                    found.add((pointer(at), "bad-value"))
        return found

    # val-bad-value
    # `contains` requires at least one item, or as many as the adjacent keywords require.
    def has_enough(self, place: SchemaPlace, value: list[Any], way: tuple[str, ...]) -> bool:
        schema = self.schemas.at[place]
        count = sum(self.is_valid((*place, "contains"), item, way) for item in value)
        most = schema.get("maxContains", len(value))
        return bool(schema.get("minContains", 1) <= count <= most)

    # val-items
    # As for members: by the adjacent `prefixItems`, `items` and `contains`, and by fitting schemas.
    def evaluated_items(
        self, place: SchemaPlace, value: list[Any], way: tuple[str, ...]
    ) -> set[int]:
        schema = self.schemas.at[place]
        everything = set(range(len(value)))
        if "items" in schema:
            return everything
        indices = set(range(min(len(value), len(schema.get("prefixItems", [])))))
        if "contains" in schema:
            contained = (*place, "contains")
            indices |= {at for at in everything if self.is_valid(contained, value[at], way)}
        for below in self.fitting(place, value, way):
            inner = self.schemas.at[below]
            if not isinstance(inner, bool):
                if "unevaluatedItems" in inner:
                    return everything
                key = below, id(value), tuple(dict.fromkeys((*way, self.schemas.base[below])))
                if key not in self.evaluated:
                    self.evaluated[key] = self.evaluated_items(below, value, key[-1])
                indices |= self.evaluated[key]
        return indices
