"""Reads a turn that is written by hand in a described format, with the core and the executable spec."""

import json

import pytest
from hypothesis import strategies as st

from cogwire_kit.conformance import corpus
from tests import cogwire, oracle, schemas
from tests.core.helpers import CARET, bare, call, check, run, singles, split
from tests.rows import rows

CALL_A = call('{"name": "a", "args": {"x": 1}}')
TEXT_A = call('{"name": "a", "args": {"x": "1"}}')
CALL_B = call('{"name": "b", "args": {}}')
LIMITS = st.sampled_from([(8_388_608, 256, 128, 1000), (40, 2, 2, 2), (90, 1, 3, 1)])
#: The formats of the corpus that have a description.
DESCRIBED = sorted(path.parent.name for path in corpus.PLACE.glob("formats/*/description.json"))


def description(name):
    """Return the description of a format of the corpus, decoded."""
    return json.loads((corpus.PLACE / "formats" / name / "description.json").read_text("utf-8"))


def refusal(description):
    """Return why a description is refused."""
    with pytest.raises(ValueError) as refused:
        cogwire.Format.from_json(description)
    return str(refused.value)


def path_refused(calls, description):
    """Return the place for which calls are not written in a format."""
    with pytest.raises(cogwire.RenderError) as refused:
        cogwire.render_calls(calls, cogwire.Format.from_json(description))
    return refused.value.path


def each_turn(*tables):
    """Give a test each row of some tables, each with the description that it is written in."""
    return rows(
        "described, row",
        [
            pytest.param(described, row, id=f"{described['name']}-{name}")
            for described, table in tables
            for name, row in table.items()
        ],
    )


def check_turn(described, row):
    """Assert that both read the events of `row`, and that the description is kept as it is."""
    schemas.validator("description").validate(described)
    assert cogwire.Format.from_json(described).to_json() == described
    check_reading(described, row)


def check_reading(described, row):
    """Assert that both read the events of `row`."""
    check(row.text, row.events, dialect=cogwire.Format.from_json(described), **row.options)
    text = row.text.replace(CARET, "")
    limits = row.options.get("limits", cogwire.Limits())
    sizes = (limits.size, limits.calls, limits.depth, limits.digits)
    chosen = {each: row.options[each] for each in ("start", "calls") if each in row.options}
    finished = row.options.get("closing", {"finished": True})["finished"]
    seen = oracle.parse(text, described, limits=sizes, is_finished=finished, **chosen)
    places = iter([place for place, char in enumerate(row.text) if char == CARET])
    expected = [
        event | {"offset": next(places)} if event["type"] == "error" else event
        for event in row.events
    ]
    assert seen.events == expected
    assert (seen.state, seen.discarded) == (row.options["state"], row.options.get("discarded", 0))


def check_alike(data, described, text):
    """Assert that both read a text alike, in any way that is drawn, whole and in pieces."""
    form = cogwire.Format.from_json(described)
    starts = ["prose", "think", *(["header"] if "header" in described else [])]
    calls, limits = data.draw(st.sampled_from(["shown", "sealed"])), data.draw(LIMITS)
    options = {"start": data.draw(st.sampled_from(starts)), "calls": calls}
    options |= {"raw": True, "spans": True}
    finished = data.draw(st.booleans())
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=4)))
    for own in ({"stream": "event"}, {"stream": "token"}, {"stream": "token", "call_deltas": True}):
        shown = {"call_deltas": "call_deltas" in own}
        expected = oracle.parse(
            text, described, limits=limits, is_finished=finished, **options, **shown
        )
        closing = {"limits": cogwire.Limits(*limits), "closing": {"finished": finished}}
        for chunks in ([text], split(text, *cuts), singles(text)):
            for hop in (False, True):
                outcome = run(chunks, dialect=form, hop=hop, **options, **own, **closing)
                assert bare(outcome.events) == expected.events
                assert outcome[1:] == (expected.state, expected.discarded, expected.tail)
