"""`cogwire bulk`: each row once, whatever is killed and whenever; and what it says of a job."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from examples.bulk import transcripts
from pyarrow import parquet
from tokenizers import Tokenizer
from tokenizers.models import WordLevel

import cogwire
from cogwire_kit.bulk.job import Inputs, Job, JobError, Plan
from cogwire_kit.bulk.workers import unordered
from cogwire_kit.conformance import corpus
from tests.kit.cli.running import CLI, cogwire_

ROWS = 300
PART = "part-00000-000001.parquet"
OPTIONS = ("--dialect-column", "dialect", "--keep", "id", "--part-rows", 20, "--processes", 2)


@pytest.fixture(scope="module")
def table():
    return pa.Table.from_batches(transcripts.batches(ROWS))


@pytest.fixture(scope="module")
def source(table, tmp_path_factory):
    """Return a folder with the rows in two files, with groups of rows of odd sizes."""
    folder = tmp_path_factory.mktemp("source")
    parquet.write_table(table.slice(0, 170), folder / "a.parquet", row_group_size=33)
    (folder / "more").mkdir()
    parquet.write_table(table.slice(170), folder / "more" / "b.parquet")
    return folder


@pytest.fixture(scope="module")
def whole(source, tmp_path_factory):
    """Return what an undisturbed job gives, and its summary."""
    folder = tmp_path_factory.mktemp("whole") / "out"
    code, output, problems = cogwire_("bulk", source, folder, "--do", "events", *OPTIONS)
    assert (code, problems) == (0, "")
    return read(folder), json.loads(output)


def read(folder):
    parts = sorted(folder.glob("*.parquet"))
    return pa.concat_tables([parquet.read_table(part) for part in parts]).to_pylist()


def names(folder):
    return {each.name for each in folder.iterdir() if not each.name.startswith("part-")}


def test_each_row_is_there_once_and_in_order(whole):
    rows, _ = whole
    assert [row["id"] for row in rows] == list(range(ROWS))
    places = [("a.parquet", n) for n in range(170)]
    places += [("more/b.parquet", n) for n in range(ROWS - 170)]
    assert [(row["file"], row["row"]) for row in rows] == places


def test_the_summary_is_what_the_core_counts(whole, table):
    _, summary = whole
    events, errors, refused, texts = Counter(), Counter(), 0, []
    for row in table.to_pylist():
        try:
            text = row["text"].decode()
            found = cogwire.parse_transcript(text, row["dialect"], clock=None)
        except (AttributeError, ValueError, TypeError):
            refused += 1
            continue
        texts.append(text)
        events.update(event["type"] for event in found)
        errors.update(event["code"] for event in found if event["type"] == "error")
    assert (summary["files"], summary["rows"], summary["read"]) == (2, ROWS, ROWS - refused)
    assert summary["characters"] == pc.sum(pc.utf8_length(pa.array(texts))).as_py()
    assert (summary["events"], summary["errors"]) == (dict(events), dict(errors))
    assert sum(summary["refused"].values()) == refused > 0


def test_nothing_is_lost_or_doubled_when_it_is_killed_at_any_moment(source, whole, tmp_path):
    draw, folder = random.Random(os.getpid()), tmp_path / "out"
    command = [*CLI, "bulk", source, folder, "--do", "events", *OPTIONS]
    killed, seen, done = 0, 0, set()
    while killed < 4:
        process = subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE)
        wanted = len(done) + draw.randint(1, 4)
        while process.poll() is None and len(list(folder.glob("part-*"))) < wanted:
            time.sleep(0.001)
        time.sleep(draw.random() * 0.05)
        workers = children(process.pid) if process.poll() is None else []
        process.kill()
        process.communicate()
        ended(workers)
        killed += 1
        seen += len(workers)
        now = {part: part.read_bytes() for part in folder.glob("part-*")}
        assert done <= now.keys()
        done = now.keys()
    assert seen
    before = {part: part.stat().st_ino for part in done}
    code, output, problems = cogwire_(*command[len(CLI) :])
    assert (code, problems) == (0, "")
    assert read(folder) == whole[0]
    assert json.loads(output) == json.loads((folder / "_summary.json").read_text()) == whole[1]
    assert {part: part.stat().st_ino for part in before} == before, "what is done is done"
    assert names(folder) == {"_job.json", "_summary.json", ".lock"}


def test_a_killed_worker_ends_the_job_with_a_message_and_the_next_run_continues(
    source, whole, tmp_path
):
    folder = tmp_path / "out"
    command = [*map(str, [*CLI, "bulk", source, folder, "--do", "events", *OPTIONS])]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not (workers := children(process.pid)):
        time.sleep(0.001)
    os.kill(workers[0], signal.SIGKILL)
    _, problems = process.communicate(timeout=60)
    assert process.returncode == 2
    assert problems.startswith("cogwire: a process of the pool was killed")
    assert cogwire_(*command[len(CLI) :])[0] == 0
    assert read(folder) == whole[0]


def ended(workers):
    """Wait for the end of the workers of a job that was killed, who see that it is gone."""
    deadline = time.monotonic() + 20
    while any(b"spawn_main" in command_line(pid) for pid in workers):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def children(pid):
    """Return the processes of the pool, of which multiprocessing has one beside them."""
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
    return [each for each in map(int, found) if b"spawn_main" in command_line(each)]


def command_line(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_an_interrupted_job_reports_it_and_the_next_run_continues(source, whole, tmp_path):
    folder = tmp_path / "out"
    command = [*map(str, [*CLI, "bulk", source, folder, "--do", "events", *OPTIONS])]
    # Where the tests run in the background of a shell, processes are started to ignore the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    signal.signal(signal.SIGINT, before)
    while not list(folder.glob("part-*")):
        time.sleep(0.001)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    _, problems = process.communicate(timeout=60)
    assert (process.returncode, problems) == (
        130,
        "cogwire: interrupted; the same command continues with the rest\n",
    )
    assert cogwire_(*command[len(CLI) :])[0] == 0
    assert read(folder) == whole[0]


def test_the_output_may_be_in_the_input(table, tmp_path):
    parquet.write_table(table.slice(0, 50), tmp_path / "a.parquet")
    (tmp_path / "_notes.jsonl").write_text("x")
    command = ("bulk", tmp_path, tmp_path / "out", "--do", "events", *OPTIONS)
    first = cogwire_(*command)
    assert json.loads(first[1])["rows"] == 50
    assert cogwire_(*command) == first
    problems = cogwire_("bulk", tmp_path, tmp_path, "--do", "lint")[2]
    assert problems.endswith("INPUT is in this folder; name another one for OUTPUT\n")
    os.mkfifo(tmp_path / "b.jsonl")
    problems = cogwire_("bulk", tmp_path / "b.jsonl", tmp_path / "b", "--do", "lint")[2]
    assert problems.endswith("a pipe is read only once; write it to a file first\n")


def test_files_may_be_empty(table, tmp_path):
    (tmp_path / "in").mkdir()
    parquet.write_table(table.slice(0, 0), tmp_path / "in" / "b.parquet")
    (tmp_path / "in" / "c.jsonl").touch()
    command = ("bulk", tmp_path / "in", tmp_path / "out", "--do", "lint", *OPTIONS)
    code, output, problems = cogwire_(*command)
    assert (code, json.loads(output)) == (
        2,
        {"files": 2, "rows": 0, "characters": 0, "read": 0, "refused": {}},
    )
    assert problems == f"cogwire: {tmp_path / 'in'}: there is no row\n"


def test_json_lines_produce_the_same(table, whole, tmp_path):
    """What no line of JSON can hold, bytes that are not UTF-8, is left out."""
    rows = {row["id"]: row for row in whole[0] if row["refused"] != "not-utf8"}
    lines = []
    for row in table.to_pylist():
        if row["id"] in rows:
            text = row["text"] and row["text"].decode()
            lines.append(json.dumps({**row, "text": text}, ensure_ascii=row["id"] % 2 == 0))
    source = tmp_path / "rows.jsonl"
    source.write_text("\n".join(lines), "utf-8")
    code, _, problems = cogwire_("bulk", source, tmp_path / "out", "--do", "events", *OPTIONS)
    assert (code, problems) == (0, "")
    for number, row in enumerate(read(tmp_path / "out")):
        wanted = rows[int(row["id"])]
        changed = {"file": "rows.jsonl", "row": number, "id": str(wanted["id"])}
        if wanted["refused"] == "no-text":
            changed["reason"] = "`text` is null."
        assert row == wanted | changed


def test_only_the_invalid_lines_are_refused(tmp_path):
    source = tmp_path / "rows.jsonl"
    source.write_bytes(
        b'{"text": "a", "n": {"x": 1.50}}\n\n{"text": \n \n[1]\n{"text": 3}\n{}\n{"text": "\\ud800"}\n'
        b'{"text": "\xff"}\n{"text": "b", "n": "s"}' + b"\n" + b"[" * 100_000
    )
    assert cogwire_("bulk", source, tmp_path / "out", "--do", "lint", "--keep", "n")[0] == 0
    rows = read(tmp_path / "out")
    assert [row["refused"] for row in rows] == [
        *(None, "not-json", "not-json", "not-text", "no-text", "not-utf8"),
        *("not-utf8", None, "not-json"),
    ]
    assert [row["row"] for row in rows] == list(range(9)), "blank lines are no rows"
    assert [row["n"] for row in rows if row["n"]] == ['{"x": 1.50}', "s"]


def test_files_of_a_folder_are_read_by_their_own_columns(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    said = {"role": "user", "content": "a"}
    name = os.fsdecode(b"a\xff.jsonl")  # not UTF-8, as what is written has to be
    (folder / name).write_text(json.dumps({"messages": [said], "system": "S"}), "utf-8")
    (folder / "b.jsonl").write_text('{"conversations": [{"from": "human", "value": "b"}]}')
    parquet.write_table(pa.table({"events": [[{"type": "user", "content": "c"}]]}), folder / "c.pq")
    (folder / "d.jsonl.gz").write_bytes(b"\x1f\x8b")
    parquet.write_table(pa.table({"other": [1]}), folder / "e.pq")  # none of those that are read
    command = ("bulk", folder, tmp_path / "out", "--do", "convert", "--to", "xml-json")
    code, output, problems = cogwire_(*command)
    assert (code, json.loads(output)["read"]) == (2, 3)
    assert problems.startswith(f"cogwire: {folder / 'd.jsonl.gz'}: this cannot be decompressed")
    parts = sorted((tmp_path / "out").glob("*.parquet"))
    given = [row for part in parts for row in parquet.read_table(part).to_pylist()]
    found = [row["messages"] or row["conversations"] for row in given]
    assert found == [[said], [{**said, "content": "b"}], [{**said, "content": "c"}], None]
    assert (given[0]["system"], given[3]["refused"]) == ("S", "no-text")


def test_columns_are_looked_for_once(tmp_path):
    """A job that continues remembers the columns; another one does not take them from it."""
    source = tmp_path / "rows.jsonl"
    source.write_text('{"messages": [{"role": "user", "content": "a"}]}\n', "utf-8")
    command = ("bulk", source, tmp_path / "out", "--do", "lint")
    code, output, _ = cogwire_(*command)
    assert (code, json.loads(output)["read"]) == (0, 1)
    known = json.loads((tmp_path / "out" / "_job.json").read_text("utf-8"))
    inputs = Inputs([source], tmp_path, "text")
    assert inputs.known_columns(tmp_path / "out") == tuple(known["text"]) == ("messages",)
    assert Inputs([source], tmp_path, "log").known_columns(tmp_path / "out") is None
    assert inputs.known_columns(tmp_path) is None
    assert cogwire_(*command)[:2] == (code, output)


def test_a_column_that_no_row_has_is_named(tmp_path):
    source = tmp_path / "rows.jsonl"
    source.write_text('{"text": "a", "id": 1}\n{"text": "b"}\n', "utf-8")
    arguments = ("--do", "lint", "--keep", "id,nope", "--part-rows", "1")
    code, output, problems = cogwire_("bulk", source, tmp_path / "out", *arguments)
    expected = f"cogwire: {source}: no row has a value in the column 'nope', which --keep names\n"
    assert (code, problems) == (0, expected)
    assert json.loads(output)["values"] == {"id": 1, "nope": 0}
    arguments = ("--do", "lint", "--column", "nope", "--dialect-column", "id")
    code, output, problems = cogwire_("bulk", source, tmp_path / "none", *arguments)
    assert (code, json.loads(output)["read"]) == (2, 0)
    assert problems.startswith(f"cogwire: {source}: no row could be read (no-text): no row has")


@pytest.mark.parametrize("operation", ["lint", "spans", "convert"])
def test_other_operations(operation, source, tmp_path):
    more = ("--to", "xml-json") if operation == "convert" else ()
    code, output, _ = cogwire_("bulk", source, tmp_path / "o", "--do", operation, *more, *OPTIONS)
    assert code == 0
    column = {"lint": "findings", "convert": "changes"}.get(operation, operation)
    assert sum(json.loads(output)[column].values()) == sum(
        len(row[column] or ()) for row in read(tmp_path / "o")
    )


@pytest.mark.parametrize("packed", ["", ".gz", ".zst"])
@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet"])
def test_records_of_every_kind_of_file(name, packed, tmp_path):
    messages = [{"role": "system", "content": "S"}, {"role": "user", "content": "Hi"}]
    record = {"messages": messages, "tools": "[]", "id": 1}
    source = tmp_path / f"{name}{packed}"
    with pa.output_stream(str(source), "detect") as stream:
        if name.endswith("parquet"):
            parquet.write_table(pa.Table.from_pylist([record] * 3), stream)
        else:
            stream.write(f"{json.dumps(record)}\n".encode() * 3)
    more = ("--do", "convert", "--to", "delimiter", "--keep", "id", "--part-rows", 2)
    code, output, problems = cogwire_("bulk", source, tmp_path / "out", *more)
    assert (code, problems, json.loads(output)["read"]) == (0, "", 3)
    assert [(row["messages"], row["tools"]) for row in read(tmp_path / "out")] == [
        (messages, "[]")
    ] * 3


(FINDINGS,) = corpus.array(corpus.PLACE / "texts" / "findings.json")
#: Rows of which a member is broken, null, empty or of another type: what each command refuses them
#: for, and how many errors lint finds.  What has a text is a transcript, and lint alone reads more.
MIXED = [tuple(each.values()) for each in FINDINGS["mixed"]]


#: Those that columns of Parquet can have.
NULLS = [
    (row, code, errors)
    for row, code, errors in MIXED
    if row.keys() <= {"text", "messages"}
    and isinstance(row.get("text"), str | None)
    and isinstance(row.get("messages"), list | None)
]


@pytest.mark.parametrize(
    ("name", "mixed"), [("a.jsonl", MIXED), ("a.parquet", NULLS), ("a.parquet", NULLS[:1])]
)
def test_every_command_has_one_answer_to_a_row_with_a_broken_member(name, mixed, tmp_path):
    """Whatever the rows beside it are; tools that are none refuse no row."""
    source = tmp_path / name
    if name.endswith("parquet"):
        columns = {each: [row.get(each) for row, *_ in mixed] for each in ("text", "messages")}
        parquet.write_table(pa.table(columns), source)
    else:
        source.write_text("\n".join(json.dumps(row) for row, _, _ in mixed), "utf-8")
    expected = {number: code for number, (_, code, _) in enumerate(mixed) if code}
    to = ("--to", "delimiter")
    rejects = tmp_path / "rejects"
    options = ("--from", "xml-json", *to, "--rejects", rejects)
    _, converted, _ = cogwire_("convert", *options, source)
    found = {"convert": rejects.read_text("utf-8")}
    _, found["mask"], _ = cogwire_("mask", source, "--dialect", "xml-json")
    for command, lines in found.items():
        given = map(json.loads, lines.splitlines())
        codes = {row["row"]: row["refused"] for row in given if "refused" in row}
        assert (command, codes) == (command, expected)
    answers = {}
    for operation in ("events", "spans", "convert"):
        more = to if operation == "convert" else ()
        folder = tmp_path / operation
        assert cogwire_("bulk", source, folder, "--do", operation, *more)[0] == 0
        answers[operation] = read(folder)
        codes = {row["row"]: row["refused"] for row in answers[operation] if row["refused"]}
        assert (operation, codes) == (operation, expected)
    first = answers["convert"][0]["messages"]
    assert first == json.loads(converted.splitlines()[0])["messages"]
    assert first == [{"role": "assistant", "content": "§respond: Hi.\n§end"}]
    sizes = [each["characters"] for each in answers["events"]]
    texts = [row.get("text") for row, *_ in mixed]
    assert {size for size, text in zip(sizes, texts, strict=True) if isinstance(text, str)} <= {
        len("Hi.")
    }
    linted = cogwire_("lint", source, "--dialect", "xml-json", "--format", "jsonl")[1]
    errors = Counter(
        each["line"] for each in map(json.loads, linted.splitlines()) if each["severity"] == "error"
    )
    assert [errors[line] for line in range(1, len(mixed) + 1)] == [count for *_, count in mixed]


#: What a record has as its tools, and what its call of `f` is then.
DECLARED = [tuple(each.values()) for each in FINDINGS["tools"]]


def test_an_empty_list_of_tools_says_nothing_about_calls_whatever_reads_it(tmp_path):
    source, folder = tmp_path / "a.jsonl", tmp_path / "out"
    call = {"type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages = [{"role": "assistant", "tool_calls": [call]}]
    rows = [json.dumps({"messages": messages, "tools": tools}) for tools, _ in DECLARED]
    source.write_text("\n".join(rows), "utf-8")
    linted = cogwire_("lint", source, "--format", "jsonl")[1]
    found = [(each["line"], each["rule"]) for each in map(json.loads, linted.splitlines())]
    expected = [(line, rule) for line, (_, rules) in enumerate(DECLARED, 1) for rule in rules]
    assert found == expected
    assert cogwire_("bulk", source, folder, "--do", "lint")[0] == 0
    found = [(row["row"] + 1, each["rule"]) for row in read(folder) for each in row["findings"]]
    assert found == expected


def test_a_prompt_that_is_a_text_beside_messages_is_reported(tmp_path):
    """Many data sets have both; the column of the answer is of messages."""
    said = [{"role": "user", "content": "[INST] Hi"}, {"role": "assistant", "content": "So."}]
    source = tmp_path / "a.jsonl"
    source.write_text(json.dumps({"prompt": "[INST] Hi", "messages": said}), "utf-8")
    to = ("--do", "convert", "--to", "xml-json")
    assert cogwire_("bulk", source, tmp_path / "out", *to)[0] == 0
    (row,) = read(tmp_path / "out")
    assert (row["messages"], row["prompt"], row["refused"]) == (said, None, None)
    (change,) = row["changes"]
    assert (change["code"], change["pointer"]) == ("dropped", "/prompt")


def test_skipped_files_of_a_folder_are_named(tmp_path):
    source = tmp_path / "source"
    (source / ".git").mkdir(parents=True)
    for name in ("a.jsonl", "b.JSONL", ".git/c.jsonl", "_notes.jsonl", "read.me"):
        (source / name).write_text('{"text": "Hi."}\n')
    code, output, problems = cogwire_("bulk", source, tmp_path / "o", "--do", "lint")
    assert (code, json.loads(output)["files"]) == (0, 2)
    read = "in a folder, .jsonl .ndjson .parquet .pq files are read, also as .gz and .zst"
    assert problems == f"cogwire: {source}: 1 file skipped (read.me); {read}\n"
    (source / "none").mkdir()
    code, _, problems = cogwire_("bulk", source / "none", tmp_path / "p", "--do", "lint")
    assert (code, "there is no file to read in this folder" in problems) == (2, True)


@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet"])
@pytest.mark.parametrize("column", ["text", "messages"])
def test_texts_in_another_dialect_are_named(column, name, tmp_path):
    file = tmp_path / name
    texts = [{"text": "§think: a\n§end"}] * 2 + [{"text": "<end>"}, {"text": None}]
    if column == "messages":
        texts = [{column: [{"role": "assistant", "content": each["text"]}]} for each in texts[:3]]
    if name == "a.parquet":
        parquet.write_table(pa.Table.from_pylist(texts), file)
    else:
        file.write_text("\n".join(map(json.dumps, texts)), "utf-8")
    _, output, problems = cogwire_("bulk", file, tmp_path / "o", "--do", "spans")
    assert json.loads(output)["look_alikes"] == {"delimiter": 2}
    expected = "2 texts look like delimiter, and no marker of xml-json was found in them; name delimiter with --dialect, which also takes auto"
    assert problems == f"cogwire: {file}: {expected}\n"
    more = ("--do", "spans", "--dialect", "auto")
    assert cogwire_("bulk", file, tmp_path / "auto", *more)[2] == ""


def test_a_folder_belongs_to_one_job(source, whole, tmp_path):
    folder = tmp_path / "out"
    command = ("bulk", source, folder, "--do", "events", *OPTIONS)
    assert cogwire_(*command)[0] == 0
    assert cogwire_(*command)[:2] == (0, json.dumps(whole[1]) + "\n")
    for other, word in [
        (("bulk", source, folder, "--do", "lint", *OPTIONS), "operation"),
        (("bulk", source / "a.parquet", folder, "--do", "events", *OPTIONS), "inputs"),
        ((*command, "--part-rows", 21), "part_rows"),
    ]:
        code, output, problems = cogwire_(*other)
        assert (code, output) == (2, "")
        assert f"another {word!r}" in problems
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    code, _, problems = cogwire_("bulk", source, tmp_path / "full", "--do", "lint")
    assert (code, "other files" in problems) == (2, True)
    fcntl = pytest.importorskip("fcntl")
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "another process" in cogwire_(*command)[2]


def test_a_job_names_the_file_that_has_changed(tmp_path):
    source, model, folder = (tmp_path / name for name in ("in", "model", "out"))
    source.mkdir()
    model.mkdir()
    for name in ("a.jsonl", "b.jsonl"):
        (source / name).write_text('{"text": "Hi."}\n')
    Tokenizer(WordLevel({"[UNK]": 0}, "[UNK]")).save(str(model / "tokenizer.json"))
    command = ("bulk", source, folder, "--do", "mask", "--tokenizer", model)
    assert cogwire_(*command)[0] == 0
    assert cogwire_(*command)[0] == 0
    (model / "chat_template.jinja").write_text("")
    expected = f"{folder} has a job with another 'model' (chat_template.jinja has changed); name"
    assert expected in cogwire_(*command)[2]
    (model / "chat_template.jinja").unlink()
    (source / "b.jsonl").write_text('{"messages": []}\n{"text": "Hi!"}\n')
    assert "another 'inputs' (b.jsonl has changed); name" in cogwire_(*command)[2]
    plan = Plan("lint", "text", "xml-json", None, (), {}, 9)
    job = Job(plan, Inputs([source / "b.jsonl"], source, "text"), tmp_path / "other")
    with pytest.raises(JobError, match=r"while it was read \(b.jsonl has changed\)"):
        job.run(1, lambda *_: os.truncate(source / "b.jsonl", 3))


@pytest.mark.parametrize(
    ("name", "damage", "expected"),
    [
        ("_job.json", lambda file: file.write_text("[]"), "nothing says which job the parts"),
        ("_job.json", lambda file: file.write_text(""), "nothing says which job the parts"),
        ("_job.json", lambda file: file.write_text("{}"), "has a job with another 'cogwire'"),
        (PART, lambda file: os.truncate(file, file.stat().st_size - 9), "remove it, and the same"),
        (PART, lambda file: os.truncate(file, 0), "remove it, and the same command writes it"),
        (PART, lambda file: (file.unlink(), file.mkdir()), "remove it, and the same command"),
        (PART, lambda file: parquet.write_table(pa.table({}), file), "is not a part of a job"),
    ],
    ids=["list", "empty", "object", "part-cut", "part-empty", "part-folder", "part-other"],
)
def test_what_a_job_cannot_continue_from_is_named(name, damage, expected, tmp_path):
    source, folder = tmp_path / "rows.jsonl", tmp_path / "out"
    source.write_text('{"text": "Hi."}\n' * 2)
    command = ("bulk", source, folder, "--do", "lint", "--part-rows", 1)
    assert cogwire_(*command)[0] == 0
    damage(folder / name)
    code, output, problems = cogwire_(*command)
    assert (code, output) == (2, "")
    place = folder if "another" in expected else folder / name
    assert problems.startswith(f"cogwire: {place} ")
    assert expected in problems


def test_half_of_a_pair_in_a_record_is_refused(tmp_path):
    source = tmp_path / "rows.jsonl"
    source.write_text(
        '{"messages": [{"role": "user", "content": "\\ud800"}], "id": 1}\n{"messages": []}'
    )
    cogwire_("bulk", source, tmp_path / "out", "--do", "lint", "--keep", "id")
    row = read(tmp_path / "out")[0]
    reason = "'messages': a text of it is not UTF-8, or has half of a surrogate pair"
    assert (row["refused"], row["reason"], row["id"]) == ("not-utf8", reason, "1")


@pytest.mark.parametrize("operation", [("lint",), ("convert", "--to", "openai-messages")])
def test_results_whose_calls_are_in_another_format_are_named(operation, tmp_path):
    """Such results are left out, and the calls stay prose, which no training set should have."""
    call = "<tool_call>\n<function=ls>\n</function>\n</tool_call>"
    told = [("user", "Look."), ("assistant", call), ("tool", "a"), ("assistant", "One file.")]
    record = {"messages": [{"role": role, "content": text} for role, text in told]}
    file = tmp_path / "a.jsonl"
    file.write_text(f"{json.dumps(record)}\n" * 2, "utf-8")
    expected = (
        "2 texts look like qwen3-coder, and no call of xml-json was found in them; name "
        "qwen3-coder with --dialect, which also takes auto"
    )
    code, _, problems = cogwire_("bulk", file, tmp_path / "o", "--do", *operation)
    assert (code, problems) == (0, f"cogwire: {file}: {expected}\n")
    # The markers of this format are also Hermes's, whose calls are other ones.
    more = (*operation, "--dialect", "hermes")
    _, _, problems = cogwire_("bulk", file, tmp_path / "hermes", "--do", *more)
    expected = "2 results answer no call; if the calls are in the model's texts, and not in hermes"
    assert problems.startswith(f"cogwire: {file}: {expected}, name their format with --dialect")
    more = (*operation, "--dialect", "auto")
    assert cogwire_("bulk", file, tmp_path / "auto", "--do", *more)[2] == ""


def test_an_unreadable_file_is_named(source, tmp_path):
    broken = tmp_path / "broken.parquet"
    data = (source / "a.parquet").read_bytes()
    broken.write_bytes(data[:500] + b"x" * 2000 + data[2500:])
    (tmp_path / "no.parquet").write_bytes(b"PAR1 is not enough")
    (tmp_path / "text.txt").write_text("a")
    for file in ("broken.parquet", "no.parquet", "text.txt"):
        code, output, problems = cogwire_(
            "bulk", tmp_path / file, tmp_path / "o" / file, "--do", "lint"
        )
        assert (code, output) == (2, ""), file
        assert problems.startswith(f"cogwire: {tmp_path / file}: ")
        assert file == "text.txt" or "restore the file or leave it out" in problems
    folder = tmp_path / "in"
    folder.mkdir()
    twice = pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], ["text", "text"])
    numbers = pa.table({"text": [1, None]})
    for name, table in (("0", twice), ("1", numbers), ("2", pa.table({"text": ["c"]}))):
        parquet.write_table(table, folder / f"{name}.parquet")
    code, output, problems = cogwire_("bulk", folder, tmp_path / "o" / "d", "--do", "lint")
    assert (code, json.loads(output)["read"], problems.splitlines()) == (
        2,
        1,
        [
            f"cogwire: {folder}/0.parquet: there are 2 columns 'text'; rename all but one of them",
            f"cogwire: {folder}/1.parquet: the column 'text' contains int64, not string or binary",
        ],
    )
    for command in (("mask",), ("view",), ("convert", "--from", "xml-json", "--to", "hermes")):
        code, _, problems = cogwire_(*command, folder / "0.parquet")
        assert (code, "there are 2 columns 'text'" in problems) == (2, True)
    code, output, _ = cogwire_("mask", folder / "1.parquet")
    refused = [json.loads(line)["refused"] for line in output.splitlines()]
    assert (code, refused) == (2, ["not-text", "no-text"])
    code, _, problems = cogwire_(
        "bulk", source, tmp_path / "o" / "c", "--do", "lint", "--column", "x"
    )
    assert (code, "'x'" in problems and "id, dialect, text" in problems) == (2, True)


@pytest.mark.parametrize(
    "wrong",
    [
        *(("--do", "convert"), ("--do", "lint", "--to", "delimiter")),
        *(
            ("--do", "mask"),
            ("--do", "lint", "--keep", "row"),
            ("--do", "spans", "--skip", "think"),
        ),
        # This folder has no tokenizer.
        ("--do", "mask", "--tokenizer", "."),
    ],
)
def test_wrong_usage(source, tmp_path, wrong):
    assert cogwire_("bulk", source, tmp_path / "out", *wrong)[0] == 2
    assert not (tmp_path / "out").exists()


def test_memory_does_not_grow_with_the_input(table, tmp_path):
    """Four times as many rows, in one group of them, take hardly more."""
    peaks = []
    for times in (4, 16):
        source = tmp_path / f"{times}.parquet"
        parquet.write_table(pa.concat_tables([table] * times), source)
        code = (
            "import resource, sys; from cogwire_kit.__main__ import main\n"
            "try: main()\n"
            "finally: print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
        )
        arguments = ["bulk", source, tmp_path / f"out{times}", "--do", "lint", "--processes", 1]
        done = subprocess.run(
            [sys.executable, "-c", code, *map(str, arguments)],
            capture_output=True,
            check=False,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        peaks.append(int(done.stderr.split()[-1]))
    assert peaks[1] < 1.2 * peaks[0]


def test_ctrl_c_waits_for_nothing_that_is_at_work():
    def tasks():
        yield 0, (3600,)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(unordered(1, time.sleep, tasks()))


def test_an_exception_of_a_task_is_raised_with_its_place():
    tasks = [("a", ("1",)), ("b", ("x",))]
    with pytest.raises(ValueError, match="invalid literal") as raised:
        list(unordered(1, int, tasks))
    assert "in _outcome" in str(raised.value.__cause__)
