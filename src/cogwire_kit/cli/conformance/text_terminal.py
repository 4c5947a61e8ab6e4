# SPDX-License-Identifier: MIT
"""Shows a run on texts to people: of a format, of described formats, or of any parser."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Final

from rich.console import Console

from cogwire_kit.cli.conformance import terminal
from cogwire_kit.conformance import text_reports
from cogwire_kit.conformance.comparing import has, plain
from cogwire_kit.conformance.formats import Late
from cogwire_kit.conformance.grouping import by_cause
from cogwire_kit.conformance.invariance import COUNTED
from cogwire_kit.conformance.judge import KEPT, Record, difference
from cogwire_kit.conformance.target import brief
from cogwire_kit.conformance.text_reports import TextReport
from cogwire_kit.texts.words import counted, share

#: How many reasons why no text has an answer are named.
_REASONS: Final = 3
#: How much is shown of what is late.
_SHOWN: Final = 300
#: For twice the text there may be so many times as much.
_GROWTH: Final = 3
#: The bases of expected values for texts of the corpus, as opposed to drawn ones.
_EXPLAINED: Final = ("template", "decision", "clauses")
_EXPLAIN: Final = "cogwire conformance explain ID says what a text asks, and what is expected"


def summary(console: Console, report: TextReport, *, first: int) -> None:
    """Write the differences by cause, and how many texts are read as expected."""
    say = partial(terminal.say, console)
    if silent := report.silent:
        for line in _unanswered(silent, report.about):
            say(line, "red")
    else:
        for title, line in _found(report, first):
            say(title or line, "bold red" if title else "")
        is_good = not report.wrong and not report.end.get("faults")
        for line in totals(report):
            say(line, "red" if not is_good else "yellow" if report.end["at_close"] else "green")
        is_known = not report.about.endswith(".json")
        if is_known and any(one["basis"] in _EXPLAINED for one in report.wrong):
            say(_EXPLAIN)
        for line in _notes(report, first):
            say(line, "yellow")
    for name in ("baseline", "faults", "unexplained"):
        for line in report.end.get(name, ()):
            say(line, "red")
    if hint := report.verdict.hint:
        say(f"{hint} leaves out what is not claimed", "yellow")
    if why := report.end["stopped"]:
        say(f"stopped, so that other texts are not run: {why}", "red")


def _found(report: TextReport, first: int) -> Iterator[tuple[str, str]]:
    """Yield a title, or a line under it, of the first groups of what differs."""
    groups = report.groups()
    for group in groups[:first]:
        shortest, *others = group.cases
        yield f"\n{group.title}: {counted(len(group.cases), 'text')}", ""
        yield from (("", line) for line in _difference(shortest))
        if others and report.about:
            yield "", f"  also: {', '.join(one['id'] for one in others)}"
    for line in terminal.more([len(group.cases) for group in groups], first, "text"):
        yield "", f"\n{line}"
    if groups:
        yield "", ""


def _unanswered(whys: list[str], about: str) -> Iterator[str]:
    """Yield each reason why texts have no answer, where none has one."""
    yield f"no text of {len(whys):,} has an answer, so none was cut"
    whys = list(map(brief, whys))
    kinds = [re.split(r": ['\"]", why, maxsplit=1)[0] for why in whys]
    for kind, number in Counter(kinds).most_common(_REASONS):
        yield f"  {counted(number, 'time')}: {whys[kinds.index(kind)]}"
    if any("not JSON" in kind or "(ad-id)" in kind for kind in kinds):
        yield "  what an adapter logs belongs on standard error"
    more = ', "state": "…", "discarded": 0' if about == text_reports.DESCRIBED else ""
    members = f'"id": "…", "feeds": [[…], …], "close": […]{more}'
    yield f"  expected: {{{members}}}, as `--help` describes it"


def _difference(one: Record) -> Iterator[str]:
    """Yield what a text asks, how it was cut, and what was expected and given."""
    actual = one["gives"]
    if one["basis"] != "itself":
        why, _ = text_reports.BASES[one["basis"]]
        about = one["clauses"] or [f"{why}; {', '.join(one['flags'])}".removesuffix("; ")]
        yield f"{one['id']}: {one['title']} ({', '.join(about)})"
    if one["basis"] == "growth":
        yield f"  made longer: {terminal.one_line(one['text'])}"
        yield f"  {actual}"
        return
    if one["verdict"] == "late":
        yield f"  in single characters: {terminal.one_line(one['text'])}"
        yield f"  {actual}"
        return
    if "whole" in one:
        read = "read wrongly even " if one["basis"] != "itself" and one["cause"] != KEPT else ""
        yield f"  {read}in one piece: {terminal.with_cuts([one['text']])}"
    else:
        number = share(one["differing"], one["cuts"], "cut", "differs", "differ")
        yield f"  {number}; the least: {terminal.with_cuts(one['chunks'])}"
        if "beside" in one:
            yield f"  while {one['beside']} is read, a character of each in turn"
    if isinstance(actual, str):
        yield f"  {brief(actual)}"
    if one["basis"] == "itself" and "whole" not in one:
        other = [] if isinstance(actual, str) else actual
        yield from (f"  {line}" for line in terminal.compared(one["expected"], other))
        return
    expected = one.get("expected", {})
    if expected.keys() & {"events", "refused", "messages", "text"} and not isinstance(actual, str):
        if "refused" not in (*expected, *actual):
            yield f"  {difference(expected, actual)}"
        yield from (f"  {line}" for line in terminal.compared(expected, actual))
        return
    for part in ("reasoning", "content", "calls", "finish"):
        wanted = expected.get(part, [])
        found = [] if isinstance(actual, str) else actual.get(part, [])
        is_text = part in ("reasoning", "content")
        if has(wanted, "".join(found)) if is_text else plain(wanted) == plain(found):
            continue
        where = part
        if part == "calls" and [one["name"] for one in wanted] == [one["name"] for one in found]:
            where, wanted, found = "in calls", *_differing(wanted, found)
        yield f"  - {where} {json.dumps(wanted, ensure_ascii=False)}"
        if not isinstance(actual, str):
            yield f"  + {where} {json.dumps(found, ensure_ascii=False)}"
    for call in () if isinstance(actual, str) else actual.get("as_they_came", ()):
        yield f"  + as it came {json.dumps(call, ensure_ascii=False)}"


def _differing(expected: list[Record], actual: list[Record]) -> tuple[list[Record], list[Record]]:
    """Return, for calls of the same tools, those that differ, with the arguments that do."""
    pairs: list[list[Record]] = []
    for one, other in zip(expected, actual, strict=True):
        pair = one["arguments"], other["arguments"]
        same = {
            n for n in pair[0].keys() & pair[1].keys() if plain(pair[0][n]) == plain(pair[1][n])
        }
        args = [{n: v for n, v in each.items() if n not in same} for each in pair]
        if any(args):
            pairs.append([{**one, "arguments": each} for each in args])
    return [one for one, _ in pairs], [other for _, other in pairs]


def totals(report: TextReport) -> Iterator[str]:
    """Yield how many texts are read right, by what the expectation is based on."""
    read = report.cases
    cuts = counted(sum(one["cuts"] for one in read), "cut")
    if not report.about:
        right = sum(one["verdict"] == "pass" for one in read)
        different = sum(one["differing"] for one in read)
        same = share(right, len(read), "text", "gives", "give")
        yield f"{same} the same for all of {cuts}{f'; {different:,} differ' if different else ''}"
        return
    for basis, (words, _) in text_reports.BASES.items():
        found = [one for one in read if one["basis"] == basis]
        if found:
            of = share(text_reports.read(found), len(found), "text", "is read", "are read")
            whole = sum("whole" not in one for one in found)
            yield f"{report.about}, {words}: {of} as expected in every cut, {whole} in one piece"
    # The others are wrong however they are cut.
    cut = [one for one in read if "whole" not in one or one["differing"] != one["cuts"]]
    depend = share(sum(one["differing"] > 0 for one in cut), len(read), "text", "depends", "depend")
    always = counted(len(read) - len(cut), "is wrong however it is", "are wrong however they are")
    yield f"{depend} on the cut, in {cuts}{f'; {always} cut' if cut != read else ''}"
    inside = [one["inside_markers"] for one in cut if "inside_markers" in one]
    if number := sum(one["cuts"] for one in inside):
        differing = sum(one["differing"] for one in inside)
        yield f"inside markers, {share(differing, number, 'cut', 'differs', 'differ')}"


def _notes(report: TextReport, first: int) -> Iterator[str]:
    """Yield notes beside the verdicts: what was not asked, and when items came."""
    if accepted := sum("known" in one for one in report.cases):
        texts = counted(accepted, "text is", "texts are")
        yield f"{texts} known not to be read so, and not shown"
    for needs, number in report.end.get("left_out", {}).items():
        texts = counted(number, "text is", "texts are")
        yield f"{texts} not asked: the adapter does not take {needs}"
    if kinds := report.end.get("unsupported"):
        texts = counted(sum(kinds.values()), "text is", "texts are")
        of = ", ".join(f"{kind} {number}" for kind, number in kinds.items())
        yield f"{texts} unsupported, by payload: {of}"
    if lacks := report.run.get("lacks"):
        yield f"not compared, because the parser lacks it: {', '.join(lacks)}"
    for verdict in ("late", "grows"):
        if number := sum(one["verdict"] == verdict for one in report.cases):
            yield f"{verdict}, which is a failure: {counted(number, 'text')}"
    if cuts := sum(one.get("unasked", 0) for one in report.cases):
        cuts_are = counted(cuts, "cut is", "cuts are")
        yield f"{cuts_are} not run, because the parser died of others of the same text"
    yield from _late(report.cases, first)
    for counts, times in sorted(report.end.get("growth", {}).items()):
        grows = times > _GROWTH
        if grows or counts != COUNTED:
            yield f"{'grows: ' if grows else ''}for twice the text, {times:.1f} times the {counts}"
    if number := report.end["at_close"]:
        yield f"late: nothing is returned before the end in {number:,} of {counted(number, 'text')}"
        alone = (one for one in report.cases if "whole" not in one and "beside" not in one)
        if any(one["differing"] for one in alone):
            yield "a parser of whole texts does not see cuts: see how the adapter joins the chunks"


def _late(cases: list[Record], first: int) -> Iterator[str]:
    """Yield what arrives later than it could."""
    items = [
        (one, item) for one in cases if one["basis"] == "itself" for item in one.get("late", ())
    ]
    groups = by_cause(items, lambda pair: str(pair[1]["cause"]))
    for title, those in groups[:first]:
        one, item = min(those, key=lambda pair: len(pair[0]["text"]))
        when = Late(item["item"], item["complete"], item["came"]).when
        yield f"\nlate: {when}: {json.dumps(item['item'], ensure_ascii=False)[:_SHOWN]}"
        yield f"  {terminal.one_line(one['text'])[:_SHOWN]}"
        if those[1:]:
            texts = counted(len({one["id"] for one, _ in those}), "text")
            yield f"  {title}: {counted(len(those), 'item')} in {texts}"
    yield from terminal.more([len(those) for _, those in groups], first, "late item")
    if short := [one for one in cases if "short" in one]:
        texts, after = counted(len(short), "text"), counted(short[0]["short"], "character")
        yield f"\nlate: {texts}; after {after} fed one by one, less is returned than in one chunk"
        yield f"  {terminal.one_line(short[0]['text'])[:_SHOWN]}"
