"""Tool sets: any definitions, any calls.

The first byte selects the dialect; an object with `tools` and `calls` follows.  Only documented
exceptions are raised; problems are well formed, and present exactly when the arguments are invalid
by the stock validator and by the schema of a block; and the executable spec finds the same.
"""

import dataclasses
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import jsonschema
import referencing
from fuzz.targets.harness import DIALECTS, Reader, cogwire, json_of, main, same
from fuzz.targets.mutating import json_mutator
from tests.core.tools.helpers import assert_plain
from tests.oracle import validation
from tests.oracle.refused import Refused

CODES = {"unknown-tool", "missing-arg", "unexpected-arg", "bad-type", "not-in-enum", "bad-value"}
CODES |= {"too-much-work"}
#: Keywords that the stock validator interprets differently, or whose names it finds elsewhere; the
#: same holds for patterns of Python that differ from those of ECMA-262.
OTHERWISE = re.compile(
    r'"(?:multipleOf|\$id|\$schema|\$dynamicRef|\$vocabulary)"'
    r'|"pattern(?:Properties)?": \{?"[^"]*(?:\$|\\\\[dDwWsSbB]|\.|\[\^?\])'
)
#: What makes a pattern slow: two of these in one pattern may go through a text in many ways.
REPEATS = re.compile(r"[*+?{|]")
SURROGATE = re.compile(r"\\ud[89a-f]")
UNTESTED = [{"code": "too-much-work", "path": ""}]
MOST_REFERENCES = 4
DEEPEST = 6


def TestOneInput(data: bytes) -> None:  # noqa: N802 (the name that fuzzers look for)
    """Check a tool set on one input."""
    reader = Reader(data)
    dialect = reader.choice(DIALECTS)
    try:
        value = json_of(reader.rest())
    except ValueError:
        return
    if isinstance(value, dict):
        tools, calls = (listed(value.get(name)) for name in ("tools", "calls"))
        if is_quick(value):
            check(tools, calls, dialect)
        else:
            check_bounded(tools, calls, dialect)


def listed(value: Any) -> list[Any]:
    """Return the elements of an array, or the single value that is not an array."""
    return value if isinstance(value, list) else [value]


# --- Slow schemas ----------------------------------------------------------------------


def is_quick(value: Any) -> bool:
    """Whether neither patterns nor references make validation slow without bounds.

    The core has; the stock validator and the executable spec do not.
    """
    members = list(members_of(value, 0))
    references = sum(name in ("$ref", "$dynamicRef") for name, _, _ in members)
    patterns = [each for name, each, _ in members if name == "pattern" and isinstance(each, str)]
    for name, each, _ in members:
        if name == "patternProperties" and isinstance(each, dict):
            patterns += each
    deepest = max((depth for _, _, depth in members), default=0)
    return (references <= 1 or (references <= MOST_REFERENCES and deepest <= DEEPEST * 2)) and all(
        len(REPEATS.findall(pattern)) <= 1 for pattern in patterns
    )


def members_of(value: Any, depth: int) -> Iterator[tuple[str, Any, int]]:
    """Yield every member of an object in `value`, with its name and how deep it is."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield name, member, depth
            yield from members_of(member, depth + 1)
    elif isinstance(value, list):
        for member in value:
            yield from members_of(member, depth + 1)


# --- The laws ---------------------------------------------------------------------------------


class Judges(NamedTuple):
    """All validators of calls with the same tools."""

    tools: list[Any]
    toolset: Any
    #: The same tools for arguments that are JSON.
    typed: Any
    #: The stock validators of a block and of each tool's arguments, if they interpret them alike.
    block: Any
    stock: dict[str, Any]

    @classmethod
    def of(cls, tools: list[Any], dialect: str) -> "Judges":
        """Make the validators; raises what the tool set raises."""
        toolset = cogwire.Toolset(tools, dialect)
        if dialect == "xml-elements":
            return cls(tools, toolset, cogwire.Toolset(tools, DIALECTS[0]), None, {})
        if OTHERWISE.search(json.dumps(tools)):
            return cls(tools, toolset, toolset, None, {})
        stock = {tool.name: stock_validator(tool.parameters) for tool in toolset.tools}
        return cls(tools, toolset, toolset, stock_validator(toolset.schema()), stock)


def stock_validator(schema: dict[str, Any]) -> Any:
    """Return the validator of `jsonschema`, which fetches nothing."""
    return jsonschema.Draft202012Validator(schema, registry=referencing.Registry())


def check_bounded(tools: list[Any], calls: list[Any], dialect: str) -> None:
    """Let only the core validate calls that may be slow; the fuzzer's clock detects slowness."""
    try:
        toolset = cogwire.Toolset(tools, dialect)
    except (ValueError, TypeError):
        return
    for call in calls:
        try:
            checked = toolset.check(call)
        except ValueError:
            assert not is_call(call), f"refused, but it is a call: {call!r}"
        else:
            expect_plain_problems(checked)


def check(tools: list[Any], calls: list[Any], dialect: str) -> None:
    """Check that the tools, and each of the calls, obey the laws of validation."""
    try:
        judges = Judges.of(tools, dialect)
    except ValueError:
        expect_refusal(tools)
        return
    except TypeError:
        assert not all(isinstance(tool, dict) for tool in tools), "a TypeError for an object"
        return
    expect_texts(judges.toolset)
    judged = []
    for call in calls:
        checked = check_call(judges, call)
        if checked is not None and is_finite(given_args(call)):
            judged.append((checked, given_args(call)))
    if is_plain(tools) and judged:
        expect_spec(judges, judged)


