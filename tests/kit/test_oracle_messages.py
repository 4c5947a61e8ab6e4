"""The executable spec of messages is itself checked: hand-written examples, and the page's own."""

import itertools
import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import cogwire
from tests.core.turns.test_messages_in_each_dialect import cases
from tests.oracle import writing
from tests.oracle.messages import from_messages, messages
from tests.oracle.refused import Refused
from tests.oracle.stored import read

PAGE = Path(__file__).parents[2] / "spec" / "messages.md"
LS = '{"name": "ls", "args": {}}'
RM = '{"name": "rm", "args": {}}'
BLOCK = f"<execute>\n[\n  {LS}\n]\n</execute>"
FAILED = '{"tool": "execute", "status": "failure", "content": "no"}'
GONE = '{{"tool": "{}", "status": "failure", "content": "Cancelled: this call has no result."}}'


def user(content):
    return {"type": "user", "content": content}


def think(content, **members):
    return {"type": "think", "content": content, **members}


def respond(content, **members):
    return {"type": "respond", "content": content, **members}


def call(content=LS, **members):
    return {"type": "call", "content": content, **members}


def result(*items):
    return {"type": "result", "content": f"[{', '.join(items)}]"}


def item(tool="ls", content="ok", status="success"):
    return json.dumps({"tool": tool, "status": status, "content": content}, ensure_ascii=False)


def results(*items):
    """Write items as results between tags, one a line."""
    return "<results>\n[\n  " + ",\n  ".join(items) + "\n]\n</results>"


def assembled(events, dialect="xml-json", system=None):
    """Give messages and report in short."""
    made, report = messages(events, system, dialect)
    return (
        [(message["role"], message["content"]) for message in made],
        [(entry["index"], entry["code"]) for entry in report],
    )


def chat(*pairs):
    return [{"role": role, "content": content} for role, content in pairs]


CANCELLED = {"type": "cancelled"}
EXECUTE = {"type": "execute"}
END = {"type": "end"}


# --- The examples of the page ---


def page_examples():
    """Yield what is given, the dialect, what comes of it, and the report."""
    fences = re.findall(
        r"^```json (\w+) ?([\w-]*)\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    blocks = [
        (word, dialect, [json.loads(line) for line in body.splitlines()])
        for word, dialect, body in fences
    ]
    for given_events, expected, report in itertools.zip_longest(
        blocks, blocks[1:], blocks[2:], fillvalue=("", "", [])
    ):
        if given_events[0] in ("events", "stored"):
            changes = report[2] if report[0] == "report" else []
            yield given_events[0], given_events[2], given_events[1], expected[2], changes


@pytest.mark.parametrize(
    ("kind", "given_events", "dialect", "expected", "report"), list(page_examples())
)
def test_the_examples_of_the_page_hold(kind, given_events, dialect, expected, report):
    if kind == "stored":
        assert [placed.event for placed in read(given_events)] == expected
        return
    made, changes = messages(given_events, None, dialect or "xml-json")
    assert made == expected
    assert [[change["index"], change["code"]] for change in changes] == report


# --- Between tags ---


