"""vLLM and SGLang load the plugins, and give with their parsers what the corpus expects.

They are run from their wheels, without the packages for GPUs, as the corpus's adapters run them, and
`make format-reports` cuts the texts at every place.
"""

import logging
import sys
from importlib.metadata import entry_points
from types import SimpleNamespace

import pytest

import cogwire
from cogwire_kit.conformance import corpus, formats
from tests.core.helpers import ONE_TOOL
from tests.kit.bridges.endings import SCHEMAS, written_turns
from tests.kit.templates.readers import LOST, lost, misread
from tests.rows import rows

sys.path += [str(corpus.PLACE / "adapters" / "formats"), str(corpus.PLACE.parent / "benchmarks")]
import sglang_detectors as sglang
import vllm_parsers as vllm


@pytest.fixture(scope="module", autouse=True)
def loaded():
    """Load the plugins: vLLM by `--tool-parser-plugin`, SGLang by the entry points of its group."""
    vllm.manager.import_tool_parser("cogwire_kit.bridges.vllm")
    [plugin] = entry_points(group="sglang.srt.plugins", name="cogwire")
    plugin.load()()


def read(reader, text, size=0):
    """Return the message that a reader makes of a text, whole or in chunks of a size."""
    items = None if size else reader.whole(text)
    if items is None:
        chunks = [text[at : at + size] for at in range(0, len(text), size or 1)]
        items = [*(item for chunk in chunks for item in reader.feed(chunk)), *reader.close()]
    return formats.message(items)


def faults(known, made, cases):
    """Yield the texts that a reader does not read, whole or in single characters."""
    for case in cases:
        for size in (0, 1):
            found = read(made(case), case.text, size)
            if case.outcome(found) is None:
                yield known.name, case.id, size, found.shown()


def asked_of(known):
    """Return the texts without thinking that need nothing but to be read from their beginning."""
    return [case for case in known.cases if not case.options and "reasoning" not in case.parts]


@pytest.mark.parametrize("package", ["vllm", "sglang"])
def test_the_copies_of_the_reader_of_response_templates_read_what_formats_write(package):
    assert not list(misread(package))
    for row in LOST:
        assert lost(package, row) == (row.calls, row.prose)


@pytest.mark.parametrize("name", sorted(vllm.PARSERS))
def test_every_text_that_vllms_own_parser_is_asked_is_read(name):
    known = formats.load(name)
    made = vllm.reader(name, f"cogwire-{name}")
    assert not list(faults(known, lambda _: made(known.tools), asked_of(known)))


@pytest.mark.parametrize("name", ["hermes", "kimi-k2", "qwen3-coder"])
def test_every_text_without_thinking_is_read_in_sglang(name):
    """Of thinking, SGLang's detector of reasoning decides what the detector of calls is given."""
    known = formats.load(name)
    made = sglang.reader(name, (sglang.PARSERS[name][0], f"cogwire-{name}"))
    assert not list(faults(known, lambda _: made(known.tools), asked_of(known)))


def test_without_a_detector_of_reasoning_thinking_is_shown_as_it_is_written():
    text = "<think>So.</think>Hi"
    detector = sglang.detectors.FunctionCallParser.ToolCallParserEnum["cogwire-hermes"]()
    assert detector.detect_and_parse(text, []).normal_text == text
    assert not detector.has_tool_call(text)


class Whole(vllm.ToolParser):
    """Both parsers of a format, in the class that the server puts around them.

    The end comes with the `last` token, whose text the server leaves out if it has ended the turn.
    """

    def __init__(self, name, tools, prompt="", last=(0,)):
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
        self._last = last

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

    def close(self):
        """End the stream."""
        return self.items(self.parse(("", [*self._last]), finished=True))

    def parse(self, given, *, finished=False):
        """Read a chunk after the prompt."""
        chunk, ids = given
        return self._parser.parse_delta(chunk, ids, self._request, self._prompt, finished=finished)


class Characters(vllm.Vocabulary):
    """A tokenizer whose tokens are characters, except for three special tokens, one without text."""

    _special = ("<|end|>", "<|channel>", "")

    def __init__(self):
        super().__init__([])

    def encode(self, text, **_):
        """Return the tokens of a text."""
        return [ord(one) for one in text.replace("<|channel>", chr(1))]

    def decode(self, ids, *, skip_special_tokens=False):
        """Return the text of some tokens."""
        special = ("", "", "") if skip_special_tokens else self._special
        return "".join(chr(one) if one >= len(special) else special[one] for one in ids)


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


class Detected(sglang.Detectors):
    """A detector of calls alone."""

    def __init__(self, name, tools):
        found = sglang.detectors.FunctionCallParser.ToolCallParserEnum[f"cogwire-{name}"]
        super().__init__(Unread, found, tools)


