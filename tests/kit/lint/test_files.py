"""Findings of files have places in the file, and what is fixed is changed there and nowhere else."""

import io
import json
import os
from unittest.mock import Mock

import pytest

from cogwire_kit.cli.files import TroubleError, files_in, sourced
from cogwire_kit.lint import LintOptions
from cogwire_kit.lint.files import fix_file, lint_file
from cogwire_kit.texts.rows import (
    FileError,
    Refusal,
    json_value,
    kind_of,
    opened_lines,
    records,
    unpacked,
)
from tests.rows import rows


def lint(data, kind, **options):
    return list(lint_file(io.BytesIO(data), kind, LintOptions(**options)))


@rows(
    "name, kind",
    [
        ("a.jsonl", "jsonl"),
        ("a.NDJSON", "jsonl"),
        ("a.JSONL.GZ", "jsonl"),
        ("a.ndjson.zst", "jsonl"),
        ("a.json.gz", "json"),
        ("a.gz", "text"),
        ("a/b.json", "json"),
        ("a.parquet", "parquet"),
        ("a.txt", "text"),
        ("jsonl", "text"),
        ("-", "text"),
    ],
)
def test_the_name_of_a_file_determines_how_it_is_read(name, kind):
    assert kind_of(name) == kind


def test_a_finding_in_json_lines_is_at_its_character():
    text = "é\\n<execute>[x]</execute>"
    line = f'  {{"id": 1, "messages": [{{"role": "assistant", "content": "{text}"}}]}}\n'
    (finding,) = lint(f"{{}}\n\n{line}".encode(), "jsonl")[1:]
    assert (finding.rule, finding.line, finding.record) == ("json-syntax", 3, 3)
    assert line[finding.column - 1 : finding.end_column - 1] == "x"
    # In the text itself it is somewhere else.
    assert (finding.start, finding.excerpt, finding.caret) == (12, "<execute>[x]</execute>", 10)


def test_a_finding_in_a_document_is_at_its_line():
    data = json.dumps([{"text": "a"}, {"text": "<execute>[x]"}], indent=1)
    (finding,) = lint(data.encode(), "json")
    line = data.split("\n")[finding.line - 1]
    assert line[finding.column - 1] == "x"
    assert (finding.record, finding.pointer) == (2, "/1/text")


#: A block whose call is not an object.
BLOCK = "<execute>[x]</execute>"


@rows(
    "record, column, expected",
    [
        ({"log": BLOCK, "text": "<Think>a"}, "log", [("json-syntax", "/log")]),
        ({"log": BLOCK, "text": "<Think>a"}, "text", [("near-marker", "/text")]),
        ({"a/b": BLOCK}, "a/b", [("json-syntax", "/a~1b")]),
        ({"chosen": [], "messages": [], "text": BLOCK}, "chosen", [("bad-record", "/chosen")]),
        ({"text": BLOCK}, "log", [("bad-record", "")]),
        ({"log": [BLOCK]}, "log", [("bad-record", "")]),
        # With a column a line with a type is not an event of a history.
        ({"type": "respond", "log": BLOCK}, "log", [("json-syntax", "/log")]),
    ],
)
def test_only_the_column_that_is_named_is_read(record, column, expected):
    data = json.dumps(record).encode()
    found = lint(data, "jsonl", column=column)
    assert [(each.rule, each.pointer) for each in found] == expected
    # A document lists records where each has the column.
    listed = lint(b"[%b]" % data, "json", column=column)
    assert [(each.rule, each.pointer) for each in listed] == [
        (rule, f"/0{pointer}") for rule, pointer in expected
    ]


@rows("column, reason", [("log", "has no `log`."), ("text", "`text` is not a string.")])
def test_a_column_that_cannot_be_read_is_named(column, reason):
    (found,) = lint(b'{"text": 3}', "jsonl", column=column)
    assert found.message.endswith(reason)


