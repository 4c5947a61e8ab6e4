"""The chat templates of models: what each writes is read back as it was, however it is cut."""

import functools

import pytest

from cogwire_kit.templates.chat import ChatTemplate
from cogwire_kit.templates.checks import with_markers
from cogwire_kit.templates.readings import reader_of
from cogwire_kit.templates.turns import TEXTS, Sample, call
from cogwire_kit.texts.rendered import rendered
from tests import cogwire
from tests.core.helpers import TRAINED, run, split
from tests.core.wire.described.reading import description
from tests.core.wire.templates import PLACE, TABLE
from tests.rows import rows

#: Each template is compiled for these tests alone.
pytestmark = pytest.mark.verify

each_template = rows("name", sorted(TABLE))
#: What some of them use besides, under the names that they use.
OTHERS = {"bos_token": "<s>", "eos_token": "</s>", "datetime": "now", "functions": "[]"}
#: The markers in a text that a description does not have: of Llama's template, and around a text.
LLAMA3_JSON = '<|python_tag|> <|eom_id|> <|eot_id|> <think> </think> <|"|>'
ALL = {**TEXTS, "markers": None}
#: What the table says of a template.
MEMBERS = {"format", "start", "loses", "wrong", "refuses"}


@functools.cache
def form_of(name):
    """Return the format that a template writes: a name of the core, or a description."""
    form = TABLE[name]["format"]
    if form in TRAINED:
        return cogwire.format_named(form).format
    return cogwire.Format.from_json(description(form))


@functools.cache
def reader(name):
    """Return what reads the turns of a template."""
    text = (PLACE / "llama.cpp" / f"{name}.jinja").read_text("utf-8")
    return reader_of(form_of(name), ChatTemplate(text, for_llama_cpp=True))


def said(name, key):
    """Return a text; the markers in one are those of the format of a template."""
    if key != "markers":
        return TEXTS[key]
    (marked,) = with_markers(form_of(name)).calls
    query = f"{marked['arguments']['query']} {LLAMA3_JSON}"
    return Sample([call(query=query)])


def readings(name):
    """Return what is read of each text."""
    return [reader(name).reading(key, said(name, key)) for key in ALL]


def test_every_template_is_in_the_table():
    assert sorted(path.stem for path in (PLACE / "llama.cpp").glob("*.jinja")) == sorted(TABLE)
    assert all(about.keys() <= MEMBERS for about in TABLE.values())


@each_template
def test_a_prompt_says_where_its_turn_starts(name):
    start = TABLE[name].get("start", "prose")
    for thinks in (False, True):
        asked = "think" if thinks else "prose"
        expected = asked if start == "asked" else start
        assert reader(name).turns.start(thinks=thinks) == expected


@each_template
def test_a_chat_that_a_template_has_written_is_known_by_its_beginning(name):
    """Otherwise what a user wrote would be the model's."""
    text = (PLACE / "llama.cpp" / f"{name}.jinja").read_text("utf-8")
    template = ChatTemplate(text, OTHERS, for_llama_cpp=True)
    said = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]
    tools = [] if "tool_use" in name else None
    for messages in (said, [{"role": "system", "content": "Be brief."}, *said]):
        assert "this is a rendered chat" in rendered(template.write(messages, tools=tools))


@each_template
def test_what_a_template_writes_is_read_as_it_was(name):
    """Apart from what the table names."""
    others = [each.name for each in readings(name) if each.outcome == "other"]
    assert others == [key for key in ALL if key in TABLE[name].get("wrong", ())]
    refused = [each.name for each in readings(name) if each.outcome == "refused"]
    assert refused == [key for key in ALL if key in TABLE[name].get("refuses", ())]


@each_template
def test_what_a_template_loses_is_what_the_table_names(name):
    calls = TEXTS["one call"].calls
    texts = {"prose": Sample(calls, prose="shown"), "thought": Sample(calls, thought="meant")}
    lost = {kind for kind, text in texts.items() if kind not in kinds(reader(name), text)}
    lost |= {"several"} if reader(name).most_calls == 1 else set()
    assert lost == TABLE[name].get("loses", {}).keys()


def kinds(reading, text):
    """Return what a template writes of a text: prose, thoughts, calls."""
    return {each.split()[0] for each in reading.reading("", text).expected}


@each_template
def test_every_cut_of_what_a_template_writes_is_read_alike(name):
    for key in ALL.keys() - TABLE[name].get("refuses", {}).keys():
        for turns in reader(name).turns.alternatives(said(name, key)):
            for text, start in turns:
                assert_read_alike(form_of(name), text, start)


@functools.cache
def assert_read_alike(form, text, start):
    """Cut a text everywhere, and only once: many templates of one format write the same texts."""
    whole = run([text], dialect=form, start=start).events
    for cut in range(1, len(text)):
        assert run(split(text, cut), dialect=form, start=start).events == whole
