"""Each rule of `cogwire lint` has a place on a page."""

import re

from cogwire_kit.conformance import corpus
from cogwire_kit.lint import RULES
from website import rules


def test_every_rule_is_listed_and_leads_to_a_place(tmp_path):
    rules.write_page(tmp_path)
    rows = re.findall(
        r"^\| \[`([\w-]+)`\]\(([^)]+)\) \|",
        (tmp_path / "rules.md").read_text("utf-8"),
        re.MULTILINE,
    )
    assert [name for name, _ in rows] == list(RULES)
    for _, goal in rows:
        page, _, anchor = goal.partition("#")
        name = page.removeprefix("spec/")
        text = ((tmp_path if page == name else corpus.PAGES) / name).read_text("utf-8").lower()
        assert f"#{anchor} }}" in text or f"## {anchor}" in text, goal


def test_the_page_shows_the_message_and_the_fix(tmp_path):
    rules.write_page(tmp_path)
    text = (tmp_path / "rules.md").read_text("utf-8")
    assert "near-marker &#60;Think" not in text
    assert "near-marker <Think> is not a marker here" in text
    assert "<think>Look.</think> Hello." in text
