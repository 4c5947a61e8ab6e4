"""The chat templates of models: what each writes is read back as it was, however it is cut."""

import json

import pytest
from jinja2 import TemplateError

from cogwire_kit.conformance import corpus
from tests import cogwire
from tests.core.helpers import TRAINED, run, singles, split
from tests.core.wire.templates import rendering
from tests.core.wire.templates.rendering import PLACE, TABLE, VARIANTS, Variant
from tests.rows import rows

each_template = rows("name", sorted(TABLE))
#: The format whose calls are bare has no description.
LLAMA3_JSON = ["<|python_tag|>", "<|eom_id|>", "<|eot_id|>", "<think>", "</think>"]
ONE = VARIANTS["one"].calls
#: What a template may lose of each message, beside single variants.
PARTS = {"prose", "thought", "several"}


def form_of(name):
    """Return the format that a template writes: a name of the core, or a description."""
    form = TABLE[name]["format"]
    return form if form in TRAINED else cogwire.Format.from_json(description(form))


def description(form):
    """Return the description of a format, decoded."""
    return json.loads((corpus.PLACE / "formats" / form / "description.json").read_text("utf-8"))


def think_of(form):
    """Return the markers around a think."""
    return cogwire.Parser(form).wire.frame.think


def variants_of(name):
    """Return the variants of a template, with one that has the markers of its format in a text."""
    form = TABLE[name]["format"]
    markers = {"call": LLAMA3_JSON} if form == "llama3-json" else description(form)
    return {**VARIANTS, "markers": rendering.with_markers(markers)}


def turns(name, variant):
    """Return the turns that a template makes of a message, and the format that reads them."""
    form = form_of(name)
    return form, rendering.turns(name, variant, think_of(form))


def is_read(name, variant):
    """Whether a message is read as it was, from whole turns and from pieces of one and three."""
    expected = rendering.expected(name, variant)
    form, made = turns(name, variant)
    return all(
        expected.outcome(rendering.read(chunks, form, start=start)) == 0
        for text, start in made
        for chunks in ([text], singles(text), [text[at : at + 3] for at in range(0, len(text), 3)])
    )


def kept(name):
    """Return the variants of a template of which it loses nothing but parts that it never writes."""
    lost = TABLE[name].get("loses", {})
    return {
        key: variant
        for key, variant in variants_of(name).items()
        if key not in lost and not (len(variant.calls) > 1 and "several" in lost)
    }


def test_every_template_is_in_the_table():
    assert sorted(path.stem for path in (PLACE / "llama.cpp").glob("*.jinja")) == sorted(TABLE)


@each_template
def test_what_a_template_writes_is_read_as_it_was(name):
    assert [key for key, variant in kept(name).items() if not is_read(name, variant)] == []


@each_template
def test_what_a_template_loses_is_lost(name):
    lost, variants = TABLE[name].get("loses", {}), variants_of(name)
    assert lost.keys() <= PARTS | variants.keys()
    for key in lost.keys() - PARTS:
        assert not is_read(name, variants[key])
    for part, variant in (("prose", Variant(ONE, "shown")), ("thought", Variant(ONE, "", "meant"))):
        if part in lost:
            texts = [text for text, _ in turns(name, variant)[1]]
            assert not any(word in text for text in texts for word in ("shown", "meant"))
    if "several" in lost:
        with pytest.raises(TemplateError):
            turns(name, variants["two"])


@pytest.mark.verify
@each_template
def test_every_cut_of_what_a_template_writes_is_read_alike(name):
    for variant in kept(name).values():
        form, made = turns(name, variant)
        for text, start in made:
            whole = run([text], dialect=form, start=start).events
            for cut in range(1, len(text)):
                assert run(split(text, cut), dialect=form, start=start).events == whole
