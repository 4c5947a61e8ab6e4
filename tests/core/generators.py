"""Hypothesis strategies: documents with the events they must give, mutated ones, and any text.

A document is valid by construction, and its events come from the generator, never from a parser.
"""

import re
from typing import NamedTuple

from hypothesis import strategies as st

from tests.core.helpers import (
    LIVE,
    WHITE,
    call,
    end,
    error,
    execute,
    respond,
    result,
    think,
)


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

prose = running.filter(lambda text: not any(marker in text for marker in LIVE))
#: Text in which every marker may stand: what a region or a stop makes of it is content or lost.
anything = st.lists(st.one_of(running, st.sampled_from(LIVE)), max_size=3).map("".join)
thought = anything.filter(lambda text: "</think>" not in text)
skipped = anything.filter(lambda text: "</results>" not in text)


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
    members = [(draw(_keys(key)), source) for key, source in fixed]
    others = st.tuples(strings, values).filter(lambda member: member[0][1] not in taken)
    for (source, _), value in draw(st.lists(others, max_size=3, unique_by=lambda one: one[0][1])):
        members.append((source, value))
    gap = draw(white)
    inner = f"{gap},{gap}".join(
        f"{key}{gap}:{gap}{value}" for key, value in draw(st.permutations(members))
    )
    return f"{{{gap}{inner}{gap}}}"


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
    """Write one call: any members in any order, spelled in any way."""
    source, name = draw(st.one_of(plain_names, names))
    return Call(draw(objects(values, [("name", source), ("args", draw(objects(values)))])), name)


tiny_calls = st.sampled_from(
    [
        Call('{"name":"a","args":{}}', "a"),
        Call('{"name": "b", "args": {}}', "b"),
        Call('{"name":"c","args":{"x":1}}', "c"),
        Call('{"args":{},"name":"d"}', "d"),
        Call('{"name":"e","args":{"s":"</execute>"}}', "e"),
    ]
)


@st.composite
def batches(draw):
    """Draw the calls of a block: a few of any kind, or a run of tiny ones."""
    if draw(st.booleans()):
        return draw(st.lists(calls(), max_size=3))
    run = [draw(tiny_calls)] * draw(st.integers(1, 9))
    return [*run, *draw(st.lists(st.one_of(tiny_calls, calls()), max_size=2))]


@st.composite
def framed(draw, marker, items):
    """Write items as a JSON array between `<marker>` and `</marker>`; give the text and the array."""
    gap, before, after = draw(white), draw(white), draw(white)
    array = f"[{gap}" + f"{gap},{gap}".join(items) + f"{gap}]"
    return f"<{marker}>{before}{array}{after}</{marker}>", array


@st.composite
def blocks(draw):
    """Write a valid block; give its text, its events and the names of its calls."""
    batch = draw(batches())
    text, _ = draw(framed("execute", [one.source for one in batch]))
    return text, [*(call(one.source) for one in batch), execute()], [one.name for one in batch]


@st.composite
def answers(draw, tools):
    """Write results that answer calls of these names; give the text and the events."""
    succeeded = [draw(st.booleans()) for _ in tools]
    items = []
    for tool, success in zip(tools, succeeded, strict=True):
        content = draw(values) if success else draw(strings)[0]
        status = '"success"' if success else '"failure"'
        members = [("tool", _quoted(tool)), ("status", status), ("content", content)]
        items.append(draw(objects(values, members)))
    text, array = draw(framed("results", items))
    return text, [result(array, sum(succeeded), len(tools) - sum(succeeded))]


def _quoted(text):
    """Write a JSON string with nothing but the escapes it needs."""
    return '"' + re.sub(r'["\\\0-\x1f]', lambda found: f"\\u{ord(found[0]):04x}", text) + '"'


# --- Documents --------------------------------------------------------------------------------


class Writer:
    """Writes a text and, beside it, the events it must give."""

    def __init__(self, mode, start):
        self.options = {"mode": mode, "start": start}
        self.text = ""
        self._events = []
        self._prose = ""

    def say(self, text):
        """Write prose; what is said in a row is one segment."""
        self.text += text
        self._prose += text

    def mark(self, text, *events):
        """Write what begins with a marker, and so ends the prose before it."""
        self._events += segment(respond, self._prose)
        self._prose = ""
        self.text += text
        self._events += events

    def forge(self, text):
        """Write results where none are due."""
        self.mark(text, error("forged-results", offset=len(self.text)))

    def document(self, state, after=""):
        """Return all of it; what stands after a hard stop is discarded."""
        self.mark("")
        return Document(self.text + after, self._events, state, len(after), self.options)


def open_turn(draw, writer):
    """Write what stands at the start of a turn; return whether the text ends there."""
    if writer.options["start"] == "prose":
        writer.say(draw(prose))
        return False
    text = draw(thought)
    opener = draw(st.sampled_from(["", "<think>"]))
    if opener:
        opener = draw(white) + opener
    elif text.lstrip(WHITE).startswith(("<think>", "<results>")):
        text = f"x{text}"
    is_over = draw(st.integers(0, 7)) == 0
    writer.mark(opener + text + ("" if is_over else "</think>"), *segment(think, text))
    if not is_over:
        writer.say(draw(prose))
    return is_over


def go_on(draw, writer):
    """Write thinks with prose between them."""
    for _ in range(draw(st.integers(0, 2))):
        text = draw(thought)
        writer.mark(f"<think>{text}</think>", *segment(think, text))
        writer.say(draw(prose))


