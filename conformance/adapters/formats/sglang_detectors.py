"""SGLang's detectors: of reasoning, and behind it of calls, as its server puts them together.

What its server does at the end of a stream is done here: it calls `finish`, and gives what is left
of the arguments that the detector has read of its last call.
"""

import json
import logging
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from bare import leave_out
from lines import Item, Reader, answer, call

leave_out(
    "sglang",
    inside=("sglang.srt.parser.chat_parsing",),
    outside=("torch", "transformers", "xgrammar", "numpy", "sglang.utils"),
)
logging.disable(logging.CRITICAL)
protocol = import_module("sglang.srt.entrypoints.openai.protocol")
reasoning = import_module("sglang.srt.parser.reasoning_parser")


class Detectors:
    """One detector behind the other."""

    def __init__(self, detector: Callable[[], Any], tools: list[Any]) -> None:
        self._think = reasoning.Qwen3Detector()
        self._calls = detector()
        self._tools = [protocol.Tool(function=protocol.Function(**tool)) for tool in tools]

    def whole(self, text: str) -> Iterator[Item]:
        """Read a whole text; the server asks first whether there is a call in it."""
        said = self._think.detect_and_parse(text)
        yield {"reasoning": said.reasoning_text}
        if not self._calls.has_tool_call(said.normal_text):
            yield {"content": said.normal_text}
        else:
            yield from _items(self._calls.detect_and_parse(said.normal_text, self._tools))

    def feed(self, chunk: str) -> Iterator[Item]:
        """Give a chunk to the first, and what it leaves to the second."""
        said = self._think.parse_streaming_increment(chunk)
        yield {"reasoning": said.reasoning_text}
        if said.normal_text:
            found = self._calls.parse_streaming_increment(said.normal_text, self._tools)
            yield from _items(found)

    def close(self) -> Iterator[Item]:
        """End the stream as the server does."""
        yield from _items(self._calls.finish(self._tools))
        known, sent = self._calls.prev_tool_call_arr, self._calls.streamed_args_for_tool
        if known and len(known) <= len(sent):
            whole = json.dumps(known[-1].get("arguments", {}), ensure_ascii=False)
            if whole.startswith(sent[len(known) - 1]):
                yield from call("", whole[len(sent[len(known) - 1]) :])


def _items(result: Any) -> Iterator[Item]:
    if result.normal_text:
        yield {"content": result.normal_text}
    for item in result.calls:
        yield from call(item.name, item.parameters)


def _reader(module: str, name: str) -> Callable[[list[Any]], Reader]:
    detector = getattr(import_module(f"sglang.srt.function_call.{module}"), name)
    return lambda tools: Detectors(detector, tools)


answer(
    {
        "hermes": _reader("hermes_detector", "HermesDetector"),
        "qwen3-coder": _reader("qwen3_coder_detector", "Qwen3CoderDetector"),
    }
)
