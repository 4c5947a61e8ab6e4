"""A simple streaming parser: at every chunk it reads the whole text so far, and emits what is new.

It is slow but correct: `prefixes` determines what is certain of a text that may continue.
"""

import base64
import json
from typing import Any

from conformance.zoo.prefixes import Event, Reading, so_far, whole
from tests.oracle import answering
from tests.oracle.block import DEFAULT_LIMITS
from tests.oracle.ledger import Options

TEXTS = ("think", "respond")


class Stream:
    """A parser that is fed."""

    def __init__(self, request: dict[str, Any]) -> None:
        self.is_token = request.get("stream") == "token"
        self.raw = request.get("raw", False)
        limits = DEFAULT_LIMITS._replace(**request.get("limits", {}))
        asked = {name: request[name] for name in Options._fields if name in request}
        options = Options(**{**asked, "limits": limits})
        self.options = (request.get("dialect", "xml-json"), options)
        self.next_turn()

    def next_turn(self) -> None:
        """Start a turn, with all state reset."""
        self.data: Any = None
        # The number of events emitted, and of the characters emitted of an open segment.
        self.given = 0
        self.shown = 0
        # The number of characters emitted of the args of an open call, and of an open raw.
        self.args_shown = 0
        self.raw_shown = 0
        self.segment = 0
        self.reading = Reading([], "prose", 0, "")

    def feed(self, chunk: str | bytes) -> list[Event]:
        """Return the new events."""
        self.data = chunk if self.data is None else self.data + chunk
        return self.news(so_far(self.data, self.options))

    def close(self) -> list[Event]:
        """Return the remaining events."""
        return self.news(whole("" if self.data is None else self.data, self.options))

    def news(self, reading: Reading) -> list[Event]:
        """Return the events that were not emitted before."""
        self.reading = reading
        news = []
        for place, event in enumerate(reading.events[self.given :], self.given + 1):
            is_args = event["type"] == "call_delta"
            news += self.call_delta(event) if is_args else [self.last_delta(event)]
            is_open = is_args and place == len(reading.events)
            self.args_shown = len(event["content"]) if is_open else 0
        self.given = len(reading.events) - bool(self.args_shown)
        return news + self.delta(reading)

    def call_delta(self, event: Event) -> list[Event]:
        """Return the new text of the args of a call."""
        content = event["content"][self.args_shown :]
        return [event | {"content": content}] if content else []

    def last_delta(self, event: Event) -> Event:
        """Return the rest of a complete segment, or any other event whole."""
        if not self.is_token or event["type"] not in TEXTS:
            return dict(event)
        delta = {"type": event["type"], "content": event["content"][self.shown :]}
        delta |= {"segment": self.segment, "done": True}
        if self.raw:
            delta["raw"] = event["raw"][self.raw_shown :]
        self.segment += 1
        self.shown = self.raw_shown = 0
        return delta

    def delta(self, reading: Reading) -> list[Event]:
        """Return the new text of an open segment."""
        content = reading.content
        if not self.is_token or len(content) <= self.shown:
            return []
        delta: Event = {"type": reading.kind, "content": content[self.shown :]}
        delta["segment"] = self.segment
        if self.raw:
            delta["raw"] = reading.raw[self.raw_shown :]
        self.shown, self.raw_shown = len(content), len(reading.raw)
        return [delta]

    def snapshot(self) -> str:
        """Return the whole state as text."""
        data = self.data
        text = base64.b64encode(data).decode() if isinstance(data, bytes) else data
        return json.dumps(
            {
                "data": text,
                "is_bytes": isinstance(data, bytes),
                "given": self.given,
                "shown": self.shown,
                "args_shown": self.args_shown,
                "raw_shown": self.raw_shown,
                "segment": self.segment,
            }
        )

    def restore(self, snapshot: str) -> None:
        """Set the state from a snapshot."""
        stored = json.loads(snapshot)
        text = stored["data"]
        self.data = base64.b64decode(text) if stored["is_bytes"] else text
        self.given, self.shown = stored["given"], stored["shown"]
        self.raw_shown, self.segment = stored["raw_shown"], stored["segment"]
        self.args_shown = stored["args_shown"]


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the reply to a request; only `parse` is answered here."""
    if request["op"] != "parse":
        return answering.answer(request)
    stream = Stream(request)
    if "turns" in request:
        return {"id": request["id"], "turns": answer_turns(stream, request)}
    return {"id": request["id"], **answer_turn(stream, request, answering.chunks_of(request))}


def answer_turns(stream: Stream, request: dict[str, Any]) -> list[dict[str, Any]]:
    """Answer the turns of one parser."""
    turns = []
    for chunks in request["turns"]:
        if turns:
            stream.next_turn()
        turns.append(answer_turn(stream, request, chunks))
    return turns


def answer_turn(stream: Stream, request: dict[str, Any], chunks: list[Any]) -> dict[str, Any]:
    """Feed the chunks of one turn."""
    feeds = []
    for index, chunk in enumerate(chunks):
        feeds.append(stream.feed(chunk))
        if index in request.get("snapshots", ()):
            snapshot = stream.snapshot()
            stream.next_turn()
            stream.restore(snapshot)
    close = stream.close() if request.get("close", True) else []
    reading = stream.reading
    reply = {"feeds": feeds, "close": close, "state": reading.state}
    reply["discarded"] = reading.discarded
    return reply | ({"tail": reading.tail} if stream.raw else {})
