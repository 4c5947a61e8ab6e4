"""The turns of the corpus in described formats, as the core and the executable spec read them."""

import ast
import json
import re
import warnings

import pytest

from cogwire_kit.conformance import corpus, formats
from cogwire_kit.conformance.corpus import expanded
from tests import cogwire, oracle, schemas
from tests.core.conversion.test_spans import tiled
from tests.core.helpers import IS_BRIEF, check, unmeasured
from tests.core.laws import args_at_once
from tests.core.wire.described.reading import refusal
from tests.oracle.coercing import WORDS
from tests.rows import rows

#: The files of turns, so that a process need not read them all.
NAMES = sorted(
    {path.stem for path in corpus.PLACE.glob("described/*.json")} - {"refused", "written"}
)
#: What is a call where the text ends may still become a header.
UNDECIDED = {"headers-overlapping-a-call-in-what-is-no-header"}
TURNS = [pytest.param(described, case, id=case["id"]) for described, case in formats.turns()]


@pytest.mark.parametrize("name", NAMES)
def test_the_turns_of(name):
    failures = []
    for described, case in formats.turns(name=name):
        try:
            check_turn(described, case)
        except AssertionError as failure:
            failures.append(f"{case['id']}: {failure}")
    assert not failures, "\n".join(failures)


def check_turn(described, case):
    text, expected = expanded(case["text"]), expanded(case["expect"])
    options = dict(case.get("options", {}))
    finished = options.pop("finish", "stop") == "stop"
    tools = options.pop("tools", ())
    limits = cogwire.Limits(**options.pop("limits", {}))
    sizes = (limits.size, limits.calls, limits.depth, limits.digits)
    for size in (9,) if IS_BRIEF else (1, 9):
        chunks = [text[at : at + size] for at in range(0, min(len(text), 300), size)]
        if case["id"] not in UNDECIDED:
            args_at_once(described, chunks, limits=sizes, **options)
    with unmeasured():
        seen = oracle.parse(text, described, limits=sizes, is_finished=finished, **options)
    form = cogwire.Format.from_json(described)
    typed = [*cogwire.Toolset(tools, form).typed(seen.events)] if tools else seen.events
    assert (typed, seen.state, seen.discarded) == tuple(expected.values())
    if tools and described["name"] in WORDS:
        with unmeasured():
            args = converted(tools, seen.events, described["name"])
        assert args == [json.loads(event["content"])["args"] for event in typed[:-1]]
    del expected["events"]
    options |= {"limits": limits, "closing": {"finished": finished}}
    check(text, seen.events, dialect=form, **expected, **options)


def converted(tools, events, name):
    """Return the arguments of calls before an execute, as the executable spec converts them."""
    calls = [json.loads(event["content"]) for event in events[:-1]]
    return oracle.validation.validate(tools, calls, name)[1]


@rows("described", list({json.dumps(each): each for each, _ in formats.turns()}.values()))
def test_a_description_is_kept(described):
    schemas.validator("description").validate(described)
    form = cogwire.Format.from_json(described)
    assert cogwire.Format.from_json(form.to_json()) == form


@rows("case", [pytest.param(case, id=case["id"]) for case in formats.refusals()])
def test_a_description_is_refused(case):
    """At its place, with a reason."""
    place, _, reason = refusal(case["description"]).partition(": ")
    assert place == (case["place"] or "the description")
    assert reason not in ("", "None")


@rows("described, case", TURNS)
def test_the_spans_of_a_turn_tile_it(described, case):
    tiled(cogwire.Format.from_json(described), expanded(case["text"]))


def test_the_error_of_a_stray_closer_is_all_of_it():
    name = "strays-cut-values-a-closer-after-a-call"
    described, case = next(each for each in formats.turns(name="strays") if each[1]["id"] == name)
    form = cogwire.Format.from_json(described)
    events = cogwire.parse(case["text"], form, clock=None, raw=True, spans=True)
    seen = [(event["type"], event["raw"], event["span"]) for event in events]
    assert seen == [
        ("call", "<call>a:<x>1</v>;", [6, 17]),
        ("respond", "</call>b", [24, 25]),
        ("error", "</v>", [25, 26]),
        ("respond", "c", [29, 30]),
    ]


def test_a_call_of_which_the_end_of_the_turn_is_the_closer_lasts_to_there():
    name = "headers-named-tags-the-end-of-the-turn-after-a-header"
    described, case = next(each for each in formats.turns(name="headers") if each[1]["id"] == name)
    form = cogwire.Format.from_json(described)
    events = cogwire.parse(f"b{case['text']}", form, clock=None, spans=True)
    assert [event["span"] for event in events] == [[0, 1], [6, 9], [9, 9]]


def test_strings_of_literals_are_those_of_python():
    """Python has half characters, and no returns in its sources."""
    strings = 0
    for _, case in formats.turns():
        events = case["expect"]["events"]
        found = re.fullmatch(r"<\|tool_call_start\|>\[a\(x=(.*)\)\]", str(case["text"]), re.DOTALL)
        is_escaped = case["clauses"] == ["fd-literals-escape"] and events[0]["type"] == "call"
        if found and is_escaped and not re.search(r"\\u|\r", found[1]):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of escapes that are none
                value = ast.literal_eval(found[1])
            assert json.loads(events[0]["content"])["args"] == {"x": value}, case["id"]
            strings += 1
    assert strings > 15
