"""What the dialects share: running text, JSON written in every way, and what may be put anywhere."""

import functools
import json
import math
import re
from typing import NamedTuple

from hypothesis import strategies as st

from tests.core.helpers import WHITE


class Document(NamedTuple):
    """A text, how to read it, and what must come of it."""

    text: str
    events: list
    state: str
    discarded: int
    options: dict


# --- Characters and prose ---------------------------------------------------------------------

#: White space, mostly none.
white = st.sampled_from(["", "", "", " ", "\n", "\n\n", "  ", "\t", "\r\n", " \n \t\r"])

#: What stands in running text and may confuse: near-markers, entities, rare characters.
NEAR = [
    "<",
    "<<",
    "</",
    ">",
    "</think>",
    "</execute>",
    "</results>",
    "</end>",
    "<THINK>",
    "< think>",
    "<think >",
    "<thi",
    "<think",
    "<execut",
    "<result",
    "<en",
    "<end/>",
    "<ex<execut",
    "&lt;think>",
    "&lt;execute&gt;",
    "&amp;",
    "```\n",
    '[{"name": "a", "args": {}}]',
    "§end",
    "\n§end",
    "\n §Execute",
    "§call: {",
    "§thin",
    "\n§",
    "&sect;end",
    "[SYSTEM: ",
    "\n[SYSTEM: ",
    "[system: ",
    "]\n",
    "]",
    "]]>",
    " ",
    "\n",
    "  \n\n",
    "\t",
    "\r\n",
    "\x0b",
    "\x1f",
    "\u0085",
    "\u00a0",
    "\u2028",
    "\ufeff",
    "\ufffd",
    "\0",
    "é",
    "e\u0301",
    "日本語",
    "\U0001f600",
    "\U0010ffff",
]

words = st.text(st.sampled_from("abc xyzé<>/&\n\"'{}[]\\😀"), max_size=8)
running = st.lists(st.one_of(st.sampled_from(NEAR), words), max_size=8).map("".join)


def segment(kind, text):
    """Return the event of a segment, if it gives one."""
    content = text.strip(WHITE)
    return [kind(content)] if content else []


# --- JSON, written in every way ---------------------------------------------------------------

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


def _spelled(parts):
    return '"' + "".join(source for source, _ in parts) + '"', "".join(value for _, value in parts)


#: The source of a JSON string, quotes included, and its value.
strings = st.lists(pieces, max_size=5).map(_spelled)

numbers = st.one_of(
    st.integers(-1000, 1000).map(str),
    st.integers(-(10**40), 10**40).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(["0", "-0", "-0.0", "1.50", "1E5", "1e+05", "1e-400", "0e0", "9" * 300]),
)
literals = st.sampled_from(["true", "false", "null"])
scalars = st.one_of(strings.map(lambda pair: pair[0]), numbers, literals)


@st.composite
def objects(draw, values, fixed=()):
    """Write an object with the members `fixed` (key, source) and others of `values`, in any order."""
    taken = {key for key, _ in fixed}
    more = [
        (source, draw(values))
        for source, key in draw(st.lists(strings, max_size=3, unique_by=lambda one: one[1]))
        if key not in taken
    ]
    return draw(exact_objects(fixed, more))


@st.composite
def exact_objects(draw, fixed, more=()):
    """Write an object with the members `fixed` (key, source) and `more` (source, source)."""
    members = [*((draw(_keys(key)), source) for key, source in fixed), *more]
    gap = draw(white)
    inner = f"{gap},{gap}".join(
        f"{key}{gap}:{gap}{value}" for key, value in draw(st.permutations(members))
    )
    return f"{{{gap}{inner}{gap}}}"


@functools.cache
def _keys(key):
    """Write a known key, mostly plain."""
    escaped = "".join(f"\\u{ord(character):04x}" for character in key)
    first = f"\\u{ord(key[0]):04X}{key[1:]}"
    return st.sampled_from([key, key, key, key, escaped, first]).map(lambda source: f'"{source}"')


@st.composite
def arrays(draw, values):
    gap = draw(white)
    return f"[{gap}" + f"{gap},{gap}".join(draw(st.lists(values, max_size=4))) + f"{gap}]"


values = st.recursive(scalars, lambda inner: st.one_of(arrays(inner), objects(inner)), max_leaves=6)

names = strings.filter(lambda pair: pair[1] not in {"", "execute"})
plain_names = st.sampled_from(["a", "read", "write", "é", "Execute"]).map(
    lambda name: (f'"{name}"', name)
)


class Call(NamedTuple):
    """The source of one call, and the name in it."""

    source: str
    name: str


@st.composite
def calls(draw):
    """Write one call as JSON: any members in any order, spelled in any way."""
    source, name = draw(st.one_of(plain_names, names))
    return Call(draw(objects(values, [("name", source), ("args", draw(objects(values)))])), name)


@st.composite
def items(draw, tool, *, success):
    """Write one item of results; an object of three members."""
    content = draw(values) if success else draw(strings)[0]
    status = '"success"' if success else '"failure"'
    members = [("tool", quoted(tool)), ("status", status), ("content", content)]
    return draw(exact_objects(members))


def quoted(text):
    """Write a JSON string with nothing but the escapes it needs."""
    return '"' + re.sub(r'["\\\0-\x1f]', lambda found: f"\\u{ord(found[0]):04x}", text) + '"'


def _finite(digits):
    if not math.isfinite(float(digits)):
        raise ValueError(digits)
    return digits


def _distinct(pairs):
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError(pairs)
    return dict(pairs)


def is_json(text):
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


# --- What may be put anywhere -----------------------------------------------------------------

#: Characters that no dialect expects.
RARE = [
    " ",
    "\n",
    "\t",
    "\r",
    "\0",
    "\x0b",
    "\x1f",
    "\x7f",
    "\u00a0",
    "\u2028",
    "\ufeff",
    "\ufffd",
    "\uffff",
    "é",
    "\U0001f600",
    "\ud83d",
    "\ude00",
    "```",
    "x",
]

#: Pieces of calls and results as JSON.
JSON_PIECES = [
    '{"name":"a","args":{}}',
    '{"name":"a","args":{',
    '{"tool":"a","status":"success","content":',
    '{"tool":"execute","status":"failure","content":""}',
    '"name":',
    '"args":',
    '"tool":"a"',
    '"status":"failure"',
    '"content":',
    '"execute"',
    '"a"',
    '"a":1',
    '""',
    "{",
    "}",
    "}}]",
    "[",
    "]",
    ":",
    ",",
    '"',
    "\\",
    '\\"',
    "\\n",
    "\\x",
    "\\u",
    "\\u0061",
    "\\u00",
    "\\ud83d",
    "\\ude00",
    "\\ud83d\\ude00",
    "'",
    "-",
    "+",
    ".",
    "0",
    "1",
    "12",
    "1e",
    "e5",
    "1e999",
    "E",
    "true",
    "tru",
    "false",
    "null",
    "NaN",
    "Infinity",
    *RARE,
]
