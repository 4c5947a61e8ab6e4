"""The response templates that are written, as the reader of transformers reads them."""

import pytest
from transformers.utils.chat_parsing import parse_response

import cogwire
from cogwire_kit.templates import response
from tests.kit.templates.readers import misread


def test_what_a_format_writes_is_read():
    assert not list(misread("transformers"))


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
