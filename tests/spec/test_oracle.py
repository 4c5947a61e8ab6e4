"""The executable spec beside the core: what both write, refuse, convert, detect and answer is the same.

How they read texts is compared in `tests/core/parser/test_laws.py`, and in `fuzz/differential.py`
with `json` and `lxml` as well.  Single values are cases of the corpus, of which each is asked of both
in `tests/kit/conformance/test_answers.py`; the examples of the pages are in `test_pages.py`.
"""

import base64
import json
import operator
import re
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogwire_kit import strategies as make
from cogwire_kit.conformance import corpus
from tests import cogwire
from tests.core.conversion.test_convert import sources
from tests.core.helpers import DIALECTS, repaired, respond, think
from tests.core.laws import law
from tests.core.turns import test_render_in_each_dialect as rendering
from tests.core.turns.test_messages_in_each_dialect import cases
from tests.kit.conformance.cases import CASES
from tests.oracle import answer, batch, converting, detect, parse, spanning, writing
from tests.oracle.detecting import AMBIGUOUS, PROSE
from tests.oracle.exchanges import exchanges
from tests.oracle.messages import from_messages, messages
from tests.oracle.refused import Refused
from tests.oracle.stored import read
from tests.rows import rows

LS = {"name": "ls", "args": {}}
CALL = {"type": "call", "content": json.dumps(LS)}
EXECUTE = {"type": "execute"}
USER = {"type": "user", "content": "q"}


# --- Reading ----------------------------------------------------------------------------------


def test_a_depth_beyond_the_stack_of_python_is_read():
    depth = 3 * sys.getrecursionlimit()
    element = f'{{"name":"a","args":{{"x":{"[" * depth + "]" * depth}}}}}'
    outcome = parse(f"<execute>[{element}]</execute>", limits=(99_999, 9, depth + 3, 9))
    assert outcome.events == [{"type": "call", "content": element}, EXECUTE]


@rows("options", [{"mode": "chat"}, {"start": "end"}, {"dialect": "morse"}])
def test_a_mode_a_start_or_a_dialect_that_does_not_exist_is_refused(options):
    with pytest.raises(ValueError, match="|".join(options.values())):
        parse("", **options)


# --- Writing ----------------------------------------------------------------------------------


def attempt(write, given_value, dialect):
    """Return what the executable spec writes, or None and the place of what it refuses."""
    try:
        return write(given_value, dialect), None
    except Refused as refusal:
        return None, refusal.path


def assert_same(write, core_writes, given_value, dialect):
    """Both write the same, or refuse it at the same place, which one of them may name more exactly."""
    text, place = attempt(write, given_value, dialect)
    core_text, core_place = rendering.attempt(core_writes, given_value, dialect)
    assert text == core_text
    assert text is not None or core_place.startswith(place) or place.startswith(core_place)


ODD = st.sampled_from([b"", (1,), {1}, float("nan"), 10**309, "\ud83d", {1: 2}, {"\ud800": 1}])
NESTED = st.integers(120, 132).map(lambda depth: json.loads("[" * depth + "]" * depth))
VALUES = st.recursive(
    rendering.json_values | ODD,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(rendering.texts, inner, max_size=2),
    max_leaves=4,
)
NAMES = rendering.texts | rendering.xml_names | st.sampled_from(["", "execute", 1, "n:w", "\ud83d"])
#: A value that may be anything, instead of a member or beside it.
LOOSE = VALUES | NESTED
CALLS = (
    rendering.json_calls
    | rendering.xml_calls
    | st.fixed_dictionaries({"name": NAMES, "args": st.dictionaries(NAMES, LOOSE, max_size=2)})
    | st.dictionaries(st.sampled_from(["name", "args", "id"]), LOOSE)
    | LOOSE
)
STATUSES = st.sampled_from(["success", "failure", "ok", 1])
#: Calls that fit in every dialect.
ELEMENTS = st.lists(rendering.xml_calls, max_size=1)
VALID = st.lists(rendering.items_of(rendering.tools), max_size=1)
ITEMS = st.fixed_dictionaries({"tool": NAMES, "status": STATUSES, "content": LOOSE}) | (
    st.dictionaries(st.sampled_from(["tool", "status", "content", "ms"]), LOOSE)
)
EVENTS = (
    st.builds(think, rendering.segments)
    | st.sampled_from([{"type": "think"}, {"type": "cancelled"}, USER, 1, {"type": ["end"]}])
    | st.sampled_from([respond("a "), respond("a\ud800"), respond("")])
)
many = settings(max_examples=8 * settings.default.max_examples)


