"""Answers requests with the readers of formats: one reply per line.

A reader is made for the tools of a request.  If its parser has a function for whole texts, that
function reads a text in one chunk, because a caller who does not stream would use it.  A marker
that is one token for the models is passed on whole, with the chunk that completes it, because a
model never emits a part of it, unless a request says that markers are `cut`.
"""

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

Item = dict[str, Any]
_P = TypeVar("_P")
#: A marker between bars, such as `<|tool_call|>`, `<|tool_call>`, `<tool_call|>` or `<｜a▁b｜>`.
_TOKEN = re.compile(r"<[|｜][^<>|｜\s]+(?:[|｜]>|>)|<[^<>|｜\s]+[|｜]>")
#: Other markers that are one token each, by the vocabularies of the models.
_TOKENS = {
    "ernie-4.5": ["</think>", "<response>", "</response>", "<tool_call>", "</tool_call>", "\n"],
    "gemma-4": ['<|"|>'],
    "hy3": [
        f"<{slash}{name}:opensource>"
        for name in ("think", "tool_calls", "tool_call", "tool_sep", "arg_key", "arg_value")
        for slash in ("", "/")
    ],
    "hy4": [
        f"<{slash}{name}>"
        for name in ("think", "tool_calls", "tool_call", "arg_key", "arg_value")
        for slash in ("", "/")
    ],
    "jamba": ["<tool_calls>", "</tool_calls>"],
    "longcat": ["<longcat_tool_call>", "</longcat_tool_call>"],
    "minimax-m2": ["<minimax:tool_call>", "</minimax:tool_call>"],
    "seed-oss": ["<seed:think>", "</seed:think>", "<seed:tool_call>", "</seed:tool_call>"],
}


class Reader(Protocol):
    """Reads one text."""

    def whole(self, text: str) -> Iterable[Item] | None:
        """Return the items of a whole text, or None if the parser has no function for it."""

    def feed(self, chunk: str) -> Iterable[Item]:
        """Return the items that a chunk completes."""

    def close(self) -> Iterable[Item]:
        """Return the items that the end of the text completes."""


class Translated:
    """A reader whose parser answers each chunk; a benchmark times `parse` alone."""

    parse: Callable[[Any], Any]

    def given(self, chunk: str) -> Any:
        """Return what the parser is given for a chunk, which a server has already."""
        return chunk

    @staticmethod
    def items(answer: Any) -> Iterable[Item]:
        """Translate an answer of the parser."""
        raise NotImplementedError

    def feed(self, chunk: str) -> Iterable[Item]:
        """Read a chunk."""
        return self.items(self.parse(self.given(chunk)))


class Collected:
    """A reader that reads whole texts only: it collects the chunks, and reads them at the end."""

    def __init__(self, read: Callable[[str], Iterable[Item]]) -> None:
        self.whole = read
        self._text = ""

    def feed(self, chunk: str) -> tuple[Item, ...]:
        """Collect a chunk."""
        self._text += chunk
        return ()

    def close(self) -> Iterable[Item]:
        """Read the collected text."""
        return self.whole(self._text)


def answer(
    parsers: dict[str, _P],
    reader: Callable[[str, _P], Callable[..., Reader]],
    takes: Iterable[str] = (),
) -> None:
    """Answer every request on standard input.

    `parsers` says which parser each format has, and `reader` makes of a format and its parser what
    returns a new reader for some tools.  `takes` are the members of requests that this accepts by
    keyword, of `start`, `prompt` and `finish`; a request has them only for texts that need them.
    """
    made: dict[str, Callable[..., Reader]] = {}
    taken = tuple(takes)
    for line in sys.stdin:
        request = json.loads(line)
        name = request["format"]
        try:
            if name not in made:
                made[name] = reader(name, parsers[name])
            reply = replied(made[name], request, taken)
        except Exception as problem:  # noqa: BLE001 - whatever the parser throws is its answer
            reply = {"error": repr(problem)}
        if "protocol" in request:
            reply["takes"] = [*taken, "sessions", "markers"]
        print(json.dumps({"id": request["id"], **reply}), flush=True)  # noqa: T201


def replied(maker: Callable[..., Reader], request: Item, taken: tuple[str, ...]) -> Item:
    """Answer a request for one text, or for several that are read at the same time."""
    markers = _markers(request["format"])
    tokens = [] if request.get("markers") == "cut" else markers.tokens

    def opened(given: Item) -> tuple[Reader, list[str]]:
        options = {name: given[name] for name in taken if name in given}
        return maker(request["tools"], **options), list(_ended(given["chunks"], markers.ends))

    if "sessions" not in request:
        return _reply(*opened(request), tokens)
    fed = [_caught(_fed(*opened(one), tokens)) for one in request["sessions"]]
    given: list[list[list[Item] | Exception]] = [[] for _ in fed]
    # A chunk of each in turn, and the end of a text after its last chunk.
    for turn in zip_longest(*fed):
        for place, items in enumerate(turn):
            if items is not None:
                given[place].append(items)
    return {"sessions": [_session(*each) for each in given]}


def _caught(fed: Iterator[list[Item]]) -> Iterator[list[Item] | Exception]:
    """Yield what is given, and what is raised: the other texts are read to their ends."""
    try:
        yield from fed
    except Exception as problem:  # noqa: BLE001 - whatever the parser throws is its answer
        yield problem


def _session(*given: list[Item] | Exception) -> Item:
    *feeds, close = given
    return (
        {"error": repr(close)} if isinstance(close, Exception) else {"feeds": feeds, "close": close}
    )


class _Markers(NamedTuple):
    """The tokens of a format, longest first, and those that end a turn, if they are left out."""

    tokens: list[str]
    ends: list[str]


def tokens_of(name: str) -> list[str]:
    """Return the markers of a format that are one token each, longest first."""
    return _markers(name).tokens


@lru_cache
def _markers(name: str) -> _Markers:
    """Return what the corpus lists.

    Where it lists no tokens, they are the markers between bars, which is how most vocabularies
    write their special tokens, and a server passes on no token that ends the turn.
    """
    folder = Path(__file__).parents[2] / "formats" / name
    if (folder / "format.json").exists():
        about = json.loads((folder / "format.json").read_text("utf-8"))
        return _Markers(sorted(about.get("tokens", ()), key=len, reverse=True), [])
    about = json.loads((folder / "description.json").read_text("utf-8"))
    tokens = {found for text in _texts(about) for found in _TOKEN.findall(text)}
    tokens.update(_TOKENS.get(name, ()))
    return _Markers(sorted(tokens, key=lambda one: (-len(one), one)), about.get("ends", []))


def _ended(chunks: list[str], ends: list[str]) -> Iterator[str]:
    """Yield the chunks up to a token with which the text ends."""
    text = "".join(chunks)
    left = len(text) - max((len(end) for end in ends if text.endswith(end)), default=0)
    for chunk in chunks:
        yield chunk[:left]
        left = max(0, left - len(chunk))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for pair in value.items() for part in pair for text in _texts(part))
    elif isinstance(value, list):
        yield from (text for part in value for text in _texts(part))


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
