"""A strict type checker accepts the bridges, and every guide to one, beside the packages' own types."""

import sys

from tests.processes import ran
from tests.spec.test_guides import ROOT, steps

from .test_guides import ENGINES, GUIDES

BRIDGES = ROOT / "src" / "cogwire_kit" / "bridges"


def test_a_type_checker_accepts_the_bridges_and_their_guides(tmp_path):
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
