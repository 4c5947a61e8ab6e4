"""`cogwire lint`, as people, scripts and other programs run it."""

import json
import os
import re
import time
from typing import NamedTuple

import pytest
from lxml import etree

from cogwire_kit.lint import RULES
from cogwire_kit.lint.output import FORMS
from cogwire_kit.lint.resuming import Kept
from tests.kit.cli.running import CLI, cogwire_
from tests.processes import ran
from tests.rows import rows

#: Each run is a process.
pytestmark = pytest.mark.verify

BAD = "<Think>é </think>\n<execute>[x]</execute>\n"


class Done(NamedTuple):
    """How a run ended."""

    returncode: int
    stdout: str
    stderr: str


def run(*arguments, **options):
    return Done(*cogwire_(*arguments, **options))


def lint(tmp_path, *arguments, stdin=b"", text=BAD, name="a.txt"):
    file = tmp_path / name
    file.write_text(text, "utf-8")
    return run("lint", *arguments, file, stdin=stdin)


def test_people_see_the_line_the_place_and_a_way_out(tmp_path):
    done = lint(tmp_path)
    assert done.returncode == 1
    first, *_ = done.stdout.split("\n\n")
    assert first.split("\n") == [
        "warning[near-marker]: <Think> is not a marker here, and is read as prose.",
        f" --> {tmp_path}/a.txt:1:1",
        "  |",
        "  | <Think>é </think>",
        "  | ^^^^^^^",
        "  |",
        "  = help: Spell the marker exactly, at its place, or write it in its literal form.",
    ]
    assert done.stdout.endswith(
        "Found 3 problems; --fix NEW writes a copy in which 2 of them are escaped. "
        "Read 1 file, 41 characters.\n"
    )


def test_without_problems_lint_reports_so_and_exits_with_0(tmp_path):
    done = lint(tmp_path, text="<think>a</think> b")
    assert (done.returncode, done.stdout, done.stderr) == (
        *(0, "All checks passed! Read 1 file, 18 characters.\n", ""),
    )


def test_a_rendered_chat_is_not_read_and_its_messages_are_asked_for(tmp_path):
    done = lint(tmp_path, text="<|im_start|>user\nHi<|im_end|>")
    assert done[:2] == (2, "Nothing could be read.\n")
    assert "with <|im_start|>user: use the messages that it was made from, as JSON\n" in done.stderr


def test_a_text_without_anything_does_not_pass(tmp_path):
    done = lint(tmp_path, text="")
    assert done[:2] == (0, "Nothing was found. Read 1 file, 0 characters.\n")


@rows("name", ["a.jsonl", "a.json"])
@rows("text", ["", "\n \n"])
def test_an_empty_data_set_is_a_finding(tmp_path, name, text):
    done = lint(tmp_path, "--format", "concise", text=text, name=name)
    place = f"{tmp_path / name}:1:1: error[bad-record]: There is no record."
    assert (done.returncode, done.stdout.splitlines()[0]) == (1, place)


def test_a_line_for_each_finding_begins_as_compilers_write_places(tmp_path):
    lines = lint(tmp_path, "--format", "concise").stdout.splitlines()
    assert [line.split(" ")[:2] for line in lines[:3]] == [
        [f"{tmp_path}/a.txt:1:1:", "warning[near-marker]:"],
        [f"{tmp_path}/a.txt:1:10:", "warning[stray-closer]:"],
        [f"{tmp_path}/a.txt:2:11:", "error[json-syntax]:"],
    ]


def test_a_finding_about_several_places_counts_them(tmp_path):
    """Machine formats say how many, as SARIF calls it; the place is the first."""
    arguments = {"text": "hello\nworld\n", "name": "a.jsonl"}
    done = lint(tmp_path, "--format", "jsonl", **arguments)
    (finding,) = map(json.loads, done.stdout.splitlines())
    assert (finding["line"], finding["end_line"], finding["occurrences"]) == (1, 2, 2)
    (log,) = json.loads(lint(tmp_path, "--format", "sarif", **arguments).stdout)["runs"]
    (result,) = log["results"]
    assert result["occurrenceCount"] == 2
    assert result["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 1,
        "startColumn": 1,
        "endLine": 2,
        "endColumn": 6,
        "snippet": {"text": "hello"},
    }