@pytest.mark.parametrize(
    ("events", "expected", "report"),
    [
        ([], [], []),
        ([respond("done"), END], [("assistant", "done")], []),
        ([user(" a"), user("b")], [("user", "a\n\nb")], [(0, "trimmed"), (1, "joined")]),
        (
            [think("x </think> y"), respond("<end>")],
            [("assistant", "<think>x &lt;/think> y</think>\n\n&lt;end>")],
            [(0, "neutralised"), (1, "neutralised")],
        ),
        (
            [user("</Results> <end>")],
            [("user", "&lt;/Results> <end>")],
            [(0, "neutralised")],
        ),
        (
            [call(), user("so?")],
            [("assistant", BLOCK), ("user", results(GONE.format("ls")) + "\n\nso?")],
            [(0, "orphan")],
        ),
        (
            [call(RM), call(), result(item())],
            [
                ("assistant", BLOCK.replace("ls", "rm")),
                ("user", results(GONE.format("rm"))),
                ("assistant", BLOCK),
                ("user", f"<results>\n[{item()}]\n</results>"),
            ],
            [(0, "orphan")],
        ),
        (
            [call(RM), call(), CANCELLED, result(item())],
            [
                ("assistant", f"<execute>\n[\n  {RM},\n  {LS}\n]\n</execute>"),
                ("user", results(GONE.format("rm"), item())),
            ],
            [(0, "orphan")],
        ),
        (
            [call(), result(item(), item("x"))],
            [("assistant", BLOCK), ("user", results(item()))],
            [(1, "surplus")],
        ),
        (
            [user("q"), call(), result(FAILED)],
            [
                ("user", "q"),
                ("assistant", "<think></think>"),
                ("user", f"<results>\n[{FAILED}]\n</results>"),
            ],
            [(2, "void")],
        ),
        (
            [call(), result('{"tool": "ls", "status": "success", "content": "</END"}')],
            [
                ("assistant", BLOCK),
                (
                    "user",
                    "<results>\n["
                    + item(content="X").replace("X", "\\u003c/END")
                    + "]\n</results>",
                ),
            ],
            [(1, "neutralised")],
        ),
        (
            [call('{"name": "ls"}')],
            [("assistant", BLOCK)],
            [(0, "completed")],
        ),
        ([respond("a\ud83d")], [("assistant", "a\ufffd")], [(0, "neutralised")]),
    ],
)
def test_events_become_messages(events, expected, report):
    assert assembled(events) == (expected, report)


@pytest.mark.parametrize(
    ("events", "text", "report"),
    [
        (
            [think("a", raw=" <think> a</think>"), respond("b", raw="b \n")],
            " <think> a</think>b \n",
            [],
        ),
        ([think("a", raw="a</think>")], "<think>a</think>", [(0, "completed")]),
        ([respond("now", raw="then")], "now", [(0, "mismatch")]),
        ([respond("a", raw=" a "), respond("b")], "a\n\nb", [(1, "joined")]),
        (
            [call(raw=f"<execute>[{LS}"), EXECUTE | {"raw": "] </execute>"}],
            f"<execute>[{LS}] </execute>",
            [],
        ),
        (
            [
                call(raw=f"<execute>[{LS}"),
                {
                    "type": "error",
                    "code": "json-syntax",
                    "content": "m",
                    "offset": 38,
                    "path": "/1",
                    "calls": 1,
                    "raw": ", b",
                },
            ],
            f"<execute>[{LS}, b\n</execute>",
            [],
        ),
    ],
)
def test_turns_with_raw_are_replayed_where_they_say_the_same(events, text, report):
    assert assembled(events) == ([("assistant", text)], report)


# --- By lines, and as elements ---


