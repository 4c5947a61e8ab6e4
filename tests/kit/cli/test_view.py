"""`cogwire view`: what it takes, where it writes, and how it ends."""

import importlib
import json
import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import cogwire_kit
from tests.kit.cli.running import cogwire_, output_of, started, stored
from tests.rows import rows

SOURCE = Path(cogwire_kit.__file__).parents[1]
TURN = "<think>hm</think>Hi."


@pytest.fixture
def data(tmp_path):
    lines = [{"name": f"run {n}", "text": f"<think>{n}</think>Hi."} for n in range(50)]
    lines[7] = {"name": "null", "text": None}
    lines[8] = {"name": "number", "text": 3}
    lines[9] = {"name": "surrogate", "text": "\ud800"}
    return stored(tmp_path / "runs.jsonl", *lines, "{")


def headings(text):
    return [part.partition("</h2>")[0] for part in text.split("<h2>")[1:]]


def test_a_transcript_becomes_a_page(tmp_path):
    file, page = tmp_path / "turn.txt", tmp_path / "page.html"
    file.write_text(TURN, "utf-8")
    assert cogwire_("view", file, "-o", page) == (0, "", "")
    assert "<title>turn.txt</title>" in page.read_text("utf-8")
    output = output_of("view", stdin=TURN.encode())
    assert output == page.read_text("utf-8").replace("turn.txt", "standard input")
    assert ">My run<" in cogwire_("view", file, "--title", "My run")[1]


def test_a_text_of_no_one_dialect_is_refused():
    assert cogwire_("view", "--dialect", "auto", stdin=TURN.encode())[0] == 0
    code, output, problems = cogwire_(
        "view", "--dialect", "auto", stdin=b"<think>a</think>\n\xc2\xa7call: {}\n"
    )
    assert (code, output) == (2, "")
    assert "name the dialect" in problems


def test_texts_in_another_dialect_are_named(tmp_path):
    text, rows = tmp_path / "a.txt", tmp_path / "a.jsonl"
    text.write_text("§think: a\n§end", "utf-8")
    rows.write_text('{"text": "§end"}\n{"text": "§end"}\n{"text": "Hi."}\n', "utf-8")
    none = "looks like delimiter, and no marker of xml-json was found"
    named = "name delimiter with --dialect, which also takes auto\n"
    problems = f"cogwire: {text}: the text {none} in it; {named}"
    assert cogwire_("view", text)[2] == problems
    problems = f"cogwire: {rows}: 2 texts {none.replace('looks', 'look')} in them; {named}"
    assert cogwire_("view", rows)[2] == problems
    for file in (text, rows):
        assert cogwire_("view", file, "--dialect", "auto")[2] == ""
        assert cogwire_("view", file, "--dialect", "delimiter")[2] == ""


def test_a_folder_is_one_page_of_all_that_can_be_read_in_it(tmp_path, data):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "a.txt").write_text(TURN)
    (tmp_path / "mixed.log").write_text("<think>a</think>\n§call: {}\n", "utf-8")
    page = tmp_path / "page.html"
    arguments = ("view", tmp_path, "-o", page, "--rows", "3", "--dialect", "auto")
    assert cogwire_(*arguments) == (0, "", "")
    assert headings(page.read_text("utf-8")) == ["b/a.txt", "mixed.log", "runs.jsonl: Row 3"]
    assert "Refused: no-dialect" in page.read_text("utf-8")
    code, _, problems = cogwire_(*arguments)
    assert code == 0
    assert problems == (
        f"cogwire: {tmp_path}: 1 file skipped (page.html); "
        "in a folder, .json .jsonl .log .ndjson .parquet .pq .txt files are read, also as .gz and .zst\n"
    )


def test_several_files_are_one_page(tmp_path, data):
    one, two = tmp_path / "one.txt", tmp_path / "two.log"
    for file in (one, two):
        file.write_text(TURN)
    page = output_of("view", one, two, data, "--rows", "3")
    assert headings(page) == ["one.txt", "two.log", "runs.jsonl: Row 3"]
    assert "<title>one.txt and 2 more</title>" in page


