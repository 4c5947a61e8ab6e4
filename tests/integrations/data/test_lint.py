"""`cogwire lint`: its SARIF, judged by the validator of SARIF's makers, and its Parquet."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cogwire_kit.lint import LintOptions
from cogwire_kit.lint.files import lint_file
from cogwire_kit.texts.rows import FileError

VALIDATOR = (
    Path(__file__).parent
    / "node_modules"
    / "@microsoft"
    / "sarif-multitool-linux"
    / "Sarif.Multitool"
)

TEXT = "<Think>é \U0001f600</think> <execute>[{'a': 1}]</execute>\n§end\n"
RECORD = {
    "id": "a/1",
    "messages": [
        {"role": "user", "content": "List. <results>"},
        {"role": "assistant", "content": "One moment.\n<execute>[x]</execute>"},
    ],
}


def lint(*arguments):
    done = subprocess.run(
        [sys.executable, "-m", "cogwire_kit", "lint", *map(str, arguments)],
        capture_output=True,
        check=False,
        text=True,
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def validated(folder, **logs):
    """Return what the validator says of each SARIF log: rule and level."""
    for name, log in logs.items():
        (folder / f"{name}.sarif").write_text(log, "utf-8")
    files = [f"{name}.sarif" for name in logs]
    subprocess.run(
        [VALIDATOR, "validate", *files, "--output", "said.sarif", "--log", "ForceOverwrite"],
        capture_output=True,
        check=False,
        cwd=folder,
        # Without the library of locales, which a machine need not have.
        env={**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"},
    )
    said = json.loads((folder / "said.sarif").read_text("utf-8-sig"))
    found = {name: set() for name in logs}
    for each in said["runs"][0].get("results", []):
        place = each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        found[Path(place).stem].add((each["ruleId"], each.get("level", "warning")))
    return found


@pytest.fixture
def log(tmp_path):
    (tmp_path / "a b.txt").write_text(TEXT, "utf-8")
    (tmp_path / "d.jsonl").write_text(
        json.dumps(RECORD) + "\nno\n" + json.dumps({"text": TEXT}), "utf-8"
    )
    return lint("--format", "sarif", "--select", "all", tmp_path / "a b.txt", tmp_path / "d.jsonl")


def test_the_validator_finds_no_error_in_sarif(log, tmp_path):
    """It is strict: it sees a line that is none, and a rule that is not there."""
    (tmp_path / "a.txt").write_text("Hi.")
    wrong = json.loads(log)
    assert len(wrong["runs"][0]["results"]) > 8
    result = wrong["runs"][0]["results"][0]
    result["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    result["ruleIndex"] = 99
    empty = lint("--format", "sarif", tmp_path / "a.txt")
    found = validated(tmp_path, log=log, empty=empty, wrong=json.dumps(wrong))
    assert "error" in {level for _, level in found["wrong"]}
    # Who made the tool, and where its pages are, is for whoever publishes them.
    assert {rule for rule, _ in found["log"] | found["empty"]} <= {"SARIF2005"}


def test_columns_are_those_of_the_file(log, tmp_path):
    """As an editor counts them: the text at the place is what was found."""
    lines = TEXT.split("\n")
    for result in json.loads(log)["runs"][0]["results"]:
        location = result["locations"][0]["physicalLocation"]
        if location["artifactLocation"]["uri"].endswith(".txt"):
            region = location["region"]
            line = lines[region["startLine"] - 1]
            written = line[region["startColumn"] - 1 : region["endColumn"] - 1]
            assert written in result["message"]["text"] or result["ruleId"] == "json-syntax"


# --- Parquet ----------------------------------------------------------------------------------


def test_rows_of_parquet_are_records():
    other = {"id": "b", "messages": [{"role": "robot", "content": None}]}
    table = pa.Table.from_pylist([RECORD, other] * 300)
    file = io.BytesIO()
    pq.write_table(table, file)
    found = [each for each in lint_file(file, "parquet", LintOptions()) if each.severity != "note"]
    assert [(each.rule, each.record, each.pointer) for each in found[:3]] == [
        ("unsafe-text", 1, "/messages/0/content"),
        ("json-syntax", 1, "/messages/1/content"),
        ("skipped", 2, "/messages/0"),
    ]
    assert len(found) == 900
    assert found[-1].line == 600


def test_only_the_column_of_parquet_that_is_named_is_read():
    file = io.BytesIO()
    pq.write_table(
        pa.table({"log": ["<execute>[x]</execute>", None], "text": ["</think>"] * 2}), file
    )
    found = list(lint_file(file, "parquet", LintOptions(column="log")))
    assert [(each.rule, each.record, each.pointer) for each in found] == [
        ("json-syntax", 1, "/log"),
        ("bad-record", 2, ""),
    ]
    with pytest.raises(FileError, match="there is no column 'lg'; there are log, text"):
        list(lint_file(file, "parquet", LintOptions(column="lg")))


def test_an_invalid_parquet_file_is_reported():
    with pytest.raises(FileError, match="not Parquet"):
        list(lint_file(io.BytesIO(b"PAR0"), "parquet", LintOptions()))
