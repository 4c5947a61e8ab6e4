"""The commands and the tools with the lowest versions of packages that the extras accept."""

import re
import sys
from importlib.metadata import version
from pathlib import Path

import tomllib

from tests.processes import ran

ROOT = Path(__file__).parents[3]
EXTRAS = ("tools", "kit", "arrow", "masks")
TESTS = ("tests/kit/cli", "tests/kit/lint", "tests/kit/templates", "tests/kit/test_masks.py")
#: The first looks at the standard error of a command with click's runner, which could not tell it
#: from the output then; the second compares a library whose answer to one schema is mended since.
OTHERS = (
    "tests/kit/cli/test_view.py::test_a_page_that_a_browser_opens_slowly_is_named",
    "tests/core/tools/test_suite.py::test_the_validator_agrees_with_the_suite",
)


def test_they_are_the_lowest():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = {each for extra in EXTRAS for each in project["optional-dependencies"][extra]}
    for name, lowest in (
        re.split(">=|;", each)[:2] for each in wanted if "python_version" not in each
    ):
        numbers, least = version(name).split("."), lowest.split(".")
        assert numbers[: len(least)] == least, name
        assert {*numbers[len(least) :]} <= {"0"}, name


def test_the_tests_pass_with_them():
    left_out = [f"--deselect={each}" for each in OTHERS]
    done = ran(
        *(sys.executable, "-m", "pytest", "--quiet", "--numprocesses", "2"),
        *(*left_out, *TESTS, "tests/core/tools"),
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout[-3000:]