def test_a_page_that_a_browser_opens_slowly_is_named(tmp_path, monkeypatch):
    """Here by its module, since a page of this size takes long to write."""
    module = importlib.import_module("cogwire_kit.cli.view")
    monkeypatch.setattr(module, "_MANY_BYTES", 1000)
    file = stored(tmp_path / "one.txt", TURN)
    result = CliRunner().invoke(module.view, [str(file), "-o", str(tmp_path / "page.html")])
    expected = f"cogwire: {tmp_path}/page.html: it has 0 MB, and a browser may take minutes"
    assert result.stderr.startswith(expected)


def test_a_data_set_without_transcripts_names_the_command_that_reads_it(tmp_path):
    file = stored(tmp_path / "a.jsonl", '{"question": "a"}\n{"text": 1}\n')
    code, page, problems = cogwire_("view", file)
    assert (code, page) == (2, "")
    assert problems == (
        f"cogwire: {file}: no row could be read (no-text, not-text): no row has a transcript in "
        "the column 'text', or messages or events; name a column of transcripts with --column, or "
        "rename one of messages to `messages`\n"
    )
    code, _, problems = cogwire_("view", file, "--column", "txt")
    assert (code, "in the column 'txt'" in problems) == (2, True)
    file.write_text('{"question": "a"}\n{"text": "a"}\n', "utf-8")
    assert cogwire_("view", file)[::2] == (0, "")
    file.write_text('{"text": "\\ud800"}\n', "utf-8")
    expected = f"cogwire: {file}: no row could be read (not-utf8)\n"
    assert cogwire_("view", file) == (2, "", expected)


CALL = {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
BLOCK = '<execute>[{"name": "ls", "args": {}}]</execute>'
RESULTS = '<results>[{"tool": "ls", "status": "success", "content": "a"}]</results>'
RECORDS = {
    "OpenAI": [
        {"role": "user", "content": "Look"},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": "a"},
    ],
    "Anthropic": [
        {"role": "user", "content": "Look"},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "t", "name": "ls", "input": {}}],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "t", "content": "a"}],
        },
    ],
    "ShareGPT": [
        {"from": "human", "value": "Look"},
        {"from": "gpt", "value": '<tool_call>{"name": "ls", "arguments": {}}</tool_call>'},
        {"from": "tool", "value": '<tool_response>{"content": "a"}</tool_response>'},
    ],
    "wire": [
        {"role": "user", "content": "Look"},
        {"role": "assistant", "content": BLOCK},
        {"role": "user", "content": RESULTS},
    ],
}


@rows("ending", [".jsonl", ".json"])
@rows("form", RECORDS)
@rows("dialect", ["xml-json", "auto"])
def test_what_lint_reads_is_shown(tmp_path, form, dialect, ending):
    """Texts in a dialect turn by turn, and all other messages as they are."""
    member = "conversations" if form == "ShareGPT" else "messages"
    file = stored(tmp_path / f"a{ending}", {member: RECORDS[form]})
    page = output_of("view", "--dialect", dialect, file)
    row = "Row 0" if ending == ".jsonl" else "Record 0"
    if form == "wire":
        assert f"{row}, {member}, turn 1, after &#x27;Look&#x27;" in page
        kinds = ("call", "execute", "result")
        assert [page.count(f'"row {kind} from-') for kind in kinds] == [1, 1, 1]
    else:
        assert f"{row}, {member} · a record of {form.lower()}, as it is · 3 messages" in page
        authors = ("user", "model", "system")
        answers = "user" if form == "Anthropic" else "system"
        counts = {"user": 1, "model": 1, "system": 0, answers: 1 + (answers == "user")}
        assert [page.count(f" from-{author}") for author in authors] == [*map(counts.get, authors)]
        assert "&lt;execute&gt;" not in page, "nothing is invented"
    assert "Refused" not in page


