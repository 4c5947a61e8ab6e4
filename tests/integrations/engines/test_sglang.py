"""SGLang loads the plugin, and gives with its detectors of calls what the corpus expects.

SGLang's own detectors of reasoning read the text first, as in its server; it is run from its wheel,
without the packages for GPUs, as the corpus's adapter runs it.
"""

import sys
from importlib.metadata import entry_points

import pytest

from cogwire_kit.conformance import formats
from tests.integrations.engines.reading import ADAPTERS, cuts, joined

sys.path += ADAPTERS
import sglang_detectors as adapter


@pytest.fixture(scope="module", autouse=True)
def loaded():
    """Load the plugin as the server does: it runs what the entry points of its group name."""
    [plugin] = entry_points(group="sglang.srt.plugins", name="cogwire")
    plugin.load()()


@pytest.mark.parametrize("name", ["hermes", "kimi-k2", "qwen3-coder"])
def test_every_text_without_thinking_is_read(name):
    """Of thinking, SGLang's detector of reasoning decides what the detector of calls is given."""
    known = formats.load(name)
    made = adapter.reader(name, (adapter.PARSERS[name][0], f"cogwire-{name}"))
    for case in known.cases:
        if "reasoning" not in case.data.get("requires", ()) and not case.options:
            for chunks in cuts(case.text):
                found = joined(made(known.tools), chunks)
                assert case.outcome(found) is not None, (case.id, chunks, found.shown())


def test_without_a_detector_of_reasoning_thinking_is_shown_as_it_is_written():
    text = "<think>So.</think>Hi"
    detector = adapter.detectors.FunctionCallParser.ToolCallParserEnum["cogwire-hermes"]()
    assert detector.detect_and_parse(text, []).normal_text == text
    assert not detector.has_tool_call(text)
