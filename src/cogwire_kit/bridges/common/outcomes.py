# SPDX-License-Identifier: MIT
"""The outcome of a call as one text, for APIs whose results are only a text.

Law: `read_outcome(write_outcome(outcome))` is the same outcome, if readers of blocks accept its
JSON: if it repeats no member's name and has no number beyond the range of doubles.

A success is written directly: a string as its text, any other value as its JSON.  Text that is
JSON, except for strings, is read as its value.  A failure, and a success that would be read
differently, is written as `{"status": …, "content": …}`, the item that results have on the wire.
"""

import json
import re
from typing import Any, Final, Literal, NamedTuple

from cogwire.tooling import WHITE, member, same_json, sound
from cogwire_kit.texts.numbers import json_of

_STRICT: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_LAX: Final = json.JSONEncoder(ensure_ascii=False)
_ITEM: Final = {"status", "content"}
#: An escape in a JSON string: of a pair of surrogates, of one half alone, or any other.
_ESCAPE: Final = re.compile(
    r"\\(?:(?P<pair>u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
#: What JSON begins with, and prose rarely.
_FIRST: Final = frozenset('{["-0123456789tfn')


class CallOutcome(NamedTuple):
    """The outcome of a call."""

    status: Literal["success", "failure"]
    #: The JSON text of the result; for a failure it is a string.
    content: str


def exact(text: str) -> Any:
    """Return the value of JSON text, or `None` if readers of blocks do not accept it."""
    if text[:1] not in _FIRST:
        return None
    return sound(_ESCAPE.sub(_spelled, text) if r"\u" in text else text)


def _spelled(escape: re.Match[str]) -> str:
    """Return an escape as `sound`, which refuses all that may be half a character, accepts it."""
    if escape["pair"]:
        high, low = int(escape[0][2:6], 16), int(escape[0][8:], 16)
        return chr(0x10000 + ((high & 0x3FF) << 10) + (low & 0x3FF))
    return r"\u005c" if escape[0] == r"\\" else escape[0]


def with_whole_characters(text: str) -> str:
    """Return JSON text with the escape of U+FFFD in place of each escaped lone surrogate."""
    if r"\ud" not in text and r"\uD" not in text:
        return text
    return _ESCAPE.sub(lambda found: r"\ufffd" if found["half"] else found[0], text)


def json_text(value: object, *, allow_nan: bool = False) -> str:
    """Return the JSON text of a value; `ValueError` if it is not JSON.

    With `allow_nan`, a reader of the text refuses such a number, with its place.
    """
    try:
        return json_of(value, _LAX if allow_nan else _STRICT)
    except (TypeError, ValueError, RecursionError) as problem:
        raise ValueError(f"It is not JSON: {problem}") from None


def value_of(text: str) -> tuple[Any, bool]:
    """Return the value of JSON text, and whether its numbers keep their spelling."""
    try:
        value = json.loads(text)
        return value, same_json(text, json_text(value))
    except ValueError:  # an integer that is too long for Python
        return json.loads(text, parse_int=float), False


def string(text: str) -> str:
    """Return the JSON text of a string."""
    return json.encoder.encode_basestring(text)


def failure(message: str) -> CallOutcome:
    """Return a failure with this message."""
    return CallOutcome("failure", string(message))


def plain_text(content: str) -> str:
    """Return the characters of the JSON `content` if it is a string, else the JSON itself."""
    return str(json.loads(content)) if content.startswith('"') else content


def write_outcome(outcome: CallOutcome) -> str:
    """Return the text of an outcome."""
    return spelled_outcome(outcome)[0]


def spelled_outcome(outcome: CallOutcome) -> tuple[str, bool]:
    """Return the text of an outcome, and whether it is read as this outcome."""
    text = plain_text(outcome.content)
    is_text = outcome.status == "success" and outcome.content.startswith('"')
    if (is_text and text[:1] not in _FIRST) or is_same(read_outcome(text), outcome):
        return text, True
    text = f'{{"status": "{outcome.status}", "content": {outcome.content}}}'
    return text, is_same(read_outcome(text), outcome)


def is_same(outcome: CallOutcome, other: CallOutcome) -> bool:
    """Whether two outcomes are the same, however their strings are spelled."""
    if outcome == other:
        return True
    if outcome.content.startswith('"') and other.content.startswith('"'):
        return (outcome.status, plain_text(outcome.content)) == (
            other.status,
            plain_text(other.content),
        )
    return False


def read_outcome(text: str) -> CallOutcome:
    """Return the outcome that `text` expresses.

    An item with half a character in it, as older versions wrote it, has U+FFFD there.
    """
    is_bare = text == text.strip(WHITE)
    value = exact(text) if is_bare else None
    if value is None and is_bare and r"\u" in text:
        repaired = with_whole_characters(text)
        if isinstance(item := exact(repaired), dict) and item.keys() == _ITEM:
            text, value = repaired, item
    if isinstance(value, str) or (value is None and text != "null"):
        return CallOutcome("success", string(text))
    if isinstance(value, dict) and value.keys() == _ITEM:
        content = member(text, "content", value)
        if value["status"] == "success":
            return CallOutcome("success", content)
        if value["status"] == "failure" and isinstance(value["content"], str):
            return CallOutcome("failure", content)
    return CallOutcome("success", text)
