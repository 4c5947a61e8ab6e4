"""The formats that models write, on the command line: by a name, an alias, or a file."""

import json

import pytest

import cogwire
from cogwire.tooling import format_names
from cogwire_kit.texts.dialects import chosen_dialect
from tests.kit.cli.running import cogwire_, output_of, stored
from tests.rows import rows

TURN = 'Hi.\n<mine>{"name": "ls", "arguments": {}}</mine>'
MINE = {"name": "mine", "call": ["<mine>", "</mine>"], "payload": {"kind": "object"}}
EVENTS = [
    {"type": "respond", "content": "Hi."},
    {"type": "call", "content": '{"name": "ls", "args": {}}'},
    {"type": "execute"},
]


@pytest.fixture
def mine(tmp_path):
    """Return a file with a description."""
    return stored(tmp_path / "my.json", MINE)


@pytest.fixture
def turn(tmp_path):
    """Return a file with a turn in the described format."""
    return stored(tmp_path / "turn.txt", TURN)


# --- Lists ------------------------------------------------------------------------------------


def test_the_list_names_each_format_and_its_models():
    output = output_of("format", "list")
    names = [line.split()[0] for line in output.splitlines() if not line.startswith(" ")]
    assert names == sorted(format_names())
    assert "Qwen3-Coder" in output
    assert max(map(len, output.splitlines())) <= 100


def test_the_list_for_programs():
    code, output, _ = cogwire_("format", "list", "--json")
    found = {each["name"]: each for each in json.loads(output)}
    assert code == 0
    assert sorted(found) == sorted(format_names())
    assert found["kimi-k2"]["aliases"] == ["kimi_k2", "kimik2"]
    assert found["kimi-k2"]["result"] is False


@rows("name", list(format_names()))
def test_a_format_is_shown(name):
    output = output_of("format", "show", name)
    assert output.startswith(f"name        {name}\n")
    assert "a.txt" in output


def test_the_description_is_a_file_that_is_accepted(tmp_path):
    code, output, _ = cogwire_("format", "show", "qwen3_coder", "--json")
    assert code == 0
    form = cogwire.Format.from_json(json.loads(output))
    assert form == cogwire.format_named("qwen3-coder").format
    file = stored(tmp_path / "same.json", output)
    assert cogwire_("format", "show", file, "--json")[1] == output


@rows(
    "name, problem",
    [
        ("qwen3", None),
        ("llama3", None),
        ("seed-os", "did you mean seed-oss?"),
        ("xml-json", "xml-json is a dialect of the protocol"),
        ("nowhere.json", "nowhere.json: No such file or directory; a dialect is a name or a file"),
    ],
)
def test_the_description_of_a_name(name, problem):
    code, _, problems = cogwire_("format", "show", name, "--json")
    assert code == (2 if problem else 0)
    assert (problem or "") in problems


# --- Wherever a dialect is --------------------------------------------------------------------


@rows("command", ["parse", "lint", "mask"])
def test_a_command_reads_a_described_format(command, mine, turn):
    output = output_of(command, "--dialect", mine, turn)
    if command == "parse":
        assert [json.loads(line) for line in output.splitlines()] == EVENTS
    if command == "mask":
        assert json.loads(output)["dialect"] == "mine"


def test_a_page_of_a_described_format(mine, turn, tmp_path):
    page = tmp_path / "page.html"
    assert cogwire_("view", "--dialect", mine, turn, "-o", page)[0] == 0
    assert "mine" in page.read_text("utf-8")


def test_conversion_from_and_to_a_described_format(mine, turn):
    output = output_of("convert", "--from", mine, "--to", "hermes", turn)
    assert '<tool_call>\n{"name": "ls", "arguments": {}}\n</tool_call>' in output
    code, back, _ = cogwire_("convert", "--from", "qwen3", "--to", mine, stdin=output.encode())
    assert code == 0
    assert '<mine>{"name": "ls", "arguments": {}}</mine>' in back


def test_an_alias_is_the_name_of_a_format():
    text = cogwire.render_calls([{"name": "ls", "args": {}}], "kimi-k2")
    code, output, _ = cogwire_("parse", "--dialect", "kimi_k2", stdin=text.encode())
    assert code == 0
    assert [json.loads(line)["type"] for line in output.splitlines()] == ["call", "execute"]


def test_tools_check_the_calls_of_a_described_format(mine, turn, tmp_path):
    tools = stored(tmp_path / "tools.json", '[{"name": "read", "parameters": {}}]')
    code, output, _ = cogwire_("lint", "--dialect", mine, "--tools", tools, turn)
    assert code == 1
    assert "unknown-tool" in output
    code, output, _ = cogwire_("grammar", "--format", "lark", "--dialect", mine, tools)
    assert code == 0
    assert '"</mine>"' in output


