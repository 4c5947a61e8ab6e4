"""Answers requests with the readers of formats: one reply per line.

A reader is made for the tools of a request.  If its parser has a function for whole texts, that
function reads a text in one chunk, because a caller who does not stream would use it.  A marker
that is one token for the models is passed on whole, with the chunk that completes it, because a
model never emits a part of it.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol

Item = dict[str, Any]


class Reader(Protocol):
    """Reads one text."""

    def whole(self, text: str) -> Iterable[Item] | None:
        """Return the items of a whole text, or None if the parser has no function for it."""

    def feed(self, chunk: str) -> Iterable[Item]:
        """Return the items that a chunk completes."""

    def close(self) -> Iterable[Item]:
        """Return the items that the end of the text completes."""


def answer(readers: dict[str, Callable[[list[Any]], Reader]]) -> None:
    """Answer every request on standard input with the readers of these formats."""
    for line in sys.stdin:
        request = json.loads(line)
        try:
            reader = readers[request["format"]](request["tools"])
            reply = _reply(reader, request["chunks"], tokens_of(request["format"]))
        except Exception as problem:  # noqa: BLE001 - whatever the parser throws is its answer
            reply = {"error": repr(problem)}
        print(json.dumps({"id": request["id"], **reply}), flush=True)  # noqa: T201


def tokens_of(name: str) -> list[str]:
    """Return the markers of a format that are one token each, longest first."""
    folder = Path(__file__).parents[2] / "formats" / name
    about = json.loads((folder / "format.json").read_text("utf-8"))
    return sorted(about.get("tokens", ()), key=len, reverse=True)


def _reply(reader: Reader, chunks: list[str], tokens: list[str]) -> dict[str, Any]:
    whole = reader.whole(chunks[0]) if len(chunks) == 1 else None
    if whole is not None:
        return {"feeds": [list(whole)], "close": []}
    *fed, rest = _uncut(chunks, tokens)
    feeds = [list(reader.feed(one)) for one in fed]
    return {"feeds": feeds, "close": [*(reader.feed(rest) if rest else ()), *reader.close()]}


def _uncut(chunks: list[str], tokens: list[str]) -> Iterator[str]:
    """Yield for each chunk the new text up to an incomplete token, and the rest at the end."""
    held = ""
    for chunk in chunks:
        text = held + chunk
        ends = (text[-length:] for length in range(min(len(text), 64), 0, -1))
        held = next((end for end in ends if _is_part(end, tokens)), "")
        yield text.removesuffix(held)
    yield held


def _is_part(text: str, tokens: list[str]) -> bool:
    return any(token.startswith(text) and token != text for token in tokens)


def call(name: str | None, arguments: str | None) -> Iterator[Item]:
    """Yield the items of a call, or of a later part of one, which has no name."""
    if name is not None:
        yield {"call": name}
    if arguments:
        yield {"arguments": arguments}
