"""Streams for parsers: texts of every dialect and ways to read them, as requests to an adapter.

A stream depends only on a seed and its number: stream `n` of seed `s` is always the same.  It is
of one of four kinds: `valid`; `damaged`, a valid one changed in a few places; `hostile`, pieces in
any order; and `steered`, which must have an error of one code.
"""

import base64
import random
from typing import Any, NamedTuple

from . import pools
from .elements import XmlElements
from .lines import Delimiter, DelimiterUpper
from .tags import XmlJson

__all__ = ["CODES", "DIALECTS", "KINDS", "Request", "Stream", "data_of", "stream"]

#: A request of the adapter protocol, without its id.
Request = dict[str, Any]
Dialect = XmlJson | XmlElements | Delimiter | DelimiterUpper

WRITERS: tuple[type[Dialect], ...] = (XmlJson, XmlElements, Delimiter, DelimiterUpper)
DIALECTS = tuple(writer.name for writer in WRITERS)
#: The codes of the errors of each dialect.
CODES = {writer.name: tuple(writer.codes) for writer in WRITERS}
KINDS = ("valid", "damaged", "hostile", "steered")

#: How often each dialect and each kind is chosen.
DIALECT_SHARES = (("xml-json", 0.4), ("xml-elements", 0.3), ("delimiter", 0.2), (DIALECTS[3], 1))
KIND_SHARES = (("valid", 0.2), ("damaged", 0.3), ("hostile", 0.2), ("steered", 1))


class Stream(NamedTuple):
    """The request for a parser."""

    request: Request
    kind: str
    #: The code of the error that a steered stream must have, or nothing.
    aim: str


def stream(seed: int | str, number: int, dialect: str | None = None) -> Stream:
    """Return stream `number` of `seed`; of `dialect`, or of any."""
    source = random.Random(f"{seed} {number}")
    name = chosen(source.random(), DIALECT_SHARES)
    writer = WRITERS[DIALECTS.index(dialect or name)]
    scale = 20 if source.random() < 0.01 else 1
    return Maker(writer(source, scale), chosen(source.random(), KIND_SHARES)).stream()


def chosen(place: float, shares: tuple[tuple[str, float], ...]) -> str:
    """Return the choice at a place from 0 to 1; the last choice has the remaining share."""
    for name, share in shares:
        if place < share:
            return name
        place -= share
    return shares[-1][0]


class Maker:
    """Makes one stream."""

    def __init__(self, writer: Dialect, kind: str) -> None:
        self.writer = writer
        self.kind = kind
        self.mode = writer.one(["turn", "turn", "transcript"])
        self.start = writer.one(["prose", "prose", "prose", "think"])
        self.one, self.chance, self.number = writer.one, writer.chance, writer.number

    def stream(self) -> Stream:
        """Write a text, and choose how to read it."""
        request: Request = {"op": "parse", "dialect": self.writer.name}
        aim = ""
        if self.kind == "steered":
            aim = self.one(self.writer.codes)
            if aim.startswith("results-"):
                self.mode = "transcript"
            fault = self.writer.fault(aim, self.mode, self.start)
            request |= {"limits": fault.limits} if fault.limits else {}
            request["chunks"] = [fault.text]
        else:
            self.fill(request)
        request |= {"mode": self.mode, "start": self.start}
        request |= {"stream": self.one(["event", "token"]), "raw": self.chance(0.5)}
        if self.chance(0.08):
            request["snapshots"] = [self.number(0, 5) for _ in range(3)]
        self.cut_up(request)
        return Stream(request, self.kind, aim)

    def fill(self, request: Request) -> None:
        """Write a text, or the texts of two turns, that need not have an error."""
        if self.mode == "turn" and self.chance(0.05):
            request["turns"] = [[self.text()] for _ in range(2)]
        else:
            request["chunks"] = [self.text()]
        if self.kind != "valid" and self.chance(0.2):
            request["limits"] = self.limits()
        if "chunks" in request and self.chance(0.03):
            request["close"] = False

    def text(self) -> str:
        """Write a text of the kind."""
        if self.kind == "hostile":
            return self.writer.one(self.writer.beginnings) + self.writer.some(self.writer.pieces, 8)
        valid = {"turn": self.writer.turn, "transcript": self.writer.transcript}
        text = valid[self.mode](self.start)
        if self.kind == "damaged":
            for _ in range(self.number(1, 3)):
                text = self.mutated(text)
        return text

    def mutated(self, text: str) -> str:
        """Damage a text in one place: leave out, replace, double, insert, or cut off."""
        start = self.number(0, len(text))
        stop = start + self.one([0, 0, 1, 1, 1, 2, 5, 20])
        piece = self.one(self.one([self.writer.pieces, pools.HALVES, pools.LOW_HALVES]))
        times = 50 if self.chance(0.01) else 2
        put = self.one(["", piece, self.one(self.writer.pieces), text[start:stop] * times])
        text = text[:start] + put + text[stop:]
        return text[: self.number(0, len(text))] if self.chance(0.1) else text

    def limits(self) -> dict[str, int]:
        """Choose limits that texts cross."""
        low = {"size": 120, "calls": 2, "depth": 5, "digits": 5}
        return {name: self.number(1, low[name]) for name in low if self.chance(0.5)}

    # --- Cuts ---------------------------------------------------------------------------------

    def cut_up(self, request: Request) -> None:
        """Cut the text into chunks, as a text or as bytes."""
        if "turns" in request:
            request["turns"] = [self.cut(text) for (text,) in request["turns"]]
        elif self.chance(0.15):
            (text,) = request.pop("chunks")
            chunks = self.cut(self.encoded(text))
            request["chunks_b64"] = [base64.b64encode(chunk).decode() for chunk in chunks]
        else:
            request["chunks"] = self.cut(request["chunks"][0])

    def cut(self, whole: Any) -> list[Any]:
        """Cut a text or bytes: not at all, into single ones, or in a few places."""
        kind = self.writer.random.random()
        if kind < 0.3:
            return [whole]
        if kind < 0.4:
            size = self.one([1, 2, 3, 7])
            return [whole[at : at + size] for at in range(0, len(whole), size)]
        places = sorted(self.number(0, len(whole)) for _ in range(self.number(1, 4)))
        return [whole[a:b] for a, b in zip([0, *places], [*places, len(whole)], strict=True)]

    def encoded(self, text: str) -> bytes:
        """Return the bytes of a text; if errors are allowed, some of them may be damaged."""
        data = text.encode("utf-8", "surrogatepass")
        if self.kind in ("damaged", "hostile"):
            for _ in range(self.one([0, 1, 2])):
                place = self.number(0, len(data))
                data = data[:place] + self.one(pools.BAD_BYTES) + data[place:]
        return data


def data_of(request: Request) -> list[list[Any]]:
    """Return the chunks of each turn, as texts or as bytes."""
    if "chunks_b64" in request:
        return [[base64.b64decode(chunk) for chunk in request["chunks_b64"]]]
    return [list(chunks) for chunks in request.get("turns", [request.get("chunks", [])])]
