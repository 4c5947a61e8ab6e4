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


def validated(log, folder):
    """Return what the validator says of a SARIF log: rule, level and message."""
    (folder / "log.sarif").write_text(log, "utf-8")
    done = subprocess.run(
        [VALIDATOR, "validate", "log.sarif", "--output", "said.sarif", "--log", "ForceOverwrite"],
        capture_output=True,
        check=False,
        cwd=folder,
        # Without the library of locales, which a machine need not have.
        env={**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"},
    )
    log_read = json.loads((folder / "said.sarif").read_text("utf-8-sig"))
    results = log_read["runs"][0].get("results", [])
    return done.returncode, [(each["ruleId"], each.get("level", "warning")) for each in results]


@pytest.fixture
def log(tmp_path):
    (tmp_path / "a b.txt").write_text(TEXT, "utf-8")
    (tmp_path / "d.jsonl").write_text(
        json.dumps(RECORD) + "\nno\n" + json.dumps({"text": TEXT}), "utf-8"
    )
    return lint("--format", "sarif", "--select", "all", tmp_path / "a b.txt", tmp_path / "d.jsonl")


def test_the_validator_finds_no_error_in_sarif(log, tmp_path):
    code, messages = validated(log, tmp_path)
    assert code == 0
    # Who made the tool, and where its pages are, is for whoever publishes them.
    assert {rule for rule, _ in messages} <= {"SARIF2005"}
    assert len(json.loads(log)["runs"][0]["results"]) > 8


def test_the_validator_is_strict(log, tmp_path):
    """A line that is none, and a rule that is not there, are seen."""
    value = json.loads(log)
    result = value["runs"][0]["results"][0]
    result["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    result["ruleIndex"] = 99
    code, messages = validated(json.dumps(value), tmp_path)
    assert code != 0 or any(level == "error" for _, level in messages)


def test_a_log_without_findings_is_valid(tmp_path):
    (tmp_path / "a.txt").write_text("Hi.")
    assert validated(lint("--format", "sarif", tmp_path / "a.txt"), tmp_path)[0] == 0


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
