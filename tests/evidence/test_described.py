"""Described formats, as a second implementation reads them, which was written from the chapter."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cogwire_kit.adapter import answer
from cogwire_kit.conformance import corpus, formats
from cogwire_kit.strategies import described_texts, descriptions
from fuzz import comparing
from tests.rows import rows

DESCRIBED = sorted(path.parent for path in corpus.PLACE.glob("formats/*/description.json"))
#: The formats whose payloads it does not read: neither JSON nor tags.
UNREAD: frozenset[str] = frozenset()


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


@rows("folder", [pytest.param(folder, id=folder.name) for folder in DESCRIBED])
def test_the_corpora_are_read_as_decided(javascript, folder):
    description = json.loads((folder / "description.json").read_text("utf-8"))
    texts = formats.load(folder.name)
    for case in texts.cases:
        for size in (1, 3, max(1, len(case.text))):
            [reply] = javascript.ask([request(description, case.text, size, texts.tools)])
            assert ("unsupported" in reply) is (folder.name in UNREAD), reply
            if folder.name not in UNREAD:
                assert case.outcome(said(reply)) is not None, case.id


@pytest.mark.hypothesis
@settings(suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_text_is_read_alike(javascript, data):
    """White space aside, which the items of formats do not define."""
    description = data.draw(descriptions())
    text = data.draw(described_texts(description)).encode("utf-8", "replace").decode()
    size = data.draw(st.sampled_from([1, 3, 1000]))
    [reply] = javascript.ask([request(description, text, size)])
    if "unsupported" in reply:
        return
    mine = said(reply)
    theirs = said(json.loads(answer(request(description, text, size))))
    assert mine.tried == theirs.tried
    assert mine.content.split() == theirs.content.split()
    assert mine.reasoning.split() == theirs.reasoning.split()
