# SPDX-License-Identifier: MIT
"""The tools a model may call, and what is wrong with a call.

Arguments are judged by the tool's JSON Schema (draft 2020-12).  What a schema is, `jsonschema`
knows; it is imported when a `Toolset` is made and nowhere else, so that the rest works without it.
"""

import copy
import difflib
import importlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, NoReturn, TypeGuard
from urllib.parse import quote

from ._coercion import Arguments, xml_warnings
from ._judging import Judge, Schema, Value, metaschema, ready
from ._patterns import Matchers, Searcher
from ._relax_ng import relax_ng
from ._schemas import DRAFT, Problem, Resource, is_object, localised, problems_of, shown
from ._signatures import first_paragraph, function_schema
from ._work import TooMuchWorkError, Work
from .events import RESERVED_NAME, Limits
from .wire.dialects import dialect_named

#: What a tool's schema is called, in the shapes that APIs have for it.
_SCHEMA_MEMBERS: Final = ("parameters", "input_schema", "inputSchema")

#: How many tools a message lists.
_MOST_NAMES: Final = 20

#: How much of a name is compared with those of the tools: comparing is slow.
_LONGEST: Final = 200


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool, as it was declared."""

    name: str
    description: str
    #: The JSON Schema of its arguments.
    parameters: dict[str, Any]


class Checked(NamedTuple):
    """A call after validation; it may run when there are no problems."""

    #: The tool that is called, whether there is one or not.
    name: str
    #: What to call it with; where arguments are text, what they were read as.
    args: dict[str, Any]
    #: What is wrong with the call, sorted by path and code.
    problems: list[Problem]


class Toolset:
    """The tools of one agent: what is declared, and the judge of every call.

    A tool is declared as OpenAI, Anthropic or MCP write it, as `{"name", "parameters"}`, as a typed
    function, or as a pydantic model class.  `ValueError`, with the tool's index, for a name that is
    empty, reserved or given twice, and for a schema that is invalid, that refers to what is not in
    it, or that has a pattern which cannot be held against a text in bounded time; `TypeError` for
    what declares no tool; `ImportError` where `jsonschema` is not installed.

    Patterns mean what they mean to `re.search`, and take a time that is linear in the text.  Those
    that look around or back at what was found are refused, and so are more than 50,000
    instructions in those of one tool, with what is repeated written out.  `patterns` makes
    something else of them, objects with `search`: `re2.compile` is as safe; with `re.compile`,
    whoever wrote the tools can make `check` take forever.
    """

    def __init__(
        self,
        tools: Iterable[Any],
        dialect: str = "xml-json",
        *,
        patterns: Callable[[str], Searcher] | None = None,
    ) -> None:
        #: The name of the dialect in which the calls are written.
        self.dialect: Final = dialect_named(dialect).name
        self._is_text = dialect_named(dialect).calls.is_text
        self._tools: dict[str, Tool] = {}
        self._resources: dict[str, dict[str, Any]] = {}
        self._arguments: dict[str, Arguments] = {}
        self._schemas: dict[str, Schema] = {}
        self._warnings: list[str] = []
        build = _Builder(patterns)
        for index, definition in enumerate(tools):
            try:
                self._add(_declared(definition), build)
            except TypeError as error:
                raise TypeError(f"tools[{index}]: {error}") from error
            except ValueError as error:
                raise ValueError(f"tools[{index}]: {error}") from error

    def _add(self, tool: Tool, build: "_Builder") -> None:
        if tool.name in self._tools:
            raise ValueError(f"there is a tool called {tool.name!r} already")
        try:
            resource = build.resource(tool)
            self._schemas[tool.name] = ready(resource)
        except RecursionError:
            raise ValueError(f"tool {tool.name!r}: its schema is nested too deeply") from None
        except TooMuchWorkError:
            raise ValueError(f"tool {tool.name!r}: its schema is too large") from None
        except ValueError as error:
            raise ValueError(f"tool {tool.name!r}: {error}") from error
        warnings = resource.warnings
        arguments = Arguments(resource)
        if self._is_text:
            warnings = warnings + xml_warnings(tool.name, arguments)
        self._tools[tool.name] = tool
        self._resources[tool.name] = resource.root
        self._arguments[tool.name] = arguments
        self._warnings += [f"tool {tool.name!r}: {warning}" for warning in warnings]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools, in the order given."""
        return tuple(self._tools)

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools, in the order given, each with `name`, `description` and `parameters`."""
        return tuple(self._tools.values())

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is read otherwise than it was written, and what the dialect cannot name."""
        return tuple(self._warnings)

    def check(self, call: Mapping[str, Any] | str) -> Checked:
        """Judge a call: a `call` event, its content, or `{"name", "args"}`.

        Where arguments are text, they are read as what the schema declares.  `ValueError` for what
        is no call; a call that breaks its tool's rules has problems instead.  One that would take
        too much work to judge, or too deep a recursion, has a `bad-value` at the empty path.
        """
        name, args = _name_and_args(call)
        if name not in self._schemas:
            return Checked(name, args, [self._unknown(name)])
        work = Work()
        try:
            if self._is_text:
                args = self._arguments[name].read(args, work)
            findings = Judge(work).findings(self._schemas[name], Value(args), ())
            return Checked(name, args, problems_of(findings))
        except TooMuchWorkError:
            reason = "to judge the arguments takes too much work"
        except (RecursionError, ValueError):
            reason = "the arguments are nested too deeply, or hold too long a number, to be judged"
        return Checked(name, args, [{"code": "bad-value", "path": "", "message": reason}])

    def _unknown(self, name: str) -> Problem:
        folded = {known[:_LONGEST].casefold(): known for known in self._tools}
        nearest = [
            folded[each] for each in difflib.get_close_matches(name[:_LONGEST].casefold(), folded)
        ]
        message = f"No tool is called {shown(name)}."
        if nearest:
            message += f" Did you mean {' or '.join(map(shown, nearest))}?"
        if len(self._tools) <= _MOST_NAMES:
            message += f" The tools are: {', '.join(self._tools) or 'none'}."
        return {"code": "unknown-tool", "path": "", "message": message}

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of a whole block: an array of calls without problems.

        It is of draft 2020-12, and for models whose output is constrained while they write.
        """
        required = ["name"] if dialect_named(self.dialect).calls.is_partial else ["name", "args"]
        calls = [
            _call_schema(name, resource, required) for name, resource in self._resources.items()
        ]
        whole = {
            "$schema": DRAFT,
            "title": "Calls",
            "description": "The calls of one block, each valid for its tool.",
            "type": "array",
            "maxItems": Limits().calls,
            "items": {"anyOf": calls} if calls else False,
        }
        return copy.deepcopy(whole)

    def relax_ng(self) -> str:
        """Return the RELAX NG schema, in XML, of a block of elements whose calls have no problems.

        It takes every such block, and also blocks that break a rule which it cannot say.
        """
        return relax_ng(self._arguments)


class _Builder:
    """Makes schemas ready with `jsonschema`, which it imports."""

    def __init__(self, patterns: Callable[[str], Searcher] | None) -> None:
        self._patterns = patterns
        try:
            self._metaschema = metaschema(importlib.import_module("jsonschema"))
        except ImportError as error:
            hint = "pip install 'cogwire[tools]'"
            raise ImportError(f"a Toolset needs the package jsonschema: {hint}") from error

    def resource(self, tool: Tool) -> Resource:
        """Return the tool's schema as one that can stand anywhere."""
        findings = Judge(Work()).findings(self._metaschema, Value(tool.parameters), ())
        for problem in problems_of(findings):
            place = problem["path"]
            message = problem["message"].removeprefix(f"{place}: ")
            raise ValueError(f"at {place!r} its schema is invalid: {message}")
        uri = f"urn:cogwire:tool:{quote(tool.name, safe='')}"
        return localised(tool.parameters, uri, Matchers(self._patterns))


