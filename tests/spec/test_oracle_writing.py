"""The executable spec of writers and batches: what it refuses, and where.

Its output is in the cases of the corpus, which state only whether a value is refused.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.helpers import respond, think
from tests.oracle import DIALECTS, batch, parse, writing
from tests.oracle.refused import Refused
from tests.oracle.spelling import Number, value
from tests.rows import rows

LS = {"name": "ls", "args": {}}
CALL = {"type": "call", "content": '{"name": "ls", "args": {}}'}
EXECUTE = {"type": "execute"}
END = {"type": "end"}
ONE = '[{"tool": "ls", "status": "success", "content": 1}]'
SUCCESS = {"tool": "ls", "status": "success", "content": 1}
FAILURE = SUCCESS | {"status": "failure", "content": "no"}
ERROR = {"type": "error", "code": "json-syntax", "content": "Broken.", "offset": 9, "calls": 0}


def result(content, executed, succeeded, failed):
    counts = {"tools_executed": executed, "success_count": succeeded, "failure_count": failed}
    return {"type": "result", "content": content, "payload": counts}


def nested(levels):
    inner = 0
    for _ in range(levels):
        inner = [inner]
    return inner


def place(write, *values):
    """Return the place that a writer names when it refuses."""
    with pytest.raises(Refused) as refusal:
        write(*values)
    return refusal.value.path


@rows(
    "given_value, path",
    [
        (b"", ""),
        ((1,), ""),
        ({"a": [0, {1}]}, "/a/1"),
        ({1: 2}, ""),
        ({"a/~": {"\ud800": 1}}, "/a~1~0"),
        (["\udfff"], "/0"),
        (float("nan"), ""),
        (float("inf"), ""),
        (10**309, ""),
        (nested(129), "/0" * 128),
    ],
)
def test_json_cannot_represent_it(given_value, path):
    assert place(writing.to_json, given_value, "xml-json") == path


def test_a_number_keeps_its_spelling():
    assert writing.to_json(Number("1.50"), "xml-json") == "1.50"
    assert value(" [1.50] ") == [Number("1.50")]


@rows(
    "call, path",
    [
        ("ls", "/1"),
        ({"name": "ls"}, "/1"),
        (LS | {"id": 1}, "/1"),
        (LS | {"name": ""}, "/1/name"),
        (LS | {"name": "execute"}, "/1/name"),
        (LS | {"name": 1}, "/1/name"),
        (LS | {"args": []}, "/1/args"),
    ],
)
def test_an_invalid_call_is_refused(call, path):
    assert [place(writing.calls, [LS, call], dialect) for dialect in DIALECTS] == [path] * 4


@rows(
    "name, args, path",
    [
        ("my tool", {}, "/0/name"),
        ("n:w", {}, "/0/name"),
        ("a", {"1": "x"}, "/0/args/1"),
        ("a", {1: "x"}, "/0/args"),
        ("a", {"a\ud800": "x"}, "/0/args"),
        ("a", {"x": 1}, "/0/args/x"),
        ("a", {"x": "\x0b"}, "/0/args/x"),
    ],
)
def test_elements_cannot_express_it(name, args, path):
    assert place(writing.calls, [{"name": name, "args": args}], "xml-elements") == path


@rows(
    "item, path",
    [
        ([], "/1"),
        ({"tool": "ls", "status": "success"}, "/1"),
        (SUCCESS | {"ms": 1}, "/1"),
        (SUCCESS | {"tool": ""}, "/1/tool"),
        (SUCCESS | {"tool": 1}, "/1/tool"),
        (SUCCESS | {"status": "ok"}, "/1/status"),
        (FAILURE | {"content": {}}, "/1/content"),
        (FAILURE | {"tool": "execute"}, "/1"),
        (SUCCESS | {"content": "\ud83d"}, "/1/content"),
    ],
)
def test_an_invalid_item_of_results_is_refused(item, path):
    assert [place(writing.results, [SUCCESS, item], each) for each in DIALECTS] == [path] * 4


def test_execute_fails_and_is_alone():
    for dialect in DIALECTS:
        assert '"execute"' in writing.results([FAILURE | {"tool": "execute"}], dialect)
        assert place(writing.results, [SUCCESS | {"tool": "execute"}], dialect) == "/0"


@rows(
    "events, path",
    [
        ([1], "/0"),
        ([END, {"type": "think"}], "/1"),
        ([{"type": "user", "content": "u"}], "/0"),
        ([{"type": "cancelled"}], "/0"),
        ([END, ERROR], "/1"),
        ([CALL, EXECUTE, {"type": "result", "content": "[]"}], "/2"),
        ([CALL, {**EXECUTE, "type": ["execute"]}], "/1"),
        ([respond("a"), think("")], "/1"),
        ([think("a ")], "/0"),
        ([respond("a\ud800")], "/0"),
        ([respond("a"), CALL], "/1"),
        ([{"type": "call", "content": "x"}, EXECUTE], "/0"),
        ([CALL, EXECUTE, respond("a"), result(ONE, 1, 1, 0)], "/3"),
        ([CALL, EXECUTE, result(ONE, 1, 0, 1)], "/2"),
        ([CALL, EXECUTE, result(ONE.replace("ls", "rm"), 1, 1, 0)], "/2"),
        ([CALL, EXECUTE, result("[]", 0, 0, 0)], "/2"),
    ],
)
def test_events_do_not_read_back(events, path):
    assert [place(writing.render, events, dialect) for dialect in DIALECTS] == [path] * 4


def test_only_one_family_of_dialects_can_express_it():
    """Segments side by side, and among the calls; and markers of the other family."""
    for events in ([respond("a"), respond("b")], [CALL, think("t"), EXECUTE]):
        assert place(writing.render, events) == "/0"
        assert parse(writing.render(events, "delimiter"), "delimiter").events == events
    assert place(writing.render, [respond("a <end>")]) == "/0"
    assert writing.render([respond("a <end>")], "delimiter") == "§respond: a <end>"
    assert writing.render([respond("a\n§end")]) == "a\n§end"
    assert place(writing.render, [respond("a\n§end")], "delimiter") == "/0"


@rows(
    "events, outcomes",
    [
        ([{"content": "{}"}], []),
        ([{"type": "call"}], []),
        (["call"], []),
        ([CALL, EXECUTE], [[-1, {"status": "success", "content": 1}]]),
        ([CALL, EXECUTE], [[0, {"status": "success", "content": nested(127)}]]),
    ],
)
def test_a_batch_refuses_it(events, outcomes):
    with pytest.raises(Refused):
        batch.batch(events, outcomes, None, "xml-json")


@given(st.sampled_from(DIALECTS), st.text(), st.sampled_from(["success", "failure"]))
def test_the_result_of_a_batch_is_rendered(dialect, text, status):
    """Its result answers its block, whatever the outcome was."""
    outcomes = [[0, {"status": status, "content": text}]]
    answers = batch.batch([CALL, EXECUTE], outcomes, None, dialect)
    assert writing.render([CALL, EXECUTE, *answers], dialect)
