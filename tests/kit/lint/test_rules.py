"""Every rule says what it is about, and finds its own example and not the one without it."""

import json
import re
from pathlib import Path

from cogwire_kit.lint import RULES, lint_record, lint_text
from cogwire_kit.lint.rules import RECORD
from tests.rows import rows

ERRORS = Path(__file__).parents[3] / "spec" / "errors.md"
VALIDATION = Path(__file__).parents[3] / "spec" / "validation.md"

WITH_EXAMPLE = [(name, rule.example) for name, rule in RULES.items() if rule.example]


def findings(text, kind):
    found = lint_record(json.loads(text)) if kind == RECORD else lint_text(text, kind)
    return [each.rule for each in found if each.severity != "note"]


@rows("name, example", WITH_EXAMPLE)
def test_an_example_breaks_its_rule_alone_and_its_twin_breaks_none(name, example):
    assert set(findings(example.bad, example.kind)) == {name}
    assert findings(example.good, example.kind) == []


def test_a_rule_without_an_example_has_a_separate_page_or_is_a_note():
    entries = set(re.findall(r"^### `([a-z-]+)`", ERRORS.read_text("utf-8"), re.MULTILINE))
    problems = set(re.findall(r"^\| `([a-z-]+)` \|", VALIDATION.read_text("utf-8"), re.MULTILINE))
    bare = {name for name, rule in RULES.items() if not rule.example and rule.severity != "note"}
    assert bare == entries | (bare & problems)


@rows("rule", list(RULES.values()))
def test_a_rule_has_a_sentence_and_a_fix(rule):
    assert rule.summary[0].islower() or rule.summary.startswith("XML")
    assert not rule.summary.endswith(".")
    assert rule.help.endswith(".")
