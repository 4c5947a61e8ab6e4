"""Answers requests with the readers of formats: one reply per line.

A reader is made for the tools of a request.  If its parser has a function for whole texts, that
function reads a text in one chunk, because a caller who does not stream would use it.  A marker
that is one token for the models is passed on whole, with the chunk that completes it, because a
model never emits a part of it, unless a request says that markers are `cut`.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
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


def answer(readers: dict[str, Callable[..., Reader]], takes: Iterable[str] = ()) -> None:
    """Answer every request on standard input with the readers of these formats.

    `takes` are the members of requests that all of the readers accept by keyword, of `start`,
    `prompt` and `finish`; a request has them only for the texts that need them.
    """
    taken = tuple(takes)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            reply = _replied(readers[request["format"]], request, taken)
        except Exception as problem:  # noqa: BLE001 - whatever the parser throws is its answer
            reply = {"error": repr(problem)}
        if "protocol" in request:
            reply["takes"] = [*taken, "sessions", "markers"]
        print(json.dumps({"id": request["id"], **reply}), flush=True)  # noqa: T201


def _replied(maker: Callable[..., Reader], request: Item, taken: tuple[str, ...]) -> Item:
    """Answer a request for one text, or for several that are read at the same time."""
    is_cut = request.get("markers") == "cut"
    tokens = [] if is_cut else tokens_of(request["format"])

    def reader(given: Item) -> Reader:
        return maker(request["tools"], **{name: given[name] for name in taken if name in given})

    if "sessions" not in request:
        return _reply(reader(request), request["chunks"], tokens)
    given = request["sessions"]
    fed = [_fed(reader(one), one["chunks"], tokens) for one in given]
    feeds: list[list[list[Item]]] = [[] for _ in given]
    # A chunk of each in turn, and the end of a text with its last chunk.
    for turn in zip_longest(*fed):
        for place, items in enumerate(turn):
            if items is not None:
                feeds[place].append(items)
    return {"sessions": [{"feeds": found[:-1], "close": found[-1]} for found in feeds]}


def tokens_of(name: str) -> list[str]:
    """Return the markers of a format that are one token each, longest first."""
    folder = Path(__file__).parents[2] / "formats" / name
    about = json.loads((folder / "format.json").read_text("utf-8"))
    return sorted(about.get("tokens", ()), key=len, reverse=True)


def _reply(reader: Reader, chunks: list[str], tokens: list[str]) -> dict[str, Any]:
    whole = reader.whole(chunks[0]) if len(chunks) == 1 else None
    if whole is not None:
        return {"feeds": [list(whole)], "close": []}
    *feeds, close = _fed(reader, chunks, tokens)
    return {"feeds": feeds, "close": close}


def _fed(reader: Reader, chunks: list[str], tokens: list[str]) -> Iterator[list[Item]]:
    """Yield the items of each chunk, and those of the end."""
    *fed, rest = _uncut(chunks, tokens)
    for one in fed:
        yield list(reader.feed(one))
    yield [*(reader.feed(rest) if rest else ()), *reader.close()]


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


def call(name: str | None, arguments: str | None, index: int | None = None) -> Iterator[Item]:
    """Yield the items of a call, or of a part of one: with its index, clients join them by it."""
    joined = {} if index is None else {"index": index}
    if name is not None:
        yield {"call": name, **joined}
    if arguments:
        yield {"arguments": arguments, **joined}
