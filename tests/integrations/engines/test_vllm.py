"""vLLM loads the plugin, and its server's parser gives with it what the corpus expects.

Its parsers are run from its wheel, without the packages for GPUs, as the corpus's adapter runs them.
"""

import sys

import pytest

from cogwire_kit.conformance import formats
from tests.integrations.engines.reading import ADAPTERS, cuts, joined

sys.path += ADAPTERS
import vllm_parsers as adapter

PLUGIN = "cogwire_kit.bridges.vllm"


@pytest.fixture(scope="module", autouse=True)
def loaded():
    """Load the plugin as the server does for `--tool-parser-plugin`."""
    adapter.manager.import_tool_parser(PLUGIN)


@pytest.mark.parametrize("name", sorted(adapter.PARSERS))
def test_every_text_that_vllms_own_parser_is_asked_is_read(name):
    known = formats.load(name)
    made = adapter.reader(name, f"cogwire-{name}")
    for case in known.cases:
        if "reasoning" not in case.data.get("requires", ()):
            for chunks in cuts(case.text):
                found = joined(made(known.tools), chunks)
                assert case.outcome(found) is not None, (case.id, chunks, found.shown())


class Whole(adapter.ToolParser):
    """Both parsers of a format, in the class that the server puts around them."""

    def __init__(self, name, tools, prompt=""):
        super().__init__(adapter.manager.get_tool_parser(f"cogwire-{name}"), [], tools)
        reasoning = adapter.import_module("vllm.reasoning.abs_reasoning_parsers")
        parsers = {
            "tool_parser_cls": adapter.manager.get_tool_parser(f"cogwire-{name}"),
            "reasoning_parser_cls": reasoning.ReasoningParserManager.get_reasoning_parser(
                f"cogwire-{name}"
            ),
        }
        self._parser = type("Framed", (adapter.abstract.DelegatingParser,), parsers)(
            Characters(), self._request.tools
        )
        self._prompt = [ord(character) for character in prompt]

    def whole(self, text):
        """Read a whole text."""
        self._parser.set_prompt_token_ids(self._prompt)
        thought, content, calls = self._parser.parse(text, self._request, enable_auto_tools=True)
        yield {"reasoning": thought or ""}
        yield {"content": content or ""}
        for one in calls or ():
            yield from adapter.call(one.name, one.arguments)

    def _parsed(self, chunk, *, finished):
        ids = [ord(character) for character in chunk]
        return self._parser.parse_delta(chunk, ids, self._request, self._prompt, finished=finished)


class Characters(adapter.Vocabulary):
    """A tokenizer whose tokens are characters."""

    def __init__(self):
        super().__init__([])

    def decode(self, ids):
        """Return the text of some tokens."""
        return "".join(map(chr, ids))


@pytest.mark.parametrize("name", ["glm-4.5", "hermes", "longcat", "mistral", "qwen3-coder"])
def test_with_the_reasoning_parser_thinking_is_read_too(name):
    known = formats.load(name)
    for case in known.cases:
        for chunks in cuts(case.text):
            found = joined(Whole(name, known.tools, case.data.get("prompt", "")), chunks)
            assert case.outcome(found) is not None, (case.id, chunks, found.shown())


@pytest.mark.parametrize("chunked", [False, True])
def test_a_prompt_may_have_begun_the_think(chunked):
    text = 'So.</think>\n<tool_call>\n{"name": "ls", "arguments": {}}\n</tool_call>'
    chunks = list(text) if chunked else [text]
    found = joined(Whole("hermes", [{"name": "ls", "parameters": {}}], "a\n<think>\n"), chunks)
    assert found.shown() == {
        "reasoning": ["So."],
        "content": [],
        "calls": [{"name": "ls", "arguments": {}}],
    }
