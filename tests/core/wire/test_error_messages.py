"""What errors say: where they are, what was expected, what came, and what was probably meant."""

import re

import pytest

from tests import cogwire
from tests.rows import rows

A = '{"name":"a","args":{}}'
CALL = f"<execute>[{A}"
#: A block up to the value of an argument.
X = '<execute>[{"name":"a","args":{"x":'


def messages(text, dialect="xml-json", **options):
    events = cogwire.parse(text, dialect, clock=None, **options)
    return [event["content"] for event in events if event["type"] == "error"]


#: Texts whose end cuts calls off, each with the code.
CUT_OFF = [
    ("xml-json", f"{CALL},", "unclosed-execute"),
    ("xml-elements", "<execute><w>", "unclosed-execute"),
    ("delimiter", "§call: {", "unclosed-call"),
    ("delimiter", f"§call: {A}\n§respond: x", "missing-execute"),
    ("delimiter-upper", f"§CALL: {A}", "missing-execute"),
    # The stop cut a character, too.
    ("xml-json", f'{X}"J'.encode() + b"\xc3", "bad-encoding"),
    ("hermes", b'<tool_call>{"name": "a", "arguments": {"x": "\xe2\x82', "bad-encoding"),
    ("xml-json", f'{X}"J\ud83d', "bad-encoding"),
]


@rows(("dialect", "text", "code"), CUT_OFF)
@rows("raw", [False, True])
def test_a_turn_that_the_user_stopped_is_not_asked_for_again(dialect, text, code, raw):
    """The words are all that is different; a model reads them as the answer to its block."""

    def last(**options):
        parser = cogwire.Parser(dialect, raw=raw, clock=None)
        parser.feed(text)
        return parser.close(**options)

    asked, stopped = last(), last(cancelled=True)
    [error] = [event for event in asked if event.get("code") == code]
    [other] = [event for event in stopped if event.get("code") == code]
    assert "again" in error.pop("content")
    assert other.pop("content") == ("The user stopped the turn here, so none of its calls has run.")
    assert asked == stopped


def test_the_end_of_a_stopped_turn_adds_nothing():
    """What broke another rule before still teaches, and what is whole has no error."""
    for text in ("a <think>b", f"<execute>[{A}]</execute>", "<execute>[{]"):
        parser = cogwire.Parser(clock=None)
        events = parser.feed(text) + parser.close(cancelled=True)
        assert events == cogwire.parse(text, clock=None)
        assert parser.close(cancelled=True) == []


@rows(
    ("dialect", "before"),
    [
        ("xml-json", ["<execute>x", "<execute>[x", f'{X}"\\x', "<results>"]),
        ("xml-elements", ["<execute>h", "<execute><w>h", "<execute><w h", "<execute><w><a><h"]),
        ("xml-elements", ["<execute><w><a>1</h"]),
    ],
)
def test_a_message_quotes_nothing_after_the_offending_character(dialect, before):
    for text in before:
        assert "unter2" not in messages(f"{text}unter2", dialect)[0], text


def test_a_message_quotes_control_characters_readably():
    """No raw control character, and nothing invisible, is in a message."""
    for character in ("\0", "\x1f", "\x7f", "\u2028", "\u200b", "\ufeff", "\u202e"):
        assert messages(f"<execute>{character}")[0].isprintable()


def test_the_hint_for_a_stored_call_names_no_marker():
    message = 'Expected an object, but got "h". Write {"name": "…", "args": {…}}.'
    with pytest.raises(ValueError, match=re.escape(message)):
        cogwire.exchanges([{"type": "call", "content": "hi"}])
