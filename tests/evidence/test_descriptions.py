"""The run of drawn descriptions: that nothing is read otherwise, and that a broken reader is found."""

from fuzz import descriptions

from tests import oracle
from tests.oracle import literal

FORMATS = 3


def test_every_text_is_read_alike():
    tally = descriptions.examine(5, range(FORMATS))
    assert tally.findings == []
    assert tally.done == FORMATS * descriptions.FAMILY
    assert {"call", "error", "respond"} <= tally.counted("events").keys()
    kinds = tally.counted("formats")
    assert len(kinds) > 1
    assert sum(kinds.values()) == FORMATS
    assert {"written", "reported"} <= tally.counted("histories").keys()


def test_a_text_that_is_read_otherwise_is_found_made_small_and_read_again(monkeypatch):
    whole = oracle.parse

    def parse(text, *args, **options):
        return whole(text.replace("Hi", "Ho"), *args, **options)

    monkeypatch.setattr(oracle, "parse", parse)
    numbers = [number for number, _ in descriptions.examine(5, range(FORMATS)).findings]
    printed = descriptions.shown(5, numbers[0])
    assert f"python fuzz/descriptions.py --seed 5 --only {numbers[0]}\n" in printed
    assert "\n'Hi'\n" in printed
    monkeypatch.undo()
    described, texts, _ = descriptions.family_of(5, numbers[0] // descriptions.FAMILY)
    text = texts[numbers[0] % descriptions.FAMILY]
    way = descriptions.way_of(5, numbers[0], described, text)
    assert "Hi" in text
    assert descriptions.complaint(described, text, way) == ""


def test_a_text_that_is_written_otherwise_is_found(monkeypatch):
    monkeypatch.setattr(literal, "unsafe", lambda *_: [])
    findings = descriptions.examine(5, range(1)).findings
    printed = descriptions.shown(5, findings[0][0])
    assert " is converted to " in printed or " have {" in printed