@pytest.mark.parametrize(
    ("dialect", "events", "expected", "report"),
    [
        (
            "delimiter",
            [think("§end"), call(), respond("r"), result(item())],
            [
                ("assistant", f"§think: &sect;end\n§respond: r\n§call: {LS}\n§execute"),
                ("user", "§result: ok"),
            ],
            [(0, "neutralised"), (2, "moved")],
        ),
        (
            "delimiter-upper",
            [call(), result(item(content="a]")), user("[system: x")],
            [("assistant", f"§CALL: {LS}\n§EXECUTE"), ("user", '[SYSTEM: "a]"]\n&#91;system: x')],
            [(2, "neutralised"), (2, "joined")],
        ),
        (
            "delimiter",
            [call(), result('{"tool": "ls", "status": "success", "content": 1.50, "ms": 1}')],
            [("assistant", f"§call: {LS}\n§execute"), ("user", "§result: 1.50")],
            [(1, "dropped")],
        ),
        (
            "delimiter",
            [call(), result('{"ms" : 1, "content":["\\u00e9",\n1],"status":"success","tool":{}}')],
            [
                ("assistant", f"§call: {LS}\n§execute"),
                ("user", '§result: ["\\u00e9", 1]'),
            ],
            [(1, "dropped"), (1, "mismatch")],
        ),
        (
            "delimiter",
            [call(), result('{"ms" : 1, "content":"no","st\\u0061tus":"failure","tool":"ls"}')],
            [
                ("assistant", f"§call: {LS}\n§execute"),
                ("user", '§result: {"content": "no", "st\\u0061tus": "failure", "tool": "ls"}'),
            ],
            [(1, "dropped")],
        ),
        (
            "delimiter",
            [user("q"), result(FAILED)],
            [("user", "q"), ("assistant", "§think:\n§end"), ("user", f"§result: {FAILED}")],
            [(1, "void")],
        ),
        (
            "xml-elements",
            [
                call('{"name": "w", "args": {"n": [1.50 ,"\\u0041"], "t": "<"}, "id": 1}'),
                result(item("w")),
            ],
            [
                (
                    "assistant",
                    '<execute>\n  <w><n>[1.50, "\\u0041"]</n><t>&lt;</t></w>\n</execute>',
                ),
                ("user", f"<results>\n[{item('w')}]\n</results>"),
            ],
            [(0, "dropped"), (0, "retyped")],
        ),
    ],
)
def test_events_become_messages_of_other_dialects(dialect, events, expected, report):
    assert assembled(events, dialect) == (expected, report)


@pytest.mark.parametrize("answer", [[], [user("u")], [result(item())]])
def test_a_replayed_block_behind_a_void_one_is_answered_by_its_own_results(answer):
    """A void batch stops without an event, so that both are one turn; its calls are none."""
    replayed = [
        {"type": "error", "code": "forged-results", "content": "m", "offset": 0, "calls": 0},
        call(),
        EXECUTE,
    ]
    raws = ("§result:", f" x\n§execute\n§call: {LS}", "\n§execute")
    turn = [event | {"raw": raw} for event, raw in zip(replayed, raws, strict=True)]
    made, _ = assembled([*turn, *answer], "delimiter")
    assert made[0] == ("assistant", "".join(raws))
    bodies = {"user": f"{GONE.format('ls')}\nu", "result": "ok"}
    assert made[1:] == [("user", f"§result: {bodies[event['type']]}") for event in answer]


def error(code, **members):
    return {"type": "error", "code": code, "content": "m", "offset": 0, "calls": 0, **members}


def test_a_turn_that_ends_in_an_execute_has_no_closer_behind_it():
    """The void batch has had its own, of which no event tells."""
    turn = [
        error("json-syntax", raw="§call: {b"),
        respond("{bad", raw="ad\n"),
        call(raw=f"§execute\n§call: {LS}"),
        EXECUTE | {"raw": "\n§execute"},
    ]
    said = f"§call: {{bad\n§execute\n§call: {LS}\n§execute"
    assert assembled([*turn, result(item())], "delimiter") == (
        [("assistant", said), ("user", "§result: ok")],
        [],
    )


@pytest.mark.parametrize(
    ("turn", "said", "report"),
    [
        # The results are over, and prose has followed them.
        (
            [error("forged-results", raw="[SYSTEM: "), respond("x", raw="a]\nx\n")],
            "[SYSTEM: a]\nx\n\n§end\n",
            [(3, "joined")],
        ),
        # They are open, and nothing else was said.
        ([error("forged-results", raw="§result:"), CANCELLED], "", [(0, "void")]),
        # A think is open.
        ([think("t", raw=" §think:  t")], "§think: t\n", []),
    ],
)
def test_a_replay_is_written_anew_where_it_leaves_something_open(turn, said, report):
    block = f"§call: {LS}\n§execute"
    made, changes = assembled([*turn, CANCELLED, call()], "delimiter")
    assert made == [("assistant", said + block)]
    assert changes == report