def _call_schema(name: str, resource: dict[str, Any], required: list[str]) -> dict[str, Any]:
    says_object = resource.get("type") == "object"
    args = resource if says_object else {"type": "object", "allOf": [resource]}
    return {
        "type": "object",
        "properties": {"name": {"const": name}, "args": args},
        "required": required,
    }


# --- Definitions --------------------------------------------------------------------------------


def _declared(definition: Any) -> Tool:
    """Return the tool that `definition` declares, in whichever of the ways."""
    if isinstance(definition, Tool):
        declared = definition
    elif _is_mapping(definition):
        declared = _from_mapping(definition)
    elif isinstance(definition, type) and hasattr(definition, "model_json_schema"):
        declared = _from_model(definition)
    elif callable(definition) and not isinstance(definition, type):
        declared = _from_function(definition)
    else:
        kind = type(definition).__name__
        raise TypeError(f"a tool is a definition, a typed function or a model class, not {kind}")
    name: Any = declared.name
    description: Any = declared.description
    if not isinstance(name, str) or not name:
        raise ValueError(f"a tool has a name, a non-empty string, not {name!r}")
    if name == RESERVED_NAME:
        raise ValueError(f"the name {name!r} is reserved for the block itself")
    if not isinstance(description, str):
        raise ValueError(f"tool {name!r}: its description is a string")  # noqa: TRY004 (data)
    return Tool(name, description, _plain(name, declared.parameters))


