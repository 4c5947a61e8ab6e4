"""Every rule says what it is about, and finds its own example and not the one without it."""

import json
import re
from pathlib import Path

from cogwire import Toolset
from cogwire_kit.lint import RULES, lint_record, lint_text
from cogwire_kit.lint.examples import EXAMPLES, RECORD
from cogwire_kit.lint.rules import CODES, PROBLEMS
from tests.rows import rows

ERRORS = Path(__file__).parents[3] / "spec" / "errors.md"
VALIDATION = Path(__file__).parents[3] / "spec" / "validation.md"


def findings(text, example, severities):
    if example.kind == RECORD:
        found = lint_record(json.loads(text))
    else:
        toolset = Toolset(example.tools) if example.tools else None
        found = lint_text(text, example.kind, toolset=toolset, limits=example.limits)
    return [each.rule for each in found if each.severity in severities]


@rows("name", list(RULES))
def test_an_example_breaks_its_rule_alone_and_its_twin_breaks_none(name):
    """A note is about what is fine, so an example of an error may have one."""
    example = EXAMPLES[name]
    severities = {"error", "warning", RULES[name].severity}
    assert set(findings(example.bad, example, severities)) == {name}
    assert findings(example.good, example, severities) == []


def test_a_rule_that_another_page_describes_is_there():
    entries = re.findall(r"^### `([a-z-]+)`", ERRORS.read_text("utf-8"), re.MULTILINE)
    problems = re.findall(r"^\| `([a-z-]+)` \|", VALIDATION.read_text("utf-8"), re.MULTILINE)
    assert set(CODES) == set(entries)
    assert PROBLEMS.keys() <= set(problems)


@rows("rule", list(RULES.values()))
def test_a_rule_has_a_sentence_and_a_fix(rule):
    assert rule.summary[0].islower() or rule.summary.startswith("XML")
    assert not rule.summary.endswith(".")
    assert rule.help.endswith(".")
