# SPDX-License-Identifier: MIT
"""Values, calls and items of results in JSON with one fault, drawn as trees.

The place of each fault is defined by spec/xml-json.md, from xj-block to xj-limit-digits.
"""

import functools
from typing import Any, NamedTuple

from hypothesis import strategies as st

from cogwire_kit.strategies._faults_written import (
    Array,
    Bad,
    Object,
    Tree,
)
from cogwire_kit.strategies._json import names, plain_names, scalars, strings
from cogwire_kit.strategies._prose import white

Trees = st.SearchStrategy[Tree]
Member = tuple[str | Bad, str, Tree]

# --- Values without a fault -------------------------------------------------------------------


@functools.cache
def arrays(items: Trees) -> Trees:
    """Draw an array of at most three items; shrinks to `[]`."""
    return st.builds(Array, st.lists(items, max_size=3), white)


#: Spellings of names, and the names.
KEYS = [('"a"', "a"), ('"b/c"', "b/c"), ('"~0"', "~0"), ('""', ""), ('"\\u0061bc"', "abc")]
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
    st.one_of(flat, scalars), lambda inner: st.one_of(arrays(inner), objects(inner)), max_leaves=5
)

# --- Values with one fault --------------------------------------------------------------------

#: Letters after a backslash that make no escape of JSON, though models write some of them.
NO_ESCAPES = "'x0aqvU `$"

#: Texts that are not JSON, with the place of the offending character and the end of its path.
NO_JSON = [
    ("'a'", 0, ""),
    ("nul", 3, ""),
    ("True", 0, ""),
    ("tRue", 1, ""),
    ("falsy", 4, ""),
    ("NaN", 0, ""),
    ("nan", 1, ""),
    ("-Infinity", 1, ""),
    ("undefined", 0, ""),
    ("+1", 0, ""),
    (".5", 0, ""),
    ("01", 1, ""),
    ("0x1", 1, ""),
    ("1.", 2, ""),
    ("1.e5", 2, ""),
    ("1e", 2, ""),
    ("-", 1, ""),
    ("1_000", 1, ""),
    ("// no\n1", 0, ""),
    ("1 /* no */", 2, ""),
    ('"a\nb"', 2, ""),
    ('"\t"', 1, ""),
    ('"a\0"', 2, ""),
    *((f'"\\{letter}41"', 2, "") for letter in NO_ESCAPES),
    ('"\\u12g4"', 5, ""),
    ('"\\ud83d\n"', 7, ""),
    ('"\\ud83d\\x"', 8, ""),
    ('"a" "b"', 4, ""),
    ('"say "hi""', 6, ""),
    ("[1,]", 3, "/1"),
    ("[,1]", 1, "/0"),
    ("[1 2]", 3, "/0"),
    ("[1}", 2, "/0"),
    ("[[], x]", 5, "/1"),
    ("{,}", 1, ""),
    ("{a: 1}", 1, ""),
    ("{'a': 1}", 1, ""),
    ("{1: 1}", 1, ""),
    ('{"a" 1}', 5, ""),
    ('{"a", 1}', 4, ""),
    ('{"a": }', 6, "/a"),
    ('{"a": 1]', 7, "/a"),
    ('{"a": 1,}', 8, ""),
    ('{"a": 1 "b": 2}', 8, "/a"),
    ('{"a/b": {"~": 1, "c": x}}', 22, "/a~1b/c"),
    ('{"a": 1e999]', 11, "/a"),
]

#: Half of a surrogate pair, and the place that shows it.
HALVES = [
    ('"\\udc00"', 6),
    ('"a\\uDFFF"', 7),
    ('"\\ud83d"', 7),
    ('"\\uD800x"', 7),
    ('"\\ud83d\\u0041"', 12),
    ('"\\ud83d\\uD83D\\udc00"', 12),
    ('"\\ud83d\\n"', 8),
    ('"\\ud83d\\"', 8),
    ('"\\ud83d\\ude00\\ude00"', 18),
]

