"""Formats by description: transcripts, messages of errors, and the laws on drawn descriptions."""

import copy
import gc
import json
import pickle
import sys
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import cogwire
from tests.core.helpers import (
    bare,
    execute,
    respond,
    run,
    singles,
    unmeasured,
)
from tests.core.wire.described.drawing import described_texts, descriptions
from tests.core.wire.described.reading import (
    CALL_B,
    DSML,
    NESTED,
    ONLY_TEXT,
    check_alike,
    description,
    with_payload,
)
from tests.rows import rows

KIMI = description("kimi-k2")
OPEN = KIMI["section"][0]
HEAD = "<|tool_call_begin|>functions."
ARGS = "<|tool_call_argument_begin|>"
A = f'{HEAD}a:0{ARGS}{{"x": 1}}<|tool_call_end|>'
B = f"{HEAD}b:1{ARGS}{{}}<|tool_call_end|>"

HEADS = {
    "name": "two-heads",
    "call": ["[C]", ""],
    "payload": {"kind": "arguments", "head": ["{name}[A]", "{name}<I>{id}[A]"]},
    "ignored": ["[/C]"],
    "ends": ["</s>"],
}
MISTRAL_3 = description("mistral-v3")
NEMOTRON = with_payload(description("nemotron"), partial=True)
SEED = description("seed-oss")
# --- Transcripts and types ----------------------------------------------------------------------


def test_a_transcript_needs_results():
    with pytest.raises(ValueError, match="kimi-k2"):
        cogwire.parse_transcript("a", cogwire.Format.from_json(KIMI))


def test_what_is_for_a_format_names_it():
    form = cogwire.Format.from_json(KIMI)
    assert cogwire.Format.from_json(KIMI).wire is form.wire
    for owner in (form, cogwire.Parser(form), cogwire.Batch(form), cogwire.Assembler(form)):
        assert cogwire.Toolset([], owner).wire == form.wire
        assert owner.dialect == owner.wire.dialect == "kimi-k2"


@rows("copied", [copy.copy, copy.deepcopy, lambda form: pickle.loads(pickle.dumps(form))])  # noqa: S301
def test_a_format_that_was_used_is_copied_without_its_dialect(copied):
    form = cogwire.format_named("harmony").format
    assert form.wire.name == "harmony"
    assert copied(form) == form
    assert "wire" not in vars(copied(form))


def test_what_is_wrong_in_a_description_is_pickled():
    """It may come from another process."""
    with pytest.raises(ValueError, match="/name: must be a string") as caught:
        cogwire.Format.from_json({**KIMI, "name": 1})
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)  # noqa: S301


@rows("name", [form.name for form in cogwire.formats()])
def test_what_is_for_a_format_is_pickled(name):
    for owner in (cogwire.Parser(name), cogwire.Batch(name), cogwire.Assembler(name)):
        again = pickle.loads(pickle.dumps(owner))  # noqa: S301
        assert again.wire.checksum == owner.wire.checksum


def sizes_without_bound():
    """Return how much each cache of the library has that is never emptied."""
    modules = [each for name, each in sys.modules.items() if name.startswith(cogwire.__name__)]
    caches = [
        value
        for module in modules
        for value in vars(module).values()
        if hasattr(value, "cache_parameters") and value.cache_parameters()["maxsize"] is None
    ]
    return [cache.cache_info().currsize for cache in caches]


