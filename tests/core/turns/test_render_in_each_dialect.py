"""Law 8 in every dialect: what is written, what is refused, and that it all parses back."""

import json
import re

from hypothesis import example, given
from hypothesis import strategies as st

from cogwire_kit.conformance import corpus
from tests import cogwire
from tests.core.helpers import (
    DIALECTS,
    LINES,
    TAGS,
    call,
    end,
    execute,
    respond,
    result,
    think,
    unmeasured,
)
from tests.core.turns.test_render import (
    SIZE,
    SMALLEST_OVERFLOW,
    Text,
    exactly,
    json_values,
    refusal,
    scalars,
    texts,
)
from tests.rows import rows

PING = {"name": "ping", "args": {}}
#: What is around the body of a result.
FRAMES = {"delimiter": ("§result: ", ""), "delimiter-upper": ("[SYSTEM: ", "]")}


def success(content, tool="a"):
    return {"tool": tool, "status": "success", "content": content}


def failure(content, tool="a"):
    return {"tool": tool, "status": "failure", "content": content}


def calls_of(items):
    """Return the calls that `items` are the results of."""
    return [{"name": item["tool"], "args": {}} for item in items]


def read_back(items, dialect, *, following=""):
    """Return what is read of the results of calls of the same tools."""
    block = cogwire.render_calls(calls_of(items), dialect)
    text = f"{block}\n{cogwire.render_results(items, dialect)}{following}"
    events = cogwire.parse_transcript(text, dialect, clock=None)
    return [event for event in events if event["type"] not in {"call", "execute"}]


def attempt(render, value, dialect):
    """Return what is written, or None and the place of what is refused."""
    try:
        return render(value, dialect), None
    except cogwire.RenderError as error:
        return None, error.path


# -- Calls ----------------------------------------------------------------------------------


@rows(
    ("name", "args", "path"),
    [
        ("a", {"b": 1, 1: "x"}, "/0/args"),
        ("a", {"a\ud800": "x"}, "/0/args"),
        ("a", {"x": b"1"}, "/0/args/x"),
        ("a", {"x": "\ud83d"}, "/0/args/x"),
        ("a", {"x": "\ud83d\ude00"}, "/0/args/x"),
        ("a", {"x": Text("y")}, "/0/args/x"),
        ("a", {Text("x"): "y"}, "/0/args"),
    ],
)
def test_a_value_that_elements_cannot_contain_is_refused_with_its_place(name, args, path):
    """Nothing is turned into text that would be read back as a string."""
    error = refusal(cogwire.render_calls, [{"name": name, "args": args}], "xml-elements")
    assert error.path == path
    assert error.reason


@rows("dialect", DIALECTS)
def test_values_over_the_limits_are_refused_in_every_dialect(dialect):
    """A parser would void the block."""
    (answer,) = read_back([success(1)] * 256, dialect)
    assert answer["payload"]["success_count"] == 256
    assert refusal(cogwire.render_calls, [PING] * 257, dialect).path == "/256"
    long = {"name": "a", "args": {"x": "a" * (SIZE - 200)}}
    block = cogwire.render_calls([long], dialect)
    assert [each["type"] for each in cogwire.parse(block, dialect)] == ["call", "execute"]
    assert refusal(cogwire.render_calls, [long, {**long}], dialect).path.startswith("/1")


