"""What is written in a format: calls and their results, thoughts, messages and prompts."""

import json

import pytest

from cogwire_kit.conformance import corpus, formats
from tests import cogwire
from tests.core.helpers import bare, call, execute, form_of, respond, think
from tests.core.turns.test_corpus import check_case
from tests.core.wire.described.reading import (
    BRACED,
    CODE,
    DSML,
    answered,
    description,
    like,
    path_refused,
    results,
    success,
    with_payload,
)
from tests.oracle.literal import written as safe
from tests.rows import rows

HARMONY = description("harmony")
KIMI = description("kimi-k2")
QWEN = description("qwen3-coder")
LFM, OLMO, GEMMA = map(description, ("lfm2", "olmo-3", "gemma-4"))
WRITINGS = [pytest.param(*each, id=each[1]["id"]) for each in formats.turns(name=formats.WRITTEN)]


@rows("described, case", WRITINGS)
def test_what_is_written_is_as_its_clauses_say_and_is_read_back(described, case):
    form = cogwire.Format.from_json(described)
    request, expected = dict(case["request"]), case["expect"]
    op = request.pop("op")
    check_case({"op": op, "dialect": form, "request": request, "expect": expected})
    if op == "calls" and "text" in expected:
        *calls, last = bare(cogwire.parse(expected["text"], form, clock=None))
        assert [json.loads(each["content"]) for each in calls] == request["calls"]
        assert last == execute()
    elif op == "messages" and request["events"][0]["type"] == "think":
        first, prose = (each["content"] for each in request["events"])
        written = [safe(first, "think", described), safe(prose, "respond", described)]
        content = expected["messages"][0]["content"]
        read = bare(cogwire.parse(content, form, clock=None))
        assert read == [think(written[0]), respond(written[1])]
        if "<" not in first:
            text = f"<think>{first}</think>{prose}"
            assert cogwire.convert(text, "xml-json", form) == content


def test_a_marker_that_json_has_outside_of_strings_is_written_as_it_is():
    form = cogwire.Format.from_json(like(KIMI, ignored=["[1"]))
    text = cogwire.render_calls([{"name": "a", "args": {"x": [1, "[1"]}}], form)
    assert '{"x": [1, "[1"]}' in text


# --- What is refused ----------------------------------------------------------------------------


@rows("each", corpus.array(corpus.PLACE / "texts" / "refused.json"))
def test_what_would_not_be_read_back_is_refused_with_its_place(each):
    """In the dialects of the protocol, too."""
    (kind,) = {"calls", "results", "events"} & each.keys()
    render = getattr(cogwire, f"render_{kind}")
    for dialect in each["dialects"]:
        with pytest.raises(cogwire.RenderError) as refused:
            render(each[kind], form_of(dialect))
        assert refused.value.path == each["path"]
        assert refused.value.reason == each.get("reason", refused.value.reason)


@rows(
    "described, name, args, path",
    [
        *((each, "\ud83d", {}, "/0/name") for each in (QWEN, KIMI, BRACED, GEMMA)),
        *((each, "a", {"x": "\ud800"}, "/0/args/x") for each in (QWEN, LFM)),
        (LFM, "a", {"x": float("inf")}, "/0/args/x"),
        (DSML, "a", {"x": float("nan")}, "/0/args/x"),
        (DSML, "a", {"x": (1,)}, "/0/args/x"),
        (CODE, "python", {"code": "\ud800"}, "/0/args/code"),
    ],
)
def test_what_only_programs_have_is_refused(described, name, args, path):
    assert path_refused([{"name": name, "args": args}], described) == path


def test_a_batch_that_is_longer_than_its_json_is_measured():
    """Each empty string is two thousand characters in this notation, and two in JSON."""
    items = [{"name": "a", "args": {"x": [""] * 4_500}}]
    assert cogwire.render_calls(items)
    form = cogwire.Format.from_json(with_payload(GEMMA, quote=f"<{'q' * 1000}>"))
    with pytest.raises(cogwire.RenderError):
        cogwire.render_calls(items, form)


