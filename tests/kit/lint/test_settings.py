"""The settings of a project, the baseline, and what a record says itself."""

import json
import subprocess
from pathlib import Path

import pytest

from cogwire_kit.lint import lint_record, lint_text
from cogwire_kit.lint.settings import Baseline, Settings, SettingsError, settings_for
from tests.kit.cli.running import CLI
from tests.rows import rows

TABLE = """
[tool.cogwire.lint]
select = ["errors", "near-marker"]
ignore = ["surplus"]
baseline = "known.json"
per-file-ignores = {"old/*" = ["errors"], "b.txt" = ["near-marker"]}
dialects = {"*.log" = "delimiter", "old/*" = "xml-elements"}
"""


def test_the_settings_are_those_of_the_nearest_project_that_has_some(tmp_path):
    (tmp_path / "pyproject.toml").write_text(TABLE, "utf-8")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "pyproject.toml").write_text("[project]\nname = 'a'\n", "utf-8")
    found = settings_for(tmp_path / "old")
    assert (found.root, found.baseline) == (tmp_path, tmp_path / "known.json")
    assert (found.select, found.ignore) == (("errors", "near-marker"), ("surplus",))
    assert found.ignored(str(tmp_path / "old" / "b.txt")) == ("errors", "near-marker")
    assert found.ignored(str(tmp_path / "a.txt")) == ()
    assert found.dialect(str(tmp_path / "old" / "a.log")) == "delimiter"
    assert found.dialect(str(tmp_path / "old" / "a")) == "xml-elements"
    assert found.dialect(str(tmp_path / "a")) is None
    (tmp_path / "pyproject.toml").write_text(
        "[tool.cogwire.lint]\ndialect = 'auto'\ndialects = {'*.log' = 'delimiter', 'b' = 'auto'}"
    )
    found = settings_for(tmp_path)
    assert [found.dialect(each) for each in ("a.log", "b", "c/d.txt")] == [
        *("delimiter", "auto", "auto")
    ]


@rows(
    "table, problem",
    [
        ("[tool.cogwire]\nlint = 1", "pyproject.toml: tool.cogwire.lint: expected a table"),
        ("[tool]\ncogwire = 1", "pyproject.toml: tool.cogwire: expected a table"),
        ("tool = []", "pyproject.toml: tool: expected a table"),
        ("a = " + "[" * 9999, "pyproject.toml: "),
        ("[tool.cogwire.lint]\nselct = []", "there is no setting 'selct'"),
        ("[tool.cogwire.lint]\nselect = 'errors'", "select: expected a list of rules"),
        ("[tool.cogwire.lint]\nselect = ['error']", "select: there is no rule 'error'; did you"),
        ("[tool.cogwire.lint]\nper-file-ignores = []", "per-file-ignores: expected a table"),
        (
            "[tool.cogwire.lint]\nper-file-ignores = {'a' = ['x']}",
            "lint: per-file-ignores: 'a': there is no rule 'x'",
        ),
        ("[tool.cogwire.lint]\ndialects = {'*' = 'yaml'}", "dialects: '*': unknown dialect 'yaml'"),
        ("[tool.cogwire.lint]\ndialect = 1", "dialect: expected the name of a dialect"),
        ("[tool.cogwire.lint]\nbaseline = 1", "baseline: expected the name of a file"),
        ("[tool.cogwire.lint]\nstart = 'call'", "start: expected one of prose, think, header"),
        ("[tool", "pyproject.toml"),
    ],
)
def test_a_table_that_cannot_be_read_is_named(tmp_path, table, problem):
    (tmp_path / "pyproject.toml").write_text(table, "utf-8")
    with pytest.raises(SettingsError) as caught:
        settings_for(tmp_path)
    assert problem in str(caught.value)


def test_a_description_is_named_from_the_folder_of_the_settings(tmp_path, monkeypatch):
    form = {"name": "ours", "call": ["<c>", "</c>"], "payload": {"kind": "object"}}
    (tmp_path / "logs").mkdir()
    (tmp_path / "ours.json").write_text(json.dumps(form), "utf-8")
    (tmp_path / "pyproject.toml").write_text(
        "[tool.cogwire.lint]\ndialect = 'ours.json'\ndialects = {'a' = './ours.json'}", "utf-8"
    )
    monkeypatch.chdir(tmp_path / "logs")
    found = settings_for(Path())
    assert [found.dialect(each) for each in ("a", "b")] == ["ours", "ours"]


