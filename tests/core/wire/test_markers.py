"""Finding markers: where they count, what is held back, and what becomes of a text that is long."""

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import cogwire
from tests.core.helpers import (
    LINES,
    bare,
    call,
    end,
    error,
    execute,
    hopped,
    respond,
    result,
    think,
)

A = '{"name": "a"}'
#: Longer than any piece of a text that is looked at at once.
LONG = 3000


def said(text, dialect="delimiter", **options):
    return bare(cogwire.parse(text, dialect, clock=None, **options))


def fed(chunks, dialect="delimiter", **options):
    """Return what came of each chunk, with a snapshot behind it, and of the end."""
    parser = cogwire.Parser(dialect, clock=None, **options)
    given = []
    for chunk in chunks:
        given.append(parser.feed(chunk))
        parser = hopped(parser)
    return [*given, parser.close()]


# -- Places by lines --------------------------------------------------------------------------


@pytest.mark.parametrize("blank", ["", " ", "\t", " \t" * LONG])
@pytest.mark.parametrize("before", ["", "a\n", "a\r", "a\r\n", "a\n\n\n", "x" * LONG + "\n"])
def test_a_marker_counts_where_only_blanks_stand_before_it(before, blank):
    expected = [respond(before.strip())] * bool(before) + [think("t")]
    assert said(f"{before}{blank}§think: t") == expected


@pytest.mark.parametrize(
    "before", ["a", "a ", "a\n.", "a\n\u00a0", "a\x0b", "a\u2028", "a\n§", "x" * LONG]
)
def test_a_marker_does_not_count_behind_anything_else(before):
    text = f"{before}§think: t"
    assert said(text) == [respond(text)]


@pytest.mark.parametrize("white", ["", " ", "\n", "\r\n\t", " \n" * LONG])
def test_a_marker_counts_behind_another_one(white):
    assert said(f"§think:{white}§respond:{white}§end") == [end()]
    assert said(f"§call: {A}{white}§execute") == [call(A), execute()]


@pytest.mark.parametrize("marker", ["§execute", "§END"])
@pytest.mark.parametrize("behind", ["", " ", "\t", "\n", "\r", "§", " x"])
def test_a_bare_marker_needs_a_boundary(marker, behind):
    kinds = [each["type"] for each in said(marker + behind)]
    assert kinds == [marker[1:].lower()]


@pytest.mark.parametrize("behind", ["x", ".", ":", "\u00a0", "\x0b", "[", "<", "_"])
def test_without_a_boundary_it_is_prose(behind):
    assert said(f"§execute{behind}") == [respond(f"§execute{behind}")]
    assert said(f"§end{behind}") == [respond(f"§end{behind}")]


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ("§ThInK: t\n§rEsPoNd: r\n§eNd", [think("t"), respond("r"), end()]),
        ("§th\u0130nk: t", [respond("§th\u0130nk: t")]),
        ("§thin\u212a: t", [respond("§thin\u212a: t")]),
        ("§re\u017fpond: t", [respond("§re\u017fpond: t")]),
        ("[system: t]", [respond("[system: t]")]),
        ("[SYSTEM:t]", [respond("[SYSTEM:t]")]),
        ("§ think: t", [respond("§ think: t")]),
        ("§think : t", [respond("§think : t")]),
        ("§§end", [respond("§§end")]),
    ],
)
@pytest.mark.parametrize("dialect", LINES)
def test_letter_case_is_that_of_ascii_and_nothing_else_is_loose(dialect, text, events):
    assert said(text, dialect) == events


# -- What is held back ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("a\n§execut", "\n§execut"),
        ("a\n  §Re", "\n  §Re"),
        ("a\n§end", "\n§end"),
        ("a\n[SYSTEM:", "\n[SYSTEM:"),
        ("a §exe", ""),
        ("a\n[SYS x", ""),
        ("a\n[sys", ""),
        ("a\n§§", ""),
        ("a\n§ex\u212a", ""),
    ],
)
def test_only_what_may_become_a_marker_is_held_back(text, held):
    """Between a snapshot and the rest, too."""
    first, last = fed([text], stream="token")
    shown = "".join(each["content"] for each in first)
    assert shown == text.removesuffix(held)
    assert [each["type"] for each in first + last][-1] in {"respond", "end"}


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("xml-json", "a<thi"),
        ("xml-elements", "a<<exec"),
        ("delimiter", "a\n§thi"),
        ("delimiter-upper", "a\n[SYS"),
    ],
)
def test_what_is_held_back_comes_when_it_is_no_marker(dialect, text):
    first, second, last = fed([text, "!"], dialect, stream="token")
    assert "".join(each["content"] for each in first + second + last) == f"{text}!"
    assert "!" in second[-1]["content"]