@rows(
    ("described", "varied", "body"),
    [
        (KIMI, "call_", f"{OPEN}{A}<|tool_calls_section_end|>"),
        (HEADS, "[A]", "[C]a[A]{}"),
        (MISTRAL_3, "[TOOL", '[TOOL_CALLS][{"name": "a", "arguments": {}}]'),
        (NEMOTRON, "TOOLCALL", '<TOOLCALL>[{"name": "a"}]</TOOLCALL>'),
        (SEED, "tool_call", f"{SEED['call'][0]}<function=a></function>{SEED['call'][1]}"),
        (
            {**description("hermes"), "bare": True, "payload": {"kind": "object"}},
            "tool_call",
            '<tool_call>{"name": "a", "arguments": {}}</tool_call>',
        ),
    ],
)
@unmeasured()
def test_no_description_is_kept_for_ever(described, varied, body):
    written = json.dumps({**described, "name": "custom"}, ensure_ascii=False)
    made, sizes = [], {}
    for number in range(100):
        other = f"{varied}{number}-"
        form = cogwire.Format.from_json(json.loads(written.replace(varied, other)))
        events = cogwire.parse(body.replace(varied, other), form)
        assert [event["type"] for event in events] == ["call", "execute"]
        cogwire.render_calls([{"name": "a", "args": {}}], form)
        cogwire.tooling.notation(form)
        made.append(weakref.ref(form))
        if number in {0, 99}:
            sizes[number] = sizes_without_bound()
    del form
    gc.collect()
    assert not any(one() for one in made[:30])
    assert sizes[99] == sizes[0]


def test_an_array_without_calls_holds_nothing_back():
    form = cogwire.Format.from_json(MISTRAL_3)
    text = "[TOOL_CALLS][]x[TOOL_CALLS][]"
    outcome = run(singles(text), dialect=form, hop=True, calls="sealed", raw=True)
    assert bare(outcome.events) == [{**respond("x"), "raw": "[TOOL_CALLS][]x"}]
    assert outcome.tail == "[TOOL_CALLS][]"


def test_a_section_that_ends_without_calls_is_restored_as_it_ended():
    """Nothing of it is sealed then."""
    parser = cogwire.Parser("kimi-k2", calls="sealed", clock=None)
    parser.feed("<|tool_calls_section_begin|>")
    parser.close(finished=True)
    other = cogwire.Parser.restore(parser.snapshot(), clock=None)
    assert (other.state, other.snapshot()) == ("execute", parser.snapshot())


def test_the_member_with_the_name_may_be_called_as_args_are_elsewhere():
    form = cogwire.Format.from_json(
        with_payload(NEMOTRON, name="arguments", args="values")  # it is partial
    )
    text = '<TOOLCALL>[{"arguments": "b"}]</TOOLCALL>'
    assert bare(cogwire.parse(text, form, clock=None)) == [CALL_B, execute()]


# --- Values by schema, beyond `conformance/described/schemas.json` ------------------------------


def converted(described, schema, text):
    """Return the value of a text, and the codes of its problems."""
    dialect = described if isinstance(described, str) else cogwire.Format.from_json(described)
    tool = {"name": "t", "parameters": {"properties": {"v": schema}}}
    checked = cogwire.Toolset([tool], dialect).check({"name": "t", "args": {"v": text}})
    return checked.args["v"], [problem["code"] for problem in checked.problems]


@rows(
    "described, schema, text",
    [
        (with_payload(ONLY_TEXT, literals="python"), {"type": "object"}, "{'k': (1,)}"),
        (NESTED, {"type": "array"}, "[<k>1[</k>"),
        *((each, {"type": "integer"}, "5") for each in (DSML, "lfm2")),
    ],
)
def test_a_text_that_fits_no_type_is_kept_and_reported(described, schema, text):
    assert converted(described, schema, text) == (text, ["bad-type"])


def test_values_are_nested_to_a_depth():
    deep = [""]
    for _ in range(126):
        deep.append(f"[<item>{deep[-1]}[</item>")
    assert converted(NESTED, {"type": "array"}, deep[125])[1] == []
    assert converted(NESTED, {"type": "array"}, deep[126]) == (deep[126], ["bad-type"])


# --- Laws ---------------------------------------------------------------------------------------


@given(st.data())
def test_it_reads_what_the_executable_spec_reads(data):
    described = data.draw(descriptions())
    check_alike(data, described, data.draw(described_texts(described)))
