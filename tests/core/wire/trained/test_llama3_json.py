"""The format `llama3-json`: its turns and transcripts by hand, and what it does alone."""

import pytest

from tests import cogwire
from tests.core.conversion.test_convert import assert_law
from tests.core.helpers import CARET, call, execute, respond
from tests.core.wire.trained.formats import Format, results, success
from tests.rows import rows

TAG = "<|python_tag|>"
A = '{"name": "a", "parameters": {"x": [[1]]}}'
CALL_A = call('{"name": "a", "args": {"x": [[1]]}}')
B = '{"parameters": {}, "name": "b"}'
CALL_B = call('{"name": "b", "args": {}}')

ANSWER = "<|start_header_id|>ipython<|end_header_id|>{}<|eot_id|>"

LLAMA = Format(
    name="llama3-json",
    think=("<think>", "</think>"),
    result=ANSWER,
    calls=(f"{TAG}{A}", f'{TAG}{{"name": "b", "parameters": {{}}}}'),
    args='{"x": [[1]]}',
    spans=(A, '{"name": "b", "parameters": {}}'),
    broken=(f'{TAG}{{"name": "a", "parameters": {CARET}[]}}', "bad-args", "/parameters"),
    transcripts={
        "a call where a turn begins": (
            f"{A}{ANSWER.format('ok')}{B}{ANSWER.format('1')}{{}}",
            [
                CALL_A,
                execute(),
                results(success("a", '"ok"')),
                CALL_B,
                execute(),
                results(success("b", "1")),
                respond("{}"),
            ],
        )
    },
    changed={
        "a tag in prose": (f"a {TAG} c", "a &lt;|python_tag|> c", ["neutralised"]),
        "prose that begins with a brace": ("\n{1} {2}", "{1} {2}", []),
        "an answer that is JSON": ('{"answer": 42, "name": "a"}', None, []),
        "an answer with a tag": (
            f'{{"answer": "{TAG}"}}',
            '{"answer": "&lt;|python_tag|>"}',
            ["neutralised"],
        ),
        "prose that is a call": (A, f"&#123;{A[1:]}", ["neutralised"]),
        "prose that is a broken call": (
            '<think>a</think>{"name": "a", "parameters": ',
            '<think>a</think>\n&#123;"name": "a", "parameters":',
            ["neutralised"],
        ),
        "a brace and a separator in prose": ("a {1};{2}", "a {1};{2}", []),
        "a batch of nothing": ("a<execute>[]</execute>", "a", ["dropped"]),
    },
    taught=('"parameters"',),
    pieces=(
        *(TAG, "<|python", "_tag|>", A, B, A, '"name": "b"', '"parameters": {}', '{"x": 1}'),
        *('"parameters": {"x": 1, "x": 2}', '{"name": "execute", ', '{"name": "c"}'),
        *('{"name": "c", "parameters": ', f'{{"x": "{TAG}"}}'),
    ),
)


def test_sealed_calls_without_a_tag_are_emitted_with_the_end():
    parser = cogwire.Parser("llama3-json", calls="sealed", clock=None)
    assert [parser.feed(part) for part in (A, ";", "b", "c\n")] == [[], [], [], []]
    assert parser.close(finished=True) == [CALL_A, respond("bc"), execute()]


def test_prose_that_begins_like_a_call_is_neutralised_in_messages():
    report = []
    history = [{"type": "user", "content": "go"}, respond(A)]
    _, message = cogwire.to_messages(history, "llama3-json", report=report)
    assert message["content"] == f"&#123;{A[1:]}"
    assert [entry["code"] for entry in report] == ["neutralised"]
    with pytest.raises(cogwire.RenderError):
        cogwire.render_events([respond(A)], "llama3-json")


@rows(
    "source, text, target, written, codes",
    [
        (
            "delimiter",
            '§call: {"name": "b", "args": {}}\n§respond: ;a\n§execute',
            "llama3-json",
            f"{LLAMA.calls[1]}\n&#59;a",
            ["neutralised"],
        ),
        (
            "delimiter",
            '§call: {"name": "b", "args": {}}\n§respond: {"x": 1}\n§execute',
            "llama3-json",
            f'{LLAMA.calls[1]}\n&#123;"x": 1}}',
            ["neutralised"],
        ),
        (
            "delimiter",
            '§respond: a\n§respond: {"name": "a", "parameters": {}}',
            "llama3-json",
            'a\n{"name": "a", "parameters": {}}',
            ["joined"],
        ),
        ("llama3-json", '{"x": 1}', "xml-json", '{"x": 1}', []),
        (
            "llama3-json",
            f"{B};; a",
            "delimiter",
            '§call: {"name": "b", "args": {}}\n§respond: &#59; a\n§execute',
            ["neutralised"],
        ),
    ],
)
def test_prose_that_would_be_lost_is_neutralised(source, text, target, written, codes):
    assert assert_law(text, source, target)[0] == written
    report = []
    assert cogwire.convert(text, source, target, report=report) == written
    assert [entry["code"] for entry in report] == codes


def test_an_answer_that_is_json_is_kept_in_messages():
    report = []
    history = [{"type": "user", "content": "go"}, respond('{"answer": 42}')]
    written = cogwire.to_messages(history, "llama3-json", report=report)
    assert (written[1]["content"], report) == ('{"answer": 42}', [])
    assert cogwire.from_messages(written, "llama3-json") == history
    assert cogwire.render_events(history[1:], "llama3-json") == '{"answer": 42}'


def test_the_separator_of_calls_is_a_marker():
    text = f"{A}; {B}"
    spans = cogwire.spans(text, "llama3-json")
    assert [text[span.start : span.end] for span in spans] == [A, ";", " ", B]
    assert [span.kind for span in spans] == ["call", "marker", "white", "call"]
