"""Parsers of formats, each driven as its server drives it for each chunk, beside cogwire's.

Most of the corpus's adapters do that; `templates` has the others.

A turn is prose and calls, without a think, which not every parser reads.  All are fed the same
chunks, and give the same: pieces of prose, the names of calls, and their arguments.  What is timed
is a parser's own answer to a chunk, and nothing that its adapter does.
"""

import json
import sys
from collections.abc import Callable
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

from readers.base import Prepared, Reader
from turns import Turn, calls, in_strings, prose

import cogwire
from cogwire_kit.conformance.shapes import Shape

sys.path.append(str(Path(__file__).resolve().parents[2] / "conformance" / "adapters" / "formats"))

from lines import Translated

LIMITS = cogwire.Limits(calls=1_000_000, size=1 << 30)
#: The arguments of the two tools that are called.
ARGUMENTS = {
    "read": {"file": "string", "lines": "array", "numbered": "boolean"},
    "write": {"file": "string", "content": "string", "mode": "null"},
}


class Ours(Translated):
    """cogwire's parser, which gives calls when they are complete, or arguments before."""

    def __init__(self, name: str, *, call_deltas: bool) -> None:
        # No other parser asks for the time, and cogwire's does not where an engine runs it.
        parser = cogwire.Parser(
            name, stream="token", call_deltas=call_deltas, clock=None, limits=LIMITS
        )
        self.parse = parser.feed
        self._close = parser.close

    @staticmethod
    def items(answer: list[Any]) -> list[Any]:
        """Return the events, as they are."""
        return answer

    def close(self) -> list[Any]:
        """Return the events of the end, which the model made."""
        return self._close(finished=True)


class Parser(Reader):
    """A parser of one format."""

    def __init__(self, name: str, made: Callable[[], Any], *, needs_prose: bool) -> None:
        self._name, self._made, self.needs_prose = name, made, needs_prose
        #: What prepares the chunks and translates the answers, neither of which is timed.
        self._adapter = made()

    def start(self) -> tuple[Callable[[Any], Any], Callable[[], Any]]:
        """Return the methods of a new parser."""
        parser = self._made()
        return parser.parse, lambda: list(parser.close())

    def formatted(self, turn: Turn, size: int) -> Prepared:
        """Return the reading of a turn, of which it was seen that all of it comes out."""
        # As the texts of the corpus are written, and not as cogwire writes calls: some parsers read
        # no white space that the template does not write.
        written = [{"call": each["name"], "arguments": each["args"]} for each in turn.calls]
        description = cogwire.format_named(self._name).format.to_json()
        text = Shape({"turn": [{"prose": turn.prose}, *written]}).text(description) or ""
        given = self._adapter.given
        chunks = [given(text[at : at + size]) for at in range(0, len(text), size)]
        # Some convert texts such as `null`, or leave out the white space at the ends of a value.
        return self.prepared(chunks, turn, len(chunks), has_strings_only=True)

    def seen(self, outputs: list[Any]) -> Turn:
        """Join the items, or the events, of all chunks."""
        text = ""
        found: list[dict[str, Any]] = []
        *fed, end = outputs
        for one in chain(*map(self._adapter.items, fed), end):
            if one.get("type") == "call":
                found.append(json.loads(one["content"]))
            elif "content" in one and one.get("type", "respond") == "respond":
                text += one["content"]
            elif "call" in one:
                found.append({"name": one["call"], "args": ""})
            elif "arguments" in one:
                piece = one["arguments"]
                found[-1]["args"] = found[-1]["args"] + piece if isinstance(piece, str) else piece
        return Turn("", text, found)


def formatted(series: str, name: str, size: int, chunk: int) -> Prepared:
    """Return the reading of a turn in a format, by the adapter that `series` names, or by cogwire.

    Where arguments are texts on the wire, all of the turn are strings, and the schemas say so.
    """
    is_text = cogwire.Parser(name).wire.calls.is_text
    turn = Turn("", prose(size // 2), calls(size // 2))
    adapter, _, package = series.partition(":")
    if adapter in {"", "deltas"}:
        parser = Parser(name, lambda: Ours(name, call_deltas=bool(adapter)), needs_prose=True)
    else:
        module = import_module(adapter)
        made = (
            module.of_package(package)(name)
            if package
            else module.reader(name, module.PARSERS[name])
        )
        tools = [_tool(tool, is_text=is_text) for tool in ARGUMENTS]
        parser = Parser(name, lambda: made(tools), needs_prose=False)
    return parser.formatted(in_strings(turn) if is_text else turn, chunk)


def _tool(name: str, *, is_text: bool) -> dict[str, Any]:
    types = ARGUMENTS[name].items()
    properties = {key: {"type": "string" if is_text else kind} for key, kind in types}
    return {"name": name, "parameters": {"type": "object", "properties": properties}}
