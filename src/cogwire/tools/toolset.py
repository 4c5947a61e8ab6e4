# SPDX-License-Identifier: MIT
"""The tools that a model may call, and the validation of calls.

Arguments are validated by the tool's JSON Schema (draft 2020-12).
"""

import copy
import difflib
import importlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import quote

from ..events import ARGS_NAMES, RESERVED_NAME, Limits
from ..text import WHITE, is_object
from ..text.json_text import members, strict
from ..text.strict_json import quoted
from ..wire.blocks.values import is_mapping
from ..wire.dialects import Dialect, HasDialect, dialect_named
from .coercing import Arguments, name_warnings
from .declaring import Tool, declared, name_in, require_list
from .problems import (
    DECLARING,
    Problem,
    TooMuchWorkError,
    Work,
    problems_of,
    shown,
    value_problems,
)
from .resource import DRAFT, Resource
from .validation import Rules

AnyEvent = TypeVar("AnyEvent", bound=Mapping[str, object])

#: How many tools a message lists.
_MOST_NAMES: Final = 20

#: How many characters of a name are compared with the tools' names, since comparing is slow.
_LONGEST: Final = 200


class Checked(NamedTuple):
    """A call after validation; it may run when there are no problems."""

    #: The name of the tool that is called, even if there is no such tool.
    name: str
    #: The arguments to call it with; those that were text have been coerced.
    args: dict[str, Any]
    #: What is wrong with the call, sorted by path and code.
    problems: list[Problem]


@dataclass(frozen=True, slots=True)
class Refused:
    """A tool that a toolset leaves out."""

    #: Its index in the list that was given.
    index: int
    #: Its name; empty if it has none.
    name: str
    #: What is wrong with it.
    message: str


@dataclass(frozen=True, slots=True)
class _Declared:
    """A tool, and what is made of its schema."""

    tool: Tool
    schema: dict[str, Any]
    arguments: Arguments
    rules: Rules


