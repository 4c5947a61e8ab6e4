# SPDX-License-Identifier: MIT
"""How what a parser gives is not what is expected, in words that are the same for one cause.

The four texts that one leaked `<` makes differ are one group, with one of them as its example.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from cogwire_kit.conformance.comparing import alike, has, plain
from cogwire_kit.conformance.formats import Items, Late, ParserReading, ReadMessage, is_text
from cogwire_kit.conformance.grouping import cause_of_death
from cogwire_kit.conformance.judge import GROWS

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
    given = reading.other.given
    if isinstance(given, str):
        is_cause = given.startswith(f"{_LONG}: ")
        return given if is_cause else f"{where(reading)}: {of_failure(given)}"
    expected = reading.expected
    of_texts = (
        _of_text(name, "".join(expected.get(name, ()) or ()), getattr(given, name), markers)
        or f"other white space in the {name}"
        for name in ("reasoning", "content")
        if not has(expected.get(name, []), getattr(given, name))
    )
    made_up = reading.case.made_up(given)
    is_over = given.finish in (None, reading.case.finish_of(expected))
    finish = "" if is_over else "another finish reason"
    why = [made_up, _of_calls(expected["calls"], given), *of_texts, finish]
    # Where several outcomes pass, a cut must not choose another one than the whole text.
    return f"{where(reading)}: {next(filter(None, why), 'another outcome than in one piece')}"


def where(reading: ParserReading) -> str:
    """Return in which text, or in which part of the texts that are asked, something differs."""
    if reading.case.data["basis"] == "growth":
        return _LONG
    if reading.outcome is None:
        return "in one piece"
    return "beside another text" if reading.other.beside else "in cuts"


def of_items(whole: Items, given: Items | str) -> str:
    """Return how what a cut gives differs from what the whole text does."""
    if isinstance(given, str):
        return of_failure(given)
    names = dict.fromkeys(next(iter(one)) for one in [*whole, *given] if is_text(one))
    texts = (_of_text(name, _text(whole, name), _text(given, name), ()) for name in names)
    before, after = _others(whole), _others(given)
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


def _of_calls(expected: list[dict[str, Any]], given: ReadMessage) -> str:
    """Return how the calls of a message differ from those expected, or nothing."""
    calls = given.calls
    if len(calls) < len(expected):
        is_broken = len(given.tried) > len(calls)
        return "the arguments of a call are not a JSON object" if is_broken else "a call is lost"
    if len(calls) > len(expected):
        return "a call too many"
    return next(filter(None, map(_of_call, expected, calls)), "")


def _of_call(expected: dict[str, Any], given: dict[str, Any]) -> str:
    if expected["name"] != given["name"]:
        return "a call of another name"
    wanted, found = expected["arguments"], given["arguments"]
    if wanted.keys() - found.keys():
        return "an argument is lost"
    if found.keys() - wanted.keys():
        return "an argument too many"
    return next(_of_values(wanted, found), "")


def _of_values(wanted: dict[str, Any], found: dict[str, Any]) -> Iterator[str]:
    for name, value in wanted.items():
        other = found[name]
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


def _of_text(name: str, expected: str, given: str, markers: Sequence[str]) -> str:
    """Return how a text differs from the one expected, white space aside, or nothing."""
    wanted, found = ("".join(one.split()) for one in (expected, given))
    if wanted == found:
        return (
            ""
            if expected.split() == given.split() or not markers
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
