"""Tests of every format that models are trained on; what only one has is tested in its own file."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import cogwire
from tests.core.conversion.test_convert import assert_law, in_chunks
from tests.core.conversion.test_spans import tiled
from tests.core.helpers import (
    CARET,
    DIALECTS,
    bare,
    check,
    error,
    execute,
    messages,
    placed,
    respond,
    result,
    run,
    singles,
)
from tests.core.wire.described.reading import check_alike, description
from tests.core.wire.trained.test_glm_4_5 import GLM
from tests.core.wire.trained.test_hermes import HERMES
from tests.core.wire.trained.test_llama3_json import LLAMA
from tests.core.wire.trained.test_mistral import MISTRAL
from tests.core.wire.trained.test_qwen3_coder import QWEN
from tests.rows import rows

FORMATS = (HERMES, MISTRAL, QWEN, GLM, LLAMA)

of_each = pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)


def each_row(table):
    """Run a test for each row of this table of each format, by their names."""
    return rows(
        "form, row",
        [
            pytest.param(form, row, id=f"{form.name}-{name}")
            for form in FORMATS
            for name, row in table(form).items()
        ],
    )


# --- Reading ------------------------------------------------------------------------------------


@each_row(lambda form: form.all_transcripts)
def test_a_transcript(form, row):
    text, events = row
    check(text, events, dialect=form.name, mode="transcript")
    tiled(form.name, text.replace(CARET, ""))


@of_each
def test_sealed_calls_are_emitted_with_the_end(form):
    parser = cogwire.Parser(form.name, calls="sealed", clock=None)
    assert parser.feed(f"a{form.calls[0]}") == [respond("a")]
    assert [parser.feed(char) for char in "bc\n"] == [[], [], []]
    assert parser.close(finished=True) == [form.events[0], respond("bc"), execute()]


@of_each
@rows("calls", ["shown", "sealed"])
@rows("closing", [{"cancelled": True}, {}])
def test_a_turn_that_is_stopped_runs_nothing(form, closing, calls):
    a, b = form.calls
    text, expected = placed(f"{a}b{b} c{CARET}", [error("missing-execute", calls=2)])
    shown = [form.events[0], respond("b"), form.events[1], respond("c")]
    if calls == "sealed":
        shown = [respond("b"), respond("c")]
    outcome = run(singles(text), dialect=form.name, closing=closing, calls=calls)
    assert bare(outcome.events) == [*shown, *expected]
    assert outcome.state == "paused"
    (message,) = messages(outcome.events)
    assert ("again" in message) == ("cancelled" not in closing)
    # What was void before has no other error, and what did not call has none.
    for row in (f"{a}{form.broken[0].replace(CARET, '')}{b}", "a"):
        stopped = run([row], dialect=form.name, closing=closing, calls=calls)
        assert stopped == run([row], dialect=form.name, calls=calls)


# --- Laws ---------------------------------------------------------------------------------------


@pytest.mark.verify
@of_each
@given(st.data())
def test_it_reads_what_the_executable_spec_reads(form, data):
    check_alike(data, description(form.name), data.draw(form.texts))


@of_each
@given(st.data())
def test_the_spans_of_any_text_agree_with_its_events(form, data):
    before, after = data.draw(form.texts), data.draw(form.texts)
    for text in (before, f"{before}{form.calls[0]}{form.answer('x')}{after}"):
        events, seen = tiled(form.name, text)
        voided = {each["type"] for each in events if each["type"] == "error"}
        shown = {"think", "respond"} | (set() if voided else {"call"})
        assert {index for index, each in enumerate(events) if each["type"] in shown} <= seen


#: Names that every format can hold as those of arguments.
NAMES = st.text(st.sampled_from("a ]é\t=\"'&"), min_size=1).filter(
    lambda name: name == name.strip()
)


@of_each
@given(st.data())
def test_calls_that_are_written_are_read_back(form, data):
    drawn = st.tuples(NAMES | form.texts, st.dictionaries(NAMES, form.texts, max_size=3))
    pairs = data.draw(st.lists(drawn, min_size=1, max_size=3))
    calls = [{"name": name, "args": args} for name, args in pairs]
    try:
        text = cogwire.render_calls(calls, form.name)
    except cogwire.RenderError as refused:
        _, index, *place = refused.path.split("/")
        if place != ["name"]:
            value = calls[int(index)]["args"][place[1]]
            is_ended = form.end_of_value is not None and form.end_of_value in value
            assert is_ended or re.search("[\ud800-\udfff]", value)
        return
    events = cogwire.parse(text, form.name, clock=None)
    assert cogwire.render_events(events, form.name) == text
    assert events.pop() == execute()
    toolset = cogwire.Toolset([], form.name)
    assert [toolset.check(event)[:2] for event in events] == pairs


# --- There and back -----------------------------------------------------------------------------

#: The transcript of each format in `xml-json`, without the arguments of its first call.
SAME = """<think>Hm.</think>

I look.

<execute>
[
  {"name": "a", "args": ARGS},
  {"name": "b", "args": {}}
]
</execute>

<results>
[
  {"tool": "a", "status": "success", "content": "ok"},
  {"tool": "b", "status": "success", "content": 1}
]
</results>

