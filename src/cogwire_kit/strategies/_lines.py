# SPDX-License-Identifier: MIT
"""Turns and transcripts of `delimiter` and `delimiter-upper`, valid or with one fault.

Both dialects are read in the same way.
"""

import functools
import json
import re
from itertools import pairwise
from typing import Any, Final

from hypothesis import strategies as st

from cogwire_kit.strategies import _json
from cogwire_kit.strategies._tags import CONTROLS, COUNT, ORDER
from cogwire_kit.strategies._wire import (
    HALVES,
    MARKER,
    Document,
    crossed,
    running,
    starts,
    white,
)

# --- Text -------------------------------------------------------------------------------------

#: A marker that counts, in text that has a line end in front and after.
LIVE_LINE: Final = re.compile(rf"[\r\n][ \t]*(?:{MARKER.pattern})", MARKER.flags)


def holds_marker(text: str) -> bool:
    """Whether a marker counts in `text`, if `text` begins where one would count."""
    return LIVE_LINE.search(f"\n{text}\n") is not None


#: Prose in which no marker counts.
prose = running.filter(lambda text: not holds_marker(text))

#: Line ends after which a marker may follow, without and with white space before it.
breaks = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r", "\n\n", "\n \t"])
line_ends = st.one_of(breaks, breaks, st.just(" \n  "))
#: What a model wrote after `§end` or `§execute`, beginning with the boundary.
after_stop = st.one_of(st.just(""), st.tuples(line_ends, running).map("".join))


@functools.cache
def keywords(word: str) -> st.SearchStrategy[str]:
    """Spell a marker in any ASCII letter case."""
    mixed = [
        "".join(one.upper() if mask >> place & 1 else one for place, one in enumerate(word))
        for mask in (0b1, 0b10, 0b1010101, 0b0101110, 0b1011001)
    ]
    return st.sampled_from([word, word, word, word.upper(), word.upper(), *mixed]).map("§".__add__)


@functools.cache
def segments(kind: str = "") -> st.SearchStrategy[str]:
    """Draw a segment after its marker."""
    kinds = [kind] if kind else ["think:", "respond:"]
    return st.tuples(st.one_of([keywords(each) for each in kinds]), prose).map("".join)


#: The parts at the beginning of a turn.
beginnings = st.tuples(st.lists(prose, max_size=1), st.lists(segments(), max_size=2)).map(
    lambda pair: [*pair[0], *pair[1]]
)

# --- Calls ------------------------------------------------------------------------------------

tiny_calls = st.sampled_from(
    [
        *('{"name":"a","args":{}}', '{ "name" : "b" }', '{"name":"c","args":{"x":1}}'),
        *('{"args":{"s":"\\n§end"},"name":"d"}', '{\n"name":"e","args":{"s":"§execute"}\n}'),
    ]
)
#: Calls without a fault, some of them without arguments.
any_calls = st.one_of(tiny_calls, tiny_calls, _json.calls(), _json.calls({"args": None}))

#: Text that may not follow a call.
TRAILING: Final = (
    *("please", "]", "}", ", then", '{"name": "a"}', "&sect;end", "\u00a0§end", "\0", "```"),
    *(", then\n§en", "§ think:", "§§end", "§.", "§thing", "§en d", "§end.", "§ending"),
    *("§executes", "§Execute-it", "§respond hi", "§CALL {}", "§thin\u212a:", "§re\u017fult:"),
    *("[SYS,", "[system: a]", "[SYSTEM:a]", "[1]"),
    # The beginnings of markers, which are none where the text ends.
    *("§", "§th", "§Call", "§exec", "§EXECUT", "§en", "§result", "[", "[SYSTEM", "[SYSTEM:"),
)


@st.composite
def called(draw: st.DrawFn, payloads: st.SearchStrategy[str]) -> str:
    """Write a call with its marker."""
    payload = draw(payloads.filter(lambda text: not holds_marker(text)))
    return draw(keywords("call:")) + draw(st.one_of(st.just(" "), white)) + payload


@st.composite
def trailed(draw: st.DrawFn, texts: tuple[str, ...] = TRAILING) -> str:
    """Write a call with text after it."""
    return draw(called(any_calls)) + draw(white) + draw(st.sampled_from(texts)) + draw(prose)


def names_of(calls: list[str]) -> list[str]:
    """Return the names of calls that have no fault."""
    payloads = [call[call.index("{") :] for call in calls]
    return [json.loads(payload, parse_int=str)["name"] for payload in payloads]


