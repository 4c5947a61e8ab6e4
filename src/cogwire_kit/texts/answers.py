# SPDX-License-Identifier: MIT
"""The results of a turn at the beginning of the user's message after it."""

from collections.abc import Iterable, Iterator

from cogwire import Span, spans
from cogwire.tooling import SpanKind, Start, notation


def answer_pieces(
    turn: str, message: str, dialect: str, start: Start
) -> Iterator[tuple[SpanKind, str]]:
    """Yield the results of `turn` that `message` begins with, piece by piece: kind and text.

    They end with their last character that is not white space; there may be none.  `start` is what
    the turn begins in.
    """
    joint = notation(dialect).joint
    if may_answer(message, dialect):
        text = f"{turn}{joint}{message}"
        yield from answer_in(text, len(turn) + len(joint), spans(text, dialect, start=start))


def may_answer(message: str, dialect: str) -> bool:
    """Whether `message` holds anything that could pass for results."""
    return any(notation(dialect).unsafe_in(message))


def answer_in(text: str, base: int, pieces: Iterable[Span]) -> Iterator[tuple[SpanKind, str]]:
    """Yield the results at `base` in `text`, whose spans are `pieces`, as `answer_pieces` does."""
    white: tuple[SpanKind, str] | None = None
    for piece in pieces:
        if piece.end <= base:
            continue
        if piece.author != "system":
            return
        part = text[max(piece.start, base) : piece.end]
        if piece.kind == "white":
            white = "white", part
            continue
        if white is not None:
            yield white
            white = None
        yield piece.kind, part