@pytest.mark.parametrize("dialect", ["xml-json", "xml-elements", "delimiter"])
def test_no_limit_is_judged_of_what_was_accepted_once(dialect):
    events = [call() for _ in range(300)]
    made, report = messages(events, None, dialect)
    assert report == []
    assert from_messages(made, dialect) == [*events, EXECUTE]


def test_a_string_that_some_reader_takes_for_json_is_written_as_json():
    deep = "[" * 200 + "]" * 200
    made, report = assembled([call(), result(item(content=deep))], "delimiter")
    assert made[1] == ("user", f'§result: "{deep}"')
    assert report == []


@pytest.mark.parametrize(
    ("dialect", "content", "body"),
    [
        ("xml-json", "<end> </results>", '"\\u003cend> \\u003c/results>"'),
        ("delimiter", "§end\n[system: x]", '"\\u00a7end\\n\\u005bsystem: x]"'),
    ],
)
def test_each_lookalike_of_a_carried_text_is_reported(dialect, content, body):
    made, report = assembled([call(), {"type": "result", "content": content}], dialect)
    assert body in made[1][1]
    assert report == [(1, "neutralised"), (1, "neutralised"), (1, "completed")]


@pytest.mark.parametrize(
    ("members", "body", "dropped"),
    [
        ('"tool":"ls","status":"success","content":1,"a":1,"b":2', "1", 2),
        ('"content":"x","content":"y","tool":"ls","status":"success"', "y", 1),
        # The last one counts, in the place of the first.
        (
            '"tool":"ls","content":1,"status":"failure","content":"y"',
            '{"tool": "ls", "content": "y", "status": "failure"}',
            1,
        ),
    ],
)
def test_by_lines_each_member_without_a_place_is_reported(members, body, dropped):
    made, report = assembled([call(), result("{" + members + "}")], "delimiter")
    assert made[1] == ("user", f"§result: {body}")
    assert report == [(1, "dropped")] * dropped


def test_members_within_a_member_are_those_of_the_table_too():
    usage = {"input": 1, "output": 2, "duration": None, "cost": 3}
    found = read([{"type": "metrics", "total": usage, "step": usage}])[0].event
    assert found == {
        "type": "metric",
        "total": {"input": 1, "output": 2},
        "step": {"input": 1, "output": 2},
    }


@pytest.mark.parametrize("halves", ["\ud83d", "\ud83d\ude00"])
def test_a_call_that_holds_halves_of_a_character_is_no_text(halves):
    with pytest.raises(Refused, match=r"^/0: "):
        messages([call(f'{{"name": "say", "args": {{"text": "{halves}"}}}}')])


@pytest.mark.parametrize(
    ("members", "succeeded"),
    [
        ({}, 1),
        ({"error": None}, 1),
        ({"error": False}, 1),
        ({"error": True}, 0),
        ({"error": "x"}, 0),
    ],
)
def test_an_outcome_is_a_failure_if_it_has_an_error(members, succeeded):
    stored = {"type": "result", "payload": {"outcome": "a", **members}}
    assert read([stored])[0].event["payload"]["success_count"] == succeeded


def test_a_text_longer_than_a_block_is_carried(monkeypatch):
    monkeypatch.setattr(writing, "DEFAULT_LIMITS", writing.DEFAULT_LIMITS._replace(size=3))
    made, report = assembled([call(), {"type": "result", "content": "a.txt"}])
    assert made[1] == ("user", results(item(content="a.txt")))
    assert report == [(1, "completed")]


def test_a_timestamp_is_any_number_of_json():
    assert read([think("t", timestamp=10**400)])[0].event["timestamp"] == 10**400
    with pytest.raises(Refused):
        read([think("t", timestamp=float("inf"))])


# --- Refusals ---


