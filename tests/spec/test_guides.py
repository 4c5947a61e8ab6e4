"""The guides show what happens: every block of every page is run, and its output compared.

A page is one program, from its first block to its last, in an empty folder beside a checkout called
`cogwire`. A block with a title is a file, which is there from the start, and is written again where
it comes again; a `python` block is executed, in one process for the page; of a `console` block each
command that begins with `$` is run. Where an output is shown, a line of three dots matches any
lines, and `…` any characters. Nothing reaches a network.

The guides to bridges are run in `tests/integrations/bridges`, where their packages are.
"""

import json
import os
import re
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import cogwire
from tests.processes import ran

ROOT = Path(__file__).parents[2]
#: Those that need other packages are run in `tests/integrations`.
ELSEWHERE = {"bulk", "masks"}
ALL_GUIDES = sorted((ROOT / "website" / "guides").glob("*.md"))
GUIDES = [page for page in ALL_GUIDES if page.stem not in ELSEWHERE]

#: These need more than Python: other SDKs, another implementation, grep; or only take time.
MORE = {
    *("check", "vendor", "stream", "test-your-parser", "change-over", "grammars", "view"),
    *("for-engines", "command-line", "convert"),
}

#: A fenced block: its info string, and its lines.
FENCE = re.compile(r"^```([^`\n]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TITLE = re.compile(r'title="([\w./-]+)"')
#: Commands that would change the machine, or need a network.
NOT_RUN = ("python -m pip install", "git ")

#: Found by every Python process below, because it is in the folder that `PYTHONPATH` names.
SITECUSTOMIZE = """
import socket, sys

def refuse(event, args):
    if event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
        raise OSError(f"no network: {event}")
    if event == "socket.connect" and args[0].family != socket.AF_UNIX:
        raise OSError(f"no network: {args[1]}")

sys.addaudithook(refuse)
"""

#: Takes the steps of a page as JSON, and writes what each one printed as JSON, one a line.
RUNNER = """
import contextlib, io, json, pathlib, subprocess, sys

steps = json.load(sys.stdin)
written = sys.stdout
namespace = {"__name__": "__main__"}
for number, (kind, name, text) in enumerate(steps):
    printed = io.StringIO()
    if kind == "file":
        pathlib.Path(name).parent.mkdir(parents=True, exist_ok=True)
        pathlib.Path(name).write_text(text, "utf-8")
    elif kind == "python":
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            exec(compile(text, f"block {number}", "exec"), namespace)
    else:
        done = subprocess.run(
            ["/bin/sh", "-c", text], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL, timeout=600, check=False, text=True,
        )
        printed.write(done.stdout)
        if done.returncode:
            printed.write(f"[the exit code is {done.returncode}]\\n")
    print(json.dumps(printed.getvalue()), file=written, flush=True)
"""


class Step(NamedTuple):
    """One thing that a reader does."""

    kind: str
    name: str
    text: str
    #: What the page says that it prints; `None` where the page shows nothing.
    shown: str | None


def steps(page):
    """Return the steps of a page, in order; each file comes first, and then again in its place."""
    found = []
    blocks = FENCE.findall(page.read_text("utf-8"))
    for (info, text), (following, output) in zip(blocks, [*blocks[1:], ("", "")], strict=True):
        language, title = info.split()[0], TITLE.search(info)
        if title:
            found.append(Step("file", title[1], text, None))
        elif language == "python":
            found.append(Step("python", "", text, output if following == "text" else None))
        elif language == "console":
            found += commands(text)
    files = {step.name: step for step in reversed(found) if step.kind == "file"}
    return [*files.values(), *found]


def commands(text):
    """Yield the commands of a console block; a line that ends in a backslash continues."""
    for shown in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, output = re.match(r"((?:[^\n]*\\\n)*[^\n]*\n)(.*)", shown, re.DOTALL).groups()
        if not command.startswith(NOT_RUN):
            yield Step("console", "", command, output)


def is_shown(printed, shown):
    """Whether `printed` is what is shown, except for white space at the end of lines."""
    printed, shown = (re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE) for text in (printed, shown))
    pattern = re.escape(shown).replace("…", ".*")
    pattern = re.sub(r"^\\\.\\\.\\\.\\\n", "(?:.*\\n)*?", pattern, flags=re.MULTILINE)
    return re.fullmatch(pattern, printed) is not None


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(SITECUSTOMIZE, "utf-8")
    (tmp_path / "cogwire").symlink_to(ROOT)
    (tmp_path / "project").mkdir()
    return tmp_path


def run(todo, folder, project="project"):
    environment = {
        "COLUMNS": "100",
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONPATH": os.pathsep.join([str(folder / "site"), str(ROOT / "src")]),
        # Compiled once, and nothing that a guide lists.
        "PYTHONPYCACHEPREFIX": str(Path(sys.prefix) / "compiled"),
        "PYTHONWARNINGS": "error::ResourceWarning",
    }
    return ran(
        *(sys.executable, "-c", RUNNER),
        input=json.dumps([step[:3] for step in todo]),
        cwd=folder / project,
        env=environment,
    )


def assert_prints_what_it_shows(page, folder):
    todo = steps(page)
    assert any(step.shown for step in todo)
    done = run(todo, folder)
    printed = [json.loads(line) for line in done.stdout.splitlines()]
    wrong = [
        f"{page.name}: {step.text}\n-- printed --\n{output}\n-- shown --\n{step.shown}"
        for step, output in zip(todo, printed, strict=False)
        if step.shown is not None and not is_shown(output, step.shown)
    ]
    assert not wrong, "\n".join(wrong)
    assert done.returncode == 0, done.stderr
    assert len(printed) == len(todo)


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=page.stem, marks=pytest.mark.verify if page.stem in MORE else ())
        for page in GUIDES
    ],
)
def test_a_page_prints_what_it_shows(page, folder):
    assert_prints_what_it_shows(page, folder)


