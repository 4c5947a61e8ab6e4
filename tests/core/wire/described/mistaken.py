"""Descriptions of formats whose markers are easily mistaken, for each other or for other text."""

import copy
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from hypothesis import strategies as st

from tests.core.wire.described.drawing import descriptions, markers_of

#: Markers that overlap with themselves, or are like JSON, a name, a reference or white space.
_MISTAKEN: Final = (
    *("||", "]]", "aba", "```", "}", "{", "[", "]", '"', "'", ",", ":", ";", "=", "\\", "-", "/"),
    *(".", "null", "true", "1", "a", '"}', '{"', "}]", '": "', "]]>", "&", "&lt", "lt;", "\n", " "),
    *("<\n", "|\n\n", "\r\n", "a b", "\U0001f600", "\U0001f600\U0001f601", "é", "İ", "ſ", "call:"),
)
#: What stands for a text in a marker.
_FIELDS: Final = re.compile(r"(\{(?:name|id|key)\})")


@st.composite
def mistaken_descriptions(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a description whose markers are easily mistaken; it may have to be refused.

    Some overlap with themselves, begin or end like each other, contain each other, or are like what
    they are around.
    """
    described = copy.deepcopy(draw(descriptions()))
    known = markers_of(described)
    for _ in range(draw(st.integers(1, 4))):
        holder, name = draw(st.sampled_from(list(_places(described))))
        parts = _FIELDS.split(holder[name])
        parts[draw(st.integers(0, len(parts) // 2)) * 2] = draw(_like(known))
        holder[name] = "".join(parts)
    return described


def _places(described: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Yield the place of each marker: an array or an object, and the index or the name in it."""
    header, payload = described.get("header", {}), described["payload"]
    parts = ("think", "section", "call", "result", "ends", "ignored")
    of_payload = ("tool", "key", "value", "raw", "head", "end", "quote")
    for holder, names in ((described, parts), (payload, of_payload), (header, tuple(header))):
        for name in names:
            yield from _within(holder, name) if name in holder else ()


def _within(holder: Any, name: Any) -> Iterator[tuple[Any, Any]]:
    value = holder[name]
    if isinstance(value, str):
        yield holder, name
        return
    for index in range(len(value)):
        yield from _within(value, index)


@st.composite
def _like(draw: st.DrawFn, known: Sequence[str]) -> str:
    """Draw a marker that is like one of those that are known, or like something else."""
    one, other = draw(st.sampled_from(known)), draw(st.sampled_from(known))
    size = draw(st.integers(1, 6))
    alike = [one[:size], one[size:], one[-size:], f"{one}{one[:size]}", f"{one}{other}"]
    alike += [f"{one[-size:]}{other}", f"{one[:size]}{other}", f"{one}\n", one.swapcase()]
    return draw(st.one_of(st.sampled_from(_MISTAKEN), st.sampled_from(alike)))