def test_json_lines(tmp_path):
    done = lint(tmp_path, "--format", "jsonl", "--select", "json-syntax")
    (finding,) = map(json.loads, done.stdout.splitlines())
    message = finding.pop("message")
    assert message.startswith("At /0: ")
    assert finding == {
        "file": f"{tmp_path}/a.txt",
        "rule": "json-syntax",
        "severity": "error",
        "help": finding["help"],
        "start": 28,
        "end": 29,
        "line": 2,
        "column": 11,
        "end_line": 2,
        "end_column": 12,
        "event": 1,
        "path": "/0",
    }


def test_sarif_has_the_rules_that_are_broken_and_the_places(tmp_path):
    log = json.loads(lint(tmp_path, "--format", "sarif").stdout)
    (run,) = log["runs"]
    assert (log["version"], run["columnKind"]) == ("2.1.0", "unicodeCodePoints")
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == ["near-marker", "stray-closer", "json-syntax"]
    assert [rules[result["ruleIndex"]] for result in run["results"]] == rules
    (location,) = run["results"][2]["locations"]
    region = location["physicalLocation"]["region"]
    assert [region[name] for name in ("startLine", "startColumn", "endLine", "endColumn")] == [
        2,
        11,
        2,
        12,
    ]
    (fix,) = run["results"][0]["fixes"]
    (change,) = fix["artifactChanges"][0]["replacements"]
    assert change["insertedContent"] == {"text": "&lt;Think>"}


def test_sarif_says_what_findings_and_rules_are_known_by(tmp_path):
    (run,) = json.loads(lint(tmp_path, "--format", "sarif").stdout)["runs"]
    prints = [result["partialFingerprints"]["cogwireFinding/v1"] for result in run["results"]]
    assert len(set(prints)) == 3
    for rule in run["tool"]["driver"]["rules"]:
        assert rule["fullDescription"]["text"]
    # A line before them, and the same problem twice.
    (again,) = json.loads(lint(tmp_path, "--format", "sarif", text=f"\n{BAD}\n{BAD}").stdout)[
        "runs"
    ]
    later = [result["partialFingerprints"]["cogwireFinding/v1"] for result in again["results"]]
    assert set(prints) <= set(later)
    assert len(set(later)) == len(later)


def test_commands_of_github(tmp_path):
    lines = lint(tmp_path, "--format", "github").stdout.splitlines()
    assert [line.split(" ")[0] for line in lines] == ["::warning", "::warning", "::error"]
    assert ",line=2,endLine=2,col=11,endColumn=12,title=json-syntax::" in lines[2]
    (line, _) = lint(tmp_path, "--format", "github", text='{"text": "<Think>"}', name="a.jsonl")[1:]
    assert ",title=near-marker /text::" in line


def test_a_report_of_junit(tmp_path):
    root = etree.fromstring(lint(tmp_path, "--format", "junit").stdout.encode())
    failures = root.findall("./testsuite/testcase/failure")
    rules = ["near-marker", "stray-closer", "json-syntax"]
    assert [each.get("type") for each in failures] == rules


def test_findings_need_not_fail(tmp_path):
    assert lint(tmp_path).returncode == 1
    assert lint(tmp_path, "--exit-zero").returncode == 0


@rows(
    "options, rules",
    [
        ([], {"near-marker", "stray-closer", "json-syntax"}),
        (["--select", "errors"], {"json-syntax"}),
        (["--select", "warnings", "--ignore", "near-marker"], {"stray-closer"}),
        (["--select", "json-syntax,stray-closer"], {"json-syntax", "stray-closer"}),
        (["--select", "json-syntax", "--select", "near-marker"], {"json-syntax", "near-marker"}),
        (["--ignore", "all"], set()),
    ],
)
def test_rules_are_selected_and_ignored(tmp_path, options, rules):
    done = lint(tmp_path, "--format", "jsonl", *options)
    assert {json.loads(line)["rule"] for line in done.stdout.splitlines()} == rules
    assert done.returncode == bool(rules)


def test_statistics(tmp_path):
    text = json.dumps({"text": BAD})
    done = lint(tmp_path, "--statistics", name="a.jsonl", text=f"{text}\n{text}\n{{}}\n")
    assert [line.split()[:2] for line in done.stdout.splitlines()] == [
        ["2", "json-syntax"],
        ["2", "near-marker"],
        ["2", "stray-closer"],
        ["1", "bad-record"],
    ]


