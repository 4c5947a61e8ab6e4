"""Finding markers: where they count, what is held back, and what becomes of a text that is long."""

import itertools
import re

from hypothesis import given
from hypothesis import strategies as st

from tests import cogwire
from tests.core.helpers import (
    LINES,
    WHITE,
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
from tests.rows import rows

A = '{"name": "a"}'
#: Longer than any piece of a text that is looked at at once.
LONG = 3000


def events_of(text, dialect="delimiter", **options):
    return bare(cogwire.parse(text, dialect, clock=None, **options))


def feeds(chunks, dialect="delimiter", **options):
    """Return what came of each chunk, with a snapshot after it, and of the end."""
    parser = cogwire.Parser(dialect, clock=None, **options)
    given = []
    for chunk in chunks:
        given.append(parser.feed(chunk))
        parser = hopped(parser)
    return [*given, parser.close(finished=True)]


# -- Places by lines --------------------------------------------------------------------------


def test_a_marker_counts_only_after_blanks_on_its_line():
    blanks = ("", " ", "\t", " \t" * LONG, *(" " * size for size in (255, 256, 257, 512, 600)))
    befores = ("", "a\n", "a\r", "a\r\n", "a\n\n\n", "x" * LONG + "\n")
    for before, blank in itertools.product(befores, blanks):
        expected = [respond(before.strip())] * bool(before) + [think("t")]
        assert events_of(f"{before}{blank}§think: t") == expected, (before[:9], len(blank))


def test_a_marker_does_not_count_after_anything_else():
    blanks = ("a" + " " * size for size in (1, 255, 256, 257, 512, 600))
    for before in (
        *("a", "a\n.", "a\n\u00a0", "a\x0b", "a\u2028", "a\n§", "x" * LONG, "\na \t", *blanks),
    ):
        text = f"{before}§think: t"
        assert events_of(text) == [respond(text.strip(WHITE))], before


def test_a_marker_counts_after_another_one():
    for white in ("", " ", "\n", "\r\n\t", " \n" * LONG):
        assert events_of(f"§think:{white}§respond:{white}§end") == [end()], len(white)
        assert events_of(f"§call: {A}{white}§execute") == [call(A), execute()], len(white)


# -- What is held back ------------------------------------------------------------------------

#: A dialect, a text, and what of it is held back; white space before that waits, too.
HELD = [
    ("xml-json", "a<", "<"),
    ("xml-json", "a<thi", "<thi"),
    ("xml-json", "a<execute", "<execute"),
    ("xml-json", "<<", "<"),
    ("xml-elements", "a<<exec", "<exec"),
    ("xml-json", "<a<th", "<th"),
    ("xml-json", "x" * 20 + "<en", "<en"),
    *(("xml-json", text, "") for text in ("<th<a", "<executed", "a<\nx", "</thin", "a<T", "<x")),
    ("delimiter", "§", "§"),
    ("delimiter", "a\n§", "§"),
    ("delimiter", "a\n§execut", "§execut"),
    ("delimiter", "a\n  §Re", "§Re"),
    ("delimiter", "a\n§end", "§end"),
    ("delimiter", "a\n§END", "§END"),
    ("delimiter", "a\n§respond", "§respond"),
    ("delimiter", "a\n[SYSTEM:", "[SYSTEM:"),
    ("delimiter", "a\n[\n§t", "§t"),
    ("delimiter", "a\n§\n[S", "[S"),
    ("delimiter", "x" * 30 + "\n§res", "§res"),
    *(("delimiter", text, "") for text in ("a§", "a \t§", "a §exe", "a\n§endi", "a\n[SYS x")),
    *(("delimiter", text, "") for text in ("a\n[sys", "a\n§§", "a\n§ex\u212a", "a\n§re[", "a\n[§")),
    ("delimiter", "x" * 300 + "\n§res" + "x" * 300, ""),
    ("delimiter-upper", "a\n[SYS", "[SYS"),
    ("delimiter-upper", "a\n§th", "§th"),
]


@rows("start", ["", "x"])
def test_only_text_that_may_become_a_marker_is_held_back(start):
    """At the beginning and in the middle of a line, and between a snapshot and the rest, too."""
    for dialect, text, held in HELD:
        is_first = dialect in LINES and text == held
        kept = "" if start and is_first else held
        chunks = [start, text] if start else [text]
        *given, last = feeds(chunks, dialect, stream="token")
        shown = "".join(each["content"] for each in itertools.chain(*given))
        assert shown == start + text.removesuffix(kept).rstrip(WHITE), text
        assert [each["type"] for each in [*itertools.chain(*given), *last]][-1] in {
            "respond",
            "end",
        }
        *given, last = feeds([*chunks, "!"], dialect, stream="token")
        assert "".join(each["content"] for each in itertools.chain(*given)) == f"{start}{text}!"


# -- Results by lines -------------------------------------------------------------------------


def answered(body, dialect="delimiter-upper"):
    """Return what is read of `body` after one call."""
    text = f"§call: {A}\n§execute\n{body}"
    return bare(cogwire.parse_transcript(text, dialect, clock=None))[2:]


def ok(content):
    return result(f'[\n  {{"tool": "a", "status": "success", "content": "{content}"}}\n]', 1)


def test_a_closer_that_waits_for_its_line_end_survives_a_snapshot():
    text = f"§call: {A}\n§execute\n[SYSTEM: a]]\n§respond: b"
    whole = bare(cogwire.parse_transcript(text, "delimiter", clock=None))
    assert whole[2:] == [ok("a]"), respond("b")]
    for cut in range(1, 30):
        parts = feeds([text[:-cut], text[-cut:]], mode="transcript")
        assert bare(itertools.chain(*parts)) == whole, cut


# -- Long texts -------------------------------------------------------------------------------

#: About the ends of the windows in which a text is searched: 256, 256 + 512, and so on.
EDGES = [end + step for end in (256, 768) for step in range(-12, 3)]
FAR = "x" * 300


@rows("before", ["x", "§", "["])
def test_a_marker_is_found_at_the_end_of_the_searched_text(before):
    for size in EDGES:
        text = before * size
        assert events_of(f"{text}\n§think: t\n§end\n") == [respond(text), think("t"), end()], size
        assert answered(f"[SYSTEM: {text}]\n§end\n") == [ok(text), end()], size
        assert answered(f"[SYSTEM: {text}\n§end\n") == [ok(text), end()], size


@rows(
    ("text", "events"),
    [
        (f"a§{FAR}\n§end\n{FAR}\n[SYSTEM: ", [respond(f"a§{FAR}"), end()]),
        (f"a[SYSTEM: {FAR}\n§end\n{FAR}\n[SYSTEM: ", [respond(f"a[SYSTEM: {FAR}"), end()]),
        (
            f"a§{FAR}\n[SYSTEM: {FAR}\n§end\n",
            [respond(f"a§{FAR}"), error("forged-results", offset=303)],
        ),
        (f"§think:{FAR}\n§respond:{FAR}{FAR}", [think(FAR), respond(FAR + FAR)]),
        (f"[SYS\n§end \n[SYSTEM: {FAR}", [respond("[SYS"), end()]),
    ],
)
def test_the_first_marker_is_found_however_far_apart_they_are(text, events):
    assert events_of(text) == events


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
def test_a_marker_is_found_after_any_amount_of_text(pieces, marker, size):
    """The first that counts, whole or in chunks; what only begins like one does not hide it."""
    text = f"{''.join(pieces)}\n{marker}"
    live = re.compile(r"(?:\A|[\r\n])[ \t]*(§(?:think|respond):|\[SYSTEM: |§end(?=[ \t\r\n§]|\Z))")
    found = live.search(text)
    before = (text[: found.start(1)] if found else text).strip(" \t\r\n")
    whole = events_of(text)
    assert whole[: bool(before)] == [respond(before)] * bool(before)
    parser = cogwire.Parser("delimiter", clock=None)
    chunks = [text[at : at + size] for at in range(0, len(text), size)]
    events = [each for chunk in chunks for each in parser.feed(chunk)] + parser.close(finished=True)
    assert bare(events) == whole
