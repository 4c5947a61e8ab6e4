"""Markers in plain text: where they would be live, and the literal form that replaces them."""

from typing import Any

from .described import several
from .ledger import Options
from .line import SYSTEM, Lines, fresh, lower
from .reading import LINES, parse
from .tags import LIVE_IN_PROSE
from .text import WHITE, decode

# m-literal-form dl-literal
LITERAL = {"<": "&lt;", "§": "&sect;", "[": "&#91;"}

# In a user's text these could be read as results, in any ASCII case.
USER_TAGS = ("<results>", "</results>")
USER_LINES = ("§result:", "[system: ")


# conv-neutralise msg-neutralise-model msg-neutralise-user
# The literal form of a marker replaces its first character.
def neutralised(text: str, places: list[int]) -> str:
    return "".join(
        LITERAL.get(character, f"&#{ord(character)};") if at in places else character
        for at, character in enumerate(text)
    )


# conv-neutralise msg-neutralise-model
# Where a marker would be live in a `respond`, or end a `think`.
def live_markers(text: str, kind: str, dialect: str) -> list[int]:
    if dialect in LINES:
        return live_on_lines(text)
    markers = ("</think>",) if kind == "think" else LIVE_IN_PROSE
    return [at for at in range(len(text)) if text.startswith(markers, at)]


# dl-live dl-fresh
# In the delimiter dialects every live marker ends a think as well as prose.  The text follows a
# marker, where every place is fresh; a marker in its literal form is content, after which no place
# is fresh.
def live_on_lines(text: str) -> list[int]:
    reading = Lines(decode(text), Options())
    return [at for at in fresh(reading.characters) if reading.marker_at(at)]


# msg-neutralise-user
# Text that could be read as a results marker in a user's text.  In the delimiter dialects, in which
# nothing frames a user's text, this is every marker at the start of a line, after no more than
# spaces and tabs, in any case.
def markers_of_user(text: str, dialect: str) -> list[int]:
    if dialect not in LINES:
        return [at for at in range(len(text)) if lower(text[at : at + 10]).startswith(USER_TAGS)]
    results = {
        at for at in fresh(text) if lower(text[at : at + len(SYSTEM)]).startswith(USER_LINES)
    }
    return sorted({*live_on_lines(text), *results})


# ---- Formats by description ----


# msg-trim msg-surrogates msg-neutralise-model msg-neutralise-user
# A text without its halves of surrogate pairs and the white space around it, as it is written.
def written(text: str, kind: str, described: dict[str, Any]) -> str:
    text = decode(text).characters.strip(WHITE)
    places = places_of_user(text, described) if kind == "user" else unsafe(text, kind, described)
    safe = neutralised(text, places)
    if kind != "user" and text and is_misread(safe, kind, described):
        return neutralised(safe, [0])
    return safe


# msg-neutralise-user
def places_of_user(text: str, described: dict[str, Any]) -> list[int]:
    opener, closer = described.get("result", ["", ""])
    markers = tuple(lower(marker) for marker in [*several(opener), *several(closer)])
    return [at for at in range(len(text)) if lower(text).startswith(markers, at)]


# conv-neutralise msg-neutralise-model
# Each marker that is live in the text, or that what is written after it may complete, unless the
# literal form of another one in it is enough.
def unsafe(text: str, kind: str, described: dict[str, Any]) -> list[int]:
    markers = live_in(kind, described)
    line = f"{text}{closer_of(described)}\n" if kind == "think" else f"{text}\n"
    places = [at for at in range(len(text)) if line.startswith(markers, at)]
    return places + [
        at
        for at in range(max([-1, *places]) + 1, len(text))
        if any(marker.startswith(line[at:]) for marker in markers)
    ]


# msg-neutralise-model fd-live fd-think-ends-at-call fd-header-written
# The markers that are live in prose, or that end a think.  A marker that may begin a header is one.
def live_in(kind: str, described: dict[str, Any]) -> tuple[str, ...]:
    calls = [*several(described.get("section", ["", ""])[0]), *several(described["call"][0])]
    calls += described.get("header", {}).get("open", [])
    thinks = described.get("think", ["<think>", "</think>"])
    if kind == "think":
        ends_at_call = described.get("think_ends_at_call", False)
        return (*several(thinks[1]), *(calls if ends_at_call else []))
    results = several(described.get("result", ["", ""])[0])
    others = [*described.get("ends", []), *described.get("ignored", [])]
    return (*several(thinks[0]), *calls, *results, *others)


# fd-several
# The first of several is written.
def closer_of(described: dict[str, Any]) -> str:
    return several(described.get("think", ["<think>", "</think>"])[1])[0]


# msg-neutralise-model fd-bare-literal
# Whether the beginning of a text makes another marker of the opener of its think, or begins a call
# without a marker.
def is_misread(text: str, kind: str, described: dict[str, Any]) -> bool:
    line = f"{text}\n"
    if kind == "think":
        opener = several(described.get("think", ["<think>", "</think>"])[0])[0]
        line = f"{opener}{text}{closer_of(described)}\n"
    elif not described.get("bare"):
        return False
    return parse(line, described).events != [{"type": kind, "content": text}]
