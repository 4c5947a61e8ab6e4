"""Every example of the documents of the line dialects and of `xml-elements`.

Placeholders such as `data`, `[tool_name]`, `{...}` and `...` stand for something, and are no examples.
"""

import asyncio
import importlib
import json

import pytest

from tests import cogwire
from tests.core.helpers import (
    bare,
    call,
    check,
    end,
    error,
    execute,
    respond,
    result,
    run,
    think,
    without,
)

aio = importlib.import_module(f"{cogwire.__name__}.aio")


def answer(*items, failed=0):
    """Give the result of these items, as the parser writes it in the line dialects."""
    return result("[\n  " + ",\n  ".join(items) + "\n]", len(items) - failed, failed)


def item(tool, content, status="success"):
    return json.dumps({"tool": tool, "status": status, "content": content}, ensure_ascii=False)


def check_transcript(text, expected, dialect, *, state="prose"):
    check(text, expected, dialect=dialect, mode="transcript", state=state)


def check_turn(text, kept, expected, dialect):
    """As a turn, `text` stops behind `kept`, which may hold an execute that waits for its boundary."""
    state = "ended" if expected[-1] == end() else "paused"
    check(text, expected, dialect=dialect, state=state, discarded=len(text) - len(kept))


def messages_of(text, dialect):
    """Return the messages that a conversation gives from storage, as role and content."""
    events = cogwire.parse_transcript(text, dialect, clock=None)
    stored = [event for event in events if cogwire.persisted(event)]
    report = []
    messages = cogwire.to_messages(stored, dialect, report=report)
    assert report == []
    return [(message["role"], message["content"]) for message in messages]


# --- The delimiter document -------------------------------------------------------------------

LISTED = '{"name": "file_list", "args": {"path": "."}}'
READ_MAIN = '{"name": "file_read", "args": {"file": "main.py"}}'
READ_CONFIG = '{"name": "file_read", "args": {"file": "config.json"}}'

PROTOCOL = """\
§think: I need to examine the code structure first
§call: {"name": "file_read", "args": {"file": "main.py"}}
§execute
§respond: Fixed the missing semicolon. Code runs correctly now.
§end
"""

SIMPLE = """\
§respond: Python is a programming language created by Guido van Rossum.
§end
"""

SINGLE = """\
§think: I should check what files exist first.
§call: {"name": "file_list", "args": {"path": "."}}
§execute
§respond: I found 3 files: main.py, config.json, README.md
§end
"""

SEQUENTIAL = """\
§call: {"name": "file_list", "args": {"path": "."}}
§execute
§call: {"name": "file_read", "args": {"file": "config.json"}}
§execute
§respond: This is a Node.js project with Express configuration.
§end
"""

DELIMITER = {
    "the protocol": (
        PROTOCOL,
        [think("I need to examine the code structure first"), call(READ_MAIN), execute()],
        [respond("Fixed the missing semicolon. Code runs correctly now."), end()],
    ),
    "a simple response": (
        SIMPLE,
        [
            respond("Python is a programming language created by Guido van Rossum."),
            end(),
        ],
        [],
    ),
    "a single tool call": (
        SINGLE,
        [think("I should check what files exist first."), call(LISTED), execute()],
        [respond("I found 3 files: main.py, config.json, README.md"), end()],
    ),
    "multiple sequential tools": (
        SEQUENTIAL,
        [call(LISTED), execute()],
        [
            call(READ_CONFIG),
            execute(),
            respond("This is a Node.js project with Express configuration."),
            end(),
        ],
    ),
}


@pytest.mark.parametrize("name", DELIMITER)
def test_delimiter_as_a_transcript(name):
    """An execute that nothing answers is no error."""
    text, first, others = DELIMITER[name]
    check_transcript(text, [*first, *others], "delimiter")


@pytest.mark.parametrize("name", DELIMITER)
def test_delimiter_as_a_turn(name):
    """The model's part ends at the first execute; what stands behind it is discarded."""
    text, first, _ = DELIMITER[name]
    marker = "§end" if first[-1] == end() else "§execute"
    check_turn(text, text[: text.index(marker) + len(marker)], first, "delimiter")


