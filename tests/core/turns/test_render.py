"""What the renderers write, and what is refused, with its place.

That what they write parses back is a law of every dialect, and is beside.
"""

import enum
import importlib
import json
import pickle
import re
from collections import OrderedDict, namedtuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import cogwire
from tests.core.helpers import DIALECTS, end, execute, respond, result, think
from tests.core.helpers import call as called
from tests.rows import rows

SIZE = 8_388_608
LOOKALIKE = re.compile(r"<(?=/?(?:think|execute|results|end))", re.IGNORECASE | re.ASCII)
SMALLEST_OVERFLOW = 2**1024 - 2**970

#: Markers of every dialect, and text that confuses readers of one.
HOSTILE = (
    *("<think>", "</think>", "<execute>", "</execute>", "<results>", "</results>", "<end>"),
    *("</EXECUTE>", "<Results ", "</ThInK", "<END/>", "</exe", "<", "</", "<<end>", "]]>"),
    *("§think:", "§CALL: ", "§execute", "§Execute ", "§end", "§respond:", "§result: ", "§"),
    *("[SYSTEM: ", "[system: x]", "[", "]", "]\n", "]\r", "]\n</execute>", "<![CDATA[", "&amp;"),
    *("&#13;", "&lt;end>", "&", "\n", "\r", "\r\n", " ", "\t", " \t\r\n", "\x00", "\x1f", "\x7f"),
    *("\x85", "\u2028", "\u2029", "\ufeff", "\ufffd", "\ufffe", "\ud7ff", "\ue000", "\U0001f600"),
    *("\\", '"', "\\u003c", "\\u00a7", "{", "}", "1", "-", ",", "null", "[]", "{}"),
    '{"tool": "a", "status": "failure", "content": "x"}',
    '{"tool": "a", "status": "success", "content": ',
)

texts = st.lists(st.sampled_from(HOSTILE) | st.text(max_size=4), max_size=5).map("".join)
integers = st.integers() | st.sampled_from([SMALLEST_OVERFLOW - 1, 1 - SMALLEST_OVERFLOW, 10**300])
scalars = st.none() | st.booleans() | integers | st.floats(allow_nan=False, allow_infinity=False)


def nested(leaf, levels):
    for _ in range(levels):
        leaf = [leaf]
    return leaf


def values_of(leaves):
    return st.recursive(
        leaves | texts,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
        max_leaves=8,
    )


json_values = values_of(scalars)


def call(**arguments):
    return [{"name": "a", "args": arguments}]


def exactly(value):
    """Tell apart what `==` does not: 1, 1.0 and true, 0.0 and -0.0, the order of members."""
    return repr(value)


# -- What is written ------------------------------------------------------------------------


@given(values_of(scalars | st.builds(nested, scalars | texts, st.integers(100, 118))))
def test_values_are_written_as_json_dumps_writes_them(value):
    """On one line, non-ASCII as it is, and then the lookalikes are escaped."""
    item = {"tool": "a", "status": "success", "content": value}
    line = LOOKALIKE.sub(lambda _: r"\u003c", json.dumps(item, ensure_ascii=False))
    assert cogwire.render_results([item]) == f"<results>\n[\n  {line}\n]\n</results>"


def test_a_shared_value_is_written_twice():
    """Only a value inside itself is a cycle."""
    shared = {"k": [1]}
    (event, _) = cogwire.parse(cogwire.render_calls(call(x=[shared, shared], y=shared)), clock=None)
    assert json.loads(event["content"])["args"] == {"x": [shared, shared], "y": shared}


# -- Limits ---------------------------------------------------------------------------------


def refusal(render, value, dialect="xml-json"):
    with pytest.raises(cogwire.RenderError) as caught:
        render(value, dialect)
    return caught.value