#: Numbers without a near double that is finite.
TOO_LARGE = ["1e999", "-1E+400", "1e00309", "1.8e308", f"-{'9' * 310}", f"{'9' * 309}.5e-0"]


def _no_json(row: tuple[str, int, str]) -> Tree:
    text, at, below = row
    return Bad(text, "json-syntax", at, below)


def _half(row: tuple[str, int]) -> Tree:
    return Bad(row[0], "lone-surrogate", row[1])


@st.composite
def _with_half_name(draw: st.DrawFn) -> Tree:
    """Draw an object with half of a surrogate pair in a name."""
    source, at = draw(st.sampled_from(HALVES))
    member = (Bad(source, "lone-surrogate", at), "", draw(trees))
    return Object([*draw(members(trees)), member], draw(white))


@st.composite
def _with_twins(draw: st.DrawFn) -> Tree:
    """Draw an object with two members of one name, however the names are spelled."""
    first, *more = draw(members(trees, least=1, most=3))
    spelling = draw(st.sampled_from([first[0], _spelled_out(first[1])]))
    place = draw(st.integers(0, len(more)))
    twin = (spelling, first[1], draw(trees))
    return Object([first, *more[:place], twin, *more[place:]], draw(white))


def _spelled_out(name: str) -> str:
    """Write a name with nothing but escapes."""
    units = name.encode("utf-16-be")
    codes = (units[place : place + 2].hex() for place in range(0, len(units), 2))
    return '"' + "".join(f"\\u{code}" for code in codes) + '"'


#: Values with a fault that any value may have, by code.
VALUES: dict[str, Trees] = {
    "json-syntax": st.sampled_from(NO_JSON).map(_no_json),
    "number-range": st.sampled_from(TOO_LARGE).map(
        lambda number: Bad(number, "number-range", len(number))
    ),
    "lone-surrogate": st.one_of(st.sampled_from(HALVES).map(_half), _with_half_name()),
    "duplicate-key": _with_twins(),
}


@st.composite
def too_many_digits(draw: st.DrawFn, limit: int) -> Tree:
    """Draw a number with more digits than `limit`, which are those of all its parts."""
    whole = draw(st.integers(1, limit + 2))
    fraction, exponent = draw(st.integers(0, limit)), draw(st.integers(0, limit))
    exponent += max(0, limit + 1 - whole - fraction - exponent)
    number = "-" * draw(st.integers(0, 1)) + "7" * whole
    number += f".{'0' * fraction}" if fraction else ""
    number += draw(st.sampled_from(["e", "E-", "e+"])) + "1" * exponent if exponent else ""
    digits = [place for place, character in enumerate(number) if character.isdigit()]
    return Bad(number, "limit-digits", digits[limit])


@st.composite
def nested(draw: st.DrawFn, tree: Tree, levels: int, others: Trees) -> Tree:
    """Put a value into as many arrays and objects, among `others`."""
    for _ in range(levels):
        if draw(st.booleans()):
            before, after = draw(st.lists(others, max_size=2)), draw(st.lists(others, max_size=1))
            tree = Array([*before, tree, *after], draw(white))
        else:
            (source, name, _), *more = draw(members(others, least=1, most=3))
            place = draw(st.integers(0, len(more)))
            tree = Object([*more[:place], (source, name, tree), *more[place:]], draw(white))
    return tree


# --- Calls ------------------------------------------------------------------------------------


any_names = st.one_of(plain_names, plain_names, names)


@st.composite
def calls(draw: st.DrawFn, /, others: Trees = trees, **given: Tree | None) -> Tree:
    """Draw a call, or one with the `name`, `args` or `more` given; without a member for None."""
    fixed: list[Member] = []
    if given.get("name", "") is not None:
        name = draw(any_names)[0]
        fixed.append(('"name"', "name", given.get("name") or name))
    if given.get("args", "") is not None:
        args = given.get("args") or Object(draw(members(others)), draw(white))
        fixed.append(('"args"', "args", args))
    more = draw(members(others, taken=("name", "args"), most=1))
    if given.get("more"):
        more = [('"more"', "more", given["more"] or "")]
    return Object(draw(st.permutations([*fixed, *more])), draw(white))


