"""The executable spec of writers and batches: hand-written examples, with what each must give."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle import DIALECTS, batch, parse, writing
from tests.oracle.refused import Refused
from tests.oracle.spelling import Number

LINES = ("delimiter", "delimiter-upper")
LS = {"name": "ls", "args": {}}
CALL = {"type": "call", "content": '{"name": "ls", "args": {}}'}
RM = {"type": "call", "content": '{"name": "rm"}'}
EXECUTE = {"type": "execute"}
END = {"type": "end"}


def success(content, tool="ls"):
    return {"tool": tool, "status": "success", "content": content}


def failure(content, tool="ls"):
    return {"tool": tool, "status": "failure", "content": content}


def think(content):
    return {"type": "think", "content": content}


def respond(content):
    return {"type": "respond", "content": content}


def error(code="json-syntax", content="Broken."):
    return {"type": "error", "code": code, "content": content, "offset": 9, "calls": 0}


def result(content, executed, succeeded, failed):
    counts = {"tools_executed": executed, "success_count": succeeded, "failure_count": failed}
    return {"type": "result", "content": content, "payload": counts}


def written(value, dialect="xml-json"):
    """Give the JSON of a value."""
    return writing.to_json(value, dialect)


def place(write, *given_values):
    """Give the place that a writer names when it refuses."""
    with pytest.raises(Refused) as refusal:
        write(*given_values)
    return refusal.value.path


def nested(levels):
    value = 0
    for _ in range(levels):
        value = [value]
    return value


# -- JSON -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (-7, "-7"),
        (10**30, "1000000000000000000000000000000"),
        (1.5, "1.5"),
        (-0.0, "-0.0"),
        ([], "[]"),
        ({}, "{}"),
        ([1, [2], {"b": 1, "a": None}], '[1, [2], {"b": 1, "a": null}]'),
        ("é\x7f\u2028/", '"é\x7f\u2028/"'),
        ('"\\\b\f\n\r\t\x00\x1f', r'"\"\\\b\f\n\r\t\u0000\u001f"'),
        (Number("1.50"), "1.50"),
    ],
)
def test_json_stands_on_one_line(value, text):
    assert written(value) == text


@pytest.mark.parametrize(
    ("text", "tags", "lines"),
    [
        ("<end>", r"\u003cend>", "<end>"),
        ("</ThInKing", r"\u003c/ThInKing", "</ThInKing"),
        ("<<results", r"<\u003cresults", "<<results"),
        ("<//end> < end> <exec", "<//end> < end> <exec", "<//end> < end> <exec"),
        ("<thin\u212a>", "<thin\u212a>", "<thin\u212a>"),
        ("§End", "§End", r"\u00a7End"),
        ("§§callable", "§§callable", r"§\u00a7callable"),
        ("[system: ", "[system: ", r"\u005bsystem: "),
        ("[SYSTEM:x", "[SYSTEM:x", "[SYSTEM:x"),
    ],
)
def test_lookalikes_are_escaped_in_strings_and_names(text, tags, lines):
    for dialect in DIALECTS:
        escaped = lines if dialect in LINES else tags
        assert written({text: text}, dialect) == f'{{"{escaped}": "{escaped}"}}'


@pytest.mark.parametrize(
    ("value", "path"),
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
def test_what_json_cannot_hold_is_refused(value, path):
    assert place(written, value) == path


# -- Calls ----------------------------------------------------------------------------------


def test_calls_are_framed():
    calls = [{"args": {"file": "a.txt"}, "name": "read"}, LS]
    assert writing.calls(calls) == (
        '<execute>\n[\n  {"name": "read", "args": {"file": "a.txt"}},\n'
        '  {"name": "ls", "args": {}}\n]\n</execute>'
    )
    assert writing.calls(calls, "xml-elements") == (
        "<execute>\n  <read><file>a.txt</file></read>\n  <ls/>\n</execute>"
    )
    assert writing.calls(calls, "delimiter") == (
        '§call: {"name": "read", "args": {"file": "a.txt"}}\n'
        '§call: {"name": "ls", "args": {}}\n§execute'
    )
    assert writing.calls([LS], "delimiter-upper") == ('§CALL: {"name": "ls", "args": {}}\n§EXECUTE')


def test_no_calls_are_a_block_too():
    assert [writing.calls([], dialect) for dialect in DIALECTS] == [
        "<execute>\n[]\n</execute>",
        "<execute>\n</execute>",
        "§execute",
        "§EXECUTE",
    ]


def test_values_of_elements_are_character_data():
    call = {"name": "w", "args": {"a": "", "b": "<c> &\r\n\"'"}}
    assert writing.calls([call], "xml-elements") == (
        "<execute>\n  <w><a></a><b>&lt;c&gt; &amp;&#13;\n\"'</b></w>\n</execute>"
    )


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("call", "path"),
    [
        ("ls", "/1"),
        ({"name": "ls"}, "/1"),
        ({**LS, "id": 1}, "/1"),
        ({**LS, "name": ""}, "/1/name"),
        ({**LS, "name": "execute"}, "/1/name"),
        ({**LS, "name": 1}, "/1/name"),
        ({**LS, "args": []}, "/1/args"),
    ],
)
def test_what_is_no_call_is_refused(dialect, call, path):
    assert place(writing.calls, [LS, call], dialect) == path


@pytest.mark.parametrize(
    ("name", "args", "path"),
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
def test_what_elements_cannot_hold_is_refused(name, args, path):
    assert place(writing.calls, [{"name": name, "args": args}], "xml-elements") == path


def test_the_limits_hold_for_calls():
    """The array is level 1, the call 2, its args 3."""
    for dialect in ("xml-json", *LINES):
        assert writing.calls([{"name": "a", "args": {"x": nested(125)}}], dialect)
        deep = [{"name": "a", "args": {"x": nested(126)}}]
        assert place(writing.calls, deep, dialect) == "/0/args/x" + "/0" * 125
        assert place(writing.calls, [LS] * 257, dialect) == "/256"


# -- Results --------------------------------------------------------------------------------


def test_results_are_framed():
    items = [{"content": {"n": 1}, "status": "success", "tool": "ls"}, failure("no", "rm")]
    framed = (
        '<results>\n[\n  {"tool": "ls", "status": "success", "content": {"n": 1}},\n'
        '  {"tool": "rm", "status": "failure", "content": "no"}\n]\n</results>'
    )
    assert writing.results(items, "xml-json") == framed
    assert writing.results(items, "xml-elements") == framed
    assert writing.results(items, "delimiter") == (
        '§result: {"n": 1}\n§result: {"tool": "rm", "status": "failure", "content": "no"}'
    )
    assert writing.results(items, "delimiter-upper") == (
        '[SYSTEM: {"n": 1}]\n[SYSTEM: {"tool": "rm", "status": "failure", "content": "no"}]'
    )


def test_no_results_are_an_empty_array():
    assert [writing.results([], dialect) for dialect in DIALECTS] == [
        "<results>\n[]\n</results>",
        "<results>\n[]\n</results>",
        "§result: []",
        "[SYSTEM: []]",
    ]


@pytest.mark.parametrize(
    ("content", "lower", "upper"),
    [
        ("no files", "no files", "no files"),
        ("a\nb ]c", "a\nb ]c", "a\nb ]c"),
        ("see [1]\nand", "see [1]\nand", r'"see [1]\nand"'),
        ("[a]", "[a]", '"[a]"'),
        ("\u00a0", "\u00a0", "\u00a0"),
        ("{", "{", "{"),
        ("1e999", "1e999", "1e999"),
        ("42", '"42"', '"42"'),
        ("[ ]", '"[ ]"', '"[ ]"'),
        ("", '""', '""'),
        ("a\n", r'"a\n"', r'"a\n"'),
        ("so §ended", r'"so \u00a7ended"', r'"so \u00a7ended"'),
        (42, "42", "42"),
        (
            {"content": 1, "tool": 2, "status": 3},
            '{"tool": "ls", "status": "success", "content": {"content": 1, "tool": 2, "status": 3}}',
            '{"tool": "ls", "status": "success", "content": {"content": 1, "tool": 2, "status": 3}}',
        ),
    ],
)
def test_the_body_of_a_success(content, lower, upper):
    assert writing.results([success(content)], "delimiter") == f"§result: {lower}"
    assert writing.results([success(content)], "delimiter-upper") == f"[SYSTEM: {upper}]"


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("item", "path"),
    [
        ([], "/1"),
        ({"tool": "ls", "status": "success"}, "/1"),
        ({**success(1), "ms": 1}, "/1"),
        (success(1, ""), "/1/tool"),
        (success(1, 1), "/1/tool"),
        ({**success(1), "status": "ok"}, "/1/status"),
        (failure({}), "/1/content"),
        (failure("x", "execute"), "/1"),
        (success("\ud83d"), "/1/content"),
    ],
)
def test_what_is_no_item_is_refused(dialect, item, path):
    assert place(writing.results, [success(1), item], dialect) == path


@pytest.mark.parametrize("dialect", DIALECTS)
def test_execute_fails_and_is_alone(dialect):
    assert '"tool": "execute"' in writing.results([failure("x", "execute")], dialect)
    assert place(writing.results, [success("x", "execute")], dialect) == "/0"


# -- Events ---------------------------------------------------------------------------------


def test_each_event_has_its_part():
    answer = result('[{"tool": "ls", "status": "success", "content": 1.50}]', 1, 1, 0)
    events = [think("t"), respond("r"), CALL, EXECUTE, answer, END]
    array = '[\n  {"name": "ls", "args": {}}\n]'
    results = f"<results>\n{answer['content']}\n</results>"
    assert writing.render(events) == (
        f"<think>t</think>\n\nr\n\n<execute>\n{array}\n</execute>\n\n{results}\n\n<end>"
    )
    assert writing.render(events, "xml-elements") == (
        f"<think>t</think>\n\nr\n\n<execute>\n  <ls/>\n</execute>\n\n{results}\n\n<end>"
    )
    assert writing.render(events, "delimiter") == (
        '§think: t\n§respond: r\n§call: {"name": "ls", "args": {}}\n§execute\n§result: 1.50\n§end'
    )
    assert writing.render(events, "delimiter-upper") == (
        '§THINK: t\n§RESPOND: r\n§CALL: {"name": "ls", "args": {}}\n§EXECUTE\n[SYSTEM: 1.50]\n§END'
    )
    assert [writing.render([], dialect) for dialect in DIALECTS] == [""] * 4


def test_deltas_are_joined():
    deltas = [
        {"type": "think", "content": "a", "segment": 0},
        {"type": "think", "content": "b", "segment": 0, "done": True, "raw": "b"},
        {"type": "think", "content": "c", "segment": 1, "done": True},
    ]
    assert writing.render(deltas) == "<think>ab</think>\n\n<think>c</think>"
    assert place(writing.render, [*deltas, {"type": "interrupt"}]) == "/3"
    assert place(writing.render, [deltas[0], {**deltas[1], "content": "</think>"}]) == "/0"


ONE = '[{"tool": "ls", "status": "success", "content": 1}]'


@pytest.mark.parametrize(
    ("events", "path"),
    [
        ([1], "/0"),
        ([END, {"type": "think"}], "/1"),
        ([{"type": "user", "content": "u"}], "/0"),
        ([{"type": "cancelled"}], "/0"),
        ([END, error()], "/1"),
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
@pytest.mark.parametrize("dialect", DIALECTS)
def test_events_that_do_not_read_back_are_refused(dialect, events, path):
    assert place(writing.render, events, dialect) == path


@pytest.mark.parametrize("dialect", DIALECTS)
def test_members_that_an_event_does_not_have_are_left_aside(dialect):
    for event in (respond("a"), CALL, EXECUTE, END):
        more = {**event, "note": 1, "raw": "x", "timestamp": 2.5}
        before = [CALL] if event is EXECUTE else []
        after = [EXECUTE] if event is CALL else []
        plain = writing.render([*before, event, *after], dialect)
        assert writing.render([*before, more, *after], dialect) == plain


def test_what_only_one_family_can_say():
    """Segments side by side, and among the calls; and markers of the other family."""
    for events in ([respond("a"), respond("b")], [CALL, think("t"), EXECUTE]):
        assert place(writing.render, events) == "/0"
        assert parse(writing.render(events, "delimiter"), "delimiter").events == events
    assert place(writing.render, [respond("a <end>")]) == "/0"
    assert writing.render([respond("a <end>")], "delimiter") == "§respond: a <end>"
    assert writing.render([respond("a\n§end")]) == "a\n§end"
    assert place(writing.render, [respond("a\n§end")], "delimiter") == "/0"


def test_what_is_spelled_anew_is_compared_as_json():
    """Calls in elements, and results in bodies; a body keeps the spelling but for white space."""
    call = {"type": "call", "content": '{ "args": {"c": "\\u0041"}, "name": "w" }'}
    assert writing.render([call, EXECUTE], "xml-elements") == (
        "<execute>\n  <w><c>A</c></w>\n</execute>"
    )
    answer = result('[{"status":"success","tool":"ls","content":["\\u00e9",1e2]}]', 1, 1, 0)
    assert writing.render([CALL, EXECUTE, answer], "delimiter").endswith(
        '§result: ["\\u00e9", 1e2]'
    )
    no = result('[{"status" :"failure","content":"§\\u0065nd §end","t\\u006fol":"ls"}]', 1, 0, 1)
    assert writing.render([CALL, EXECUTE, no], "delimiter").endswith(
        '§result: {"status": "failure", "content": "§\\u0065nd \\u00a7end", "t\\u006fol": "ls"}'
    )
    white = {"type": "call", "content": f" {CALL['content']}"}
    assert place(writing.render, [white, EXECUTE], "delimiter") == "/0"
    assert place(writing.render, [white, EXECUTE]) == "/0"
    twice = {"type": "call", "content": '{"name": "w", "args": {"c": "1", "c": "1"}}'}
    assert place(writing.render, [twice, EXECUTE], "xml-elements") == "/0"


# -- Batches --------------------------------------------------------------------------------


def run(events, outcomes=(), ending=None, dialect="xml-json"):
    """Run a batch with outcomes that are triples: index, status, content."""
    pairs = [(index, {"status": status, "content": given}) for index, status, given in outcomes]
    return batch.batch(events, pairs, ending, dialect)


VOID = result('[\n  {"tool": "execute", "status": "failure", "content": "Broken."}\n]', 0, 0, 1)
NOTHING = result("[]", 0, 0, 0)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_outcomes_come_in_any_order(dialect):
    outcomes = [(1, "failure", "no"), (0, "success", {"n": 1})]
    assert run([CALL, RM, EXECUTE], outcomes, None, dialect) == [
        result(
            '[\n  {"tool": "ls", "status": "success", "content": {"n": 1}},\n'
            '  {"tool": "rm", "status": "failure", "content": "no"}\n]',
            *(2, 1, 1),
        )
    ]


def test_the_content_is_that_of_the_writer_of_the_dialect():
    text = "<END> §end"
    for dialect in DIALECTS:
        escaped = r"<END> \u00a7end" if dialect in LINES else r"\u003cEND> §end"
        item = f'[\n  {{"tool": "ls", "status": "success", "content": "{escaped}"}}\n]'
        given_results = run([CALL, EXECUTE], [(0, "success", text)], None, dialect)
        assert given_results == [result(item, 1, 1, 0)]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_empty_batch_and_a_void_one_are_answered_at_once(dialect):
    assert run([EXECUTE], dialect=dialect) == [NOTHING]
    assert run([CALL, error(), END, EXECUTE], dialect=dialect) == [VOID, NOTHING]
    assert run([error("results-shape"), error("results-count"), END], dialect=dialect) == []


def test_a_turn_goes_on_behind_an_error_by_lines_only():
    for dialect in LINES:
        assert run([error(), CALL, error(), respond("r")], dialect=dialect) == [VOID]
        assert place(run, [error(), EXECUTE], (), None, dialect) == ""
        for over in (END, {"type": "user", "content": "u"}, VOID):
            assert run([error(), CALL, over, EXECUTE], dialect=dialect) == [VOID, NOTHING]
    assert run([error(), error(), EXECUTE]) == [VOID, VOID, NOTHING]


def test_an_error_about_results_changes_nothing_in_an_open_batch():
    events = [CALL, EXECUTE, error("results-count")]
    (answer,) = run(events, [(0, "success", 1)])
    assert answer["payload"]["success_count"] == 1


@pytest.mark.parametrize("ending", ["cancelled", "interrupted"])
def test_an_ending_answers_what_is_open_and_drops_what_is_not(ending):
    no = '"failure", "content": "Cancelled: this call has no result."}'
    assert run([CALL, RM, EXECUTE], [(1, "success", 1)], ending) == [
        result(
            f'[\n  {{"tool": "ls", "status": {no},\n'
            '  {"tool": "rm", "status": "success", "content": 1}\n]',
            *(2, 1, 1),
        )
    ]
    assert run([CALL], (), ending) == []
    assert run([CALL, {"type": "cancelled"}, EXECUTE]) == [NOTHING]


@pytest.mark.parametrize(
    ("events", "outcomes"),
    [
        ([CALL, EXECUTE, CALL], []),
        ([CALL, EXECUTE, EXECUTE], []),
        ([CALL, EXECUTE, error()], []),
        ([CALL], [(0, "success", 1)]),
        ([CALL, EXECUTE], [(1, "success", 1)]),
        ([CALL, EXECUTE], [(-1, "success", 1)]),
        ([CALL, EXECUTE], [(0, "success", 1), (0, "success", 1)]),
        ([CALL, RM, EXECUTE], [(0, "success", 1), (0, "success", 1)]),
        ([CALL, EXECUTE], [(0, "done", 1)]),
        ([CALL, EXECUTE], [(0, "failure", 1)]),
        ([CALL, EXECUTE], [(0, "success", "\ud800")]),
        ([CALL, EXECUTE], [(0, "success", nested(127))]),
        ([{"content": "{}"}], []),
        ([{"type": "call"}], []),
        ([{"type": "call", "content": "{}"}], []),
        ([{"type": "call", "content": '{"name": "execute"}'}], []),
        ([{"type": "call", "content": '{"name": "a", "args": 1}'}], []),
        ([{"type": "call", "content": '{"name": "a"}, {"name": "b"}'}], []),
        ([{"type": "call", "content": '{"name": "a", "x": {"y": 1, "y": 1}}'}], []),
    ],
)
def test_what_a_batch_refuses(events, outcomes):
    with pytest.raises(Refused):
        run(events, outcomes)


def test_a_call_beyond_the_default_limits_is_collected():
    deep = f'{{"name": "ls", "args": {{"x": {"[" * 200}{"]" * 200}}}}}'
    (answer,) = run([{"type": "call", "content": deep}, EXECUTE], [(0, "success", 1)])
    assert answer["payload"]["tools_executed"] == 1


@given(st.sampled_from(DIALECTS), st.text(), st.booleans())
def test_what_a_batch_gives_is_rendered(dialect, text, succeeds):
    """Its result answers its block, whatever the outcome was."""
    outcome = (0, "success" if succeeds else "failure", text)
    answers = run([CALL, EXECUTE], [outcome], None, dialect)
    assert writing.render([CALL, EXECUTE, *answers], dialect)
