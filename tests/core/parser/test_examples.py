"""The examples of the protocol's documents, as a turn and as a transcript.

Those that the corpus has are run from there.  Placeholders such as `data`, `[tool_name]`, `{...}`
and `...` are placeholders, and not examples.
"""

import re

import pytest

from tests import cogwire
from tests.core.wire.tables import check_briefly, read_outcome

#: How a turn stops.
STOP = re.compile("</execute>|<results>|§execute|§end", re.IGNORECASE)


def listed(*lines):
    return "[\n  " + ",\n  ".join(lines) + "\n]"


def block(*calls):
    return f"<execute>\n{listed(*calls)}\n</execute>"


def results(*items):
    return f"<results>\n{listed(*items)}\n</results>"


READ = '{"name": "read", "args": {"file": "config.json"}}'
READ_A = '{"name": "read", "args": {"file": "a.txt"}}'
WRITE_B = '{"name": "write", "args": {"file": "b.txt", "content": "updated"}}'
READ_B = '{"name": "read", "args": {"file": "b.txt"}}'
GENERIC = '{"name": "tool_name", "args": {"arg": "value"}}'
FILLED = '{"name": "[tool_name]", "args": {"[arg_name]": "[value]"}}'
HTML = '{"name": "write", "args": {"content": "<html><body>Hello</body></html>"}}'
CLOSING_TAG = '{"name": "write", "args": {"content": "Hello </write> world"}}'
QUOTES = r"""{"name": "shell", "args": {"cmd": "echo \"hello\" && echo 'world'"}}"""

#: The calls of each block, and the results after it, with how many succeeded and failed.
BLOCKS = {
    "the format": ([GENERIC, GENERIC], [], ""),
    "placeholders in strings are valid JSON": ([FILLED, FILLED], [], ""),
    "a single tool": ([READ], [], ""),
    "several tools": ([READ_A, WRITE_B, READ_B], [], ""),
    "html in arguments": ([HTML], [], ""),
    "closing tags in arguments": ([CLOSING_TAG], [], ""),
    "quotes of both kinds": ([QUOTES], [], ""),
    "a success": (
        [READ],
        ['{"tool": "read", "status": "success", "content": "file contents"}'],
        "1/0",
    ),
    "a failure": (
        [READ],
        ['{"tool": "read", "status": "failure", "content": "File not found: config.json"}'],
        "0/1",
    ),
    "a batch": (
        [READ_A, WRITE_B, READ_B],
        [
            '{"tool": "read", "status": "success", "content": "a contents"}',
            '{"tool": "write", "status": "success", "content": {"bytes": 22}}',
            '{"tool": "read", "status": "success", "content": "b updated"}',
        ],
        "3/0",
    ),
    "a batch with a failure": (
        [READ_A, WRITE_B, READ_B],
        [
            '{"tool": "read", "status": "success", "content": "data"}',
            '{"tool": "write", "status": "failure", "content": "Permission denied"}',
            '{"tool": "read", "status": "success", "content": "data"}',
        ],
        "2/1",
    ),
}