def test_notes_are_shown_when_they_are_asked_for(tmp_path):
    text = json.dumps({"conversations": [{"from": "system", "value": "a"}]})
    assert lint(tmp_path, name="a.jsonl", text=text).returncode == 0
    done = lint(tmp_path, "--select", "all", "--format", "concise", name="a.jsonl", text=text)
    assert done.stdout.splitlines()[0] == (
        f"{tmp_path}/a.jsonl:1:20: note[dropped]: a system message has no event (/conversations/0)"
    )


def test_texts_in_another_dialect_are_named(tmp_path):
    text = "§think: a\n§end"
    expected = f"{tmp_path}/a.txt: the text looks like delimiter, and no marker of xml-json was found in it; name delimiter with --dialect, which also takes auto"
    assert lint(tmp_path, text=text).stderr == f"cogwire: {expected}\n"
    assert lint(tmp_path, "--dialect", "auto", text=text)[1:] == (
        *("All checks passed! Read 1 file, 14 characters.\n", ""),
    )
    assert lint(tmp_path, "--dialect", "delimiter", text=text).stderr == ""
    for marked, options, of, also in (
        ("<think>a</think><tool_call>b</tool_call>", (), " of xml-json", ", which also takes auto"),
        ("The <tool_call> of the model", ("--dialect", "auto"), "", ""),
    ):
        done = lint(tmp_path, *options, text=marked)
        expected = f"{tmp_path}/a.txt: the text looks like glm-4.5, and no call{of} was found in it; name glm-4.5 with --dialect{also}"
        assert done.stderr == f"cogwire: {expected}\n"
        assert (done.returncode, done.stdout.split()[0]) == (1, "warning[foreign-marker]:")
    lines = "\n".join([json.dumps({"text": text})] * 2 + ['{"text": "<end>"}'])
    done = lint(tmp_path, name="a.jsonl", text=lines)
    expected = "2 texts look like delimiter, and no marker of xml-json was found in them; name delimiter with --dialect, which also takes auto"
    assert done.stderr == f"cogwire: {tmp_path}/a.jsonl: {expected}\n"
    calls = "<tool_call>\n<function=ls>\n</function>\n</tool_call>"
    messages = [{"role": "assistant", "content": content} for content in (calls, "Done.\n§end")]
    lines = json.dumps({"messages": messages})
    done = lint(tmp_path, "--dialect", "auto", name="a.jsonl", text=lines)
    expected = "the text looks like delimiter, and no marker was found in it; name delimiter with --dialect"
    assert done.stderr == f"cogwire: {tmp_path}/a.jsonl: {expected}\n"


@rows(
    "name, text, hint",
    [
        ("a.txt", "Done.", ""),
        ("a.txt", "<b>a</b> <https://a.b>", ""),
        (
            *("a.txt", 'Done.<action name="ls">'),
            "'<action name' is like a marker of minicpm5 or muse or dots; ",
        ),
        ("a.jsonl", json.dumps({"text": "```tool_code\nls()\n```"}), "--dialect takes"),
    ],
)
def test_what_has_nothing_of_its_dialect_does_not_pass(tmp_path, name, text, hint):
    done = lint(tmp_path, name=name, text=text)
    said = "cogwire: nothing was recognised as a marker or a call of xml-json"
    assert done.stdout.startswith("Nothing was found. Read 1 file, ")
    assert (
        done.returncode,
        done.stderr.startswith(f"{said}; {hint}" if hint else f"{said}\n"),
    ) == (*(0, True),)
    (tmp_path / "b.txt").write_text("<end>")
    done = lint(tmp_path, tmp_path / "b.txt", name=name, text=text)
    assert (done.stderr, done.stdout[:17]) == ("", "All checks passed")


def test_a_call_without_a_marker_is_recognised(tmp_path):
    said = {"user": "Hi", "assistant": '[ls(path="a")]', "tool": "b"}
    text = json.dumps({"messages": [{"role": role, "content": said[role]} for role in said]})
    for dialect in ("auto", "llama4-pythonic"):
        done = lint(tmp_path, "--dialect", dialect, name="a.jsonl", text=text)
        assert (done.stderr, done.stdout[:17]) == ("", "All checks passed")


