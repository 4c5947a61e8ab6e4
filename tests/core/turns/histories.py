"""What the tests of messages share: histories in short, and what they become."""

import json

from tests import cogwire

CANCELLED = "Cancelled: this call has no result."

A = '{"name": "a", "args": {}}'
B = '{"name": "b", "args": {}}'


def item(tool="a", status="success", content="ok"):
    """Write one item of a result."""
    return json.dumps({"tool": tool, "status": status, "content": content}, ensure_ascii=False)


OK_A, OK_B = item("a"), item("b")
NOT_A = item("a", "failure", CANCELLED)
VOID = item("execute", "failure", "bad")


def user(content):
    return {"type": "user", "content": content}


def cancelled():
    return {"type": "cancelled"}


def answer(*items):
    """Give a result of these items, in one line."""
    return {"type": "result", "content": f"[{', '.join(items)}]"}


def listed(*items):
    """Write the results block that is made here, one item a line."""
    return "<results>\n[\n  " + ",\n  ".join(items) + "\n]\n</results>"


def assemble(events, dialect="xml-json", **options):
    """Return the messages in short, and the report as index and code."""
    report = []
    messages = cogwire.to_messages(events, dialect, report=report, **options)
    assert all(change["message"] for change in report)
    return (
        [(message["role"], message["content"]) for message in messages],
        [(change["index"], change["code"]) for change in report],
    )


def chat(*messages):
    return [{"role": role, "content": content} for role, content in messages]


def parsed(text, dialect="xml-json", **options):
    """Parse a model's turn with `raw`."""
    return cogwire.parse(text, dialect, raw=True, clock=None, **options)
