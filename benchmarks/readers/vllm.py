"""vLLM's parser engine, alone and as its server calls it."""

from collections.abc import Callable
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from readers.base import Reader
from readers.formats import formatted
from turns import Turn, dumped, parametric, thought

# Its adapter leaves out what the parsers do not need.
import_module("vllm_parsers")
__all__ = ["READERS", "formatted"]

TOOLS = [
    SimpleNamespace(type="function", function=SimpleNamespace(name=name, parameters={}))
    for name in ("read", "write")
]


#: A vocabulary in which two markers are tokens; the engine finds all in the text as well.
TOKENIZER = SimpleNamespace(
    all_special_tokens=(), all_special_ids=(), get_vocab=lambda: {"<think>": 0, "</think>": 1}
)


class Engine(Reader):
    """The engine alone, with a configuration in which its events say all."""

    note = (
        "Given text without token ids. Gives the arguments as text while they come: whether they "
        "are JSON it does not ask."
    )

    def __init__(self) -> None:
        self._class = import_module(
            "vllm.parser.engine.streaming_parser_engine"
        ).StreamingParserEngine
        self._configuration = import_module("vllm.parser.kimi_k2").kimi_k2_config()

    def written(self, turn: Turn) -> str:
        """Return the turn as Kimi K2 writes it: a header and a JSON object for each call."""
        return kimi(turn)

    def start(self) -> tuple[Callable[[Any], Any], Callable[[], Any]]:
        """Return the methods of a new engine."""
        engine = self._class(self._configuration, TOKENIZER)
        return lambda chunk: engine.feed(chunk, []), engine.finish

    def seen(self, outputs: list[Any]) -> Turn:
        """Join what has one type, and for the calls one number."""
        said = {"REASONING_CHUNK": "", "TEXT_CHUNK": ""}
        calls: dict[int, dict[str, str]] = {}
        parts = {"TOOL_NAME": "name", "ARG_VALUE_CHUNK": "args"}
        for event in (event for events in outputs for event in events):
            kind = event.type.name
            if kind in said:
                said[kind] += event.value
            elif kind in parts:
                call = calls.setdefault(event.tool_index, {"name": "", "args": ""})
                call[parts[kind]] += event.value
        named = [{**call, "name": _name(call["name"])} for call in calls.values()]
        return Turn(*said.values(), named)


def _name(header: str) -> str:
    return header.partition(":")[0].removeprefix("functions.")


class Server(Reader):
    """A parser of the engine, as vLLM's server calls it for each delta."""

    note = "The same as its server calls it: each chunk gives a message that pydantic has made."

    def __init__(
        self, module: str, name: str, written: Callable[[Turn], str], *, strings: bool
    ) -> None:
        self._class = getattr(import_module(f"vllm.parser.{module}"), name)
        self.written = written  # type: ignore[method-assign]
        self.has_strings_only = strings
        self._request = SimpleNamespace(
            include_reasoning=True, tool_choice="auto", tools=TOOLS, messages=[]
        )

    def start(self) -> tuple[Callable[[Any], Any], Callable[[], Any]]:
        """Return the method of a new parser, for a chunk and for the end."""
        delta, request = self._class(TOKENIZER).parse_delta, self._request
        return (
            lambda chunk: delta(chunk, [], request, finished=False),
            lambda: delta("", [], request, finished=True),
        )

    def seen(self, outputs: list[Any]) -> Turn:
        """Join the deltas."""
        deltas = [delta for delta in outputs if delta is not None]
        calls: dict[int, dict[str, Any]] = {}
        for part in (part for delta in deltas for part in delta.tool_calls):
            call = calls.setdefault(part.index, {"name": "", "args": ""})
            call["name"] += part.function.name or ""
            call["args"] += part.function.arguments or ""
        think = "".join(delta.reasoning or "" for delta in deltas)
        prose = "".join(delta.content or "" for delta in deltas)
        return Turn(think, prose, list(calls.values()))


def kimi(turn: Turn) -> str:
    """Return the turn as Kimi K2 writes it: a header and a JSON object for each call."""
    block = "".join(
        f"<|tool_call_begin|>functions.{call['name']}:{index}"
        f"<|tool_call_argument_begin|>{dumped(call['args'])}<|tool_call_end|>"
        for index, call in enumerate(turn.calls)
    )
    return f"{thought(turn)}<|tool_calls_section_begin|>{block}<|tool_calls_section_end|>"


READERS = {
    "engine": Engine(),
    "Kimi K2": Server("kimi_k2", "KimiK2Parser", kimi, strings=False),
    "Qwen 3": Server("qwen3", "Qwen3Parser", parametric, strings=True),
}
