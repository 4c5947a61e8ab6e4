# SPDX-License-Identifier: MIT
"""JSON, spelled in every way and drawn as trees: values, calls and the items of results."""

import functools
import json
import math
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from hypothesis import strategies as st

from cogwire_kit.strategies._wire import WHITE, white
from cogwire_kit.strategies._written import Array, Bad, Object, Tree

Trees = st.SearchStrategy[Tree]
#: A member of an object: its name as it is spelled, its name, and its value.
Member = tuple[str | Bad, str, Tree]

# --- Strings, numbers, words ------------------------------------------------------------------

#: Escapes in a JSON string, each with its value.
ESCAPES: Final = (
    *(('\\"', '"'), ("\\\\", "\\"), ("\\/", "/"), ("\\b", "\b"), ("\\f", "\f"), ("\\n", "\n")),
    *(("\\r", "\r"), ("\\t", "\t"), ("\\u0041", "A"), ("\\u00e9", "é"), ("\\u00E9", "é")),
    *(("\\u0000", "\0"), ("\\u003c/execute>", "</execute>"), ("\\u00a7end", "§end")),
    *(("\\ud83d\\ude00", "\U0001f600"), ("\\uD83D\\uDE00", "\U0001f600")),
    *(("\\udbff\\udfff", "\U0010ffff"), ("\\ufffd", "\ufffd"), ("\\\\ud83d", "\\ud83d")),
)
#: Text in a JSON string that may confuse.
PLAIN: Final = (
    *("</execute>", "</results>", "</think>", "<execute>", "<end>", "§execute", "§end"),
    *("[SYSTEM: ", "</exec", "}]", "}}]</execute>", "{", "[", ",", ":", "'", "/", " ", "  ", "é"),
    *("\U0001f600", "\x7f", "\u2028", "\u00a0", "\ufeff", "\ufffd", "name", "args"),
)

plain_text = st.text(st.sampled_from("abcdefxyz 0189<>/{}[]:,'é日😀"), max_size=12)
pieces = st.one_of(
    plain_text.map(lambda text: (text, text)),
    st.sampled_from((*ESCAPES, *((plain, plain) for plain in PLAIN))),
)


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
scalars: st.SearchStrategy[str] = st.one_of(strings.map(lambda pair: pair[0]), numbers, literals)


def quoted(text: str) -> str:
    """Write a JSON string with nothing but the escapes it needs."""
    return '"' + re.sub(r'["\\\0-\x1f]', lambda found: f"\\u{ord(found[0]):04x}", text) + '"'


# --- Values -----------------------------------------------------------------------------------


@functools.cache
def arrays(items: Trees) -> Trees:
    """Draw an array of at most four items; shrinks to `[]`."""
    return st.builds(Array, st.lists(items, max_size=4), white)


#: Spellings of names, and the names.
KEYS: Final = (('"a"', "a"), ('"b/c"', "b/c"), ('"~0"', "~0"), ('""', ""), ('"\\u0061bc"', "abc"))
keys = st.one_of(st.sampled_from(KEYS), st.sampled_from(KEYS), strings)


@functools.cache
def members(
    values: Trees, taken: tuple[str, ...] = (), least: int = 0, most: int = 2
) -> st.SearchStrategy[list[Member]]:
    """Draw members of an object, none of which has a name in `taken`."""
    free = keys.filter(lambda pair: pair[1] not in taken)
    member = st.tuples(free, values).map(lambda drawn: (*drawn[0], drawn[1]))
    return st.lists(member, min_size=least, max_size=most, unique_by=lambda member: member[1])


@functools.cache
def objects(values: Trees) -> Trees:
    """Draw an object of at most two members; shrinks to `{}`."""
    return st.builds(Object, members(values), white)


#: Any value that limits of 3 for the depth and 2 for the digits allow.
flat: Trees = st.sampled_from(["0", "true", "null", '""', "-12", '"[{"', "1.5", '"12345"', "1e5"])
#: Any value.
trees: Trees = st.recursive(
    st.one_of(flat, scalars), lambda inner: st.one_of(arrays(inner), objects(inner)), max_leaves=6
)


@functools.cache
def _keys(name: str) -> st.SearchStrategy[str]:
    """Spell a known name, mostly plain."""
    escaped = "".join(f"\\u{ord(character):04x}" for character in name)
    first = f"\\u{ord(name[0]):04X}{name[1:]}"
    spellings = [name, name, name, name, escaped, first]
    return st.sampled_from([f'"{spelling}"' for spelling in spellings])


@st.composite
def _fixed(draw: st.DrawFn, values: dict[str, Tree | None]) -> list[Member]:
    """Draw the spellings of known members; there is none without a value."""
    return [(draw(_keys(name)), name, value) for name, value in values.items() if value is not None]


# --- Calls and items --------------------------------------------------------------------------

#: The source of a name that a tool may have, and the name.
names = strings.filter(lambda pair: pair[1] not in {"", "execute"})
plain_names = st.sampled_from(["a", "read", "write", "é", "Execute"]).map(
    lambda name: (f'"{name}"', name)
)
any_names = st.one_of(plain_names, plain_names, names)


def plain_object(gap: str = "", **values: Tree) -> Tree:
    """Return an object whose names are spelled as they are."""
    return Object([(f'"{name}"', name, value) for name, value in values.items()], gap)


@st.composite
def calls(draw: st.DrawFn, /, others: Trees = trees, **given: Tree | None) -> Tree:
    """Draw a call, or one with the `name`, `args` or `more` given; without a member for None."""
    parts: dict[str, Tree | None] = {"name": None, "args": None}
    if given.get("name", "") is not None:
        parts["name"] = given.get("name") or draw(any_names)[0]
    if given.get("args", "") is not None:
        parts["args"] = given.get("args") or Object(draw(members(others)), draw(white))
    more = draw(members(others, taken=("name", "args"), most=1))
    if given.get("more"):
        more = [('"more"', "more", given["more"] or "")]
    return Object(draw(st.permutations([*draw(_fixed(parts)), *more])), draw(white))


@st.composite
def outcomes(draw: st.DrawFn, others: Trees = trees, *, success: bool) -> dict[str, Tree]:
    """Draw the status and the content of an item."""
    if success:
        return {"status": '"success"', "content": draw(others)}
    return {"status": '"failure"', "content": draw(strings)[0]}


#: Members of an item that are given, by name; there is none without a value.
Given = Mapping[str, Tree | None]
_NONE: Final[Given] = MappingProxyType({})


@st.composite
def exact_items(draw: st.DrawFn, tool: str, given: Given = _NONE, others: Trees = trees) -> Object:
    """Draw an item of a tool with the members given."""
    outcome = draw(outcomes(others, success=draw(st.booleans())))
    parts = {"tool": quoted(tool), **outcome, **given}
    return Object(draw(st.permutations(draw(_fixed(parts)))), draw(white))


@st.composite
def items(draw: st.DrawFn, tool: str, given: Given = _NONE, others: Trees = trees) -> Tree:
    """Draw an item of a tool with the members given, and perhaps one more member."""
    item = draw(exact_items(tool, given, others))
    more = draw(members(others, taken=("tool", "status", "content", "more"), most=1))
    return Object(draw(st.permutations([*item.members, *more])), item.gap)


# --- A reader that is not ours ----------------------------------------------------------------


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