@rows(
    "data, place",
    [
        (b"{", (1, 2)),
        (b'{"a": 1}\n[', (2, 2)),
        (b'{"text": "a"} x', (1, 15)),
        (b"[" * 100_000, (1, 1)),
        (b'{"a": ' + b"9" * 5000 + b"}", (1, 1)),
    ],
)
def test_invalid_json_is_reported_and_the_rest_is_read(data, place):
    findings = [
        each
        for each in lint(data, "jsonl")
        if "not JSON" in each.message or "nested" in each.message
    ]
    assert [(each.rule, each.line, each.column) for each in findings] == [("bad-record", *place)]


def test_lines_in_a_row_that_are_not_json_are_one_finding():
    """Of a file that is not JSON Lines at all, there is one; a line by itself says what it has."""
    first, second, third = lint(b'{"text": "a"}\nb\n\n[c\n{"text": "d"}\n{\n1\n', "jsonl")
    assert (first.rule, first.line, first.column, first.record) == ("bad-record", 2, 1, 2)
    assert (first.end_line, first.end_column, first.occurrences) == (4, 3, 2)
    assert first.message == "These 2 lines cannot be read. In the first: Expecting value."
    (found,) = lint(b'b\n{"a": NaN}\nb\n{"a": 1, "a": 2}\n', "jsonl")
    assert found.message.endswith(
        "In the first: Expecting value. In line 2: NaN is not a number of JSON. "
        "In line 4: An object has the member 'a' twice; keep one of them."
    )
    assert (second.line, second.end_line, second.occurrences) == (6, 6, None)
    assert second.message.startswith("This is not JSON: Expecting property name")
    assert third.line == 7
    (found,) = lint(b"\nhello\nworld\nagain\n", "jsonl")
    assert (found.line, found.end_line, found.occurrences) == (2, 4, 3)
    assert found.message == (
        "None of the 3 lines can be read as JSON: use --input json for one document, and "
        "--input text for a transcript. In the first: Expecting value."
    )


@rows(
    "kind, data, place",
    [
        ("text", b"caf\xe9\n<think>\xe9\xe8</think> gr\xfcn", (1, 4, 3)),
        ("json", b'[{"text": "a"},\n {"text": "\xe9 \xe9"}]', (2, 12, 2)),
        ("json", b'{"text": "\xe9"', (1, 11, None)),
        ("jsonl", b'{"text": "a"}\n{"text": "\xe9 \xe9"}\n{"text": "\xe9"}', (2, 11, 3)),
        ("jsonl", '{"text": "\ufffd"}'.encode(), None),
    ],
)
def test_a_file_that_is_not_utf8_has_one_finding(kind, data, place):
    """It is at the first place, and counts them."""
    found = [each for each in lint(data, kind) if each.rule == "replaced-character"]
    assert [(each.line, each.column, each.occurrences) for each in found] == (
        [place] if place else []
    )
    assert {each.record for each in found} <= {place[0] if place and kind == "jsonl" else None}


@rows("kind", ["text", "json", "jsonl"])
def test_a_file_of_utf16_is_refused(kind):
    with pytest.raises(FileError, match="UTF-16; convert it to UTF-8 first"):
        lint('{"text": "a"}'.encode("utf-16"), kind)


def test_events_on_lines_are_one_history():
    lines = [
        {"type": "user", "content": "a"},
        {"type": "result", "content": "[]", "payload": {}},
        {"type": "respond"},
    ]
    data = "\n".join(map(json.dumps, lines)).encode()
    findings = [each for each in lint(data, "jsonl") if each.severity != "note"]
    assert {(each.rule, each.line) for each in findings} >= {("skipped", 3)}


def test_the_dialect_of_a_text_is_detected_or_given():
    data = "§call: x".encode()
    assert [each.rule for each in lint(data, "text")] == ["json-syntax"]
    assert [each.rule for each in lint(data, "text", dialect="xml-json")] == ["foreign-marker"]


def test_progress_counts_every_byte():
    seen = []
    data = b'{"text": "a"}\n\n{"text": "b"}'
    for kind in ("jsonl", "json", "text"):
        list(lint_file(io.BytesIO(data), kind, LintOptions(), seen.append))
    assert sum(seen) == 3 * len(data)


