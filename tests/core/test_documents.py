"""Every example of the protocol's two canonical documents, as a turn and as a transcript."""

import pytest

from tests import cogwire
from tests.core.helpers import call, check, error, execute, respond, result, think


def block(*calls):
    return "<execute>\n[\n  " + ",\n  ".join(calls) + "\n]\n</execute>"


def results(*items):
    return "<results>\n[\n  " + ",\n  ".join(items) + "\n]\n</results>"


def array(*items):
    return "[\n  " + ",\n  ".join(items) + "\n]"


def check_stop(text, kept, expected):
    """As a turn, `text` stops after its first `kept` characters."""
    check(text, expected, state="paused", discarded=len(text) - kept)


# --- The overview -----------------------------------------------------------------------------

READ = '{"name": "read", "args": {"file": "config.json"}}'

OVERVIEW = """\
<think>reasoning about the problem</think>

<execute>
[{"name": "read", "args": {"file": "config.json"}}]
</execute>

<results>
[{"tool": "read", "status": "success", "content": "..."}]
</results>

The config shows the API endpoint is set to production.
"""


def test_the_three_phases_as_a_turn():
    """The model's part ends at the block; what stands behind it is discarded."""
    expected = [think("reasoning about the problem"), call(READ), execute()]
    check_stop(OVERVIEW, OVERVIEW.index("</execute>") + len("</execute>"), expected)


def test_the_three_phases_as_a_transcript():
    expected = [
        think("reasoning about the problem"),
        call(READ),
        execute(),
        result('[{"tool": "read", "status": "success", "content": "..."}]', 1),
        respond("The config shows the API endpoint is set to production."),
    ]
    check(OVERVIEW, expected, mode="transcript", state="prose")


# --- Think ------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["turn", "transcript"])
def test_think(mode):
    text = "<think>reasoning about the problem, what steps to take</think>"
    expected = [think("reasoning about the problem, what steps to take")]
    check(text, expected, mode=mode, state="prose")
    check(text, expected, mode=mode, state="prose", start="think")


# --- Execute ----------------------------------------------------------------------------------

GENERIC = '{"name": "tool_name", "args": {"arg": "value"}}'
PLACEHOLDER = '{"name": "[tool_name]", "args": {"[arg_name]": "[value]"}}'
READ_A = '{"name": "read", "args": {"file": "a.txt"}}'
WRITE_B = '{"name": "write", "args": {"file": "b.txt", "content": "updated"}}'
READ_B = '{"name": "read", "args": {"file": "b.txt"}}'
HTML = (
    '{"name": "write", "args": {"file": "index.html", '
    '"content": "<html><body>Hello</body></html>"}}'
)
CLOSING_TAG = '{"name": "write", "args": {"content": "Hello </write> world"}}'
QUOTES = r"""{"name": "shell", "args": {"cmd": "echo \"hello\" && echo 'world'"}}"""

BLOCKS = [
    pytest.param([GENERIC, GENERIC], id="format"),
    pytest.param([PLACEHOLDER, PLACEHOLDER], id="placeholders in strings are valid json"),
    pytest.param([READ], id="single tool"),
    pytest.param([READ_A, WRITE_B, READ_B], id="multiple tools"),
    pytest.param([HTML], id="html in args"),
    pytest.param([CLOSING_TAG], id="closing tags in args"),
    pytest.param([QUOTES], id="mixed quotes"),
]


@pytest.mark.parametrize("calls", BLOCKS)
def test_execute_as_a_turn(calls):
    expected = [*(call(content) for content in calls), execute()]
    check(block(*calls), expected, state="paused")


@pytest.mark.parametrize("calls", BLOCKS)
def test_execute_as_a_transcript(calls):
    """An execute without results is no error."""
    expected = [*(call(content) for content in calls), execute()]
    check(block(*calls), expected, mode="transcript", state="prose")


# --- Results ----------------------------------------------------------------------------------

FILE_CONTENTS = '{"tool": "read", "status": "success", "content": "file contents"}'
NOT_FOUND = '{"tool": "read", "status": "failure", "content": "File not found: config.json"}'
A_CONTENTS = '{"tool": "read", "status": "success", "content": "a contents"}'
BYTES = '{"tool": "write", "status": "success", "content": {"bytes": 22}}'
B_UPDATED = '{"tool": "read", "status": "success", "content": "b updated"}'
DATA = '{"tool": "read", "status": "success", "content": "data"}'
DENIED = '{"tool": "write", "status": "failure", "content": "Permission denied"}'

RESULTS = [
    pytest.param([READ], [FILE_CONTENTS], 1, 0, id="success"),
    pytest.param([READ], [NOT_FOUND], 0, 1, id="failure"),
    pytest.param([READ_A, WRITE_B, READ_B], [A_CONTENTS, BYTES, B_UPDATED], 3, 0, id="batched"),
    pytest.param([READ_A, WRITE_B, READ_B], [DATA, DENIED, DATA], 2, 1, id="mixed"),
]


@pytest.mark.parametrize(("calls", "items", "succeeded", "failed"), RESULTS)
def test_results_after_their_calls(calls, items, succeeded, failed):
    text = block(*calls) + "\n\n" + results(*items)
    expected = [
        *(call(content) for content in calls),
        execute(),
        result(array(*items), succeeded, failed),
    ]
    check(text, expected, mode="transcript", state="prose")