@st.composite
def joined(draw: st.DrawFn, parts: list[str]) -> str:
    """Write parts that begin with markers; after a call another marker need not begin a line."""
    text = "".join(parts[:1])
    for before, part in pairwise(parts):
        is_call = before[1:5].lower() == "call" and before[-1:] == "}"
        text += draw(white if is_call else breaks if before[-1:] == "]" else line_ends) + part
    return text


# --- Results ----------------------------------------------------------------------------------


@st.composite
def answers(draw: st.DrawFn, bodies: st.SearchStrategy[str]) -> str:
    """Write a result with its marker."""
    padded = st.tuples(white, bodies, white).map("".join)
    body = draw(
        padded.filter(lambda body: not (holds_marker(body) or re.search(r"\][\r\n]", body)))
    )
    if draw(st.booleans()):
        return draw(keywords("result:")) + body
    return f"[SYSTEM: {body}]"


@functools.cache
def bodies(name: str) -> st.SearchStrategy[str]:
    """Draw what a tool may return: an item, a text, or a value."""
    return st.one_of(_json.items(name, most=0), prose, _json.trees)


@st.composite
def results(draw: st.DrawFn, names: list[str] | None) -> list[str]:
    """Draw the results of calls of these names; there are none where the batch was void."""
    if not names:
        return [draw(answers(_json.failures if names is None else st.just("[]")))]
    return [draw(answers(bodies(name))) for name in names]


#: The codes of calls that are broken whatever the limits are.
BROKEN: Final = sorted(code for code in _json.CALLS if not code.startswith("limit-"))

# --- Documents --------------------------------------------------------------------------------


@st.composite
def batches(draw: st.DrawFn) -> tuple[list[str], list[str] | None]:
    """Draw calls and segments; return the names of the calls too, or none for a void batch."""
    parts, calls, is_void = [], [], False
    kinds = ["call"] * 7 + ["segment"] * 2 + ["broken", "trailing"]
    for kind in draw(st.lists(st.sampled_from(kinds), max_size=4)):
        part: str
        if kind == "call":
            part = draw(called(any_calls))
            calls.append(part)
        elif kind == "segment":
            part = draw(segments())
        else:
            bad = st.sampled_from(BROKEN).flatmap(_json.CALLS.__getitem__)
            part = draw(trailed() if kind == "trailing" else called(bad))
            is_void = True
        parts.append(part)
    return parts, None if is_void else names_of(calls)


@st.composite
def turns(draw: st.DrawFn, dialect: str) -> Document:
    """Draw a turn, and text that the model wrote after it stopped."""
    parts = [*draw(beginnings), *draw(batches())[0]]
    stop = draw(st.sampled_from(["", "end", "result:", "execute", "execute", "execute"]))
    stops = [draw(keywords(stop))] if stop else []
    after = draw(after_stop) if stop else ""
    options = {"dialect": dialect, "mode": "turn", "start": draw(starts)}
    return Document(draw(joined([*parts, *stops])) + after, options)


@st.composite
def transcripts(draw: st.DrawFn, dialect: str) -> Document:
    """Draw a conversation: turns that end in `§execute` or in `§end`, results, and a last turn."""
    parts: list[str] = []
    for _ in range(draw(st.integers(0, 3))):
        batch, names = draw(batches())
        parts += [*draw(beginnings), *batch]
        if draw(st.integers(0, 4)) == 4:
            parts += [draw(segments("respond:")), draw(answers(prose))]
            names = None
        if draw(st.integers(0, 4)) == 4:
            parts.append(draw(keywords("end")))
            continue
        parts.append(draw(keywords("execute")))
        if draw(st.booleans()):
            parts += draw(results(names))
    parts += draw(st.one_of(st.just([]), beginnings))
    options = {"dialect": dialect, "mode": "transcript", "start": draw(starts)}
    return Document(draw(joined(parts)), options)


# --- Faults -----------------------------------------------------------------------------------

#: Replaced characters after a call.
REPLACED: Final = ("\ud83d", "§\ude00", "§ex\ud800", "§think\udfff:", "[SYS\ud83d")


@st.composite
def _struck(draw: st.DrawFn, puts: tuple[str, ...]) -> str:
    """Draw a call with something put into it."""
    call = draw(called(any_calls))
    place = draw(st.integers(call.index("{"), len(call) - 1))
    return call[:place] + draw(st.sampled_from(puts)) + call[place:]


