"""What clients make of the streams of `conformance/clients` is what is stored."""

import json
from importlib.metadata import version

import pytest
from conformance.clients import readers

RESULTS = json.loads((readers.HERE / "results.json").read_text("utf-8"))
#: The client, its package, and the API whose streams it reads.
CLIENTS = [
    ("openai", "openai", "openai"),
    ("langchain", "langchain-core", "openai"),
    ("pydantic_ai", "pydantic-ai-slim", "openai"),
    ("anthropic", "anthropic", "anthropic"),
]


@pytest.mark.parametrize(("client", "package", "api"), CLIENTS)
def test_a_client_makes_of_every_stream_what_is_stored(client, package, api):
    found = readers.differences(getattr(readers, client), api)
    assert RESULTS[client] == {"version": version(package), "differs": found}
