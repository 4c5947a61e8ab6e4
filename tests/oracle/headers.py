"""Headers: from a marker to another, with words between them that say what follows."""

import re
from typing import Any, NamedTuple

from .block import Block
from .text import WHITE

# fd-header-length
LONGEST = 256


# fd-header-words
class Words(NamedTuple):
    """What the words of a header say: what follows, and where the name of a tool in it begins."""

    kind: str
    name_at: int = 0


# fd-header-words fd-header-call
# The words of the header `text`, or nothing if it is not a header.
def read_words(header: dict[str, Any], text: str) -> Words | None:
    prefixes = header.get("call", [])
    prefixes = [prefixes] if isinstance(prefixes, str) else prefixes
    names: list[int] = []
    known: set[str] = set()
    every = words(text, header["open"])
    for at, word in every:
        fitting = [prefix for prefix in prefixes if word.startswith(prefix)]
        if word in header.get("think", []):
            known.add("think")
        elif word in header.get("prose", []):
            known.add("prose")
        elif fitting:
            names.append(at + max(map(len, fitting)))
    # fd-header-one-word
    if "" in prefixes and (every != [(0, text)] or not text):
        return None
    if len(names) > 1:
        return None
    if names:
        return Words("name", names[0])
    return Words("think" if "think" in known else "prose")


# fd-header-words
# The words of a text, with their places: white space and these markers are between them.
def words(text: str, markers: list[str]) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    begin = at = 0
    while at <= len(text):
        end = break_at(text, at, markers)
        if at == len(text) or end > at:
            if at > begin:
                found.append((begin, text[begin:at]))
            begin = at = max(end, at + (at == len(text)))
        else:
            at += 1
    return found


# fd-header-words
# Where white space or a marker at a place ends.
def break_at(text: str, at: int, markers: list[str]) -> int:
    ends = [at + len(marker) for marker in markers if text.startswith(marker, at)]
    return max(ends) if ends else at + (text[at : at + 1] in [*WHITE])


# fd-header-call
# The rest of a header from the name of a tool on, which is known to end.  Returns the name.
def read_name(block: Block, header: dict[str, Any]) -> str:
    ends = [*header["open"], header["close"]]
    name = ""
    while break_at(block.text.characters, block.at, ends) == block.at:
        name += block.peek()
        block.accept()
    if name in ("", "execute"):
        raise block.error("bad-name")
    closer = header["close"]
    rest = re.compile(re.escape(closer)).search(block.text.characters, block.at)
    while rest and block.at < rest.end():
        block.peek()
        block.accept()
    return name
