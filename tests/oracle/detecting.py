"""Detecting the dialect of a text from the exact form of its markers."""

from .line import KEYWORDS, SYSTEM, Lines
from .literal import live_on_lines
from .reading import read_transcript
from .tags import LIVE_IN_PROSE, Tags
from .text import WHITE, decode

PROSE = "prose"
AMBIGUOUS = "ambiguous"

# The dialect shown by the first character of a block that is not white space.
BLOCKS = {"[": "xml-json", "<": "xml-elements"}


# conv-detect conv-detect-prose conv-detect-family conv-detect-other
# Returns the dialect, or why there is none.  The first marker determines how the text is read; a
# marker of the other family in the prose of this reading makes the text ambiguous.  One of the
# delimiter dialects counts at the start of a line, spaces and tabs aside.
def detect(data: str | bytes) -> str:
    text = decode(data).characters
    tags, lines = tag_places(text), live_on_lines(text)
    if not tags and not lines:
        return PROSE
    if not lines or (tags and tags[0] < lines[0]):
        reading = read_tags(text)
        return AMBIGUOUS if is_in_prose(reading, lines) else dialect_by_blocks(reading)
    reading = read_transcript(text, "delimiter")
    return AMBIGUOUS if is_in_prose(reading, tags) else dialect_by_case(reading)


# conv-detect-family
# A tag counts anywhere.
def tag_places(text: str) -> list[int]:
    return [at for at in range(len(text)) if text.startswith(LIVE_IN_PROSE, at)]


# conv-detect-other
# Inside a think, a block or results no marker counts.
def is_in_prose(reading: Tags | Lines, places: list[int]) -> bool:
    return any(
        event["type"] == "respond" and first <= at < first + len(event["content"])
        for event, (first, _) in zip(reading.events, reading.places, strict=True)
        for at in places
    )


# conv-detect-xml
# The first block that shows its dialect determines which of the two reads the text.
def read_tags(text: str) -> Tags | Lines:
    reading = read_transcript(text, "xml-json")
    first = dialects_of_blocks(reading)[:1]
    return reading if first != ["xml-elements"] else read_transcript(text, "xml-elements")


# conv-detect-xml
# The dialects that blocks show.
def dialects_of_blocks(reading: Tags | Lines) -> list[str]:
    found: list[str] = []
    for first, last in reading.markers:
        if reading.characters[first:last] == "<execute>":
            begins = reading.characters[last:].lstrip(WHITE)[:1]
            found += [BLOCKS[begins]] if begins in BLOCKS else []
    return found


# conv-detect-xml conv-detect-xml-ambiguous
def dialect_by_blocks(reading: Tags | Lines) -> str:
    shown = set(dialects_of_blocks(reading))
    return shown.pop() if len(shown) == 1 else AMBIGUOUS


# conv-detect-case
# Only the letters of the keywords count; `[SYSTEM: ` counts as upper case.
def dialect_by_case(reading: Tags | Lines) -> str:
    keywords = [reading.characters[first:last] for first, last in reading.markers]
    if all(keyword in KEYWORDS for keyword in keywords):
        return "delimiter"
    is_upper = all(
        keyword == SYSTEM or not any("a" <= letter <= "z" for letter in keyword)
        for keyword in keywords
    )
    return "delimiter-upper" if is_upper else AMBIGUOUS