@pytest.mark.parametrize(
    ("dialect", "text", "carries"),
    [
        ("xml-json", "<th", {"<ex": True, "<en": True, "<<t": False, "§ex": False, "   ": False}),
        ("xml-elements", "<th", {"<re": True, "[SY": False, "xyz": False}),
        (
            "delimiter",
            "§ex",
            {"§EX": True, "§re": True, "[SY": True, "[sy": False, "<th": False, "§e\u017f": False},
        ),
        ("delimiter-upper", "[SYSTEM:", {"§execute": True, "§RESPOND": True, "]]]]]]]]": False}),
    ],
)
def test_a_snapshot_that_holds_back_what_no_marker_begins_with_is_refused(dialect, text, carries):
    parser = cogwire.Parser(dialect, clock=None)
    assert parser.feed(text) == []
    value = parser.snapshot()
    assert value["carry"] == text
    for carry, is_legal in carries.items():
        changed = {**value, "carry": carry}
        if is_legal:
            kinds = [execute()] if carry == "§execute" else [respond(carry)]
            assert cogwire.Parser.restore(changed, clock=None).close() == kinds
        else:
            with pytest.raises(ValueError, match="carry"):
                cogwire.Parser.restore(changed, clock=None)


# -- Results by lines -------------------------------------------------------------------------


def answered(body, dialect="delimiter-upper"):
    """Return what is read of `body` behind one call."""
    text = f"§call: {A}\n§execute\n{body}"
    return bare(cogwire.parse_transcript(text, dialect, clock=None))[2:]


def ok(content):
    return result(f'[\n  {{"tool": "a", "status": "success", "content": "{content}"}}\n]', 1)


@pytest.mark.parametrize(
    ("body", "events"),
    [
        ("[SYSTEM: a]", [ok("a")]),
        ("[SYSTEM: a]\nb", [ok("a"), respond("b")]),
        ("[SYSTEM: a]\rb", [ok("a"), respond("b")]),
        ("[SYSTEM: a] b]\n", [ok("a] b")]),
        ("[SYSTEM: a]]", [ok("a]")]),
        ("[SYSTEM: a\n§respond: b]", [ok("a"), respond("b]")]),
        ("[SYSTEM: a\n  §end", [ok("a"), end()]),
        ("[SYSTEM: a", [ok("a")]),
        ("[SYSTEM: a\n]\n§end", [ok("a"), end()]),
        ("[SYSTEM: " + "x] " * LONG + "]\n§end", [ok(("x] " * LONG).strip()), end()]),
        ("§result: a]\nb", [ok(r"a]\nb")]),
        ("§result: a §end", [ok("a §end")]),
        ("[SYSTEM: §result: a", [error("results-count", offset=39)]),
        ("[SYSTEM: ]", [ok("")]),
    ],
)
def test_the_end_of_a_body(body, events):
    assert answered(body) == events
    assert answered(body, "delimiter") == events


@pytest.mark.parametrize("cut", range(1, 30))
def test_a_closer_that_waits_for_its_line_end_survives_a_snapshot(cut):
    text = f"§call: {A}\n§execute\n[SYSTEM: a]]\n§respond: b"
    whole = bare(cogwire.parse_transcript(text, "delimiter", clock=None))
    parts = fed([text[:-cut], text[-cut:]], mode="transcript")
    assert bare(itertools.chain(*parts)) == whole
    assert whole[2:] == [ok("a]"), respond("b")]


# -- Long texts -------------------------------------------------------------------------------


@given(
    st.lists(
        st.sampled_from(
            ["§", "[", "]", "\n", "]\n", " ", "§end.", "\n§en", "\n[SYSTEM:", "x" * 200]
        ),
        max_size=40,
    ),
    st.sampled_from(["§respond: r", "§think: r", "[SYSTEM: r", "§end", ""]),
    st.integers(1, 400),
)
def test_a_marker_is_found_however_much_stands_before_it(pieces, marker, size):
    """The first that counts, whole or in chunks; what only begins like one does not hide it."""
    text = f"{''.join(pieces)}\n{marker}"
    live = re.compile(r"(?:\A|[\r\n])[ \t]*(§(?:think|respond):|\[SYSTEM: |§end(?=[ \t\r\n§]|\Z))")
    found = live.search(text)
    before = (text[: found.start(1)] if found else text).strip(" \t\r\n")
    whole = said(text)
    assert whole[: bool(before)] == [respond(before)] * bool(before)
    parser = cogwire.Parser("delimiter", clock=None)
    chunks = [text[at : at + size] for at in range(0, len(text), size)]
    events = [each for chunk in chunks for each in parser.feed(chunk)] + parser.close()
    assert bare(events) == whole