@st.composite
def spoiled_calls(draw: st.DrawFn, bad: Tree, levels: int, others: Trees = trees) -> Tree:
    """Draw a call with a bad value, `levels` arrays or objects deep in it."""
    if levels and draw(st.booleans()):
        inner = draw(nested(bad, levels - 1, others))
        (source, name, _), *more = draw(members(others, least=1))
        args = Object(draw(st.permutations([(source, name, inner), *more])), draw(white))
        return draw(calls(others, args=args))
    return draw(calls(others, more=draw(nested(bad, levels, others))))


@st.composite
def _with_bad_value(draw: st.DrawFn, code: str) -> Tree:
    return draw(spoiled_calls(draw(VALUES[code]), draw(st.integers(0, 4))))


#: Names other than `args` that models give to the arguments.
OTHER_NAMES = ["arguments", "input", "kwargs", "parameters", "params"]


@st.composite
def _with_args_under_another_name(draw: st.DrawFn) -> Tree:
    call: Any = draw(calls(args=None))
    other = draw(st.sampled_from(OTHER_NAMES))
    return Object(draw(st.permutations([*call.members, (f'"{other}"', other, draw(trees))])))


#: Names that no tool has, as they are spelled.
NO_NAMES = ['""', '"execute"', '"\\u0065xecute"', '"\\u0065\\u0078\\u0065cut\\u0065"']
no_strings: Trees = st.one_of(
    st.sampled_from(["null", "true", "5", "-0.1"]), arrays(trees), objects(trees)
)
no_objects: Trees = st.one_of(scalars, arrays(trees))

#: Calls with one fault, by code, in every dialect that has JSON.
CALLS: dict[str, Trees] = {
    **{code: _with_bad_value(code) for code in VALUES},
    "not-object": no_objects.map(lambda tree: Bad(tree, "not-object")),
    "missing-name": st.one_of(calls(name=None), calls(name=None, args=None)).map(
        lambda tree: Bad(tree, "missing-name", -1)
    ),
    "missing-args": _with_args_under_another_name().map(lambda tree: Bad(tree, "missing-args", -1)),
    "bad-name": st.one_of(
        no_strings.flatmap(lambda tree: calls(name=Bad(tree, "bad-name"))),
        st.sampled_from(NO_NAMES).flatmap(lambda name: calls(name=Bad(name, "bad-name", -1))),
    ),
    "bad-args": no_objects.flatmap(lambda tree: calls(args=Bad(tree, "bad-args"))),
}


class Limited(NamedTuple):
    """A call that crosses a limit, and values below the limit for the calls beside it."""

    call: Tree
    others: Trees
    limits: dict[str, int]


@st.composite
def limited_calls(draw: st.DrawFn, code: str) -> Limited:
    """Draw a call that crosses the limit `depth` or `digits`."""
    if code == "limit-digits":
        limit = draw(st.integers(2, 8))
        bad = draw(too_many_digits(limit))
        call = draw(spoiled_calls(bad, draw(st.integers(0, 3)), flat))
        return Limited(call, flat, {"digits": limit})
    limit = draw(st.integers(1, 7))
    inside = draw(st.sampled_from([Array([]), Array([Array([])]), Object([])]))
    bad = Bad(inside, code)
    if limit == 1:
        call = Bad(draw(calls(flat)), code)
    elif limit == 2:
        call = draw(calls(flat, args=Bad(Object(draw(members(flat)), draw(white)), code)))
    else:
        call = draw(spoiled_calls(bad, limit - 2, flat))
    return Limited(call, flat, {"depth": limit})
