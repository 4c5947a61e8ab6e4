# SPDX-License-Identifier: MIT
"""What `cogwire conformance format` found, for people: of a run, or of its report."""

import json
from collections.abc import Iterator
from functools import partial
from typing import Final

from rich.console import Console

from cogwire_kit.cli.conformance import terminal
from cogwire_kit.conformance import readings
from cogwire_kit.conformance.formats import has
from cogwire_kit.conformance.judge import Record
from cogwire_kit.conformance.reports import Report
from cogwire_kit.texts.words import counted, share

_EXPLAIN: Final = "cogwire conformance explain ID says what a text asks, and what is expected"


def write(console: Console, report: Report, first: int) -> int:
    """Write what differs, by cause, and how much is right; return the exit code."""
    say = partial(terminal.say, console)
    silent = [c["gives"] for c in report.wrong if not c["cuts"] and isinstance(c["gives"], str)]
    if len(silent) == len(report.cases) > 1:
        return unanswered(console, silent)
    groups = report.groups()
    for group in groups[:first]:
        shortest, *others = group.cases
        say(f"\n{group.title}: {counted(len(group.cases), 'text')}", "bold red")
        for line in _difference(shortest):
            say(line)
        if others:
            say(f"  also: {', '.join(one['id'] for one in others)}")
    for line in terminal.more([len(group.cases) for group in groups], first, "text"):
        say(f"\n{line}")
    say("")
    for line in totals(report):
        say(line, "red" if report.wrong else "yellow" if report.run.get("at_close") else "green")
    if report.wrong and not report.run["format"].endswith(".json"):
        say(_EXPLAIN)
    for line in _notes(report):
        say(line, "yellow")
    for line in report.end.get("baseline", ()):
        say(line, "red")
    is_wrong = bool(report.wrong or report.end.get("baseline"))
    return stopped(console, report.end["stopped"]) or int(is_wrong)


def unanswered(console: Console, whys: list[str]) -> int:
    """Write what became of texts none of which has an answer, and return the exit code."""
    for line in readings.unanswered(whys):
        terminal.say(console, line, "red")
    return 3


def stopped(console: Console, why: str | None) -> int:
    """Write why not all texts were asked, if so, and return the exit code."""
    if why:
        terminal.say(console, f"stopped, so that other texts are not asked: {why}", "red")
    return 3 if why else 0


def unasked(cuts: int) -> Iterator[str]:
    """Yield that so many cuts were not asked, if there are any."""
    if cuts:
        cuts_are = counted(cuts, "cut is", "cuts are")
        yield f"{cuts_are} not asked, because the parser died of others of the same text"


def _difference(one: Record) -> Iterator[str]:
    """Yield what a text asks, how it was cut, and what was expected and given."""
    why = "we decided" if one["basis"] == "decision" else "by the template"
    yield f"{one['id']}: {one['title']} ({why}; {', '.join(one['flags'])})"
    if one["reading"] == "wrong":
        yield f"  read wrongly even in one piece: {terminal.with_cuts([one['text']])}"
    elif one["verdict"] == "late":
        yield f"  in single characters: {terminal.one_line(one['text'])}"
        yield f"  {one['gives']}"
        return
    else:
        number = share(one["differing"], one["cuts"], "cut", "differs", "differ")
        yield f"  {number}; the least: {terminal.with_cuts(one['chunks'])}"
        if "beside" in one:
            yield f"  while {one['beside']} is read, a character of each in turn"
    given = one["gives"]
    if isinstance(given, str):
        yield f"  {given}"
    for part in ("reasoning", "content", "calls", "finish"):
        wanted = one["expected"].get(part, [])
        found = [] if isinstance(given, str) else given.get(part, [])
        is_text = part in ("reasoning", "content")
        if has(wanted, "".join(found)) if is_text else wanted == found:
            continue
        yield f"  - {part} {json.dumps(wanted, ensure_ascii=False)}"
        if not isinstance(given, str):
            yield f"  + {part} {json.dumps(found, ensure_ascii=False)}"
    # An older report has the arguments alone.
    came = () if isinstance(given, str) else given.get("as_they_came", given.get("not_json", ()))
    for call in came:
        yield f"  + as it came {json.dumps(call, ensure_ascii=False)}"


#: What the expectation of a text is based on, in words.
_BASES: Final = {
    "template": "by the template",
    "decision": "where we decided",
    "fresh": "fresh texts",
}


def totals(report: Report) -> Iterator[str]:
    """Yield how many texts are read right, by what the expectation is based on."""
    read = report.cases
    for basis, words in _BASES.items():
        verdicts = [one["reading"] for one in read if one["basis"] == basis]
        if verdicts:
            of = share(verdicts.count("right"), len(verdicts), "text", "is read", "are read")
            whole = len(verdicts) - verdicts.count("wrong")
            name = report.run["format"]
            yield f"{name}, {words}: {of} as expected in every cut, {whole} in one piece"
    cut = [one for one in read if not _is_wrong_however_cut(one)]
    depend = share(sum(one["differing"] > 0 for one in cut), len(read), "text", "depends", "depend")
    always = counted(len(read) - len(cut), "is wrong however it is", "are wrong however they are")
    cuts = counted(sum(one["cuts"] for one in read), "cut")
    yield f"{depend} on the cut, in {cuts}{f'; {always} cut' if cut != read else ''}"
    inside = [one["inside_markers"] for one in cut if "inside_markers" in one]
    differing, number = (sum(one[of] for one in inside) for of in ("differing", "cuts"))
    if number:
        yield f"inside markers, {share(differing, number, 'cut', 'differs', 'differ')}"


def _is_wrong_however_cut(one: Record) -> bool:
    return bool(one["reading"] == "wrong" and one["differing"] == one["cuts"])


def _notes(report: Report) -> Iterator[str]:
    """Yield what the verdicts do not say: what was not asked, and when things came."""
    if accepted := sum("known" in one for one in report.cases):
        texts = counted(accepted, "text is", "texts are")
        yield f"{texts} known not to be read so, and not shown"
    for needs, number in report.run.get("left_out", {}).items():
        texts = counted(number, "text is", "texts are")
        yield f"{texts} not asked: the adapter does not take {needs}"
    yield from unasked(sum(one.get("unasked", 0) for one in report.cases))
    if number := report.run.get("at_close"):
        yield f"late: nothing is given before the end in {number:,} of {counted(number, 'text')}"
        if any(one["reading"] == "cuts" and "beside" not in one for one in report.cases):
            yield "a parser of whole texts does not see cuts: see how the adapter joins the chunks"
