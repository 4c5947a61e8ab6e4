"""`cogwire convert` and `--dialect auto`, run as people and pipes run them."""

import json
import os

import pytest

from cogwire_kit.cli.files import Source
from tests.kit.cli.running import CLI, cogwire_, events, piped, stored
from tests.processes import ran
from tests.rows import rows

DELIMITER = """§think: Look.
§respond: Hi.
  No <end> here.
§call: {"name": "a"}
§execute
§result: 1
§end
"""
XML_JSON = """<think>Look.</think>

Hi.
  No &lt;end> here.

<execute>
[
  {"name": "a", "args": {}}
]
</execute>

<results>
[
  {"tool": "a", "status": "success", "content": 1}
]
</results>

<end>
"""
TO_XML = ("convert", "--from", "delimiter", "--to", "xml-json")


@pytest.fixture
def log(tmp_path):
    return stored(tmp_path / "log.txt", DELIMITER)


def test_a_file_is_converted_and_each_change_has_its_place(log):
    code, output, problems = cogwire_(*TO_XML, log)
    assert (code, output) == (0, XML_JSON)
    neutralised, completed = problems.splitlines()
    assert neutralised.startswith(f"{log}:3:6: neutralised: '<end>'")
    assert neutralised.endswith("(offset 33)")
    assert completed.startswith(f"{log}:4:8: completed: ")
    assert completed.endswith("(offset 52)")


def test_standard_input_is_converted_and_back():
    """The output converts back without a report."""
    for arguments in (TO_XML, (*TO_XML, "-")):
        code, output, problems = cogwire_(*arguments, stdin=DELIMITER.encode())
        assert (code, output) == (0, XML_JSON)
        assert problems.startswith("-:3:6: neutralised: ")
    back = cogwire_("convert", "--from", "xml-json", "--to", "delimiter", stdin=output.encode())
    written = DELIMITER.replace("<", "&lt;").replace('"a"', '"a", "args": {}')
    assert back == (0, written, "")
    assert cogwire_(*TO_XML) == (0, "", "")


def test_an_empty_data_set_is_not_converted(tmp_path):
    (tmp_path / "a.jsonl").write_text("\n", "utf-8")
    code, output, problems = cogwire_(
        "convert", "--from", "auto", "--to", "hermes", tmp_path / "a.jsonl"
    )
    assert (code, output, problems) == (
        2,
        "",
        f"cogwire: {tmp_path / 'a.jsonl'}: there is no row\n",
    )


def test_strict_reports_whether_anything_changes():
    assert cogwire_(*TO_XML, "--strict", stdin=DELIMITER.encode())[0] == 1
    assert cogwire_(*TO_XML, "--strict", stdin="§think: é".encode())[:2] == (
        0,
        "<think>é</think>\n",
    )


def test_the_report_is_written_for_programs(log, tmp_path):
    path = tmp_path / "report.jsonl"
    code, output, problems = cogwire_(*TO_XML, "--report", path, log)
    assert (code, output, problems) == (0, XML_JSON, "")
    entries = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert [(entry["offset"], entry["code"]) for entry in entries] == [
        (33, "neutralised"),
        (52, "completed"),
    ]
    assert entries == events(cogwire_(*TO_XML, "--report", "-", log)[2])


def test_a_report_that_cannot_be_written_is_a_short_message(log, tmp_path):
    code, output, problems = cogwire_(*TO_XML, "--report", tmp_path / "no" / "report", log)
    assert (code, output) == (2, "")
    assert problems == f"cogwire: {tmp_path / 'no' / 'report'}: No such file or directory\n"


@rows(
    "command",
    [
        (*TO_XML, "--report", "data.jsonl"),
        (*TO_XML, "--rejects", "data.jsonl"),
        (*TO_XML, "--report", "new.jsonl", "--rejects", "new.jsonl"),
        ("lint", "--write-baseline", "data.jsonl"),
        ("view", "-o", "data.jsonl"),
    ],
)
def test_no_option_replaces_the_file_that_is_read(command, tmp_path):
    file = stored(tmp_path / "data.jsonl", '{"text": "a"}')
    paths = [tmp_path / each if each.endswith(".jsonl") else each for each in command]
    code, output, problems = cogwire_(*paths, file)
    assert (code, output) == (2, "")
    assert " would replace " in problems
    assert file.read_text("utf-8") == '{"text": "a"}'


