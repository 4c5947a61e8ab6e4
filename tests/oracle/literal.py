"""Markers in plain text: where they would be live, and the literal form that replaces them."""

from .ledger import Options
from .line import SYSTEM, Lines, fresh, lower
from .reading import LINES
from .tags import LIVE_IN_PROSE
from .text import decode

# m-literal-form dl-literal
LITERAL = {"<": "&lt;", "§": "&sect;", "[": "&#91;"}

# In a user's text these could be read as results, in any ASCII case.
USER_TAGS = ("<results>", "</results>")
USER_LINES = ("§result:", "[system: ")


# conv-neutralise msg-neutralise-model msg-neutralise-user
# The literal form of a marker replaces its first character.
def neutralised(text: str, places: list[int]) -> str:
    return "".join(
        LITERAL[character] if at in places else character for at, character in enumerate(text)
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
