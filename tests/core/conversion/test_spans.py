"""The spans of a transcript: who wrote each piece of it, what it is, and of which event."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogwire import tooling
from cogwire_kit import strategies as make
from tests import cogwire
from tests.core.helpers import DIALECTS, LINES, TAGS, WHITE
from tests.core.laws import law
from tests.core.wire.described.drawing import described_texts, descriptions
from tests.rows import rows

CALL = '{"name": "ls", "args": {}}'
ITEM = '{"tool": "ls", "status": "success", "content": ""}'


def pieces(text, dialect="xml-json", **options):
    """Return the spans in short: author, kind, event and text."""
    return [
        (span.author, span.kind, span.event, text[span.start : span.end])
        for span in cogwire.spans(text, dialect, **options)
    ]


def assert_tiled(dialect, *authors, **options):
    """Assert what the spans of a text are, which is all their texts joined.

    The pieces are the model's, then the system's, then the model's again.  Each is written as its
    kind, its event and its text, and white space as it is.
    """
    expected = []
    for author, written in zip(itertools.cycle(("model", "system")), authors, strict=False):
        for piece in written:
            kind, event, text = piece.split(" ", 2) if piece.strip(WHITE) else ("white", "-", piece)
            expected.append((author, kind, None if event == "-" else int(event), text))
    assert pieces("".join(text for *_, text in expected), dialect, **options) == expected


def block(call):
    """Return the pieces of a block with one call, whose event is this."""
    inside = (f"syntax {call + 1} [", f"call {call} {CALL}", f"syntax {call + 1} ]")
    return [f"marker {call + 1} <execute>", *inside, f"marker {call + 1} </execute>"]


def line(event, marker, kind, text, end="\n"):
    """Return the pieces of a marker of lines, what follows it, and the end of the line."""
    own = "error" if kind == "error" else "marker"
    return [f"{own} {event} {marker}", " ", f"{kind} {event} {text}", *([end] if end else [])]


# --- The dialects of the protocol ---------------------------------------------------------------

# The spans of all texts of the corpus are those of the executable spec: `tests/spec/test_oracle.py`.


def test_a_transcript_between_tags():
    """Results, and the white space around them, are the system's; forged ones are the model's."""
    inside = ("\n", f"results 2 [{ITEM}]", "\n")
    results = ["\n\n", "marker 2 <results>", *inside, "marker 2 </results>", "\n\n"]
    forged = ["prose 3 Done.", " ", "error 4 <results> [] </results>"]
    void = ["error 5 <execute>x</execute>"]
    assert_tiled("xml-json", ["\n", *block(0)], results, [*forged, " ", *void])


def test_a_think_that_the_prompt_opens_after_a_hard_stop():
    pieces = ["marker - </think>", "marker 0 <end>", "marker - </think>", "prose 1 a"]
    assert_tiled("xml-json", pieces, start="think")


@rows("dialect", LINES)
def test_a_transcript_by_lines(dialect):
    """A call that never runs belongs to the error of its batch; each turn has its own."""
    lost = line(3, "§call:", "error", CALL)
    first = [*line(0, "§think:", "think", "hm"), *lost, *line(2, "§respond:", "prose", "so")]
    second = [*line(5, "§call:", "call", CALL), "marker 6 §execute"]
    results = ["\n", *line(7, "§result:", "results", "a\n b")]
    assert_tiled(dialect, [*first, "marker 4 §end"], ["\n"], second, results)


# --- Formats that models are trained on -------------------------------------------------------

HERMES = '{"name": "a"}'
HERMES_CALL = ["marker 0 <tool_call>", "\n", f"call 0 {HERMES}", "\n", "marker 0 </tool_call>"]
VOID = "<tool_call>\n bad\n</tool_call>"
LLAMA = '{"name":"a","parameters":{}}'
TAG = "<|python_tag|>"
SECTION, SECTION_END = "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"
KIMI_OPEN, KIMI_CLOSE = "<|tool_call_begin|>", "<|tool_call_end|>"
KIMI_CALL = "functions.a:0<|tool_call_argument_begin|>{}"
KIMI = f"{KIMI_OPEN}{KIMI_CALL}{KIMI_CLOSE}"
LISTED = '{"name": "a", "arguments": {}}'


def kimi(event):
    """Return the pieces of a call of Kimi K2."""
    return [
        f"marker {event} {KIMI_OPEN}",
        f"call {event} {KIMI_CALL}",
        f"marker {event} {KIMI_CLOSE}",
    ]


@rows(
    "dialect, spans",
    [
        ("hermes", [*HERMES_CALL, "\n", "prose 1 bye"]),
        (
            "hermes",
            [
                *(*HERMES_CALL, "\n", "marker 1 <tool_call>", f"call 1 {HERMES}", " "),
                "marker 1 </tool_call>",
            ],
        ),
        ("hermes", ["marker 0 <tool_call>", f"call 0 {HERMES}", " ", "marker 0 </tool"]),
        ("hermes", [f"error 0 {VOID}"]),
        (
            "hermes",
            [
                *(f"error 2 <tool_call>\n{HERMES}\n</tool_call>", " ", "prose 1 b", " "),
                *(f"error 2 {VOID}", "marker 3 <think>", "think 3 c", "marker 3 </think>"),
            ],
        ),
        ("hermes", ["error 0 <tool_call> [", " "]),
        ("glm-4.5", ["marker 0 <tool_call>", "call 0 a</tool_call>", "prose 1 x"]),
        ("mistral", ["marker 0 [TOOL_CALLS]", "call 0 a[ARGS]{}", "prose 1 bye"]),
        (
            "mistral",
            [
                *("error 0 [TOOL_CALLS]a b", "\n", "error 0 [TOOL_CALLS]a[ARGS]{}", " "),
                "prose 1 bye",
            ],
        ),
        ("llama3-json", [f"call 0 {LLAMA}", " ", "marker 0 ;", "prose 1 x"]),
        (
            "llama3-json",
            [f"marker 0 {TAG}", "prose 0 x", f"error 2 {TAG}{LLAMA}{TAG}"],
        ),
        ("llama3-json", [" ", f"error 1 {LLAMA} ;", " ", f'error 1 {{"b{TAG}x"', " "]),
        ("llama3-json", [f"marker - {TAG}", " "]),
        pytest.param(
            "kimi-k2",
            [
                *("prose 0 a", f"marker 3 {SECTION}", *kimi(1), "\n", *kimi(2)),
                *(f"marker 3 {SECTION_END}", "marker 3 <|im_end|>"),
                *("prose 4 b", "marker 5 <|im_end|>"),
            ],
            id="the markers of a section and the one that runs it are of the execute",
        ),
        pytest.param(
            "kimi-k2",
            [
                *(f"error 1 {SECTION}{KIMI}x{KIMI}{SECTION_END}", " ", "prose 2 b", " "),
                "error 1 <|im_end|>",
            ],
            id="those of a void batch are of its error",
        ),
        pytest.param(
            "kimi-k2",
            [
                *(f"marker - {SECTION}", f"marker - {SECTION_END}", "prose 0 b"),
                *("marker 1 <|im_end|>", f"marker 3 {SECTION}", *kimi(2), "marker 3 <|im_end|>"),
            ],
            id="those of a section without calls have no event",
        ),
        pytest.param(
            "mistral-v3",
            [
                *("marker 2 [TOOL_CALLS]", " ", "syntax 2 [", f"call 0 {LISTED}", "syntax 2 ,"),
                *(" ", f"call 1 {LISTED}", "syntax 2 ]"),
            ],
            id="what is around the calls of a list is of the execute",
        ),
    ],
)
def test_a_turn_without_results_in_a_trained_format(dialect, spans):
    assert_tiled(dialect, spans)


@rows(
    "dialect, authors",
    [
        ("functionary-v3.2", [['call 0 read\n{"path": "a"}']]),
        (
            "functionary-v3.2",
            [
                ["marker 0 all\n", "prose 0 Hi.", "marker 1 >>>", "call 1 ls\n{}"],
                [],
                ["marker 2 <|eot_id|>"],
                [
                    *("marker 3 <|start_header_id|>tool<|end_header_id|>", "\n", "results 3 ok"),
                    "marker 3 <|eot_id|>",
                ],
                ["marker 4 all\n", "prose 4 Done."],
            ],
        ),
        # Not a header, but prose with one in it.
        ("functionary-v3.2", [["prose 0 I look.", "marker 1 >>>", "call 1 ls\n{}"]]),
        (
            "harmony",
            [
                [
                    *("marker 0 analysis<|message|>", "think 0 Hm.", "marker 0 <|end|>"),
                    "marker 1 <|start|>assistant<|channel|>commentary to=functions.",
                    *("call 1 ls <|message|>{}", "marker 2 <|call|>"),
                ]
            ],
        ),
        (
            "harmony",
            [["marker 0 commentary to=functions.", "call 0 ls<|message|>{}", "marker 1 <|call|>"]],
        ),
        ("hyperclovax", [["marker 0 /think\n", "think 0 Hm.", "marker 0 <|im_end|>"]]),
        ("muse", [["marker 0  to=self<|message|>", "think 0 Hm.", "marker 0 <|eom|>"]]),
        ("inkling", [["marker 0 <|content_text|>", "prose 0 Hi.", "marker - <|end_message|>"]]),
    ],
)
def test_a_turn_that_starts_in_a_header(dialect, authors):
    """In every turn of a transcript; the rest of the header is the marker of what follows it."""
    assert_tiled(dialect, *authors, start="header")


def test_each_batch_of_a_trained_format_has_its_error():
    answer = "<tool_response>x</tool_response>"
    assert_tiled(
        "hermes",
        HERMES_CALL,
        ["marker 2 <tool_response>", "results 2 x", "marker 2 </tool_response>"],
        *([f"error 3 {VOID}"], [f"error 4 {answer}"], [f"error 5 {VOID}"]),
    )


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
        (f"Hm.<tool_call>{HERMES}</tool_call>", "hermes"),
        (f"<think>Hm.</think><tool_call>{HERMES}</tool_call>", "hermes"),
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
