"""vLLM and SGLang load the plugins, and give with their parsers what the corpus expects.

They are run from their wheels, without the packages for GPUs, as the corpus's adapters run them, and
`make format-reports` cuts the texts at every place.
"""

import sys
from importlib.metadata import entry_points

import pytest

from cogwire_kit.conformance import corpus, formats

sys.path += [str(corpus.PLACE / "adapters" / "formats"), str(corpus.PLACE.parent / "benchmarks")]
import sglang_detectors as sglang
import vllm_parsers as vllm


@pytest.fixture(scope="module", autouse=True)
def loaded():
    """Load the plugins: vLLM by `--tool-parser-plugin`, SGLang by the entry points of its group."""
    vllm.manager.import_tool_parser("cogwire_kit.bridges.vllm")
    [plugin] = entry_points(group="sglang.srt.plugins", name="cogwire")
    plugin.load()()


def faults(known, made, cases):
    """Yield the texts that a reader does not read, whole or in single characters."""
    for case in cases:
        for chunks in ([case.text], list(case.text)):
            reader = made(case)
            items = reader.whole(chunks[0]) if len(chunks) == 1 else None
            if items is None:
                fed = [item for chunk in chunks for item in reader.feed(chunk)]
                items = [*fed, *reader.close()]
            found = formats.message(items)
            if case.outcome(found) is None:
                yield known.name, case.id, chunks, found.shown()


def without_thinking(known):
    return [case for case in known.cases if "reasoning" not in case.data.get("requires", ())]


@pytest.mark.parametrize("name", sorted(vllm.PARSERS))
def test_every_text_that_vllms_own_parser_is_asked_is_read(name):
    known = formats.load(name)
    made = vllm.reader(name, f"cogwire-{name}")
    assert not list(faults(known, lambda _: made(known.tools), without_thinking(known)))


@pytest.mark.parametrize("name", ["hermes", "kimi-k2", "qwen3-coder"])
def test_every_text_without_thinking_is_read_in_sglang(name):
    """Of thinking, SGLang's detector of reasoning decides what the detector of calls is given."""
    known = formats.load(name)
    made = sglang.reader(name, (sglang.PARSERS[name][0], f"cogwire-{name}"))
    cases = [case for case in without_thinking(known) if not case.options]
    assert not list(faults(known, lambda _: made(known.tools), cases))


def test_without_a_detector_of_reasoning_thinking_is_shown_as_it_is_written():
    text = "<think>So.</think>Hi"
    detector = sglang.detectors.FunctionCallParser.ToolCallParserEnum["cogwire-hermes"]()
    assert detector.detect_and_parse(text, []).normal_text == text
    assert not detector.has_tool_call(text)


class Whole(vllm.ToolParser):
    """Both parsers of a format, in the class that the server puts around them."""

    def __init__(self, name, tools, prompt=""):
        super().__init__(vllm.manager.get_tool_parser(f"cogwire-{name}"), [], tools)
        reasoning = vllm.import_module("vllm.reasoning.abs_reasoning_parsers")
        parsers = {
            "tool_parser_cls": vllm.manager.get_tool_parser(f"cogwire-{name}"),
            "reasoning_parser_cls": reasoning.ReasoningParserManager.get_reasoning_parser(
                f"cogwire-{name}"
            ),
        }
        self._parser = type("Framed", (vllm.abstract.DelegatingParser,), parsers)(
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
            yield from vllm.call(one.name, one.arguments)

    def given(self, chunk):
        """Return a chunk and the ids of its characters."""
        return chunk, [ord(character) for character in chunk]

    def parse(self, given, *, finished=False):
        """Read a chunk after the prompt."""
        chunk, ids = given
        return self._parser.parse_delta(chunk, ids, self._request, self._prompt, finished=finished)


class Characters(vllm.Vocabulary):
    """A tokenizer whose tokens are characters."""

    def __init__(self):
        super().__init__([])

    def decode(self, ids):
        """Return the text of some tokens."""
        return "".join(map(chr, ids))


@pytest.mark.parametrize("name", ["glm-4.5", "hermes", "longcat", "mistral", "qwen3-coder"])
def test_with_the_reasoning_parser_thinking_is_read_too(name):
    known = formats.load(name)

    def made(case):
        return Whole(name, known.tools, case.data.get("prompt", ""))

    assert not list(faults(known, made, known.cases))


def test_a_prompt_may_have_begun_the_think():
    text = 'So.</think>\n<tool_call>\n{"name": "ls", "arguments": {}}\n</tool_call>'
    expect = {"reasoning": ["So."], "content": [], "calls": [{"name": "ls", "arguments": {}}]}
    known = formats.load("hermes")
    case = formats.FormatCase({"id": "begun", "text": text, "expect": expect})
    tools, prompt = [{"name": "ls", "parameters": {}}], "a\n<think>\n"
    assert not list(faults(known, lambda _: Whole("hermes", tools, prompt), [case]))