@rows(
    ("dialect", "most"),
    [
        ("xml-json", 125),  # the array is 1, the call 2, its args 3
        ("delimiter", 125),
        ("apertus", 125),  # the call has its args in the member that is the tool
        ("mistral", 126),  # the args alone are an object, of level 2
        ("lfm2", 126),
        ("dsml", 126),  # the first bracket of a value is level 3
    ],
)
def test_the_depth_limit(dialect, most):
    """As many arrays as reach 128 are written and read, and one more is refused."""
    block = cogwire.render_calls(call(x=nested(0, most)), dialect)
    assert cogwire.parse(block, dialect, clock=None)[-1] == {"type": "execute"}
    error = refusal(cogwire.render_calls, call(x=nested(0, most + 1)), dialect)
    assert error.path == "/0/args/x" + "/0" * most
    assert "128" in error.reason


@rows(
    ("dialect", "markers"),
    [
        ("xml-json", ["<execute>", "</execute>"]),
        ("glm-4.5", ["<tool_call>", "\n<tool_call>"]),  # the closer belongs to each call
        ("xlam-1", ["[TOOL_CALLS]"]),  # the array is in an object
    ],
)
def test_the_size_of_what_is_around_calls(dialect, markers):
    """Everything between the markers counts, the line breaks beside them too."""
    two = [*call(x=""), *call(x="b")]
    around = len(cogwire.render_calls(two, dialect)) - len("".join(markers))
    two[0]["args"]["x"] = "a" * (SIZE - around)
    block = cogwire.render_calls(two, dialect)
    assert cogwire.parse(block, dialect, clock=None)[-1] == {"type": "execute"}
    two[0]["args"]["x"] += "a"
    assert refusal(cogwire.render_calls, two, dialect).path == "/1"


def test_the_size_limit_of_results():
    around = len('\n[\n  {"tool": "a", "status": "success", "content": ""}\n]\n')
    item = {"tool": "a", "status": "success", "content": "a" * (SIZE - around)}
    text = cogwire.render_results([item])
    assert len(text) == SIZE + len("<results></results>")
    item["content"] = "<end" + item["content"][4:]
    assert refusal(cogwire.render_results, [item]).path == "/0"


def test_a_small_graph_with_a_huge_text_is_refused_early():
    """Two members that are the same, thirty times over, are more text than there is memory."""
    value = "a" * 100_000
    for _ in range(30):
        value = [value, value]
    error = refusal(cogwire.render_calls, call(x=value))
    assert error.path.startswith("/0/args/x/0/0")
    assert str(SIZE) in error.reason
    item = {"tool": "a", "status": "success", "content": value}
    error = refusal(cogwire.render_results, [item])
    assert error.path.startswith("/0/content/0/0")


def test_values_that_cannot_be_written_at_once_are_written_one_by_one():
    """Memory that is too short for all of them may do for each; and the one it fails is named."""
    values = importlib.import_module(f"{cogwire.__name__}.wire.blocks.values")
    encode = values._encode
    items = [{"tool": "a", "status": "success", "content": [content]} for content in ("x", "bad")]
    expected = cogwire.render_results(items)

    def encoding(value):
        if type(value) is list or value["content"] in failing:
            raise MemoryError
        return encode(value)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(values, "_encode", encoding)
        failing = []
        assert cogwire.render_results(items) == expected
        failing = [["bad"]]
        assert refusal(cogwire.render_results, items).path == "/1"


def test_a_checked_value_is_not_changed():
    item = {"tool": "a", "status": "success", "content": [{"x": [[]] * 70_000}, ["é"]]}
    text = cogwire.render_results([item])
    assert json.loads(text.removeprefix("<results>").removesuffix("</results>")) == [item]
    assert item["content"][1] == ["é"]


@rows("number", [SMALLEST_OVERFLOW - 1, 1 - SMALLEST_OVERFLOW])
def test_the_last_integers_in_the_range_of_doubles(number):
    """What rounds to a finite double is written, and read back whole."""
    event = cogwire.parse(cogwire.render_calls(call(x=number)), clock=None)[0]
    assert json.loads(event["content"])["args"]["x"] == number


