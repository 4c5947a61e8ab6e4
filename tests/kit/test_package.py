"""What holds of the project as a whole: its imports, its surface, its copies, its wheel."""

import ast
import importlib
import inspect
import json
import os
import re
import sys
import textwrap
import typing
import zipfile
from pathlib import Path

import pytest
import tomllib

import cogwire
from cogwire import events, tooling
from tests.kit.vendoring.test_closures import AGENT, ALL, DIALECTS, PARSE, TEXTS, TRAINED
from tests.processes import ran
from tests.rows import rows

ROOT = Path(__file__).parents[2]
CORE = ROOT / "src" / "cogwire"
KIT = ROOT / "src" / "cogwire_kit"
CORE_FILES = sorted(CORE.rglob("*.py"))

#: The public functions and classes, each with its parameters.
SURFACE = {
    "Assembler": "dialect system strict",
    "Batch": "dialect clock",
    "Converter": "source target start limits",
    "Limits": "size calls depth digits",
    "Parser": "dialect stream mode start raw spans calls call_deltas clock limits",
    "RenderError": None,
    "Toolset": "tools dialect strict",
    "aiter_events": "chunks parser drain",
    "convert": "text source target start limits report",
    "detect": "text",
    "detect_format": "text model template",
    "exchanges": "events dialect report strict",
    "find_calls": "text formats names finished limits",
    "format_named": "name",
    "formats": "",
    "from_messages": "messages dialect",
    "iter_events": "chunks parser drain",
    "neutralise": "text dialect tokens",
    "parse": "text dialect finished stream mode start raw spans calls call_deltas clock limits",
    "parse_transcript": "text dialect finished stream start raw spans calls call_deltas clock limits",
    "persisted": "event",
    "read_events": "events strict report",
    "render_calls": "calls dialect",
    "render_events": "events dialect",
    "render_prompt": "toolset dialect",
    "render_results": "results dialect framed",
    "spans": "text dialect start limits",
    "start_of": "prompt dialect",
    "to_messages": "events dialect system report strict",
}

MEMBERS = {
    "Assembler": "messages report take",
    "Batch": "calls close is_open next_turn settle take take_last waiting",
    "Converter": "close feed report",
    "Parser": "close dialect discarded feed next_turn restore snapshot state tail",
    "Toolset": "check names schema tools warnings",
}


def run(*arguments, **options):
    """Run Python, and return what it printed."""
    done = ran(sys.executable, *arguments, **options)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


# --- Imports ------------------------------------------------------------------------------------


def test_the_core_does_not_know_the_kit():
    """Apart from `python -m cogwire`, which no copy has."""
    known = [path.name for path in CORE_FILES if "cogwire_kit" in path.read_text("utf-8")]
    assert known == ["__main__.py"]


#: The public modules of the core, and the names that they publish.
PUBLIC = {
    "cogwire": {*cogwire.__all__, "__version__", "aio", "events", "tooling"},
    "cogwire.aio": {"Tool", "run"},
    "cogwire.tooling": set(tooling.__all__),
    "cogwire.events": {"Code"}
    | {name for name, value in vars(events).items() if typing.is_typeddict(value)},
}