def test_the_table_of_functions_names_all_that_is_public():
    page = (ROOT / "website/guides/index.md").read_text("utf-8")
    _, _, rest = page.partition("## Which function")
    table, _, _ = rest.partition("## ")
    assert set(cogwire.__all__) <= set(re.findall(r"\w+", table))


def test_the_tables_of_guides_are_those_of_their_sources():
    described = (ROOT / "spec/described.md").read_text("utf-8")
    table = described[described.index("| member |") :].split("\n\n")[0]
    table = re.sub(r"\|[^|]*\|$", "|", table, flags=re.MULTILINE)  # without the clauses
    assert table in (ROOT / "website/guides/formats.md").read_text("utf-8")
    stream = (ROOT / "website/guides/stream.md").read_text("utf-8")
    reasons = stream[stream.index("| reason |") :].split("\n\n")[0]
    named = re.findall("`([a-z_]+)`", reasons)
    assert len(named) == 12
    assert all(cogwire.Finish(reason).by_model for reason in named)


#: The code that creates the packages that a page imports.
MADE = ("mkdir ", "touch ", "cogwire vendor add ")
#: A page that is wrong in its third line and in its fourth.
WRONG = 'import cogwire\n\ncogwire.Parser(stream="tokens")\ncogwire.parse("")[0]["type"] + 1\n'
#: The file and the line of an error, as mypy and pyright write them.
ERROR = re.compile(r"([\w-]+\.py):(\d+)(?::\d+ -|:) error:")
STRICT = {"typeCheckingMode": "strict", "pythonVersion": "3.10"}


def errors(folder, checker, *arguments, **environment):
    """Return the places at which a type checker reports errors, and all that it writes."""
    done = ran(
        Path(sys.executable).with_name(checker),
        *arguments,
        cwd=folder,
        env={**os.environ, **environment},
    )
    written = done.stdout + done.stderr
    assert done.returncode in (0, 1), written
    return ERROR.findall(done.stdout), written


def written(page, folder):
    """Write the packages and the code of a page in a folder of its own, and return the files to check."""
    own = folder / page.stem
    own.mkdir()
    todo = steps(page)
    made = [step for step in todo if step.kind == "file" or step.text.startswith(MADE)]
    done = run(made, folder, page.stem)
    assert done.returncode == 0, done.stderr
    code = "\n".join(step.text for step in todo if step.kind == "python")
    (own / f"page_{page.stem.replace('-', '_')}.py").write_text(code, "utf-8")
    return sorted(own.glob("*.py"))


def together(files):
    """Divide pages among runs of mypy, in which no two files may have one name."""
    runs = []
    for page, found in files.items():
        names = {file.name for file in found}
        chosen = next((one for one in runs if names.isdisjoint(one)), None)
        if chosen is None:
            runs.append(chosen := {})
        chosen |= {file.name: (page, file) for file in found}
    return runs


@pytest.mark.verify
def test_a_type_checker_accepts_every_page_and_sees_our_types(folder):
    """A block that is copied into strictly typed code adds no errors, unless it is wrong."""
    files = {page.stem: written(page, folder) for page in GUIDES}
    (folder / "wrong").mkdir()
    files["wrong"] = [folder / "wrong" / "wrong.py"]
    files["wrong"][0].write_text(WRONG, "utf-8")
    found, reports = [], []
    for each in together(files):
        paths = [str(folder / page) for page, _ in each.values()]
        places, report = errors(
            folder,
            "mypy",
            *("--strict", "--python-version=3.10", "--cache-dir=types"),
            *("--config-file", "vendor/pyproject.toml"),
            *(file for _, file in each.values()),
            MYPYPATH=os.pathsep.join([str(ROOT / "src"), *dict.fromkeys(paths)]),
        )
        found += places
        reports.append(report)
    environments = [{"root": page, "extraPaths": [str(ROOT / "src")]} for page in files]
    include = [str(file.relative_to(folder)) for each in files.values() for file in each]
    config = {**STRICT, "include": include, "executionEnvironments": environments}
    (folder / "pyrightconfig.json").write_text(json.dumps(config), "utf-8")
    places, report = errors(folder, "pyright", "--pythonpath", sys.executable)
    reports.append(report)
    assert {*found} == {*places} == {("wrong.py", "3"), ("wrong.py", "4")}, "\n".join(reports)


def test_the_network_is_refused(folder):
    """In the process of the page, and in those that it starts."""
    code = "import socket\nsocket.create_connection(('127.0.0.1', 9))\n"
    todo = [
        Step("console", "", f'python -c "{code}"\n', None),
        Step("console", "", "exit 3\n", None),
        Step("python", "", code, None),
    ]
    done = run(todo, folder)
    first, second = map(json.loads, done.stdout.splitlines())
    assert "no network" in first
    assert second == "[the exit code is 3]\n"
    assert done.returncode == 1
    assert "no network" in done.stderr


def test_three_dots_match_any_lines():
    for printed, shown, same in [
        ("a\nb\nc\n", "a\nb\nc\n", True),
        ("a\nb\nc\n", "a\n...\n", True),
        ("a\nb\nc\n", "...\nc\n", True),
        ("a\nb\nc\n", "a\n...\nc\n", True),
        ("a\nb\nc\n", "a\n...\nd\n", False),
        ("a\nb\nc\n", "a\nb\n", False),
        ("abc\n", "a.c\n", False),
        ("abc\n", "a…\n", True),
        ("abc \n", "abc\n", True),
        ("a\nb\n", "a…\n", False),
    ]:
        assert is_shown(printed, shown) is same, (printed, shown)