def test_delimiter_rules():
    """A call is a JSON object, needs its execute, and is content where it is no JSON."""
    valid = '{"name": "file_read", "args": {"file": "example.py"}}'
    check(f"§call: {valid}\n§execute", [call(valid), execute()], dialect="delimiter")
    check(
        f"§call: {valid}\n‸§end",
        [call(valid), error("missing-execute", calls=1), end()],
        dialect="delimiter",
    )
    check(
        "§call: {‸invalid}\n§respond: so\n§end",
        [error("json-syntax", "/0"), respond("{invalid}"), respond("so"), end()],
        dialect="delimiter",
    )
    check("§end\nmore", [end()], dialect="delimiter", state="ended", discarded=5)


def test_delimiter_event_schema():
    """The parser's events are the listed objects."""
    text = f"§think: reasoning text\n§call: {READ_MAIN}\n§respond: final response\n§execute"
    events = cogwire.parse(text, "delimiter", clock=lambda: 1234567890.0)
    assert events == [
        {"type": "think", "content": "reasoning text", "timestamp": 1234567890.0},
        {
            "type": "call",
            "content": '{"name": "file_read", "args": {"file": "main.py"}}',
            "timestamp": 1234567890.0,
        },
        {"type": "respond", "content": "final response", "timestamp": 1234567890.0},
        {"type": "execute", "timestamp": 1234567890.0},
    ]


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


def test_delimiter_storage_holds_no_delimiters():
    events = cogwire.parse(
        '§think: analyzing data\n§call: {"name": "tool"}', "delimiter", clock=None
    )
    assert events[:2] == [
        {"type": "think", "content": "analyzing data"},
        {"type": "call", "content": '{"name": "tool"}'},
    ]


def stored(outcome):
    return [
        {"type": "user", "content": "debug app.py"},
        {"type": "think", "content": "should read file"},
        {"type": "call", "content": '{"name": "file_read", "args": {}}'},
        {"type": "result", "content": json.dumps(outcome)},
        {"type": "respond", "content": "fixed the bug"},
    ]


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        ({"outcome": "Success"}, "Success"),
        ({"outcome": "Success", "content": "line 1\nline 2"}, "Success\nline 1\nline 2"),
    ],
)
def test_delimiter_storage_becomes_messages(outcome, said):
    assert cogwire.to_messages(stored(outcome), "delimiter", system="PROTOCOL + TOOLS") == [
        {"role": "system", "content": "PROTOCOL + TOOLS"},
        {"role": "user", "content": "debug app.py"},
        {
            "role": "assistant",
            "content": '§think: should read file\n§call: {"name": "file_read", "args": {}}\n§execute',
        },
        {"role": "user", "content": f"§result: {said}"},
        {"role": "assistant", "content": "§respond: fixed the bug\n§end"},
    ]


def test_delimiter_upper_storage_becomes_messages():
    """The same events, in the other dialect."""
    messages = cogwire.to_messages(stored({"outcome": "Success"}), "delimiter-upper")
    assert [message["content"] for message in messages] == [
        "debug app.py",
        '§THINK: should read file\n§CALL: {"name": "file_read", "args": {}}\n§EXECUTE',
        "[SYSTEM: Success]",
        "§RESPOND: fixed the bug\n§END",
    ]


# --- The document in upper case ---------------------------------------------------------------

UPPER_LIST = '{"name": "list", "args": {}}'
UPPER_READ = '{"name": "read", "args": {"file": "config.json"}}'

UPPER_PROTOCOL = """\
§THINK: I need to examine the code structure first
§CALL: {"name": "read", "args": {"file": "main.py"}}
§EXECUTE
[SYSTEM: Found syntax error on line 15]
§RESPOND: Fixed the missing semicolon. Code runs correctly now.
§END
"""

UPPER_SIMPLE = """\
§RESPOND: Python is a programming language created by Guido van Rossum.
§END
"""

UPPER_SINGLE = """\
§THINK: I should check what files exist first.
§CALL: {"name": "list", "args": {}}
§EXECUTE
[SYSTEM: Found 3 files: main.py, config.json, README.md]
§RESPOND: I found 3 files: main.py, config.json, README.md
§END
"""

