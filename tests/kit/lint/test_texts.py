"""Findings of a transcript: its errors, its calls, and what was probably not meant."""

from typing import get_args

import pytest

from cogwire import Format, Limits, Toolset, parse_transcript
from cogwire.events import Code
from cogwire.tools.problems import ProblemCode
from cogwire_kit.conformance import corpus
from cogwire_kit.lint import RULES, lint_events, lint_text
from tests.rows import rows

(FINDINGS,) = corpus.array(corpus.PLACE / "texts" / "findings.json")
CALL = '{"name": "ls", "args": {}}'
BLOCK = f"<execute>[{CALL}]</execute>"
HERMES = '<tool_call>{"name": "ls", "arguments": {}}</tool_call>'
TAGS = ("xml-json", "xml-elements")


def found(text, dialect="xml-json", **options):
    """Return the findings in short: the rule, and the text at its place."""
    return [
        (finding.rule, text[finding.start : finding.end])
        for finding in lint_text(text, dialect, **options)
    ]


def test_every_code_and_every_problem_is_a_rule():
    assert RULES.keys() >= {*get_args(Code), *get_args(ProblemCode)}


@rows("row", FINDINGS["texts"])
def test_the_findings(row):
    dialect = row["dialect"]
    dialect = dialect if isinstance(dialect, str) else Format.from_json(dialect)
    assert [[*each] for each in found(row["text"], dialect)] == row["findings"]


@rows("dialect", TAGS)
def test_replaced_characters_are_found(dialect):
    """There is one finding, which counts runs, but not those that an error names."""
    (finding,) = lint_text(b"a\xff\xffb\xff", dialect)
    assert (finding.rule, finding.start, finding.end) == ("replaced-character", 1, 2)
    assert finding.occurrences == 2
    assert finding.message == (
        "Here and at 1 other place the input is not UTF-8, or half of a surrogate pair."
    )
    (finding,) = lint_text(b"a\xff\xff", dialect)
    assert finding.occurrences is None
    assert finding.message == "Here the input is not UTF-8, or half of a surrogate pair."
    assert [each.rule for each in lint_text(b"a<execute>\xff</execute>", dialect)] == [
        "bad-encoding"
    ]
    assert [each.start for each in lint_text("\ud83d\ude00\ud83d", dialect)] == [1]
    assert lint_text("\ufffd".encode(), dialect) == []


def test_the_dialect_is_that_of_the_toolset():
    """Unless another one is named."""
    toolset = Toolset([{"name": "cat"}], "hermes")
    assert [each.rule for each in lint_text(HERMES, toolset=toolset)] == ["unknown-tool"]
    assert "unknown-tool" not in {
        each.rule for each in lint_text(HERMES, "xml-json", toolset=toolset)
    }


def test_calls_are_validated_with_their_tools():
    tools = [{"name": "ls", "parameters": {"type": "object", "required": ["path"]}}]
    text = f"<execute>[{CALL},\n" + '{"name": "cat", "args": {}}]</execute>'
    findings = lint_text(text, toolset=Toolset(tools))
    assert [(each.rule, each.line, each.column, each.event) for each in findings] == [
        ("missing-arg", 1, 11, 0),
        ("unknown-tool", 2, 1, 1),
    ]
    # A call that never runs is not judged.
    assert [each.rule for each in lint_text(f"<execute>[{CALL}", toolset=Toolset(tools))] == [
        "unclosed-execute"
    ]


def test_a_place_is_a_line_and_a_column_of_code_points():
    (finding,) = lint_text("\U0001f600é\r\n\U0001f600<execute>[x]</execute>")
    assert (finding.line, finding.column, finding.end_line, finding.end_column) == (2, 12, 2, 13)
    assert (finding.path, finding.event, finding.severity) == ("/0", 1, "error")
    assert finding.message.startswith("At /0: ")
    assert finding.help == RULES["json-syntax"].help


@rows("text, dialect, message", [tuple(each.values()) for each in FINDINGS["messages"]])
def test_a_message_is_for_people_and_asks_the_model_for_nothing(text, dialect, message):
    (finding,) = lint_text(text, dialect)
    assert finding.message.endswith(message)
    (event,) = [each for each in parse_transcript(text, dialect) if each["type"] == "error"]
    assert event["content"].startswith(f"{finding.message} S")
    stored = [{**event, "type": "error"}]
    assert next(each.message for each in lint_events(stored, dialect)) == finding.message


@rows("name", ["a. Send b", "Send "])
def test_quoted_text_is_not_shortened(name):
    (finding,) = lint_text(f'<execute>[{{"name": "ls", "args": {{"{name}": 1, "{name}": 2')
    assert f'"{name}" appears twice' in finding.message


def test_limits_are_those_of_the_parser():
    assert found(f"<execute>[{CALL}, {CALL}]</execute>", limits=Limits(calls=1)) == [
        ("limit-calls", "{")
    ]


def test_a_dialect_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="unknown dialect"):
        lint_text("", "xml")
