"""A whole text, read in a dialect, a format that models are trained on, or a described format."""

import functools
import json
from pathlib import Path
from typing import Any

from . import xml_block, xml_json
from .block import DEFAULT_LIMITS, Limits
from .described import Described
from .json_block import room_for_brackets
from .ledger import Options, Outcome
from .line import Lines
from .tags import Tags
from .text import decode

#: The inside of a block in the dialects with tags; the delimiter dialects have no such inside.
TAGS = {"xml-json": xml_json.read_block, "xml-elements": xml_block.read_block}
# xj-skip xe-void
REACH_BACK = {"xml-json": 0, "xml-elements": len("</execute>") - 1}
LINES = ("delimiter", "delimiter-upper")
DIALECTS = (*TAGS, *LINES)
# The formats that models are trained on, of which one turn is read, are described in the corpus.
FORMATS = Path(__file__).parents[2] / "conformance" / "formats"

CHOICES = {
    "mode": ("turn", "transcript"),
    "start": ("prose", "think", "header"),
    "calls": ("shown", "sealed"),
}


# m-law-never-raises dl-one-reader xe-shared
def parse(
    data: str | bytes,
    dialect: str | dict[str, Any] = "xml-json",
    *,
    limits: tuple[int, int, int, int] = DEFAULT_LIMITS,
    **options: Any,
) -> Outcome:
    """Read `data` as `options` say; `limits` are size, calls, depth and digits.

    In place of the name of a dialect there may be the description of a format.
    """
    reading = reader(data, dialect, Options(**options, limits=Limits(*limits)))
    with room_for_brackets(min(reading.limits.depth, len(reading.characters))):
        state = reading.read_transcript() if reading.mode == "transcript" else reading.read_turn()
    return reading.outcome(state)


# tr-markers tr-arguments tr-mistral-markers tr-mistral-head tr-mistral-end tr-qwen-call
# tr-qwen-parameter tr-qwen-value tr-qwen-bare tr-glm-call tr-glm-argument tr-glm-value tr-glm-closer
# tr-llama-shared tr-llama-markers tr-llama-call
# The description of a format; nothing for a dialect of the protocol.
@functools.cache
def description(name: str) -> dict[str, Any] | None:
    if name in DIALECTS:
        return None
    place = FORMATS / name / "description.json"
    if not place.is_file():
        raise ValueError(f"dialect {name!r}")
    found: dict[str, Any] = json.loads(place.read_text("utf-8"))
    return found


# dl-one-reader xe-shared
# The reader of a text of this dialect, at its beginning.
def reader(
    data: str | bytes, dialect: str | dict[str, Any], options: Options
) -> Tags | Lines | Described:
    described = description(dialect) if isinstance(dialect, str) else dialect
    for name, choices in CHOICES.items():
        if getattr(options, name) not in choices:
            raise ValueError(f"{name} {getattr(options, name)!r}")
    text = decode(data)
    if described is not None:
        return Described(text, options, described)
    if dialect in LINES:
        return Lines(text, options)
    inside, reach = TAGS[dialect], REACH_BACK[dialect]
    return Tags(text, options, read_block=inside, reach_back=reach)


# m-limits-default
# A transcript, with what reading it determines besides its events.
def read_transcript(text: str, dialect: str, limits: Limits = DEFAULT_LIMITS) -> Tags | Lines:
    reading = reader(text, dialect, Options(mode="transcript", limits=limits))
    with room_for_brackets(min(limits.depth, len(text))):
        reading.state = reading.read_transcript()
    return reading