def test_a_run_that_was_stopped_goes_on(tmp_path):
    """What was found in a file is kept, and looked for again only if the file or an option changes."""
    one, two, kept = tmp_path / "a.txt", tmp_path / "b.txt", tmp_path / "kept"
    one.write_text("<end>", "utf-8")
    two.write_text("\ufeff</think>", "utf-8")
    files = ("lint", "--format", "jsonl", one, two)
    command = (*files, "--jobs", 2, "--resume", kept)
    assert run(*command) == run(*files)
    (unchanged,) = (each for each in kept.iterdir() if "stray-closer" in each.read_text("utf-8"))
    unchanged.write_text(unchanged.read_text("utf-8").replace("stray-closer", "near-marker"))
    one.write_text(BAD, "utf-8")
    plain = run(*files)
    found = run(*command)
    assert (found.returncode, found.stderr) == (plain.returncode, plain.stderr)
    *first, last = plain.stdout.splitlines()
    assert found.stdout.splitlines() == [*first, last.replace("stray-closer", "near-marker")]
    assert len(list(kept.iterdir())) == 3
    assert run(*command, "--input", "text") == plain
    assert run(*command, "--column", "text") == plain
    assert len(list(kept.iterdir())) == 7
    for each in kept.iterdir():
        each.write_bytes(each.read_bytes()[:30])  # it was damaged, so the file is read again
    assert run(*command) == plain
    assert run(*command) == plain
    # What is kept is no data, in a folder that is read.
    plain = run("lint", one, two)
    assert [run("lint", tmp_path, "--resume", folder) for folder in (kept, tmp_path, tmp_path)] == [
        plain
    ] * 3


def test_a_file_with_the_same_size_and_time_may_have_changed(tmp_path):
    file, kept = tmp_path / "a.txt", Kept(tmp_path / "kept")
    file.write_text("<end>", "utf-8")
    before, place = file.stat(), kept.place(str(file), "xml-json")
    assert kept.place(str(file), "xml-json") == place
    time.sleep(0.05)  # the time of a change is not exact
    file.write_text("<End>", "utf-8")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert kept.place(str(file), "xml-json") != place


def test_a_text_whose_dialect_matters_and_is_not_known_is_refused_as_by_parse(tmp_path):
    text = "§respond: <execute>[]</execute>"
    done = lint(tmp_path, "--dialect", "auto", text=text)
    parsed = run("parse", "--dialect", "auto", tmp_path / "a.txt")
    assert done.stderr == parsed.stderr
    assert "name the dialect" in done.stderr
    assert done.returncode == parsed.returncode == 2
    assert done.stdout == "Nothing could be read.\n"


@rows(
    "name, data, code, fate",
    [
        ("a.txt", "\ufeff<think>a</think>", 0, "was read as one of its characters"),
        ("a.jsonl", '\ufeff{"text": "a </think>"}\n{"text": "b"}', 1, "was skipped"),
        ("a.json", '\ufeff{"text": "a </think>"}', 1, "was skipped"),
    ],
)
def test_a_byte_order_mark_is_named_and_hides_no_record(tmp_path, name, data, code, fate):
    done = lint(tmp_path, "--format", "concise", name=name, text=data)
    assert done.stderr == (
        f"cogwire: {tmp_path}/{name}: the {'text' if code == 0 else 'file'} begins with a byte "
        f"order mark (U+FEFF), which {fate}; save it as UTF-8 without one\n"
    )
    assert done.returncode == code
    if code:
        assert done.stdout.startswith(f"{tmp_path}/{name}:1:14: warning[stray-closer]: ")
        new = tmp_path / f"new-{name}"
        new.unlink(missing_ok=True)
        assert lint(tmp_path, "--fix", new, name=name, text=data).returncode == 0
        assert new.read_text("utf-8") == data.replace("</think>", "&lt;/think>")


def test_the_closing_line_reports_how_much_was_read(tmp_path):
    other = tmp_path / "b.jsonl"
    other.write_text('{"text": "a"}\n\n{"text": "é"}\n', "utf-8")
    done = lint(tmp_path, other, "--format", "concise", text="a </think>")
    assert done.stdout.splitlines()[-1] == (
        "Found 1 problem; 1 can be escaped by --fix NEW, one file at a time. "
        "Read 2 files, 2 records, 38 characters."
    )


