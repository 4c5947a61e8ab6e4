"""The dialect of texts whose dialect is not named."""

import cogwire
from cogwire.tooling import format_names, notation
from cogwire_kit.conformance.shapes import Shape
from cogwire_kit.texts.dialects import AUTO, resolved
from tests.rows import rows

SHAPE = {"turn": [{"call": "search", "arguments": {"query": "x", "exact": True, "rows": [1, 2]}}]}


def _errors(text, dialect):
    wire = notation(dialect)
    events = cogwire.parse(text, wire, mode=wire.mode, clock=None)
    return [event for event in events if event["type"] == "error"]


@rows("before", ["", "<think>\na\n</think>\n\n", "Let me see.\n"])
@rows("broken", ["words", "half", "two thirds", "but one"])
def test_a_broken_call_of_any_format_is_an_error_where_no_dialect_is_named(broken, before):
    seen = 0
    for name in format_names():
        described = cogwire.format_named(name).format.to_json()
        whole = Shape(SHAPE).text(described) or ""
        parts = {
            "words": len(whole),
            "half": 9 * len(whole) // 20,
            "two thirds": 2 * len(whole) // 3,
        }
        cut = whole.rstrip()[: parts.get(broken, -1)]
        text = before + (cut.replace("true", "True") if broken == "words" else cut)
        if _errors(text, name):
            found, _ = resolved(AUTO, text)
            assert _errors(text, found), (name, found, text)
            seen += 1
    assert seen > 15


@rows(
    "text, expected",
    [
        ("Write <tool_call> to call.", "xml-json"),
        ("The model begins calls with <tool_call>", "xml-json"),
        ("It writes [TOOL_CALLS], and then a list.", "xml-json"),
        ("A `<tool_call>` begins a call.", "xml-json"),
        ("Sure.<|tool_call>call:search{query", "gemma-4"),
        ("I call <tool_call>search\n<arg_key>query</arg_key>", "glm-4.5"),
        ("Sure.\n<tool_call>\n{'name': 'search'}\n</tool_call>", "hermes"),
    ],
)
def test_a_marker_that_prose_names_begins_no_call(text, expected):
    assert resolved(AUTO, text)[0] == expected
