"""Closers of values in prose after a call, which show that a value was cut."""

from tests import cogwire
from tests.core.helpers import CARET, call, error, execute, respond, think
from tests.core.wire.described.reading import check_turn, each_turn
from tests.core.wire.trained.formats import turn
from tests.rows import rows

TAGS = {
    "name": "cut-values",
    "call": ["<call>", "</call>"],
    "ends": ["<end>"],
    "payload": {
        "kind": "tags",
        "tool": ["", ":"],
        "key": ["<", ">"],
        "value": ["", "</v>"],
        "end": ";",
    },
}
A = "<call>a:<x>1</v>;</call>"
CALL = call('{"name": "a", "args": {"x": "1"}}')
CUT = error("trailing-text", calls=1)

TURNS = {
    "a closer after a call": turn(f"{A}b{CARET}</v>c", [CALL, respond("b"), CUT, respond("c")]),
    "the rest of a value with a call in it": turn(
        f"<call>a:<x>1</v>;</call>\n{CARET}</v>;</call><end>",
        [CALL, CUT, respond(";</call>")],
    ),
    "a closer before a call": turn(f"b</v>c{A}", [respond("b</v>c"), CALL, execute()]),
    "a closer in a think": turn(
        f"{A}<think></v></think>b", [CALL, think("</v>"), respond("b"), execute()]
    ),
    "two closers": turn(f"{A}{CARET}</v>b</v>c", [CALL, CUT, respond("b</v>c")], state="paused"),
    "a closer after a call of a void batch": turn(
        f"{A}{CARET}</v>{A}b</v>c", [CALL, CUT, CALL, respond("b</v>c")], state="paused"
    ),
    "a call after it": turn(f"{A}{CARET}</v>{A}", [CALL, CUT, CALL], state="paused"),
    "a void call before it": turn(
        f"<call>{CARET}:</call>b</v>c", [error("bad-name", "/0"), respond("b</v>c")]
    ),
    "a part of a closer": turn(f"{A}b</v", [CALL, respond("b</v"), execute()]),
    "a closer in the next value": turn(
        f"{A}<call>a:<x>2</v>;</call>b",
        [CALL, call('{"name": "a", "args": {"x": "2"}}'), respond("b"), execute()],
    ),
    "two calls before it": turn(
        f"{A}{A}{CARET}</v>", [CALL, CALL, error("trailing-text", calls=2)], state="paused"
    ),
}

SECTION = {**TAGS, "name": "in-a-section", "section": ["<all>", "</all>"]}
LONGER = {**TAGS, "name": "held-back", "ignored": ["<x", "<xy"]}
SECTIONS = {
    "a closer after the section": turn(
        f"<all>{A}</all>{CARET}</v>b", [CALL, CUT, respond("b")], state="paused"
    ),
    "a closer in the section": turn(f"<all>{A}</{CARET}v></all>b", [CALL, CUT, respond("b")]),
}
LONGERS = {
    "a closer after text that may become a longer marker": turn(
        f"{A}<x{CARET}</v>b", [CALL, CUT, respond("b")], state="paused"
    ),
    "the same text at the end": turn(f"{A}b<x", [CALL, respond("b"), execute()]),
    "a closer at the end": turn(f"{A}b<x{CARET}</v>", [CALL, respond("b"), CUT]),
}
HEADED = {
    **TAGS,
    "name": "with-headers",
    "header": {"open": ["<|"], "close": "|>", "think": ["musing"]},
}
HEADEDS = {
    "a closer after a header": turn(
        f"{A}<|musing|>b</think><|x|>c{CARET}</v>", [CALL, think("b"), respond("c"), CUT]
    ),
    "a closer that breaks a header": turn(
        f"{A}<|mu{CARET}</v>|>b", [CALL, respond("<|mu"), CUT, respond("|>b")]
    ),
    "before a call it breaks none": turn(f"<|mu</v>|>b{A}", [respond("b"), CALL, execute()]),
    "nor the header in which the turn starts, which is kept with sealed calls": turn(
        f"</v>{A}", [CALL, execute()], start="header", calls="sealed"
    ),
}
THINKING = {**HEADED, "name": "headers-in-a-think", "think_ends_at_call": True}
THINKINGS = {
    "a closer that breaks a header in a think": turn(
        f"{A}<think>b<|x</v>|>c</think>d",
        [CALL, think("b<|x</v>|>c"), respond("d"), execute()],
    ),
    "before a call it breaks none": turn(
        f"<think>b<|x</v>|>c{A}", [think("b"), respond("c"), CALL, execute()]
    ),
    "nor in a void batch": turn(
        f"{A}{CARET}</v><think>b<|x</v>|>c", [CALL, CUT, think("b"), respond("c")]
    ),
}
#: Formats in which a closer after a call is prose, since another marker is like it.
KEYED = {
    **TAGS,
    "name": "with-the-key",
    "payload": {**TAGS["payload"], "value": ["", "</{key}>"]},
}
ALIKE = {**TAGS, "name": "alike", "ends": ["</v>"]}
IN_ONE = {**TAGS, "name": "contained", "ends": ["</v>>"]}
LIKE_HEADERS = {
    **HEADED,
    "name": "like-a-header",
    "header": {"open": ["<|"], "close": "v>"},
}