def test_a_folder_is_searched_for_what_can_be_read(tmp_path):
    logs = tmp_path / "logs"
    (logs / "b").mkdir(parents=True)
    for name in ("b/a.LOG", "c.txt", ".hidden.txt", "_notes.txt", "picture.png"):
        (logs / name).write_text("a </think>")
    (logs / "a.jsonl").write_text('{"text": "a </think>"}')
    (logs / "d.txt").symlink_to("c.txt")
    code, output, problems = run("lint", "--format", "concise", logs / "c.txt", logs)
    assert (code, problems.count(f": this is read once, as {logs / 'c.txt'}\n")) == (1, 2)
    files = [line.partition(":")[0] for line in output.splitlines()[:-1]]
    assert files == [str(logs / name) for name in ("c.txt", "a.jsonl", "b/a.LOG")]
    skipped = "1 file skipped (picture.png); in a folder, .json .jsonl .log"
    assert f"cogwire: {logs}: {skipped} " in problems
    # With --input, all files are what it says.
    code, output, problems = run("lint", "--input", "text", "--format", "concise", logs)
    assert (output.count("stray-closer"), problems.count("\n")) == (4, 1)
    (tmp_path / "empty").mkdir()
    code, output, problems = run("lint", tmp_path / "empty")
    assert (code, output) == (2, "")
    assert problems == f"cogwire: {tmp_path / 'empty'}: there is no file to read in this folder\n"


def test_a_file_that_cannot_be_read_stops_no_other(tmp_path):
    (tmp_path / "a.txt").write_bytes("hm".encode("utf-16"))
    (tmp_path / "b.txt").write_text("a </think>")
    code, output, problems = run("lint", "--format", "concise", tmp_path)
    assert (code, output.count("stray-closer")) == (2, 1)
    assert problems == f"cogwire: {tmp_path}/a.txt: this is UTF-16; convert it to UTF-8 first\n"


@rows("name", ["a.txt", "a.json", "a.jsonl"])
def test_a_binary_file_is_one_finding(tmp_path, name):
    (tmp_path / name).write_bytes(b"PK\x03\x04\x00\xff\xfe\n" * 1000)
    code, output, problems = run("lint", "--format", "concise", tmp_path / name)
    assert (code, problems) == (1, "")
    message = "This is not text: it has null characters, and bytes that are not UTF-8."
    assert output.splitlines() == [
        f"{tmp_path / name}:1:1: error[not-text]: {message}",
        "Found 1 problem. Read 1 file, 0 characters.",
    ]


@rows("form", FORMS)
def test_the_name_of_a_file_may_be_anything(tmp_path, form):
    """It ends no line, and nothing in it acts on a terminal."""
    file = tmp_path / os.fsdecode(b"a\xff\n\x1b[31m.txt")
    file.write_text("a </think>")
    code, found, problems = cogwire_("lint", "--format", form, file)
    assert (code, problems) == (1, "")
    assert "stray-closer" in found
    assert not any(line.startswith(("\x1b", "\\u001b")) for line in found.splitlines())
    assert "\x1b" not in found or form == "github"  # which knows the file by its name


def test_standard_input():
    done = run("lint", "--format", "concise", "-", stdin=b"a </think>")
    assert done.stdout.startswith("-:1:3: warning[stray-closer]: ")
    done = run("lint", "--input", "jsonl", "--format", "concise", "-", stdin=b"1\n")
    assert done.stdout.startswith("-:1:1: error[bad-record]: ")


def test_calls_are_validated_with_tools_from_a_file(tmp_path):
    tools = tmp_path / "tools.json"
    text = '<execute>[{"name": "cat", "args": {}}]</execute>'
    for encoding in ("utf-8", "utf-16"):
        known = '{"tools": [{"name": "ls", "parameters": {"type": "object"}}]}'
        tools.write_text(known, encoding)
        done = lint(tmp_path, "--tools", tools, "--format", "concise", text=text)
        assert "error[unknown-tool]: No tool is called" in done.stdout


def test_a_file_is_fixed_into_another_with_a_report(tmp_path):
    new = tmp_path / "new.txt"
    done = lint(tmp_path, "--fix", new, "--format", "concise")
    assert new.read_text("utf-8") == BAD.replace("<Think>", "&lt;Think>").replace("</th", "&lt;/th")
    lines = (tmp_path / "new.txt.report.jsonl").read_text("utf-8").splitlines()
    report = list(map(json.loads, lines))
    assert [each["rule"] for each in report] == ["near-marker", "stray-closer"]
    assert (done.returncode, done.stdout.count("json-syntax")) == (1, 1)
    assert "2 places changed" in done.stderr
    same = tmp_path / "a.report.jsonl"
    done = lint(tmp_path, "--fix", tmp_path / "a", "--input", "text", name=same.name, text="</end>")
    assert (done.returncode, same.read_text("utf-8")) == (2, "</end>")
    assert f"--fix {same} would replace {same}" in done.stderr


