"""The page of the formats that models write: every model leads to its format."""

import re

from website.text import code

import cogwire
from website import models


def test_every_model_and_every_format_is_on_the_page(tmp_path):
    models.write_page(tmp_path)
    text = (tmp_path / "which-format.md").read_text("utf-8")
    listed = set(re.findall(r"^\| ([^|]+) \| \[`([^`]+)`\]\(#", text, re.MULTILINE))
    expected = {(model, each.name) for each in cogwire.formats() for model in each.models}
    assert {(model.strip(), name) for model, name in listed} == expected
    sections = re.findall(r"^## `(.+?)` \{ #(.+?) \}$", text, re.MULTILINE)
    assert [name for name, _ in sections] == sorted(each.name for each in cogwire.formats())
    assert all(name == anchor for name, anchor in sections)
    for each in cogwire.formats():
        assert each.source in text
        for alias in each.aliases:
            assert code(alias) in text
