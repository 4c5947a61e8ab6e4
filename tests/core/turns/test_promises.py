"""What the protocol's documents show and promise of conversations, storage and running."""

import asyncio
import importlib
import json

import pytest

from tests import cogwire
from tests.core.helpers import end, execute, result, without
from tests.core.parser.test_examples import MIXED, UPPER, WRITE_THEN_READ, array_of

aio = importlib.import_module(f"{cogwire.__name__}.aio")


def item(tool, content, status="success"):
    return json.dumps({"tool": tool, "status": status, "content": content}, ensure_ascii=False)


def messages_of(text, dialect):
    """Return the messages that a conversation gives from storage, as role and content."""
    events = cogwire.parse_transcript(text, dialect, clock=None)
    stored = [event for event in events if cogwire.persisted(event)]
    report = []
    messages = cogwire.to_messages(stored, dialect, report=report)
    assert report == []
    return [(message["role"], message["content"]) for message in messages]


# --- The delimiter document -------------------------------------------------------------------


CONVERSATION = [
    {"type": "user", "content": "What's in main.py?"},
    {"type": "think", "content": "I need to read the file"},
    {"type": "call", "content": '{"name": "file_read", "args": {"file": "main.py"}}'},
    {"type": "result", "payload": {"outcome": "Read 50 lines", "content": "...", "error": False}},
    {"type": "respond", "content": "The file contains a Flask app"},
    {"type": "metrics", "total": {"input": 120, "output": 80, "duration": 1.2}},
]


def test_delimiter_full_conversation():
    """The listed events are read as those of today, and give a conversation."""
    read = cogwire.read_events(CONVERSATION)
    assert read == [
        *CONVERSATION[:3],
        result(f"[{item('file_read', 'Read 50 lines' + chr(10) + '...')}]", 1),
        CONVERSATION[4],
        {"type": "metric", "total": {"input": 120, "output": 80, "duration": 1.2}},
    ]
    kept = [event["type"] for event in read if cogwire.persisted(event)]
    assert kept == ["user", "think", "call", "result", "respond"]
    assert not cogwire.persisted(execute())
    assert not cogwire.persisted(end())
    assert cogwire.to_messages(CONVERSATION, "delimiter") == [
        {"role": "user", "content": "What's in main.py?"},
        {
            "role": "assistant",
            "content": (
                "§think: I need to read the file\n"
                '§call: {"name": "file_read", "args": {"file": "main.py"}}\n§execute'
            ),
        },
        {"role": "user", "content": "§result: Read 50 lines\n..."},
        {"role": "assistant", "content": "§respond: The file contains a Flask app\n§end"},
    ]


def test_delimiter_upper_storage_becomes_messages():
    """The events that the document in lower case lists, in the other dialect."""
    stored = [
        {"type": "user", "content": "debug app.py"},
        {"type": "think", "content": "should read file"},
        {"type": "call", "content": '{"name": "file_read", "args": {}}'},
        {"type": "result", "content": '{"outcome": "Success"}'},
        {"type": "respond", "content": "fixed the bug"},
    ]
    messages = cogwire.to_messages(stored, "delimiter-upper")
    assert [message["content"] for message in messages] == [
        "debug app.py",
        '§THINK: should read file\n§CALL: {"name": "file_read", "args": {}}\n§EXECUTE',
        "[SYSTEM: Success]",
        "§RESPOND: fixed the bug\n§END",
    ]


# --- The document in upper case ---------------------------------------------------------------


@pytest.mark.parametrize("name", UPPER)
def test_delimiter_upper_becomes_messages(name):
    """The messages of a conversation, joined, are its text."""
    text = UPPER[name][0]
    messages = messages_of(text, "delimiter-upper")
    assert "\n".join(content for _, content in messages) == text.strip()
    assert messages[-1][0] == "assistant"


def test_delimiter_upper_messages_to_the_letter():
    assert messages_of(UPPER["calls one after the other"][0], "delimiter-upper") == [
        ("assistant", '§CALL: {"name": "list", "args": {}}\n§EXECUTE'),
        ("user", "[SYSTEM: Found: main.py, config.json]"),
        ("assistant", '§CALL: {"name": "read", "args": {"file": "config.json"}}\n§EXECUTE'),
        ("user", '[SYSTEM: {"debug": false, "timeout": 30}]'),
        ("assistant", "§RESPOND: This is a Node.js project with Express configuration.\n§END"),
    ]