def _is_mapping(value: Any) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(value, Mapping)


def _from_mapping(definition: Mapping[str, Any]) -> Tool:
    inner = definition.get("function", definition)
    if not _is_mapping(inner):
        raise ValueError("`function` is an object")
    schemas = [inner[key] for key in _SCHEMA_MEMBERS if inner.get(key) is not None]
    if len(schemas) > 1:
        raise ValueError(f"a tool has one of {', '.join(_SCHEMA_MEMBERS)}")
    parameters: Any = schemas[0] if schemas else {"type": "object", "properties": {}}
    return Tool(inner.get("name", ""), inner.get("description") or "", parameters)


def _from_model(model: Any) -> Tool:
    parameters = model.model_json_schema()
    return Tool(model.__name__, parameters.get("description", ""), parameters)


def _from_function(function: Callable[..., Any]) -> Tool:
    name = getattr(function, "__name__", "")
    try:
        return Tool(name, first_paragraph(function), function_schema(function))
    except ValueError as error:
        raise ValueError(f"function {name!r}: {error}") from error


def _plain(name: str, parameters: Any) -> dict[str, Any]:
    """Return a copy of a schema that is JSON and nothing else."""
    try:
        plain = json.loads(json.dumps(parameters, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"tool {name!r}: its schema is not JSON: {error}") from error
    if not is_object(plain):
        raise ValueError(f"tool {name!r}: its schema is an object")
    return plain


# --- Calls --------------------------------------------------------------------------------------


def _name_and_args(call: Any) -> tuple[str, dict[str, Any]]:
    if _is_mapping(call) and call.get("type") == "call" and "args" not in call:
        call = call.get("content")
    if isinstance(call, str):
        call = _read(call)
    if _is_mapping(call):
        name, args = call.get("name"), call.get("args", {})
        if isinstance(name, str) and name not in {"", RESERVED_NAME} and is_object(args):
            return name, args
    raise ValueError(
        "this is no call; a call is an object with `name`, a non-empty string other than "
        f"{RESERVED_NAME!r}, and perhaps `args`, an object"
    )


def _read(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_distinct, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"this is no call: {error}") from error


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a member is there twice")
    return members


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"JSON has no {constant}")
