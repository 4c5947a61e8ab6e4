"""A whole text, read in one of the four dialects."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from . import xml_block, xml_json
from .block import Limits
from .ledger import Outcome
from .line import Lines
from .tags import Tags
from .text import decode

#: The inside of a block in the dialects with tags; the others have their markers on lines.
TAGS = {"xml-json": xml_json.read_block, "xml-elements": xml_block.read_block}
REACH_BACK = {"xml-json": 0, "xml-elements": len("</execute>") - 1}
LINES = ("delimiter", "delimiter-upper")
DIALECTS = (*TAGS, *LINES)


def parse(
    data: str | bytes,
    dialect: str = "xml-json",
    *,
    mode: str = "turn",
    start: str = "prose",
    raw: bool = False,
    limits: tuple[int, int, int, int] = (8_388_608, 256, 128, 1000),
) -> Outcome:
    """Read `data` as one turn or as a transcript; `limits` are size, calls, depth and digits."""
    if dialect not in DIALECTS:
        raise ValueError(f"dialect {dialect!r}")
    if mode not in ("turn", "transcript") or start not in ("prose", "think"):
        raise ValueError(f"mode {mode!r}, start {start!r}")
    text = decode(data)
    most = Limits(*limits)
    reading: Tags | Lines = (
        Lines(text, mode, start, most, raw=raw)
        if dialect in LINES
        else Tags(
            text,
            mode,
            start,
            most,
            raw=raw,
            read_block=TAGS[dialect],
            reach_back=REACH_BACK[dialect],
        )
    )
    with room_for_brackets(min(most.depth, len(text.characters))):
        state = reading.read_transcript() if mode == "transcript" else reading.read_turn()
    return reading.outcome(state)


# A bracket takes two frames of Python's stack.
@contextmanager
def room_for_brackets(depth: int) -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(before + 2 * depth)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