@unmeasured()
def test_the_size_of_elements_counts_what_is_written():
    """An escape is longer than its character."""
    calls = [PING, {"name": "a", "args": {"x": "&" * (SIZE // 4)}}]
    assert refusal(cogwire.render_calls, calls, "xml-elements").path == "/1"


# -- Results --------------------------------------------------------------------------------


@rows("each", corpus.array(corpus.PLACE / "texts" / "bodies.json"))
def test_the_body_of_a_success_is_the_shortest_that_reads_back(each):
    """Text as it is where it can be, else JSON on one line, else the whole result."""
    bodies = corpus.expanded(each)
    items = [success(bodies.pop("content"))]
    for dialect, (opener, closer) in FRAMES.items():
        written = cogwire.render_results(items, dialect)
        assert written == f"{opener}{bodies[dialect]}{closer}"
        (answer,) = read_back(items, dialect)
        assert exactly(json.loads(answer["content"])) == exactly(items)
        assert answer["payload"] == result("", 1)["payload"]


@rows("dialect", DIALECTS)
@rows(
    ("items", "path"),
    [
        ([success("x", "execute")], "/0/tool"),
        ([success({"x": [b""]})], "/0/content/x/0"),
        ([success("\ud800")], "/0/content"),
        ([success(SMALLEST_OVERFLOW)], "/0/content"),
        ([success(1)] * 257, "/256"),
        ([success("a" * SIZE)], "/0/content"),
    ],
)
def test_values_that_results_cannot_contain_are_refused_in_every_dialect(dialect, items, path):
    assert refusal(cogwire.render_results, items, dialect).path == path


@rows("dialect", DIALECTS)
def test_the_array_of_results_is_written_without_its_frame(dialect):
    """It is JSON in every dialect, and what a batch says of the same outcomes."""
    items = [
        {"tool": "a", "status": "success", "content": {"x": [1, "§end </results>"]}},
        {"tool": "b", "status": "failure", "content": "[SYSTEM: no"},
    ]
    batch = cogwire.Batch(dialect, clock=None)
    for item in items:
        batch.take(call(f'{{"name": "{item["tool"]}", "args": {{}}}}'))
    batch.take(execute())
    batch.settle(0, "success", items[0]["content"])
    [answer] = batch.settle(1, "failure", items[1]["content"])
    array = cogwire.render_results(items, dialect, framed=False)
    assert array == answer["content"]
    assert json.loads(array) == items
    assert cogwire.render_results([], dialect, framed=False) == "[]"


@rows("dialect", LINES)
def test_the_deepest_value_is_read_back(dialect):
    """A result is level 2 of 128, its content level 3."""
    value = 0
    for _ in range(126):
        value = [value]
    (answer,) = read_back([success(value)], dialect)
    assert json.loads(answer["content"]) == [success(value)]
    assert refusal(cogwire.render_results, [success([value])], dialect).path == (
        "/0/content" + "/0" * 126
    )


# -- Round trips ----------------------------------------------------------------------------

look_like_results = st.fixed_dictionaries(
    {
        "tool": texts | scalars,
        "status": st.sampled_from(["success", "failure", 1]),
        "content": json_values,
    }
)
#: Values, and strings that hold the JSON of values.
contents = (
    json_values
    | look_like_results
    | (json_values | look_like_results).map(json.dumps)
    | (json_values | look_like_results).map(
        lambda value: json.dumps(value, ensure_ascii=False, indent=1)
    )
)

tools = texts.filter(lambda name: name not in {"", "execute"})
letters = st.sampled_from("aZ_é\u0370\U00010000")
xml_names = st.builds(
    lambda first, rest: first + rest, letters, st.text("aZ_é.-9·\u0301\u203f", max_size=3)
) | st.sampled_from(["think", "end", "results", "executed"])
xml_texts = texts.map(lambda text: re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "", text))


def calls_named(names, args):
    return st.builds(lambda name, given: {"name": name, "args": given}, names, args)


json_calls = calls_named(tools, st.dictionaries(texts, json_values, max_size=3))
xml_calls = calls_named(xml_names, st.dictionaries(xml_names, xml_texts, max_size=3))
dialects = st.sampled_from(DIALECTS)


def items_of(tool):
    return st.builds(success, contents, tool) | st.builds(failure, texts, tool)


@given(st.sampled_from(LINES), contents)
@example("delimiter", "[SYSTEM: a]\n§end")
@example("delimiter-upper", "a]\n[SYSTEM: b")
def test_a_body_is_read_back_by_readers_of_both_line_dialects(dialect, content):
    """They are read in the same way, so a log may contain text of both."""
    items = [success(content), success(content)]
    text = f'§call: {{"name": "a"}}\n§call: {{"name": "a"}}\n§execute\n{cogwire.render_results(items, dialect)}'
    for reader in LINES:
        *_, answer = cogwire.parse_transcript(text, reader, clock=None)
        assert exactly(json.loads(answer["content"])) == exactly(items)


@given(dialects, texts)
def test_the_answer_of_a_void_block_parses_back_in_every_dialect(dialect, message):
    answer = [failure(message, "execute")]
    void = "<execute>?</execute>" if dialect in TAGS else "§call: ?\n§execute"
    text = f"{void}\n{cogwire.render_results(answer, dialect)}"
    last = cogwire.parse_transcript(text, dialect, clock=None)[-1]
    assert json.loads(last["content"]) == answer
    assert last["payload"] == result("", 0, 1, executed=0)["payload"]


# -- Events ---------------------------------------------------------------------------------

CALL = call('{"name": "a", "args": {}}')
RESULT = result('[{"tool": "a", "status": "success", "content": 1.50}]', 1)
NOTHING = result("[]")


ITEM = '{"tool": "a", "status": "success", "content": 1}'
DEEP = "[" * 100_000 + "]" * 100_000


@rows("dialect", LINES)
def test_a_result_nested_too_deeply_is_refused_with_its_place(dialect):
    """The path begins with the number of the event."""
    events = [CALL, execute(), result(f"[{ITEM}]".replace("1}", DEEP + "}"), 1)]
    assert refusal(cogwire.render_events, events, dialect).path == "/2/content"


@rows(
    ("content", "path"),
    [
        ('{"name": "\ud800", "args": {}}', "/0"),
        (f'{{"name": "a", "args": {{"x": {DEEP}}}}}', "/0/content"),
    ],
)
def test_a_call_that_elements_cannot_express_is_refused_with_its_place(content, path):
    """The first member in its order is named."""
    assert refusal(cogwire.render_events, [call(content), execute()], "xml-elements").path == path


def test_a_long_call_of_elements_is_refused_as_it_would_be_read():
    content = json.dumps({"name": "a", "args": {"x": "a" * SIZE}})
    error = refusal(cogwire.render_events, [call(content), execute()], "xml-elements")
    assert error.path == "/0"
    assert "would be read as an error" in error.reason


segments = texts | st.sampled_from(["a", "b c"])
wire_events = st.lists(
    st.builds(think, segments)
    | st.builds(respond, segments)
    | st.sampled_from([CALL, execute(), RESULT, NOTHING, end()])
    | (json_calls | xml_calls).map(lambda value: call(json.dumps(value)))
    | st.tuples(items_of(st.just("a"))).map(
        lambda items: result(
            json.dumps(items), items[0]["status"] == "success", items[0]["status"] == "failure"
        )
    ),
    max_size=6,
)