def test_where_the_disk_is_full_no_part_of_a_copy_is_left(tmp_path):
    (tmp_path / "a.txt").write_text("a </think>\n" * 4000, "utf-8")
    command = [*CLI, "lint", "--fix", tmp_path / "new.txt", tmp_path / "a.txt"]
    hint = "raise the limit (ulimit -f), and run the same command again"
    for blocks, name in ((10, "new.txt"), (200, "new.txt.report.jsonl")):
        done = ran("sh", "-c", f'ulimit -f {blocks}; exec "$@"', "sh", *command)
        expected = f"cogwire: {tmp_path / name}: File too large; {hint}\n"
        assert (done.returncode, done.stderr) == (2, expected)
        assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]


def test_one_place_is_not_counted_as_several(tmp_path):
    problems = lint(tmp_path, "--fix", tmp_path / "new.txt", text="a </think>").stderr
    assert ": 1 place changed; " in problems


def test_rules_are_listed_for_people_and_for_programs():
    lines = run("lint", "--explain", "all").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(RULES)
    assert re.fullmatch("orphan +warning  calls without .*", lines[list(RULES).index("orphan")])
    lines = run("lint", "--explain", "warnings", "--format", "jsonl").stdout.splitlines()
    listed = [json.loads(line) for line in lines]
    assert {each["severity"] for each in listed} == {"warning"}
    assert {"rule", "summary", "help"} < listed[0].keys()


@rows(
    "arguments, reason",
    [
        ([], "name a file"),
        (["--select", "near-maker", "-"], "did you mean near-marker? `cogwire lint"),
        (["--explain", "json-sintax"], "did you mean json-syntax"),
        (["--explain", "x"], "there is no rule 'x'; `cogwire lint --explain all` lists them"),
        (["--fix", "new", "-"], "--fix takes one file"),
        (["--fix", "new", "."], "--fix takes one file"),
        (["--fix", "new", "/dev/null"], "which is no pipe"),
        (["--input", "parquet", "-"], "-: "),
        (["--write-baseline", "-", "-"], "name a file"),
        (["no-such-file"], "does not exist"),
    ],
)
def test_wrong_usage_is_reported(arguments, reason):
    done = run("lint", *arguments)
    assert done.returncode == 2
    assert reason in done.stderr
    assert "Traceback" not in done.stderr


def test_a_finding_in_json_has_its_line_with_a_caret(tmp_path):
    text = '{"messages": [{"role": "tool", "tool_call_id": "c9", "content": "a"}]}\n{"a": 1,}\n'
    lines = lint(tmp_path, name="a.jsonl", text=text).stdout.splitlines()
    carets = [n for n, line in enumerate(lines) if line.endswith("^")]
    assert [lines[n - 1][lines[n].index("^")] for n in carets] == ["{", "}"]


def test_the_severity_and_the_caret_are_coloured_where_it_is_asked_for(tmp_path):
    coloured = lint(tmp_path, "--color", "always", text="a </think>").stdout
    plain = lint(tmp_path, "--color", "never", text="a </think>").stdout
    assert coloured.count("\x1b[33m\x1b[1m") == 2
    assert re.sub(r"\x1b\[\d*m", "", coloured) == plain == lint(tmp_path, text="a </think>").stdout
    concise = lint(tmp_path, "--color", "always", "--format", "concise", text="a </think>").stdout
    assert "\x1b[1mwarning[stray-closer]:\x1b[0m" in concise
    for form in ("jsonl", "sarif"):
        output = lint(tmp_path, "--color", "always", "--format", form, text="a </think>").stdout
        assert "\x1b" not in output


def test_arguments_that_are_cut_off_are_named_as_such(tmp_path):
    function = {"name": "ls", "arguments": '{"path": "a'}
    call = {"id": "c1", "type": "function", "function": function}
    record = {"messages": [{"role": "assistant", "tool_calls": [call]}]}
    output = lint(tmp_path, name="a.jsonl", text=json.dumps(record)).stdout
    assert "The JSON of the call is cut off: a value in it is not closed." in output


def test_a_text_cannot_act_on_the_terminal(tmp_path):
    done = lint(tmp_path, text="\x1b[2J</think>")
    assert "\x1b" not in done.stdout


def test_tools_that_are_not_json_are_named(tmp_path):
    (tmp_path / "b.txt").write_text("hm")
    code, _, problems = cogwire_("lint", "--tools", tmp_path / "b.txt", tmp_path / "b.txt")
    assert code == 2
    assert f"--tools {tmp_path / 'b.txt'}: this is not JSON: " in problems
