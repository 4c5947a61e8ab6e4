"""The parsers of renderers, which reads what a model has sampled as ids of tokens.

It reads a whole turn.  Each marker that a renderer looks up in its vocabulary is one token, and
each other character too.  A call counts if its status is `ok`, as in the client of the package.
"""

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from bare import leave_out
from lines import Collected, Item, Reader, answer, tokens_of

leave_out("renderers", inside=(), outside=("numpy", "openai_harmony"))
logging.disable(logging.CRITICAL)
base = import_module("renderers.base")
config = import_module("renderers.configs")
# The renderer of harmony loads a vocabulary, which only its writer uses.
vars(import_module("openai_harmony"))["load_harmony_encoding"] = lambda _: None

#: The id of the first marker; those below it are characters.
MARKERS = 0x110000
#: How a message of harmony begins.  A prompt of renderers begins the reasoning as well, so that a
#: text that begins with anything else is given as one that begins with its header.
HEADER = "<|start|>assistant"


class Vocabulary:
    """A tokenizer whose tokens are the markers of a format, and single characters."""

    name_or_path = ""
    unk_token_id = None
    eos_token_id = None

    def __init__(self, tokens: Sequence[str]) -> None:
        self._ids: dict[str, int] = {}
        for token in tokens:
            self.convert_tokens_to_ids(token)

    def convert_tokens_to_ids(self, token: str) -> int:
        """Return the id of a marker, which a renderer looks up when it is made."""
        return self._ids.setdefault(token, MARKERS + len(self._ids))

    def encode(self, text: str, **_: Any) -> list[int]:
        """Return the ids of a text; what is between bars is a marker."""
        known = "|".join(map(re.escape, sorted(self._ids, key=len, reverse=True)))
        ids, at = [], 0
        for found in re.finditer(rf"{known}|<｜[^<>｜\s]+｜>", text):
            ids += [*map(ord, text[at : found.start()]), self.convert_tokens_to_ids(found[0])]
            at = found.end()
        return [*ids, *map(ord, text[at:])]

    def decode(self, ids: Sequence[int], **_: Any) -> str:
        """Return the text of some ids."""
        tokens = list(self._ids)
        return "".join(chr(one) if one < MARKERS else tokens[one - MARKERS] for one in ids)


def reader(name: str, renderer: str) -> Callable[..., Reader]:
    """Return what makes a reader of a format for some tools."""
    words = Vocabulary([*tokens_of(name), "<think>", "</think>"])
    made = base.create_renderer(words, getattr(config, f"{renderer}RendererConfig")())

    def read(text: str, tools: list[Any], prompt: str) -> Iterator[Item]:
        if name == "harmony" and not text.startswith(HEADER):
            text, prompt = HEADER + text, ""
        given = {"tools": tools, "prompt_ids": words.encode(prompt)}
        return _items(made.parse_response(words.encode(text), **given))

    return lambda tools, prompt="": Collected(partial(read, tools=tools, prompt=prompt))


def _items(found: Any) -> Iterator[Item]:
    yield {"reasoning": found.reasoning_content or ""}
    yield {"content": found.content}
    for one in found.tool_calls:
        if one.status == base.ToolCallParseStatus.OK:
            yield {"call": str(one.name)}
            yield {"arguments": one.arguments}


#: The renderer of models that write each format.
PARSERS = {
    "deepseek-r1": "DeepSeekR1",
    "gemma-4": "Gemma4",
    "glm-4.5": "GLM45",
    "harmony": "GptOss",
    "hermes": "Qwen3",
    "hy3": "Hy3",
    "inkling": "Inkling",
    "kimi-k2": "KimiK2",
    "llama3-json": "Llama3",
    "minimax-m2": "MiniMaxM2",
    "qwen3-coder": "Qwen35",
}

if __name__ == "__main__":
    answer(PARSERS, reader, takes=("prompt",))