@many
@given(ELEMENTS, st.lists(CALLS, max_size=1), ELEMENTS, rendering.dialects)
def test_both_write_the_same_calls_or_refuse_the_same(before, odd, after, dialect):
    assert_same(writing.calls, cogwire.render_calls, [*before, *odd, *after], dialect)


@many
@given(VALID, st.lists(ITEMS, max_size=1), VALID, rendering.dialects)
def test_both_write_the_same_results_or_refuse_the_same(before, odd, after, dialect):
    assert_same(writing.results, cogwire.render_results, [*before, *odd, *after], dialect)


@many
@given(
    rendering.wire_events, st.lists(EVENTS, max_size=1), rendering.wire_events, rendering.dialects
)
def test_both_write_the_same_events_or_refuse_them(before, odd, after, dialect):
    """Of several events that do not fit, each may name another one."""
    events = [*before, *odd, *after]
    text, _ = attempt(writing.render, events, dialect)
    assert text == rendering.attempt(cogwire.render_events, events, dialect)[0]


@given(rendering.dialects, st.lists(rendering.items_of(st.just("ls")), max_size=3), st.randoms())
def test_both_answer_a_batch_with_the_same_result(dialect, items, random):
    """Which is rendered: it answers its block, whatever the outcomes were, in whichever order."""
    order = random.sample(range(len(items)), len(items))
    events = [*[CALL] * len(items), EXECUTE]
    outcomes = [[at, {name: items[at][name] for name in ("status", "content")}] for at in order]
    core, results = cogwire.Batch(dialect, clock=None), []
    for event in events:
        results += core.take(event)
    for index, outcome in outcomes:
        results += core.settle(index, **outcome)
    assert batch.batch(events, outcomes, None, dialect) == results
    assert writing.render([*events, *results], dialect)


# --- Messages and exchanges -------------------------------------------------------------------


def test_limits_do_not_apply_to_stored_events():
    events = [CALL] * 300
    for dialect in ("xml-json", "xml-elements", "delimiter"):
        made, report = messages(events, None, dialect)
        assert report == []
        assert from_messages(made, dialect) == [*events, EXECUTE]


STORED = corpus.array(corpus.PLACE / "texts" / "stored.json")


@rows(
    "each",
    [each for each in STORED if "call_delta" not in [event["type"] for event in each["stored"]]],
)
def test_what_is_stored_is_read_by_both(each):
    """Where each outcome belongs is decided by what makes messages."""
    events = [placed.event for placed in read(each["stored"])]
    expected = each.get("read", each["stored"])
    written = ([json.dumps(each, sort_keys=True) for each in both] for both in (events, expected))
    assert operator.eq(*map(sorted, written))


several = settings(max_examples=4 * settings.default.max_examples)


@several
@given(cases)
def test_both_make_the_same_messages_and_report(case):
    dialect, history = case
    changes = []
    made = cogwire.to_messages(history, dialect, report=changes)
    for change in changes:
        del change["message"]
    assert (made, changes) == messages(history, None, dialect)


@several
@given(cases)
def test_both_return_the_same_exchanges(case):
    """In memory, and from storage, where calls have the same ids."""
    dialect, history = case
    stored = cogwire.read_events(filter(cogwire.persisted, history))
    ids = []
    for events in history, stored:
        given_turns = cogwire.exchanges(events, dialect)
        assert given_turns == exchanges(events, dialect)
        ids.append([call["id"] for turn in given_turns for call in turn["calls"]])
    assert ids[0] == ids[1]


