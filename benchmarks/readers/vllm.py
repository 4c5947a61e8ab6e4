"""vLLM's parser engine alone; its server's parsers are measured format by format."""

from collections.abc import Callable
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from readers.base import Reader
from readers.formats import formatted
from turns import Turn, dumped, thought

# Its adapter leaves out what the parsers do not need.
import_module("vllm_parsers")
__all__ = ["READERS", "formatted"]

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
        block = "".join(
            f"<|tool_call_begin|>functions.{call['name']}:{index}"
            f"<|tool_call_argument_begin|>{dumped(call['args'])}<|tool_call_end|>"
            for index, call in enumerate(turn.calls)
        )
        return f"{thought(turn)}<|tool_calls_section_begin|>{block}<|tool_calls_section_end|>"

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
        for call in calls.values():
            call["name"] = call["name"].partition(":")[0].removeprefix("functions.")
        return Turn(*said.values(), list(calls.values()))


READERS = {"engine": Engine()}
