"""Messages from pieces: the pieces of one role in a row are one message."""

import itertools
from dataclasses import dataclass, field
from typing import Any

from .framing import joint, marker
from .reading import LINES
from .text import decode, is_high, is_low

# msg-report-codes msg-report-order
# In the order of the table, which is the order of the entries of one event.
CODES = (
    "trimmed",
    "dropped",
    "retyped",
    "neutralised",
    "joined",
    "orphan",
    "surplus",
    "void",
    "moved",
    "completed",
    "mismatch",
)


# msg-role
@dataclass
class Piece:
    """A text of one role, and the data that determines how it is joined to its neighbours."""

    role: str
    text: str
    # The place of the event for which a lost boundary before this piece is reported.
    index: int
    # `user`, `results`, `think`, `respond`, `block` or `replay`.
    kind: str
    # Whether it ends the turn by itself: in an execute or an end marker.
    ends: bool = False
    # Of a replay: the entries that are reported if it is written, and, if it leaves a think, a
    # block or forged results open, the turn without `raw`.
    entries: list[dict[str, Any]] = field(default_factory=list)
    otherwise: "Assembly | None" = None


@dataclass
class Assembly:
    """The messages written so far."""

    dialect: str
    pieces: list[Piece] = field(default_factory=list)
    report: list[dict[str, Any]] = field(default_factory=list)

    # msg-turn-xml
    @property
    def by_lines(self) -> bool:
        return self.dialect in LINES

    # msg-report msg-report-codes msg-report-events msg-report-each
    # Each change has an entry, with the place of its event.
    def change(self, index: int, code: str) -> None:
        self.report.append({"index": index, "code": code})

    # msg-surrogates
    # A lone surrogate becomes U+FFFD; a surrogate pair is one character.
    def repaired(self, text: str, index: int) -> str:
        found = decode(text).characters
        halves = sum(is_high(ord(character)) or is_low(ord(character)) for character in text)
        for _ in range(halves - (len(text) - len(found))):
            self.change(index, "neutralised")
        return found


# msg-merge msg-roles msg-joined msg-after-results
# The pieces of one role in a row are one message.  In `delimiter` a marker ends the last body before
# a user's text.
def joined(assembly: Assembly) -> list[dict[str, str]]:
    pieces = closed_replays(assembly)
    written: list[dict[str, str]] = []
    for number, piece in enumerate(pieces):
        following = pieces[number + 1] if number + 1 < len(pieces) else None
        text = piece.text + end_after(assembly, piece, following)
        before = pieces[number - 1] if number else None
        if before is None or before.role != piece.role:
            written.append({"role": piece.role, "content": text})
            continue
        if before.kind == "results" and assembly.dialect == "delimiter":
            text = marker("end", assembly.dialect) + "\n" + text
        written[-1]["content"] += joint(assembly.dialect) + text
        if loses_boundary(before, piece, assembly):
            assembly.change(piece.index, "joined")
    return written


# msg-replay-open msg-report-written
# A replay that leaves something open is written without its `raw` if more text is joined after it.
def closed_replays(assembly: Assembly) -> list[Piece]:
    closed: list[Piece] = []
    for piece, following in itertools.pairwise([*assembly.pieces, Piece("", "", 0, "")]):
        if piece.otherwise is None or following.role != piece.role:
            closed.append(piece)
            assembly.report += piece.entries
        else:
            closed += piece.otherwise.pieces
            assembly.report += piece.otherwise.report
    return closed


# msg-end msg-no-end
# In the delimiter dialects an assistant's message ends in an execute or an end marker, and so do
# the parts on either side of a replay, which may begin without a marker, and is a separate turn.
def end_after(assembly: Assembly, piece: Piece, following: Piece | None) -> str:
    is_last = following is None or following.role != piece.role
    is_apart = piece.kind == "replay" or (following is not None and following.kind == "replay")
    if not assembly.by_lines or piece.role == "user" or piece.ends or not (is_last or is_apart):
        return ""
    return "\n" + marker("end", assembly.dialect)


# msg-joined
# The boundaries that are lost: those of a user's texts, of a replay, and of two runs of prose in the
# xml dialects.
def loses_boundary(before: Piece, piece: Piece, assembly: Assembly) -> bool:
    kinds = (before.kind, piece.kind)
    return (
        kinds == ("user", "user")
        or "replay" in kinds
        or (kinds == ("respond", "respond") and not assembly.by_lines)
    )
