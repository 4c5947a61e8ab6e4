"""The descriptions in the corpus, with which the cases of their formats are read as decided."""

import json

import pytest
from conformance.formatting import formatted

from cogwire_kit.conformance import formats
from tests import cogwire, schemas
from tests.core.helpers import run, singles
from tests.core.wire.described.reading import DESCRIBED, description
from tests.core.wire.messages import message_of, toolset_of
from tests.rows import rows

#: The most lines that a description has in the form of the corpus.
LINES = 40
#: Cases whose second outcome is that of the description, which is stricter.
STRICTER = frozenset(
    {
        *("kimi-k2-name-with-a-colon", "kimi-k2-id-without-functions"),
        *("kimi-k2-id-without-a-number", "kimi-k2-arguments-missing"),
        *("kimi-k2-text-after-the-arguments", "deepseek-v3.1-arguments-missing"),
        *("deepseek-v3.1-text-after-the-arguments", "mistral-v3-object-instead-of-an-array"),
        *("mistral-v3-good-then-broken", "mistral-v3-arguments-missing"),
        *("harmony-arguments-missing", "harmony-text-after-the-arguments"),
        # By `tr-llama-call` a call has both members.
        *("llama3-json-arguments-instead-of-parameters", "llama3-json-parameters-missing"),
        # An error, as wherever a call breaks a rule (`tr-mistral-call`).
        "mistral-arguments-missing",
        # A function without its markers is prose (`tr-qwen-bare`).
        "qwen3-coder-without-the-block",
        # What follows the marker that ends a turn is in no turn (`fd-ends-call`).
        *("harmony-two-calls", "harmony-identical-calls", "harmony-prose-after-the-call"),
    }
)


def test_formats_of_the_corpus_are_described():
    assert set(formats.names()) <= set(DESCRIBED)


@rows("name", DESCRIBED)
def test_a_description_is_written_as_it_is_read(name):
    written = description(name)
    schemas.validator("description").validate(written)
    assert cogwire.Format.from_json(written).to_json() == written
    assert len(formatted(json.dumps(written)).splitlines()) <= LINES


@rows("known", [each for each in cogwire.formats() if isinstance(each.format, cogwire.Format)])
def test_a_format_that_has_a_name_is_what_its_description_says(known):
    assert known.format == cogwire.Format.from_json(description(known.name))


@rows(
    "name, case",
    [
        pytest.param(name, case, id=case.id)
        for name in formats.names()
        for case in formats.load(name).cases
    ],
)
def test_a_case_is_read_as_decided(name, case):
    form = cogwire.Format.from_json(description(name))
    start = case.options.get("start", "prose" if form.header is None else "header")
    events = run(singles(case.text), dialect=form, start=start).events
    message = message_of(events, toolset_of(name, form))
    assert case.outcome(message) == int(case.id in STRICTER)
