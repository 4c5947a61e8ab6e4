"""What is certain of a text that may continue, by the executable specification.

The readers here stop where the result depends on the text that follows.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tests.oracle.ledger import Ledger, Options
from tests.oracle.line import RESULTS, STATES, Lines, begins_marker, fresh, lower
from tests.oracle.reading import LINES, REACH_BACK, TAGS, parse, room_for_brackets
from tests.oracle.tags import LIVE_IN_PROSE, Tags
from tests.oracle.text import WELL_FORMED, WHITE, decode, is_high, sequence

Event = dict[str, Any]


@dataclass(frozen=True)
class Reading:
    """The events of a text, and the open segment at its end, as far as they are certain."""

    events: list[Event]
    state: str
    discarded: int
    tail: str
    #: `think`, `respond`, or nothing.
    kind: str = ""
    content: str = ""
    #: The text that belongs to no event yet, up to the end of `content`.
    raw: str = ""


class IncompleteError(Exception):
    """The text ends where its reading is not certain yet."""

    def __init__(self, state: str, kind: str = "", first: int = 0) -> None:
        super().__init__(state)
        self.state = state
        self.kind = kind
        self.first = first


class OpenTags(Tags):
    """A text with tags that may continue."""

    def emit_segment(self, kind: str, first: int, last: int) -> None:
        """Stop at a segment that the text ends in."""
        if last == len(self.characters):
            raise IncompleteError("think" if kind == "think" else "prose", kind, first)
        super().emit_segment(kind, first, last)

    def emit_error(self, code: str, offset: int, path: str, calls: int) -> None:
        """Stop at an error that only the end of the text causes."""
        if offset == len(self.characters):
            raise IncompleteError("results" if code.startswith("results-") else "execute")
        super().emit_error(code, offset, path, calls)

    def next_is_results(self) -> bool:
        """Stop where an opener may have begun; otherwise the think continues."""
        rest = self.characters[self.after_white() :]
        if self.start == "think" and rest != "<results>" and "<results>".startswith(rest):
            raise IncompleteError("think")
        return super().next_is_results()

    def skip_opener(self) -> int:
        """Stop within an incomplete opener."""
        rest = self.characters[self.after_white() :]
        if rest != "<think>" and "<think>".startswith(rest):
            raise IncompleteError("think")
        return super().skip_opener()


class OpenLines(Lines):
    """A text of a delimiter dialect that may continue."""

    #: The state of a text that ends where results may follow.
    waiting = "prose"

    def emit_segment(self, kind: str, first: int, last: int) -> None:
        """Stop at a segment that the text ends in."""
        if last == len(self.characters):
            raise IncompleteError(STATES[kind], kind if kind != "execute" else "", first)
        super().emit_segment(kind, first, last)

    def void(self, code: str, offset: int, path: str) -> None:
        """Stop at an error that only the end of the text causes."""
        if offset == len(self.characters):
            raise IncompleteError("execute")
        super().void(code, offset, path)

    def is_boundary(self, at: int) -> bool:
        """Do not treat the end of the text as a boundary."""
        return at < len(self.characters) and super().is_boundary(at)

    def results_follow(self) -> bool:
        """Stop where results may have begun."""
        rest = lower(self.characters[self.after_white() :])
        if any(lower(marker).startswith(rest) and lower(marker) != rest for marker in RESULTS):
            raise IncompleteError(self.waiting)
        return super().results_follow()

    def read_results(self) -> str:
        """Record that more results may follow."""
        self.waiting = "results"
        state = super().read_results()
        self.waiting = "prose"
        return state

    def body_end(self, marker: str) -> tuple[int, int]:
        """Stop at a body that may continue."""
        last, after = super().body_end(marker)
        if after == len(self.characters):
            raise IncompleteError("results")
        return last, after


@lru_cache(maxsize=4096)
def so_far(data: str | bytes, asked: tuple[str, Options]) -> Reading:
    """Read a text that may continue, in the dialect and with the options of `asked`."""
    dialect, options = asked
    text = decode(without_half(data))
    reading: OpenTags | OpenLines = (
        OpenLines(text, options)
        if dialect in LINES
        else OpenTags(text, options, read_block=TAGS[dialect], reach_back=REACH_BACK[dialect])
    )
    is_transcript = options.mode == "transcript"
    try:
        with room_for_brackets(min(options.limits.depth, len(text.characters))):
            state = reading.read_transcript() if is_transcript else reading.read_turn()
    except IncompleteError as end:
        return opened(reading, end)
    found = reading.outcome(state)
    return Reading(found.events, found.state, found.discarded, found.tail)


@lru_cache(maxsize=64)
def whole(data: str | bytes, asked: tuple[str, Options]) -> Reading:
    """Read a complete text, in the dialect and with the options of `asked`."""
    dialect, options = asked
    found = parse(data, dialect, **options._asdict())
    return Reading(found.events, found.state, found.discarded, found.tail)


def opened(reading: Ledger, end: IncompleteError) -> Reading:
    """Return a reading that stopped, with the certain part of its last segment."""
    text, raw = reading.characters, reading.raw
    if isinstance(reading, OpenLines):
        last = sure_by_lines(text, end.first)
    else:
        last = end.first + sure_length(text[end.first :], end.kind)
    content = text[end.first : last].strip(WHITE) if end.kind and not reading.held else ""
    until = end.first + len(text[end.first : last].rstrip(WHITE))
    shown = text[reading.claimed : until] if raw and content else ""
    tail = text[reading.claimed :] if raw else ""
    return Reading(reading.events, end.state, 0, tail, end.kind, content, shown)


def sure_length(text: str, kind: str) -> int:
    """Return the length of a segment in tags without an end that may begin a marker."""
    at = text.rfind("<")
    markers = ("</think>",) if kind == "think" else LIVE_IN_PROSE
    is_half = at >= 0 and any(marker.startswith(text[at:]) for marker in markers)
    return at if is_half else len(text)


def sure_by_lines(text: str, first: int) -> int:
    """Return the first place where a marker is allowed and may have begun, or the end."""
    return next((at for at in fresh(text, first) if begins_marker(text[at:])), len(text))


def without_half(data: str | bytes) -> str | bytes:
    """Return the data without an incomplete character at its end."""
    if isinstance(data, str):
        return data[:-1] if data and is_high(ord(data[-1])) else data
    at = 0
    while at < len(data):
        length, is_whole = sequence(data, at)
        if not is_whole and at + length == len(data) and begins_sequence(data[at]):
            return data[:at]
        at += length
    return data


def begins_sequence(byte: int) -> bool:
    """Return whether a character of several bytes may begin with this byte."""
    return any(row[0][0] <= byte <= row[0][1] for row in WELL_FORMED if len(row) > 1)
