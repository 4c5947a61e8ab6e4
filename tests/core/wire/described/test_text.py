"""Calls that are one text: the code of smolagents, and the command of mini-swe-agent."""

import pytest

from tests import cogwire
from tests.core.helpers import CARET, bare, call, error, execute, respond, run
from tests.core.wire.described.reading import check_turn, path_refused, refusal
from tests.core.wire.trained.formats import delta, turn
from tests.rows import rows

#: The closer counts wherever it is.
CODE = {
    "name": "smolagents",
    "call": ["<code>", "</code>"],
    "payload": {"kind": "text", "tool": "python", "arg": "code"},
}
CODE_TURNS = {
    "a text": turn(
        "b<code>\nprint('é')\n</code>c",
        [
            respond("b"),
            call('{"name": "python", "args": {"code": "\\nprint(\'é\')\\n"}}'),
            respond("c"),
            execute(),
        ],
    ),
    "no text": turn("<code></code>", [call('{"name": "python", "args": {"code": ""}}'), execute()]),
    "the first closer": turn(
        "<code><</code>'</code>",
        [call('{"name": "python", "args": {"code": "<"}}'), respond("'</code>"), execute()],
    ),
    "cut": turn(f"<code>a</cod{CARET}", [error("unclosed-call", "/0/args/code")], state="execute"),
    "cut at its beginning": turn(f"<code>{CARET}", [error("unclosed-call", "/0")], state="execute"),
    "a size that fits": turn(
        "<code>a</code>",
        [call('{"name": "python", "args": {"code": "a"}}'), execute()],
        limits=cogwire.Limits(size=8),
    ),
    "a size that does not": turn(
        f"<code>a</code{CARET}>b</code>c",
        [error("limit-size", "/0/args/code"), respond("c")],
        limits=cogwire.Limits(size=7),
    ),
    "a call too many": turn(
        f"<code>a</code><code>{CARET}b</code>",
        [call('{"name": "python", "args": {"code": "a"}}'), error("limit-calls", "/1", calls=1)],
        limits=cogwire.Limits(calls=1),
    ),
    "a character that is lost": turn(
        f"<code>a{CARET}\ud800</code>", [error("bad-encoding", "/0/args/code")]
    ),
}

#: The closer counts on a line of its own.
COMMAND = {
    "name": "mini-swe-agent",
    "call": ["```bash", "```"],
    "payload": {"kind": "text", "tool": "bash", "arg": "command", "margin": "\n"},
}
COMMAND_TURNS = {
    "a text": turn(
        "b\n```bash\nls\n```\n",
        [respond("b"), call('{"name": "bash", "args": {"command": "ls"}}'), execute()],
    ),
    "a closer in a line": turn(
        "```bash\necho '```' ```\n```",
        [call('{"name": "bash", "args": {"command": "echo \'```\' ```"}}'), execute()],
    ),
    "more line feeds than one": turn(
        "```bash\n\nls\n\n```",
        [call('{"name": "bash", "args": {"command": "\\nls\\n"}}'), execute()],
    ),
    "no margin before it": turn(
        "```bash ls\n```", [call('{"name": "bash", "args": {"command": " ls"}}'), execute()]
    ),
    "no text in one line feed": turn(
        "```bash\n```", [call('{"name": "bash", "args": {"command": ""}}'), execute()]
    ),
    "no text in two": turn(
        "```bash\n\n```", [call('{"name": "bash", "args": {"command": ""}}'), execute()]
    ),
    "no closer on a line": turn(
        f"```bash ls```{CARET}", [error("unclosed-call", "/0/args/command")], state="execute"
    ),
}


@rows(
    "described, row",
    [
        pytest.param(described, row, id=f"{described['name']}-{name}")
        for described, table in ((CODE, CODE_TURNS), (COMMAND, COMMAND_TURNS))
        for name, row in table.items()
    ],
)
def test_a_turn(described, row):
    check_turn(described, row)


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


@rows(
    "members, place",
    [
        ({"tool": ""}, "/payload/tool"),
        ({"tool": "execute"}, "/payload/tool"),
        ({"tool": "\ud800"}, "/payload/tool"),
        ({"tool": ["a", "b"]}, "/payload/tool"),
        ({"arg": "\ud800"}, "/payload/arg"),
        ({"arg": 1}, "/payload/arg"),
        ({"margin": "  "}, "/payload/margin"),
        ({"name": "a"}, "/payload/name"),
    ],
)
def test_a_description_is_refused(members, place):
    assert refusal({**CODE, "payload": {**CODE["payload"], **members}}).startswith(place)


@rows("closer", ["", ["</code>", "</c>"]])
def test_one_closer_is_needed(closer):
    assert refusal({**CODE, "call": ["<code>", closer]}).startswith("/call/1")
