"""Shapes, and the cases beside them, are read in every described format, however they are cut."""

import pytest

from cogwire_kit.conformance import formats, shapes
from tests import cogwire
from tests.core.helpers import IS_BRIEF, in_fives, run, singles, split, unmeasured
from tests.core.wire.described.reading import DESCRIBED, description
from tests.core.wire.messages import message_of
from tests.rows import rows

SHAPES, TOOLS = shapes.load()
NO_CLOSER = (
    *("gigachat-3", "gigachat-3.1", "granite-20b-fc", "granite-3", "llama3-json", "mistral"),
    *("phi-4-mini", "xlam", "xlam-1"),
)
#: Shapes that are read as another of their outcomes has it: a call without a closer, whose opener
#: comes again, begins there, and one that cannot begin without a section is none.  A call of an
#: array is shown before an error after it voids both.
OTHERWISE = {
    *((name, "opener-twice") for name in NO_CLOSER),
    ("functionary-v3.1", "opener-twice"),
    *(("minimax-m1", shape) for shape in ("no-section", "call-after-its-section")),
    ("xlam", "broken-second"),
    ("xlam-1", "broken-second"),
}


def described(name):
    """Return a format, and the cases that the shapes are in it, with those by hand beside them."""
    form = cogwire.Format.from_json(description(name))
    if name in formats.shaped():
        return form, formats.load(name).cases
    written = shapes.texts(description(name), SHAPES)
    return form, [formats.FormatCase(case) for case in shapes.cases(name, written, SHAPES)]


def read(toolset, chunks, options):
    """Return what the chunks of a turn say in the format of a tool set."""
    return message_of(run(chunks, dialect=toolset, **options).events, toolset)


@rows("name", DESCRIBED)
@unmeasured()
def test_the_shapes_are_read_in_a_format(name):
    form, cases = described(name)
    toolset = cogwire.Toolset(TOOLS, form)
    wrong = []
    for case in cases:
        ways = [in_fives(case.text)] if IS_BRIEF else [[case.text], singles(case.text)]
        outcomes = {case.outcome(read(toolset, each, case.options)) for each in ways}
        expected = 0 if (name, case.id.removeprefix(f"{name}-")) not in OTHERWISE else None
        if len(outcomes) > 1 or None in outcomes or (expected == 0) != (outcomes == {0}):
            wrong.append((case.id, outcomes))
    assert not wrong


@pytest.mark.verify
@rows("name", DESCRIBED)
def test_a_shape_is_read_alike_wherever_it_is_cut(name):
    """One shape is cut at every third place, and the next one, with the same markers, at the places beside."""
    form, cases = described(name)
    for number, case in enumerate(cases):
        whole = run([case.text], dialect=form, **case.options).events
        for cut in range(1 + number % 3, len(case.text), 3):
            read_cut = run(split(case.text, cut), dialect=form, **case.options)
            assert read_cut.events == whole, case.id