def test_delimiter_upper_parser_events():
    """As listed, but that `execute` and `end` need no content; the listing's are read as these."""
    first = '§THINK: reasoning text\n§CALL: {"name": "tool"}\n§EXECUTE'
    parser = cogwire.Parser("delimiter-upper", clock=lambda: 1234567890.0)
    events = [*parser.feed(first), *parser.close(finished=True)]
    parser.next_turn()
    events += [*parser.feed("§RESPOND: final response\n§END"), *parser.close(finished=True)]
    listed = [
        {"type": "think", "content": "reasoning text", "timestamp": 1234567890.0},
        {"type": "call", "content": '{"name": "tool"}', "timestamp": 1234567890.0},
        {"type": "execute", "content": "", "timestamp": 1234567890.0},
        {"type": "respond", "content": "final response", "timestamp": 1234567890.0},
        {"type": "end", "content": "", "timestamp": 1234567890.0},
    ]
    assert cogwire.read_events(listed) == events


# --- The document of elements -----------------------------------------------------------------


COMPLETE = """\
<think>read config, update endpoint, verify</think>

<execute>
  <read><file>config.json</file></read>
</execute>

<results>
[{"tool": "read", "status": "success", "content": {"api": "old.com"}}]
</results>

<think>writing updated config and verifying in one batch</think>

<execute>
  <write><file>config.json</file><content>{"api": "new.com"}</content></write>
  <read><file>config.json</file></read>
</execute>

<results>
[
  {"tool": "write", "status": "success", "content": {"bytes": 22}},
  {"tool": "read", "status": "success", "content": {"api": "new.com"}}
]
</results>

Config updated and verified.
"""


def test_elements_complete_example_becomes_messages():
    """Its own text, cut where the roles change."""
    messages = messages_of(COMPLETE, "xml-elements")
    assert [role for role, _ in messages] == ["assistant", "user", "assistant", "user", "assistant"]
    assert "\n\n".join(content for _, content in messages) == COMPLETE.strip()


def test_elements_complete_example_is_written():
    """Rendered events are their text, and read back the same; but results keep their own lines."""
    events = cogwire.parse_transcript(COMPLETE, "xml-elements", clock=None)
    assert cogwire.render_events(events, "xml-elements") == COMPLETE.strip()


# --- The guarantees ---------------------------------------------------------------------------

TOOLS = cogwire.Toolset(
    [
        {
            "name": "write",
            "parameters": {
                "type": "object",
                "properties": {"file": {"type": "string"}, "content": {"type": "string"}},
                "required": ["file", "content"],
                "additionalProperties": False,
            },
        },
        {
            "name": "read",
            "parameters": {
                "type": "object",
                "properties": {"file": {"type": "string"}, "lines": {"type": "integer"}},
                "required": ["file"],
                "additionalProperties": False,
            },
        },
    ],
    dialect="xml-elements",
)
#: The dialects whose calls run one after the other.
SEQUENTIAL_DIALECTS = ("xml-elements", "delimiter", "delimiter-upper")
#: How long a test waits for what must happen, before it fails.
PATIENCE = 30


def ran(calls, tools, dialect="xml-elements", **options):
    """Write, parse and run a block of `calls`; give the outcomes and the payload."""
    batch = cogwire.Batch(dialect, clock=None)
    for event in cogwire.parse(cogwire.render_calls(calls, dialect), dialect, clock=None):
        batch.take(event)

    async def main():
        return await asyncio.wait_for(aio.run(batch, tools, **options), PATIENCE)

    event = asyncio.run(main())
    assert [one["tool"] for one in json.loads(event["content"])] == [one["name"] for one in calls]
    outcomes = [(one["status"], one["content"]) for one in json.loads(event["content"])]
    return outcomes, event["payload"]


def calls_of(*names):
    return [{"name": name, "args": {}} for name in names]


class Workshop:
    """Tools that note when they begin and end; a later one sleeps less than an earlier one."""

    def __init__(self):
        self.log = []

    def tool(self, name, seconds, failure=None):
        async def work():
            self.log.append(f"{name} begins")
            await asyncio.sleep(seconds)
            self.log.append(f"{name} ends")
            if failure:
                raise failure
            return name

        return work