@pytest.mark.parametrize(("calls", "items", "succeeded", "failed"), RESULTS)
def test_results_alone_are_forged(calls, items, succeeded, failed):
    """No call stands before them: in a turn the model wrote them, in a log they answer nothing."""
    text = results(*items)
    check_stop(text, len("<results>"), [error("forged-results", offset=0)])
    check(text, [error("forged-results", offset=0)], mode="transcript", state="prose")


TEMPLATE = """\
<results>
[
  {"tool": "name", "status": "success", "content": data},
  {"tool": "name", "status": "failure", "content": "error message"}
]
</results>"""


def test_the_template_of_results_is_no_example():
    """Its `data` stands for any JSON value and is none."""
    name = '{"name": "name", "args": {}}'
    text = block(name, name) + "\n" + TEMPLATE.replace("data", "‸data")
    expected = [call(name), call(name), execute(), error("results-shape", "/0/content")]
    check(text, expected, mode="transcript", state="prose")
    check(TEMPLATE, [error("forged-results", offset=0)], mode="transcript", state="prose")
    check_stop(TEMPLATE, len("<results>"), [error("forged-results", offset=0)])


# --- The complete example ---------------------------------------------------------------------

COMPLETE = r"""<think>Need to read config, update it, verify the change</think>

<execute>
[
  {"name": "read", "args": {"file": "config.json"}}
]
</execute>

<results>
[
  {"tool": "read", "status": "success", "content": {"api": "old.com"}}
]
</results>

<think>API is old.com, need to update to new.com</think>

<execute>
[
  {"name": "write", "args": {"file": "config.json", "content": "{\"api\": \"new.com\"}"}},
  {"name": "read", "args": {"file": "config.json"}}
]
</execute>

<results>
[
  {"tool": "write", "status": "success", "content": {"bytes": 22}},
  {"tool": "read", "status": "success", "content": {"api": "new.com"}}
]
</results>

Configuration updated successfully. API endpoint changed from old.com to new.com and verified.
"""

WRITE_CONFIG = (
    r'{"name": "write", "args": {"file": "config.json", "content": "{\"api\": \"new.com\"}"}}'
)
OLD_API = '{"tool": "read", "status": "success", "content": {"api": "old.com"}}'
NEW_API = '{"tool": "read", "status": "success", "content": {"api": "new.com"}}'
UPDATED = (
    "Configuration updated successfully. API endpoint changed from old.com to new.com and verified."
)

FIRST_TURN = [think("Need to read config, update it, verify the change"), call(READ), execute()]
SECOND_TURN = [
    think("API is old.com, need to update to new.com"),
    call(WRITE_CONFIG),
    call(READ),
    execute(),
]


def test_the_complete_example_as_a_transcript():
    expected = [
        *FIRST_TURN,
        result(array(OLD_API), 1),
        *SECOND_TURN,
        result(array(BYTES, NEW_API), 2),
        respond(UPDATED),
    ]
    check(COMPLETE, expected, mode="transcript", state="prose")


def test_the_complete_example_as_a_turn():
    kept = COMPLETE.index("</execute>") + len("</execute>")
    check_stop(COMPLETE, kept, FIRST_TURN)


def test_the_turns_of_the_complete_example():
    """What the model wrote, one turn at a time, with one parser."""
    parts = COMPLETE.split("<results>")
    turns = [parts[0], *(part.split("</results>")[1] for part in parts[1:])]
    parser = cogwire.Parser(clock=None)
    for text, expected in zip(turns, [FIRST_TURN, SECOND_TURN, [respond(UPDATED)]], strict=True):
        assert [*parser.feed(text), *parser.close()] == expected
        parser.next_turn()


# --- Streams ----------------------------------------------------------------------------------


def test_tokens_as_they_come():
    """A delta holds what is new, and white space that may still be trailing waits."""
    times = iter([1.0, 1.1, 1.2])
    parser = cogwire.Parser(stream="token", clock=lambda: next(times))
    [first] = parser.feed("<think>I need")
    assert first == {"type": "think", "content": "I need", "segment": 0, "timestamp": 1.0}
    [second] = parser.feed(" to analyze")
    assert second == {"type": "think", "content": " to analyze", "segment": 0, "timestamp": 1.1}
    [last] = parser.feed("</think>")
    assert last == {"type": "think", "content": "", "segment": 0, "done": True, "timestamp": 1.2}


def test_complete_units():
    parser = cogwire.Parser(stream="event", clock=lambda: 1.0)
    assert parser.feed("<think>I need to analyze this") == []
    expected = {"type": "think", "content": "I need to analyze this", "timestamp": 1.0}
    assert parser.feed("</think>") == [expected]


def test_the_schema_of_events():
    """The parser's events are the documented objects, with a timestamp on each."""
    text = block('{"name": "read", "args": {"file": "main.py"}}')
    [called, executed] = cogwire.parse(text, clock=lambda: 1234567890.0)
    content = '{"name": "read", "args": {"file": "main.py"}}'
    assert called == {"type": "call", "content": content, "timestamp": 1234567890.0}
    assert executed == {"type": "execute", "timestamp": 1234567890.0}
    [responded, ended] = cogwire.parse("final response<end>", clock=lambda: 1234567890.0)
    expected = {"type": "respond", "content": "final response", "timestamp": 1234567890.0}
    assert responded == expected
    assert ended == {"type": "end", "timestamp": 1234567890.0}