@pytest.mark.verify
@rows("path", [*sorted(KIT.rglob("*.py")), ROOT / "examples" / "agent_loop.py"])
def test_the_kit_uses_the_public_surface(path):
    """So that whoever builds on the core finds everything there that the kit builds on."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found = [each.name for each in node.names if each.name.split(".")[0] == "cogwire"]
            assert not found or found == ["cogwire"], ast.unparse(node)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "cogwire":
            names = {each.name for each in node.names}
            assert names <= PUBLIC.get(node.module, set()), ast.unparse(node)
        elif isinstance(node, ast.Attribute) and vars(node.value).get("id") == "cogwire":
            assert node.attr in {*PUBLIC["cogwire"], "__path__"}, ast.unparse(node)


def test_importing_the_core_imports_little():
    """Neither what only a toolset needs, nor what only a runner needs."""
    script = "import sys, cogwire; print(*sys.modules)"
    loaded = set(run("-c", script).split())
    assert not loaded & {
        "asyncio",
        "jsonschema",
        "referencing",
        "re2",
        "cogwire.aio",
        "cogwire_kit",
    }


@rows("path", [*CORE_FILES, *sorted(KIT.rglob("*.py"))])
def test_a_file_has_its_license_and_a_docstring(path):
    license_, docstring, *_ = path.read_text("utf-8").splitlines()
    assert license_ == "# SPDX-License-Identifier: MIT"
    assert docstring.startswith(('"""', 'r"""'))


# --- No I/O -------------------------------------------------------------------------------------

#: What each copy of the core is used for, except to run a batch: an event loop has sockets.
WORK = f"""
import json
import cogwire as wire
{TEXTS}
def work():
{textwrap.indent(PARSE + DIALECTS + AGENT + ALL + TRAINED, "    ")}
"""

WATCHED = """
import sys
work()
seen = []
sys.addaudithook(lambda event, arguments: seen.append(event))
work()
found = [event for event in seen if event.partition(".")[0] in FORBIDDEN]
print(json.dumps(sorted(set(found))))
"""

#: Families of audit events that say that something was read, written, started or loaded.
FORBIDDEN = {
    *("compile", "ctypes", "exec", "ftplib", "glob", "http", "import", "mmap", "open", "os"),
    *("pathlib", "shutil", "socket", "sqlite3", "subprocess", "tempfile", "urllib"),
}


def watched(work):
    """Return what the interpreter reports of the second round of `work`."""
    script = f"FORBIDDEN = {FORBIDDEN!r}\n{work}\n{WATCHED}"
    return json.loads(run("-c", script))


def test_the_core_does_no_io():
    """The interpreter reports every file, socket, process and import; after one round, none."""
    assert watched(WORK) == []


def test_the_audit_would_see_io():
    work = WORK.replace("def work():\n", "def work():\n    open('/dev/null').close()\n")
    assert watched(work) == ["open"]


# --- Surface ------------------------------------------------------------------------------------


def test_everything_public_is_listed():
    assert len(set(cogwire.__all__)) == len(cogwire.__all__)
    assert set(SURFACE) <= set(cogwire.__all__)
    assert all(hasattr(cogwire, name) for name in cogwire.__all__)


def test_the_other_public_names_are_types_of_events_and_messages():
    for name in set(cogwire.__all__) - set(SURFACE):
        value = getattr(cogwire, name)
        assert not inspect.isroutine(value), name


def test_a_compiled_program_finds_the_modules_of_every_public_name():
    """Nuitka takes the `TYPE_CHECKING` of typing for false, and leaves out what is below it."""
    tree = ast.parse((CORE / "__init__.py").read_text("utf-8"))
    (guard,) = (node for node in tree.body if isinstance(node, ast.If))
    (made,) = (
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == guard.test.id
    )
    assert not isinstance(made, ast.Constant)
    assert cogwire.TYPE_CHECKING is False
    named = {each.module or alias.name for each in guard.body for alias in each.names}
    assert named == cogwire._HOMES.keys()


@rows("name", sorted(SURFACE))
def test_a_public_name_has_its_parameters_and_a_docstring(name):
    value = getattr(cogwire, name)
    assert inspect.getdoc(value)
    if SURFACE[name] is not None:
        assert " ".join(inspect.signature(value).parameters) == SURFACE[name]


@rows("name", ["parse", "parse_transcript"])
def test_a_whole_text_is_parsed_with_the_options_of_a_parser(name):
    options, parsers = (
        {
            each.name: (each.annotation, each.default)
            for each in inspect.signature(one).parameters.values()
        }
        for one in (getattr(cogwire, name), cogwire.Parser)
    )
    assert options.items() - parsers.items() == {
        ("text", (str | bytes, inspect.Parameter.empty)),
        ("finished", (bool, True)),
    }
    assert parsers.keys() - options.keys() <= {"mode"}


@rows("name", sorted(MEMBERS))
def test_a_public_class_has_its_members(name):
    members = {member for member in dir(getattr(cogwire, name)) if not member.startswith("_")}
    assert members >= {*MEMBERS[name].split()}


def test_the_runner_is_imported_by_its_name():
    assert list(inspect.signature(importlib.import_module("cogwire.aio").run).parameters)[:2] == [
        "batch",
        "tools",
    ]


def test_the_work_uses_all_that_is_public():
    assert set(re.findall(r"wire\.(\w+)", WORK)) >= set(SURFACE)


def test_every_tool_is_pinned():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    for_tests, for_all = (
        {re.split("[=;]", line)[0] for line in path.read_text("utf-8").splitlines() if "==" in line}
        for path in (ROOT / "requirements-test.txt", ROOT / "requirements-dev.txt")
    )
    groups = project["dependency-groups"]
    wanted = {
        re.match(r"[\w.-]+", each)[0]
        for each in sum(project["project"]["optional-dependencies"].values(), groups["test"])
    }
    for_sets = {
        line.partition("==")[0]
        for path in ROOT.glob("tests/integrations/*/requirements.txt")
        for line in path.read_text("utf-8").splitlines()
    }
    assert wanted <= for_tests | for_sets
    assert {each for each in groups["dev"] if isinstance(each, str)} <= for_all


def shown():
    """Return the files whose text a user sees: pages, help, messages, docstrings and examples."""
    folders = ("src", "spec", "conformance", "website", "examples", "benchmarks", "fuzz")
    found = [path for folder in folders for path in (ROOT / folder).rglob("*")]
    return [
        path
        for path in [*ROOT.glob("*.md"), *found]
        if path.suffix in {".md", ".py", ".html", ".mjs", ".js", ".toml", ".yml", ".rs", ".go"}
        and not {"node_modules", "target", "site"} & set(path.parts)
    ]


def test_no_page_installs_cogwire_from_an_index():
    """No index has it, and whoever takes the name there would get its users."""
    by_name = re.compile(r"(?<![./\w])cogwire\[[a-z]|pip3? install[^\n|#]* ['\"]?cogwire(?![\w/])")
    assert by_name.search("pip install 'cogwire[kit]'")
    assert by_name.search("python -m pip install --upgrade cogwire")
    assert not by_name.search("pip install './cogwire[kit]'")
    found = [path for path in shown() if by_name.search(path.read_text("utf-8"))]
    assert not [str(path.relative_to(ROOT)) for path in found]


@rows("page", ["README.md", "website/home.md"])
def test_a_page_says_how_many_formats_are_read(page):
    said = re.findall(r"reads \[?(\d+) formats", (ROOT / page).read_text("utf-8"))
    assert said == [str(len(cogwire.formats()))]


# --- The wheel ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    run("-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=ROOT)
    (path,) = folder.glob("*.whl")
    return path


def test_the_wheel_contains_the_expected_files(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    for source, place in ((CORE, "cogwire"), (KIT, "cogwire_kit")):
        for path in source.rglob("*.py"):
            assert f"{place}/{path.relative_to(source).as_posix()}" in names
    assert "cogwire/py.typed" in names
    tops = {name.partition("/")[0] for name in names}
    assert tops == {"cogwire", "cogwire_kit", f"cogwire-{cogwire.__version__}.dist-info"}
    assert not any("__pycache__" in name for name in names)


def test_the_library_has_no_dependencies(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        lines = archive.read(metadata).decode().splitlines()
    needs = [line for line in lines if line.startswith("Requires-Dist:")]
    assert needs
    assert all("extra ==" in line for line in needs)


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Return a folder with nothing but what the wheel holds."""
    site = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    return site


