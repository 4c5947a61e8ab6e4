"""The spans of a transcript: who wrote each piece of it, what it is, and of which event."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogwire import tooling
from cogwire_kit import strategies as make
from cogwire_kit.conformance import corpus
from tests import cogwire
from tests.core.helpers import DIALECTS, TAGS, WHITE, form_of
from tests.core.laws import law
from tests.core.wire.described.drawing import described_texts, descriptions
from tests.rows import rows

CALL = '{"name": "ls", "args": {}}'


@rows("each", corpus.array(corpus.PLACE / "texts" / "spans.json"))
def test_the_spans_of_a_text(each):
    """What is joined is the text; those of all texts of the corpus are in `tests/spec/test_oracle.py`."""
    text = "".join(piece for *_, piece in each["spans"])
    found = cogwire.spans(text, form_of(each["dialect"]), start=each.get("start", "prose"))
    assert each["spans"] == [
        [span.author, span.kind, span.event, text[span.start : span.end]] for span in found
    ]


# --- Any text ---------------------------------------------------------------------------------


def test_places_are_code_points_and_bytes():
    spans = cogwire.spans("é \U0001f600<end>")
    assert [(span.start, span.end) for span in spans] == [(0, 3), (3, 8)]
    assert [(span.start_byte, span.end_byte) for span in spans] == [(0, 7), (7, 12)]
    assert spans == cogwire.spans("é \U0001f600<end>".encode())
    # Two halves are one character; what was replaced has the bytes of U+FFFD.
    assert cogwire.spans("\ud83d\ude00\ud83d")[0][3:] == (0, 2, 0, 7)
    assert cogwire.spans(b"\xff\xffa")[0][3:] == (0, 3, 0, 7)


def test_limits_are_those_of_the_parser():
    limits = cogwire.Limits(calls=1)
    text = f"<execute>[{CALL},{CALL}]</execute>"
    assert [span.kind for span in cogwire.spans(text, limits=limits)] == ["error"]


def test_an_option_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="start must be one of prose, think, header, not 'end'"):
        cogwire.spans("", start="end")
    with pytest.raises(ValueError, match="start must be one of prose, think, header, not 'bogus'"):
        cogwire.tooling.read("a", "xml-json", start="bogus")
    with pytest.raises(ValueError, match="hermes has no headers, so no turn begins in one"):
        cogwire.spans("a", "hermes", start="header")


@rows(
    ("text", "name"),
    [
        ('Hm.<tool_call>{"name": "a"}</tool_call>', "hermes"),
        ('<think>Hm.</think><tool_call>{"name": "a"}</tool_call>', "hermes"),
        (b"\xc2\xa7respond: a\n\xc2\xa7end", "delimiter"),
        ("§Respond: a\n§END", "delimiter or delimiter-upper"),
    ],
)
def test_a_text_of_another_dialect_is_refused_where_none_is_named(text, name):
    """All of it would be prose of the model, on which a mask would train."""
    with pytest.raises(ValueError, match=rf"^the text looks like {name}, and no dialect is named"):
        cogwire.spans(text)
    assert cogwire.spans(text, "xml-json")[-1].kind == "prose"


@rows("text", ["", "a", "a <end>", "<execute>x", "<think>a", "See §end here."])
def test_any_other_text_needs_no_name(text):
    assert cogwire.spans(text) == cogwire.spans(text, "xml-json")


@law(make.inputs, parses=False)
def test_the_spans_tile_the_text_and_agree_with_the_events(dialect, data):
    events, seen = tiled(dialect, data)
    # Each segment has its span but for those that an error made; and so has each call that runs.
    runs = {"think"} | ({"respond"} if dialect in TAGS else set())
    assert {index for index, each in enumerate(events) if each["type"] in runs} <= seen


def tiled(dialect, data):
    """Check the spans of a text against its events; return these, and which have a span."""
    if isinstance(dialect, str):
        events = cogwire.parse_transcript(data, dialect, clock=None, spans=True)
    else:  # it may have no results, and then no transcripts
        placed = tooling.read(data, dialect).events
        events = [{**each.event, "span": [each.begin, each.end]} for each in placed]
    text = decoded(data)
    at = byte = 0
    seen = set()
    for span in cogwire.spans(data, dialect):
        piece = text[span.start : span.end]
        assert piece
        assert (at, byte) == (span.start, span.start_byte)
        at, byte = span.end, span.start_byte + len(piece.encode())
        assert byte == span.end_byte
        event = None if span.event is None else events[span.event]
        assert (span.kind == "white") == (piece.strip(WHITE) == "")
        assert (span.kind == "error") == (event is not None and event["type"] == "error")
        if span.kind in ("think", "prose", "call"):
            assert event["span"] == [span.start, span.end]
            seen.add(span.event)
    assert at == len(text)
    return events, seen


def decoded(data):
    """Return the text of an input, as the parser counts it."""
    if isinstance(data, bytes):
        return data.decode("utf-8", "replace")
    return data.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def test_an_empty_text_has_no_spans():
    assert [cogwire.spans("", dialect) for dialect in DIALECTS] == [[], [], [], []]


@given(st.data())
def test_the_spans_in_a_described_format_tile_the_text_and_agree_with_the_events(data):
    described = data.draw(descriptions())
    text = data.draw(described_texts(described))
    events, seen = tiled(cogwire.Format.from_json(described), text)
    runs, calls = set(), set()
    for index, event in enumerate(events):
        if event["type"] in ("think", "respond"):
            runs.add(index)
        elif event["type"] == "call":
            calls.add(index)
        elif event["type"] == "execute":
            runs |= calls
        if event["type"] in ("execute", "error"):
            calls = set()
    assert seen == runs