@pytest.mark.parametrize("dialect", SEQUENTIAL_DIALECTS)
def test_one_completes_before_the_next_starts(dialect):
    """Run together, the sleeps would overlap and end in the other order."""
    shop = Workshop()
    tools = {"a": shop.tool("a", 0.03), "b": shop.tool("b", 0.01), "c": shop.tool("c", 0)}
    outcomes, _ = ran(calls_of("a", "b", "c"), tools, dialect)
    assert shop.log == ["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]
    assert outcomes == [("success", "a"), ("success", "b"), ("success", "c")]
    assert not cogwire.Batch(dialect).parallel


def test_the_canonical_dialect_runs_them_together():
    shop = Workshop()
    tools = {"a": shop.tool("a", 0.03), "b": shop.tool("b", 0)}
    outcomes, _ = ran(calls_of("a", "b"), tools, "xml-json")
    assert shop.log == ["a begins", "b begins", "b ends", "a ends"]
    assert outcomes == [("success", "a"), ("success", "b")]


@pytest.mark.parametrize("dialect", SEQUENTIAL_DIALECTS)
def test_all_tools_execute_regardless_of_errors(dialect):
    """An exception, a time-out and an unknown tool are failures of their calls alone."""
    shop = Workshop()
    tools = {
        "a": shop.tool("a", 0, OSError("Permission denied")),
        "b": shop.tool("b", PATIENCE),
        "c": shop.tool("c", 0),
    }
    outcomes, payload = ran(calls_of("a", "b", "x", "c", "a"), tools, dialect, timeout=0.5)
    assert shop.log == [
        *("a begins", "a ends"),
        "b begins",
        *("c begins", "c ends"),
        *("a begins", "a ends"),
    ]
    assert [status for status, _ in outcomes] == [
        *("failure", "failure", "failure", "success", "failure"),
    ]
    assert outcomes[0] == ("failure", "OSError: Permission denied")
    assert outcomes[3] == ("success", "c")
    assert payload == {"tools_executed": 5, "success_count": 1, "failure_count": 4}


def test_a_call_that_depends_on_the_one_before_it():
    """Write completes, then read executes."""
    files = {}

    async def write(file, content):
        await asyncio.sleep(0.01)
        files[file] = content
        return {"bytes": len(content)}

    def read(file):
        return files[file]

    batch = cogwire.Batch("xml-elements", clock=None)
    for event in cogwire.parse(WRITE_THEN_READ, "xml-elements", clock=None):
        batch.take(event)
    event = asyncio.run(aio.run(batch, {"write": write, "read": read}, toolset=TOOLS))
    assert event == {
        "type": "result",
        "content": (
            '[\n  {"tool": "write", "status": "success", "content": {"bytes": 1}},\n'
            '  {"tool": "read", "status": "success", "content": "x"}\n]'
        ),
        "payload": {"tools_executed": 2, "success_count": 2, "failure_count": 0},
    }


def test_calls_are_validated_before_they_run():
    """The name of the tool, the names of the arguments, their values; what is wrong runs nothing."""
    seen = []
    tools = {
        "write": lambda **args: seen.append(("write", args)),
        "read": lambda **args: seen.append(("read", args)),
        "remove": lambda **args: seen.append(("remove", args)),
    }
    calls = [
        {"name": "remove", "args": {"file": "a"}},
        {"name": "write", "args": {"path": "a", "content": "x"}},
        {"name": "read", "args": {"file": "a", "lines": "many"}},
        {"name": "read", "args": {"file": "a", "lines": "3"}},
    ]
    outcomes, payload = ran(calls, tools, toolset=TOOLS)
    assert seen == [("read", {"file": "a", "lines": 3})]
    assert [status for status, _ in outcomes] == ["failure", "failure", "failure", "success"]
    assert "remove" in outcomes[0][1]
    assert "path" in outcomes[1][1]
    assert "lines" in outcomes[2][1]
    assert payload == {"tools_executed": 4, "success_count": 1, "failure_count": 3}


@pytest.mark.parametrize("dialect", SEQUENTIAL_DIALECTS)
def test_all_results_are_returned_in_order(dialect):
    """However the outcomes come in, and whatever they are."""
    calls = calls_of("read", "write", "read")
    batch = cogwire.Batch(dialect, clock=None)
    for event in cogwire.parse(cogwire.render_calls(calls, dialect), dialect, clock=None):
        batch.take(event)
    assert batch.settle(2, "success", "data") == []
    assert batch.settle(1, "failure", "Permission denied") == []
    [event] = batch.settle(0, "success", "data")
    assert event["content"] == array_of(MIXED)
    text = cogwire.render_results(json.loads(event["content"]), dialect)
    whole = f"{cogwire.render_calls(calls, dialect)}\n{text}"
    *_, read_back = cogwire.parse_transcript(whole, dialect, clock=None)
    assert without([read_back], "raw") == [event]
