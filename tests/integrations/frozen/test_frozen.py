"""Programs in one file: by PyInstaller, which finds imports without running them, and as a zip file."""

import sys
import zipapp
from pathlib import Path

import pytest

import cogwire
from cogwire.tooling import dialect_names, format_names
from tests.processes import ran

#: All but the formats that have one tool, which is not the program's.
NAMES = [*dialect_names(), *format_names()]
NAMES = [name for name in NAMES if name not in ("smolagents", "mini-swe-agent")]

#: Formats whose results have markers of their own.
WITH_RESULTS = [*dialect_names(), "hermes", "llama3-json", "mistral", "qwen3-coder", "glm-4.5"]

PROGRAM = f"""\
import cogwire

assert [event["content"] for event in cogwire.parse("x")] == ["x"]
calls = [{{"name": "ls", "args": {{"a": "1"}}}}]
for dialect in {NAMES!r}:
    events = cogwire.parse(cogwire.render_calls(calls, dialect), dialect)
    assert [event["type"] for event in events] == ["call", "execute"], (dialect, events)
    batch = cogwire.Batch(dialect)
    for event in events:
        batch.take(event)
    assert [call.name for call in batch.calls] == ["ls"]
    assert cogwire.Parser.restore(cogwire.Parser(dialect).snapshot()).state == "prose"
for dialect in {WITH_RESULTS!r}:
    results = cogwire.render_results([{{"tool": "ls", "status": "success", "content": 1}}], dialect)
    messages = [{{"role": "user", "content": "x"}}, {{"role": "user", "content": results}}]
    assert cogwire.from_messages(messages, dialect)
assert cogwire.detect("§respond: a\\n§call: {{}}").dialect == "delimiter"
assert cogwire.convert("<think>a</think>", "xml-json", "delimiter") == "§think: a"
for name in cogwire.__all__:
    getattr(cogwire, name)
assert cogwire.aio.run
print("all of it is here")
"""


def run(*command, folder):
    """Run a command in a folder where cogwire is not, and return what it printed."""
    done = ran(*command, cwd=folder)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


@pytest.fixture
def program(tmp_path):
    """Return a program that uses all public names and all dialects."""
    file = tmp_path / "program.py"
    file.write_text(PROGRAM, "utf-8")
    return file


def test_a_program_that_pyinstaller_made_one_file_of(program):
    pyinstaller = (sys.executable, "-m", "PyInstaller", "--onefile", "--log-level=ERROR")
    source = Path(cogwire.__path__[0]).parent
    run(*pyinstaller, f"--paths={source}", program, folder=program.parent)
    frozen = program.parent / "dist" / "program"
    assert run(frozen, folder=program.parent) == "all of it is here\n"


def test_a_program_in_a_zip_file(program):
    folder = program.parent / "app"
    package = Path(cogwire.__path__[0])
    for file in [*package.rglob("*.py"), package / "py.typed"]:
        copy = folder / "cogwire" / file.relative_to(package)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(file.read_bytes())
    (folder / "__main__.py").write_text(PROGRAM, "utf-8")
    zipapp.create_archive(folder, program.parent / "program.pyz")
    isolated = (sys.executable, "-S", "-I")
    assert run(*isolated, program.parent / "program.pyz", folder=program.parent) == (
        "all of it is here\n"
    )