def test_records_are_chosen_and_refused_as_rows_are(tmp_path):
    lines = [json.dumps({"name": f"r{n}", "messages": RECORDS["wire"]}) for n in range(3)]
    file = stored(tmp_path / "a.jsonl", *lines, "{")
    page = cogwire_("view", file, "--rows", "2,3", "--id", "name")[1]
    assert [each[:9] for each in headings(page)] == ["Row 2: r2", "Row 3"]
    assert "Refused: not-json" in page
    assert "there is no row 9; it has 4 rows, 0 to 3" in cogwire_("view", file, "--rows", "9")[2]
    document = tmp_path / "b.json"
    for text, reason in (
        ("{", "this is not JSON: "),
        ("{}\n{}", "if each line is a record, its name should end in .jsonl"),
        ('{"text": "a", "text": "b"}', "an object has the member 'text' twice; keep one of them"),
    ):
        document.write_text(text, "utf-8")
        for command in (("view",), ("convert", "--from", "auto", "--to", "hermes")):
            code, _, problems = cogwire_(*command, document)
            assert (code, reason in problems) == (2, True)


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        stored(tmp_path / name / "log.txt", "Hi.")
    files = [tmp_path / name / "log.txt" for name in ("a", "b")]
    assert headings(cogwire_("view", *files)[1]) == [*map(str, files)]


def test_a_history_of_events_is_shown(tmp_path):
    events = [{"type": "user", "content": "Hi"}, {"type": "respond", "content": "Hello."}]
    for text in json.dumps({"events": events}), "\n".join(map(json.dumps, events)):
        (tmp_path / "a.jsonl").write_text(text, "utf-8")
        page = cogwire_("view", tmp_path / "a.jsonl")[1]
        assert "a record, as it is · 2 events" in page
        assert "<code>Hello.</code>" in page


def test_auto_reads_what_it_recognises_in_a_mixed_folder(tmp_path):
    texts = {
        "a.txt": TURN,
        "b.txt": "§think: a\n§end",
        "c.txt": '<tool_call>\n{"name": "ls", "arguments": {}}\n</tool_call>',
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "d.jsonl").write_text(json.dumps({"messages": RECORDS["wire"]}), "utf-8")
    page = output_of("view", "--dialect", "auto", tmp_path)
    dialects = re.findall(r'<p class="facts">([a-z0-9.-]+) ', page)
    assert dialects[1:] == ["xml-json", "delimiter", "hermes", "xml-json"]


def test_an_error_is_at_the_line_and_column_that_lint_names(tmp_path):
    file = stored(tmp_path / "a.txt", f"<think>a</think>\n{BLOCK[:-10]},]</execute>\n")
    place = cogwire_("lint", "--format", "concise", file)[1].split(": ")[0].rpartition("a.txt:")[2]
    line, column = place.split(":")
    assert f">line {line}, column {column}</a>" in cogwire_("view", file)[1]


def test_blank_lines_are_no_rows(tmp_path):
    file = stored(tmp_path / "a.jsonl", '\n{"text": "a"}\n \n{"text": "b"}\n\n')
    assert headings(cogwire_("view", file)[1]) == ["Row 0", "Row 1"]
    assert headings(cogwire_("view", file, "--rows", "1,0")[1]) == ["Row 0", "Row 1"]
    assert cogwire_("view", file, "--rows", "2")[2].endswith("; it has 2 rows, 0 to 1\n")


