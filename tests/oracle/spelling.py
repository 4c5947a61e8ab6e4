"""JSON as text: the spelling that is kept when it is read as a value, taken apart or rewritten.

The texts here are valid JSON; `Number` keeps the spelling of a number, which a value would lose.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from .block import NO_LIMITS
from .json_block import is_json, room_for_brackets
from .line import lower
from .reading import LINES
from .text import WHITE, decode

# res-lookalike
# The words of the lookalikes.
TAG_WORDS = ("think", "execute", "results", "end")
# dl-lookalike
LINE_WORDS = ("think", "call", "execute", "respond", "result", "end")

# A string, a punctuation mark, a number or a word; white space is between them.
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[][{},:]|[^][{},:" \t\n\r]+', re.DOTALL)


# res-numbers
@dataclass(frozen=True)
class Number:
    """A number that was read from JSON, with its spelling."""

    spelling: str


# ---- Values ----


# xj-json
# A JSON text as the rules of blocks read it, whatever its size and depth; numbers keep their
# spelling.  A string with a lone surrogate is not text.
def value(text: str) -> Any:
    text = text.strip(WHITE)
    if decode(text).characters != text or not is_json(text, NO_LIMITS, 1):
        raise ValueError("not JSON")
    return plain_json(text)


# msg-results-text
# JSON as RFC 8259 defines it, and nothing more: other rules are checked where they apply.  Returns
# nothing where the text is not JSON.
def plain_json(text: str) -> Any:
    try:
        with room_for_brackets(min(len(text), 5000)):
            return json.loads(text, parse_int=Number, parse_float=Number, parse_constant=refuse)
    except (ValueError, RecursionError):
        return None


# xj-json
# `NaN` and the infinities are not JSON.
def refuse(constant: str) -> None:
    raise ValueError(constant)


# ---- Parts ----


# dl-write-spelling
# The texts of the elements between the outermost brackets, each without white space around it.
def inner_texts(text: str) -> list[str]:
    found: list[str] = []
    depth = first = 0
    for token in TOKEN.finditer(text):
        depth -= token[0] in ("]", "}")
        if depth == 0 or (depth == 1 and token[0] == ","):
            found.append(text[first : token.start()].strip(WHITE))
            first = token.end()
        depth += token[0] in ("[", "{")
    # There is nothing before the first bracket, nor in an empty pair of brackets.
    return [each for each in found if each]


# dl-write-spelling
# The texts of the values of an object, by name.
def member_texts(text: str) -> dict[str, str]:
    members: dict[str, str] = {}
    for member in inner_texts(text):
        name, colon = list(TOKEN.finditer(member))[:2]
        members[json.loads(name[0])] = member[colon.end() :].strip(WHITE)
    return members


# msg-bodies dl-write-spelling
# An object with only those of its members that have one of these names.  Where several have the
# same name, the last one counts, in the position of the first.
def only(names: tuple[str, ...], text: str) -> str:
    kept: dict[str, str] = {}
    for member in inner_texts(text):
        name = json.loads(TOKEN.findall(member)[0])
        if name in names:
            kept[name] = member
    return "{" + ", ".join(kept.values()) + "}"


# ---- Rewriting ----


# res-one-line dl-write-spelling
# ", " between members and elements, ": " after names, and no other white space outside of strings.
def on_one_line(text: str) -> str:
    return "".join({",": ", ", ":": ": "}.get(token, token) for token in TOKEN.findall(text))


# res-lookalike dl-lookalike res-no-marker
# The first character of every lookalike is escaped.  Lookalikes occur only in strings.
def without_lookalikes(text: str, dialect: str) -> str:
    return "".join(
        f"\\u{ord(character):04x}" if is_lookalike(text, at, dialect) else character
        for at, character in enumerate(text)
    )


# res-lookalike dl-lookalike
# In the xml dialects `<` or `</` and one of the words, in the others `§` and one of the words or
# `[SYSTEM: `; in any ASCII case, whatever follows.
def is_lookalike(text: str, at: int, dialect: str) -> bool:
    if text[at] not in "<§[":
        return False
    after = lower(text[at + 1 : at + 11])
    if dialect in LINES:
        return (text[at] == "§" and after.startswith(LINE_WORDS)) or (
            text[at] == "[" and after.startswith("system: ")
        )
    return text[at] == "<" and after.removeprefix("/").startswith(TAG_WORDS)


# res-lookalike dl-lookalike
# The places of the lookalikes.
def lookalikes(text: str, dialect: str) -> list[int]:
    return [at for at in range(len(text)) if is_lookalike(text, at, dialect)]