@rows(
    "text, problem",
    [
        (None, "No such file or directory; a dialect is a name or a file with a description"),
        ("{", "this is not JSON: "),
        ('{"name": "a", "name": "b"}', "an object has the member 'name' twice; keep one of them"),
        ("[]", "the description: must be an object"),
        ('{"name": 1}', "the description: 'call' is missing"),
        (
            '{"name": "a", "call": ["<a>", "</a>"], "payload": {}}',
            "/payload/kind: must be one of object",
        ),
        (json.dumps({**MINE, "name": "hermes"}), "/name: 'hermes' is the name of another format"),
        (json.dumps({**MINE, "name": "qwen3"}), "/name: 'qwen3' is the name of another format"),
    ],
)
def test_a_file_that_is_no_description(text, problem, tmp_path):
    file = tmp_path / "my.json"
    if text is not None:
        file.write_text(text, "utf-8")
    code, _, problems = cogwire_("parse", "--dialect", file)
    assert code == 2
    assert f"Invalid value for '--dialect': {file}: {problem}" in " ".join(problems.split())
    assert ("auto is accepted" in problems) is (text is None)


def test_a_description_has_a_name_that_ends_in_json(tmp_path, monkeypatch):
    (tmp_path / "my.txt").write_text(json.dumps(MINE), "utf-8")
    monkeypatch.chdir(tmp_path)
    assert chosen_dialect("./my.txt") == MINE["name"]
    with pytest.raises(
        ValueError, match=r"a file whose name does not end in \.json is given as \./my"
    ):
        chosen_dialect("my.txt")


def test_an_unknown_name_suggests_others():
    code, _, problems = cogwire_("parse", "--dialect", "deepseek-v31")
    assert code == 2
    assert "did you mean deepseek-v3.1" in problems


def test_a_format_without_results_has_no_transcripts(mine):
    code, _, problems = cogwire_("parse", "--mode", "transcript", "--dialect", mine)
    assert code == 2
    assert "mine has no results, so it has no transcripts: read turns" in problems


# --- Detection --------------------------------------------------------------------------------


def test_the_format_of_a_model():
    code, output, _ = cogwire_("detect", "--model", "Qwen/Qwen3-8B")
    assert (code, output) == (0, "hermes: a model called 'Qwen/Qwen3-8B' writes hermes\n")
    code, output, _ = cogwire_("detect", "--model", "gpt-2", "--format", "jsonl")
    assert code == 1
    assert json.loads(output)["candidates"] == []
    code, output, _ = cogwire_("detect", "--model", "gpt-2")
    assert (code, "; --template FILE finds the format" in output) == (1, True)


def test_the_format_of_a_text_of_a_model(tmp_path):
    text = cogwire.render_calls([{"name": "ls", "args": {}}], "hermes")
    file = stored(tmp_path / "turn.txt", text)
    code, output, _ = cogwire_("detect", "--model", "Qwen/Qwen3-8B", file)
    assert code == 0
    assert output.startswith(f"{file}: hermes: ")
    assert output.endswith("the text is read best as hermes or ernie-4.5\n")


MARKED = (
    "{% for message in messages %}{{ message.content }}{% for call in message.tool_calls or [] %}"
    "<|tool_call_start|>{{ call.function | tojson }}<|tool_call_end|>{% endfor %}{% endfor %}"
)


@rows(
    "name, text, found",
    [
        ("t.jinja", "<tool_call> </tool_call>", "hermes"),
        ("t.json", '{"chat_template": "<tool_call> </tool_call>"}', "hermes"),
        ("t.json", '{"chat_template": [{"name": "default", "template": "x"}]}', ""),
        (
            "t.json",
            '{"chat_template": [{"name": "x"}, {"name": "tool_use", "template": "<TOOLCALL> </TOOLCALL>"}]}',
            "nemotron",
        ),
        # It has the markers of lfm2, and writes other calls between them.
        ("t.jinja", MARKED, ""),
        ("t.json", "{}", None),
        ("t.json", "[]", None),
        ("t.json", "{", None),
    ],
)
def test_the_format_of_a_chat_template(name, text, found, tmp_path):
    file = stored(tmp_path / name, text)
    code, output, problems = cogwire_("detect", "--template", file, "--format", "jsonl")
    assert code == (2 if found is None else 0 if found else 1)
    if found is None:
        assert problems.startswith(f"cogwire: {file}: ")
    else:
        assert json.loads(output)["dialect"] == (found or None)
