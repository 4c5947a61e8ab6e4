"""Xinference's parsers of calls, called as its server calls them for each chunk.

Reasoning is left out (`--without reasoning`): its parser takes all text before the end marker for
reasoning, whether the model has begun any or not.
"""

import logging
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from bare import leave_out
from lines import Item, Reader, answer, call

leave_out(
    "xinference",
    inside=("xinference.model.llm.tool_parsers",),
    outside=("PIL", "xinference.model.llm.core", "xinference.model.llm.media"),
)
logging.disable(logging.CRITICAL)
server = import_module("xinference.model.llm.utils")
known = import_module("xinference.model.llm.tool_parsers").TOOL_PARSERS


class Turn:
    """One turn, as the server's model of a chat reads it."""

    def __init__(self, parser: Callable[[], Any], tools: list[Any]) -> None:
        self._model = server.ChatModelMixin()
        self._model.tool_parser = parser()
        self._tools = [{"type": "function", "function": tool} for tool in tools]
        self._texts, self._state = [""], {"seen": False}

    def whole(self, text: str) -> Iterator[Item]:
        """Read a whole text."""
        given = {"choices": [{"text": text, "finish_reason": "stop"}]}
        read = self._model._post_process_completion  # noqa: SLF001 (as its server does)
        made = read(None, "", given, tools=self._tools)
        return _items(made["choices"][0]["message"])

    def feed(self, chunk: str) -> Iterator[Item]:
        """Read a chunk."""
        return self._read(chunk, None)

    def close(self) -> Iterator[Item]:
        """End the stream with an empty chunk, which says why."""
        return self._read("", "stop")

    def _read(self, text: str, finish: str | None) -> Iterator[Item]:
        choice = {"delta": {"content": text}, "finish_reason": finish}
        read = self._model._post_process_completion_chunk  # noqa: SLF001 (as its server does)
        made = read(
            None,
            "",
            {"id": "1", "choices": [choice]},
            previous_texts=self._texts,
            tool_call_state=self._state,
            tools=self._tools,
        )
        return _items(made["choices"][0]["delta"] if made else {})


def _items(message: dict[str, Any]) -> Iterator[Item]:
    if message.get("content"):
        yield {"content": message["content"]}
    for one in message.get("tool_calls", ()):
        function = one["function"]
        yield from call(function.get("name"), function["arguments"], one.get("index"))


def reader(name: str, parser: str) -> Callable[[list[Any]], Reader]:
    """Return what makes a reader of a format for some tools."""
    del name
    return lambda tools: Turn(known[parser], tools)


#: What the list of models calls the parser of a model that writes each format.
PARSERS = {
    "deepseek-v3.1": "deepseek-v3.1",
    "deepseek-v4.1": "deepseek-v4.1",
    "dsml": "deepseek-v4",
    "gemma-4": "gemma",
    "glm-4.5": "glm5",
    "hermes": "qwen",
    "kimi-k3": "kimi-k3",
    "llama3-json": "llama3",
    "minicpm5": "minicpm5",
    "minimax-m2": "minimax",
    "qwen3-coder": "qwen",
}

if __name__ == "__main__":
    answer(PARSERS, reader)
