# SPDX-License-Identifier: MIT
"""Transcripts of the xml dialects in which results are the one fault.

xj-results to xj-results-unclosed define what they may contain.
"""

from hypothesis import assume
from hypothesis import strategies as st

from cogwire_kit.strategies._faults_blocks import STRUCK, framed, without_array
from cogwire_kit.strategies._faults_json import (
    VALUES,
    Member,
    Trees,
    flat,
    members,
    nested,
    no_objects,
    no_strings,
    too_many_digits,
    trees,
)
from cogwire_kit.strategies._faults_tags import BLOCKS, begun
from cogwire_kit.strategies._faults_written import (
    Array,
    Bad,
    Fault,
    Object,
    Tree,
    Written,
    fault_of,
)
from cogwire_kit.strategies._json import quoted, strings
from cogwire_kit.strategies._prose import white
from cogwire_kit.strategies._tags import prose
from cogwire_kit.strategies._wire import call, error, execute

SHAPE, COUNT, ORDER = "results-shape", "results-count", "results-order"
CLOSER = "</results>"

# --- Items ------------------------------------------------------------------------------------


@st.composite
def items(draw: st.DrawFn, /, called: str, others: Trees = trees, **given: Tree | None) -> Tree:
    """Draw an item of a tool, or one with the members given; without a member for None."""
    is_success = draw(st.booleans())
    content = draw(others) if is_success else draw(strings)[0]
    members_of: dict[str, Tree | None] = {
        "tool": quoted(called),
        "status": '"success"' if is_success else '"failure"',
        "content": content,
        **given,
    }
    fixed: list[Member] = [
        (f'"{name}"', name, value) for name, value in members_of.items() if value is not None
    ]
    more = draw(members(others, taken=("tool", "status", "content", "more"), most=1))
    return Object(draw(st.permutations([*fixed, *more])), draw(white))


@st.composite
def bad_items(draw: st.DrawFn, tool: str) -> Tree:
    """Draw an item that is not of the shape of one."""
    way = draw(st.sampled_from(["type", "type", "status", "missing", "failure", "value", "object"]))
    if way == "type":
        name = draw(st.sampled_from(["tool", "status"]))
        return draw(items(tool, trees, **{name: Bad(draw(no_strings), SHAPE)}))
    if way == "status":
        status = draw(st.sampled_from(['"ok"', '""', '"Success"', '"fail\\u0075re "']))
        return draw(items(tool, status=Bad(status, SHAPE, -1)))
    if way == "missing":
        name = draw(st.sampled_from(["tool", "status", "content"]))
        return Bad(draw(items(tool, trees, **{name: None})), SHAPE, -1)
    if way == "failure":
        item = draw(items(tool, status='"failure"', content=draw(no_strings)))
        return Bad(item, SHAPE, -1)
    if way == "object":
        return Bad(draw(no_objects), SHAPE)
    code = draw(st.sampled_from(sorted(VALUES)))
    bad = draw(nested(draw(VALUES[code]), draw(st.integers(0, 3)), trees))
    name = draw(st.sampled_from(["content", "more"]))
    # The content of a success may be any value.
    status = '"success"'
    return draw(items(tool, trees, status=status, **{name: bad}))


# --- Results ----------------------------------------------------------------------------------


@st.composite
def answers(
    draw: st.DrawFn,
    tools: list[str],
    bad: Tree | None = None,
    place: int = 0,
    most: int | None = None,
) -> Written:
    """Draw the results of calls, with `bad` as the item at `place`, if it is given."""
    good = [draw(items(tool)) for tool in tools[:most]]
    if bad is not None:
        good[place : place + 1] = [bad]
    return draw(framed("results", good))


@st.composite
def misshapen(draw: st.DrawFn, tools: list[str]) -> Written:
    """Draw results that are not JSON, not of the right shape, or cut off."""
    way = draw(st.sampled_from(["item", "item", "struck", "struck", "empty", "cut", "replaced"]))
    if way == "item" and tools:
        place = draw(st.integers(0, len(tools) - 1))
        return draw(answers(tools, draw(bad_items(tools[place])), place))
    if way == "empty":
        return draw(without_array("results"))
    written = draw(answers(tools))
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
        written = draw(answers(tools, most=kept))
        return written.crossing(written.marks["after"] - 1, COUNT)
    extra = Bad(draw(items("a")), COUNT)
    return draw(answers(tools, extra, len(tools)))


@st.composite
def misordered(draw: st.DrawFn, tools: list[str]) -> Written:
    """Draw results of which one is not that of the call in its place."""
    place = draw(st.integers(0, len(tools) - 1))
    others = [*tools, "other", "execute", tools[place] + " "]
    name = draw(st.sampled_from([other for other in others if other != tools[place]]))
    item = draw(items(tools[place], tool=Bad(quoted(name), ORDER, -1)))
    return draw(answers(tools, item, place))


@st.composite
def limited(draw: st.DrawFn) -> tuple[Written, dict[str, int]]:
    """Draw results of a tool `a` that cross the limit `size`, `depth` or `digits`."""
    limit = draw(st.sampled_from(["size", "depth", "digits"]))
    if limit == "size":
        padding = Object([('"content"', "content", '"' + "x" * 40 + '"')]).members
        status: list[Member] = [('"tool"', "tool", '"a"'), ('"status"', "status", '"success"')]
        written = draw(framed("results", [Object([*status, *padding], draw(white))]))
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
    item = draw(items("a", flat, status='"success"', content=content))
    return draw(framed("results", [item])), {limit: number}


#: The inside of a block with one call of `a`, within the limits above.
TINY = '[{"name":"a","args":{}}]'


# --- Transcripts ------------------------------------------------------------------------------


@st.composite
def result_faults(draw: st.DrawFn, dialect: str, code: str) -> Fault:
    """Draw a transcript with a block, results that have a fault, and perhaps prose after them."""
    writer = draw(begun("transcript", draw(st.sampled_from(["prose", "prose", "think"]))))
    limits: dict[str, int] = {}
    if code == SHAPE and draw(st.integers(0, 3)) == 0:
        results, limits = draw(limited())
        text, content = "<a/>", '{"name": "a", "args": {}}'
        if dialect == "xml-json":
            text, content = TINY, TINY[1:-1]
        writer.mark(f"<execute>{text}</execute>", call(content), execute())
    else:
        is_any = code != ORDER
        text, events, tools = draw(BLOCKS[dialect].filter(lambda block: is_any or block[2]))
        writer.mark(text, *events)
        ways = {SHAPE: misshapen, COUNT: miscounted, ORDER: misordered}
        results = draw(ways[code](tools))
    gap = draw(white)
    offset = len(writer.text) + len(gap) + results.fault.offset
    writer.mark(gap + results.text, error(code, results.fault.path, offset=offset))
    # They end at the first closer that is not before the offence; here it is their own.
    found = writer.text.find(CLOSER, offset)
    assume(found < 0 or found + len(CLOSER) == len(writer.text))
    state = writer.options["start"] if found >= 0 else "results"
    if state == "prose":
        writer.say(draw(prose))
    return draw(fault_of(writer.document(state), dialect, limits))
