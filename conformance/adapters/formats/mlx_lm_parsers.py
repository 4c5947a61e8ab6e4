"""mlx-lm's parsers of calls, with the state machine and the formatter that its server uses.

The state machine finds the markers in the text, and holds back text that may be the beginning of
one; a call is read when its closer has arrived.  The text ends as a turn does that a token ended:
text held back then is dropped, and a call without its closer is read as far as it goes.
"""

import logging
from collections.abc import Callable, Iterator
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from bare import leave_out
from lines import Item, Reader, answer, call

leave_out(
    "mlx_lm",
    inside=(),
    outside=(
        *("mlx", "numpy", "transformers", "huggingface_hub"),
        *("mlx_lm.models", "mlx_lm.processors", "mlx_lm.sample_utils", "mlx_lm.utils"),
        *("mlx_lm._version", "mlx_lm.tokenizer_utils"),
    ),
)
logging.disable(logging.CRITICAL)
# Importing the modules calls this function.
vars(import_module("mlx.core"))["new_thread_local_stream"] = lambda _: None
machines = import_module("mlx_lm.generate")
server = import_module("mlx_lm.server")


class Turn:
    """One turn, as the server's handler reads it."""

    def __init__(
        self, parser: Any, think: tuple[str, str] | None, tools: list[Any], begun: str
    ) -> None:
        start, end = think or ("", "")
        tokenizer = SimpleNamespace(
            has_thinking=think is not None,
            think_start=start,
            think_end=end,
            has_tool_calling=True,
            tool_call_start=parser.tool_call_start,
            tool_call_end=parser.tool_call_end,
            structural_markers=(),
            response_transitions={},
        )
        functions = [{"type": "function", "function": tool} for tool in tools]
        self._format = server.ToolCallFormatter(parser.parse_tool_call, functions, streaming=True)
        self._state = machines.make_text_state_machine(tokenizer).make_state(begun)
        self._call = ""

    def whole(self, text: str) -> None:
        """Return None: a whole text is fed and finished like any other."""

    def feed(self, chunk: str) -> Iterator[Item]:
        """Read a chunk: pieces of reasoning and prose, and the calls that it completes."""
        previous = self._state[0]
        self._state, segments = machines.TextStateMachine.split(self._state, chunk)
        for state, text in segments:
            if state == "tool":
                self._call += text
            elif state == "reasoning":
                yield {"reasoning": text}
            else:
                if previous == "tool":
                    yield from self._read()
                yield {"content": text}
            previous = state

    def close(self) -> Iterator[Item]:
        """Read the call that is open."""
        if self._state[0] == "tool" and self._call:
            yield from self._read()

    def _read(self) -> Iterator[Item]:
        text, self._call = self._call, ""
        for one in self._format([text]):
            yield from call(one["function"]["name"], one["function"]["arguments"])


def reader(name: str, where: tuple[str, tuple[str, str] | None]) -> Callable[..., Reader]:
    """Return what makes a reader of a format for some tools."""
    del name
    module, think = where
    parser = import_module(f"mlx_lm.tool_parsers.{module}")
    return lambda tools, start="": Turn(parser, think, tools, STATES[start])


#: The state that the server begins in, by the end of the prompt.
STATES = {"": "normal", "think": "reasoning"}
THINK = ("<think>", "</think>")
PARSERS = {
    "glm-4.5": ("glm47", THINK),
    "hermes": ("json_tools", THINK),
    "kimi-k2": ("kimi_k2", None),
    "mistral": ("mistral", None),
    "mistral-v3": ("mistral", None),
    "qwen3-coder": ("qwen3_coder", THINK),
}

if __name__ == "__main__":
    answer(PARSERS, reader, takes=("start",))
