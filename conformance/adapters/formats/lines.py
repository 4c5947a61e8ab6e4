"""Answers for the readers of formats: a line for a line.

A reader is made of the tools of a request.  Where its parser has a function for whole texts, that
is asked for a text in one chunk: it is what people get who do not stream.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

Item = dict[str, Any]


class Reader(Protocol):
    """Reads one text."""

    def whole(self, text: str) -> Iterable[Item] | None:
        """Return the items of a whole text, or None if there is no function for that."""

    def feed(self, chunk: str) -> Iterable[Item]:
        """Return the items that come of a chunk."""

    def close(self) -> Iterable[Item]:
        """Return the items that come of the end."""


def answer(readers: dict[str, Callable[[list[Any]], Reader]]) -> None:
    """Answer every request on the standard input with the readers of these formats."""
    for line in sys.stdin:
        request = json.loads(line)
        try:
            reply = _reply(readers[request["format"]](request["tools"]), request["chunks"])
        except Exception as problem:  # noqa: BLE001 - whatever the parser throws is its answer
            reply = {"error": repr(problem)}
        print(json.dumps({"id": request["id"], **reply}), flush=True)  # noqa: T201


def _reply(reader: Reader, chunks: list[str]) -> dict[str, Any]:
    whole = reader.whole(chunks[0]) if len(chunks) == 1 else None
    if whole is not None:
        return {"feeds": [list(whole)], "close": []}
    return {"feeds": [list(reader.feed(one)) for one in chunks], "close": list(reader.close())}


def call(name: str | None, arguments: str | None) -> Iterator[Item]:
    """Yield the items of a call, or of a part of one."""
    if name:
        yield {"call": name}
    if arguments:
        yield {"arguments": arguments}
