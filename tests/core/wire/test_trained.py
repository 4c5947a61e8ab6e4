"""Formats that models are trained on: transcripts, what is written, messages, and conversion.

What is read of a turn is in the corpus, in `conformance/described` and `conformance/formats`.
"""

import json

import pytest
from hypothesis import strategies as st

from cogwire_kit.conformance import corpus
from tests import cogwire
from tests.core.conversion.test_convert import assert_law
from tests.core.conversion.test_spans import tiled
from tests.core.helpers import (
    CARET,
    DIALECTS,
    TRAINED,
    bare,
    call,
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
from tests.core.laws import law, trained_texts
from tests.rows import rows

#: Of each format a transcript with a think, prose, calls of `a` and `b`, their results and an answer;
#: and the same in `xml-json`, of which one is converted to the other.
CONVERSIONS = corpus.array(corpus.PLACE / "texts" / "conversions.json")
WHOLE, SAME = (
    {each[name]: each[text] for each in CONVERSIONS if each.get("title") == "a whole transcript"}
    for name, text in (("from", "text"), ("to", "text"))
)
#: In those of tags, an argument is a text.
ARGS = dict.fromkeys(TRAINED, '{"x": [[1]]}') | dict.fromkeys(
    ("qwen3-coder", "glm-4.5"), '{"x": "1"}'
)
#: A call that breaks a rule.
BROKEN = {
    "hermes": "<tool_call>[]</tool_call>",
    "qwen3-coder": "<tool_call>[1]</tool_call>",
    "mistral": "[TOOL_CALLS]a[ARGS][]",
    "llama3-json": '<|python_tag|>{"name": "a", "parameters": []}',
    "glm-4.5": "<tool_call></tool_call>",
}
FAILURE = '{"tool": "execute", "status": "failure", "content": "no"}'
CALL_B = call('{"name": "b", "args": {}}')


def event_of_a(name):
    return call(f'{{"name": "a", "args": {ARGS[name]}}}')


def calls_of(name):
    """Return the texts of the calls of `a` and of `b`."""
    given = {"a": json.loads(ARGS[name]), "b": {}}
    return [cogwire.render_calls([{"name": each, "args": given[each]}], name) for each in given]


def answer(name, body):
    """Return a result with this body."""
    opener, closer = (side[0] for side in cogwire.format_named(name).wire.frame.result)
    return f"{opener}{body}{closer}"


def converted(text, source, target):
    """Return the text in another format, and the codes of the report."""
    report = []
    written = cogwire.convert(text, source, target, report=report)
    return written, [entry["code"] for entry in report]


# --- Transcripts --------------------------------------------------------------------------------


@rows("each", corpus.array(corpus.PLACE / "texts" / "transcripts.json"))
def test_a_transcript(each):
    check(each["text"], each["events"], dialect=each["dialect"], mode="transcript")
    tiled(each["dialect"], each["text"])


@rows("name", TRAINED)
def test_sealed_calls_are_emitted_with_the_end(name):
    parser = cogwire.Parser(name, calls="sealed", clock=None)
    assert parser.feed(f"a{calls_of(name)[0]}") == [respond("a")]
    assert [parser.feed(char) for char in "bc\n"] == [[], [], []]
    assert parser.close(finished=True) == [event_of_a(name), respond("bc"), execute()]


@rows("name", TRAINED)
@rows("calls", ["shown", "sealed"])
@rows("closing", [{"cancelled": True}, {}])
def test_a_turn_that_is_stopped_runs_nothing(name, closing, calls):
    a, b = calls_of(name)
    text, expected = placed(f"{a}b{b} c{CARET}", [error("missing-execute", calls=2)])
    shown = [event_of_a(name), respond("b"), CALL_B, respond("c")]
    if calls == "sealed":
        shown = [respond("b"), respond("c")]
    outcome = run(singles(text), dialect=name, closing=closing, calls=calls)
    assert bare(outcome.events) == [*shown, *expected]
    assert outcome.state == "paused"
    (message,) = messages(outcome.events)
    assert ("again" in message) == ("cancelled" not in closing)
    # What was void before has no other error, and what did not call has none.
    for row in (f"{a}{BROKEN[name]}{b}", "a"):
        stopped = run([row], dialect=name, closing=closing, calls=calls)
        assert stopped == run([row], dialect=name, calls=calls)


# --- Laws ---------------------------------------------------------------------------------------


@law(trained_texts, trained_texts, dialects=TRAINED)
def test_the_spans_of_any_text_agree_with_its_events(name, before, after):
    for text in (before, f"{before}{calls_of(name)[0]}{answer(name, 'x')}{after}"):
        events, seen = tiled(name, text)
        voided = {each["type"] for each in events if each["type"] == "error"}
        shown = {"think", "respond"} | (set() if voided else {"call"})
        assert {index for index, each in enumerate(events) if each["type"] in shown} <= seen


#: Names that every format can hold as those of arguments.
NAMES = st.text(st.sampled_from("a ]é\t=\"'&"), min_size=1).filter(
    lambda name: name == name.strip()
)
END_OF_VALUE = {"qwen3-coder": "</parameter>", "glm-4.5": "</arg_value>"}


def drawn_calls(name):
    texts = trained_texts(name)
    args = st.dictionaries(NAMES, texts, max_size=3)
    return st.lists(st.tuples(NAMES | texts, args), min_size=1, max_size=3)


@law(drawn_calls, dialects=TRAINED)
def test_calls_that_are_written_are_read_back(name, pairs):
    calls = [{"name": tool, "args": args} for tool, args in pairs]
    try:
        text = cogwire.render_calls(calls, name)
    except cogwire.RenderError as refused:
        _, index, *place = refused.path.split("/")
        if place != ["name"]:
            value = calls[int(index)]["args"][place[1]]
            assert END_OF_VALUE[name] in value
        return
    events = cogwire.parse(text, name, clock=None)
    assert cogwire.render_events(events, name) == text
    assert events.pop() == execute()
    toolset = cogwire.Toolset([], name)
    assert [toolset.check(event)[:2] for event in events] == pairs


@law(trained_texts, st.sampled_from([*DIALECTS, *TRAINED]), dialects=TRAINED)
def test_the_report_is_empty_only_if_a_text_converts_back(name, text, target):
    assert_law(text, name, target)


# --- There and back -----------------------------------------------------------------------------


@rows("name", TRAINED)
def test_a_transcript_is_converted_there_and_back(name):
    for other in ("delimiter", "hermes", "mistral", "llama3-json", "qwen3-coder"):
        there, codes = converted(WHOLE[name], name, other)
        if codes != ["retyped"]:
            assert (codes, converted(there, other, name)) == ([], (WHOLE[name], []))


LLAMA = '{"name": "a", "parameters": {"x": [[1]]}}'


# --- Writing ------------------------------------------------------------------------------------


@rows("name", TRAINED)
def test_nothing_is_written_of_a_batch_without_calls(name):
    assert converted("a<execute>[]</execute>", "xml-json", name) == ("a", ["dropped"])
    for nothing in (
        lambda: cogwire.render_calls([], name),
        lambda: cogwire.render_events([execute()], name),
    ):
        with pytest.raises(cogwire.RenderError, match="without calls"):
            nothing()


@rows(
    "name, marker, written",
    [
        ("hermes", "</tool_call>", r"\u003c/tool_call>"),
        ("mistral", "[TOOL_CALLS]", r"\u005bTOOL_CALLS]"),
    ],
)
def test_markers_in_strings_are_escaped(name, marker, written):
    text = cogwire.render_calls([{"name": "a", "args": {"x": marker}}], name)
    assert f'{{"x": "{written}"}}' in text


# --- Messages -----------------------------------------------------------------------------------


@rows("name", TRAINED)
def test_messages_are_read_and_written(name):
    events = cogwire.parse_transcript(WHOLE[name], name, clock=None)
    history = [{"type": "user", "content": "go"}, *events]
    written = cogwire.to_messages(history, name)
    assert [message["role"] for message in written] == ["user", "assistant", "user", "assistant"]
    assert "\n".join(message["content"] for message in written[1:]) == WHOLE[name]
    assert cogwire.from_messages(written, name) == history
    assert cogwire.render_events(events, name) == WHOLE[name]


@rows("name", TRAINED)
@rows("body", ['[1]}, {"content": [2]', '{"tool": "a"}, {"tool": "b"}'])
def test_a_result_that_would_end_its_item_is_text(name, body):
    """Else what follows in it would be read as another result."""
    text = WHOLE[name].replace("ok", body, 1)
    events = cogwire.parse_transcript(text, name, clock=None)
    (results_read,) = (event for event in events if event["type"] == "result")
    assert [item["content"] for item in json.loads(results_read["content"])] == [body, 1]
    assert cogwire.render_events(events, name) == text


@rows("name", TRAINED)
def test_the_result_of_a_batch_without_calls_is_left_out_of_messages(name):
    history = [
        {"type": "user", "content": "go"},
        respond("a"),
        execute(),
        result("[]"),
        respond("b"),
    ]
    assembler = cogwire.Assembler(name)
    for event in history:
        assembler.take(event)
        assert assembler.messages[0]["content"] == "go"
    assert [(entry["index"], entry["code"]) for entry in assembler.report] == [
        *[(3, "dropped"), (4, "joined")]
    ]
    for strict in (True, False):
        written = cogwire.to_messages(history, name, strict=strict)
        assert [message["content"] for message in written] == ["go", "a\nb"]


@rows("name", TRAINED)
def test_a_void_batch_is_left_out_of_messages(name):
    text = f"{BROKEN[name]}{answer(name, FAILURE)}a"
    events = run([text], dialect=name, mode="transcript").events
    stored = [event for event in events if cogwire.persisted(event)]
    written = cogwire.to_messages(stored, name)
    again = cogwire.parse_transcript("\n".join(m["content"] for m in written), name)
    assert "call" not in [event["type"] for event in again]


def test_a_turn_that_the_prompt_began_is_replayed():
    text = f"Hm.</think>{calls_of('hermes')[0]}"
    events = cogwire.parse(text, "hermes", start="think", raw=True, clock=None)
    (message,) = cogwire.to_messages(events, "hermes")
    assert message["content"] == f"<think>{text}"


@rows(
    "text, written, codes",
    [(LLAMA, f"&#123;{LLAMA[1:]}", ["neutralised"]), ('{"answer": 42}', '{"answer": 42}', [])],
)
def test_only_prose_that_begins_like_a_call_is_neutralised_in_messages(text, written, codes):
    report = []
    history = [{"type": "user", "content": "go"}, respond(text)]
    made = cogwire.to_messages(history, "llama3-json", report=report)
    assert (made[1]["content"], [entry["code"] for entry in report]) == (written, codes)
    if codes:
        with pytest.raises(cogwire.RenderError):
            cogwire.render_events(history[1:], "llama3-json")
    else:
        assert cogwire.from_messages(made, "llama3-json") == history
        assert cogwire.render_events(history[1:], "llama3-json") == text


# --- Prompts and tools --------------------------------------------------------------------------


@rows("name", [each.name for each in cogwire.formats() if each.wire.frame.has_results])
def test_the_prompt_teaches_it(name):
    prompt = cogwire.render_prompt(cogwire.Toolset([], name))
    example = prompt.partition("## An example")[2].partition("## Tools")[0]
    kinds = [event["type"] for event in cogwire.parse_transcript(example, name)]
    assert kinds[:5] == ["think", "call", "execute", "result", "respond"]
    if name in END_OF_VALUE:
        assert f"no value contains `{END_OF_VALUE[name]}`" in prompt


@rows("name", TRAINED)
def test_no_block_is_spoken_of(name):
    """The format has none, so that a model would not know what is meant."""
    prompt = cogwire.render_prompt(cogwire.Toolset([], name))
    assert "block" not in prompt
    assert "Stop after the last call and write nothing after it" in prompt
    assert "One message may contain several calls." in prompt
    assert "One message may contain at most 256 calls." in " ".join(prompt.split())
    call_a, _ = calls_of(name)
    for limits, hint in (
        ({"calls": 1}, "in the next turn"),
        ({"size": len(call_a)}, "in several turns"),
    ):
        (message,) = messages(cogwire.parse(call_a * 3, name, limits=cogwire.Limits(**limits)))
        assert hint in message
        assert "block" not in message


def test_names_that_cannot_be_written_are_warned_of():
    tools = [{"name": "a>b"}, {"name": "a b", "parameters": {"properties": {" x": {}, "y.z": {}}}}]
    assert cogwire.Toolset(tools, "qwen3-coder").warnings == (
        "tool 'a>b': its name cannot be written in qwen3-coder, so no call can name it",
        "tool 'a b': the name ' x' cannot be written in qwen3-coder, so no call can pass this argument",
    )