#: A text, what it gives up to where a turn stops, and what the rest of a transcript gives.
LINES = {
    "a call": (
        """\
§think: I need to examine the code structure first
§call: {"name": "file_read", "args": {"file": "main.py"}}
§execute
§respond: Fixed the missing semicolon. Code runs correctly now.
§end
""",
        'think I need to examine the code structure first · call {"name": "file_read", "args": {"file": "main.py"}} · execute',
        "respond Fixed the missing semicolon. Code runs correctly now. · end",
    ),
    "a response": (
        """\
§respond: Python is a programming language created by Guido van Rossum.
§end
""",
        "respond Python is a programming language created by Guido van Rossum. · end",
        "",
    ),
    "a single call": (
        """\
§think: I should check what files exist first.
§call: {"name": "file_list", "args": {"path": "."}}
§execute
§respond: I found 3 files: main.py, config.json, README.md
§end
""",
        'think I should check what files exist first. · call {"name": "file_list", "args": {"path": "."}} · execute',
        "respond I found 3 files: main.py, config.json, README.md · end",
    ),
    "calls one after the other": (
        """\
§call: {"name": "file_list", "args": {"path": "."}}
§execute
§call: {"name": "file_read", "args": {"file": "config.json"}}
§execute
§respond: This is a Node.js project with Express configuration.
§end
""",
        'call {"name": "file_list", "args": {"path": "."}} · execute',
        (
            'call {"name": "file_read", "args": {"file": "config.json"}} · execute'
            " · respond This is a Node.js project with Express configuration. · end"
        ),
    ),
}
UPPER = {
    "a call": (
        """\
§THINK: I need to examine the code structure first
§CALL: {"name": "read", "args": {"file": "main.py"}}
§EXECUTE
[SYSTEM: Found syntax error on line 15]
§RESPOND: Fixed the missing semicolon. Code runs correctly now.
§END
""",
        'think I need to examine the code structure first · call {"name": "read", "args": {"file": "main.py"}} · execute',
        (
            'result 1/0 [\n  {"tool": "read", "status": "success", "content": "Found syntax error on line 15"}\n]'
            " · respond Fixed the missing semicolon. Code runs correctly now. · end"
        ),
    ),
    "a response": (
        """\
§RESPOND: Python is a programming language created by Guido van Rossum.
§END
""",
        "respond Python is a programming language created by Guido van Rossum. · end",
        "",
    ),
    "a single call": (
        """\
§THINK: I should check what files exist first.
§CALL: {"name": "list", "args": {}}
§EXECUTE
[SYSTEM: Found 3 files: main.py, config.json, README.md]
§RESPOND: I found 3 files: main.py, config.json, README.md
§END
""",
        'think I should check what files exist first. · call {"name": "list", "args": {}} · execute',
        (
            'result 1/0 [\n  {"tool": "list", "status": "success", "content": "Found 3 files: main.py, config.json, README.md"}\n]'
            " · respond I found 3 files: main.py, config.json, README.md · end"
        ),
    ),
    "calls one after the other": (
        """\
§CALL: {"name": "list", "args": {}}
§EXECUTE
[SYSTEM: Found: main.py, config.json]
§CALL: {"name": "read", "args": {"file": "config.json"}}
§EXECUTE
[SYSTEM: {"debug": false, "timeout": 30}]
§RESPOND: This is a Node.js project with Express configuration.
§END
""",
        'call {"name": "list", "args": {}} · execute',
        (
            'result 1/0 [\n  {"tool": "list", "status": "success", "content": "Found: main.py, config.json"}\n]'
            ' · call {"name": "read", "args": {"file": "config.json"}} · execute'
            ' · result 1/0 [\n  {"tool": "read", "status": "success", "content": {"debug": false, "timeout": 30}}\n]'
            " · respond This is a Node.js project with Express configuration. · end"
        ),
    ),
}

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
WRITE_THEN_READ = """\
<execute>
  <write><file>a.txt</file><content>x</content></write>
  <read><file>a.txt</file></read>
</execute>"""
MIXED = results(
    '{"tool": "read", "status": "success", "content": "data"}',
    '{"tool": "write", "status": "failure", "content": "Permission denied"}',
    '{"tool": "read", "status": "success", "content": "data"}',
)


def array_of(text):
    """Return what is between the results markers."""
    return text.partition("<results>\n")[2].partition("\n</results>")[0]


ELEMENTS = {
    "a think": ("<think>[any text]</think>", "think [any text]", ""),
    "a write and a read": (
        WRITE_THEN_READ,
        (
            'call {"name": "write", "args": {"file": "a.txt", "content": "x"}}'
            ' · call {"name": "read", "args": {"file": "a.txt"}} · execute'
        ),
        "",
    ),
    "the same tool three times": (
        THREE_READS,
        " · ".join(f'call {{"name": "read", "args": {{"file": "{name}.txt"}}}}' for name in "abc")
        + " · execute",
        f"result 3/0 {array_of(THREE_READS)}",
    ),
    "successes and a failure": (
        "<execute><read/><write/><read/></execute>\n" + MIXED,
        " · ".join(f'call {{"name": "{name}", "args": {{}}}}' for name in ("read", "write", "read"))
        + " · execute",
        f"result 2/1 {array_of(MIXED)}",
    ),
}
EXAMPLES = {"delimiter": LINES, "delimiter-upper": UPPER, "xml-elements": ELEMENTS}
EXAMPLES["xml-json"] = {
    name: (
        block(*calls) + (f"\n\n{results(*items)}" if items else ""),
        " · ".join([*(f"call {each}" for each in calls), "execute"]),
        f"result {counts} {listed(*items)}" if items else "",
    )
    for name, (calls, items, counts) in BLOCKS.items()
}


@pytest.mark.parametrize("dialect", EXAMPLES)
def test_examples_as_transcripts(dialect):
    """An execute without an answer is not an error."""
    for text, first, rest in EXAMPLES[dialect].values():
        expected = read_outcome(first)[0] + read_outcome(rest)[0]
        check_briefly(text, expected, dialect=dialect, mode="transcript", state="prose")


@pytest.mark.parametrize("dialect", EXAMPLES)
def test_examples_as_turns(dialect):
    """The model's part ends at the first stop; what is after it is discarded."""
    for text, first, _ in EXAMPLES[dialect].values():
        stop = STOP.search(text)
        discarded = len(text) - stop.end() if stop else 0
        check_briefly(text, read_outcome(first)[0], dialect=dialect, discarded=discarded)