UPPER_SEQUENTIAL = """\
§CALL: {"name": "list", "args": {}}
§EXECUTE
[SYSTEM: Found: main.py, config.json]
§CALL: {"name": "read", "args": {"file": "config.json"}}
§EXECUTE
[SYSTEM: {"debug": false, "timeout": 30}]
§RESPOND: This is a Node.js project with Express configuration.
§END
"""

UPPER = {
    "the protocol": (
        UPPER_PROTOCOL,
        [
            think("I need to examine the code structure first"),
            call('{"name": "read", "args": {"file": "main.py"}}'),
            execute(),
        ],
        [
            answer(item("read", "Found syntax error on line 15")),
            respond("Fixed the missing semicolon. Code runs correctly now."),
            end(),
        ],
    ),
    "a simple response": (
        UPPER_SIMPLE,
        [
            respond("Python is a programming language created by Guido van Rossum."),
            end(),
        ],
        [],
    ),
    "a single tool call": (
        UPPER_SINGLE,
        [think("I should check what files exist first."), call(UPPER_LIST), execute()],
        [
            answer(item("list", "Found 3 files: main.py, config.json, README.md")),
            respond("I found 3 files: main.py, config.json, README.md"),
            end(),
        ],
    ),
    "multiple sequential tools": (
        UPPER_SEQUENTIAL,
        [call(UPPER_LIST), execute()],
        [
            answer(item("list", "Found: main.py, config.json")),
            call(UPPER_READ),
            execute(),
            answer(item("read", {"debug": False, "timeout": 30})),
            respond("This is a Node.js project with Express configuration."),
            end(),
        ],
    ),
}


@pytest.mark.parametrize("name", UPPER)
def test_delimiter_upper_as_a_transcript(name):
    text, first, others = UPPER[name]
    check_transcript(text, [*first, *others], "delimiter-upper")


@pytest.mark.parametrize("name", UPPER)
def test_delimiter_upper_as_a_turn(name):
    text, first, _ = UPPER[name]
    marker = "§END" if first[-1] == end() else "§EXECUTE"
    check_turn(text, text[: text.index(marker) + len(marker)], first, "delimiter-upper")


@pytest.mark.parametrize("name", UPPER)
def test_delimiter_upper_becomes_messages(name):
    """The messages of a conversation, joined, are its text."""
    text, _, _ = UPPER[name]
    messages = messages_of(text, "delimiter-upper")
    assert "\n".join(content for _, content in messages) == text.strip()
    assert messages[-1][0] == "assistant"


