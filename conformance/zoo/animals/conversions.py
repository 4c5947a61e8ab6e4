"""Bugs in converting."""

from typing import Final

from conformance.zoo.making import bug_in

_converting: Final = bug_in("converting")

ANIMALS: Final = (
    _converting(
        "end-lost",
        "state-leaks-into-the-next-turn",
        "The end is not converted.",
        '                ⟦self.parts.append(("end", end(self.target)))¦pass⟧',
    ),
    _converting(
        "conversion-unreported",
        "conversion-loses-silently",
        "The report is empty.",
        'return [⟦{"offset": offset, "code": code} for offset, _, code in ordered¦⟧]',
    ),
    _converting(
        "conversion-offsets-of-events",
        "report-offset-in-the-wrong-text",
        "The offsets of the report are those of events.",
        "self.entries.append((placed.offset⟦ + inside¦⟧, placed.number, code))",
    ),
    _converting(
        "conversion-of-live-markers",
        "marker-live-in-the-other-dialect",
        "Markers of the other dialect are not neutralised.",
        "        places = ⟦live_markers(each.content, each.kind, self.target)¦[]⟧",
    ),
    _converting(
        "conversion-revives-void-blocks",
        "void-block-revived",
        "A block without its execute is kept.",
        "        is_kept = ⟦has_execute and ¦⟧all(",
    ),
    _converting(
        "conversion-of-half-a-block",
        "half-a-block-converted",
        "A block that the other dialect cannot contain is written anyway.",
        """        return ⟦False¦True⟧
    back""",
    ),
    _converting(
        "conversion-of-joined-segments",
        "segments-run-together",
        "Segments that run together are not reported.",
        "        if ⟦is_after_prose and (is_split or self.target not in LINES)¦False⟧:",
    ),
    _converting(
        "conversion-moves-silently",
        "report-offset-in-the-wrong-text",
        "What is moved before the calls is not reported.",
        "        if ⟦is_moved and self.target not in LINES¦False⟧:",
    ),
    _converting(
        "conversion-of-values",
        "conversion-loses-silently",
        "Calls are serialized again.",
        """⟦return content if dialect in LINES or "args" in value(content) else with_args(content)¦\
import json
    return json.dumps(json.loads(content)) if "args" in value(content) else with_args(content)⟧""",
    ),
    _converting(
        "conversion-retypes-silently",
        "conversion-loses-silently",
        "Values that become texts are not reported.",
        '                ⟦self.note(each, "retyped")¦pass⟧',
    ),
    _converting(
        "conversion-reports-by-kind",
        "report-offset-in-the-wrong-text",
        "The report is in the order in which things were found.",
        (
            "        ordered = ⟦sorted(self.entries, key=lambda each: (*each[:2], "
            "CODES.index(each[2])))¦"
            "self.entries⟧"
        ),
    ),
)
