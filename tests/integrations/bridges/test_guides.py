"""What the guides to the bridges show is what happens, and both are accepted by a strict type checker."""

import sys

import pytest

from tests.processes import ran
from tests.spec.test_guides import (  # noqa: F401 - `folder` is a fixture
    ROOT,
    assert_prints_what_it_shows,
    folder,
    steps,
)

#: What the guides to engines show needs a server with a GPU; `make engines` loads the plugins.
ENGINES = ("sglang", "vllm")
GUIDES = [
    page
    for page in sorted((ROOT / "website" / "guides" / "bridges").glob("*.md"))
    if page.stem not in ENGINES
]
BRIDGES = ROOT / "src" / "cogwire_kit" / "bridges"


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_a_page_prints_what_it_shows(page, folder):  # noqa: F811 - the fixture
    assert_prints_what_it_shows(page, folder)


def test_a_type_checker_accepts_the_bridges_and_their_guides(tmp_path):
    """Beside the packages' own types."""
    # An engine is a gigabyte.
    bridges = {*BRIDGES.rglob("*.py")} - {BRIDGES / f"{name}.py" for name in ENGINES}
    for page in GUIDES:
        text = "\n".join(step.text for step in steps(page) if step.kind == "python")
        (tmp_path / f"{page.stem.replace('-', '_')}_page.py").write_text(text, "utf-8")
    done = ran(
        sys.executable,
        *("-m", "mypy", "--cache-dir", tmp_path / "cache"),
        *sorted(bridges),
        *sorted(tmp_path.glob("*.py")),
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout + done.stderr