@rows(
    "script, reason",
    [
        ('"$@" "$0" >> "$0"', "{}: this is the standard output too"),
        ('"$@" --input jsonl - < "$0" >> "$0"', "-: this is the standard output too"),
        ('"$@" --input jsonl - --rejects "$0" < "$0"', "--rejects {} would replace -"),
    ],
)
def test_the_shell_lets_no_command_write_to_the_file_that_it_reads(script, reason, tmp_path):
    file = stored(tmp_path / "data.jsonl", '{"text": "a"}')
    done = ran("sh", "-c", f"exec {script}", file, *CLI, *TO_XML, timeout=60)
    expected = f"cogwire: {reason.format(file)}; name another file\n"
    assert (done.returncode, done.stderr) == (2, expected)
    assert file.read_text("utf-8").rstrip("\n") == '{"text": "a"}'


@rows("command", ["lint --format concise", "mask"])
def test_the_output_may_be_in_a_folder_that_is_read(command, tmp_path):
    stored(tmp_path / "a.txt", "</think>")
    output = tmp_path / "b.txt"
    script = f'exec "$@" {command} . > b.txt'
    done = ran("sh", "-c", script, "sh", *CLI, cwd=tmp_path, timeout=60)
    assert (
        done.stderr.splitlines()[0]
        == "cogwire: b.txt: this is the standard output, and is not read"
    )
    found = output.read_text("utf-8")
    assert ("a.txt" in found, "b.txt" in found) == (True, False)


def test_a_device_is_replaced_by_nothing(tmp_path):
    file = stored(tmp_path / "data.jsonl", '{"text": "a"}')
    code, _, problems = cogwire_(*TO_XML, "--report", "/dev/null", "--rejects", "/dev/null", file)
    assert (code, " would replace " in problems) == (0, False)


@rows("name, code", [("NaN", 2), ("-Infinity", 2), ("null", 0)])
def test_a_row_with_what_is_not_json_is_refused_as_lint_finds_it(name, code, tmp_path):
    file = tmp_path / "data.jsonl"
    file.write_text(
        f'{{"messages": [{{"role": "user", "content": "a"}}], "score": {name}}}', "utf-8"
    )
    found, _, problems = cogwire_("convert", "--from", "auto", "--to", "hermes", file)
    assert (found, f"{name} is not a number of JSON" in problems) == (code, code == 2)
    assert cogwire_("lint", file)[0] == code // 2


def test_messages_escape_control_characters():
    text = '<execute>[{"name": "a", "args": {}, "\\u202e": 1}]</execute>'
    arguments = ("convert", "--from", "xml-json", "--to", "xml-elements")
    problems = cogwire_(*arguments, stdin=text.encode())[2]
    assert "/\\u202e" in problems


def test_text_is_written_as_it_arrives():
    with piped(*TO_XML) as process:
        process.stdin.write("§think: look\nthere".encode())
        process.stdin.flush()
        assert os.read(process.stdout.fileno(), 100) == b"<think>look\nthere"
        process.stdin.close()
        assert process.stdout.read() == b"</think>\n"
        assert process.wait(timeout=60) == 0


def test_help_explains_what_is_read_when():
    output = " ".join(cogwire_("convert", "--help")[1].split()).replace("- ", "-")
    which = "has been read: xml-json, xml-elements, delimiter, delimiter-upper or a format."
    assert f"auto: detected from the markers once all of it {which}" in output
    assert "1 --strict was given, and something changed" in output
    output = " ".join(cogwire_("lint", "--help")[1].split()).replace("- ", "-")
    assert f"auto: detected from the markers once all of a text {which}" in output
    output = " ".join(cogwire_("--help")[1].split())
    assert "1 something was found or differs (detect, lint, conformance," in output


# --- The dialect detected by its markers ------------------------------------------------------


EITHER = "it may be xml-json or xml-elements; both read it the same way\n"


