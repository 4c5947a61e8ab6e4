# SPDX-License-Identifier: MIT
"""What differs, as a text that can be sent to those who maintain a parser: one issue a difference.

Each has the titles of the inputs that show it, the plainest of them, what is expected and why, what
came, and the command that shows it again, in Markdown.
"""

import json
from textwrap import indent
from typing import Any, Final

from cogwire_kit.conformance import corpus
from cogwire_kit.conformance.grouping import Group, clause_of
from cogwire_kit.conformance.judge import Record
from cogwire_kit.conformance.reports import Report
from cogwire_kit.texts.words import counted, visible

_NOTHING: Final = "Nothing differs.\n"
#: How many of the inputs that differ alike are named.
_NAMED: Final = 10


def written(report: Report, first: int) -> str:
    """Return the issues of a report, those of the groups that are shown first."""
    groups = report.groups()
    return "\n".join(written_of(report, group) for group in groups[:first]) if groups else _NOTHING


def written_of(report: Report, group: Group) -> str:
    """Return the issue of one group of a report."""
    one = group.cases[0]
    clause = corpus.clauses().get(clause_of(one)) if one["clauses"] else None
    says = f"\n\n> {clause.text} (`{clause.id}`)" if clause else ""
    title = f"{report.target}, {one['dialect']}: {group.title}"
    what = f"{_named(group.cases, *report.nouns)}{says}"
    shown = [f"## {visible(title)}\n\n{visible(what)}\n"]
    parts = next(iter(report.findings(one)), {}).items()
    shown += [f"{name}:\n\n{_block(value)}\n" for name, value in parts if value is not None]
    shown += [f"To see it again:\n\n{indent(visible(report.again(one)), '    ')}\n"]
    return "\n".join(shown)


def _named(inputs: list[Record], one: str, many: str) -> str:
    """Return what inputs are about: one, or each of those that differ alike, the example first."""
    if not inputs[1:]:
        return f"{inputs[0]['title']}."
    # They differ alike, perhaps for several reasons: the title of one does not hold for all.
    listed = [f"- {each['title']} (`{each['id']}`)" for each in inputs[:_NAMED]]
    listed += [f"- and {len(inputs) - _NAMED:,} more"] if inputs[_NAMED:] else []
    return "\n".join([f"{counted(len(inputs), one, many)} show it; the first is below:\n", *listed])


def _block(value: Any) -> str:
    """Return a message as it is, and anything else as JSON, in a block of code."""
    # What is indented cannot end the block, whatever is in it.
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return indent(visible(text), "    ", lambda _: True)
