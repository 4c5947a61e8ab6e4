# SPDX-License-Identifier: MIT
"""The page of each parser: what differs, as texts that can be sent to those who maintain it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Final

from cogwire_kit.conformance import formats, forms
from cogwire_kit.texts.words import counted
from website.readings import Reading
from website.text import escaped, fence, page, write

_ABOUT: Final = (
    "These are the texts of the corpus that this parser does not read as expected in every cut, or "
    "that it reads late, from the stored reports. Each text below is a report that can be sent to "
    "the maintainers as it is: an input, what is expected and why, what the parser returned, and "
    "the command that shows it again. [Before you send "
    "one](../library/for-engines.md#report-what-it-loses), run its command with the newest version "
    "of the parser, and search its tracker."
)
#: A remark of the page of results, with the parsers and formats that it begins with.
_REMARK: Final = re.compile(r"^- \*\*(.+?)\*\*.*?(?=^- |\Z)", re.DOTALL | re.MULTILINE)
_PARTS: Final = re.compile(r", and |, | and ")
#: What the remarks leave out of the title of a parser.
_LONG: Final = re.compile(r" (in|after) .*|'s JsonOutputParser$")


def write_pages(folder: Path, found: Sequence[Reading], remarks: str) -> dict[str, str]:
    """Write a page for each parser of which something differs; return their names by title.

    `remarks` are the sections by hand of the page of results.
    """
    written: dict[str, str] = {}
    for title in dict.fromkeys(one.title for one in found):
        those = [one for one in found if one.title == title]
        blocks = [block for one in those for block in _of_format(one)]
        if not blocks:
            continue
        parser = those[0].report["parser"]
        known = _known(str(parser["title"]), remarks)
        text = page(f"{title}: what differs", _ABOUT, *known, *blocks, search=False)
        write(folder / f"{parser['name']}.md", text)
        written[title] = f"{folder.name}/{parser['name']}.md"
    return written


def _known(title: str, remarks: str) -> Iterator[str]:
    """Yield what is said of a parser by hand, with the issues of its project that are known."""
    names = {title, _LONG.sub("", title)}
    _, _, section = remarks.partition("What differs most\n")
    bullets = _REMARK.finditer(section.partition("\n## ")[0])
    of_it = [one[0].strip() for one in bullets if names & {*_PARTS.split(" ".join(one[1].split()))}]
    if of_it:
        yield "## What is known { #known }"
        yield "\n".join(of_it)
        yield "[What differs most](../formats.md#what-differs-most) compares it with others."


def _of_format(one: Reading) -> Iterator[str]:
    """Yield what differs in a format, each difference as one text that can be sent."""
    cases = one.asked(formats.load(one.format).cases)
    report = replace(one.stored, cases=cases)
    groups = report.groups()
    if not groups:
        return
    number = sum(len(group.cases) for group in groups)
    of = f"{number:,} of {counted(len(cases), 'text')}"
    goal = f"../formats/{one.format}.md"
    yield f"## {escaped(one.format)} {{ #{one.format} }}"
    yield f"[{of}](../formats/{one.path.name}) of [the format]({goal}):"
    for group in groups:
        summary = f"{group.title} ({counted(len(group.cases), 'text')})"
        text = fence(forms.as_issue(report, group), longest=None)
        yield f'<details markdown="1"><summary>{escape(summary)}</summary>\n\n{text}\n\n</details>'
