"""A whole text, read in one of the four dialects."""

from . import xml_block, xml_json
from .block import DEFAULT_LIMITS, Limits
from .json_block import room_for_brackets
from .ledger import Outcome
from .line import Lines
from .tags import Tags
from .text import decode

#: The inside of a block in the dialects with tags; the others have their markers on lines.
TAGS = {"xml-json": xml_json.read_block, "xml-elements": xml_block.read_block}
# xj-skip xe-void
REACH_BACK = {"xml-json": 0, "xml-elements": len("</execute>") - 1}
LINES = ("delimiter", "delimiter-upper")
DIALECTS = (*TAGS, *LINES)


# m-law-never-raises dl-one-reader xe-shared
def parse(
    data: str | bytes,
    dialect: str = "xml-json",
    *,
    mode: str = "turn",
    start: str = "prose",
    raw: bool = False,
    spans: bool = False,
    limits: tuple[int, int, int, int] = DEFAULT_LIMITS,
) -> Outcome:
    """Read `data` as one turn or as a transcript; `limits` are size, calls, depth and digits."""
    if mode not in ("turn", "transcript") or start not in ("prose", "think"):
        raise ValueError(f"mode {mode!r}, start {start!r}")
    bounds = Limits(*limits)
    reading = reader(data, dialect, mode=mode, start=start, raw=raw, spans=spans, limits=bounds)
    with room_for_brackets(min(reading.limits.depth, len(reading.characters))):
        state = reading.read_transcript() if mode == "transcript" else reading.read_turn()
    return reading.outcome(state)


# dl-one-reader xe-shared
# What reads a text of this dialect, at its beginning.
def reader(
    data: str | bytes,
    dialect: str,
    *,
    mode: str = "transcript",
    start: str = "prose",
    raw: bool = False,
    spans: bool = False,
    limits: Limits = DEFAULT_LIMITS,
) -> Tags | Lines:
    if dialect not in DIALECTS:
        raise ValueError(f"dialect {dialect!r}")
    text = decode(data)
    if dialect in LINES:
        return Lines(text, mode, start, limits, raw=raw, spans=spans)
    inside, reach = TAGS[dialect], REACH_BACK[dialect]
    tags = {"read_block": inside, "reach_back": reach}
    return Tags(text, mode, start, limits, raw=raw, spans=spans, **tags)


# m-limits-default
# A transcript, with what the reading knows beside its events.
def read_transcript(text: str, dialect: str, limits: Limits = DEFAULT_LIMITS) -> Tags | Lines:
    reading = reader(text, dialect, limits=limits)
    with room_for_brackets(min(limits.depth, len(text))):
        reading.state = reading.read_transcript()
    return reading