@each_turn(
    (TAGS, TURNS),
    (SECTION, SECTIONS),
    (LONGER, LONGERS),
    (HEADED, HEADEDS),
    (THINKING, THINKINGS),
)
def test_a_turn(described, row):
    check_turn(described, row)


@rows(
    "described, text, events",
    [
        (KEYED, "<call>a:<x>1</x>;</call></x>b", [CALL, respond("</x>b"), execute()]),
        (ALIKE, f"{A}</v>b", [CALL, execute()]),
        (IN_ONE, f"{A}</v>b", [CALL, respond("</v>b"), execute()]),
        (LIKE_HEADERS, f"{A}</v>b", [CALL, respond("</v>b"), execute()]),
    ],
)
def test_a_closer_that_is_like_another_marker_is_none(described, text, events):
    discarded = 1 if described is ALIKE else 0
    check_turn(described, turn(text, events, discarded=discarded))


def test_the_error_is_all_of_the_closer():
    form = cogwire.Format.from_json(TAGS)
    events = cogwire.parse(f"{A}b</v>c", form, clock=None, raw=True, spans=True)
    seen = [(event["type"], event["raw"], event["span"]) for event in events]
    assert seen == [
        ("call", "<call>a:<x>1</v>;", [6, 17]),
        ("respond", "</call>b", [24, 25]),
        ("error", "</v>", [25, 26]),
        ("respond", "c", [29, 30]),
    ]
    assert events[2]["content"] == (
        "</v> closes nothing here: a value in a call before it contains </v>, and ended there, so "
        "nothing has run. Send the calls again, without it in a value."
    )


def test_the_closer_is_a_part_of_the_void_batch():
    spans = cogwire.spans(f"{A}b</v>c", cogwire.Format.from_json(TAGS))
    assert [(span.kind, span.start, span.end) for span in spans] == [
        ("error", 0, 24),
        ("prose", 24, 25),
        ("error", 25, 29),
        ("prose", 29, 30),
    ]


def test_a_closer_in_prose_after_a_call_is_written_in_its_literal_form():
    form = cogwire.Format.from_json(TAGS)
    text = '<tool_call>\n{"name": "a", "arguments": {"x": "1"}}\n</tool_call>b</v>'
    written = cogwire.convert(f"c</v>{text}", "hermes", form)
    assert written.startswith("c</v>\n<call>")
    assert written.endswith("</call>\nb&lt;/v>")
    assert cogwire.parse(written, form, clock=None)[-1] == execute()
