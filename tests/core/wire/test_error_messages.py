"""What errors say: where they are, what was expected, what came, and what was probably meant."""

import re

import pytest

from tests import cogwire
from tests.core.wire.tables import options_of
from tests.rows import rows

A = '{"name":"a","args":{}}'
BLOCK = f"<execute>[{A}]</execute>"
CALL = f"<execute>[{A}"
#: A block up to the value of an argument.
X = '<execute>[{"name":"a","args":{"x":'
ARGS = '<execute>[{"name":"write","args":{"content":'

#: A text, how it is read, and parts of the message: `^` begins it, `$` ends it.
# fmt: off
SAID = {
    "xml-json": [
        (ARGS + '"say "hi" now"}}]', "", "^At /0/args/content: ", '"h"', "A double quote inside a string is written"),
        (ARGS + '["a" b]}}]', "", "^At /0/args/content/0: ", '"b"', "A double quote inside a string is written"),
        (ARGS + "1,}}]", "", "^At /0/args: ", "no trailing comma"),
        (CALL + ",]", "", "^At /1: ", "no trailing comma"),
        (ARGS + '"a" "b"', "", "^At /0/args/content: ", '","'),
        (ARGS + "True", "", "^At /0/args/content: ", "true in lower case"),
        (ARGS + '"a\n', "", "^At /0/args/content: ", "U+000A", "\\n"),
        ("<execute>[{'name'", "", "^At /0: ", "double quotes"),
        ("<execute>Sure", "", "^Expected ", '"["', '"S"'),
        ("<execute>[[", "", 'A call is {"name": "…", "args": {…}}, but "["'),
        ('<execute>[{"name":5', "", "a string", "Use the name of a tool."),
        ('<execute>[{"name":""', "", "empty", "Use the name of a tool."),
        ('<execute>[{"name":"execute"', "", "reserved", "Use the name of a tool."),
        ('<execute>[{"args":"', "", "Write the arguments as an object, not as JSON in a string.", "Write {} for no arguments."),
        (CALL, "", "Send it again", "if it was cut for its length."),
        (CALL + ",{", "calls=1", "at most 1 call,"),
        ("<execute>[ ", "size=1", "at most 1 character."),
        (ARGS + "12", "digits=1", "at most 1 digit."),
        ('<execute>[{"args":{', "depth=2", "Nest less, or pass the value as JSON"),
        (CALL + "]</execute><results>[]", "transcript", "Expected 1 result, but the results end"),
        (CALL + ']</execute><results>[{"tool":"a","status":"success","content":1},{', "transcript", "Expected 1 result, but here another one begins."),
        ("<execute>Sure: []", "", "[", "S"),
        ("<execute>[] x", "", "</execute>", "x"),
        ("<execute>[1]", "", "{", "1"),
        ("<execute>[{}]", "", "name"),
        ('<execute>[{"name":"a"}]', "", "args"),
        ('<execute>[{"name":1', "", "name", "string"),
        ('<execute>[{"name":"execute"', "", "name", "execute"),
        ('<execute>[{"name":""', "", "name", "empty"),
        ('<execute>[{"name":"a","args":[', "", "args", "object"),
        (X + '{"k":1,"k"', "", "k"),
        (X + "1e999,", "", "number"),
        (X + '"\\udc00', "", "surrogate"),
        (X + '"\n', "", "U+000A", "\\n"),
        (X + '"\\q', "", "escape", "q"),
        ("<results>", "", "&lt;results>"),
        ("<execute>[", "", "</execute>"),
        (X + '"aaaaaaaaaa', "size=30", "30"),
        (CALL + ',{"name":"a","args":{}}]', "calls=1", "1"),
        (X + "[", "depth=3", "3"),
        (X + "12345", "digits=4", "4"),
        ('<execute>[{"args":[', "", "another value. Write {} for no arguments.$"),
    ],
    "xml-elements": [
        ("<execute><a/><a", "calls=1", "at most 1 call,"),
        ("<execute><a/><a/><a", "calls=2", "at most 2 calls,"),
        ("<execute><a/>", "size=2", "at most 2 characters."),
        ("<execute><a><b", "depth=2", "Leave it out."),
        ("<execute>[", "", '"["', "xml-json"),
        ("<execute><w>{", "", '"{"', "xml-json"),
        ("<execute>Sure", "", '"S"', "before the block"),
        ("<execute><read>c", "", "<read><argument>value</argument></read>"),
        ("<execute><w a", "", "not attributes", "<w><argument>"),
        ("<execute><w><file p", "", "<file>value</file>"),
        ("<execute><w><a><b", "", "<![CDATA[", "&lt;"),
        ("<execute><w><a><!-", "", "<![CDATA["),
        ("<execute><w><a>1 < ", "", "&lt;", "a space"),
        ("<execute><w><a>& ", "", "&amp;", "a space"),
        ("<execute><w><a>&n", "", "&amp;", "&#10;"),
        ("<execute><w><a>]]>", "", "]]&gt;"),
        ("<execute><w><a>\x01", "", "U+0001", "cannot represent"),
        ("<execute><w><a>&#1;", "", "U+0001", "cannot represent"),
        ("<execute><w><a>&#x110000", "", "U+10FFFF"),
        ("<execute><w><a>1</w", "", "</a>", '"a" is still open'),
        ("<execute><w><a>1</a></e", "", "</w>", '"w" is still open'),
        ("<execute><w/></w", "", "</execute>", "No tool is open"),
        ("<execute><execute>", "", "</execute>", "reserved"),
        ("<execute><n:", "", "namespaces"),
        ("<execute><w=", "", "not attributes"),
        ("<execute>< ", "", "directly after"),
        ("<execute><1", "", "letter"),
        ("<execute><!", "", "comments"),
        ("<execute><w><?", "", "processing instructions"),
        ("<execute><w><a/><a>", "", '"a" appears twice'),
    ],
    "delimiter": [
        ('§call: "', "", 'A call is {"name": "…", "args": {…}}, but a double quote'),
        ("§call: [", "", 'A call is {"name": "…", "args": {…}}, but "["'),
        ("§call: l", "", 'got "l"', 'Write §call: {"name": "…", "args": {…}}.'),
        ("§call: '", "", 'got "\'"', 'Write §call: {"name": "…", "args": {…}}.'),
        ("§call: {", "", "Send the calls again", "if they were cut for their length."),
        ('§call: {"name":"a"}\n§execute\n§result: 1\n§result: 2', "transcript", "Expected 1 result, but here another one begins."),
        ('§call: {"name":"b"}\n§call: {"name":"a"}\n§execute\n§result: 1\n', "transcript", "Expected 2 results, but the results end after 1."),
    ],
    "delimiter-upper": [
        ("§CALL: l", "", 'got "l"', 'Write §CALL: {"name": "…", "args": {…}}.'),
    ],
}
# fmt: on


