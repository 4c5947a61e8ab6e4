# SPDX-License-Identifier: MIT
"""JSON, written in every way: strings, numbers, values, calls and the items of results."""

import functools
import json
import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from hypothesis import strategies as st

from cogwire_kit.strategies._prose import white
from cogwire_kit.strategies._wire import WHITE

#: Spellings inside a JSON string, each with its value.
SPELLINGS = [
    ('\\"', '"'),
    ("\\\\", "\\"),
    ("\\/", "/"),
    ("\\b", "\b"),
    ("\\f", "\f"),
    ("\\n", "\n"),
    ("\\r", "\r"),
    ("\\t", "\t"),
    ("\\u0041", "A"),
    ("\\u00e9", "é"),
    ("\\u00E9", "é"),
    ("\\u0000", "\0"),
    ("\\u003c/execute>", "</execute>"),
    ("\\u00a7end", "§end"),
    ("\\ud83d\\ude00", "\U0001f600"),
    ("\\uD83D\\uDE00", "\U0001f600"),
    ("\\udbff\\udfff", "\U0010ffff"),
    ("\\ufffd", "\ufffd"),
    ("\\\\ud83d", "\\ud83d"),
    *(
        (plain, plain)
        for plain in (
            "</execute>",
            "</results>",
            "</think>",
            "<execute>",
            "<end>",
            "§execute",
            "§end",
            "[SYSTEM: ",
            "</exec",
            "}]",
            "}}]</execute>",
            "{",
            "[",
            ",",
            ":",
            "'",
            "/",
            " ",
            "  ",
            "é",
            "\U0001f600",
            "\x7f",
            "\u2028",
            "\u00a0",
            "\ufeff",
            "\ufffd",
            "name",
            "args",
        )
    ),
]

plain_text = st.text(st.sampled_from("abcdefxyz 0189<>/{}[]:,'é日😀"), max_size=12)
pieces = st.one_of(plain_text.map(lambda text: (text, text)), st.sampled_from(SPELLINGS))


def _spelled(parts: list[tuple[str, str]]) -> tuple[str, str]:
    return '"' + "".join(source for source, _ in parts) + '"', "".join(value for _, value in parts)


#: The source of a JSON string, quotes included, and its value.
strings: st.SearchStrategy[tuple[str, str]] = st.lists(pieces, max_size=5).map(_spelled)

numbers = st.one_of(
    st.integers(-1000, 1000).map(str),
    st.integers(-(10**40), 10**40).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(["0", "-0", "-0.0", "1.50", "1E5", "1e+05", "1e-400", "0e0", "9" * 300]),
)
literals = st.sampled_from(["true", "false", "null"])
scalars = st.one_of(strings.map(lambda pair: pair[0]), numbers, literals)


@st.composite
def objects(
    draw: st.DrawFn, values: st.SearchStrategy[str], fixed: Sequence[tuple[str, str]] = ()
) -> str:
    """Write an object of the members `fixed` (key, source) and others of `values`, in any order."""
    taken = {key for key, _ in fixed}
    more = [
        (source, draw(values))
        for source, key in draw(st.lists(strings, max_size=3, unique_by=lambda one: one[1]))
        if key not in taken
    ]
    return draw(exact_objects(fixed, more))


@st.composite
def exact_objects(
    draw: st.DrawFn, fixed: Sequence[tuple[str, str]], more: Sequence[tuple[str, str]] = ()
) -> str:
    """Write an object with the members `fixed` (key, source) and `more` (source, source)."""
    members = [*((draw(_keys(key)), source) for key, source in fixed), *more]
    gap = draw(white)
    inner = f"{gap},{gap}".join(
        f"{key}{gap}:{gap}{value}" for key, value in draw(st.permutations(members))
    )
    return f"{{{gap}{inner}{gap}}}"


@functools.cache
def _keys(key: str) -> st.SearchStrategy[str]:
    """Write a known key, mostly plain."""
    escaped = "".join(f"\\u{ord(character):04x}" for character in key)
    first = f"\\u{ord(key[0]):04X}{key[1:]}"
    return st.sampled_from([key, key, key, key, escaped, first]).map(lambda source: f'"{source}"')


@st.composite
def arrays(draw: st.DrawFn, values: st.SearchStrategy[str]) -> str:
    """Write an array of the values that `values` writes."""
    gap = draw(white)
    return f"[{gap}" + f"{gap},{gap}".join(draw(st.lists(values, max_size=4))) + f"{gap}]"


#: The source of any value.
values: st.SearchStrategy[str] = st.recursive(
    scalars, lambda inner: st.one_of(arrays(inner), objects(inner)), max_leaves=6
)

#: The source of a name that a tool may have, and the name.
names = strings.filter(lambda pair: pair[1] not in {"", "execute"})
plain_names = st.sampled_from(["a", "read", "write", "é", "Execute"]).map(
    lambda name: (f'"{name}"', name)
)


class Call(NamedTuple):
    """The source of one call, and the name in it."""

    source: str
    name: str


@st.composite
def calls(draw: st.DrawFn) -> Call:
    """Write one call as JSON: any members in any order, spelled in any way."""
    source, name = draw(st.one_of(plain_names, names))
    return Call(draw(objects(values, [("name", source), ("args", draw(objects(values)))])), name)


@st.composite
def items(draw: st.DrawFn, tool: str, *, success: bool) -> str:
    """Write one item of results; an object of three members."""
    content = draw(values) if success else draw(strings)[0]
    status = '"success"' if success else '"failure"'
    members = [("tool", quoted(tool)), ("status", status), ("content", content)]
    return draw(exact_objects(members))


def quoted(text: str) -> str:
    """Write a JSON string with nothing but the escapes it needs."""
    return '"' + re.sub(r'["\\\0-\x1f]', lambda found: f"\\u{ord(found[0]):04x}", text) + '"'


def _finite(digits: str) -> str:
    if not math.isfinite(float(digits)):
        raise ValueError(digits)
    return digits


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError(pairs)
    return dict(pairs)


def is_json(text: str) -> bool:
    """Whether `text` is one value of strict JSON, for a reader that is not ours."""
    try:
        value = json.loads(
            text,
            parse_int=_finite,
            parse_float=_finite,
            parse_constant=_finite,
            object_pairs_hook=_distinct,
        )
        json.dumps(value, ensure_ascii=False).encode()
    except ValueError:
        return False
    return text.strip(WHITE) != ""
