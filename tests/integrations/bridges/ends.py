"""Turns with a call, whole and cut, and whether the way in which a turn ended lets the call run."""

import cogwire

CALL = {"name": "rm", "args": {"path": "/", "deep": "2"}}
SCHEMA = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "deep": {"type": "integer"}},
    "required": ["path", "deep"],
}
#: What the call runs with: in every dialect the number is one.
ARGS = {"path": "/", "deep": 2}


def turn(dialect):
    """Return the text of a turn with prose and a call."""
    is_text = dialect in ("xml-elements", "qwen3-coder", "glm-4.5")
    calls = [{"name": "rm", "args": CALL["args"] if is_text else ARGS}]
    return "Now.\n\n" + cogwire.render_calls(calls, dialect)


def runs(text, dialect, *, finished):
    """Whether the calls of a text run if the model ended it, or if something else did."""
    events = cogwire.parse(text, dialect, finished=finished, calls="sealed", clock=None)
    return any(event["type"] == "execute" for event in events)
