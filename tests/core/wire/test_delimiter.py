"""The delimiter dialects while their text arrives: what waits, and what is known at once."""

import itertools

from tests import cogwire
from tests.core.helpers import LINES, end, execute
from tests.rows import rows

A = '{"name":"a","args":{}}'
B = '{"name":"b"}'


@rows("dialect", LINES)
def test_a_boundary_is_waited_for(dialect):
    """`§execute` at the end of a chunk may still be a longer word."""
    for boundary in " \t\n\r§":
        parser = cogwire.Parser(dialect, clock=None)
        assert parser.feed("§execute") == []
        assert parser.state == "prose"
        assert parser.feed(boundary) == [execute()]
        assert parser.discarded == 1
    parser = cogwire.Parser(dialect, clock=None)
    assert parser.feed("§execute") == []
    assert parser.close(finished=True) == [execute()]
    assert parser.state == "paused"
    parser = cogwire.Parser(dialect, clock=None)
    assert parser.feed("§end") == []
    assert parser.close(finished=True) == [end()]
    assert parser.state == "ended"


def steps_of(text, dialect="delimiter", **options):
    """Feed `text` one by one; give what came, in short, and the state after each character."""
    parser = cogwire.Parser(dialect, clock=None, **options)
    steps = []
    for character in text:
        names = [event.get("code", event["type"]) for event in parser.feed(character)]
        steps.append((character, names, parser.state))
    return steps


def runs(states):
    """Return the states one after the other, each once."""
    return [state for state, _ in itertools.groupby(states)]


def test_the_state_after_each_part():
    """In a payload, and after a call until the next marker, the text is in the block."""
    text = f"a\n§think: b\n§call: {B} \n§respond: c\n§execute\n"
    states = [state for _, _, state in steps_of(text)]
    assert runs(states) == ["prose", "think", "execute", "prose", "paused"]
    assert states[text.index("{") - 2] == "execute"
    respond_ends = text.index("§respond: c") + 8
    assert states[respond_ends - 1 : respond_ends + 1] == ["execute", "prose"]
    text = f"§call: {B}§execute\n[SYSTEM: a]\n§result: b\n§end\nc"
    states = [state for _, _, state in steps_of(text, mode="transcript")]
    assert runs(states) == ["prose", "execute", "prose", "results", "prose"]


def test_results_are_emitted_when_other_text_follows():
    text = f"§call: {B}§execute\n[SYSTEM: a]\n \nc"
    steps = steps_of(text, mode="transcript")
    assert [names for _, names, _ in steps if names] == [["call"], ["execute"], ["result"]]
    assert steps[-1][1] == ["result"]
    text = f"§call: {B}§execute\n§result: a\n§en§end\n§end\n"
    steps = steps_of(text, mode="transcript")
    assert steps[-1][1] == ["result", "end"]
