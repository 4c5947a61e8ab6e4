"""The suite is tested too: cases must catch every broken parser, and every case must catch one."""

import json

import pytest
from conformance.zoo import buffering, kills, making, streaming
from conformance.zoo.animals import ANIMALS, read

from cogwire_kit.conformance import corpus
from tests.oracle import answering
from tests.rows import rows

pytestmark = pytest.mark.verify

#: A change of more lines is more than one bug.
MOST_LINES = 10

CLASSES = json.loads((corpus.PLACE / "classes.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def everything():
    return kills.asked(corpus.load())


@pytest.fixture(scope="module")
def table(everything):
    return kills.table(everything, ANIMALS, most=0)


def test_there_are_many_animals_and_their_names_are_unique():
    names = {animal.name for animal in ANIMALS}
    assert len(names) == len(ANIMALS) >= 48


@rows("animal", ANIMALS)
def test_an_animal_is_one_small_change_that_is_a_known_bug(animal):
    before, after = animal.old.splitlines(), animal.new.splitlines()
    kept = [line for line in after if line in before]
    assert len(after) - len(kept) <= MOST_LINES
    assert len(before) - len(kept) <= MOST_LINES
    assert animal.source() != making.sound(animal.module)
    assert animal.flag in CLASSES
    assert animal.breaks.endswith(".")


def test_every_animal_is_caught_by_a_case_that_is_meant_for_it(everything, table):
    flags = {each.case.id: each.case.data["flags"] for each in everything}
    escaped = [
        row["name"]
        for row in table
        if not any(row["class"] in flags[case] for case in row["cases"])
    ]
    assert escaped == []


def test_every_case_catches_an_animal_or_is_an_example(everything, table):
    catching = {case for row in table for case in row["cases"]}
    idle = [
        each.case.id
        for each in everything
        if each.case.id not in catching and "example" not in each.case.data["flags"]
    ]
    assert idle == []


def test_cases_too_long_for_the_zoo_are_named(everything):
    """The executable spec takes many seconds for 8 MiB; the same limits have short cases."""
    asked = {each.case.id for each in everything}
    assert {case.id for case in corpus.load()} - asked == {
        "xml-json-limit-default-size-above",
        "xml-json-limit-default-size-at",
        "xml-json-write-too-large-a-block",
    }


def test_a_copy_without_a_change_is_caught_by_no_case(everything):
    """Nor is the streaming parser, nor the buffering one."""
    sound = making.built("text", making.sound_code("text"))
    cases = [each for each in everything if not each.is_growth and not each.is_open]
    asked = [(kills.catches, each, sound) for each in cases[::3]]
    growing = [each for each in everything if each.is_growth]
    assert growing != []
    asked += [(kills.outgrows, each, buffering.answer) for each in growing]
    flowing = [each for each in everything if each.is_stream]
    asked += [(kills.catches_stream, each, streaming.answer) for each in flowing]
    assert [each.case.id for catches, each, answer in asked if catches(each, answer)] == []


def test_the_statements_that_run_are_recorded():
    seen = set()
    answer = making.noting(seen)
    request = {"id": "1", "op": "parse", "dialect": "xml-json", "chunks": ["Hi"]}
    assert answer(request) == answering.answer(request)
    assert {module for module, _ in seen} >= {"answering", "reading", "tags", "ledger", "text"}
    assert "json_block" in {module for module, _ in seen}
    assert not seen & making.changed(animal_of("last-duplicate-wins"))
    assert seen & making.changed(animal_of("strips-unicode-spaces"))


def test_a_change_that_does_not_fit_is_refused():
    animal = making.Animal("odd", "lenient-json", "It is odd.", "text", "⟦not¦nor⟧ there")
    with pytest.raises(ValueError, match="occurs 0 times"):
        animal.answer()


def test_a_bug_that_is_not_described_whole_is_refused():
    with pytest.raises(ValueError, match="needs a class, a module and a passage: 'odd"):
        list(read("# Bugs\n\n## odd\nIt is odd.\n\n    ⟦not¦nor⟧ there\n"))


def test_a_parser_that_raises_is_caught(everything):
    def answer(request):
        raise RecursionError

    assert kills.catches(everything[0], answer)


def animal_of(name):
    return next(animal for animal in ANIMALS if animal.name == name)
