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


def test_a_long_path_is_shortened():
    """A message goes back to the model; a name of a thousand characters does not."""
    text = f'<execute>[{{"name":"a","args":{{"{"n" * 1000}":x'
    error = cogwire.parse(text, clock=None)[-1]
    assert error["path"] == "/0/args/" + "n" * 1000
    assert len(error["content"]) < 200
