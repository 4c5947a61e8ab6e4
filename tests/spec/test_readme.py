"""README.md shows what happens."""

import json
import re
import sys
from pathlib import Path

import cogwire
from tests.processes import ran
from tests.rows import rows
from tests.spec.test_guides import FENCE, commands, is_shown

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")

BLOCKS = FENCE.findall(README)


def examples():
    """Yield the Python blocks, each with the text block after it that shows what it prints."""
    for (language, code), (following, output) in zip(BLOCKS, [*BLOCKS[1:], ("", "")], strict=True):
        if language == "python":
            yield code, output if following == "text" else ""


OURS = re.compile(r"\bcogwire (?=parse|demo|adapter|conformance list|--)")
RUNNABLE = [
    step
    for language, block in BLOCKS
    if language == "console"
    for step in commands(block)
    if OURS.search(step.text)
]


@rows("code, output", list(examples()))
def test_a_python_example_prints_what_is_shown(code, output):
    """As it is, in a Python that has only cogwire: without a key, a model or a network."""
    core = Path(cogwire.__path__[0]).parent
    script = f"import sys; sys.path.append({str(core)!r})\n{code}"
    done = ran(sys.executable, "-I", "-S", "-c", script)
    assert (done.stdout, done.stderr) == (output, "")


@rows("step", RUNNABLE)
def test_a_command_prints_what_is_shown(step):
    ours = OURS.sub(f"{sys.executable} -m cogwire_kit ", step.text)
    done = ran("/bin/sh", "-c", ours, check=True, cwd=ROOT)
    assert is_shown(done.stdout, step.shown)


def test_the_environment_comes_before_what_is_installed_in_it():
    assert 0 < README.index("python -m venv") < README.index("python -m pip install")


def test_the_site_begins_with_the_same_example():
    home = (ROOT / "website" / "home.md").read_text("utf-8")
    assert FENCE.findall(home)[:2] == BLOCKS[:2]


def test_there_are_examples_to_check():
    assert len(list(examples())) >= 2
    assert RUNNABLE


def test_the_times_are_those_of_the_stored_run():
    report = json.loads((ROOT / "benchmarks" / "reports" / "speed.json").read_text("utf-8"))
    (stream,) = (each for each in report["measures"] if each["id"] == "stream")
    stored = {each["name"]: each["values"] for each in stream["series"]}
    shown = re.findall(
        r"^\| \**([^|*]+?)\** \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", README, re.MULTILINE
    )
    assert len(shown) >= 4
    for name, *values in shown:
        assert values == [f"{value:.2f}" for value in stored[name]], name


@rows("page", ["README.md", "CONTRIBUTING.md"])
def test_each_make_target_of_a_page_exists(page):
    text = (ROOT / page).read_text("utf-8")
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = re.findall(r"(?:`|^\$ )make ([a-z]+)", text, re.MULTILINE)
    assert targets
    assert [name for name in targets if f"\n{name}:" not in makefile] == []


def test_the_map_names_what_is_there():
    contributing = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    (listed,) = re.findall(r"^```text\n(.*?)^```$", contributing, re.MULTILINE | re.DOTALL)
    folder = ROOT
    for line in listed.splitlines():
        names = re.findall(r"[\w/]+(?:/|\.py)(?=\s)", line[:22])
        assert names, line
        if not line.startswith(" "):
            folder = ROOT / names[0]
        assert [
            name for name in names if not any((place / name).exists() for place in (ROOT, folder))
        ] == []
