"""The spans of a transcript: who wrote each piece of it, what it is, and of which event."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogwire import tooling
from cogwire_kit import strategies as make
from tests import cogwire
from tests.core.brackets import BRACKETS, dialects
from tests.core.helpers import DIALECTS, LINES, TAGS, WHITE
from tests.core.laws import law
from tests.rows import rows

CALL = '{"name": "ls", "args": {}}'
ITEM = '{"tool": "ls", "status": "success", "content": ""}'


def pieces(text, dialect="xml-json", **options):
    """Return the spans in short: author, kind, event and text."""
    return [
        (span.author, span.kind, span.event, text[span.start : span.end])
        for span in cogwire.spans(text, dialect, **options)
    ]


def model(*table):
    return [("model", *row) for row in table]


def system(*table):
    return [("system", *row) for row in table]


def white(text):
    return ("white", None, text)


# --- Between tags -----------------------------------------------------------------------------


def test_all_that_a_turn_can_hold():
    text = f"<think> hm\n</think>\n\nHi.<execute>\n[\n  {CALL},\n  {CALL}\n]\n</execute>"
    assert pieces(text) == model(
        ("marker", 0, "<think>"),
        white(" "),
        ("think", 0, "hm"),
        white("\n"),
        ("marker", 0, "</think>"),
        white("\n\n"),
        ("prose", 1, "Hi."),
        ("marker", 4, "<execute>"),
        white("\n"),
        ("syntax", 4, "["),
        white("\n  "),
        ("call", 2, CALL),
        ("syntax", 4, ","),
        white("\n  "),
        ("call", 3, CALL),
        white("\n"),
        ("syntax", 4, "]"),
        white("\n"),
        ("marker", 4, "</execute>"),
    )


def test_results_and_the_white_space_around_them_are_the_systems():
    text = f"\n<execute>[{CALL}]</execute>\n\n<results>\n[{ITEM}]\n</results>\n\nDone. <end>\n"
    assert pieces(text) == [
        *model(white("\n"), ("marker", 1, "<execute>"), ("syntax", 1, "["), ("call", 0, CALL)),
        *model(("syntax", 1, "]"), ("marker", 1, "</execute>")),
        *system(white("\n\n"), ("marker", 2, "<results>"), white("\n")),
        *system(("results", 2, f"[{ITEM}]"), white("\n"), ("marker", 2, "</results>")),
        *system(white("\n\n")),
        *model(("prose", 3, "Done."), white(" "), ("marker", 4, "<end>")),
        *system(white("\n")),
    ]


def test_elements():
    text = "<execute>\n<ls><a>1</a></ls> <ls/>\n</execute>"
    assert pieces(text, "xml-elements") == model(
        ("marker", 2, "<execute>"),
        white("\n"),
        ("call", 0, "<ls><a>1</a></ls>"),
        white(" "),
        ("call", 1, "<ls/>"),
        white("\n"),
        ("marker", 2, "</execute>"),
    )


def test_a_void_block_is_one_error():
    """Its calls, which never run, are a part of it; the system has the word after it."""
    block = f"<execute>[{CALL}, x]\n</execute>"
    answer = '<results>[{"tool": "execute", "status": "failure", "content": ""}]</results>'
    assert pieces(f"a {block} {answer}") == [
        *model(("prose", 0, "a"), white(" "), ("error", 2, block)),
        *system(white(" "), ("marker", 3, "<results>"), ("results", 3, answer[9:-10])),
        *system(("marker", 3, "</results>")),
    ]


@rows(
    "text, kept",
    [
        ("<execute>", "<execute>"),
        ("<execute>[ \n", "<execute>["),
        ("<execute>x </execute", "<execute>x </execute"),
        (f"<execute>[{CALL},", f"<execute>[{CALL},"),
    ],
)
def test_a_block_that_is_not_closed_ends_with_its_last_character(text, kept):
    event = 1 if CALL in text else 0
    rest = model(white(text[len(kept) :])) if kept != text else []
    assert pieces(text) == [*model(("error", event, kept)), *rest]


def test_forged_results_are_the_models():
    """And so is the white space after them: its turn goes on."""
    assert pieces("a <results> [] </results> b") == model(
        ("prose", 0, "a"),
        white(" "),
        ("error", 1, "<results> [] </results>"),
        white(" "),
        ("prose", 2, "b"),
    )
    assert pieces("<results>\n[] ")[1:] == model(white(" "))


def test_forged_results_leave_the_block_after_them_alone():
    text = "<results></results><execute>[]</execute>"
    assert pieces(text)[1:] == model(
        ("marker", 1, "<execute>"), ("syntax", 1, "[]"), ("marker", 1, "</execute>")
    )
    assert pieces("<results></results><execute>x</execute>") == model(
        ("error", 0, "<results></results>"), ("error", 1, "<execute>x</execute>")
    )


@rows(
    "answer, rest",
    [
        ("<results>[]</results>", ""),
        ("<results> x</results>", "\n"),
        ("<results>[", " "),
    ],
)
def test_broken_results_are_the_systems(answer, rest):
    block = f"<execute>[{CALL}]</execute>"
    found = pieces(f"{block}{answer}{rest}")
    assert found[5:] == [*system(("error", 2, answer)), *(system(white(rest)) if rest else [])]


def test_a_segment_without_content_has_markers_without_an_event():
    assert pieces("<think> </think>") == model(
        ("marker", None, "<think>"), white(" "), ("marker", None, "</think>")
    )


def test_two_results_blocks_that_break_have_an_error_each():
    block = f"<execute>[{CALL}]</execute>"
    found = pieces(f"{block}<results>x</results>{block}<results>y</results>")
    assert found[5:6] + found[-1:] == system(
        ("error", 2, "<results>x</results>"), ("error", 5, "<results>y</results>")
    )


def test_a_turn_that_starts_in_think():
    assert pieces("hm</think>\na", start="think") == model(
        ("think", 0, "hm"), ("marker", 0, "</think>"), white("\n"), ("prose", 1, "a")
    )
    assert pieces("<think>hm", start="think") == model(("marker", 0, "<think>"), ("think", 0, "hm"))
    # An empty think, after a hard stop.
    assert pieces("<end> </think>a", start="think") == [
        *model(("think", 0, "<end>"), white(" "), ("marker", 0, "</think>"), ("prose", 1, "a"))
    ]
    text = "</think><end></think>a"
    assert pieces(text, start="think") == model(
        ("marker", None, "</think>"),
        ("marker", 0, "<end>"),
        ("marker", None, "</think>"),
        ("prose", 1, "a"),
    )


# --- By lines ---------------------------------------------------------------------------------


@rows("dialect", LINES)
def test_a_turn_by_lines_and_its_results(dialect):
    text = (
        f"§think: hm\n§call: {CALL}\n§respond: so\n§execute\n§result: a\n b\n§respond: Hi.\n§end\n"
    )
    assert pieces(text, dialect) == [
        *model(("marker", 0, "§think:"), white(" "), ("think", 0, "hm"), white("\n")),
        *model(("marker", 1, "§call:"), white(" "), ("call", 1, CALL), white("\n")),
        *model(("marker", 2, "§respond:"), white(" "), ("prose", 2, "so"), white("\n")),
        *model(("marker", 3, "§execute")),
        *system(white("\n"), ("marker", 4, "§result:"), white(" "), ("results", 4, "a\n b")),
        *system(white("\n")),
        *model(("marker", 5, "§respond:"), white(" "), ("prose", 5, "Hi."), white("\n")),
        *model(("marker", 6, "§end")),
        *system(white("\n")),
    ]


def test_results_in_brackets():
    text = f"§CALL: {CALL}\n§CALL: {CALL}\n§EXECUTE\n[SYSTEM: a]\n[SYSTEM: b\n]\nc"
    assert pieces(text, "delimiter-upper")[9:] == [
        *system(white("\n"), ("marker", 3, "[SYSTEM: "), ("results", 3, "a"), ("marker", 3, "]")),
        *system(white("\n"), ("marker", 3, "[SYSTEM: "), ("results", 3, "b"), white("\n")),
        *system(("marker", 3, "]"), white("\n")),
        *model(("prose", 4, "c")),
    ]


def test_each_turn_by_lines_has_its_own_batch():
    expected = []
    for error, end in ((1, 2), (4, 5), (7, 8)):
        expected += model(("error", error, "§call:"), white(" "), ("error", error, CALL))
        expected += model(white("\n"), ("marker", end, "§end")) + system(white("\n"))
    assert pieces(f"§call: {CALL}\n§end\n" * 3, "delimiter") == expected


def test_a_void_batch_by_lines():
    """Its markers, its calls and the payload that broke belong to the error; other text does not."""
    text = f"§call: {CALL}\n§think: hm\n§call: oh no \n§call: {CALL}\n§execute\n"
    assert pieces(text, "delimiter") == [
        *model(("error", 2, "§call:"), white(" "), ("error", 2, CALL), white("\n")),
        *model(("marker", 1, "§think:"), white(" "), ("think", 1, "hm"), white("\n")),
        *model(("error", 2, "§call:"), white(" "), ("error", 2, "oh no"), white(" \n")),
        *model(("error", 2, "§call:"), white(" "), ("error", 2, CALL), white("\n")),
        *model(("error", 2, "§execute")),
        *system(white("\n")),
    ]


def test_text_after_a_call():
    text = f"§call: {CALL} so\n§execute\n§result: x"
    assert pieces(text, "delimiter")[3:] == [
        *model(white(" "), ("error", 1, "so"), white("\n"), ("error", 1, "§execute")),
        *system(white("\n"), ("error", 3, "§result: x")),
    ]


def test_calls_that_nothing_runs():
    text = f"§call: {CALL}\n§end"
    assert pieces(text, "delimiter") == model(
        ("error", 1, "§call:"),
        white(" "),
        ("error", 1, CALL),
        white("\n"),
        ("marker", 2, "§end"),
    )
    text = f"§call: {CALL}\n§end\n§call: {CALL}\n§execute"
    assert pieces(text, "delimiter")[6:] == model(
        ("marker", 3, "§call:"),
        white(" "),
        ("call", 3, CALL),
        white("\n"),
        ("marker", 4, "§execute"),
    )


def test_a_call_that_is_cut_off():
    assert pieces('§call: {"a ', "delimiter") == model(
        ("error", 0, "§call:"), white(" "), ("error", 0, '{"a'), white(" ")
    )


def test_broken_results_by_lines():
    """All bodies belong to the one error, the white space between them does not."""
    text = f"§call: {CALL}\n§execute\n§result: a\n§result:\nb\n§respond: c"
    assert pieces(text, "delimiter")[5:9] == system(
        white("\n"), ("error", 2, "§result: a"), white("\n"), ("error", 2, "§result:\nb")
    )


def test_forged_results_by_lines():
    text = f"§respond: a\n§call: {CALL}\n§result: b\n§call: {CALL}\n§execute"
    assert pieces(text, "delimiter")[4:] == model(
        ("error", 2, "§call:"),
        white(" "),
        ("error", 2, CALL),
        white("\n"),
        ("error", 2, "§result: b"),
        white("\n"),
        ("error", 2, "§call:"),
        white(" "),
        ("error", 2, CALL),
        white("\n"),
        ("error", 2, "§execute"),
    )


# --- Formats that models are trained on -------------------------------------------------------

HERMES = '{"name": "a"}'
VOID = "<tool_call>\n bad\n</tool_call>"
SECTION, SECTION_END = "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"
KIMI_OPEN, KIMI_CLOSE = "<|tool_call_begin|>", "<|tool_call_end|>"
KIMI_CALL = "functions.a:0<|tool_call_argument_begin|>{}"
KIMI = f"{KIMI_OPEN}{KIMI_CALL}{KIMI_CLOSE}"


@rows(
    "dialect, text, expected",
    [
        (
            "hermes",
            f"<tool_call>\n{HERMES}\n</tool_call>\nbye",
            [
                *[("marker", 0, "<tool_call>"), white("\n"), ("call", 0, HERMES), white("\n")],
                *[("marker", 0, "</tool_call>"), white("\n"), ("prose", 1, "bye")],
            ],
        ),
        (
            "hermes",
            f"<tool_call>\n{HERMES}\n</tool_call>\n<tool_call>{HERMES} </tool_call>",
            [
                *[("marker", 0, "<tool_call>"), white("\n"), ("call", 0, HERMES), white("\n")],
                *[("marker", 0, "</tool_call>"), white("\n")],
                *[("marker", 1, "<tool_call>"), ("call", 1, HERMES), white(" ")],
                ("marker", 1, "</tool_call>"),
            ],
        ),
        (
            "hermes",
            f"<tool_call>{HERMES} </tool",
            [
                ("marker", 0, "<tool_call>"),
                ("call", 0, HERMES),
                white(" "),
                ("marker", 0, "</tool"),
            ],
        ),
        ("hermes", VOID, [("error", 0, VOID)]),
        (
            "hermes",
            f"<tool_call>\n{HERMES}\n</tool_call> b {VOID}<think>c</think>",
            [
                *[("error", 2, f"<tool_call>\n{HERMES}\n</tool_call>"), white(" ")],
                *[("prose", 1, "b"), white(" "), ("error", 2, VOID)],
                *[("marker", 3, "<think>"), ("think", 3, "c"), ("marker", 3, "</think>")],
            ],
        ),
        ("hermes", "<tool_call> [ ", [("error", 0, "<tool_call> ["), white(" ")]),
        (
            "glm-4.5",
            "<tool_call>a</tool_call>x",
            [("marker", 0, "<tool_call>"), ("call", 0, "a</tool_call>"), ("prose", 1, "x")],
        ),
        (
            "mistral",
            "[TOOL_CALLS]a[ARGS]{}bye",
            [("marker", 0, "[TOOL_CALLS]"), ("call", 0, "a[ARGS]{}"), ("prose", 1, "bye")],
        ),
        (
            "mistral",
            "[TOOL_CALLS]a b\n[TOOL_CALLS]a[ARGS]{} bye",
            [
                *[("error", 0, "[TOOL_CALLS]a b"), white("\n")],
                *[("error", 0, "[TOOL_CALLS]a[ARGS]{}"), white(" "), ("prose", 1, "bye")],
            ],
        ),
        (
            "llama3-json",
            '{"name":"a","parameters":{}} ;x',
            [
                *[("call", 0, '{"name":"a","parameters":{}}'), white(" "), ("marker", 0, ";")],
                ("prose", 1, "x"),
            ],
        ),
        (
            "llama3-json",
            '<|python_tag|>x<|python_tag|>{"name":"a","parameters":{}}<|python_tag|>',
            [
                *[("marker", 0, "<|python_tag|>"), ("prose", 0, "x")],
                *[("error", 2, '<|python_tag|>{"name":"a","parameters":{}}<|python_tag|>')],
            ],
        ),
        (
            "llama3-json",
            ' {"name":"a","parameters":{}} ; {"b<|python_tag|>x" ',
            [
                *[white(" "), ("error", 1, '{"name":"a","parameters":{}} ;'), white(" ")],
                *[("error", 1, '{"b<|python_tag|>x"'), white(" ")],
            ],
        ),
        ("llama3-json", "<|python_tag|> ", [("marker", None, "<|python_tag|>"), white(" ")]),
        pytest.param(
            "kimi-k2",
            f"a{SECTION}{KIMI}\n{KIMI}{SECTION_END}<|im_end|>b<|im_end|>",
            [
                *[("prose", 0, "a"), ("marker", 3, SECTION)],
                *[("marker", 1, KIMI_OPEN), ("call", 1, KIMI_CALL), ("marker", 1, KIMI_CLOSE)],
                white("\n"),
                *[("marker", 2, KIMI_OPEN), ("call", 2, KIMI_CALL), ("marker", 2, KIMI_CLOSE)],
                *[("marker", 3, SECTION_END), ("marker", 3, "<|im_end|>")],
                *[("prose", 4, "b"), ("marker", 5, "<|im_end|>")],
            ],
            id="the markers of a section and the one that runs it are of the execute",
        ),
        pytest.param(
            "kimi-k2",
            f"{SECTION}{KIMI}x{KIMI}{SECTION_END} b <|im_end|>",
            [
                *[("error", 1, f"{SECTION}{KIMI}x{KIMI}{SECTION_END}"), white(" ")],
                *[("prose", 2, "b"), white(" "), ("error", 1, "<|im_end|>")],
            ],
            id="those of a void batch are of its error",
        ),
        pytest.param(
            "kimi-k2",
            f"{SECTION}{SECTION_END}b<|im_end|>{SECTION}{KIMI}<|im_end|>",
            [
                *[("marker", None, SECTION), ("marker", None, SECTION_END), ("prose", 0, "b")],
                *[("marker", 1, "<|im_end|>"), ("marker", 3, SECTION)],
                *[("marker", 2, KIMI_OPEN), ("call", 2, KIMI_CALL), ("marker", 2, KIMI_CLOSE)],
                ("marker", 3, "<|im_end|>"),
            ],
            id="those of a section without calls have no event",
        ),
        pytest.param(
            "mistral-v3",
            '[TOOL_CALLS] [{"name": "a", "arguments": {}}, {"name": "a", "arguments": {}}]',
            [
                *[("marker", 2, "[TOOL_CALLS]"), white(" "), ("syntax", 2, "[")],
                *[("call", 0, '{"name": "a", "arguments": {}}'), ("syntax", 2, ","), white(" ")],
                *[("call", 1, '{"name": "a", "arguments": {}}'), ("syntax", 2, "]")],
            ],
            id="what is around the calls of a list is of the execute",
        ),
    ],
)
def test_a_turn_without_results_in_a_trained_format(dialect, text, expected):
    assert pieces(text, dialect) == model(*expected)


def test_each_batch_of_a_trained_format_has_its_error():
    answer = "<tool_response>x</tool_response>"
    text = f"<tool_call>{HERMES}</tool_call>{answer}{VOID}{answer}{VOID}"
    assert pieces(text, "hermes") == [
        *model(("marker", 0, "<tool_call>"), ("call", 0, HERMES), ("marker", 0, "</tool_call>")),
        *system(("marker", 2, "<tool_response>"), ("results", 2, "x")),
        *system(("marker", 2, "</tool_response>")),
        *model(("error", 3, VOID)),
        *system(("error", 4, answer)),
        *model(("error", 5, VOID)),
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
    with pytest.raises(ValueError, match="start must be one of prose, think, not 'end'"):
        cogwire.spans("", start="end")
    with pytest.raises(ValueError, match="start must be one of prose, think, not 'bogus'"):
        cogwire.tooling.read("a", "xml-json", start="bogus")


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


def test_a_custom_dialect(monkeypatch):
    monkeypatch.setitem(dialects.DIALECTS, BRACKETS.name, BRACKETS)
    assert pieces("[[think]]a[[/think]]", "brackets") == model(
        ("marker", 0, "[[think]]"), ("think", 0, "a"), ("marker", 0, "[[/think]]")
    )


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
    described = data.draw(make.descriptions())
    text = data.draw(make.described_texts(described))
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
