"""Closers of values in text after a call, which show that a value was cut.

Their spans and their message are in `conformance/texts` and `conformance/messages`.
"""

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
