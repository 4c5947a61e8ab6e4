"""Descriptions as Hugging Face writes them: what is written is read back, and what cannot be said is named."""

import json

import pytest

import cogwire
from cogwire_kit.conformance import corpus
from cogwire_kit.templates import response
from cogwire_kit.texts.dialects import described
from tests.kit.cli.running import cogwire_
from tests.rows import rows

#: Formats that no response template can express.
UNWRITTEN = {
    **dict.fromkeys(
        ("llama3-json", "xlam"), "calls without a marker cannot be distinguished from prose"
    ),
    "minimax-m1": "several objects in a section have no marker of a call",
    "functionary-v3.2": "a header that is a tool's name looks like prose",
    **dict.fromkeys(
        (
            *("apertus", "dsml", "deepseek-v4.1", "gigachat-3.5", "kimi-k3", "minimax-m3"),
            *("gemma-4", "functiongemma", "lfm2", "llama4-pythonic", "minicpm3", "olmo-3"),
            *("smolagents", "mini-swe-agent", "xlam-1"),
        ),
        "no content parser of a response template reads such calls",
    ),
}
#: Formats that differ in what no response template says: results, ignored markers, the white space.
ALIKE = ("hermes", "ernie-4.5"), ("jamba", "hunyuan-a13b")
WRITTEN = [each.name for each in cogwire.formats() if each.name not in UNWRITTEN]
(TEMPLATES,) = corpus.array(corpus.PLACE / "texts" / "templates.json")
DESCRIBED = [(described(form, "mine"), reason) for form, reason in TEMPLATES["described"]]
CALL = {"type": "function", "function": {"name": "{content.tool}", "arguments": "{content.input}"}}
FIELDS = {
    "thinking": {"open": "<t>", "close": "</t>"},
    "content": {},
    "tool_calls": {
        "open": "<c>",
        "close": "</c>",
        "repeats": True,
        "content": "json",
        "transform": CALL,
    },
}


def calls(**members):
    """Return a template whose calls have other members."""
    given = {**FIELDS["tool_calls"], **members}
    kept = {name: value for name, value in given.items() if value is not None}
    return {"fields": {**FIELDS, "tool_calls": kept}}


@rows("name", WRITTEN)
def test_a_written_template_is_read_as_its_format(name):
    template = response.written(name)
    found, unsaid = response.read(json.loads(json.dumps(template)), "mine")
    alike = next((each for each in ALIKE if name in each), (name,))
    assert found == cogwire.format_named(alike[0]).format
    assert [each.partition(" have")[0] for each in unsaid] == (
        [f"/fields/tool_calls: {' and '.join(alike)}"] if len(alike) > 1 else []
    )


def test_a_known_format_with_another_think():
    fields = response.written("kimi-k2")["fields"]
    found, unsaid = response.read({"fields": {**fields, "thinking": FIELDS["thinking"]}}, "mine")
    known = cogwire.format_named("kimi-k2").format.to_json()
    assert found.to_json() == {**known, "name": "mine", "think": ["<t>", "</t>"]}
    assert unsaid == []


@rows("name, reason", [*UNWRITTEN.items(), *(row for row in DESCRIBED if row[1])])
def test_what_no_template_can_express(name, reason):
    with pytest.raises(ValueError, match=f"^{name}: {reason}$"):
        response.written(name)


def test_a_template_of_the_protocol_and_of_json():
    template = response.written("xml-json", "<|bot|>")
    assert template["start_anchor"] == "<|bot|>"
    assert template["fields"]["tool_calls"] == {
        "open": "<execute>",
        "close": "</execute>",
        "content": "json",
        "transform_each": True,
        "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{args}"}},
    }
    found, unsaid = response.read(template, "mine")
    assert unsaid == []
    assert found.to_json() == {
        "name": "mine",
        "call": ["<execute>", "</execute>"],
        "payload": {"kind": "array", "args": "args"},
    }
    found, unsaid = response.read(calls(), "mine")
    assert unsaid == []
    assert found.to_json() == {
        "name": "mine",
        "call": ["<c>", "</c>"],
        "payload": {"kind": "object", "name": "tool", "args": "input"},
        "think": ["<t>", "</t>"],
    }
    each = {"name": "{a}", "arguments": "{b}"}
    found, _ = response.read(calls(transform_each=True, transform=each), "mine")
    assert found.to_json()["payload"] == {"kind": "array", "name": "a", "args": "b"}


