"""Streams for parsers: texts of every dialect and ways to read them, as requests to an adapter.

The texts are those of `cogwire_kit.strategies`.  A stream depends only on a seed and its number:
stream `n` of seed `s` is always the same.  It is of one of four kinds: `valid`; `steered`, with one
error of a code; `damaged`, either of these changed in a few places; and `hostile`, pieces in any
order.
"""

import base64
import functools
import random
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cogwire_kit import strategies as make
from cogwire_kit.strategies import CODES, DIALECTS, Document
from cogwire_kit.strategies._texts import byte_texts

__all__ = ["CODES", "DIALECTS", "KINDS", "Request", "Stream", "data_of", "stream"]

Drawn = TypeVar("Drawn")
#: A request of the adapter protocol, without its id.
Request = dict[str, Any]

KINDS = ("valid", "damaged", "hostile", "steered")
#: How often each kind is chosen of a document, and of a text with a fault.
OF_DOCUMENTS = ("valid", "valid", "damaged", "damaged", "hostile")
OF_FAULTS = ("steered", "steered", "steered", "damaged", "hostile")
#: How often each dialect is chosen.
SHARES = (4, 3, 2, 1)
#: The codes of the faults of each dialect, in turn; those of grammar have by far the most forms.
TURNS = {
    dialect: (*codes, *5 * [code for code in codes if code.endswith("-syntax")])
    for dialect, codes in CODES.items()
}
#: As many streams in a row are made of one text, since reading one is faster than writing one.
FAMILY = 4
#: The random bytes from which Hypothesis takes its choices; nearly every text needs fewer.
CHOICES = 1 << 14


class Stream(NamedTuple):
    """The request for a parser."""

    request: Request
    kind: str
    #: The code of the error that a steered stream must have, or nothing.
    aim: str = ""


def stream(seed: int | str, number: int, dialect: str | None = None) -> Stream:
    """Return stream `number` of `seed`; of `dialect`, or of any."""
    family, place = divmod(number, FAMILY)
    return family_of(seed, family, dialect)[place]


@functools.lru_cache(maxsize=512)
def family_of(seed: int | str, number: int, dialect: str | None) -> list[Stream]:
    """Return the streams of one text."""
    source = random.Random(f"{seed} {number}")
    return drawing(*subject(seed, number, dialect))(source)


def subject(seed: int | str, number: int, dialect: str | None = None) -> tuple[str, str | None]:
    """Return the dialect of a family and the code of its fault, which every other one has."""
    [name] = random.Random(f"{seed} {number} dialect").choices(DIALECTS, SHARES)
    codes = TURNS[dialect or name]
    turn, has_fault = divmod(number, 2)
    return dialect or name, codes[turn % len(codes)] if has_fault else None


@functools.cache
def drawing(dialect: str, code: str | None) -> Callable[[random.Random], list[Stream]]:
    """Return a function that makes the streams of one text."""
    return from_choices(families(dialect, code))


def from_choices(strategy: st.SearchStrategy[Drawn]) -> Callable[[random.Random], Drawn]:
    """Return a function that draws from a strategy, with the choices of a random source."""
    found: list[Drawn] = []

    @settings(database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(strategy)
    def find(drawn: Drawn) -> None:
        found[:] = [drawn]

    def draw(source: random.Random) -> Drawn:
        found.clear()
        while not found:  # too few choices make none
            find.hypothesis.fuzz_one_input(source.randbytes(CHOICES))
        return found[0]

    return draw


@st.composite
def families(draw: st.DrawFn, dialect: str, code: str | None) -> list[Stream]:
    """Draw a text, and streams of it."""
    drawn = make.documents(dialect) if code is None else make.faults(dialect, code)
    written, kinds = draw(drawn), OF_DOCUMENTS if code is None else OF_FAULTS
    return [draw(streams(written, draw(st.sampled_from(kinds)), code or "")) for _ in range(FAMILY)]


@st.composite
def streams(draw: st.DrawFn, written: Document, kind: str, code: str) -> Stream:
    """Draw a way to read a text as it was written, or damaged, or a hostile one in its place."""
    request: Request = {"op": "parse", **written.options}
    request |= {"stream": draw(make.streams)}
    request |= {"raw": draw(st.booleans()), "spans": draw(st.booleans())}
    if draw(chances(0.08)):
        request["snapshots"] = draw(st.lists(st.integers(0, 5), max_size=3))
    if kind in ("valid", "steered"):
        data = written.data
        if isinstance(data, str) and is_text(data) and draw(chances(0.15)):
            data = data.encode()
        return Stream(request | draw(cut(data)), kind, code)
    request |= {"mode": draw(make.modes), "start": draw(make.starts)}
    if draw(chances(0.2)):
        limits = draw(make.limits)
        request["limits"] = dict(zip(("size", "calls", "depth", "digits"), limits, strict=True))
    texts = others(written, kind)
    if draw(chances(0.05)) and request["mode"] == "turn":
        turns = [draw(cut(draw(texts)))["chunks"] for _ in range(2)]
        return Stream(request | {"turns": turns}, kind)
    if draw(chances(0.03)):
        request["close"] = False
    texts = byte_texts(texts) if draw(chances(0.15)) else texts
    return Stream(request | draw(cut(draw(texts))), kind)


def others(written: Document, kind: str) -> st.SearchStrategy[str]:
    """Draw a text with any or no error."""
    dialect, data = written.options["dialect"], written.data
    if kind == "hostile":
        return make.hostile_texts(dialect)
    text = data if isinstance(data, str) else data.decode(errors="replace")
    return make.mutated(st.just(text), make.hostile_pieces(dialect))


def chances(part: float) -> st.SearchStrategy[bool]:
    """Draw yes in so many of all times."""
    return st.integers(0, 99).map(lambda place: place >= 100 - 100 * part)


def is_text(data: str) -> bool:
    """Whether a text has no half of a surrogate pair."""
    return data.isascii() or not any("\ud800" <= character <= "\udfff" for character in data)


@st.composite
def cut(draw: st.DrawFn, data: str | bytes) -> Request:
    """Draw the chunks of a text or of bytes, as members of a request."""
    chunks = make.split(data, draw(make.chunkings(data)))
    if isinstance(data, bytes):
        return {"chunks_b64": [base64.b64encode(chunk).decode() for chunk in chunks]}
    return {"chunks": chunks}


def data_of(request: Request) -> list[list[Any]]:
    """Return the chunks of each turn, as texts or as bytes."""
    if "chunks_b64" in request:
        return [[base64.b64decode(chunk) for chunk in request["chunks_b64"]]]
    return [list(chunks) for chunks in request.get("turns", [request.get("chunks", [])])]
