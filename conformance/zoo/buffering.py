"""A simple parser that emits everything at the close, and until then looks for a hard stop.

It counts the characters that it looks at, so that growth can be measured without a clock.
"""

from typing import Any

from tests.oracle import answering

#: Markers after which no more of the text may be read.
STOPS = ("</execute>", "<end>", "<results>", "§execute", "§end")
LONGEST = max(map(len, STOPS))


class Buffer:
    """A parser that collects its input and reads it at the close."""

    def __init__(self) -> None:
        self.text = ""
        self.looked_at = 0
        self.may_have_stopped = False

    def feed(self, chunk: str) -> None:
        """Collect a chunk."""
        self.text += chunk
        self.look(max(0, len(self.text) - len(chunk) - LONGEST))

    def look(self, first: int) -> None:
        """Look for a hard stop, starting at a place."""
        self.looked_at += len(self.text) - first
        self.may_have_stopped |= any(self.text.find(stop, first) >= 0 for stop in STOPS)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the reply to a request, with the number of characters that were looked at."""
    buffer = Buffer()
    for chunk in request["chunks"]:
        buffer.feed(chunk)
    reply = answering.answer({**request, "chunks": [buffer.text]})
    reply |= {
        "feeds": [[] for _ in request["chunks"]],
        "close": [event for feed in (*reply["feeds"], reply["close"]) for event in feed],
    }
    return {**reply, "looked_at": buffer.looked_at + len(buffer.text)}