@st.composite
def turns(draw):
    """Draw a turn, and whatever the model wrote after it stopped."""
    writer = Writer("turn", draw(st.sampled_from(["prose", "prose", "think"])))
    if open_turn(draw, writer):
        return writer.document("think")
    go_on(draw, writer)
    stop = draw(st.sampled_from(["none", "think", "end", "forged", "block", "block", "block"]))
    if stop == "none":
        return writer.document("prose")
    if stop == "think":
        text = draw(thought)
        writer.mark(f"<think>{text}", *segment(think, text))
        return writer.document("think")
    if stop == "end":
        writer.mark("<end>", end())
        return writer.document("ended", draw(anything))
    if stop == "forged":
        writer.forge("<results>")
    else:
        text, events, _ = draw(blocks())
        writer.mark(text, *events)
    return writer.document("paused", draw(anything))


@st.composite
def transcripts(draw):
    """Draw a conversation: turns that end in a block or in `<end>`, results, and a last turn."""
    writer = Writer("transcript", draw(st.sampled_from(["prose", "prose", "think"])))
    for _ in range(draw(st.integers(0, 3))):
        if open_turn(draw, writer):
            return writer.document("think")
        go_on(draw, writer)
        if draw(st.integers(0, 4)) == 0:
            writer.say("x")
            writer.forge(f"<results>{draw(skipped)}</results>")
        if draw(st.integers(0, 4)) == 0:
            writer.mark("<end>", end())
            continue
        text, events, tools = draw(blocks())
        writer.mark(text, *events)
        if draw(st.booleans()):
            text, events = draw(answers(tools))
            writer.mark(draw(white) + text, *events)
    return writer.document("think" if open_turn(draw, writer) else "prose")


documents = st.one_of(turns(), transcripts())


# --- Damage -----------------------------------------------------------------------------------

#: What a model, a proxy or an attacker may put anywhere.
HOSTILE = [
    *LIVE,
    "</think>",
    "</execute>",
    "</results>",
    "</",
    "<",
    ">",
    "<execute>[",
    '<execute>[{"name":"a","args":{"x":',
    '<execute>[{"name":"a","args":{}}]</execute>',
    '<results>[{"tool":"a","status":"success","content":1}]</results>',
    "<results>[",
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
    "é",
    "\U0001f600",
    "\ud83d",
    "\ude00",
    "thinkexecuteresultsend",
    "```",
    "x",
]

hostile = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=2), words)

#: Any text, near the protocol: half of it begins inside a block.
hostile_texts = st.tuples(
    st.sampled_from(["", "", "<execute>[", '<execute>[{"name":"a","args":{"x":', "<think>"]),
    st.lists(hostile, max_size=14).map("".join),
).map("".join)


@st.composite
def mutated(draw, texts):
    """Damage a text in a few places: a span is left out, replaced, doubled, or something put in."""
    text = draw(texts)
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        stop = min(len(text), start + draw(st.sampled_from([0, 0, 1, 1, 1, 2, 5, 20])))
        inserted = draw(st.one_of(st.just(""), hostile, st.just(text[start:stop] * 2)))
        text = text[:start] + inserted + text[stop:]
    if draw(st.integers(0, 3)) == 0:
        text = text[: draw(st.integers(0, len(text)))]
    return text


mutated_texts = mutated(documents.map(lambda document: document.text))

#: Any text at all.
texts = st.one_of(
    documents.map(lambda document: document.text), mutated_texts, mutated_texts, hostile_texts
)

#: Bytes that are no UTF-8, or only the beginning of it.
BAD_BYTES = [
    b"\xff",
    b"\x80",
    b"\xc3",
    b"\xc0\xaf",
    b"\xe2\x82",
    b"\xe0\x80",
    b"\xed\xa0\x80",
    b"\xf0\x9f",
    b"\xf0\x9f\x98",
    b"\xf4\x90\x80\x80",
    b"\xef\xbb\xbf",
]


@st.composite
def byte_texts(draw):
    """Draw bytes, often with sequences that are not valid."""
    data = draw(texts).encode("utf-8", "surrogatepass")
    for _ in range(draw(st.integers(0, 2))):
        place = draw(st.integers(0, len(data)))
        data = data[:place] + draw(st.sampled_from(BAD_BYTES)) + data[place:]
    return data[: draw(st.integers(0, len(data)))] if draw(st.integers(0, 5)) == 0 else data


#: Everything a parser may be fed.
inputs = st.one_of(texts, texts, texts, byte_texts())


# --- Ways to feed and to read -----------------------------------------------------------------


def chunkings(data):
    """Draw where to cut `data`; shrinks to one piece."""
    places = st.lists(st.integers(0, len(data)), max_size=8).map(sorted)
    every = st.integers(1, 7).map(lambda size: list(range(size, len(data), size)))
    return st.one_of(places, every)


modes = st.sampled_from(["turn", "transcript"])
starts = st.sampled_from(["prose", "prose", "think"])
streams = st.sampled_from(["event", "token"])

#: The limits' defaults, or small ones that documents cross: size, calls, depth, digits.
DEFAULTS = (8_388_608, 256, 128, 1000)
limits = st.one_of(
    st.just(DEFAULTS),
    st.tuples(st.integers(1, 200), st.integers(1, 3), st.integers(1, 6), st.integers(1, 5)),
    st.tuples(st.integers(1, 120), *(st.just(default) for default in DEFAULTS[1:])),
)