def test_a_baseline_has_each_finding_once(tmp_path):
    found = lint_text("<Think>\n<Think>\n<Think>")
    baseline = Baseline(tmp_path)
    file = str(tmp_path / "logs" / "a")
    assert all(baseline.is_new(file, each) for each in found[:2])
    baseline.write(tmp_path / "known.json")
    known = Baseline.read(tmp_path / "known.json")
    assert [known.is_new(file, each) for each in found] == [False, False, True]
    assert known.is_new(str(tmp_path / "a"), found[0])


def test_a_baseline_holds_wherever_the_command_is_run(tmp_path, monkeypatch):
    (found,) = lint_text("<Think>")
    (tmp_path / "logs").mkdir()
    monkeypatch.chdir(tmp_path)
    baseline = Baseline(Path())
    assert baseline.is_new("logs/a.txt", found)
    baseline.write(Path("known.json"))
    assert not Baseline.read(Path("known.json")).is_new("./logs/a.txt", found)
    assert not Baseline.read(Path("known.json")).is_new(str(tmp_path / "logs/a.txt"), found)
    monkeypatch.chdir(tmp_path / "logs")
    assert not Baseline.read(tmp_path / "known.json").is_new("a.txt", found)
    assert not Baseline.read(Path("../known.json")).is_new("a.txt", found)
    assert Baseline.read(Path("../known.json")).is_new("-", found)


def test_what_is_no_baseline_is_refused(tmp_path):
    assert_no_baseline(tmp_path / "none")
    for text in ("[]", "[" * 99999, '{"findings": {"a": 1e999}}'):
        (tmp_path / "no.json").write_text(text, "utf-8")
        assert_no_baseline(tmp_path / "no.json")


def assert_no_baseline(file):
    with pytest.raises(SettingsError, match=file.name):
        Baseline.read(file)


def test_a_record_may_say_what_to_ignore_in_it():
    record = {"messages": [{"role": "robot"}], "cogwire": {"ignore": ["skipped", "no-rule"]}}
    assert lint_record(record) == []
    assert [each.rule for each in lint_record({**record, "cogwire": []})] == ["skipped"]
    assert Settings().ignored("a") == ()


@pytest.mark.verify
def test_the_command_minds_the_settings_and_the_baseline(tmp_path):
    (tmp_path / "a.txt").write_text("<Think>\n", "utf-8")
    (tmp_path / "b.txt").write_text("<Think>\n", "utf-8")
    (tmp_path / "c.log").write_text("<Think>\n", "utf-8")
    table = "per-file-ignores = {'b.txt' = ['warnings']}\ndialects = {'*.log' = 'delimiter'}\n"
    (tmp_path / "pyproject.toml").write_text(f"[tool.cogwire.lint]\n{table}", "utf-8")

    def lint(*arguments):
        command = [*CLI, "lint", *arguments, "--format", "concise", "a.txt", "b.txt", "c.log"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.returncode, [line.partition(":")[0] for line in done.stdout.splitlines()]

    code, lines = lint()
    assert (code, lines[:-1]) == (1, ["a.txt"])
    assert lint("--dialect", "xml-json")[1][:-1] == ["a.txt", "c.log"]
    assert lint("--write-baseline", "known.json") == (0, [])
    assert lint("--baseline", "known.json")[0] == 0
    # A baseline in a folder that is searched is no data, and no data becomes a baseline.
    assert lint("--write-baseline", "known.json", ".") == (0, [])
    assert lint("--write-baseline", "a.txt") == (2, [])
    assert (tmp_path / "a.txt").read_text("utf-8") == "<Think>\n"
    (tmp_path / "pyproject.toml").write_text("[tool.cogwire.lint]\nignore = 1\n", "utf-8")
    assert lint() == (2, [])
