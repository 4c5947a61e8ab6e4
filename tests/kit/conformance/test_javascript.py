"""The implementation in JavaScript; `tests/evidence/test_differential.py` holds it to the core."""

import subprocess

import pytest
from fuzz.comparing import JAVASCRIPT

pytestmark = pytest.mark.verify


def test_its_own_tests_pass():
    """The hand-written expectations of the implementation hold."""
    run = subprocess.run(
        ["node", "--test", str(JAVASCRIPT.parent / "test.mjs")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout
