"""The server of vllm-mlx with its parsers of calls, for an engine that yields the chunks of a text.

Reasoning is left out (`--without reasoning`): the server is started without a parser of it.
"""

import json
import logging
import re
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from importlib import import_module
from typing import Any

from bare import leave_out
from lines import Item, Reader, answer, call

leave_out(
    "vllm_mlx",
    inside=("vllm_mlx.api", "vllm_mlx.engine", "vllm_mlx.reasoning", "vllm_mlx.tool_parsers"),
    outside=(
        *("PIL", "huggingface_hub", "jsonschema", "mlx", "mlx_lm", "mlx_vlm", "numpy"),
        *("requests", "transformers", "uvicorn"),
    ),
)
logging.disable(logging.CRITICAL)
server = import_module("vllm_mlx.server")
output = import_module("vllm_mlx.engine").GenerationOutput
#: The names that a tool of a request may have.
NAME = re.compile("[A-Za-z0-9_-]{1,64}")


class Chunk:
    """What an engine awaits, until `send` gives it the next chunk."""

    def __await__(self) -> Generator[None, Any, Any]:
        """Return the chunk that is sent."""
        return (yield)


class Engine:
    """An engine that yields what it is sent."""

    model_name = ""

    async def stream_chat(self, **_: Any) -> AsyncIterator[Any]:
        """Yield what the model writes, up to the end of its turn."""
        chunk = output(text="", finished=False)
        while not chunk.finished:
            chunk = await Chunk()
            yield chunk


class Turn:
    """One turn, as the server reads it."""

    def __init__(self, tools: list[Any]) -> None:
        named = [tool for tool in tools if NAME.fullmatch(tool["name"])]
        functions = [{"type": "function", "function": tool} for tool in named]
        request = {"model": "", "messages": [], "tools": functions}
        self._request = server.ChatCompletionRequest.model_validate(request)
        self._stream = server.stream_chat_completion(Engine(), [], self._request)
        self._next: Any = None

    def whole(self, text: str) -> Iterator[Item]:
        """Read a whole text."""
        read = server._parse_tool_calls_with_parser  # noqa: SLF001 (as its server does)
        content, calls = read(text, self._request, engine=Engine())
        yield {"content": server.clean_output_text(content) if content else ""}
        for one in calls or ():
            yield from call(one.function.name, one.function.arguments)

    def feed(self, chunk: str) -> Iterator[Item]:
        """Read a chunk."""
        return self._read(output(text="", new_text=chunk, finished=False))

    def close(self) -> Iterator[Item]:
        """End the stream with an empty chunk."""
        return self._read(output(text="", finished=True))

    def _read(self, chunk: Any) -> Iterator[Item]:
        """Yield what the server sends until it awaits the chunk after this one."""
        if self._next is None:
            yield from self._until_it_waits(None)
        yield from self._until_it_waits(chunk)

    def _until_it_waits(self, sent: Any) -> Iterator[Item]:
        while True:
            self._next = self._next or self._stream.__anext__()
            try:
                self._next.send(sent)
            except StopIteration as line:
                yield from _items(line.value)
            except StopAsyncIteration:
                return
            else:
                return
            self._next = sent = None


def _items(line: str) -> Iterator[Item]:
    """Yield the items of a line of the server's stream."""
    data = line.removeprefix("data: ")
    if data.startswith("[DONE]"):
        return
    for choice in json.loads(data)["choices"]:
        delta = choice["delta"]
        yield {"content": delta.get("content") or ""}
        for one in delta.get("tool_calls") or ():
            function = one["function"]
            yield from call(function.get("name"), function.get("arguments"), one["index"])


def reader(name: str, parser: str) -> Callable[[list[Any]], Reader]:
    """Return what makes a reader of a format for some tools."""
    del name
    vars(server).update(_enable_auto_tool_choice=True, _tool_call_parser=parser)
    vars(server)["_tool_parser_instance"] = None
    return Turn


#: What `--tool-call-parser` calls the parser of each format.
PARSERS = {
    "dsml": "deepseek_v4",
    "gemma-4": "gemma4",
    "glm-4.5": "glm47",
    "granite-3": "granite",
    "hermes": "hermes",
    "kimi-k2": "kimi_k2",
    "llama3-json": "llama3",
    "minimax-m2": "minimax_m2",
    "mistral": "mistral",
    "mistral-v3": "mistral",
    "qwen3-coder": "qwen3_coder",
    "xlam": "xlam",
}

if __name__ == "__main__":
    answer(PARSERS, reader)