def test_a_row_or_a_column_of_names_that_is_missing_is_named(tmp_path, data):
    code, output, problems = cogwire_("view", data, "--rows", "3,99,51")
    expected = f"cogwire: {data}: there is no row 51, 99; it has 51 rows, 0 to 50\n"
    assert (code, output, problems) == (2, "", expected)
    (tmp_path / "none.jsonl").touch()
    problems = cogwire_("view", tmp_path / "none.jsonl", "--rows", "0")[2]
    assert problems.endswith(": there is no row 0; it has no rows\n")
    (tmp_path / "none.json").write_text("[]", "utf-8")
    for file in (tmp_path / "none.jsonl", tmp_path / "none.json"):
        assert cogwire_("view", file) == (2, "", f"cogwire: {file}: there is no row\n")
    code, _, problems = cogwire_("view", data, "--id", "nme")
    expected = f"cogwire: {data}: no row has a value in the column 'nme', which --id names\n"
    assert (code, problems) == (0, expected)


def test_a_sample_is_drawn_and_the_same_again(data):
    first = headings(cogwire_("view", data, "--sample", 5)[1])
    assert len(first) == 5
    assert first == sorted(first, key=lambda name: int(name.split()[1]))
    assert first == headings(cogwire_("view", data, "--sample", 5)[1])
    assert first != headings(cogwire_("view", data, "--sample", 5, "--seed", 1)[1])
    assert len(headings(cogwire_("view", data, "--sample", 100)[1])) == 51


def test_a_list_in_json_is_a_data_set(tmp_path):
    """As many of its records are shown as are asked for, the same as of JSON Lines."""
    listed = [{"name": f"r{n}", "messages": RECORDS["wire"]} for n in range(30)]
    (tmp_path / "a.json").write_text(json.dumps([*listed, ["no record"]]), "utf-8")
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, listed)), "utf-8")

    def shown(*options, file="a.json"):
        found = headings(cogwire_("view", tmp_path / file, *options)[1])
        return list(dict.fromkeys(each.partition(",")[0] for each in found))

    assert shown("--rows", "2,29", "--id", "name") == ["Record 2: r2", "Record 29: r29"]
    assert len(shown("--sample", 3, "--seed", 1)) == 3
    assert shown("--sample", 3) == shown("--sample", 3)
    assert shown("--sample", 3) != shown("--sample", 3, "--seed", 1)
    assert len(shown("--sample", 99)) == 31
    assert len(shown()) == 20
    problem = cogwire_("view", tmp_path / "a.json", "--rows", 31)[2]
    assert "there is no row 31; it has 31 rows, 0 to 30" in problem


def test_rows_are_selected_and_refused_ones_show_the_reason(data):
    code, output, _ = cogwire_("view", data, "--rows", "50,7,8,9,3", "--id", "name")
    assert code == 0
    assert headings(output) == [
        *("Row 3: run 3", "Row 7: null", "Row 8: number", "Row 9: surrogate", "Row 50")
    ]
    refused = [part.partition(":")[0] for part in output.split("Refused: ")[1:]]
    assert refused == ["no-text", "not-text", "not-utf8", "not-json"]


@pytest.mark.parametrize(
    "wrong", [("--rows", "a"), ("--rows", "-1"), ("--sample", "0"), ("--skip", "x")]
)
def test_wrong_usage(data, wrong):
    assert cogwire_("view", data, *wrong)[0] == 2


@pytest.mark.verify
@pytest.mark.parametrize("command", [("view",), ("bulk", "--do", "lint")])
def test_without_pyarrow_the_package_is_named(command, tmp_path):
    (tmp_path / "pyarrow.py").write_text("raise ImportError", "utf-8")
    (tmp_path / "a.parquet").touch()
    code, output, problems = started(
        *command,
        tmp_path / "a.parquet",
        *[tmp_path / "out"][: command[0] == "bulk"],
        PYTHONPATH=f"{tmp_path}:{SOURCE}",
    )
    assert (code, output) == (2, "")
    assert problems.endswith("install it: python -m pip install pyarrow\n")


@pytest.mark.verify
def test_without_pyarrow_the_json_error_names_the_package_as_well(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.delitem(sys.modules, "cogwire_kit.arrow", raising=False)
    with pytest.raises(ImportError, match="pip install pyarrow"):
        importlib.import_module("cogwire_kit.arrow")