def test_results_whose_json_a_marker_may_be_in_are_refused():
    """What is like a marker has an escape in strings alone."""
    described = {"name": "own", "call": ["<c>", "]]>"], "payload": {"kind": "object"}}
    results = [{"tool": "a", "status": "success", "content": [[1]]}]
    with pytest.raises(cogwire.RenderError, match=r"^results: '\]\]>' may be in") as why:
        cogwire.render_results(results, answered(described))
    assert why.value.path == ""


def test_results_without_markers_are_refused_in_messages():
    form = cogwire.Format.from_json(KIMI)
    call = {"type": "call", "content": '{"name": "a", "args": {}}'}
    with pytest.raises(cogwire.RenderError, match=r"^/0: .*no markers: use the model's chat"):
        cogwire.to_messages([call, {"type": "user", "content": "Go on."}], form)


# --- Messages -----------------------------------------------------------------------------------


#: The closers begin with what a text may end with.
FENCED = {
    "name": "fenced",
    "call": ["<call>", "</call>"],
    "result": ["```output\n", "```"],
    "payload": {"kind": "object"},
}


@rows("content", ["use `ls`", "use ``ls``", "use `ls"])
def test_a_result_that_ends_like_the_beginning_of_its_closer_is_kept(content):
    form = cogwire.Format.from_json(FENCED)
    events = [
        call('{"name": "a", "args": {}}'),
        execute(),
        results(success("a", json.dumps(content))),
    ]
    messages = cogwire.to_messages([*events, {"type": "user", "content": "Go on."}], form)
    read = bare(cogwire.from_messages(messages, form))
    assert [each["content"] for each in json.loads(read[2]["content"])] == [content]
    assert read[3] == {"type": "user", "content": "Go on."}


@rows("raw", [{}, {"raw": '"parameters": {}}'}])
def test_prose_that_is_a_call_only_with_the_text_beside_it_is_neutralised(raw):
    """That may be the replay of another turn."""
    report = []
    second = {**respond('"parameters": {}}'), **raw}
    events = [respond('{"name": "a",'), {"type": "interrupt"}, second]
    messages = cogwire.to_messages(events, "llama3-json", report=report)
    assert bare(cogwire.from_messages(messages, "llama3-json")) == [
        respond('&#123;"name": "a",\n"parameters": {}}')
    ]
    assert [change["code"] for change in report] == ["neutralised", "joined"]
    assert report[0]["message"] == "'{' would begin a call with the text beside it"
    apart = [respond('{"name": "a",'), respond("b")]
    assert cogwire.to_messages(apart, "llama3-json")[0]["content"] == '{"name": "a",\nb'


@rows("name", [each.name for each in cogwire.formats() if "" not in each.format.result])
def test_the_answer_of_a_broken_call_is_read_back(name):
    content = '[{"tool": "execute", "status": "failure", "content": "b"}]'
    payload = {"tools_executed": 0, "success_count": 0, "failure_count": 1}
    void = {"type": "result", "content": content, "payload": payload}
    messages = cogwire.to_messages([respond("a"), void], name)
    assert [each["type"] for each in cogwire.from_messages(messages, name)] == ["respond", "result"]


@rows("rest", ["b", "<think>b"])
def test_results_answer_calls_that_text_follows(rest):
    turn = cogwire.render_calls([{"name": "a", "args": {}}], "hermes")
    result = {"tool": "a", "status": "success", "content": "c"}
    answer = cogwire.render_results([result], "hermes")
    messages = [
        {"role": "assistant", "content": f"{turn}\n{rest}"},
        {"role": "user", "content": answer},
    ]
    events = cogwire.from_messages(messages, "hermes")
    kind = "think" if "<" in rest else "respond"
    assert [each["type"] for each in events] == ["call", kind, "execute", "result"]


# --- Prompts ------------------------------------------------------------------------------------


def test_a_prompt_with_other_tools_is_refused():
    with pytest.raises(ValueError, match="this format has one tool, 'python'"):
        cogwire.render_prompt(cogwire.Toolset([{"name": "python"}], answered(CODE)))