def run_installed(installed, *arguments):
    environment = os.environ | {"PYTHONPATH": str(installed)}
    return run("-m", "cogwire_kit", *arguments, cwd=installed, env=environment)


@pytest.mark.verify
def test_the_demo_runs_from_the_wheel(installed):
    output = run_installed(installed, "demo")
    assert str(installed / "cogwire_kit" / "_examples" / "agent_loop.py") in output


@pytest.mark.verify
def test_the_wheel_has_the_corpus_and_the_clauses(installed):
    ids = run_installed(installed, "conformance", "list", "--format", "ids").splitlines()
    assert len(ids) >= 400
    printed = run_installed(installed, "conformance", "explain", "xj-closer-in-string")
    assert "xj-closer-in-string (xml-json.md, must)" in printed
    copied = run_installed(installed, "conformance", "corpus", "copy", installed / "copy")
    assert f"{len(ids):,} cases" in copied
    assert (installed / "copy" / "texts" / "spans.json").is_file()


@pytest.mark.verify
def test_the_core_is_vendored_from_the_wheel_as_from_a_checkout(installed, tmp_path):
    for folder, program in (
        ("one", run_installed),
        ("two", lambda _, *rest: run("-m", "cogwire_kit", *rest)),
    ):
        program(installed, "vendor", "add", tmp_path / folder / "wire", "--only", "parse")
    one, two = (
        {
            path.name: path.read_bytes()
            for path in (tmp_path / folder / "wire").iterdir()
            if path.is_file()
        }
        for folder in ("one", "two")
    )
    # Only a checkout knows its commit.
    manifests = [json.loads(each.pop("cogwire.vendored.json")) for each in (one, two)]
    assert manifests[0] == {name: manifests[1][name] for name in manifests[0]}
    assert manifests[1].keys() - manifests[0].keys() <= {"commit"}
    assert one == two
    assert one["LICENSE"] == (ROOT / "LICENSE").read_bytes()
