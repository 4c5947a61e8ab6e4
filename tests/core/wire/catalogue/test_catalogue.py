"""The formats that have a name: their values, their names, and what finds them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogwire.wire.trained.catalogue import readings
from cogwire_kit.conformance import corpus
from tests import cogwire
from tests.core.helpers import TRAINED, run, singles
from tests.core.wire.templates import PLACE, TABLE
from tests.rows import rows

FORMATS = {each.name: each for each in cogwire.formats()}
CALLS = [
    {"name": "read", "args": {"path": "a b", "mode": "r"}},
    {"name": "ls", "args": {}},
]


def calls_of(name):
    """Return calls that a format can write: of one tool, if it has no others."""
    payload = getattr(FORMATS[name].format, "payload", None)
    if payload is None or payload.kind != "text":
        return CALLS
    return [{"name": payload.tool, "args": {payload.arg: "ls -l"}}]


def test_names_and_aliases_are_those_of_one_format():
    names = [name for each in FORMATS.values() for name in (each.name, *each.aliases)]
    assert len(names) == len(set(names))
    assert set(TRAINED) <= set(FORMATS)
    for name in names:
        assert name in (cogwire.format_named(name).name, *cogwire.format_named(name).aliases)
        assert cogwire.Parser(name).dialect == cogwire.format_named(name).name


def test_what_is_known_of_each_is_said():
    for each in FORMATS.values():
        assert each.models
        assert each.source.startswith("https://")
        assert all(limit.endswith(".") for limit in each.limits)


@rows("name", list(FORMATS))
def test_calls_are_read_back_as_they_were_written(name):
    text = cogwire.render_calls(calls_of(name), name)
    events = run(singles(text), dialect=name).events
    read = [json.loads(event["content"]) for event in events if event["type"] == "call"]
    assert read == calls_of(name)
    assert events[-1] == {"type": "execute"}


@rows("name", list(FORMATS))
def test_what_is_known_of_a_format_is_accepted_as_a_dialect(name):
    known = FORMATS[name]
    assert cogwire.Parser(known).dialect == name
    assert cogwire.Toolset([], known).dialect == name
    assert known.dialect == name


# --- Names that are none ----------------------------------------------------------------------


@rows(
    "name, hint",
    [
        ("kimi", "did you mean kimi-k3 or kimi-k2?"),
        ("Hermes", "did you mean hermes?"),
        ("Qwen/Qwen3-8B", "(`cogwire format list`); a model of this name writes hermes"),
        ("qwen3_codr", "did you mean qwen3-coder?; a model of this name writes hermes"),
        ("qwen3-code", "did you mean qwen3-coder?; a model of this name writes hermes"),
        ("xmljson", "did you mean xml-json"),
        ("kitchen sink", "(`cogwire format list`)"),
    ],
)
def test_the_message_of_an_unknown_name_is_short_and_helps(name, hint):
    with pytest.raises(ValueError, match="unknown dialect") as caught:
        cogwire.Parser(name)
    assert hint in str(caught.value)
    assert len(str(caught.value)) < 200


def test_a_dialect_of_the_protocol_is_no_format():
    with pytest.raises(ValueError, match="xml-json is a dialect of the protocol; only formats"):
        cogwire.format_named("xml-json")


# --- Models ------------------------------------------------------------------------------------


@rows("each", corpus.array(corpus.PLACE / "texts" / "models.json"))
def test_a_format_by_the_name_of_a_model(each):
    model, name = each["model"], each["format"]
    found = cogwire.detect_format(model=model)
    assert found.dialect == name
    assert found.candidates == ((name,) if name else ())
    assert found.reason == f"a model called {model!r} writes {name or 'no known format'}"


@rows("name", [name for name in TABLE if TABLE[name]["format"] in FORMATS])
def test_a_format_by_a_chat_template(name):
    template = (PLACE / "llama.cpp" / f"{name}.jinja").read_text("utf-8")
    assert cogwire.detect_format(template=template).dialect == TABLE[name]["format"]


def test_a_chat_template_without_calls_is_of_no_format():
    found = cogwire.detect_format(template="{{ messages }}")
    assert found == (None, (), "the chat template writes no known format")


# --- Texts -------------------------------------------------------------------------------------

#: Formats that read the same of these calls: only more of a text would tell them apart.
ALIKE = [
    {"hermes", "ernie-4.5"},
    {"mistral-v3", "xlam"},
    {"apriel", "jamba", "hunyuan-a13b"},
]


def test_calls_that_are_any_text_are_not_detected():
    text = cogwire.render_calls(calls_of("smolagents"), "smolagents")
    assert cogwire.detect_format(text).candidates == ()


@rows("name", [name for name in FORMATS if calls_of(name) is CALLS])
def test_a_format_by_a_text(name):
    text = f"Hi.\n{cogwire.render_calls(CALLS, name)}"
    found = cogwire.detect_format(text)
    assert set(found.candidates) == next((each for each in ALIKE if name in each), {name})
    assert cogwire.detect_format(text.encode()) == found
    assert found.reason == f"the text is read best as {' or '.join(found.candidates)}"


@pytest.mark.parametrize(
    ("end", "names"),
    [
        (', "id": "a1b2c3d4e"}', ("mistral-v3",)),
        ("}", ("mistral-v3", "xlam")),
        (', "id": "a1b2c3d4"}', ("mistral-v3", "xlam")),
    ],
)
def test_the_ids_of_calls_tell_apart_what_is_read_alike(end, names):
    text = f'[TOOL_CALLS][{{"name": "a", "arguments": {{"a": 1, "id": "a1b2c3d4e"}}{end}]'
    assert cogwire.detect_format(text).candidates == names


def test_a_text_without_calls_is_of_no_format():
    for text in ("Hi.", "<tool_call>", "import functools"):
        found = cogwire.detect_format(text)
        assert found == (None, (), "the text is read best as no known format")


def test_parts_are_taken_together():
    text = cogwire.render_calls(CALLS, "hermes")
    assert cogwire.detect_format(text, model="ERNIE-4.5-21B").dialect == "ernie-4.5"
    assert cogwire.detect_format("Hi.", model="Qwen3-8B").dialect == "hermes"
    found = cogwire.detect_format(text, model="GLM-4.5")
    assert (found.dialect, found.candidates) == (None, ("hermes", "ernie-4.5", "glm-4.5"))
    assert found.reason.endswith("; these contradict each other")
    reason = "nothing was given: pass a text, `model` or `template`"
    assert cogwire.detect_format() == (None, (), reason)


@rows("text, is_name", [("Qwen/Qwen3-8B", True), ("I am Qwen3-8B", False), ("hello", False)])
def test_the_name_of_a_model_is_no_text(text, is_name):
    found = cogwire.detect_format(text)
    assert (found.dialect, "pass it as `model`" in found.reason) == (None, is_name)


def test_a_description_is_no_dialect():
    with pytest.raises(ValueError, match="a description is read with `Format"):
        cogwire.Parser({"name": "mine", "call": ["<c>", "</c>"], "payload": {"kind": "object"}})


# --- The best format, which is found without reading a text in each ----------------------------

CALL = '<tool_call>\n{"name": "read", "arguments": {}}\n</tool_call>'
ARRAY = '{"name": "a", "arguments": {}}'
QUOTING = '<tool_call>\n{"name": "a", "arguments": {"t": "<tool_call>"}}\n</tool_call>'
TAGGED = "<tool_call>read\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>"
PIECES = [
    *(CALL, CALL, CALL, QUOTING, TAGGED, f"<tool_calls>{TAGGED}</tool_calls>"),
    *(CALL.replace("read", "a tool"), '<tool_call>{"name": "a"', "<tool_call>", "</tool_call>"),
    *("<think>", "</think>", "<think>\nWell.\n</think>", f"<think>{CALL}</think>", "<tool_output>"),
    *("<tool_response>\nok\n</tool_response>", "<tool_response>\n<think>\n</tool_response>"),
    *(
        "<response>",
        "<|tool_call|>",
        "<tool_calls>",
        f"[TOOL_CALLS][{ARRAY}]",
    ),
    *(f"<tool_calls>[{ARRAY}, {ARRAY}]</tool_calls>", "Some prose. ", "\n"),
]


def assert_best(text):
    """Assert that the best format is the same if those that cannot fit better are not read."""
    whole, found = readings(text), readings(text, is_best_enough=True)
    best = max(whole, key=whole.__getitem__, default=None)
    assert list(found) == list(whole)
    assert max(found, key=found.__getitem__, default=None) == best
    assert best is None or found[best] == whole[best]


@rows(
    "text",
    [
        CALL,
        f"<think>Well.</think>{CALL}<tool_response>\nok\n</tool_response>Done.",
        f"{CALL}<tool_response>\n<think>\n</tool_response>What follows is not a think.",
        f"{CALL}A <response> is here.",
        f"{CALL}A <|tool_call|> is here.",
        QUOTING,
        TAGGED,
        f"<tool_calls>{TAGGED}</tool_calls>",
        f"[TOOL_CALLS][{ARRAY}]",
        f"<tool_calls>[{ARRAY}]</tool_calls>",
    ],
)
def test_the_best_format_of_a_text_is_that_of_all_readings(text):
    assert_best(text)


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_the_best_format_of_any_text_is_that_of_all_readings(text):
    assert_best(text)


def test_a_text_is_not_read_in_formats_that_cannot_fit_better():
    """Four formats have this opener, and calls begin alike in all of them."""
    assert [each for each, found in readings(CALL).items() if found.calls] == [
        *("hermes", "ernie-4.5", "glm-4.5", "hy4")
    ]
    found = readings(CALL, is_best_enough=True)
    assert [each for each in found if found[each].calls] == ["hermes"]
