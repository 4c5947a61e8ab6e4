# SPDX-License-Identifier: MIT
"""An adapter for cogency, as published on the package index, that uses only its parser.

Version 3.3.0 reads `xml-json`, version 3.2.0 `delimiter`.  The adapter passes on the events of
cogency unchanged, except that 3.2.0 emits the text of a segment in pieces: the adapter joins them
up to the next marker.  Whatever cogency does not report is declared as lacking.
"""

import asyncio
import importlib
import json
import sys
from collections.abc import AsyncIterator
from importlib.metadata import Distribution
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

DIALECTS = {"3.3.0": "xml-json", "3.2.0": "delimiter"}
#: It serializes calls again, and its errors are only messages.
LACKS = ["verbatim-calls", "state", "discarded", "close", "code", "offset", "path", "calls"]


def parser_in(folder: Path) -> Any:
    """Return `parse_tokens` of the cogency in `folder`, without importing its engine."""
    for name, path in (("cogency", folder / "cogency"), ("cogency.core", folder / "cogency/core")):
        package = ModuleType(name)
        package.__path__ = [str(path)]
        sys.modules[name] = package
    sys.path.insert(0, str(folder))
    return importlib.import_module("cogency.core.parser").parse_tokens


class Adapter:
    """One version of cogency."""

    def __init__(self, folder: Path) -> None:
        (found,) = Distribution.discover(name="cogency", path=[str(folder)])
        self.version = found.version
        self.dialect = DIALECTS[self.version]
        self.parse_tokens = parser_in(folder)
        self.loop = asyncio.Runner()

    def answer(self, line: bytes) -> dict[str, Any]:
        """Return the reply to one line."""
        try:
            request = json.loads(line)
            identity = request["id"]
        except (ValueError, TypeError, KeyError):
            return {"id": None, "error": "a request is a JSON object with an id"}
        try:
            return {"id": identity, **self.reply(request)}
        except Exception as failure:  # noqa: BLE001 - a crash is an answer too
            return {"id": identity, "crashed": f"{type(failure).__name__}: {failure}"}

    def reply(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the reply to a request, without its id."""
        if request.get("op") == "hello":
            return {
                "protocol": 1,
                "name": "cogency",
                "version": self.version,
                "language": "python",
                "offset_unit": "codepoint",
                "ops": ["parse"],
                "dialects": {self.dialect: []},
                "lacks": LACKS,
            }
        if request.get("op") != "parse":
            return {"unsupported": f"op {request.get('op')!r}"}
        if request.get("dialect", "xml-json") != self.dialect:
            return {"unsupported": f"dialect {request['dialect']!r}"}
        defaults = {"mode": "turn", "stream": "event", "start": "prose", "close": True}
        defaults |= {"raw": False, "spans": False, "calls": "shown", "call_deltas": False}
        used = [name for name, value in defaults.items() if request.get(name, value) != value]
        used += [
            name for name in ("limits", "snapshots", "turns", "chunks_b64") if request.get(name)
        ]
        if used:
            return {"unsupported": ", ".join(used)}
        chunks = chunks_of(request)
        if chunks is None:
            return {"error": "the input is an array of strings, or a text with ascending cuts"}
        return self.loop.run(self.fed(chunks))

    async def fed(self, chunks: list[str]) -> dict[str, Any]:
        """Return the events of cogency for each chunk and for the end of the text."""
        feeds: list[list[dict[str, Any]]] = []

        async def source() -> AsyncIterator[str]:
            for chunk in chunks:
                feeds.append([])
                yield chunk
            feeds.append([])

        found = self.parse_tokens(source())
        events = [(len(feeds) - 1, shown(event)) async for event in found]
        for place, event in joined(events) if self.version == "3.2.0" else events:
            feeds[place].append(event)
        feeds += [[] for _ in range(len(chunks) + 1 - len(feeds))]
        return {"feeds": feeds[:-1], "close": feeds[-1]}


def chunks_of(request: dict[str, Any]) -> list[str] | None:
    """Return the chunks of a parse, or None if they are missing or not an array of strings."""
    chunks = request.get("chunks")
    if ("text" in request) == ("chunks" in request) or ("cuts" in request and "chunks" in request):
        return None
    if "text" in request:
        bounds = [0, *request.get("cuts", []), len(request["text"])]
        if bounds != sorted(bounds):
            return None
        chunks = [request["text"][a:b] for a, b in pairwise(bounds)]
    is_right = isinstance(chunks, list) and all(isinstance(chunk, str) for chunk in chunks)
    return chunks if is_right else None


def shown(event: dict[str, Any]) -> dict[str, Any]:
    """Return an event without its time and without members that are None."""
    return {n: v for n, v in event.items() if n != "timestamp" and v is not None}


def joined(events: list[tuple[int, dict[str, Any]]]) -> list[tuple[int, dict[str, Any]]]:
    """Return the pieces of each segment as one event, in the place of the last piece."""
    whole: list[tuple[int, dict[str, Any]]] = []
    for place, event in events:
        before = whole[-1][1] if whole else {}
        if event["type"] == before.get("type") and event["type"] in ("think", "respond", "call"):
            whole[-1] = (place, {**before, "content": before["content"] + event["content"]})
        else:
            whole.append((place, event))
    return whole


def main() -> None:
    """Answer each line of standard input with one line."""
    adapter = Adapter(Path(sys.argv[1]))
    for line in sys.stdin.buffer:
        reply = json.dumps(adapter.answer(line), ensure_ascii=True)
        sys.stdout.buffer.write(reply.encode("ascii") + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
