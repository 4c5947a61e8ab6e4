# SPDX-License-Identifier: MIT
"""Arrays of JSON between tags, valid or with one fault: blocks of `xml-json`, and results.

xj-not-array, xj-json and xj-trailing-text in spec/xml-json.md define what may not be before, in and
after an array, and xj-results to xj-results-unclosed what results may contain.
"""

import functools
from typing import Any, Final

from hypothesis import strategies as st

from cogwire_kit.strategies._json import (
    Trees,
    calls,
    flat,
    items,
    outcomes,
    plain_object,
    quoted,
    trees,
)
from cogwire_kit.strategies._json_faults import (
    CALLS,
    VALUES,
    limited_calls,
    nested,
    no_objects,
    no_strings,
    too_many_digits,
)
from cogwire_kit.strategies._wire import Event, result, white
from cogwire_kit.strategies._written import Array, Bad, Tree, Written, pointed, write_tree

SHAPE, COUNT, ORDER = "results-shape", "results-count", "results-order"


@st.composite
def framed(draw: st.DrawFn, marker: str, elements: list[Tree]) -> Written:
    """Write elements as an array between tags."""
    written = Written()
    written.put(f"<{marker}>", None)
    written.mark("inside")
    written.put(draw(white), None)
    written.mark("array")
    write_tree(written, Array(elements, draw(white)), "")
    written.mark("after")
    written.put(draw(white), None)
    written.mark("closer")
    written.put(f"</{marker}>", None)
    return written


# --- Blocks -----------------------------------------------------------------------------------

tiny_calls: Trees = st.sampled_from(
    [
        plain_object(name='"a"', args=plain_object()),
        plain_object(" ", name='"b"', args=plain_object()),
        plain_object(name='"c"', args=plain_object(x="1")),
        plain_object(args=plain_object(), name='"d"'),
        plain_object(name='"e"', args=plain_object(s='"</execute>"')),
    ]
)


@st.composite
def blocks(draw: st.DrawFn) -> Written:
    """Draw a block without a fault: a run of tiny calls, or none, and a few calls of any kind."""
    run: list[Tree] = [draw(tiny_calls)] * draw(st.one_of(st.just(0), st.integers(1, 9)))
    more = draw(st.lists(st.one_of(calls(), tiny_calls), max_size=3))
    return draw(framed("execute", [*run, *more]))


@st.composite
def blocks_with(draw: st.DrawFn, call: Tree, others: Trees = trees, before: int = 3) -> Written:
    """Draw a block with this call among others."""
    first = draw(st.lists(calls(others), max_size=before))
    last = draw(st.lists(calls(others), max_size=1))
    return draw(framed("execute", [*first, call, *last]))


#: Text that cannot continue JSON, in a string and outside of one.
CONTROLS: Final = ["\x01", "\n", "\t", "\0", "\x1f"]
STRAY: Final = ["x", "'", ";", "/", "#", "=", "(", "é", "\u00a0", "\0", "\x0b", "\ufeff", "<", "§"]
#: Text in place of the array.
NO_ARRAY: Final = [
    "{",
    '"',
    "x",
    "1",
    "-",
    "Sure: ",
    "```json\n",
    "//",
    "<",
    "]",
    "null",
    "é",
    "\0",
]
#: Text that follows the array; the caret is before the offending character of a block.
TRAILING: Final = (
    *("‸]", "‸}", "‸,", "‸;", "‸[]", "‸x", "‸please", "‸```", "‸\u00a0", "‸\0", "<‸", "<‸execute>"),
    *("</‸", "</exe‸", "</‸Execute>", "</execute‸s>", "</execute‸ >"),
)


@st.composite
def struck_inside(draw: st.DrawFn, written: Written) -> Written:
    """Put a character that cannot be there anywhere between the brackets."""
    place = draw(st.integers(written.marks["array"] + 1, written.marks["after"] - 1))
    characters = CONTROLS if written.is_quoted[place] else STRAY
    return written.struck(place, draw(st.sampled_from(characters)), "json-syntax")


