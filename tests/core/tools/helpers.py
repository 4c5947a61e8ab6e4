"""What the tests of tools share."""

import json

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


def message(parameters, args, dialect="xml-json"):
    """Return the message of the only problem."""
    [problem] = (
        cogwire.Toolset([tool(parameters)], dialect).check({"name": "t", "args": args}).problems
    )
    return problem["message"]


def assert_plain(found, args):
    """Assert that problems are JSON, in the order of their places, which exist; a type comes first."""
    places = [(problem["path"], problem["code"]) for problem in found]
    assert places == sorted(set(places))
    mistyped = {path for path, code in places if code == "bad-type"}
    for problem in found:
        assert problem.keys() == {"code", "path", "message"}
        code, path = problem["code"], problem["path"]
        assert problem["message"]
        assert code not in {"not-in-enum", "bad-value"} or path not in mistyped
        assert exists(path, args, is_missing=code == "missing-arg")
    assert json.loads(json.dumps(found)) == found


def exists(path, value, *, is_missing):
    """Whether a JSON Pointer leads to a value or, if `is_missing`, to a member that is not there."""
    *holders, last = [step.replace("~1", "/").replace("~0", "~") for step in path.split("/")]
    for step in holders[1:]:
        value = value[int(step) if isinstance(value, list) else step]
    if is_missing:
        return last not in value
    return not holders or (int(last) < len(value) if isinstance(value, list) else last in value)


def parameters_of(declaration):
    [declared] = cogwire.Toolset([declaration]).tools
    return declared.parameters


def refusal(*tools):
    """Return the message for tools that are refused."""
    with pytest.raises(ValueError) as caught:
        cogwire.Toolset(tools)
    return str(caught.value)


INTEGER, TEXT = {"type": "integer"}, {"type": "string"}
OBJECT = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
}
