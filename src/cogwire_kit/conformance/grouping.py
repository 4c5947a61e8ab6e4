# SPDX-License-Identifier: MIT
"""Failures of one cause together: what was given, and instead of what, in the words of the report.

A class of bugs is what a case was written to find.  One mistake fails cases of many classes, and a
case of one class may fail for another reason, so that the classes alone would not show the cause.
For texts of formats, the cause is in words that are the same for one: the four texts that one
leaked `<` makes differ are one group, with one of them as its example.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, TypeVar

from cogwire_kit.conformance import corpus
from cogwire_kit.conformance.comparing import alike, has, plain
from cogwire_kit.conformance.formats import Items, Late, ParserReading, ReadMessage, is_text
from cogwire_kit.conformance.judge import GROWS, KEPT, LEVELS, REFUSED, Record, is_deadly
from cogwire_kit.conformance.questions import RESTORED
from cogwire_kit.texts.words import counted

_T = TypeVar("_T")

#: A clause after a message.
_NAMED: Final = re.compile(r"\(([a-z]+(?:-[a-z0-9]+)+)\)(?:: |$)")
#: An event as messages show it: its type, and of an error the code.
_EVENT: Final = (
    r"(nothing more|[\w-]+)(?: ([a-z-]+))?(?: at \d+)?"
    r"""(?: (?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))?"""
)
_INSTEAD: Final = re.compile(
    rf"(.*?)(?:turn \d+: )?event \d+: {_EVENT}(?: is (missing|too much)|, not {_EVENT})"
)
_ENDING: Final = re.compile(r"(exited with \d+|killed by signal \d+)(?:: (.+))?", re.DOTALL)
#: Where the words of a program stop to be the same for one cause: at a value, or at a detail.
_DETAIL: Final = re.compile(r"['\"(:\n]")
#: What differs between messages of one cause: how much there is of something, and values.
_AMOUNT: Final = re.compile(r"\b\d[\d,]*(?: (chunk|character|turn|snapshot)s?\b)?")
_QUOTED: Final = re.compile(r"""[:,]? (?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""")
#: In a fault of form: which event it is, and the value that does not fit.
_FORM: Final = "ad-reply-schema"
_PLACE: Final = re.compile(r"(?:/turns/\d+)?/(?:feeds/\d+|close)/\d+")
_VALUE: Final = re.compile(r" is .*, and (?=not |less |does )")
_TOO_LONG: Final = 10**6
#: How many classes of a group are named.
_CLASSES: Final = 3
#: What a program prints when it dies, in Go, in Rust, and in languages with exceptions.
_RAISED: Final = re.compile(
    r"^(?:(?:panic|fatal(?: error)?|Error): (.+)|thread '.*' panicked at .*\n(.+)|"
    # What is only logged has other lines after it; Bun and Deno show where it was raised.
    r"error: (.+)(?=\n\s|\s*\Z)|"
    r"(?:Uncaught |Exception in thread .* )?([\w.:]*(?:Error|Exception)\b.*))$",
    re.MULTILINE,
)
#: The last line of every crash of Node.js.
_NODE: Final = re.compile(r"\nNode\.js v\S+\Z")
#: The consequence of a verdict without an answer, or what it shows about the parser.
_EFFECTS: Final = {
    "crashed": "The parser does not answer, and everything in the text is lost.",
    "timed-out": "The parser hangs or is too slow, or the adapter does not flush its replies.",
    "fault": "The protocol does not allow the adapter's reply, which shows nothing about the "
    "parser.",
}
#: The title of a group whose replies are not JSON.
_NOISE: Final = "fault: not JSON"
_LOG: Final = " If it is a log, write it to standard error."
#: The law that a property is about, where the case is about something else.
_LAWS: Final = {
    "chunks": "m-law-chunking",
    "tokens": "m-law-modes",
    "resume": "m-law-resumable",
    "prompt": "m-law-prompt",
    "growth": "m-law-linear",
}


@dataclass(frozen=True)
class Group:
    """Cases that fail in the same way, the plainest first."""

    title: str
    cases: list[Record]
    #: What users suffer from it, if that is known.
    effect: str
    #: How many of the cases find each class of bugs, the most frequent class first.
    classes: list[tuple[str, int]]

    def heading(self) -> str:
        """Return the number of cases, what they were written to find, and the effect."""
        number = counted(len(self.cases), "case")
        named = [
            name if count == len(self.cases) else f"{name} {count}"
            for name, count in self.classes[:_CLASSES]
        ]
        named += [f"{len(self.classes) - _CLASSES} more"] * (len(self.classes) > _CLASSES)
        found = f" ({', '.join(named)})" if named else ""
        # What the cases were written to find is not what a reply shows that has another form.
        found = "" if self.cases[0]["verdict"] == "fault" else found
        return f"{number}{found}{f'. {self.effect}' if self.effect else ''}"


def by_cause(found: Iterable[_T], cause: Callable[[_T], str]) -> list[tuple[str, list[_T]]]:
    """Return what has the same cause together, the largest group first."""
    groups: dict[str, list[_T]] = {}
    for one in found:
        groups.setdefault(cause(one), []).append(one)
    return sorted(groups.items(), key=lambda pair: -len(pair[1]))


def grouped(cases: list[Record]) -> list[Group]:
    """Return cases that fail by cause: the worst levels first, then crashes, then the largest."""

    def rank(group: Group) -> tuple[int, bool, int]:
        survives = not any(is_deadly(case["verdict"]) for case in group.cases)
        return min(map(_level, group.cases)), survives, -len(group.cases)

    return sorted((_group(*one) for one in by_cause(cases, _cause)), key=rank)


def clause_of(case: Record) -> str:
    """Return the clause that a failure is about, or nothing where that is not known.

    It is the one that the finding names, or else the law of the property that fails, or else of
    the case's clauses the one that names the missing error, or the first.
    """
    if (found := _worst(case)) is None:
        return str(case["clauses"][0])
    name, finding = found
    is_fault = finding["verdict"] == "fault"
    if _is_restored(finding) and not is_fault:
        return _LAWS["resume"]
    # What is wrong with the deltas of a restored parser is a consequence.
    if (named := _named(finding)) is not None and (is_fault or name != "resume"):
        return named
    if is_fault:
        return _FORM
    if name == "fresh":
        return _of_fresh(case, finding)
    if law := _LAWS.get(name):
        return law
    demanding = _demanding(case, finding)
    return next((each for each in case["clauses"] if each in demanding), str(case["clauses"][0]))


def _of_fresh(case: Record, finding: Record) -> str:
    """Return the clause that an input which is in no corpus shows to be broken, if it is clear."""
    if finding["schedule"] != "whole":
        # The whole was read as it should be.
        is_token = (finding["request"] or {}).get("stream") == "token"
        return _LAWS["tokens" if is_token else "chunks"]
    demanding = _demanding(case, finding)
    return demanding[0] if len(demanding) == 1 else ""


def _demanding(case: Record, finding: Record) -> list[str]:
    """Return the clauses that name the error which was expected and did not come."""
    instead = _INSTEAD.fullmatch(finding["message"])
    code = instead and instead[3 if instead[4] == "missing" else 6]
    return _naming(case["dialect"], code) if code else []


@cache
def _naming(dialect: str, code: str) -> list[str]:
    """Return the clauses on the page of a dialect that name an error code."""
    known = corpus.clauses().values()
    return [
        clause.id
        for clause in known
        if dialect.startswith(clause.page.removesuffix(".md")) and f"`{code}`" in clause.text
    ]


def _is_restored(finding: Record) -> bool:
    """Say whether it is a snapshot that another process could not go on with."""
    return str(finding["schedule"]).startswith(RESTORED)


def _named(finding: Record) -> str | None:
    """Return the clause that the message of a finding names."""
    named = _NAMED.search(finding["message"])
    return named[1] if named else None


def _group(title: str, cases: list[Record]) -> Group:
    classes = Counter(flag for case in cases for flag in case["flags"] if flag != "example")
    first, number = next(iter(classes.most_common(1)), ("", 0))
    # An effect is that of a class: the example is of this class, as at least half of the cases are.
    cases.sort(key=lambda case: (first not in [*case["flags"], ""], _level(case), _size(case)))
    known = corpus.classes(corpus.PLACE).get(first) if number * 2 >= len(cases) else None
    effect = known.effect if known else ""
    effect = _EFFECTS.get(cases[0]["verdict"], effect)
    effect += _LOG if title == _NOISE else ""
    return Group(title, cases, effect, classes.most_common())


def _level(case: Record) -> int:
    return LEVELS.index(case["level"])


def findings(case: Record) -> list[tuple[str, Record]]:
    """Return what was found, each with its property, the worst first."""
    found = [
        (name, seen["finding"]) for name, seen in case["properties"].items() if "finding" in seen
    ]
    return sorted(found, key=lambda pair: pair[1]["verdict"] != case["verdict"])


def _worst(case: Record) -> tuple[str, Record] | None:
    return next(iter(findings(case)), None)


def _cause(case: Record) -> str:
    """Return what one cause makes of all its cases, in a few words."""
    if (found := _worst(case)) is None:
        return str(case["verdict"])
    _, finding = found
    verdict, message = str(finding["verdict"]), str(finding["message"])
    if _is_restored(finding):
        message = message.removeprefix(f"{finding['schedule']}: ")
        if message.startswith(REFUSED):
            return f"{RESTORED}: {REFUSED}"
        if is_deadly(verdict):
            return f"{RESTORED}: {of_message(verdict, message)}"
        # What it goes on with differs from case to case.
        return RESTORED
    return of_message(verdict, message)


def of_message(verdict: str, message: str) -> str:
    """Return what is the same in a message for one cause, whatever differs besides."""
    if begun := next((one for one in (GROWS, KEPT) if message.startswith(f"{one}: ")), ""):
        return begun
    if message.endswith(f"({_FORM})"):
        return _PLACE.sub("event", _VALUE.sub(" is ", message))
    if (instead := _INSTEAD.fullmatch(message)) is not None:
        cut = "in pieces: " if instead[1] else ""
        return cut + _instead(*instead.groups()[1:])
    if verdict in ("differs", "late", "fault"):
        return f"{verdict}: {_alike(message)}"
    return cause_of_death(verdict, message)


def _alike(message: str) -> str:
    """Return a message without what differs between those of one cause."""
    return _AMOUNT.sub(lambda one: f"N {one[1]}s" if one[1] else "N", _QUOTED.sub("", message))


def cause_of_death(verdict: str, message: str) -> str:
    """Return what is the same in a message for one cause: without values, and without details."""
    if verdict == "timed-out":
        return "no reply in time"
    if (ending := _ENDING.fullmatch(message)) is not None:
        if not ending[2]:
            return f"{verdict}: {ending[1]}"
        message = _raised(ending[2])
    summary = _alike(_DETAIL.split(message, maxsplit=1)[0].strip())
    return f"{verdict}: {summary}" if summary else verdict


def _raised(noise: str) -> str:
    """Return the line that names what a process died of, or the last one."""
    raised = [match[match.lastindex or 0] for match in _RAISED.finditer(noise)]
    return raised[-1] if raised else _NODE.sub("", noise).rstrip().splitlines()[-1]


def _instead(
    actual: str, code: str | None, alone: str | None, expected: str, expected_code: str | None
) -> str:
    """Return how one event is in the place of another, or `alone`: missing, or too much."""
    if alone == "missing":
        actual, code, expected, expected_code = "nothing more", None, actual, code
    elif alone == "too much":
        expected = "nothing more"
    if expected == "error":
        if actual != "error":
            return f"no error {expected_code or ''}".strip()
        if code == expected_code:
            return f"error {code} at another place" if code else "an error at another place"
        return f"{_event(actual, code)} instead of {expected_code or 'another'}"
    if expected == "nothing more":
        return f"an extra {_event(actual, code)}"
    if actual == "nothing more":
        return f"no {expected}"
    if actual == expected:
        return f"{expected} with other content"
    return f"{_event(actual, code)} instead of {expected}"


def _event(kind: str, code: str | None) -> str:
    return f"{kind} {code}" if code else kind


def _size(case: Record) -> int:
    """Return how much there is to read of what a case shows; what is too long comes last."""
    requests = (one["request"] for _, one in findings(case))
    sizes = [len(str(request)) for request in requests if request is not None]
    return min(sizes, default=_TOO_LONG)


# --- Texts of formats -----------------------------------------------------------------------------

#: Where a text differs whose value was made longer.
_LONG: Final = "in a long text"
#: What a failure is called, before what it was in words.
_KIND: Final = re.compile(r"([a-z-]+): (.*)", re.DOTALL)


def of_reading(reading: ParserReading, markers: Sequence[str]) -> str:
    """Return why a text of a format is not read as expected."""
    if reading.verdict == "late" and reading.late:
        return f"late: {of_late(reading.late)}"
    if reading.verdict == "grows":
        return GROWS
    actual = reading.other.actual
    if isinstance(actual, str):
        is_cause = actual.startswith(f"{_LONG}: ")
        return actual if is_cause else f"{where(reading)}: {of_failure(actual)}"
    expected = reading.expected
    of_texts = (
        _of_text(name, "".join(expected.get(name, ()) or ()), getattr(actual, name), markers)
        or f"other white space in the {name}"
        for name in ("reasoning", "content")
        if not has(expected.get(name, []), getattr(actual, name))
    )
    made_up = reading.case.made_up(actual)
    is_over = actual.finish in (None, reading.case.finish_of(expected))
    finish = "" if is_over else "another finish reason"
    why = [made_up, _of_calls(expected["calls"], actual), *of_texts, finish]
    # Where several outcomes pass, a cut must not choose another one than the whole text.
    return f"{where(reading)}: {next(filter(None, why), 'another outcome than in one piece')}"


def where(reading: ParserReading) -> str:
    """Return in which text, or in which part of the texts that are asked, something differs."""
    if reading.case.data["basis"] == "growth":
        return _LONG
    if reading.outcome is None:
        return "in one piece"
    return "beside another text" if reading.other.beside else "in cuts"


def of_items(whole: Items, actual: Items | str) -> str:
    """Return how what a cut gives differs from what the whole text does."""
    if isinstance(actual, str):
        return of_failure(actual)
    names = dict.fromkeys(next(iter(one)) for one in [*whole, *actual] if is_text(one))
    texts = (_of_text(name, _text(whole, name), _text(actual, name), ()) for name in names)
    before, after = _others(whole), _others(actual)
    lost, more = (before - after).total(), (after - before).total()
    if lost != more:
        return "an item is lost" if lost > more else "an item too many"
    if lost:
        return "another item"
    return next(filter(None, texts), "the same items in another order")


def of_late(late: Late) -> str:
    """Return what kind of item is late, and whether only the end brings it."""
    item = late.item if isinstance(late.item, dict) else {}
    kind = item.get("type", ", ".join(item)) or "an item"
    return f"{kind} at the end" if late.came is None else f"{kind} while more text follows"


def of_failure(why: str) -> str:
    """Return what a missing answer is due to, without what differs from one text to the next."""
    found = _KIND.fullmatch(why)
    return cause_of_death(found[1], found[2]) if found else why.partition(":")[0]


def _text(items: Items, name: str) -> str:
    return "".join(one[name] for one in items if is_text(one) and name in one)


def _others(items: Items) -> "Counter[str]":
    return Counter(json.dumps(one, sort_keys=True) for one in items if not is_text(one))


def _of_calls(expected: list[dict[str, Any]], actual: ReadMessage) -> str:
    """Return how the calls of a message differ from those expected, or nothing."""
    calls = actual.calls
    if len(calls) < len(expected):
        is_broken = len(actual.tried) > len(calls)
        return "the arguments of a call are not a JSON object" if is_broken else "a call is lost"
    if len(calls) > len(expected):
        return "a call too many"
    return next(filter(None, map(_of_call, expected, calls)), "")


def _of_call(expected: dict[str, Any], actual: dict[str, Any]) -> str:
    if expected["name"] != actual["name"]:
        return "a call of another name"
    wanted, found = expected["arguments"], actual["arguments"]
    if wanted.keys() - found.keys():
        return "an argument is lost"
    if found.keys() - wanted.keys():
        return "an argument too many"
    return next(_of_values(wanted, found), "")


def _of_values(expected: dict[str, Any], actual: dict[str, Any]) -> Iterator[str]:
    for name, value in expected.items():
        other = actual[name]
        if plain(value) == plain(other):
            continue
        if (kind := _TYPES[type(other)]) != _TYPES[type(value)]:
            yield f"a value is {kind}, and not {_TYPES[type(value)]}"
        elif isinstance(value, str) and value.split() == other.split():
            yield "a value has other white space"
        else:
            yield "another value"


_TYPES: Final[dict[type, str]] = {
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    list: "an array",
    dict: "an object",
    type(None): "null",
}


def _of_text(name: str, expected: str, actual: str, markers: Sequence[str]) -> str:
    """Return how a text differs from the one expected, white space aside, or nothing."""
    wanted, found = ("".join(one.split()) for one in (expected, actual))
    if wanted == found:
        return (
            ""
            if expected.split() == actual.split() or not markers
            else f"other white space in the {name}"
        )
    before = alike(wanted, found)
    wanted, found = wanted[before:], found[before:]
    after = alike(wanted[::-1], found[::-1])
    lost, more = wanted[: len(wanted) - after], found[: len(found) - after]
    if lost and more:
        return f"a part of the {name} is another text"
    if lost:
        return f"a part of the {name} is missing"
    is_marker = any(more in marker or marker in more for marker in markers)
    where = f"in the {name}"
    return f"a marker, or a part of one, {where}" if is_marker else f"too much text {where}"