def test_a_think_that_was_opened_by_the_prompt():
    text = "<think>reasoning about the problem, what steps to take</think>"
    expected = read_outcome("think reasoning about the problem, what steps to take")[0]
    for mode in ("turn", "transcript"):
        check_briefly(text, expected, mode=mode, state="prose")
        check_briefly(text, expected, mode=mode, state="prose", start="think")


#: `data` is a placeholder for any JSON value, `[tool_name]` for a name.
TEMPLATE = results(
    '{"tool": "name", "status": "success", "content": ‸data}',
    '{"tool": "name", "status": "failure", "content": "error message"}',
)
NAME = '{"name": "name", "args": {}}'


@pytest.mark.parametrize(
    ("dialect", "calls"),
    [
        ("xml-json", block(NAME, NAME)),
        ("xml-elements", "<execute><name/><name/></execute>"),
    ],
)
def test_the_template_of_results_is_not_an_example(dialect, calls):
    expected, _, _ = read_outcome(
        f"call {NAME} · call {NAME} · execute · error results-shape /0/content"
    )
    check_briefly(
        f"{calls}\n{TEMPLATE}", expected, dialect=dialect, mode="transcript", state="prose"
    )


def test_the_template_of_elements_is_not_an_example():
    text = "<execute>\n  <‸[tool_name]>\n    <[arg_name]>[value]</[arg_name]>\n  </[tool_name]>\n</execute>"
    check_briefly(text, read_outcome("error xml-syntax")[0], dialect="xml-elements", state="paused")


def test_results_alone_are_forged():
    """No call is before them: in a turn the model wrote them, in a log they answer nothing."""
    answers = [results(*items) for _, items, _ in BLOCKS.values() if items]
    for text in (*answers, TEMPLATE.replace("‸", "")):
        expected = read_outcome("error forged-results @0")[0]
        check_briefly(text, expected, state="paused", discarded=len(text) - len("<results>"))
        check_briefly(text, expected, mode="transcript", state="prose")
    check_briefly(MIXED, expected, mode="transcript", state="prose", dialect="xml-elements")


def test_the_rules_by_lines():
    """A call is a JSON object, needs its execute, and is content if it is not JSON."""
    call = 'call {"name": "file_read", "args": {"file": "example.py"}}'
    for text, outcome in (
        (f"§{call.replace(' ', ': ', 1)}\n§execute", f"{call} · execute"),
        (f"§{call.replace(' ', ': ', 1)}\n‸§end", f"{call} · error missing-execute voids 1 · end"),
        (
            "§call: {‸invalid}\n§respond: so\n§end",
            "error json-syntax /0 · respond {invalid} · respond so · end",
        ),
        ("§CALL: {‸invalid}\n§EXECUTE", "error json-syntax /0 · respond {invalid} → paused"),
        ("§end\nmore", "end → ended +5"),
    ):
        expected, state, discarded = read_outcome(outcome)
        for dialect in ("delimiter", "delimiter-upper"):
            check_briefly(text, expected, state=state, discarded=discarded, dialect=dialect)


# --- The events as they are listed ------------------------------------------------------------


def test_deltas_as_they_are_listed():
    """A delta holds what is new, and white space that may still be trailing waits."""
    times = iter([1.0, 1.1, 1.2])
    parser = cogwire.Parser(stream="token", clock=lambda: next(times))
    [first] = parser.feed("<think>I need")
    assert first == {"type": "think", "content": "I need", "segment": 0, "timestamp": 1.0}
    [second] = parser.feed(" to analyze")
    assert second == {"type": "think", "content": " to analyze", "segment": 0, "timestamp": 1.1}
    [last] = parser.feed("</think>")
    assert last == {"type": "think", "content": "", "segment": 0, "done": True, "timestamp": 1.2}
    parser = cogwire.Parser(stream="event", clock=lambda: 1.0)
    assert parser.feed("<think>I need to analyze this") == []
    expected = {"type": "think", "content": "I need to analyze this", "timestamp": 1.0}
    assert parser.feed("</think>") == [expected]


@pytest.mark.parametrize(
    ("dialect", "text", "outcome"),
    [
        ("xml-json", block(READ), f"call {READ} · execute"),
        ("xml-json", "final response<end>", "respond final response · end"),
        (
            "delimiter",
            '§think: reasoning\n§call: {"name": "tool"}\n§respond: final response\n§execute',
            'think reasoning · call {"name": "tool"} · respond final response · execute',
        ),
    ],
)
def test_events_as_they_are_listed(dialect, text, outcome):
    """They are the listed objects, with a timestamp on each."""
    events = cogwire.parse(text, dialect, clock=lambda: 1234567890.0)
    assert events == [event | {"timestamp": 1234567890.0} for event in read_outcome(outcome)[0]]
