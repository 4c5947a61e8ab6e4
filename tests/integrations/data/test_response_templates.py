"""The response templates that are written, as the reader of transformers reads them."""

import pytest
from transformers.utils.chat_parsing import parse_response

import cogwire
from cogwire_kit.templates import response
from tests.kit.templates.readers import LOST, lost, misread
from tests.rows import rows


def test_what_a_format_writes_is_read():
    assert not list(misread("transformers"))


def test_a_template_for_servers_gives_prose_in_pieces():
    template = response.written("hermes", for_server=True)
    text = f"Hi.{cogwire.render_calls([{'name': 'ls', 'args': {}}], 'hermes')}"
    message = parse_response(text, template, prefix=template["start_anchor"])
    assert "".join(message["content"]).strip() == "Hi."
    assert message["tool_calls"][0]["function"] == {"name": "ls", "arguments": {}}


@rows("row", LOST)
def test_what_is_lost_is_what_the_guide_says(row):
    if row.raises:
        with pytest.raises((ValueError, KeyError), match=r"JSON|\{args\}"):
            lost("transformers", row)
    else:
        assert lost("transformers", row) == (row.calls, row.prose)
    read = cogwire.parse(row.text, dialect=row.name, clock=None)
    assert [each["type"] for each in read].count("execute") == row.runs
