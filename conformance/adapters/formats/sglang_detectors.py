"""SGLang's detectors of reasoning and of calls, one after the other, as its server combines them.

The end of a stream is handled as the server handles it: `close` calls `finish`, then emits the rest
of the arguments that the detector has read for its last call.
"""

import json
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import Any

from bare import leave_out
from lines import Item, Reader, Translated, answer, call

leave_out(
    "sglang",
    inside=("sglang.srt.parser.chat_parsing",),
    outside=("torch", "transformers", "xgrammar", "numpy", "sglang.utils"),
)
logging.disable(logging.CRITICAL)
protocol = import_module("sglang.srt.entrypoints.openai.protocol")
reasoning = import_module("sglang.srt.parser.reasoning_parser")
detectors = import_module("sglang.srt.function_call.function_call_parser")


class Detectors(Translated):
    """A detector of reasoning, and one of calls for the text that the first leaves."""

    def __init__(
        self, thoughts: Callable[[], Any], detector: Callable[[], Any], tools: list[Any]
    ) -> None:
        self._think = thoughts()
        self._calls = detector()
        self._tools = [protocol.Tool(function=protocol.Function(**tool)) for tool in tools]

    def whole(self, text: str) -> Iterator[Item]:
        """Read a whole text; like the server, look for a call in it first.

        If the detector fails, the server shows the text.
        """
        parts = self._think.detect_and_parse(text)
        yield {"reasoning": parts.reasoning_text}
        found = None
        if self._calls.has_tool_call(parts.normal_text):
            with suppress(Exception):
                found = self._calls.detect_and_parse(parts.normal_text, self._tools)
        yield from [{"content": parts.normal_text}] if found is None else _items(found)

    def parse(self, chunk: str) -> tuple[Any, Any]:
        """Pass a chunk to the first detector, and the text that it leaves to the second."""
        return self._passed(self._think.parse_streaming_increment(chunk))

    @staticmethod
    def items(answer: tuple[Any, Any]) -> Iterator[Item]:
        """Translate what both detectors found."""
        parts, found = answer
        yield {"reasoning": parts.reasoning_text}
        yield from _items(found) if found else ()

    def close(self) -> Iterator[Item]:
        """End the stream as the server does."""
        yield from self.items(self._passed(self._think.finish()))
        yield from _items(self._calls.finish(self._tools))
        known, sent = self._calls.prev_tool_call_arr, self._calls.streamed_args_for_tool
        if known and len(known) <= len(sent):
            whole = known[-1].get("arguments", {})
            whole = whole if isinstance(whole, str) else json.dumps(whole, ensure_ascii=False)
            if whole.startswith(sent[len(known) - 1]):
                yield from call(None, whole[len(sent[len(known) - 1]) :])

    def _passed(self, parts: Any) -> tuple[Any, Any]:
        if not parts.normal_text:
            return parts, None
        return parts, self._calls.parse_streaming_increment(parts.normal_text, self._tools)


def _items(result: Any) -> Iterator[Item]:
    if result.normal_text:
        yield {"content": result.normal_text}
    for item in result.calls:
        yield from call(item.name, item.parameters)


def reader(name: str, names: tuple[str, str]) -> Callable[..., Reader]:
    """Return what makes a reader of a format for some tools."""
    del name
    of_thoughts = reasoning.ReasoningParser.DetectorMap[names[0]]
    of_calls = detectors.FunctionCallParser.ToolCallParserEnum[names[1]]
    # The server finds in a model's template that its prompts begin the reasoning.
    begun = partial(of_thoughts, force_reasoning=True)
    return lambda tools, start="": Detectors(
        begun if start == "think" else of_thoughts, of_calls, tools
    )


#: What `--reasoning-parser` and `--tool-call-parser` call the detectors of each format.
PARSERS = {
    "apertus": ("apertus2509", "apertus2509"),
    "cohere": ("cohere_command4", "cohere_command4"),
    "deepseek-v3.1": ("deepseek-v3", "deepseekv31"),
    "deepseek-v4.1": ("deepseek-v41", "deepseekv41"),
    "dots": ("dots", "dots"),
    "dsml": ("deepseek-v4", "deepseekv4"),
    "gemma-4": ("gemma4", "gemma4"),
    "gigachat-3": ("qwen3", "gigachat3"),
    "gigachat-3.1": ("qwen3", "gigachat3"),
    "gigachat-3.5": ("qwen3", "gigachat35"),
    "glm-4.5": ("glm45", "glm45"),
    "harmony": ("gpt-oss", "gpt-oss"),
    "hermes": ("qwen3", "hermes"),
    "inkling": ("inkling", "inkling"),
    "iquest-q1": ("qwen3", "iquest_q1"),
    "kimi-k2": ("kimi_k2", "kimi_k2"),
    "kimi-k3": ("kimi_k3", "kimi_k3"),
    "lfm2": ("qwen3", "lfm2"),
    "llama3-json": ("qwen3", "llama3"),
    "llama4-pythonic": ("qwen3", "pythonic"),
    "minicpm5": ("qwen3", "minicpm5"),
    "minimax-m2": ("minimax", "minimax-m2"),
    "minimax-m3": ("minimax-m3", "minimax-m3"),
    "mistral": ("mistral", "mistral"),
    "mistral-v3": ("mistral", "mistral"),
    "qwen3-coder": ("qwen3", "qwen3_coder"),
    "step3": ("qwen3", "step3"),
}

if __name__ == "__main__":
    if sys.argv[1] == "cogwire":
        import_module("cogwire_kit.bridges.sglang").register()
        own = {name: (names[0], f"cogwire-{name}") for name, names in PARSERS.items()}
        answer(own, reader, takes=("start",))
    answer(PARSERS, reader, takes=("start",))
