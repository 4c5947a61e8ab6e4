# SPDX-License-Identifier: MIT
"""Arrays between tags with one fault: blocks of `xml-json`, and results.

xj-not-array, xj-json and xj-trailing-text in spec/xml-json.md define what may not be before, in and
after an array.
"""

import functools
from typing import Any

from hypothesis import strategies as st

from cogwire_kit.strategies._faults_json import CALLS, Trees, calls, limited_calls, trees
from cogwire_kit.strategies._faults_written import Array, Bad, Tree, Written, write_tree
from cogwire_kit.strategies._prose import white


def write_array(marker: str, array: Array, before: str, after: str) -> Written:
    """Write an array between tags."""
    written = Written()
    written.put(f"<{marker}>", None)
    written.mark("inside")
    written.put(before, None)
    written.mark("array")
    write_tree(written, array, "")
    written.mark("after")
    written.put(after, None)
    written.mark("closer")
    written.put(f"</{marker}>", None)
    return written


@st.composite
def framed(draw: st.DrawFn, marker: str, elements: list[Tree]) -> Written:
    """Write elements as an array between tags."""
    array = Array(elements, draw(white))
    return write_array(marker, array, draw(white), draw(white))


@st.composite
def blocks(
    draw: st.DrawFn, call: Tree | None = None, others: Trees = trees, before: int = 3
) -> Written:
    """Draw a block, with the given call among others, if there is one."""
    first = draw(st.lists(calls(others), max_size=before))
    if call is None:
        return draw(framed("execute", first))
    return draw(framed("execute", [*first, call, *draw(st.lists(calls(others), max_size=1))]))


#: Text that cannot continue JSON, in a string and outside of one.
CONTROLS = ["\x01", "\n", "\t", "\0", "\x1f"]
STRAY = ["x", "'", ";", "/", "#", "=", "(", "é", "\u00a0", "\0", "\x0b", "\ufeff", "<", "§"]
#: Text in place of the array.
NO_ARRAY = ["{", '"', "x", "1", "-", "Sure: ", "```json\n", "//", "<", "]", "null", "é", "\0"]
#: Text that follows the array, and the place of its offending character.
TRAILING = [
    ("]", 0),
    ("}", 0),
    (",", 0),
    (";", 0),
    ("[]", 0),
    ("x", 0),
    ("please", 0),
    ("```", 0),
    ("\u00a0", 0),
    ("\0", 0),
    ("<", 1),
    ("<execute>", 1),
    ("</", 2),
    ("</exe", 5),
    ("</Execute>", 2),
    ("</executes>", 9),
    ("</execute >", 9),
]


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
    inserted, at = draw(st.sampled_from(TRAILING))
    return written.struck(place, inserted, "trailing-text", at)


@st.composite
def without_array(draw: st.DrawFn, marker: str) -> Written:
    """Draw nothing between tags: the closer itself is in place of an array."""
    written, gap = Written(), draw(white)
    written.put(f"<{marker}>{gap}</{marker}>", None)
    written.spoil("not-array", len(f"<{marker}>{gap}"), None)
    return written


@st.composite
def with_bad_call(draw: st.DrawFn, code: str) -> Written:
    """Draw a block with a call that has a fault."""
    bad = CALLS[code]
    if code == "missing-args":
        bad = st.one_of(bad, calls(args=None).map(lambda tree: Bad(tree, "missing-args", -1)))
    return draw(blocks(draw(bad)))


STRUCK: dict[str, Any] = {
    "json-syntax": struck_inside,
    "not-array": struck_before,
    "trailing-text": struck_after,
}


@st.composite
def limited_blocks(draw: st.DrawFn, code: str) -> tuple[Written, dict[str, int]]:
    """Draw a block with a call that crosses the limit `depth` or `digits`."""
    call, others, limits = draw(limited_calls(code))
    before = 0 if limits.get("depth", 3) < 3 else 3
    return draw(blocks(call, others, before)), limits


@st.composite
def too_many_calls(draw: st.DrawFn) -> tuple[Written, dict[str, int]]:
    """Draw a block with more calls than the limit `calls`."""
    limit = draw(st.integers(1, 3))
    before = draw(st.lists(calls(), min_size=limit, max_size=limit))
    extra = Bad(draw(calls()), "limit-calls")
    after = draw(st.lists(calls(), max_size=1))
    return draw(framed("execute", [*before, extra, *after])), {"calls": limit}


@functools.cache
def block_faults(code: str) -> st.SearchStrategy[Written]:
    """Draw a block of `xml-json` with one fault of grammar or shape."""
    ways: list[st.SearchStrategy[Written]] = []
    if code == "not-array":
        ways.append(without_array("execute"))
    if code in CALLS:
        ways.append(with_bad_call(code))
    if code in STRUCK:
        ways.append(blocks().flatmap(STRUCK[code]))
    return st.one_of(ways)
