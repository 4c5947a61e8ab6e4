"""How long Hypothesis looks: `HYPOTHESIS_PROFILE=few|default|night`; the tiers; and the browser."""

import functools
import gc
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.database import DirectoryBasedExampleDatabase

from tests.rows import name_rows_of

#: Failures of a night are kept here, and tried first the next time.
FOUND = Path(__file__).parents[1] / ".hypothesis" / "examples"

#: Documents are large values, so the health checks on their size and speed say nothing here.
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

#: The same examples each time: for the measured run, and for every change.
for name, examples in (("few", 3), ("default", 12)):
    settings.register_profile(
        name,
        max_examples=examples,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=SLOW,
    )

#: New ones each time, for as long as a night.
settings.register_profile(
    "night",
    max_examples=4000,
    derandomize=False,
    deadline=None,
    database=DirectoryBasedExampleDatabase(FOUND),
    suppress_health_check=SLOW,
)

TESTS = Path(__file__).parent
#: Folders of which everything belongs to the other tier, by what it needs or by the time it takes.
VERIFY = (TESTS / "evidence", TESTS / "website")
#: Each folder in it is run by `make integrations`, in an environment that has the packages.
INTEGRATIONS = TESTS / "integrations"
#: The line by which a single file says so.
OTHER_TIER = "\npytestmark = pytest.mark.verify\n"

settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_configure(config):
    """Read which tests the command line names, before any of them is imported."""
    name_rows_of(config.args)


def pytest_ignore_collect(collection_path, config):
    """Leave what is of the other tier unread: what it imports need not be installed."""
    path = collection_path
    if path == INTEGRATIONS and not any(
        INTEGRATIONS in Path(each).resolve().parents for each in config.args
    ):
        return True
    if not config.option.markexpr.startswith("not verify"):
        return None
    is_of_the_other_tier = path in VERIFY or (
        path.suffix == ".py" and OTHER_TIER in path.read_text("utf-8")
    )
    return True if is_of_the_other_tier else None


def pytest_collection():
    """Collect no garbage while tests are read: modules and their tables stay to the end."""
    gc.disable()


def pytest_collection_finish(session):
    """Collect it while tests run; processes look through what was read no more."""
    gc.enable()
    if hasattr(session.config, "workerinput"):
        gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable():
    """Return what a process reports of a test, without halves of surrogate pairs, as escapes.

    A failure that showed one would end the run of all processes, since these cannot send it.
    """
    return _sendable((yield))


def _sendable(value):
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    if isinstance(value, dict):
        return {key: _sendable(one) for key, one in value.items()}
    return type(value)(map(_sendable, value)) if isinstance(value, list | tuple) else value


def pytest_collection_modifyitems(items):
    """Give each test the markers that its folder says."""
    for item in items:
        for marker in _markers(item.path):
            item.add_marker(marker)


@functools.cache
def _markers(path):
    is_verified = not set(VERIFY).isdisjoint(path.parents)
    return ["core"] * (TESTS / "core" in path.parents) + ["verify"] * is_verified


@pytest.fixture(scope="module")
def browser():
    """Return chromium; while it is open, its event loop is in the way of every other."""
    from tests.browser import chromium  # noqa: PLC0415 (a copy of the core is tested without it)

    with chromium() as found:
        yield found
