"""Calls that are one text: the code of smolagents, and the command of mini-swe-agent."""

import pytest

from tests import cogwire
from tests.core.helpers import bare, run
from tests.core.wire.described.reading import path_refused
from tests.core.wire.trained.formats import delta
from tests.rows import rows

#: The closer counts wherever it is.
CODE = {
    "name": "smolagents",
    "call": ["<code>", "</code>"],
    "payload": {"kind": "text", "tool": "python", "arg": "code"},
}
#: The closer counts on a line of its own.
COMMAND = {
    "name": "mini-swe-agent",
    "call": ["```bash", "```"],
    "payload": {"kind": "text", "tool": "bash", "arg": "command", "margin": "\n"},
}


def test_deltas_show_what_is_certain():
    form = cogwire.Format.from_json(COMMAND)
    parser = cogwire.Parser(form, stream="token", call_deltas=True, clock=None)
    shown = {"```bash": "", "\n": '{"command": "', "l": "l", "s\n``": "s", "\nx": "\\n``\\nx"}
    for chunk, text in shown.items():
        assert parser.feed(chunk) == ([{**delta(text), "name": "bash"}] if text else [])


def test_long_texts_take_the_fast_path():
    form = cogwire.Format.from_json(COMMAND)
    text = f"```bash\n{'ls ' * 40}\n`` {'x' * 40}\n```"
    whole = bare(cogwire.parse(text, form, clock=None))
    assert [each["type"] for each in whole] == ["call", "execute"]
    for size in (2, 3, 7):
        chunks = [text[at : at + size] for at in range(0, len(text), size)]
        assert bare(run(chunks, dialect=form).events) == whole


# --- Writing ------------------------------------------------------------------------------------


@rows(
    "described, text, expected",
    [
        (CODE, "print(1)\n", "<code>print(1)\n</code>"),
        (COMMAND, "echo '```'\n", "```bash\necho '```'\n\n```"),
        (COMMAND, "", "```bash\n\n```"),
    ],
)
def test_a_call_is_written(described, text, expected):
    form = cogwire.Format.from_json(described)
    tool, arg = described["payload"]["tool"], described["payload"]["arg"]
    written = cogwire.render_calls([{"name": tool, "args": {arg: text}}], form)
    assert written == expected
    assert cogwire.parse(written, form)[1]["type"] == "execute"


@rows(
    "described, name, args, path",
    [
        (CODE, "other", {"code": ""}, "/0/name"),
        (CODE, "python", {}, "/0/args"),
        (CODE, "python", {"code": "", "x": 1}, "/0/args"),
        (CODE, "python", {"code": 1}, "/0/args/code"),
        (CODE, "python", {"code": "</code>"}, "/0/args/code"),
        (CODE, "python", {"code": "\ud800"}, "/0/args/code"),
        ({**CODE, "call": ["<code>", "aba"]}, "python", {"code": "ab"}, "/0/args/code"),
        (COMMAND, "bash", {"command": "a\n```"}, "/0/args/command"),
        (COMMAND, "bash", {"command": "```"}, "/0/args/command"),
    ],
)
def test_what_would_not_be_read_back_is_refused(described, name, args, path):
    assert path_refused([{"name": name, "args": args}], described) == path


def test_a_call_of_another_format_is_written():
    form = cogwire.Format.from_json({**COMMAND, "result": ["<r>", "</r>"]})
    text = '<execute>[{"name": "bash", "args": {"command": "l\\u0073"}}]</execute>'
    assert cogwire.convert(text, "xml-json", form) == "```bash\nls\n```"


def test_a_prompt_with_other_tools_is_refused():
    form = cogwire.Format.from_json({**CODE, "result": ["<r>", "</r>"]})
    with pytest.raises(ValueError, match="this format has one tool, 'python'"):
        cogwire.render_prompt(cogwire.Toolset([{"name": "python"}], form))