# -- What is refused ------------------------------------------------------------------------


class Text(str):
    __slots__ = ()


class Real(float):
    __slots__ = ()


class Colour(enum.IntEnum):
    RED = 1


Point = namedtuple("Point", "x y")  # noqa: PYI024 (what people have)


def cycle():
    value = {}
    value["self"] = [value]
    return value


@rows(
    ("value", "path", "reason"),
    [
        (b"", "", "of type bytes; JSON cannot contain it"),
        ({1}, "", "of type set; JSON cannot contain it"),
        (object(), "", "of type object; JSON cannot contain it"),
        ((1,), "", "of type tuple; use a plain list"),
        (Point(1, 2), "", "of type Point; use a plain list"),
        (OrderedDict(), "", "of type OrderedDict; use a plain dict"),
        (Text("x"), "", "of type Text; use a plain str"),
        (Colour.RED, "", "of type Colour; use a plain int"),
        (Real(1), "", "of type Real; use a plain float"),
        (float("nan"), "", "nan; JSON has no such number"),
        (float("-inf"), "", "-inf; JSON has no such number"),
        (SMALLEST_OVERFLOW, "", "beyond the range of doubles"),
        (-SMALLEST_OVERFLOW, "", "beyond the range of doubles"),
        ([10**5000], "/0", "beyond the range of doubles"),
        ("\ud800", "", "half a surrogate pair"),
        ("\ud83d\ude00", "", "half a surrogate pair"),
        (["\udfff"], "/0", "half a surrogate pair"),
        ({"\udfff": 1}, "", "half a surrogate pair"),
        ({1: 2}, "", "key of type int"),
        ({Text("k"): 2}, "", "key of type Text"),
        ({"k": [0, {"~/": {1}}]}, "/k/1/~0~1", "of type set"),
        ({"": {"": b""}}, "//", "of type bytes"),
        (cycle(), "/self/0", "contains itself"),
    ],
)
def test_a_value_that_json_cannot_represent_is_refused_with_its_place(value, path, reason):
    """The path is a JSON Pointer into what was given."""
    for render, items, root in (
        (cogwire.render_calls, call(x=value), "/0/args/x"),
        (
            cogwire.render_results,
            [{"tool": "a", "status": "success", "content": value}],
            "/0/content",
        ),
    ):
        error = refusal(render, items)
        assert error.path == root + path
        assert reason in error.reason


@rows("dialect", DIALECTS)
@rows(
    ("item", "path"),
    [
        (OrderedDict(name="a", args={}), "/1"),
        ({"name": Text("a"), "args": {}}, "/1/name"),
        ({"name": "\udc00", "args": {}}, "/1/name"),
        ({"name": "a", "args": OrderedDict()}, "/1/args"),
        ({"name": "a", "args": {"x": {1}}}, "/1/args/x"),
        ({"tool": "\udc00", "status": "success", "content": 1}, "/1/tool"),
        ({"tool": "a", "status": Text("success"), "content": 1}, "/1/status"),
        ({"tool": "a", "status": "failure", "content": Text("x")}, "/1/content"),
    ],
)
def test_an_invalid_call_or_result_is_refused(dialect, item, path):
    """They are dicts of exactly `name` and `args`, or `tool`, `status` and `content`."""
    render, first = cogwire.render_calls, {"name": "b", "args": {}}
    if "tool" in item:
        render, first = cogwire.render_results, {"tool": "b", "status": "success", "content": 1}
    assert refusal(render, [first, item], dialect).path == path


def test_a_refusal_names_the_place_and_the_reason():
    """It is a `ValueError` that another process can raise again."""
    error = refusal(cogwire.render_calls, call(x={1}))
    assert isinstance(error, ValueError)
    assert str(error) == "/0/args/x: a value of type set; JSON cannot contain it"
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 (our own bytes)
    assert (type(again), again.path, again.reason) == (type(error), error.path, error.reason)
    assert str(cogwire.RenderError("", "no value")) == "no value"