def test_delimiter_upper_messages_to_the_letter():
    assert messages_of(UPPER_SEQUENTIAL, "delimiter-upper") == [
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
    events = [*parser.feed(first), *parser.close()]
    parser.next_turn()
    events += [*parser.feed("§RESPOND: final response\n§END"), *parser.close()]
    listed = [
        {"type": "think", "content": "reasoning text", "timestamp": 1234567890.0},
        {"type": "call", "content": '{"name": "tool"}', "timestamp": 1234567890.0},
        {"type": "execute", "content": "", "timestamp": 1234567890.0},
        {"type": "respond", "content": "final response", "timestamp": 1234567890.0},
        {"type": "end", "content": "", "timestamp": 1234567890.0},
    ]
    assert cogwire.read_events(listed) == events


def test_delimiter_upper_rules():
    """As those of the other document."""
    check(
        "§CALL: {‸invalid}\n§EXECUTE",
        [error("json-syntax", "/0"), respond("{invalid}")],
        dialect="delimiter-upper",
        state="paused",
    )
    check("§END\nmore", [end()], dialect="delimiter-upper", state="ended", discarded=5)


# --- The document of elements -----------------------------------------------------------------


def tool(name, **args):
    return call(json.dumps({"name": name, "args": args}))


def test_elements_think():
    check("<think>[any text]</think>", [think("[any text]")], dialect="xml-elements")


EXECUTE_TEMPLATE = """\
<execute>
  <‸[tool_name]>
    <[arg_name]>[value]</[arg_name]>
  </[tool_name]>
</execute>"""

RESULTS_TEMPLATE = """\
<results>
[
  {"tool": "name", "status": "success", "content": ‸data},
  {"tool": "name", "status": "failure", "content": "error message"}
]
</results>"""


def test_elements_templates_are_no_examples():
    """Their placeholders are neither names nor JSON."""
    check(EXECUTE_TEMPLATE, [error("xml-syntax")], dialect="xml-elements", state="paused")
    calls = "<execute><name/><name/></execute>\n"
    expected = [tool("name"), tool("name"), execute(), error("results-shape", "/0/content")]
    check_transcript(calls + RESULTS_TEMPLATE, expected, "xml-elements")


WRITE_THEN_READ = """\
<execute>
  <write><file>a.txt</file><content>x</content></write>
  <read><file>a.txt</file></read>
</execute>"""

THREE_READS = """\
<execute>
  <read><file>a.txt</file></read>
  <read><file>b.txt</file></read>
  <read><file>c.txt</file></read>
</execute>

<results>
[
  {"tool": "read", "status": "success", "content": "a"},
  {"tool": "read", "status": "success", "content": "b"},
  {"tool": "read", "status": "success", "content": "c"}
]
</results>"""

MIXED = """\
<results>
[
  {"tool": "read", "status": "success", "content": "data"},
  {"tool": "write", "status": "failure", "content": "Permission denied"},
  {"tool": "read", "status": "success", "content": "data"}
]
</results>"""


def array_of(text):
    """Return what stands between the results markers."""
    return text[text.index("<results>\n") + len("<results>\n") : text.index("\n</results>")]


def test_elements_sequential():
    expected = [tool("write", file="a.txt", content="x"), tool("read", file="a.txt"), execute()]
    check(WRITE_THEN_READ, expected, dialect="xml-elements", state="paused")
    check_transcript(WRITE_THEN_READ, expected, "xml-elements")


def test_elements_duplicate_tools():
    """Position says which result is whose."""
    calls = [*(tool("read", file=f"{name}.txt") for name in "abc"), execute()]
    check_transcript(THREE_READS, [*calls, result(array_of(THREE_READS), 3)], "xml-elements")
    kept = THREE_READS[: THREE_READS.index("</execute>") + len("</execute>")]
    check_turn(THREE_READS, kept, calls, "xml-elements")


def test_elements_mixed_success_and_failure():
    calls = "<execute><read/><write/><read/></execute>\n"
    expected = [tool("read"), tool("write"), tool("read"), execute(), result(array_of(MIXED), 2, 1)]
    check_transcript(calls + MIXED, expected, "xml-elements")
    check_transcript(MIXED, [error("forged-results", offset=0)], "xml-elements")


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

FIRST_TURN = [
    think("read config, update endpoint, verify"),
    tool("read", file="config.json"),
    execute(),
]
SECOND_TURN = [
    think("writing updated config and verifying in one batch"),
    tool("write", file="config.json", content='{"api": "new.com"}'),
    tool("read", file="config.json"),
    execute(),
]
LAST_TURN = [respond("Config updated and verified.")]


def test_elements_complete_example_as_a_transcript():
    first, second = (part.split("\n</results>")[0] for part in COMPLETE.split("<results>\n")[1:])
    expected = [*FIRST_TURN, result(first, 1), *SECOND_TURN, result(second, 2), *LAST_TURN]
    check_transcript(COMPLETE, expected, "xml-elements")


def test_elements_complete_example_as_turns():
    kept = COMPLETE[: COMPLETE.index("</execute>") + len("</execute>")]
    check_turn(COMPLETE, kept, FIRST_TURN, "xml-elements")
    parts = COMPLETE.split("<results>")
    turns = [parts[0], *(part.split("</results>")[1] for part in parts[1:])]
    for text, expected in zip(turns, [FIRST_TURN, SECOND_TURN, LAST_TURN], strict=True):
        events = run([text.strip()], dialect="xml-elements").events
        assert bare(events) == expected


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
        async with asyncio.timeout(PATIENCE):
            return await aio.run(batch, tools, **options)

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
    outcomes, payload = ran(calls_of("a", "b", "x", "c", "a"), tools, dialect, timeout=0.05)
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
