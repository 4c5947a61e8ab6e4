# SPDX-License-Identifier: MIT
"""What differs, as a text that can be sent to those who maintain a parser: one issue a difference.

Each has the titles of the inputs that show it, the plainest of them, what is expected and why, what
came, and the command that shows it again, in Markdown.
"""

import json
from textwrap import indent
from typing import Any, Final

from cogwire_kit.conformance import corpus, text_reports
from cogwire_kit.conformance.grouping import Group, clause_of, findings, grouped
from cogwire_kit.conformance.reports import Record, Report, again
from cogwire_kit.texts.words import counted, visible

_NOTHING: Final = "Nothing differs.\n"
#: How many of the inputs that differ alike are named.
_NAMED: Final = 10
_BASES: Final = {
    "template": "by the public template of the format",
    "decision": "as cogwire decided; no template says it, and another reading may be as safe",
}


def of_texts(report: Record, first: int) -> str:
    """Return the issues of the report on the texts of a format, those of the largest groups."""
    groups = text_reports.groups(report)
    return "\n".join(_of_text(report, *group) for group in groups[:first]) if groups else _NOTHING


def _of_text(report: Record, title: str, texts: list[Record]) -> str:
    one = texts[0]
    chunks = one.get("chunks", [one["text"]])
    beside = f", while the text {one['beside']} was read too" if "beside" in one else ""
    return _issue(
        f"{text_reports.parser_of(report)}, {report['format']}: {title}",
        _named(texts, "text of the format", "texts of the format"),
        {
            f"The text, in the chunks in which it was sent{beside}": chunks,
            f"Expected, {_BASES[one['basis']]}": one["expected"],
            "Received": one["gives"],
        },
        text_reports.again(one, report),
    )


def of_run(report: Report, first: int) -> str:
    """Return the issues of the report of a run, those of the groups that are shown first."""
    groups = grouped(report.cases)
    return "\n".join(_of_cases(report, group) for group in groups[:first]) if groups else _NOTHING


def _of_cases(report: Report, group: Group) -> str:
    one = group.cases[0]
    clause = corpus.clauses().get(clause_of(one))
    says = f"\n\n> {clause.text} (`{clause.id}`)" if clause else ""
    finding = next((found for _, found in findings(one)), {})
    names = {"Found": "message", "The request": "request", "Expected": "expected"}
    return _issue(
        f"{report.target}, {one['dialect']}: {group.title}",
        f"{_named(group.cases, 'case', 'cases')}{says}",
        {name: finding.get(member) for name, member in {**names, "Received": "actual"}.items()},
        again(one, report.run),
    )


def _named(inputs: list[Record], one: str, many: str) -> str:
    """Return what inputs are about: one, or each of those that differ alike, the example first."""
    if not inputs[1:]:
        return f"{inputs[0]['title']}."
    # They differ alike, perhaps for several reasons: the title of one does not hold for all.
    listed = [f"- {each['title']} (`{each['id']}`)" for each in inputs[:_NAMED]]
    listed += [f"- and {len(inputs) - _NAMED:,} more"] if inputs[_NAMED:] else []
    return "\n".join([f"{counted(len(inputs), one, many)} show it; the first is below:\n", *listed])


def _issue(title: str, what: str, parts: dict[str, Any], command: str) -> str:
    shown = [f"## {visible(title)}\n\n{visible(what)}\n"]
    shown += [f"{name}:\n\n{_block(value)}\n" for name, value in parts.items() if value is not None]
    shown += [f"To see it again:\n\n{indent(visible(command), '    ')}\n"]
    return "\n".join(shown)


def _block(value: Any) -> str:
    """Return a message as it is, and anything else as JSON, in a block of code."""
    # What is indented cannot end the block, whatever is in it.
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return indent(visible(text), "    ", lambda _: True)