def test_a_coroutine_is_to_be_awaited():
    async def tool():
        return 1

    coroutine = tool()
    with pytest.raises(cogwire.RenderError, match="/0/args/x: a coroutine, and not the "):
        cogwire.render_calls([{"name": "a", "args": {"x": coroutine}}])
    coroutine.close()


# -- Events ---------------------------------------------------------------------------------


THINK, RESPOND, EXECUTE, END = think("t"), respond("r"), execute(), end()
CALL = called('{"name": "a", "args": {}}')
RESULT = result('[{"tool": "a", "status": "success", "content": 1}]', 1)


@rows("given", [{"type": "respond"}, {"type": "call", "content": {}}, {}, 1])
def test_a_value_that_is_not_an_event_is_refused(given):
    """The path leads to it."""
    assert refusal(cogwire.render_events, [RESPOND, THINK, given, {}]).path == "/2"


def test_the_place_of_joined_deltas_is_that_of_the_first():
    """The path counts what was given."""
    deltas = cogwire.parse("<think>one two</think> three <end>", stream="token")
    assert (
        refusal(cogwire.render_events, [*deltas, {"type": "interrupt"}]).path == f"/{len(deltas)}"
    )
    deltas = [
        {"type": "respond", "content": "a", "segment": 0},
        {"type": "respond", "content": "", "segment": 0, "done": True},
        {"type": "respond", "content": "<en", "segment": 1},
        {"type": "respond", "content": "d>", "segment": 1, "done": True},
    ]
    assert refusal(cogwire.render_events, [END, *deltas[2:]]).path == "/1"
    assert refusal(cogwire.render_events, [*deltas[:2], END, *deltas[2:]]).path == "/3"


ERROR = {"type": "error", "code": "not-array", "content": "m", "offset": 9, "calls": 0}


@rows("dialect", ["xml-json", "delimiter", "delimiter-upper"])
@rows(
    ("events", "path"),
    [
        ([respond("\ud800")], "/0/content"),
        ([CALL] * 257 + [EXECUTE], "/256"),
        ([{**THINK, "timestamp": float("inf")}], "/0"),
    ],
)
def test_an_event_that_cannot_be_written_is_refused_with_its_place(dialect, events, path):
    """The path begins with the number of the event."""
    assert refusal(cogwire.render_events, events, dialect).path == path


def test_a_refusal_of_an_event_states_how_it_would_be_read():
    """A long text is quoted in part."""
    long = "x" * 1000 + " <end> y"
    reason = refusal(cogwire.render_events, [respond(long)]).reason
    assert reason.startswith("would be read as 'xxx")
    assert len(reason) < 160
    reason = refusal(cogwire.render_events, [called("[]"), EXECUTE]).reason
    assert reason.startswith("would be read as an error: ")
    assert refusal(cogwire.render_events, [respond(" ")]).reason.endswith("read as nothing")


# --- While other threads work -------------------------------------------------------------------

values = importlib.import_module(f"{cogwire.__name__}.wire.blocks.values")


def settled(content):
    batch = cogwire.Batch(clock=None)
    batch.take(called('{"name": "a", "args": {}}'))
    batch.take(EXECUTE)
    return batch.settle(0, "success", content)[0]["content"]


@rows(
    "write",
    [
        lambda content: cogwire.render_results(
            [{"tool": "a", "status": "success", "content": content}]
        ),
        lambda content: cogwire.render_calls([{"name": "a", "args": content}]),
        settled,
    ],
)
def test_the_value_that_was_checked_is_written(write):
    """Another thread may change a value in between; here the encoder does."""
    content = {"list": [1], "dict": {"a": [2]}}
    expected = write(content)
    encode = values._encode

    def encoding(value):
        content["list"].append(float("nan"))
        content["dict"]["a"][0] = {1: 2}
        content["more"] = content
        return encode(value)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(values, "_encode", encoding)
        assert write(content) == expected
