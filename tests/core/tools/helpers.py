"""What the tests of tools share."""

import pytest

from tests import cogwire

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def tool(parameters, name="t"):
    return {"name": name, "parameters": parameters}


def problems(parameters, args):
    """Return the problems of `args`, each as (code, path)."""
    checked = cogwire.Toolset([tool(parameters)]).check({"name": "t", "args": args})
    return [(problem["code"], problem["path"]) for problem in checked.problems]


def value_problems(schema, value):
    """Return the problems of one value that a schema judges: those of the argument `v`."""
    return problems({"properties": {"v": schema}}, {"v": value})


def message(parameters, args):
    """Return the message of the only problem."""
    [problem] = cogwire.Toolset([tool(parameters)]).check({"name": "t", "args": args}).problems
    return problem["message"]


def parameters_of(declaration):
    [declared] = cogwire.Toolset([declaration]).tools
    return declared.parameters


def refusal(*tools):
    """Return the message for tools that are refused."""
    with pytest.raises(ValueError) as caught:
        cogwire.Toolset(tools)
    return str(caught.value)


INTEGER, NULL, TEXT = {"type": "integer"}, {"type": "null"}, {"type": "string"}
OBJECT = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
}