class Toolset:
    """The tools of one agent, which validates every call of them.

    A tool is declared in the format of OpenAI, Anthropic or MCP, as `{"name", "parameters"}`, as a
    typed function or any other callable, as a pydantic model class, as one of another toolset's
    `tools`, or as an object with a name and a schema, such as a tool of MCP.  Raises `ValueError`,
    with the tool's index, for a name that is empty, reserved or given twice, and for a schema that
    is invalid, that has a reference out of it, or that has a pattern which cannot be matched in
    bounded time; `TypeError` for anything but a list of what declares a tool; `ImportError` if
    `jsonschema` is not installed.  Without `strict`, a tool that would raise
    `ValueError` or `TypeError` is left out, and `refused` says why.

    An object that declares a tool runs only if it can itself be called, since it may do more with a
    call than to run a function that it holds.  The bridges to LangChain and pydantic-ai declare the
    tools of these libraries.

    Patterns are those of ECMA-262, as JSON Schema requires, and `google-re2` matches them in time
    linear in the text.  What RE2 does not support, such as lookaround and backreferences, is
    refused, and so is every pattern if RE2 is not installed.
    """

    def __init__(
        self, tools: Iterable[Any], dialect: str | HasDialect = "xml-json", *, strict: bool = True
    ) -> None:
        #: The dialect itself.
        self.wire: Final = dialect_named(dialect)
        #: The name of the dialect in which the calls are written.
        self.dialect: Final = self.wire.name
        self._calls = self.wire.calls
        self._tools: dict[str, _Declared] = {}
        self._warnings: list[str] = []
        self._refused: list[Refused] = []
        try:
            library = importlib.import_module("jsonschema")
        except ImportError as error:
            hint = "pip install jsonschema google-re2"
            raise ImportError(f"a Toolset needs the package jsonschema: {hint}") from error
        require_list(tools)
        for index, definition in enumerate(tools):
            try:
                self._add(declared(definition), library)
            except (TypeError, ValueError) as error:
                if strict:
                    kind = TypeError if isinstance(error, TypeError) else ValueError
                    raise kind(f"tools[{index}]: {error}") from error
                self._refused.append(Refused(index, name_in(definition), str(error)))

    def _add(self, tool: Tool, library: ModuleType) -> None:
        if tool.name in self._tools:
            raise ValueError(f"there is a tool called {tool.name!r} already")
        try:
            uri = f"urn:cogwire:tool:{quote(tool.name, safe='')}"
            resource = Resource(library, tool.parameters, uri, Work(DECLARING))
            rules = Rules(library, resource.root, resource.matchers, resource.links)
        except RecursionError:
            raise ValueError(f"tool {tool.name!r}: its schema is nested too deeply") from None
        except TooMuchWorkError:
            raise ValueError(f"tool {tool.name!r}: its schema is too large") from None
        except ValueError as error:
            raise ValueError(f"tool {tool.name!r}: {error}") from error
        warnings = resource.warnings
        if tool.unbound:
            warnings = [*warnings, f"it has no function to run, since {tool.unbound}"]
        if tool.unbuilt:
            hint = "plain JSON values; build the objects in the function"
            warnings = [*warnings, f"where it declares {tool.unbuilt}, its function gets {hint}"]
        arguments = Arguments(resource, self._calls)
        if names := self._calls.names:
            warnings = warnings + name_warnings(tool.name, arguments, self.dialect, names)
        self._tools[tool.name] = _Declared(tool, resource.root, arguments, rules)
        self._warnings += [f"tool {tool.name!r}: {warning}" for warning in warnings]

    def __repr__(self) -> str:
        """Show the dialect and the tools."""
        more = len(self._tools) - _MOST_NAMES
        names = ", ".join(self.names[:_MOST_NAMES]) or "no tools"
        return f"<Toolset {self.dialect}: {names}{f' and {more} more' if more > 0 else ''}>"

    def __getstate__(self) -> tuple[tuple[Tool, ...], Dialect, tuple[Refused, ...]]:
        """Return what the toolset was made from; its functions are pickled by name."""
        return self.tools, self.wire, self.refused

    def __setstate__(self, state: tuple[tuple[Tool, ...], Dialect, tuple[Refused, ...]]) -> None:
        """Make the toolset again."""
        tools, wire, refused = state
        Toolset.__init__(self, tools, wire)
        self._refused += refused

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools, in the order given."""
        return tuple(self._tools)

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools, in the order given: `name`, `description`, `parameters` and `function`."""
        return tuple(each.tool for each in self._tools.values())

    @property
    def functions(self) -> dict[str, Callable[..., object]]:
        """The functions of the tools that have one, by name; `aio.run` runs them."""
        return {tool.name: tool.function for tool in self.tools if tool.function}

    @property
    def refused(self) -> tuple[Refused, ...]:
        """The tools that were left out: `index`, `name` and `message`; with `strict`, none."""
        return tuple(self._refused)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings: ignored or reinterpreted keywords, names that no call can contain, and more."""
        return tuple(self._warnings)

    def check(self, call: Mapping[str, Any] | str) -> Checked:
        """Validate a call: a `call` event, its content, or `{"name", "args"}`.

        Arguments that are text are coerced to the types that the schema declares.  A call that
        violates the schema has problems; one that cannot be validated, because of too much work,
        too deep a recursion or a lone surrogate, has the problem `too-much-work` at the empty
        path.  Raises `ValueError` if `call` is not a call.
        """
        try:
            name, args = _name_and_args(call)
        except RecursionError as error:
            raise ValueError("this is not a call: it is nested too deeply to be decoded") from error
        called = self._tools.get(name)
        if called is None:
            return Checked(name, args, [self._unknown(name)])
        try:
            try:
                return self._validated(called, args)
            except RecursionError:
                return self._validated(called, args, in_pieces=True)
        except TooMuchWorkError:
            reason = "validating the arguments takes too much work"
        except UnicodeError:
            reason = "the arguments contain a lone surrogate, which no pattern can match"
        except RecursionError:
            reason = "the arguments are nested too deeply"
        return Checked(name, args, [{"code": "too-much-work", "path": "", "message": reason}])

    def typed(self, events: Iterable[AnyEvent]) -> Iterator[AnyEvent]:
        """Yield the events of a history, with arguments of the types that the schemas declare.

        In the formats whose arguments are tags, and in `xml-elements`, a call has them as texts:
        `"5"` for 5.  For another dialect or a provider, which has JSON, make them typed first:
        `to_messages(tools.typed(events), others)`.  What was written as JSON keeps its spelling.
        A text stays where it fits no type, and so does everything in other dialects, in calls of
        other tools, and in what is not a call.
        """
        for event in events:
            yield self._typed(event) if self._calls.is_text else event

    def _typed(self, event: Any) -> Any:
        """Return an event, with its arguments typed if it is a call."""
        content: Any = event.get("content") if is_mapping(event) else None
        if not isinstance(content, str) or event.get("type") != "call":
            return event
        try:
            name, args, _ = self.check(content)
            written = members(dict(members(content.strip()))["args"]) if args else ()
            pairs = [(key, _spelled(text, args[key])) for key, text in written]
        except (ValueError, RecursionError):
            return event  # it is not a call, or nested too deeply: whoever reads it says so
        spelled = ", ".join(f"{quoted(key)}: {text}" for key, text in pairs)
        return {**event, "content": f'{{"name": {quoted(name)}, "args": {{{spelled}}}}}'}

    def _validated(
        self, called: _Declared, args: dict[str, Any], *, in_pieces: bool = False
    ) -> Checked:
        work = Work()
        name = called.tool.name
        if problems := value_problems(args, work):
            return Checked(name, args, problems)
        read = called.arguments.read(args, work) if self._calls.is_text else args
        found = [*called.rules.violations(read, work, in_pieces=in_pieces)]
        if not self._calls.is_text:
            return Checked(name, read, problems_of(found, work))
        seen = {each.path for each in found if each.code == "bad-type"}
        misfits = called.arguments.misfits(read, work)
        problems = problems_of([*found, *(each for each in misfits if each.path not in seen)], work)
        called.arguments.explain(problems, read)
        return Checked(name, read, problems)

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

        It is of draft 2020-12, and describes the decoded contents of `call` events.  A model may be
        constrained to it in `xml-json`, where it describes the text of a block, and to its `items`
        in the delimiter dialects, where they describe the text of a call; other dialects write
        calls differently.  Raises `ValueError` if the arguments in the toolset's dialect are text.
        """
        if self._calls.is_text:
            raise ValueError(
                f"arguments in {self.dialect} are text, without a JSON Schema; "
                "take a dialect whose arguments are JSON"
            )
        calls = list(self._call_schemas())
        whole = {
            "$schema": DRAFT,
            "title": "Calls",
            "description": "The calls of one block, each valid for its tool.",
            "type": "array",
            "maxItems": Limits().calls,
            "items": {"anyOf": calls} if calls else False,
        }
        return copy.deepcopy(whole)

    def _call_schemas(self) -> Iterator[dict[str, Any]]:
        """Yield schemas, one of which accepts each `call` event without problems."""
        is_verbatim = self._calls.is_verbatim  # otherwise parsers drop other members and add args
        for name, each in self._tools.items():
            is_for_objects = each.schema.get("type") == "object"
            args = each.schema if is_for_objects else {"type": "object", "allOf": [each.schema]}
            members = {"name": {"const": name}}
            yield _object_schema(members | {"args": args}, is_open=is_verbatim)
            if is_verbatim and self._calls.is_partial and not self.check({"name": name}).problems:
                yield _object_schema(members, is_open=False)


