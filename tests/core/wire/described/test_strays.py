"""Closers of values in text after a call, which show that a value was cut."""

from tests import cogwire

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
    spans = cogwire.spans(f"{A}<think>b</v>c</think>d", cogwire.Format.from_json(TAGS))
    assert [(span.kind, span.start, span.end) for span in spans] == [
        ("error", 0, 24),
        ("marker", 24, 31),
        ("think", 31, 32),
        ("error", 32, 36),
        ("think", 36, 37),
        ("marker", 37, 45),
        ("prose", 45, 46),
    ]
