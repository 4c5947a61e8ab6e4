"""Reads a turn that is written by hand in a described format, with the core and the executable spec."""

import json

import pytest
from hypothesis import strategies as st

from cogwire_kit.conformance import corpus
from tests import cogwire, oracle
from tests.core.helpers import bare, call, run, singles, split

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
