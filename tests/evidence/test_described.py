"""Described formats, as a second implementation reads them, which was written from the chapter."""

import json

import pytest
from fuzz import comparing
from hypothesis import given
from hypothesis import strategies as st

from cogwire import Format, Parser, Toolset
from cogwire_kit.conformance import corpus, formats
from tests.core.helpers import repaired, run, singles
from tests.core.wire.described.drawing import described_texts, descriptions
from tests.core.wire.messages import message_of
from tests.rows import rows

FOLDERS = sorted(path.parent for path in corpus.PLACE.glob("formats/*/description.json"))
#: Those that have texts.
DESCRIBED = [
    folder for folder in FOLDERS if {*folder.glob("cases.json"), *folder.glob("shapes.json")}
]


@pytest.fixture(scope="module")
def javascript():
    with comparing.Adapter() as adapter:
        yield adapter


def request(description, text, size, tools=()):
    """Return the line that asks for a text which arrives in chunks of so many characters."""
    chunks = [text[at : at + size] for at in range(0, len(text), size)] or [""]
    parse = {"op": "parse", "format": description, "tools": list(tools), "chunks": chunks}
    return comparing.line(0, parse)


def said(reply):
    """Return what the items of a reply say."""
    return formats.message([item for items in (*reply["feeds"], reply["close"]) for item in items])


def bare(text):
    """Return a text without white space, which the items of formats do not define."""
    return "".join(text.split())


def known(items):
    """Return the text that items or events say is known, and how many calls are complete."""
    names = ("content", "reasoning") if items and "type" not in items[0] else ("content",)
    shown = [each for each in items if each.get("type") not in ("call", "error")]
    text = "".join(each.get(name, "") for each in shown for name in names)
    return bare(text), sum("call" in each or each.get("type") == "call" for each in items)


def is_readable(description):
    """Whether it reads such a format: with calls in JSON, or in tags with values that JSON has."""
    payload = description["payload"]
    lacking = payload.keys() & {"literals", "raw"} or description.keys() & {"header", "bare"}
    return payload["kind"] in ("object", "array", "arguments", "tags") and not lacking


@rows("folder", [pytest.param(folder, id=folder.name) for folder in DESCRIBED])
def test_the_corpora_are_read_as_decided(javascript, folder):
    description = json.loads((folder / "description.json").read_text("utf-8"))
    texts = formats.load(folder.name)
    cases = [case for case in texts.cases if case.asked(()) is not None]
    if not is_readable(description):
        [reply] = javascript.ask([request(description, cases[0].text, 3, texts.tools)])
        assert "unsupported" in reply
        return
    asked = []
    for number, case in enumerate(cases):
        size = (1, 3, max(1, len(case.text)))[number % 3]
        asked.append(request(description, case.text, size, texts.tools))
    many = range(0, len(asked), comparing.IN_FLIGHT)
    replies = [each for at in many for each in javascript.ask(asked[at : at + comparing.IN_FLIGHT])]
    for case, reply in zip(cases, replies, strict=True):
        assert "feeds" in reply, reply
        assert case.outcome(said(reply)) is not None, case.id


#: What turns have that it does not take: it reads turns from their beginning, without limits.
OPTIONS = {"limits", "start", "calls", "finish"}
#: A text of more characters is not sent in single ones.
LONG = 3000


def test_the_turns_of_the_corpus_say_what_their_events_say(javascript):
    read, wrong = 0, []
    for number, (described, case) in enumerate(formats.turns()):
        if case.get("options", {}).keys() & OPTIONS or not is_readable(described):
            continue
        text = corpus.expanded(case["text"])
        if repaired(text) != text:
            continue
        size = (1, 3, max(1, len(text)))[number % 3]
        tools = case.get("options", {}).get("tools", ())
        [reply] = javascript.ask([request(described, text, size, tools)])
        expected = message_of(corpus.expanded(case["expect"])["events"], Toolset([]))
        theirs = said(reply)
        read += 1
        if (theirs.tried, bare(theirs.content), bare(theirs.reasoning)) != (
            *(expected.tried, bare(expected.content), bare(expected.reasoning)),
        ):
            wrong.append((case["id"], reply))
    assert not wrong
    assert read > 200


def test_text_and_calls_arrive_with_the_character_that_decides_them(javascript):
    read, wrong = 0, []
    for described, case in formats.turns():
        text = corpus.expanded(case["text"])
        if case.get("options", {}).keys() & OPTIONS or not is_readable(described):
            continue
        if repaired(text) != text or len(text) > LONG:
            continue
        [reply] = javascript.ask([request(described, text, 1)])
        parser = Parser(Format.from_json(described), stream="token", clock=None)
        ours = [known(parser.feed(char)) for char in text]
        read += 1
        if [known(items) for items in reply["feeds"]] != ours:
            wrong.append((case["id"], reply))
    assert not wrong
    assert read > 200


@given(data=st.data())
def test_any_text_is_read_alike(javascript, data):
    description = data.draw(descriptions())
    text = data.draw(described_texts(description)).encode("utf-8", "replace").decode()
    size = data.draw(st.sampled_from([1, 3, 1000]))
    [reply] = javascript.ask([request(description, text, size)])
    if "unsupported" in reply:
        return
    form = Format.from_json(description)
    ours = message_of(run(singles(text), dialect=form).events, Toolset([], form))
    theirs = said(reply)
    assert theirs.tried == ours.tried
    assert bare(theirs.content) == bare(ours.content)
    assert bare(theirs.reasoning) == bare(ours.reasoning)
