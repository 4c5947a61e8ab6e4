"""What the guides to the bridges show is what happens, as for every other guide."""

import pytest

from tests.spec.test_guides import ROOT, assert_prints_what_it_shows, folder  # noqa: F401 - a fixture

#: What the guides to engines show needs a server with a GPU; `make engines` loads the plugins.
ENGINES = ("sglang", "vllm")
GUIDES = [
    page
    for page in sorted((ROOT / "website" / "guides" / "bridges").glob("*.md"))
    if page.stem not in ENGINES
]


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_a_page_prints_what_it_shows(page, folder):  # noqa: F811 - the fixture
    assert_prints_what_it_shows(page, folder)
