"""vLLM's parsers, called as its server calls them for each delta, with text and no token ids.

Reasoning is left out (`--without reasoning`): `hermes` is a tool parser alone, and the parser of
`qwen3-coder` reads it only where the prompt has begun it.
"""

import logging
from collections.abc import Callable, Iterator
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from bare import leave_out
from lines import Item, Reader, answer, call

leave_out(
    "vllm",
    inside=("vllm.utils", "vllm.logging_utils"),
    outside=(
        *("torch", "transformers", "xgrammar", "numpy", "openai_harmony"),
        *("vllm.sampling_params", "vllm.v1", "vllm.tokenizers", "vllm.parser.metrics"),
        "vllm.entrypoints.mcp",
    ),
)
identities = import_module("vllm.renderers.chat_utils.tool_call")
vars(import_module("vllm.renderers.chat_utils")).update(vars(identities))
protocol = import_module("vllm.entrypoints.openai.chat_completion.protocol")
logging.disable(logging.CRITICAL)

#: A vocabulary in which the markers are tokens; they are found in the text as well.
TOKENIZER = SimpleNamespace(
    all_special_tokens=(),
    all_special_ids=(),
    get_vocab=lambda: {"<think>": 0, "</think>": 1, "<tool_call>": 2, "</tool_call>": 3},
)


def _request(tools: list[Any]) -> Any:
    """Return as much of a request as the parsers read."""
    functions = [protocol.ChatCompletionToolsParam(function=tool) for tool in tools]
    return SimpleNamespace(include_reasoning=True, tool_choice="auto", tools=functions, messages=[])


def _items(delta: Any) -> Iterator[Item]:
    if delta is None:
        return
    if getattr(delta, "reasoning", None):
        yield {"reasoning": delta.reasoning}
    if delta.content:
        yield {"content": delta.content}
    for part in delta.tool_calls or ():
        yield from call(part.function.name, part.function.arguments)


class ToolParser:
    """A tool parser, with the text so far that it is told each time."""

    def __init__(self, parser: Callable[..., Any], tools: list[Any]) -> None:
        self._request = _request(tools)
        self._parser = parser(TOKENIZER, self._request.tools)
        self._text = ""

    def whole(self, text: str) -> Iterator[Item]:
        """Read a whole text."""
        return _items(self._parser.extract_tool_calls(text, self._request))

    def feed(self, chunk: str) -> Iterator[Item]:
        """Read a chunk behind those before it."""
        before, self._text = self._text, self._text + chunk
        told = (before, self._text, chunk, [], [], [], self._request)
        return _items(self._parser.extract_tool_calls_streaming(*told))

    def close(self) -> tuple[Item, ...]:
        """Nothing is said to a tool parser at the end."""
        return ()


class Engine:
    """A parser of the engine, for a prompt that has not begun the reasoning."""

    def __init__(self, parser: Callable[..., Any], tools: list[Any]) -> None:
        self._request = _request(tools)
        options = {"chat_template_kwargs": {"enable_thinking": False}}
        self._parser = parser(TOKENIZER, self._request.tools, **options)

    def whole(self, text: str) -> None:
        """Whole texts are fed like others, and finished."""

    def feed(self, chunk: str) -> Iterator[Item]:
        """Read a chunk."""
        return _items(self._parser.parse_delta(chunk, [], self._request, finished=False))

    def close(self) -> Iterator[Item]:
        """End the stream."""
        return _items(self._parser.parse_delta("", [], self._request, finished=True))


def _reader(kind: Callable[..., Reader], module: str, name: str) -> Callable[[list[Any]], Reader]:
    parser = getattr(import_module(f"vllm.{module}"), name)
    return lambda tools: kind(parser, tools)


answer(
    {
        "hermes": _reader(ToolParser, "tool_parsers.hermes_tool_parser", "Hermes2ProToolParser"),
        "qwen3-coder": _reader(Engine, "parser.qwen3", "Qwen3Parser"),
    }
)