@several
@given(cases, st.sampled_from(["user", "assistant"]))
def test_both_read_the_same_events(case, role):
    """For messages that the core built, and for the texts of a history as messages of one role."""
    dialect, history = case
    texts = [
        re.sub("[\ud800-\udfff]", "", each["content"]) for each in history if each.get("content")
    ]
    for given_messages in (
        cogwire.to_messages(history, dialect),
        [{"role": role, "content": text} for text in texts],
    ):
        expected = cogwire.from_messages(given_messages, dialect)
        for each in expected:
            each.pop("timestamp", None)
            if each["type"] == "error":
                del each["content"]
        assert from_messages(given_messages, dialect) == expected


# --- Conversion, detection and spans ----------------------------------------------------------

texts = st.sampled_from(DIALECTS).flatmap(sources).map(repaired)


@given(texts)
def test_both_convert_to_the_same_text_with_the_same_report(text):
    for source in DIALECTS:
        for target in DIALECTS:
            changes = []
            converted = cogwire.convert(text, source, target, report=changes)
            for change in changes:
                del change["message"]
            assert converting.convert(text, source, target) == (converted, changes)


@given(texts)
def test_both_detect_the_same_dialect(text):
    detect_alike(text)
    assert detect(text.encode()) == detect(text)


def detect_alike(data):
    detected = cogwire.detect(data)
    reasons = {0: PROSE, 1: detected.dialect}
    assert detect(data) == reasons.get(len(detected.candidates), AMBIGUOUS)


def inputs():
    """Yield the inputs of the corpus, but for those of megabytes."""
    for case in (each for each in CASES if "large" not in each.data["flags"]):
        if case.op == "parse" and "input" in case.data and "growth" not in case.data:
            start = case.options.get("start", "prose")
            yield pytest.param(case.dialect, case.input, start, id=case.id)


@rows("dialect, data, start", inputs)
def test_both_say_the_same_of_an_input_of_the_corpus(dialect, data, start):
    detect_alike(data)
    assert spanning.spans(data, dialect, start) == [
        *map(tuple, cogwire.spans(data, dialect, start=start))
    ]


@given(texts, st.sampled_from(["prose", "think"]))
def test_both_return_the_same_spans(text, start):
    for dialect in DIALECTS:
        found = cogwire.spans(text, dialect, start=start)
        assert spanning.spans(text, dialect, start) == list(map(tuple, found))


@law(make.inputs, parses=False)
def test_both_return_the_same_spans_of_any_input(dialect, data):
    assert spanning.spans(data, dialect) == list(map(tuple, cogwire.spans(data, dialect)))


# --- As an adapter ----------------------------------------------------------------------------


@rows(
    "given_input, feeds",
    [
        ({"chunks": ["<e", "nd>"]}, 2),
        ({"chunks_b64": [base64.b64encode(b"<end>").decode()]}, 1),
        ({"text": "<end>", "cuts": [0, 3]}, 3),
    ],
)
def test_all_events_are_in_the_close(given_input, feeds):
    assert answer({"id": "7", "op": "parse", "raw": True, **given_input}) == {
        "id": "7",
        "feeds": [[]] * feeds,
        "close": [{"type": "end", "raw": "<end>"}],
        "state": "ended",
        "discarded": 0,
        "tail": "",
    }


@rows(
    "op, members",
    [
        ("sing", {}),
        ("hello", {"protocol": 2}),
        ("parse", {"dialect": "yaml", "text": ""}),
        ("convert", {"from": "xml-json", "to": "yaml", "text": ""}),
        ("parse", {"chunks": [""], "snapshots": [0]}),
        ("parse", {"text": "", "close": False}),
    ],
)
def test_an_unknown_op_or_option_is_unsupported(op, members):
    assert answer({"id": "7", "op": op, **members}).keys() == {"id", "unsupported"}
