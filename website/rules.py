# SPDX-License-Identifier: MIT
"""The page of the rules of `cogwire lint`; those that another page describes are links to it."""

import json
from pathlib import Path
from typing import Final

from cogwire_kit.lint import RULES, Rule, lint_record, lint_text
from cogwire_kit.lint.examples import EXAMPLES, RECORD
from cogwire_kit.lint.rules import CODES, PROBLEMS
from website import links
from website.text import escaped, fence, page, prose, table, write

_ABOUT: Final = (
    "[`cogwire lint`](library/check.md) looks for these. An *error* is text that is not read as it "
    "was meant, a *warning* is text that probably was not meant so, and a *note* is about "
    "something that is correct, but that another format cannot express; `--select notes` shows "
    "notes. The ids never change their meaning."
)


def write_page(pages: Path) -> None:
    """Write the page of all rules."""
    rows = [
        (f"[`{name}`]({_place(name, rule)})", rule.severity, prose(rule.summary))
        for name, rule in RULES.items()
    ]
    shown = table(("rule", "severity", "what"), rows)
    sections = [
        block
        for name, rule in RULES.items()
        if _is_described_here(name, rule)
        for block in _section(name, rule)
    ]
    write(pages / "rules.md", page("Lint rules", _ABOUT, shown, *sections))


def _is_described_here(name: str, rule: Rule) -> bool:
    """Whether a rule has a section on this page, and is no code, problem or note of the spec."""
    return not (name in CODES or name in PROBLEMS or rule.severity == "note")


def _place(name: str, rule: Rule) -> str:
    if _is_described_here(name, rule):
        return links.rule(name)
    if name in CODES:
        return links.error(name)
    return "spec/validation.md#problems" if name in PROBLEMS else "spec/messages.md#report"


def _section(name: str, rule: Rule) -> list[str]:
    """Return what the page says of one rule, as blocks of Markdown."""
    example = EXAMPLES[name]
    is_record = example.kind == RECORD
    what = "In this record:" if is_record else f"In this transcript of `{example.kind}`:"
    found = (
        lint_record(json.loads(example.bad)) if is_record else lint_text(example.bad, example.kind)
    )
    messages = [f"{each.rule} {each.message}" for each in found if each.rule == name]
    return [
        f"## `{name}` {{ #{name} }}",
        f"**What.** {escaped(rule.summary[0].upper() + rule.summary[1:])} ({rule.severity}).",
        what,
        fence(example.bad, "json" if is_record else "wire"),
        "`cogwire lint` says:",
        fence("\n".join(messages)),
        f"**Fix.** {prose(rule.help)}",
        fence(example.good, "json" if is_record else "wire"),
    ]
