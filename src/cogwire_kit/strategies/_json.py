# SPDX-License-Identifier: MIT
"""JSON, spelled in every way: values, calls and the items of results, valid or with one fault."""

import functools
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from hypothesis import strategies as st

from cogwire_kit.strategies._wire import white

Texts = st.SearchStrategy[str]

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
sources: Texts = strings.map(lambda pair: pair[0])

numbers = st.one_of(
    st.integers(-1000, 1000).map(str),
    st.integers(-(10**40), 10**40).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(["0", "-0", "-0.0", "1.50", "1E5", "1e+05", "1e-400", "0e0", "9" * 300]),
)
literals = st.sampled_from(["true", "false", "null"])
scalars: Texts = st.one_of(sources, numbers, literals)


def quoted(text: str) -> str:
    """Write a JSON string with nothing but the escapes it needs."""
    return '"' + re.sub(r'["\\\0-\x1f]', lambda found: f"\\u{ord(found[0]):04x}", text) + '"'


# --- Values -----------------------------------------------------------------------------------

#: A member of an object: its name as it is spelled, and its value.
Member = tuple[str, str]


def array(items: Iterable[str], gap: str = "") -> str:
    """Write an array, with white space between its tokens."""
    return f"[{gap}" + f"{gap},{gap}".join(items) + f"{gap}]"


def object_(members: Iterable[Member], gap: str = "") -> str:
    """Write an object, with white space between its tokens."""
    pairs = (f"{name}{gap}:{gap}{value}" for name, value in members)
    return f"{{{gap}" + f"{gap},{gap}".join(pairs) + f"{gap}}}"


@functools.cache
def arrays(items: Texts) -> Texts:
    """Draw an array of at most four items; shrinks to `[]`."""
    return st.builds(array, st.lists(items, max_size=4), white)


#: Spellings of names, and the names.
KEYS: Final = (('"a"', "a"), ('"b/c"', "b/c"), ('"~0"', "~0"), ('""', ""), ('"\\u0061bc"', "abc"))
keys = st.one_of(st.sampled_from(KEYS), st.sampled_from(KEYS), strings)


@functools.cache
def members(
    values: Texts, taken: tuple[str, ...] = (), least: int = 0, most: int = 2
) -> st.SearchStrategy[list[Member]]:
    """Draw members of an object, none of which has a name in `taken`."""
    free = keys.filter(lambda pair: pair[1] not in taken)
    drawn = st.lists(
        st.tuples(free, values), min_size=least, max_size=most, unique_by=lambda each: each[0][1]
    )
    return drawn.map(lambda some: [(name, value) for (name, _), value in some])


@functools.cache
def objects(values: Texts) -> Texts:
    """Draw an object of at most two members; shrinks to `{}`."""
    return st.builds(object_, members(values), white)


#: Any value.
trees: Texts = st.recursive(
    st.one_of(
        st.sampled_from(["0", "true", "null", '""', "-12", '"[{"', "1.5", '"12345"', "1e5"]),
        scalars,
    ),
    lambda inner: st.one_of(arrays(inner), objects(inner)),
    max_leaves=6,
)

# --- Calls and items --------------------------------------------------------------------------

#: The source of a name that a tool may have.
names = strings.filter(lambda pair: pair[1] not in {"", "execute"}).map(lambda pair: pair[0])
plain_names = st.sampled_from(["a", "read", "write", "é", "Execute"]).map(quoted)
any_names = st.one_of(plain_names, plain_names, names)

#: Members that are given, by name; there is none without a value.
Given = Mapping[str, str | None]
_NONE: Final[Given] = MappingProxyType({})


@functools.cache
def _keys(name: str) -> Texts:
    """Spell a known name, mostly plain."""
    escaped = "".join(f"\\u{ord(character):04x}" for character in name)
    first = f"\\u{ord(name[0]):04X}{name[1:]}"
    spellings = [name, name, name, name, escaped, first]
    return st.sampled_from([f'"{spelling}"' for spelling in spellings])


