"""Each case of the corpus, asked of the executable specification and of the reference.

Tests go by file, and name the cases in what they say.
"""

import json

import pytest

from cogwire_kit import adapter
from cogwire_kit.conformance import comparing, corpus, questions, replies
from tests.kit.conformance.cases import (
    CASES,
    READING,
    cases_of,
    each_file,
    errors,
    judge,
    outcomes,
    turns,
)
from tests.oracle import answering
from tests.rows import rows

#: Megabytes, each of which takes the executable specification as long as all the others together.
LARGE = [case for case in CASES if "large" in case.data["flags"]]


def asked(question):
    """Return what the executable specification answers, in the normal form."""
    reply = answering.answer({"id": "1", **question.request})
    return replies.outcome(question.case, reply)


def whole(case):
    """Return the question of a case, of growth at the small size."""
    if "growth" not in case.data:
        return questions.whole(case)
    text = corpus.expanded(case.data["input"], case.data["growth"]["small"])
    return questions.parse(case, "events", [text])


def is_shown(case):
    """Whether a reader of whole texts can show it."""
    return case.options.get("close", True) and case not in LARGE


def difference(case, actual):
    expected = outcomes(case)
    if not any(replies.same(case, one, actual) for one in expected):
        yield f"{case.id}:\n  expected {shown(expected[0])}\n  actual   {shown(actual)}"


def shown(value):
    return json.dumps(value, ensure_ascii=False)[:1500]


@each_file
def test_the_executable_specification_agrees(path):
    judge(
        found
        for case in cases_of(path)
        if is_shown(case)
        for found in difference(case, asked(whole(case)))
    )


@pytest.mark.verify
@rows("case", LARGE)
def test_the_executable_specification_agrees_on_large_cases(case):
    judge(difference(case, asked(whole(case))))
    if case.op not in READING:
        judge(refusals(case))


@each_file
def test_the_executable_specification_accepts_the_twins(path):
    judge(found for case in cases_of(path) if is_shown(case) for found in refusals(case))


def refusals(case):
    """Yield what the executable specification says of the twin of a case, if it is wrong."""
    if "twin" in case.data and is_wrong(case, actual := asked(twin(case))):
        yield f"{case.id}: {shown(actual)}"


def twin(case):
    if "growth" not in case.data:
        return questions.twin(case)
    text = corpus.expanded(case.data["twin"], case.data["growth"]["small"])
    return questions.parse(case, "twin", [text])


def is_wrong(case, outcome):
    if "refused" in outcome or case.op not in READING:
        return "refused" in outcome
    return any(event["type"] == "error" for turn in turns(outcome) for event in turn["events"])


def test_the_twins_of_large_cases_have_no_errors():
    """So that they are not read twice."""
    large = [case for case in LARGE if case.op in READING]
    valid = [questions.whole(case).request for case in large if not errors(case)]
    twins = [questions.twin(case).request for case in large if "twin" in case.data]
    assert all(request in valid for request in twins)


@each_file
def test_the_reference_agrees(path):
    """Each case whole, as the adapter of the reference is asked for it."""
    judge(
        found
        for case in cases_of(path)
        for found in difference(case, replies.outcome(case, by_core(whole(case))))
    )


@each_file
def test_the_core_emits_what_is_known_before_the_end(path):
    """The executable specification reads whole texts, and cannot."""
    judge(
        f"{case.id}: {place!r}:\n  expected {shown(expected)}\n  actual   {shown(actual)}"
        for case in cases_of(path)
        for place, expected, actual in early(case)
        if expected != actual
    )


def early(case):
    """Yield what is expected early in a text, and what the core gives."""
    for point in case.data.get("prompt", []):
        text = point["after"]
        assert case.input.startswith(text), case.id
        question = questions.parse(case, "prompt", list(text), stream="token", close=False)
        given = [event for feed in by_core(question)["feeds"] for event in feed]
        yield text, corpus.expanded(point["events"]), replies.joined(given)


def by_core(question):
    return json.loads(adapter.answer(json.dumps({"id": "1", **question.request}).encode()))


# --- What is compared of an answer, and what is left out ------------------------------------------


PARSED = corpus.Case({"id": "xml-json-x", "dialect": "xml-json", "op": "parse", "expect": {}})
BETWEEN = corpus.Case({**PARSED.data, "dialect": "xml-elements"})


def test_the_normal_form_joins_deltas():
    """Those of one segment, with their raws, and of one call; an index is not a segment."""
    delta = {"type": "call_delta", "index": 0, "name": "a"}
    given = [
        {"type": "respond", "content": "a", "raw": " a", "segment": 0},
        {"type": "respond", "content": "b", "raw": "b ", "segment": 0, "done": True},
        {"type": "respond", "content": "c", "raw": "c", "segment": 1, "done": True},
        {**delta, "content": "{", "timestamp": 1},
        {**delta, "content": "}", "timestamp": 2},
        {**delta, "content": "{}", "index": 1},
        {"type": "end", "timestamp": 2},
    ]
    assert replies.joined(given) == [
        {"type": "respond", "content": "ab", "raw": " ab "},
        {"type": "respond", "content": "c", "raw": "c"},
        {**delta, "content": "{}"},
        {**delta, "content": "{}", "index": 1},
        {"type": "end"},
    ]


def test_an_empty_call_delta_is_a_fault():
    delta = {"type": "call_delta", "index": 0, "name": "a", "content": "{"}
    assert comparing.delta_faults([delta]) is None
    found = comparing.delta_faults([delta, {**delta, "content": ""}])
    assert found == "an empty call delta (m-call-delta-fields)"


def test_calls_are_compared_as_text_but_as_values_between_elements():
    one, other = (
        {"events": [{"type": "call", "content": text}]}
        for text in ('{"name": "a", "args": {}}', '{"name":"a","args":{}}')
    )
    assert not replies.same(PARSED, one, other)
    assert replies.same(BETWEEN, one, other)
