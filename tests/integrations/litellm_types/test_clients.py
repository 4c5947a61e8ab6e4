"""What LiteLLM makes of the streams of `conformance/clients` is what is stored."""

import json
import os
from importlib.metadata import version

import pytest

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # it would fetch one when it is imported
from conformance.clients import readers

pytestmark = pytest.mark.filterwarnings("ignore")


def test_litellm_makes_of_every_stream_what_is_stored():
    stored = json.loads((readers.HERE / "results.json").read_text("utf-8"))["litellm"]
    found = readers.differences(readers.litellm, "openai")
    assert stored == {"version": version("litellm"), "differs": found}