Done."""


@of_each
def test_a_transcript_is_converted_there_and_back(form):
    same = SAME.replace("ARGS", form.args)
    report = []
    assert cogwire.convert(form.whole, form.name, "xml-json", report=report) == same
    assert cogwire.convert(same, "xml-json", form.name, report=report) == form.whole
    for other in ("delimiter", "hermes", "mistral", "llama3-json"):
        there = cogwire.convert(form.whole, form.name, other, report=report)
        assert cogwire.convert(there, other, form.name, report=report) == form.whole
    assert report == []


@of_each
@given(st.data(), st.sampled_from([*DIALECTS, "hermes", "qwen3-coder", "mistral", "llama3-json"]))
def test_the_report_is_empty_only_if_a_text_converts_back(form, data, target):
    text = data.draw(form.texts)
    if target != form.name:
        converted = assert_law(text, form.name, target)
        if "\ud83d" not in text:  # two halves are one character unless they are cut
            assert in_chunks(list(text), form.name, target) == converted


@each_row(lambda form: form.changed)
def test_what_cannot_be_kept_is_reported(form, row):
    text, written, codes = row
    report = []
    got = cogwire.convert(text, "xml-json", form.name, report=report)
    assert written in (None, got)
    assert [difference["code"] for difference in report] == codes
    again = cogwire.parse_transcript(got, form.name, clock=None)
    assert not [event for event in again if event["type"] == "error"]


@each_row(lambda form: form.refused)
def test_what_cannot_be_written_is_refused(form, row):
    name, args, path = row
    with pytest.raises(cogwire.RenderError) as refused:
        cogwire.render_calls([{"name": name, "args": args}], form.name)
    assert refused.value.path == path


@of_each
def test_nothing_is_written_of_a_batch_without_calls(form):
    for nothing in (
        lambda: cogwire.render_calls([], form.name),
        lambda: cogwire.render_events([execute()], form.name),
    ):
        with pytest.raises(cogwire.RenderError, match="without calls"):
            nothing()


@of_each
def test_messages_are_read_and_written(form):
    events = cogwire.parse_transcript(form.whole, form.name, clock=None)
    history = [{"type": "user", "content": "go"}, *events]
    written = cogwire.to_messages(history, form.name)
    assert [message["role"] for message in written] == ["user", "assistant", "user", "assistant"]
    assert written[2]["content"] == f"{form.answer('ok')}\n{form.answer('1')}"
    assert cogwire.from_messages(written, form.name) == history
    assert cogwire.render_events(events, form.name) == form.whole


@of_each
@rows("body", ['[1]}, {"content": [2]', '{"tool": "a"}, {"tool": "b"}'])
def test_a_result_that_would_end_its_item_is_text(form, body):
    """Else what follows in it would be read as another result."""
    text = form.whole.replace(form.answer("ok"), form.answer(body))
    events = cogwire.parse_transcript(text, form.name, clock=None)
    (answer,) = (event for event in events if event["type"] == "result")
    assert [item["content"] for item in json.loads(answer["content"])] == [body, 1]
    assert cogwire.render_events(events, form.name) == text


@of_each
def test_the_result_of_a_batch_without_calls_is_left_out_of_messages(form):
    history = [
        *[{"type": "user", "content": "go"}, respond("a"), execute()],
        *[{"type": "result", "content": "[]", "payload": result("[]")["payload"]}, respond("b")],
    ]
    assembler = cogwire.Assembler(form.name)
    for event in history:
        assembler.take(event)
        assert assembler.messages[0]["content"] == "go"
    assert [(entry["index"], entry["code"]) for entry in assembler.report] == [
        *[(3, "dropped"), (4, "joined")]
    ]
    for strict in (True, False):
        written = cogwire.to_messages(history, form.name, strict=strict)
        assert [message["content"] for message in written] == ["go", "a\nb"]


@of_each
def test_a_void_batch_is_left_out_of_messages(form):
    failure = '{"tool": "execute", "status": "failure", "content": "no"}'
    text = f"{form.broken[0].replace(CARET, '')}{form.answer(failure)}a"
    events = run([text], dialect=form.name, mode="transcript").events
    stored = [event for event in events if cogwire.persisted(event)]
    written = cogwire.to_messages(stored, form.name)
    again = cogwire.parse_transcript("\n".join(m["content"] for m in written), form.name)
    assert "call" not in [event["type"] for event in again]


@of_each
def test_the_prompt_teaches_it(form):
    prompt = cogwire.render_prompt(cogwire.Toolset([], form.name))
    assert [words for words in form.taught if words not in prompt] == []
    example = prompt.partition("## An example")[2].partition("## Tools")[0]
    kinds = [event["type"] for event in cogwire.parse_transcript(example, form.name)]
    assert kinds == ["think", "call", "execute", "result", "respond"]


@of_each
def test_no_block_is_spoken_of(form):
    """The format has none, so that a model would not know what is meant."""
    prompt = cogwire.render_prompt(cogwire.Toolset([], form.name))
    assert "block" not in prompt
    assert "Stop after the last call and write nothing after it" in prompt
    assert "One message may contain several calls." in prompt
    assert "One message may contain at most 256 calls." in " ".join(prompt.split())
    call_a = form.calls[0]
    for limits, hint in (
        ({"calls": 1}, "in the next turn"),
        ({"size": len(call_a)}, "in several turns"),
    ):
        events = cogwire.parse(call_a * 3, form.name, limits=cogwire.Limits(**limits))
        (message,) = messages(events)
        assert hint in message
        assert "block" not in message


@of_each
def test_spans_tile_a_transcript(form):
    pieces = [
        (span.kind, form.whole[span.start : span.end])
        for span in cogwire.spans(form.whole, form.name)
    ]
    assert "".join(text for _, text in pieces) == form.whole
    assert tuple(text for kind, text in pieces if kind == "call") == form.spans
