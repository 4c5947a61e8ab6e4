# SPDX-License-Identifier: MIT
"""The verdict on a run, which never goes beyond what was seen in it."""

from dataclasses import dataclass

from cogwire_kit.adapter import ABILITIES, OPS
from cogwire_kit.conformance import corpus
from cogwire_kit.conformance.judge import PASSING, PROPERTIES
from cogwire_kit.conformance.reports import (
    Record,
    Report,
    departures,
    is_failing,
    is_unclaimed,
    version,
)
from cogwire_kit.conformance.runner import Options
from cogwire_kit.texts.words import counted, share


@dataclass(frozen=True)
class Verdict:
    """The verdict on a target."""

    #: `conformant`; `partial`, when what was asked passes; `failing`; or `none`.
    kind: str
    #: In a few words, for a badge.
    short: str
    #: All of it, in a line.
    text: str
    #: The option without which what is not claimed counts against the target.
    hint: str = ""

    @property
    def is_good(self) -> bool:
        """Whether everything that was asked passes."""
        return self.kind in ("conformant", "partial") and not self.hint


def verdict(report: Report) -> Verdict:
    """Return the verdict on a run."""
    end = report.end
    asked = [case for case in report.cases if not is_unclaimed(case)]
    passing = sum(case["verdict"] in PASSING for case in asked)
    chosen = "selected" if report.run["selection"] else "claimed"
    summary = share(passing, len(asked), f"{chosen} case", "passes", "pass")
    if end["probes"] or end["stopped"]:
        reason = end["stopped"] or "the adapter is not to be trusted"
        return Verdict("none", "no verdict", f"no verdict: {reason}; {summary} so far")
    if end["conformant"]:
        return Verdict("conformant", "conformant", "conformant")
    short = f"{passing:,} of {len(asked):,} pass"
    if end["known"]:
        summary += f", {counted(end['known'], 'known failure')}"
        short += f", {end['known']:,} known to fail"
    short = ", ".join([short, *report.departures])
    summary = "; ".join([summary, *end["unseen"]])
    if wrong := _wrong(report):
        return Verdict("failing", short, f"not conformant: {', '.join(wrong)}; {summary}")
    is_held_against_it = report.departures or any(map(is_unclaimed, report.cases))
    hint = "--as-claimed" if is_held_against_it and not report.run["as_claimed"] else ""
    return Verdict("partial", short, summary, hint)


def _wrong(report: Report) -> list[str]:
    """Return in words what went wrong, aside from what was known."""
    failing = [c for c in report.cases if is_failing(c) and not is_unclaimed(c)]
    unexplained, stale = report.end["unexplained"], report.end.get("baseline", ())
    counts = (
        (failing, "mandatory case fails", "mandatory cases fail"),
        (unexplained, "failure that no case explains", "failures that no case explains"),
        (stale, "entry of the baseline does not hold", "entries of the baseline do not hold"),
    )
    return [counted(len(those), one, many) for those, one, many in counts if those]


def unseen(
    run: Record, records: list[Record], everything: list[corpus.Case], options: Options
) -> list[str]:
    """Return in words what the mandatory set of a target's dialects asks, and a run did not."""
    target = run["target"]
    dialects = {record["dialect"] for record in records}
    mandatory = {case.id for case in everything if case.is_mandatory and case.dialects <= dialects}
    missing = mandatory - {record["id"] for record in records if not is_unclaimed(record)}
    unclaimed = {case.op for case in everything if case.id in mandatory} - set(target["ops"])
    ops = [op for op in OPS if op in unclaimed]
    claims = [set(target["dialects"].get(name, ())) for name in dialects]
    dropped = [n for n in ABILITIES if not all(n in one for one in claims) or n in options.without]
    unjudged = [name for name in PROPERTIES if name not in options.properties]
    gaps = departures(target)
    if missing:
        gaps.append(f"{len(missing):,} of {counted(len(mandatory), 'mandatory case')} not asked")
    if ops:
        gaps.append(f"without the {'op' if len(ops) == 1 else 'ops'} {', '.join(ops)}")
    if dropped:
        gaps.append(f"without {', '.join(dropped)}")
    if unjudged:
        gaps.append(f"{', '.join(unjudged)} not judged")
    if run["corpus"]["sha256"] != version(corpus.PLACE)["sha256"]:
        gaps.append("not the cases of this version")
    return gaps