@functools.cache
def _spoiled(code: str) -> st.SearchStrategy[str]:
    """Draw the part that has the fault of this code."""
    ways = [called(_json.CALLS[code])] if code in _json.CALLS else []
    if code == "json-syntax":
        instead = st.tuples(keywords("call:"), line_ends, segments()).map("".join)
        ways += [_struck(CONTROLS), instead]
    elif code == "bad-encoding":
        ways += [_struck(HALVES), trailed(REPLACED)]
    elif code == "trailing-text":
        ways.append(trailed())
    elif code == "forged-results":
        ways.append(answers(prose))
    return st.one_of(ways or [called(any_calls)])


@st.composite
def faults(draw: st.DrawFn, dialect: str, code: str) -> Document:
    """Draw a turn or a transcript with one fault that is not in its results."""
    mode = draw(st.sampled_from(["turn", "turn", "transcript"]))
    options = {"dialect": dialect, "mode": mode, "start": draw(starts)} | draw(crossed(code))
    least = 4 if code in {"limit-calls", "limit-size"} else 0
    before = st.lists(called(any_calls), min_size=least, max_size=max(2, least))
    parts = [*draw(beginnings), *draw(before), draw(_spoiled(code))]
    if code == "unclosed-call":
        call = parts.pop()
        cut = call[: draw(st.integers(len("§call:"), len(call) - 1))]
        return Document(draw(joined([*parts, cut])), options)
    stops = ["", "end"] if code == "missing-execute" else ["", "end", "execute"]
    if code != "missing-execute":
        parts += draw(st.lists(st.one_of(segments(), called(any_calls)), max_size=2))
    stop = draw(st.sampled_from(stops))
    if stop:
        parts.append(draw(keywords(stop)))
        if mode == "transcript" and stop == "execute" and draw(st.booleans()):
            parts += draw(results(None))
    return Document(draw(joined(parts)) + (draw(after_stop) if stop else ""), options)


#: Members of an item with the right tool that is not one.
MISSHAPEN: Final = (
    *({"status": '"ok"'}, {"status": '"Success"'}, {"status": '""'}, {"status": "true"}),
    *({"status": "null"}, {"status": '["success"]'}, {"status": '"failure"', "content": "1"}),
    *(
        {"status": '"failure"', "content": "null"},
        {"status": '"failure"', "content": '{"message": "x"}'},
    ),
)
#: Answers to a batch without calls that are not an empty array.
NOT_EMPTY: Final = ("", "none", "[1]", "[[]]", "[ ,]", "{}", "null", "0", '"[]"', "[]]", "] []")
tools = st.sampled_from(["a", "read", "é", "Execute"])


@st.composite
def result_faults(draw: st.DrawFn, dialect: str, code: str) -> Document:
    """Draw a transcript with a batch, results of which one has a fault, and perhaps more."""
    options: dict[str, Any] = {"dialect": dialect, "mode": "transcript", "start": draw(starts)}
    names = draw(st.lists(tools, min_size=code != COUNT, max_size=3))
    calls = [draw(called(st.just(f'{{"name":{_json.quoted(name)}}}'))) for name in names]
    place = draw(st.integers(0, max(0, len(names) - 1)))
    bad: list[str]
    if code == COUNT:
        few = st.lists(answers(prose), min_size=1, max_size=1) if len(names) > 1 else st.nothing()
        empty = answers(st.sampled_from(NOT_EMPTY)).map(lambda part: [part])
        many = results([*names, "a"]) if names else empty
        bad = draw(st.one_of(few, many))
    else:
        name = names[place]
        items = st.sampled_from(MISSHAPEN).flatmap(lambda given: _json.items(name, given, 0))
        if code == ORDER:
            other = draw(st.sampled_from([each for each in ("b", "execute") if each != name]))
            items = _json.items(other, most=0)
        elif draw(st.integers(0, 3)) == 3:
            options["limits"] = {"size": 60 * len(names)}
            items = st.just("y" * 60 * (len(names) + 1))
        elif draw(st.booleans()):
            items = st.tuples(prose, st.sampled_from(HALVES), prose).map("".join)
        bad = [*draw(results(names[:place]) if place else st.just([])), draw(answers(items))]
        bad += draw(st.lists(answers(prose), max_size=2))
    parts = [*draw(beginnings), *calls, draw(keywords("execute")), *bad]
    parts += draw(st.lists(segments(), max_size=2))
    stop = draw(st.lists(keywords("end"), max_size=1))
    return Document(draw(joined([*parts, *stop])), options)
