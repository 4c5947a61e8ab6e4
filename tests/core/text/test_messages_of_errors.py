"""What errors say: where they stand, what was expected, what came, and what was probably meant."""

import pytest

from tests import cogwire

ARGS = '<execute>[{"name":"write","args":{"content":'


@pytest.mark.parametrize(
    ("text", "path", "parts"),
    [
        pytest.param(
            ARGS + '"say "hi" now"}}]',
            "/0/args/content",
            ['"h"', "A double quote inside a string is written"],
            id="a quote that ends a string too early",
        ),
        pytest.param(
            ARGS + '["a" b]}}]',
            "/0/args/content/0",
            ['"b"', "A double quote inside a string is written"],
            id="the same in an array",
        ),
        pytest.param(ARGS + "1,}}]", "/0/args", ["no trailing comma"], id="a trailing comma"),
        pytest.param(
            '<execute>[{"name":"a","args":{}},]', "/1", ["no trailing comma"], id="behind a call"
        ),
        pytest.param(ARGS + '"a" "b"', "/0/args/content", ['","'], id="a missing comma"),
        pytest.param(ARGS + "True", "/0/args/content", ["true in small letters"], id="True"),
        pytest.param(ARGS + '"a\n', "/0/args/content", ["U+000A", "\\n"], id="a raw line feed"),
        pytest.param("<execute>[{'name'", "/0", ["double quotes"], id="single quotes"),
        pytest.param("<execute>Sure", None, ['"["', '"S"'], id="words before the array"),
    ],
)
def test_a_message_teaches(text, path, parts):
    """The path comes first, and nothing behind the offending character is quoted."""
    for chunks in ([text], list(text)):
        parser = cogwire.Parser(clock=None)
        error = [event for chunk in chunks for event in parser.feed(chunk)][-1]
        message = error["content"]
        assert message.startswith("At " + path + ": " if path else "Expected ")
        for part in parts:
            assert part in message


CALL = '<execute>[{"name":"a","args":{}}'
LINES = '§call: {"name":"a"}\n§execute\n§result: 1\n'
A_CALL = 'A call is {"name": "…", "args": {…}}, but '
WRITE = 'Write {marker} {{"name": "…", "args": {{…}}}}.'
OBJECT = "Write the arguments as an object, not as JSON in a string."
FEWER = "if {} cut for {} length."


@pytest.mark.parametrize(
    ("dialect", "text", "parts"),
    [
        ("xml-json", "<execute>[[", [A_CALL + '"["']),
        ("delimiter", '§call: "', [A_CALL + "a double quote"]),
        ("delimiter", "§call: [", [A_CALL + '"["']),
        ("delimiter", "§call: l", ['got "l"', WRITE.format(marker="§call:")]),
        ("delimiter", "§call: '", ['got "\'"', WRITE.format(marker="§call:")]),
        ("delimiter-upper", "§CALL: l", ['got "l"', WRITE.format(marker="§CALL:")]),
        ("xml-json", '<execute>[{"name":5', ["a string", "Use the name of a tool."]),
        ("xml-json", '<execute>[{"name":""', ["empty", "Use the name of a tool."]),
        ("xml-json", '<execute>[{"name":"execute"', ["reserved", "Use the name of a tool."]),
        ("xml-json", '<execute>[{"args":"', [OBJECT, "Write {} for no arguments."]),
        ("xml-json", CALL, ["Send it again", FEWER.format("it was", "its")]),
        ("delimiter", "§call: {", ["Send the calls again", FEWER.format("they were", "their")]),
    ],
)
def test_a_message_says_a_way_out(dialect, text, parts):
    (message,) = messages(text, dialect=dialect)
    for part in parts:
        assert part in message


def test_what_is_no_string_is_not_taken_for_json_in_one():
    (message,) = messages('<execute>[{"args":[')
    assert message.endswith("another value. Write {} for no arguments.")


@pytest.mark.parametrize(
    ("dialect", "limits", "text", "part"),
    [
        ("xml-json", {"calls": 1}, CALL + ",{", "at most 1 call,"),
        ("xml-elements", {"calls": 1}, "<execute><a/><a", "at most 1 call,"),
        ("xml-elements", {"calls": 2}, "<execute><a/><a/><a", "at most 2 calls,"),
        ("xml-json", {"size": 1}, "<execute>[ ", "at most 1 character."),
        ("xml-elements", {"size": 2}, "<execute><a/>", "at most 2 characters."),
        ("xml-json", {"digits": 1}, ARGS + "12", "at most 1 digit."),
        ("xml-json", {"depth": 2}, '<execute>[{"args":{', "Nest less, or pass the value as JSON"),
        ("xml-elements", {"depth": 2}, "<execute><a><b", "Leave it out."),
    ],
)
def test_a_limit_is_told_with_a_way_out(dialect, limits, text, part):
    (message,) = messages(text, dialect=dialect, limits=cogwire.Limits(**limits))
    assert part in message


@pytest.mark.parametrize(
    ("dialect", "text", "part"),
    [
        ("xml-json", CALL + "]</execute><results>[]", "Expected 1 result, but the results end"),
        (
            "xml-json",
            CALL + ']</execute><results>[{"tool":"a","status":"success","content":1},{',
            "Expected 1 result, but here another one begins.",
        ),
        ("delimiter", LINES + "§result: 2", "Expected 1 result, but here another one begins."),
        (
            "delimiter",
            '§call: {"name":"b"}\n' + LINES,
            "Expected 2 results, but the results end after 1.",
        ),
    ],
)
def test_the_results_that_are_due_are_counted(dialect, text, part):
    (message,) = messages(text, dialect=dialect, mode="transcript")
    assert part in message


def messages(text, **options):
    events = cogwire.parse(text, clock=None, **options)
    return [event["content"] for event in events if event["type"] == "error"]


def test_a_long_path_is_shortened():
    """A message goes back to the model; a name of a thousand characters does not."""
    text = f'<execute>[{{"name":"a","args":{{"{"n" * 1000}":x'
    error = cogwire.parse(text, clock=None)[-1]
    assert error["path"] == "/0/args/" + "n" * 1000
    assert len(error["content"]) < 200