@st.composite
def _written(draw: st.DrawFn, parts: Given, most: int = 1) -> str:
    """Write an object with these members, and perhaps another one, in any order."""
    known = [(draw(_keys(name)), value) for name, value in parts.items() if value is not None]
    more = draw(members(trees, taken=tuple(parts), most=most)) if most else []
    return object_(draw(st.permutations([*known, *more])), draw(white))


@st.composite
def calls(draw: st.DrawFn, given: Given = _NONE) -> str:
    """Draw a call, or one with the members given."""
    parts = dict(given)
    if "name" not in parts:
        parts["name"] = draw(any_names)
    if "args" not in parts:
        parts["args"] = draw(objects(trees))
    return draw(_written(parts))


@st.composite
def items(draw: st.DrawFn, tool: str, given: Given = _NONE, most: int = 1) -> str:
    """Draw an item of a tool with the members given, and at most so many more."""
    outcome = {"status": '"success"', "content": draw(trees)}
    if draw(st.booleans()):
        outcome = {"status": '"failure"', "content": draw(sources)}
    return draw(_written({"tool": quoted(tool), **outcome, **given}, most))


#: The answer to a block that was not run.
failures = sources.flatmap(
    lambda content: items("execute", {"status": '"failure"', "content": content}, 0)
)

# --- Values with a fault ----------------------------------------------------------------------

#: Strings with an escape that JSON does not have, though models write some of them.
NO_ESCAPES: Final = tuple(f'"\\{letter}41"' for letter in "'x0aqvU `$")
#: Texts that are not JSON.
NO_JSON: Final = (
    *("'a'", "nul", "True", "tRue", "falsy", "NaN", "nan", "-Infinity", "undefined", "+1", ".5"),
    *("01", "0x1", "1.", "1.e5", "1e", "-", "1_000", "// no\n1", "1 /* no */", '"a\nb"', '"\t"'),
    *('"a\x00"', '"\\u12g4"', '"\\ud83d\n"', '"\\ud83d\\x"', '"a" "b"', '"say "hi""', "{,}"),
    *("{a: 1}", "{'a': 1}", "{1: 1}", '{"a" 1}', '{"a", 1}', '{"a": 1,}', "[1,]", "[,1]"),
    *("[1 2]", "[1}", "[[], x]", '{"a": }', '{"a": 1]', '{"a": 1 "b": 2}', '{"a": 1e999]'),
    '{"a/b": {"~": 1, "c": x}}',
)
#: Half of a surrogate pair.
HALVES: Final = (
    *('"\\udc00"', '"a\\uDFFF"', '"\\ud83d"', '"\\uD800x"', '"\\ud83d\\u0041"'),
    *('"\\ud83d\\uD83D\\udc00"', '"\\ud83d\\n"', '"\\ud83d\\"', '"\\ud83d\\ude00\\ude00"'),
)
#: Numbers without a near double that is finite.
TOO_LARGE: Final = ("1e999", "-1E+400", "1e00309", "1.8e308", f"-{'9' * 310}", f"{'9' * 309}.5e-0")
#: Numbers of more digits, and values of more levels, than small limits allow.
LONG: Final = ("7" * 9, "-7777.77777", "7.7E-7777777", "0.000000000e+11", "1e000000000")
DEEP: Final = ("[" * 8 + "]" * 8, '{"a":' * 8 + "1" + "}" * 8, '[{"a":' * 4 + "[]" + "}]" * 4)


@st.composite
def _with_half_name(draw: st.DrawFn) -> str:
    """Draw an object with half of a surrogate pair in a name."""
    member = (draw(st.sampled_from(HALVES)), draw(trees))
    return object_([*draw(members(trees)), member], draw(white))


