"""LMDeploy's response parser with its parsers of calls, called as its server calls it.

Reasoning is left out (`--without reasoning`): its parser treats all text before the end marker as
reasoning.  The parsers rely on where tokens end: each states the parts in which its tags may
arrive.  So they are given a tag only in those parts, however the text is cut.
"""

import logging
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from bare import leave_out
from lines import Item, Reader, Translated, answer, call

leave_out(
    "lmdeploy",
    inside=("lmdeploy.utils", "lmdeploy.serve.parsers.tool_parser"),
    outside=("torch", "transformers", "openai_harmony"),
)
logging.disable(logging.CRITICAL)
response = import_module("lmdeploy.serve.parsers.response_parser")
protocol = import_module("lmdeploy.serve.openai.protocol")
parsers = import_module("lmdeploy.serve.parsers.tool_parser.tool_parser")


class Responses(Translated):
    """A response parser with the parser of calls that the server was started with."""

    def __init__(self, parser: Any, tools: list[Any]) -> None:
        response.BaseResponseParser.tool_parser_cls = parser
        functions = [{"type": "function", "function": tool} for tool in tools]
        request = {"model": "", "messages": [], "tools": functions, "tool_choice": "auto"}
        made = protocol.ChatCompletionRequest.model_validate(request)
        self._parser = response.BaseResponseParser(made)
        self._parts = _parts_of(parser)
        self._text, self._passed = "", 0

    def whole(self, text: str) -> Iterator[Item]:
        """Read a whole text."""
        content, calls, _ = self._parser.parse_complete(text)
        if content:
            yield {"content": content}
        for one in calls or ():
            yield from call(one.function.name, one.function.arguments)

    def given(self, chunk: str) -> str:
        """Return the text up to the chunk's end, if that may be the end of a token."""
        self._text += chunk
        ends = (_end(self._text, tag, parts) for tag, parts in self._parts.items())
        begin, self._passed = self._passed, max(self._passed, min(ends))
        return self._text[begin : self._passed]

    def parse(self, chunk: str, *, final: bool = False) -> list[Any]:
        """Read a chunk, or the last text."""
        return self._parser.stream_chunk(chunk, [], final=final)

    def close(self) -> Iterator[Item]:
        """End the stream."""
        return self.items(self.parse(self._text[self._passed :], final=True))

    @staticmethod
    def items(answer: list[Any]) -> Iterator[Item]:
        """Translate deltas."""
        for delta, _ in answer:
            if delta.content:
                yield {"content": delta.content}
            for part in delta.tool_calls or ():
                yield from call(part.function.name, part.function.arguments)


def _parts_of(parser: Any) -> dict[str, tuple[str, ...]]:
    """Return the tags that begin or end a call or a value, each with the parts it may arrive in."""
    stated = [
        (parser.get_tool_open_tag(), ()),
        (parser.get_tool_close_tag(), getattr(parser, "tool_close_prefixes", ())),
        (
            getattr(parser, "arg_value_close_tag", ""),
            getattr(parser, "arg_value_close_prefixes", ()),
        ),
    ]
    return {tag: parts for tag, parts in stated if tag}


def _end(text: str, tag: str, parts: tuple[str, ...]) -> int:
    """Return how much of a text can be passed on, because its end may be a part of a tag."""
    for size in range(min(len(tag) - 1, len(text)), 0, -1):
        if text.endswith(tag[:size]):
            whole = (len(part) for part in parts if len(part) <= size)
            return len(text) - size + max(whole, default=0)
    return len(text)


def reader(name: str, parser: str) -> Callable[[list[Any]], Reader]:
    """Return what makes a reader of a format for some tools."""
    del name
    found = parsers.ToolParserManager.module_dict[parser]
    return lambda tools: Responses(found, tools)


#: The name that `--tool-call-parser` has for the parser of each format.
PARSERS = {
    "glm-4.5": "glm47",
    "hermes": "qwen3",
    "internlm": "internlm",
    "kimi-k2": "kimi-k2",
    "qwen3-coder": "qwen3coder",
}

if __name__ == "__main__":
    answer(PARSERS, reader)