# --- Fixing -----------------------------------------------------------------------------------


def fixed(tmp_path, name, data):
    """Return what is written for a file, and what is found in it then."""
    old, new = tmp_path / name, tmp_path / f"new-{name}"
    old.write_bytes(data)
    kind = kind_of(name)
    used = fix_file(old, new, kind, lint(data, kind))
    assert old.read_bytes() == data
    return new.read_bytes(), used, lint(new.read_bytes(), kind)


def test_markers_in_prose_become_literal_and_nothing_else_changes(tmp_path):
    data = "\ufeffé </think>\r\n<Think> \u2028<execute>[x]</execute>".encode()
    written, used, left = fixed(tmp_path, "a.txt", data)
    assert written == data.replace(b"</think>", b"&lt;/think>").replace(b"<Think>", b"&lt;Think>")
    assert [each.rule for each in used] == ["stray-closer", "near-marker"]
    assert [each.rule for each in left] == ["json-syntax"]


@pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
def test_a_string_in_json_is_changed_where_it_is_written(tmp_path, name):
    record = '{"x": 1.50, "text": "\\u00e9\\n\u2028</think>\\ud83d\\ude00<Think>"}'
    data = f"{record}\n{record}\n" if name == "a.jsonl" else f"[{record},\n {record}]"
    written, used, left = fixed(tmp_path, name, data.encode())
    assert written.decode() == data.replace("</think>", "&lt;/think>").replace(
        "<Think>", "&lt;Think>"
    )
    assert (len(used), left) == (4, [])


@rows(
    "name, data, reason",
    [
        ("a.txt", b"\xff", "not UTF-8 at byte 0"),
        ("a.parquet", b"", "does not write Parquet"),
        ("a.txt.gz", b"\x1f\x8b", "decompress the file first"),
    ],
)
def test_a_problem_that_cannot_be_fixed_is_refused(tmp_path, name, data, reason):
    old = tmp_path / name
    old.write_bytes(data)
    with pytest.raises(FileError, match=reason):
        fix_file(old, tmp_path / "new", kind_of(name), [])
    assert not (tmp_path / "new").exists()


def test_a_file_is_never_written_onto_itself(tmp_path):
    old = tmp_path / "a.txt"
    old.write_bytes(b"a")
    with pytest.raises(FileError, match="replaces no file"):
        fix_file(old, tmp_path / "." / "a.txt", "text", [])


def test_a_control_character_in_json_is_named_with_a_way_out():
    (found,) = lint(b'{"text": "a\tb"}', "json")
    assert found.message.endswith(
        "a control character in a string is written as an escape, such as \\n."
    )


def test_a_line_that_was_cut_off_is_named_so():
    found = lint(b'{"text": "a\n{"text": 1}\n', "jsonl")
    assert [(each.line, each.message) for each in found] == [
        (1, "The line ends inside a string; it may be cut off."),
        (2, "`text` is not a string."),
    ]
    refusal = json_value(b'{"text": "a\n')
    assert refusal == Refusal("not-json", "the line ends inside a string; it may be cut off")


def test_what_cannot_be_read_is_named_and_not_passed_over(tmp_path, monkeypatch):
    with pytest.raises(FileError, match="No such file"):
        next(records(tmp_path / "gone.jsonl"))
    (tmp_path / "a.jsonl").write_text("{}\n{}\n")
    with pytest.raises(FileError, match="cut off"), opened_lines(tmp_path / "a.jsonl"):
        os.truncate(tmp_path / "a.jsonl", 3)
    with pytest.raises(FileError, match=r"^Input/output error$"), unpacked(io.BytesIO(), "a"):
        raise OSError(5, "Input/output error")
    refused = Mock(side_effect=PermissionError(13, "Permission denied", str(tmp_path)))
    monkeypatch.setattr("os.scandir", refused)
    assert files_in(tmp_path, ()) == [tmp_path]
    monkeypatch.setattr("os.open", refused)
    with pytest.raises(TroubleError, match="a: Permission denied"), sourced("a"):
        pass
