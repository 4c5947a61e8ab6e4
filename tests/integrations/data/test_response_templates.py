"""The response templates that are written, as the reader of transformers reads them."""

import pytest
from transformers.utils.chat_parsing import parse_response

import cogwire
from cogwire_kit.templates import response
from tests.kit.templates.test_response import WRITTEN

VALUES = {"path": "a b", "lines": 5, "o": {"k": [1, None, True]}}
#: Where calls are text, a value is text, and the reader takes what is JSON for a number.
TEXTS = {"path": "a b", "lines": "5"}


@pytest.mark.parametrize("name", ["xml-json", *WRITTEN])
def test_what_a_format_writes_is_read(name):
    template = response.written(name)
    is_text = cogwire.Parser(name).wire.calls.is_text
    args = TEXTS if is_text else VALUES
    calls = [{"name": "read", "args": args}, {"name": "ls", "args": {}}]
    text = f"Hi.{cogwire.render_calls(calls, name)}"
    message = parse_response(text, template, prefix=template["start_anchor"])
    expected = [("read", {**args, "lines": 5}), ("ls", {})]
    found = [call["function"] for call in message["tool_calls"]]
    assert [(each["name"], each["arguments"]) for each in found] == expected
    assert message["content"].strip() == "Hi."


def test_a_template_for_servers_gives_prose_in_pieces():
    template = response.written("hermes", for_server=True)
    text = f"Hi.{cogwire.render_calls([{'name': 'ls', 'args': {}}], 'hermes')}"
    message = parse_response(text, template, prefix=template["start_anchor"])
    assert "".join(message["content"]).strip() == "Hi."
    assert message["tool_calls"][0]["function"] == {"name": "ls", "arguments": {}}


def test_a_closer_in_a_string_ends_a_call_there():
    """What is lost: the protocol hides a closer in a string, a response template does not."""
    template = response.written("xml-json")
    text = cogwire.render_calls([{"name": "say", "args": {"x": "a"}}], "xml-json")
    text = text.replace('"a"', '"</execute>"')
    assert cogwire.parse(text, clock=None)[0]["type"] == "call"
    with pytest.raises(ValueError, match="json"):
        parse_response(text, template, prefix=template["start_anchor"])