@st.composite
def struck_before(draw: st.DrawFn, written: Written) -> Written:
    """Put something before the array."""
    place = draw(st.integers(written.marks["inside"], written.marks["array"]))
    return written.struck(place, draw(st.sampled_from(NO_ARRAY)), "not-array")


@st.composite
def struck_after(draw: st.DrawFn, written: Written) -> Written:
    """Put something after the array."""
    place = draw(st.integers(written.marks["after"], written.marks["closer"]))
    inserted, at = pointed(draw(st.sampled_from(TRAILING)))
    if inserted.startswith("</"):
        # Only what begins as the closer does may continue as one, and results have another.
        closer, text = written.text[written.marks["closer"] :], f"{inserted} "
        at = next(place for place in range(len(text)) if not closer.startswith(text[: place + 1]))
    return written.struck(place, inserted, "trailing-text", at)


@st.composite
def without_array(draw: st.DrawFn, marker: str) -> Written:
    """Draw nothing between tags: the closer itself is in place of an array."""
    written, gap = Written(), draw(white)
    written.put(f"<{marker}>{gap}</{marker}>", None)
    written.spoil("not-array", len(f"<{marker}>{gap}"), None)
    return written


STRUCK: dict[str, Any] = {
    "json-syntax": struck_inside,
    "not-array": struck_before,
    "trailing-text": struck_after,
}


@functools.cache
def block_faults(code: str) -> st.SearchStrategy[Written]:
    """Draw a block of `xml-json` with one fault of grammar or shape."""
    ways: list[st.SearchStrategy[Written]] = []
    if code == "not-array":
        ways.append(without_array("execute"))
    if code == "missing-args":
        bare = calls(args=None).map(lambda tree: Bad(tree, "missing-args", -1))
        ways.append(bare.flatmap(blocks_with))
    if code in CALLS:
        ways.append(CALLS[code].flatmap(blocks_with))
    if code in STRUCK:
        ways.append(blocks().flatmap(STRUCK[code]))
    return st.one_of(ways)


@st.composite
def limited_blocks(draw: st.DrawFn, code: str) -> tuple[Written, dict[str, int]]:
    """Draw a block that crosses the limit `calls`, `depth` or `digits`, and that limit."""
    if code == "limit-calls":
        limit = draw(st.integers(1, 3))
        before = draw(st.lists(calls(), min_size=limit, max_size=limit))
        extra = Bad(draw(calls()), code)
        after = draw(st.lists(calls(), max_size=1))
        return draw(framed("execute", [*before, extra, *after])), {"calls": limit}
    call, others, limits = draw(limited_calls(code))
    most = 0 if limits.get("depth", 3) < 3 else 3
    return draw(blocks_with(call, others, most)), limits


# --- Results ----------------------------------------------------------------------------------


@st.composite
def answers(
    draw: st.DrawFn, tools: list[str], *, executed: int = -1, success: bool | None = None
) -> tuple[str, Event]:
    """Write results of calls of these names; return the text and the event.

    `executed` and `success` are those of an answer that is a failure without any call that ran.
    """
    succeeded = [draw(st.booleans()) if success is None else success for _ in tools]
    parts = [draw(outcomes(success=each)) for each in succeeded]
    good = [draw(items(tool, part)) for tool, part in zip(tools, parts, strict=True)]
    written = draw(framed("results", good))
    array = written.text[written.marks["array"] : written.marks["after"]]
    counts = sum(succeeded), len(tools) - sum(succeeded)
    return written.text, result(array, *counts, executed=executed)


@st.composite
def answers_with(
    draw: st.DrawFn, tools: list[str], bad: Tree | None, place: int = 0, most: int | None = None
) -> Written:
    """Draw the results of calls, with `bad` as the item at `place`, if it is given."""
    good = [draw(items(tool)) for tool in tools[:most]]
    if bad is not None:
        good[place : place + 1] = [bad]
    return draw(framed("results", good))


