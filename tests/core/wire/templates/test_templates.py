"""The chat templates of models: what each writes is read back as it was, however it is cut."""

import pytest
from jinja2 import TemplateError

from tests import cogwire
from tests.core.helpers import TRAINED, run, singles, split
from tests.core.wire.described.reading import description
from tests.core.wire.templates import rendering
from tests.core.wire.templates.rendering import PLACE, TABLE, VARIANTS, Variant
from tests.rows import rows

#: Each template is compiled for these tests alone.
pytestmark = pytest.mark.verify

each_template = rows("name", sorted(TABLE))
#: What a text has of Llama: the tokens of its template, too, that mean nothing in the format.
LLAMA3_JSON = ["<|python_tag|>", "<|eom_id|>", "<|eot_id|>", "<think>", "</think>"]
#: What is at both ends of a text, where the description does not name another one.
GEMMA_QUOTE = '<|"|>'
#: What the table says of a template.
MEMBERS = {
    *("format", "header", "stop", "arguments", "thought", "null", "opened", "instead"),
    *("start", "apart"),
    *("loses", "wrong", "refuses"),
}


def form_of(name):
    """Return the format that a template writes: a name of the core, or a description."""
    form = TABLE[name]["format"]
    return form if form in TRAINED else cogwire.Format.from_json(description(form))


def variants_of(name):
    """Return the variants of a template, with one that has the markers of its format in a text."""
    form = TABLE[name]["format"]
    markers = {"call": LLAMA3_JSON} if form == "llama3-json" else description(form)
    if markers.get("payload", {}).get("style") == "gemma":
        markers["quote"] = GEMMA_QUOTE
    return {**VARIANTS, "markers": rendering.with_markers(markers)}


def turns(name, variant):
    """Return the turns that a template makes of a message, and the format that reads them."""
    return form_of(name), rendering.turns(name, variant)


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
    """Return the variants of a template that it does not refuse, and that it writes readably."""
    about = TABLE[name]
    most = 1 if "refuses" in about else 2
    return {
        key: variant
        for key, variant in variants_of(name).items()
        if key not in about.get("wrong", ()) and len(variant.calls) <= most
    }


def test_every_template_is_in_the_table():
    assert sorted(path.stem for path in (PLACE / "llama.cpp").glob("*.jinja")) == sorted(TABLE)


@each_template
def test_a_prompt_says_where_its_turn_starts(name):
    for thinks in (False, True):
        prompt = rendering.prompt_of(name, thinks)
        assert cogwire.start_of(prompt, form_of(name)) == rendering.start_of(name, thinks)


@each_template
def test_what_a_template_writes_is_read_as_it_was(name):
    assert [key for key, variant in kept(name).items() if not is_read(name, variant)] == []


@each_template
def test_what_a_template_loses_is_not_in_what_it_writes(name):
    lost = TABLE[name].get("loses", {})
    assert lost.keys() <= {"prose", "thought", "several"}
    texts = [text for text, _ in turns(name, Variant(VARIANTS["one"].calls, "shown", "meant"))[1]]
    assert all(("shown" in text) == ("prose" not in lost) for text in texts)
    assert all(("meant" in text) == ("thought" not in lost) for text in texts)


@each_template
def test_what_is_said_of_a_template_is_so(name):
    about = TABLE[name]
    assert about.keys() <= MEMBERS
    assert not any(is_read(name, variants_of(name)[key]) for key in about.get("wrong", ()))
    if about.get("refuses"):
        with pytest.raises(TemplateError):
            turns(name, VARIANTS["two"])


@each_template
def test_every_cut_of_what_a_template_writes_is_read_alike(name):
    for variant in kept(name).values():
        form, made = turns(name, variant)
        for text, start in made:
            whole = run([text], dialect=form, start=start).events
            for cut in range(1, len(text)):
                assert run(split(text, cut), dialect=form, start=start).events == whole