def _spelled(text: str, value: object) -> str:
    """Return the JSON text of an argument: what it was written as, if that has this value."""
    decoded = json.loads(text)
    if isinstance(decoded, str) and not isinstance(value, str):
        text = decoded.strip(WHITE)
    whole = json.dumps(value, ensure_ascii=False)
    try:
        return text if json.dumps(json.loads(text), ensure_ascii=False) == whole else whole
    except ValueError:
        return whole


def _object_schema(members: dict[str, Any], *, is_open: bool) -> dict[str, Any]:
    """Return the schema of an object with these members, and perhaps others."""
    schema = {"type": "object", "properties": members, "required": list(members)}
    return schema if is_open else schema | {"additionalProperties": False}


# --- Calls --------------------------------------------------------------------------------------


def _name_and_args(call: Any) -> tuple[str, dict[str, Any]]:
    if is_mapping(call) and call.get("type") == "call" and "args" not in call:
        call = call.get("content")
    if isinstance(call, str):
        try:
            call = strict(call)
        except ValueError as error:
            raise ValueError(f"this is not a call: {error}") from error
    if is_mapping(call):
        name, args = call.get("name"), call.get("args", {} if ARGS_NAMES.isdisjoint(call) else None)
        if isinstance(name, str) and name not in {"", RESERVED_NAME} and is_object(args):
            return name, args
        others = sorted(ARGS_NAMES.intersection(call) - {"args"})
        if name and others and "args" not in call:
            raise ValueError(f"this is not a call: rename `{others[0]}` to `args`")
    raise ValueError(
        'this is not a call: pass a call event, its content, or {"name": …, "args": {…}}, of which '
        f"`name` must be a string that is neither empty nor {RESERVED_NAME!r}, and `args` an object"
    )