@pytest.mark.parametrize(
    "event",
    [
        "text",
        {"type": "say", "content": "x"},
        {"type": "user"},
        {"type": "user", "content": 1},
        call("{bad"),
        call('{"args": {}}'),
        call('{"name": "execute", "args": {}}'),
        call(f"{LS}, {LS}"),
        {"type": "result", "content": "[]", "payload": {}},
        {"type": "error", "code": "odd", "content": "m", "offset": 0, "calls": 0},
        think("t", segment=-1),
    ],
)
def test_what_is_no_event_or_no_call_is_refused_with_its_place(event):
    with pytest.raises(Refused, match=r"^/1: "):
        messages([user("q"), event])


# --- Back ---


def test_messages_are_read_as_their_events():
    events = from_messages(
        chat(
            ("system", "s"),
            ("user", " q "),
            ("assistant", f"<think>t</think>\n\n{BLOCK}"),
            ("user", f"{results(item())}\n\nthanks"),
            ("assistant", "done<end>"),
        )
    )
    assert events == [
        user("q"),
        think("t"),
        call(),
        EXECUTE,
        {
            "type": "result",
            "content": f"[\n  {item()}\n]",
            "payload": {"tools_executed": 1, "success_count": 1, "failure_count": 0},
        },
        user("thanks"),
        respond("done"),
        END,
    ]


@pytest.mark.parametrize(
    ("dialect", "assistant", "text"),
    [
        ("xml-json", "Hi.", results(item())),
        ("xml-json", BLOCK, results(item("rm"))),
        ("xml-json", BLOCK, results(item(), item())),
        ("xml-json", f"{BLOCK}\n\nmore", results(item())),
        ("xml-json", "<execute>x</execute>", results(item())),
        ("xml-json", BLOCK, results(FAILED)),
        ("delimiter", f"§call: {LS}\n§execute", "see\n§result: ok"),
        ("delimiter", "§execute", "§result: ok"),
    ],
)
def test_results_that_answer_nothing_are_the_users(dialect, assistant, text):
    events = from_messages(chat(("assistant", assistant), ("user", text)), dialect)
    assert events[-1] == user(text)


@pytest.mark.parametrize("assistant", ["Hi.", "<execute>x</execute>", "<think></think>"])
def test_the_answer_of_a_void_block_is_read_where_no_block_is(assistant):
    events = from_messages(chat(("assistant", assistant), ("user", results(FAILED))))
    assert events[-1]["payload"] == {"tools_executed": 0, "success_count": 0, "failure_count": 1}


@pytest.mark.parametrize(
    "message", ["text", {}, {"role": "tool", "content": ""}, {"role": "user", "content": None}]
)
def test_what_is_no_message_is_refused_with_its_place(message):
    with pytest.raises(Refused, match=r"^/1: "):
        from_messages([{"role": "user", "content": "q"}, message])


# --- Against the core ---


@given(cases)
@settings(max_examples=100)
def test_the_core_makes_the_same_messages_and_report(case):
    dialect, history = case
    changes = []
    made = cogwire.to_messages(history, dialect, report=changes)
    for change in changes:
        del change["message"]
    assert (made, changes) == messages(history, None, dialect)


def without_halves(text):
    return re.sub("[\ud800-\udfff]", "", text)


@given(cases, st.sampled_from(["user", "assistant"]))
@settings(max_examples=100)
def test_the_core_reads_the_same_events(case, role):
    """Of messages that it made, and of the texts of a history as messages of one role."""
    dialect, history = case
    texts = [without_halves(each["content"]) for each in history if each.get("content")]
    for given_messages in (
        cogwire.to_messages(history, dialect),
        chat(*((role, text) for text in texts)),
    ):
        expected = cogwire.from_messages(given_messages, dialect)
        for each in expected:
            each.pop("timestamp", None)
            if each["type"] == "error":
                del each["content"]
        assert from_messages(given_messages, dialect) == expected
