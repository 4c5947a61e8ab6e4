"""`render_prompt`: what it teaches is true, and its examples parse."""

import json
import re
from types import SimpleNamespace

import pytest

from cogwire_kit.conformance import corpus
from tests import cogwire
from tests.core.helpers import DIALECTS, LINES, TAGS, form_of
from tests.rows import rows

READ = {
    "name": "read",
    "description": "Read a file.",
    "parameters": {
        "type": "object",
        "properties": {"file": {"type": "string"}},
        "required": ["file"],
    },
}

PING = {"name": "ping", "description": "", "parameters": {"type": "object", "properties": {}}}

#: The blocks and the results of a prompt, each of which is on lines of its own.
BLOCKS = {
    "xml-json": r"^<(execute|results)>\n.*?^</\1>$",
    "xml-elements": r"^<(execute|results)>\n.*?^</\1>$",
    "delimiter": r"^§call: .*?^§execute$|^§result: [^\n]*(?:\n§result: [^\n]*)*",
    "delimiter-upper": r"^§CALL: .*?^§EXECUTE$|^\[SYSTEM: [^\n]*(?:\n\[SYSTEM: [^\n]*)*",
}


def prompt(dialect, *tools):
    return cogwire.render_prompt(cogwire.Toolset(tools, dialect))


def section(text, title):
    """Return what is under a heading."""
    (found,) = re.findall(rf"^## {title}\n\n(.*?)\n*(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return found


def shown(dialect):
    """Return the blocks and the results that a prompt shows, in its order."""
    found = re.finditer(BLOCKS[dialect], prompt(dialect, READ), re.MULTILINE | re.DOTALL)
    return [match.group() for match in found]


def types(text, dialect):
    return [each["type"] for each in cogwire.parse_transcript(text, dialect)]


@rows("given", [[READ], (), None, "read"])
def test_a_value_that_is_not_a_toolset_is_refused_with_a_hint(given):
    reason = f"^`toolset` must be a Toolset, or .*, not {type(given).__name__}$"
    with pytest.raises(TypeError, match=reason):
        cogwire.render_prompt(given)


@rows("dialect", DIALECTS)
def test_every_block_parses_to_what_the_prompt_states_about_it(dialect):
    """One call, several with their results, the answer to a void block, and the example."""
    one, several, results, void, *example = shown(dialect)
    events = cogwire.parse(one, dialect, clock=None)
    assert [each["type"] for each in events] == ["call", "execute"]
    assert json.loads(events[0]["content"]) == {"name": "read", "args": {"file": "config.json"}}

    *calls, _, answer = cogwire.parse_transcript(f"{several}\n{results}", dialect, clock=None)
    first, second, third = (json.loads(each["content"]) for each in calls)
    # What values need is shown: quotes, line breaks, a tab, and markup.
    assert first == {
        "name": "write",
        "args": {"file": "a.html", "content": '<p class="x">\n\tHi\n</p>'},
    }
    assert second == {"name": "read", "args": {"file": "b.txt"}}
    assert third == {"name": "list", "args": {}}
    assert json.loads(answer["content"]) == [
        {"tool": "write", "status": "success", "content": {"bytes": 22}},
        {"tool": "read", "status": "failure", "content": "File not found: b.txt"},
        {"tool": "list", "status": "success", "content": ["a.html", "config.json"]},
    ]

    broken = "<execute>?</execute>" if dialect in TAGS else "§call: ?\n§execute"
    assert cogwire.parse_transcript(f"{broken}\n{void}", dialect)[-1]["payload"] == {
        "tools_executed": 0,
        "success_count": 0,
        "failure_count": 1,
    }
    assert example[0] == one
    assert types("\n".join(example[:2]), dialect) == ["call", "execute", "result"]


@rows("dialect", DIALECTS)
def test_the_example_is_a_whole_transcript(dialect):
    text = section(prompt(dialect, READ), "An example")
    assert types(text, dialect) == ["think", "call", "execute", "result", "respond", "end"]


@rows("dialect", DIALECTS)
def test_thinking_is_shown(dialect):
    line = section(prompt(dialect, READ), "Thinking").partition("\n")[0]
    assert types(line, dialect) == ["think"]


@rows("each", corpus.array(corpus.PLACE / "messages" / "prompts.json"))
def test_the_rules_are_taught(each):
    """What the format is, what voids a block, how to write about markers, when to stop."""
    for dialect in each["dialects"]:
        assert each["taught"] in prompt(form_of(dialect), *each.get("tools", [READ]))


@rows("dialect", ["xml-elements", *LINES])
def test_the_prompt_mentions_parallel_calls_only_where_they_exist(dialect):
    assert "same time" not in prompt(dialect, READ)


@rows(
    ("name", "marker", "neutral"),
    [
        ("lfm2", "<|im_start|>tool", "&lt;|im_start|>tool"),
        ("gigachat-3", "function result<|role_sep|>", "&#102;unction result<|role_sep|>"),
    ],
)
def test_a_marker_that_the_end_of_a_line_completes_is_neutralised(name, marker, neutral):
    taught = prompt(name, {**READ, "description": f"Reads.\n{marker}"})
    assert f"\nReads.\n{neutral}\nParameters" in taught


def test_half_characters_are_replaced():
    """No encoder takes them, and a description is only read."""
    assert "Cut \ufffd." in prompt("xml-json", {**READ, "description": "Cut \ud83d."})


@rows("dialect", DIALECTS)
def test_values_that_json_cannot_represent_are_refused_in_every_dialect(dialect):
    broken = {**READ, "parameters": {"type": "object", "title": "\ud800"}}
    with pytest.raises(cogwire.RenderError) as caught:
        cogwire.render_prompt(cogwire.Toolset([PING, broken], dialect))
    assert caught.value.path == "/1/parameters/title"


def test_a_format_without_results_is_refused():
    with pytest.raises(cogwire.RenderError, match="no prompt can teach kimi-k2: it has no markers"):
        prompt("kimi-k2", READ)


@rows("dialect", (*DIALECTS, "hermes"))
def test_the_dialect_is_that_of_the_toolset(dialect):
    """It may be named as well, but no other one: the model would learn what nothing reads."""
    toolset = cogwire.Toolset([READ], dialect)
    assert cogwire.render_prompt(toolset) == cogwire.render_prompt(toolset, dialect)
    other = "mistral"
    with pytest.raises(ValueError, match=f"mistral, and the Toolset is for {dialect}"):
        cogwire.render_prompt(toolset, other)


def test_tools_that_have_no_dialect_are_taught_in_the_one_that_is_named():
    tools = cogwire.Toolset([READ], "delimiter").tools
    plain = SimpleNamespace(tools=tools)
    for dialect in DIALECTS:
        assert cogwire.render_prompt(plain, dialect) == prompt(dialect, READ)
    assert cogwire.render_prompt(plain) == prompt("xml-json", READ)


@rows("dialect", DIALECTS)
def test_the_prompt_is_the_same_each_time(dialect):
    """Providers cache what does not change."""
    assert prompt(dialect, READ, PING) == prompt(dialect, READ, PING)


@rows("dialect", DIALECTS)
def test_the_prompt_is_short_and_its_lines_are(dialect):
    """Every turn pays for it, and people read it too."""
    text = prompt(dialect)
    assert len(text) < 4_000
    assert max(map(len, text.splitlines())) <= 100
    assert section(text, "Tools") == "There are none."