@rows(
    "template, problem",
    [
        ([], "/fields: must be an object"),
        ({"fields": {}}, "/fields/tool_calls: must describe calls"),
        (calls(open=None, open_pattern="<c>+"), "/fields/tool_calls/open_pattern: a description"),
        (calls(open=None), "/fields/tool_calls/open: calls without a marker"),
        (calls(content="kv-lines"), "/fields/tool_calls/content: only json"),
        (calls(content_args={"unquoted_keys": True}), "/fields/tool_calls/content_args: JSON has"),
        (calls(transform=None), "/fields/tool_calls/transform: it has to place"),
        (calls(transform={"function": {"name": "a"}}), "/fields/tool_calls/transform: it has"),
        (calls(open="<t>"), "the template: the description: "),
    ],
)
def test_what_cannot_be_said(template, problem):
    found, unsaid = response.read(template, "mine")
    assert found is None
    assert unsaid[0].startswith(problem)


def test_other_fields_are_left_out():
    given = calls()
    given["fields"]["audio"] = {"open": "<a>"}
    found, unsaid = response.read(given, "mine")
    assert found is not None
    assert unsaid == ["/fields/audio: a description has only thinking, content and tool_calls"]


# --- The command line -------------------------------------------------------------------------


def test_from_and_to_on_the_command_line(tmp_path):
    arguments = ("format", "to", "response-template", "--anchor", "<|im_start|>assistant\n")
    code, template, problems = cogwire_(*arguments, "qwen3_coder")
    assert (code, problems) == (0, "")
    assumed = cogwire_(*arguments[:3], "qwen3_coder")
    assert assumed[:2] == (0, template)
    assert assumed[2].startswith(
        'cogwire: start_anchor is "<|im_start|>assistant\\n", as in ChatML'
    )
    file = tmp_path / "tokenizer_config.json"
    file.write_text(json.dumps({"response_template": json.loads(template)}), "utf-8")
    code, output, problems = cogwire_("format", "from", file)
    assert (code, problems) == (0, "")
    form = cogwire.Format.from_json(json.loads(output))
    assert form == cogwire.format_named("qwen3-coder").format
    described = tmp_path / "my.json"
    described.write_text(json.dumps({**form.to_json(), "name": "mine"}), "utf-8")
    assert cogwire_(*arguments, described) == (0, template, "")
    code, served, _ = cogwire_(*arguments, "qwen3_coder", "--for-server")
    expected = json.loads(template)
    del expected["fields"]["content"]["join"]
    assert (code, json.loads(served)) == (0, expected)
    code, _, problems = cogwire_("format", "to", "response-template", "llama3")
    assert (code, problems.startswith("cogwire: llama3")) == (2, True)


@rows(
    "config, code, problem",
    [
        ({"response_template": calls()}, 0, ""),
        (
            {"response_template": {"fields": {**FIELDS, "audio": {}}}},
            1,
            "/response_template/fields/audio: a description has only",
        ),
        (
            {"response_template": {"fields": {}}},
            2,
            "/response_template/fields/tool_calls: must describe calls",
        ),
        ({"chat_template": "<TOOLCALL> </TOOLCALL>"}, 0, ""),
        ({"chat_template": "x"}, 2, "writes no known format; describe it: "),
        (
            {},
            2,
            "/chat_template: there is no chat template here, and no chat_template.jinja beside it",
        ),
    ],
)
def test_a_tokenizer_s_configuration(config, code, problem, tmp_path):
    file = tmp_path / "tokenizer_config.json"
    file.write_text(json.dumps(config), "utf-8")
    found, output, problems = cogwire_("format", "from", file, "--name", "my-own")
    assert found == code
    assert problem in problems
    if code < 2:
        assert json.loads(output)["name"] in ("my-own", "nemotron")


def test_a_chat_template_alone(tmp_path):
    file = tmp_path / "chat_template.jinja"
    file.write_text("<TOOLCALL> </TOOLCALL>", "utf-8")
    (tmp_path / "tokenizer_config.json").write_text("{}", "utf-8")
    for path in (file, tmp_path, tmp_path / "tokenizer_config.json"):
        code, output, _ = cogwire_("format", "from", path)
        assert (code, json.loads(output)["name"]) == (0, "nemotron")


def test_a_configuration_that_is_not_json(tmp_path):
    file = tmp_path / "tokenizer_config.json"
    file.write_text("{", "utf-8")
    code, _, problems = cogwire_("format", "from", file)
    assert (code, problems.startswith(f"cogwire: {file}: this is not JSON")) == (2, True)
