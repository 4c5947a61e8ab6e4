# SPDX-License-Identifier: MIT
"""A tool of pydantic-ai as one of a toolset, if it can run without its agent."""

import json
from collections.abc import Container
from dataclasses import dataclass
from typing import Any, Final

import pydantic_ai
from pydantic_ai import ToolReturn

from cogwire.tooling import Tool
from cogwire_kit.bridges.common.tools import then

#: A tool without any settings.
_PLAIN: Final = pydantic_ai.Tool[Any].from_schema(print, "print", None, {})
#: The settings that do not change how a call runs: what is sent to providers, and what the schema
#: was made with.
_NEUTRAL: Final = frozenset(
    {"function", "function_schema", "name", "description", "strict", "metadata"}
    | {"docstring_format", "require_parameter_descriptions", "include_return_schema"}
)
_NEUTRAL_OF_SCHEMA: Final = frozenset(
    {"function", "name", "description", "validator", "json_schema", "is_async"}
    | {"single_arg_name", "return_schema"}
)


def tool(given: pydantic_ai.Tool[Any]) -> Tool:
    """Return a tool of pydantic-ai as a `Toolset` takes it.

    It runs its function with what its validator makes of the arguments, and a call has the value
    of a `ToolReturn`.  A tool with a setting that only an agent applies, such as
    `requires_approval`, has no function, and `unbound` says why.
    """
    definition, schema = given.tool_def, given.function_schema
    special = [
        *_special(given, _PLAIN, _NEUTRAL),
        *_special(schema, _PLAIN.function_schema, _NEUTRAL_OF_SCHEMA),
    ]
    names = ", ".join(dict.fromkeys(special))
    return Tool(
        definition.name,
        definition.description or "",
        definition.parameters_json_schema,
        None if special else _Validated(schema),
        f"only pydantic-ai applies {names}; an agent can, with CogwireModel" if special else "",
    )


def _special(given: object, plain: object, neutral: Container[str]) -> list[str]:
    """Return what may change how a call runs: a class of its own, and settings."""
    kind = [] if type(given) is type(plain) else [type(given).__name__]
    usual = vars(plain)
    return kind + [
        name
        for name, value in vars(given).items()
        if name not in neutral and value != usual.get(name)
    ]


@dataclass(frozen=True, eq=False)
class _Validated:
    schema: Any

    @property
    def wrapped(self) -> Any:
        return self.schema.function

    def __call__(self, /, **args: Any) -> object:
        # As JSON, in which a validator accepts the text of a date or a list for a set.
        values = self.schema.validator.validate_json(json.dumps(args))
        return then(self.wrapped(**values), _returned)


def _returned(value: Any) -> object:
    """Return what is for the model: a `ToolReturn` has metadata for the program, too."""
    return value.return_value if isinstance(value, ToolReturn) else value