def check_call(judges: Judges, call: Any) -> Any:
    """Check the reply for one call; return it, unless the call is refused."""
    before = json.dumps(call)
    try:
        checked = judges.toolset.check(call)
    except ValueError:
        assert not is_call(call), f"refused, but it is a call: {call!r}"
        return None
    same(json.dumps(call), before, "the call that is given")
    expect_plain_problems(checked)
    given = given_args(call)
    if judges.toolset.dialect == "xml-elements":
        same(checked.args.keys(), given.keys(), "the names of the arguments")
    else:
        same(json.dumps(checked.args), json.dumps(given), "the arguments, handed on")
        expect_stock_verdict(judges, checked)
    if [problem["code"] for problem in checked.problems] != ["unknown-tool"]:
        again = judges.typed.check({"name": checked.name, "args": checked.args})
        known = {(each["code"], each["path"]) for each in again.problems}
        # A text that fits no type is a problem even where alternatives for all arguments fail.
        read = (
            each
            for each in checked.problems
            if (each["code"], each["path"]) in known or each["code"] != "bad-type"
        )
        # Only a reader of texts says in a message why one is not JSON.
        pairs = zip(read, again.problems, strict=True)
        said = [
            found | {"message": found["message"][: len(known["message"])]} for found, known in pairs
        ]
        shared = checked._replace(problems=said)
        same(again, shared, "the arguments that are handed on, judged as JSON")
    return checked


def is_call(call: Any) -> bool:
    """Whether this is an object with a name and arguments that any tool set validates."""
    return (
        isinstance(call, dict)
        and call.get("type") != "call"
        and isinstance(call.get("name"), str)
        and call["name"] not in ("", "execute")
        and isinstance(call.get("args", {}), dict)
    )


def given_args(call: Any) -> dict[str, Any]:
    """Return the arguments of a call that was not refused, in whatever form it was passed."""
    if isinstance(call, dict) and call.get("type") == "call" and "args" not in call:
        call = call["content"]
    value: dict[str, Any] = json.loads(call) if isinstance(call, str) else call
    args: dict[str, Any] = value.get("args", {})
    return args


def is_finite(args: dict[str, Any]) -> bool:
    """Whether the arguments are JSON: Python reads numbers that neither wire nor spec has."""
    try:
        json.dumps(args, allow_nan=False)
    except ValueError:
        return False
    return True


def expect_plain_problems(checked: Any) -> None:
    """Problems are well formed, with codes that are known."""
    assert_plain(checked.problems, checked.args)
    assert {problem["code"] for problem in checked.problems} <= CODES, checked.problems


def expect_texts(toolset: Any) -> None:
    """Read the documents that are made from the tools."""
    assert all(isinstance(warning, str) for warning in toolset.warnings), toolset.warnings
    if toolset.dialect != "xml-elements":
        json.dumps(toolset.schema(), allow_nan=False)
    try:
        cogwire.render_prompt(toolset, toolset.dialect).encode()
    except cogwire.RenderError:
        told = json.dumps([*map(dataclasses.astuple, toolset.tools)])
        assert SURROGATE.search(told), "a prompt holds everything but half a pair"


def expect_stock_verdict(judges: Judges, checked: Any) -> None:
    """Compare with the validators of block and tool, which accept only calls without problems."""
    if judges.block is None:
        return
    verdicts = [judges.block.is_valid([{"name": checked.name, "args": checked.args}])]
    if checked.name in judges.stock:
        verdicts.append(judges.stock[checked.name].is_valid(checked.args))
    same(set(verdicts), {not checked.problems}, "valid by the schema of a block, and of the tool")


# --- The executable spec ----------------------------------------------------------------------


def is_plain(tools: list[Any]) -> bool:
    """Whether the tools have the form of the adapter protocol, as the executable spec requires."""
    return all(
        isinstance(tool, dict)
        and tool.keys() <= {"name", "description", "parameters"}
        and isinstance(tool.get("description", ""), str)
        and tool.get("parameters", {}) is not None
        for tool in tools
    )


def expect_refusal(tools: list[Any]) -> None:
    """Check that the executable spec refuses the tools too."""
    if not is_plain(tools):
        return
    try:
        validation.validate(tools, [], DIALECTS[0])
    except (Refused, RecursionError):
        return
    # The clause on names leaves open whether one may contain half of a surrogate pair.
    if any(SURROGATE.search(json.dumps(tool["name"])) for tool in tools):
        return
    raise AssertionError("refused, but not by the executable spec")


def expect_spec(judges: Judges, judged: list[tuple[Any, dict[str, Any]]]) -> None:
    """Compare with the executable spec, which shares no code with the core."""
    calls = [{"name": checked.name, "args": given} for checked, given in judged]
    answers = validation.validate(judges.tools, calls, judges.toolset.dialect)
    for (checked, given), problems, args in zip(judged, *answers, strict=True):
        found = [{key: problem[key] for key in ("code", "path")} for problem in checked.problems]
        if found == UNTESTED and SURROGATE.search(json.dumps(given)):
            continue  # no text has half of a pair, and no pattern is asked about one
        same(found, problems, "the problems that the executable spec finds")
        same(json.dumps(checked.args), json.dumps(args), "the arguments of the executable spec")


mutate = json_mutator(1, "toolset")

if __name__ == "__main__":
    main(TestOneInput, mutate)