@st.composite
def bad_items(draw: st.DrawFn, tool: str) -> Tree:
    """Draw an item that is not of the shape of one."""
    way = draw(st.sampled_from(["type", "type", "status", "missing", "failure", "value", "object"]))
    if way == "type":
        name = draw(st.sampled_from(["tool", "status"]))
        return draw(items(tool, {name: Bad(draw(no_strings), SHAPE)}))
    if way == "status":
        status = draw(st.sampled_from(['"ok"', '""', '"Success"', '"fail\\u0075re "']))
        return draw(items(tool, {"status": Bad(status, SHAPE, -1)}))
    if way == "missing":
        name = draw(st.sampled_from(["tool", "status", "content"]))
        return Bad(draw(items(tool, {name: None})), SHAPE, -1)
    if way == "failure":
        item = draw(items(tool, {"status": '"failure"', "content": draw(no_strings)}))
        return Bad(item, SHAPE, -1)
    if way == "object":
        return Bad(draw(no_objects), SHAPE)
    code = draw(st.sampled_from(sorted(VALUES)))
    bad = draw(nested(draw(VALUES[code]), draw(st.integers(0, 3)), trees))
    name = draw(st.sampled_from(["content", "more"]))
    # The content of a success may be any value.
    return draw(items(tool, {"status": '"success"', name: bad}))


@st.composite
def misshapen(draw: st.DrawFn, tools: list[str]) -> Written:
    """Draw results that are not JSON, not of the right shape, or cut off."""
    way = draw(st.sampled_from(["item", "item", "struck", "struck", "empty", "cut", "replaced"]))
    if way == "item" and tools:
        place = draw(st.integers(0, len(tools) - 1))
        return draw(answers_with(tools, draw(bad_items(tools[place])), place))
    if way == "empty":
        return draw(without_array("results"))
    written = draw(answers_with(tools, None))
    place = draw(st.integers(written.marks["inside"], len(written.text) - 1))
    if way == "cut":
        return written.cut(place, SHAPE)
    if way == "replaced":
        return written.struck(place, "\ufffd", SHAPE)
    strike = draw(st.sampled_from(sorted(STRUCK)))
    struck: Written = draw(STRUCK[strike](written))
    return struck


@st.composite
def miscounted(draw: st.DrawFn, tools: list[str]) -> Written:
    """Draw results with an item more or fewer than there are calls."""
    is_short = draw(st.booleans())
    if tools and is_short:
        kept = draw(st.integers(0, len(tools) - 1))
        written = draw(answers_with(tools, None, most=kept))
        return written.crossing(written.marks["after"] - 1, COUNT)
    return draw(answers_with(tools, Bad(draw(items("a")), COUNT), len(tools)))


@st.composite
def misordered(draw: st.DrawFn, tools: list[str]) -> Written:
    """Draw results of which one is not that of the call in its place."""
    place = draw(st.integers(0, len(tools) - 1))
    others = [*tools, "other", "execute", tools[place] + " "]
    name = draw(st.sampled_from([other for other in others if other != tools[place]]))
    item = draw(items(tools[place], {"tool": Bad(quoted(name), ORDER, -1)}))
    return draw(answers_with(tools, item, place))


#: The inside of a block with one call of `a`, within the limits that results cross.
TINY: Final = '[{"name":"a","args":{}}]'


@st.composite
def limited_answers(draw: st.DrawFn) -> tuple[Written, dict[str, int]]:
    """Draw results of a tool `a` that cross the limit `size`, `depth` or `digits`."""
    limit = draw(st.sampled_from(["size", "depth", "digits"]))
    if limit == "size":
        item = plain_object(
            draw(white), tool='"a"', status='"success"', content='"' + "x" * 40 + '"'
        )
        written = draw(framed("results", [item]))
        first = written.marks["inside"]
        place = draw(st.integers(first + len(TINY), written.marks["closer"] - 1))
        return written.crossing(place, SHAPE), {"size": place - first}
    if limit == "digits":
        number = draw(st.integers(2, 6))
        bad, levels = draw(too_many_digits(number)), draw(st.integers(0, 3))
    else:
        number = draw(st.integers(3, 6))
        bad, levels = Bad(Array([]), SHAPE), number - 2
    content = draw(nested(bad, levels, flat))
    item = draw(items("a", {"status": '"success"', "content": content}, flat))
    return draw(framed("results", [item])), {limit: number}
