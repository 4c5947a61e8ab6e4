"""`cogwire grammar`."""

import json

import pytest

from cogwire import Limits, Toolset
from cogwire_kit.grammars import ENGINES, LIMITS, structural_tag, turn_grammar, write
from tests.kit.cli.running import cogwire_, output_of, stored

pytestmark = pytest.mark.verify

TOOL = {
    "name": "ls",
    "description": "",
    "input_schema": {
        "type": "object",
        "properties": {"x": {"type": "string"}},
        "additionalProperties": False,
    },
}
ONE = {"type": "array", "items": {"type": "null"}, "uniqueItems": True}
NARROW = {
    "name": "f",
    "parameters": {"type": "object", "properties": {"x": ONE}, "additionalProperties": False},
}


@pytest.fixture
def file(tmp_path):
    def written(value):
        return stored(tmp_path / "tools.json", value)

    return written


@pytest.mark.parametrize("to", ENGINES)
def test_it_writes_what_the_functions_write(file, to):
    wanted = write(turn_grammar(Toolset([TOOL], "delimiter")), to)
    options = ("--format", to, "--dialect", "delimiter")
    assert cogwire_("grammar", *options, file([TOOL])) == (0, wanted, "")
    data = json.dumps({"tools": [TOOL]}).encode()
    assert cogwire_("grammar", *options, "-", stdin=data) == (0, wanted, "")


def test_its_options(file):
    limits = Limits(calls=2, depth=5, digits=LIMITS.digits)
    made = turn_grammar(Toolset([TOOL]), start="think", calls="must", limits=limits)
    options = ("--format", "gbnf", "--start", "think", "--require-calls", "--depth", 5)
    options += ("--max-calls", 2)
    assert cogwire_("grammar", *options, file([TOOL])) == (0, write(made, "gbnf"), "")


def test_a_structural_tag(file):
    options = ("--format", "structural-tag", "--dialect", "hermes", "--require-calls")
    output = output_of("grammar", *options, file([TOOL]))
    wanted, narrowed = structural_tag(Toolset([TOOL], "hermes"), calls="must")
    assert (json.loads(output), narrowed) == (wanted, ())
    assert wanted["format"]["triggers"] == ["<tool_call>"]


@pytest.mark.parametrize("dialect", ["delimiter", "functionary-v3.2", "harmony"])
def test_without_an_opener_there_is_no_structural_tag(file, dialect):
    options = ("--format", "structural-tag", "--dialect", dialect)
    code, _, problems = cogwire_("grammar", *options, file([TOOL]))
    assert code == 2
    assert f"{dialect} has no structural tag, since no marker begins its calls" in problems


def test_special_tokens_of_a_vocabulary(file, tmp_path):
    tokens = [{"content": "<think>", "id": 7}, {"content": "</think>", "id": 8}]
    vocabulary = stored(tmp_path / "tokenizer.json", {"added_tokens": tokens})
    made = turn_grammar(Toolset([TOOL]), special={"<think>": 7, "</think>": 8})
    options = ("--format", "lark", "--vocabulary", vocabulary)
    assert cogwire_("grammar", *options, file([TOOL])) == (0, write(made, "lark"), "")
    for given, message in (
        ("[]", "this is not a tokenizer.json: it has no list `added_tokens`"),
        ('{"added_tokens": [{"content": ""}]}', "added_tokens[0]: a token has a text `content`"),
    ):
        vocabulary.write_text(given, "utf-8")
        code, _, problems = cogwire_("grammar", *options, file([TOOL]))
        assert code == 2
        assert f"{vocabulary}: {message}" in problems


def test_what_is_left_out_is_named(file):
    path = file([NARROW])
    code, output, problems = cogwire_("grammar", "--format", "lark", path)
    assert code == 0
    assert output.startswith("%llguidance {}\nstart: ")
    assert problems == (
        f"{path}: tool 'f': at '/properties/x/uniqueItems': the grammar allows at most one item\n"
    )
    strict = cogwire_("grammar", "--format", "lark", "--strict", path)
    assert strict == (1, output, problems)
    assert cogwire_("grammar", "--format", "lark", "--strict", file([TOOL]))[0] == 0


@pytest.mark.parametrize(
    ("options", "is_said"),
    [
        (("xgrammar",), True),
        (("structural-tag",), True),
        (("lark",), False),
        (("gbnf", "--lengths", "short"), True),
        (("xgrammar", "--lengths", "all"), False),
    ],
)
def test_long_lengths_are_left_to_the_check_where_they_are_slow(file, options, is_said):
    long = {"type": "object", "properties": {"x": {"type": "string", "maxLength": 101}}}
    path = file([{"name": "f", "parameters": {**long, "additionalProperties": False}}])
    code, _, problems = cogwire_("grammar", "--strict", path, "--format", *options)
    note = "at '/properties/x': lengths above 100 are left to the check of the arguments"
    assert (code, problems) == ((1, f"{path}: tool 'f': {note}\n") if is_said else (0, ""))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("nope", "this is not JSON: Expecting value: line 1 column 1 (char 0)"),
        ("[" * 100_000, "this is not JSON: "),
        ("5", "tools are an array, or an object with the array `tools`"),
        ([5], "tools[0]: a tool must be a definition, a function or a model class, not int"),
        ([{"name": "execute"}], "tools[0]: the name 'execute' is reserved for the block itself"),
        (
            [
                {
                    "name": "f",
                    "parameters": {"type": "object", "required": ["x"], "properties": {"x": False}},
                }
            ],
            "tool 'f': at '': no call that fits can be written",
        ),
    ],
)
def test_an_invalid_set_of_tools_is_refused(file, given, message):
    path = file(given)
    code, output, problems = cogwire_("grammar", "--format", "gbnf", path)
    assert (code, output) == (2, "")
    assert problems.startswith(f"cogwire: {path}: {message}")
    assert problems.count("\n") == 1


def test_a_file_that_is_not_there(tmp_path):
    code, output, problems = cogwire_("grammar", "--format", "gbnf", tmp_path / "none.json")
    assert (code, output) == (2, "")
    assert "none.json" in problems