class Unread:
    """What is in the place of a detector of reasoning, and detects none."""

    def detect_and_parse(self, text):
        """Return the text."""
        return SimpleNamespace(reasoning_text="", normal_text=text)

    parse_streaming_increment = detect_and_parse

    def finish(self):
        """Return nothing more."""
        return self.detect_and_parse("")


ENGINES = {"vllm": Whole, "sglang": Detected}
TOOLS = [{"name": name, "parameters": schema} for name, schema in SCHEMAS.items()]
NAMES = [known.name for known in cogwire.formats() if known.name not in ONE_TOOL]


def run(message):
    """Return what a client runs that gets a message."""
    return [(call["name"], call["arguments"]) for call in message.shown()["calls"]]


@rows("engine", ENGINES)
@rows("name", NAMES)
def test_a_client_gets_the_calls_that_may_run_wherever_a_turn_ends(name, engine):
    """A call before one that is cut off is complete, and is not given: the turn's calls are void."""
    for text, calls in written_turns(name, finished=True, step=40):
        for size in (0, 7):
            assert run(read(ENGINES[engine](name, TOOLS), text, size)) == calls


@rows("name", NAMES)
def test_a_limit_that_cuts_a_stream_of_vllm_runs_nothing_that_only_the_end_would_run(name):
    """The text of its last token is there; that of a token that ends the turn is not."""
    for text, calls in written_turns(name, finished=False, step=40):
        for size in (7, 1000):
            assert run(read(Whole(name, TOOLS, last=()), text, size)) == calls


LAST = {"stops": (0, 1), "stops without a text": (2, 1), "is a part of a character": (0xFFFD, 0)}


@rows("last, count", list(LAST.values()))
def test_the_last_token_says_whether_the_model_ended_its_turn(last, count):
    assert len(run(read(Whole("hermes", TOOLS, last=[last]), GOOD, 7))) == count


def test_the_last_token_says_nothing_if_the_text_of_tokens_that_stop_is_asked_for():
    reader = Whole("hermes", TOOLS, last=())
    reader._request.include_stop_str_in_output = True
    assert len(run(read(reader, GOOD, 7))) == 1


GOOD = '<tool_call>\n{"name": "rm", "arguments": {"path": "old"}}\n</tool_call>'
BROKEN = '\n<tool_call>\n{"name": "rm", "arguments": {"path": }}\n</tool_call>'


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("size", [0, 1, 1000])
def test_what_is_refused_is_logged(engine, size, caplog):
    """The text before the broken call is shown, and the log says what was wrong, and where."""
    logging.disable(logging.NOTSET)
    try:
        found = read(ENGINES[engine]("hermes", TOOLS), f"Hi. {GOOD}{BROKEN}", size)
    finally:
        logging.disable(logging.CRITICAL)
    assert (found.content.strip(), run(found)) == ("Hi.", [])
    [record] = caplog.records
    place = len(f"Hi. {GOOD}") + BROKEN.index("}")
    assert f"json-syntax at character {place} of the text: " in record.getMessage()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_server_may_ask_for_calls_before_the_turn_is_over(engine, monkeypatch):
    monkeypatch.setenv("COGWIRE_EARLY_CALLS", "1")
    early = [("rm", {"path": "old"})]
    assert run(read(ENGINES[engine]("hermes", TOOLS), GOOD + BROKEN, 1)) == early
    assert run(read(ENGINES[engine]("hermes", TOOLS), GOOD + BROKEN)) == []
    reader = ENGINES[engine]("hermes", TOOLS)
    assert run(formats.message(reader.feed(GOOD))) == early


THOUGHTS = [
    (f"<think>First.</think>{GOOD}<think>Second.</think>Bye", "First.Second.", "Bye", 1),
    ("Hi.<think>T.</think>Bye", "T.", "Hi.Bye", 0),
    ("<think>One.</think><think>Two.</think>", "One.Two.", "", 0),
    ("<think>So.", "So.", "", 0),
    ("a <thi", "", "a <thi", 0),
    ("<thi", "", "<thi", 0),
]


@rows("text, reasoning, content, count", THOUGHTS)
def test_all_thinking_of_a_turn_is_reasoning(text, reasoning, content, count):
    for size in (0, 1, 3, 1000):
        found = read(Whole("hermes", TOOLS), text, size)
        assert (found.reasoning, found.content) == (reasoning, content)
        assert len(run(found)) == count


def test_the_parser_of_reasoning_asks_for_markers_that_are_special_tokens():
    for name, expected in [("gemma-4", False), ("mistral", True)]:
        request = SimpleNamespace(skip_special_tokens=True)
        Whole(name, TOOLS)._parser.reasoning_parser.adjust_request(request)
        assert request.skip_special_tokens is expected


def test_without_a_choice_of_tools_vllm_streams_no_calls():
    """The server leaves out the calls of chunks itself, and takes those of the end as they are."""
    reader = Whole("hermes", TOOLS)
    reader._request.tool_choice = "none"
    assert run(read(reader, GOOD, 1)) == []