def messages(text, dialect="xml-json", **options):
    events = cogwire.parse(text, dialect, clock=None, **options)
    return [event["content"] for event in events if event["type"] == "error"]


@pytest.mark.parametrize("dialect", SAID)
def test_a_message_teaches(dialect):
    """A person and a model learn what was expected, what came, and a way out; however it is cut."""
    for text, words, *parts in SAID[dialect]:
        [whole] = messages(text, dialect, **options_of(words))
        for part in parts:
            assert part.strip("^$") in f"^{whole}$", text
            assert part in f"^{whole}$" or part.strip("^$") == part, text
        parser = cogwire.Parser(dialect, clock=None, **options_of(words))
        events = [event for character in text for event in parser.feed(character)] + parser.close(
            finished=True
        )
        assert [event["content"] for event in events if event["type"] == "error"] == [whole], text


#: Texts whose end cuts calls off, each with the code.
CUT_OFF = [
    ("xml-json", f"{CALL},", "unclosed-execute"),
    ("xml-elements", "<execute><w>", "unclosed-execute"),
    ("delimiter", "§call: {", "unclosed-call"),
    ("delimiter", f"§call: {A}\n§respond: x", "missing-execute"),
    ("delimiter-upper", f"§CALL: {A}", "missing-execute"),
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


def test_the_path_comes_first():
    assert messages(ARGS + "x")[0].startswith("At /0/args/content: ")
    assert messages("<execute>Sure")[0].startswith("Expected ")


def test_errors_of_results_have_messages():
    for text, code in (
        (f"{BLOCK}<results>[]</results>", "results-count"),
        (f"{BLOCK}<results>[1]</results>", "results-shape"),
        (f'{BLOCK}<results>[{{"tool":"b"}}]</results>', "results-order"),
        ('<execute>x</execute><results>[{"tool":"b"}]</results>', "results-order"),
        ("<execute>[]</execute><results>[{}]</results>", "results-count"),
        (f"{BLOCK}<results>", "results-shape"),
    ):
        [*_, fault] = cogwire.parse_transcript(text)
        assert fault["code"] == code, text
        assert len(fault["content"]) > 10, text


@pytest.mark.parametrize(
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


def test_a_long_path_is_shortened():
    """A message goes back to the model; a name of a thousand characters does not."""
    text = f'<execute>[{{"name":"a","args":{{"{"n" * 1000}":x'
    error = cogwire.parse(text, clock=None)[-1]
    assert error["path"] == "/0/args/" + "n" * 1000
    assert len(error["content"]) < 200


def test_the_hint_for_a_stored_call_names_no_marker():
    message = 'Expected an object, but got "h". Write {"name": "…", "args": {…}}.'
    with pytest.raises(ValueError, match=re.escape(message)):
        cogwire.exchanges([{"type": "call", "content": "hi"}])