@rows(
    "text, said, kinds",
    [
        ("<execute>[]</execute>", "read as xml-json, since its ", ["execute"]),
        ("<execute><a/></execute>", "read as xml-elements, since its ", ["call", "execute"]),
        (
            '§call: {"name": "a"}\n§execute',
            "read as delimiter, since its ",
            ["call", "execute"],
        ),
        ("§THINK: a\n§END", "read as delimiter-upper, since its ", ["think", "end"]),
        ("Hello.", "plain prose, since ", ["respond"]),
        # The first dialect is used where it makes no difference.
        ("<think>a</think>", f"read as xml-json; {EITHER}", ["think"]),
        ("<execute>", f"read as xml-json; {EITHER}", ["error"]),
        (
            '§Call: {"name": "a"} x',
            "read as delimiter; it may be delimiter or delimiter-upper; both read it the same way\n",
            ["call", "error", "respond"],
        ),
        # Nothing is guessed.
        ("<execute>ls</execute>", "this may be xml-json or xml-elements, since ", None),
        ("§respond: <execute>[]</execute>", "this may be delimiter or xml-json, since ", None),
        ("<end>\n§end", "this may be xml-json or xml-elements or delimiter, since ", None),
    ],
)
def test_auto_names_the_dialect_and_reads_the_text_in_it(text, said, kinds):
    for options in ((), ("--chunk", "3"), ("--chunk", "3", "--format", "text")):
        arguments = ("parse", "--dialect", "auto", *options)
        code, output, problems = cogwire_(*arguments, stdin=text.encode())
        assert problems.startswith(f"cogwire: -: {said}")
        assert code == (2 if kinds is None else 0)
        if kinds is None:
            assert output == ""
        elif "text" in options:
            shown = {line.split()[1] for line in output.splitlines()[:-1] if line[7:8].isdigit()}
            assert shown == {*kinds}
        else:
            assert [event["type"] for event in events(output)] == kinds
    if kinds is None:
        arguments = ("convert", "--from", "auto", "--to", "xml-json")
        code, output, problems = cogwire_(*arguments, stdin=text.encode())
        assert (code, output) == (2, "")
        assert problems.startswith(f"cogwire: -: {said}")


def test_auto_minds_the_options():
    """A text that begins in a think may have no marker but its closer."""
    text = b"hm</think>x"
    assert cogwire_("parse", "--dialect", "auto", stdin=text)[0] == 0
    code, _, problems = cogwire_("parse", "--dialect", "auto", "--start", "think", stdin=text)
    assert code == 2
    assert problems.startswith("cogwire: -: this may be plain prose, since ")


def test_auto_converts(log):
    code, output, problems = cogwire_(
        "convert", "--from", "auto", "--to", "delimiter-upper", log, stdin=b""
    )
    assert code == 2
    assert output == ""
    assert "'<end>' in its prose" in problems
    text = DELIMITER.replace("<end>", "end").encode()
    code, output, problems = cogwire_("convert", "--from", "auto", "--to", "xml-json", stdin=text)
    assert (code, output) == (0, XML_JSON.replace("&lt;end>", "end"))
    note, completed = problems.splitlines()
    assert note == "cogwire: -: read as delimiter, since its keywords are in lower case"
    assert completed.startswith("-:4:8: completed: ")


def test_auto_shows_errors_in_their_line():
    text = "x" * 70_000 + '\n§call: {"name": 1}\n§execute'
    arguments = ("parse", "--dialect", "auto", "--format", "text")
    output = cogwire_(*arguments, stdin=text.encode())[1]
    assert '§call: {"name": 1}' in output


# --- Pieces -----------------------------------------------------------------------------------


def test_a_whole_text_is_yielded_as_well(tmp_path):
    path = stored(tmp_path / "text", "abcdeé")
    descriptor = os.open(path, os.O_RDONLY)
    source = Source(descriptor, 4)
    assert source.whole() == "abcdeé"
    assert list(source) == ["abcd", "eé"]
    os.close(descriptor)


@rows("text, code", [("Hi.", 1), ("<think>a</think>Hi.", 0)])
def test_a_text_that_is_not_recognised_does_not_pass_strictly(text, code):
    arguments = ("convert", "--from", "auto", "--to", "xml-elements")
    assert cogwire_(*arguments, stdin=text.encode())[0] == 0
    found, _, problems = cogwire_(*arguments, "--strict", stdin=text.encode())
    assert (found, "no marker of a dialect was found" in problems) == (code, bool(code))
