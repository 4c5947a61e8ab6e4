"""Several adapters, side by side."""

import json
import sys

import pytest

from tests.kit.conformance.helpers import REFERENCE, SMALL, invoke

pytestmark = pytest.mark.verify

LISTED = """
[[adapter]]
name = "here"
about = "The reference."
command = {command}
needs = {python}
conforms = true

[[adapter]]
name = "gone"
about = "An adapter that has to be built."
command = ["./no-such-adapter"]
needs = "no-such-compiler"
conforms = true
"""


def test_targets_that_need_a_missing_program_are_left_out(tmp_path):
    """Unless it is asked for by its name."""
    listed = tmp_path / "adapters.toml"
    text = LISTED.format(command=json.dumps(REFERENCE), python=json.dumps(sys.executable))
    listed.write_text(text, "utf-8")
    options = ["--adapters", listed, "--corpus", SMALL, "--jobs", 1]
    output = invoke("matrix", tmp_path / "out", *options)
    assert "gone: left out, because no-such-compiler is not installed" in output
    assert "here: conformant" in output
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "here.jsonl",
        "here.svg",
        "index.html",
    ]
    output = invoke("matrix", tmp_path / "out", *options, "--only", "gone", code=3)
    assert "cannot be started: No such file or directory" in output


def test_an_entry_with_an_unknown_member_is_refused(tmp_path):
    listed = tmp_path / "adapters.toml"
    listed.write_text('[[adapter]]\nname = "a"\nabout = "b"\ncommand = []\nneed = "c"\n', "utf-8")
    assert "a: need" in invoke("matrix", tmp_path / "out", "--adapters", listed, code=2)