@st.composite
def _with_twins(draw: st.DrawFn) -> str:
    """Draw an object with two members of one name, however the names are spelled."""
    spelling, name = draw(keys)
    units = name.encode("utf-16-be")
    codes = (units[place : place + 2].hex() for place in range(0, len(units), 2))
    other = '"' + "".join(f"\\u{code}" for code in codes) + '"'
    twins = [(each, draw(trees)) for each in (spelling, draw(st.sampled_from([spelling, other])))]
    more = draw(members(trees, taken=(name,)))
    return object_(draw(st.permutations([*twins, *more])), draw(white))


#: Values with a fault that any value may have, by code.
VALUES: Final[dict[str, Texts]] = {
    "json-syntax": st.one_of(st.sampled_from(NO_JSON), st.sampled_from(NO_ESCAPES)),
    "number-range": st.sampled_from(TOO_LARGE),
    "lone-surrogate": st.one_of(st.sampled_from(HALVES), _with_half_name()),
    "duplicate-key": _with_twins(),
    "limit-digits": st.sampled_from(LONG),
    "limit-depth": st.sampled_from(DEEP),
}


@st.composite
def nested(draw: st.DrawFn, value: str) -> str:
    """Put a value into a few arrays and objects, among others."""
    for _ in range(draw(st.integers(0, 3))):
        if draw(st.booleans()):
            others = draw(st.lists(trees, max_size=2))
            value = array(draw(st.permutations([value, *others])), draw(white))
        else:
            (name, _), *more = draw(members(trees, least=1))
            value = object_(draw(st.permutations([(name, value), *more])), draw(white))
    return value


@st.composite
def _spoiled(draw: st.DrawFn, bad: str) -> str:
    """Draw a call with a bad value somewhere in it."""
    value = draw(nested(bad))
    if draw(st.booleans()):
        (name, _), *more = draw(members(trees, least=1))
        args = object_(draw(st.permutations([(name, value), *more])), draw(white))
        return draw(calls({"args": args}))
    return draw(calls({"more": value}))


#: Names other than `args` that models give to the arguments.
OTHER_NAMES: Final = ("arguments", "input", "kwargs", "parameters", "params")
#: Names that no tool has, as they are spelled.
NO_NAMES: Final = ('""', '"execute"', '"\\u0065xecute"', '"\\u0065\\u0078\\u0065cut\\u0065"')
no_strings: Texts = st.one_of(
    st.sampled_from(["null", "true", "5", "-0.1"]), arrays(trees), objects(trees)
)
no_objects: Texts = st.one_of(scalars, arrays(trees))

#: Calls with one fault, by code, in every dialect that has JSON.
CALLS: Final[dict[str, Texts]] = {
    **{code: values.flatmap(_spoiled) for code, values in VALUES.items()},
    "not-object": no_objects,
    "missing-name": st.one_of(calls({"name": None}), calls({"name": None, "args": None})),
    "missing-args": st.tuples(st.sampled_from(OTHER_NAMES), trees).flatmap(
        lambda pair: calls({"args": None, pair[0]: pair[1]})
    ),
    "bad-name": st.one_of(no_strings, st.sampled_from(NO_NAMES)).flatmap(
        lambda name: calls({"name": name})
    ),
    "bad-args": no_objects.flatmap(lambda args: calls({"args": args})),
}


@st.composite
def bad_items(draw: st.DrawFn, tool: str) -> str:
    """Draw an item that is not of the shape of one."""
    text, name = draw(no_strings), draw(st.sampled_from(["tool", "status", "content"]))
    ways: list[Given] = [
        {"tool" if name == "content" else name: text},
        {"status": draw(st.sampled_from(['"ok"', '""', '"Success"', '"fail\\u0075re "']))},
        {name: None},
        {"status": '"failure"', "content": text},
        {
            "status": '"success"',
            "content": draw(nested(draw(st.one_of(list(VALUES.values())[:4])))),
        },
    ]
    given: Given = draw(st.sampled_from([{}, *ways]))
    return draw(items(tool, given)) if given else draw(no_objects)
