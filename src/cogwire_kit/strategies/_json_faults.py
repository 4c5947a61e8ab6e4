# SPDX-License-Identifier: MIT
"""Values and calls in JSON with one fault, drawn as trees.

The place of each fault is defined by spec/xml-json.md, from xj-block to xj-limit-digits; in the
tables a caret is before it.
"""

from typing import Any, Final, NamedTuple

from hypothesis import strategies as st

from cogwire_kit.strategies._json import (
    Trees,
    arrays,
    calls,
    flat,
    members,
    objects,
    scalars,
    trees,
)
from cogwire_kit.strategies._wire import white
from cogwire_kit.strategies._written import Array, Bad, Object, Tree, pointed

# --- Values -----------------------------------------------------------------------------------

#: Letters after a backslash that make no escape of JSON, though models write some of them.
NO_ESCAPES: Final = "'x0aqvU `$"

#: Texts that are not JSON.
NO_JSON: Final = (
    *("‸'a'", "nul‸", "‸True", "t‸Rue", "fals‸y", "‸NaN", "n‸an", "-‸Infinity", "‸undefined"),
    *("‸+1", "‸.5", "0‸1", "0‸x1", "1.‸", "1.‸e5", "1e‸", "-‸", "1‸_000", "‸// no\n1"),
    *("1 ‸/* no */", '"a‸\nb"', '"‸\t"', '"a‸\x00"', '"\\u12‸g4"', '"\\ud83d‸\n"'),
    *('"\\ud83d\\‸x"', '"a" ‸"b"', '"say "‸hi""', "{‸,}", "{‸a: 1}", "{‸'a': 1}", "{‸1: 1}"),
    *('{"a" ‸1}', '{"a"‸, 1}', '{"a": 1,‸}'),
    *(f'"\\‸{letter}41"' for letter in NO_ESCAPES),
)
#: The same, each with the path of the place in it.
NO_JSON_BELOW: Final = (
    *(("[1,‸]", "/1"), ("[‸,1]", "/0"), ("[1 ‸2]", "/0"), ("[1‸}", "/0"), ("[[], ‸x]", "/1")),
    *(('{"a": ‸}', "/a"), ('{"a": 1‸]', "/a"), ('{"a": 1 ‸"b": 2}', "/a")),
    *(('{"a/b": {"~": 1, "c": ‸x}}', "/a~1b/c"), ('{"a": 1e999‸]', "/a")),
)

#: Half of a surrogate pair.
HALVES: Final = (
    *('"\\udc0‸0"', '"a\\uDFF‸F"', '"\\ud83d‸"', '"\\uD800‸x"', '"\\ud83d\\u004‸1"'),
    *('"\\ud83d\\uD83‸D\\udc00"', '"\\ud83d\\‸n"', '"\\ud83d\\‸"', '"\\ud83d\\ude00\\ude0‸0"'),
)

#: Numbers without a near double that is finite.
TOO_LARGE: Final = ["1e999", "-1E+400", "1e00309", "1.8e308", f"-{'9' * 310}", f"{'9' * 309}.5e-0"]


def _bad(code: str, row: str, below: str = "") -> Tree:
    text, at = pointed(row)
    return Bad(text, code, at, below)


@st.composite
def _with_half_name(draw: st.DrawFn) -> Tree:
    """Draw an object with half of a surrogate pair in a name."""
    source, at = pointed(draw(st.sampled_from(HALVES)))
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
    "json-syntax": st.sampled_from([*((row, "") for row in NO_JSON), *NO_JSON_BELOW]).map(
        lambda row: _bad("json-syntax", *row)
    ),
    "number-range": st.sampled_from(TOO_LARGE).map(
        lambda number: Bad(number, "number-range", len(number))
    ),
    "lone-surrogate": st.one_of(
        st.sampled_from(HALVES).map(lambda row: _bad("lone-surrogate", row)), _with_half_name()
    ),
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
