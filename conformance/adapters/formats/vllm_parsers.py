"""vLLM's parsers, called as its server calls them for each delta.

Reasoning is left out (`--without reasoning`): tool parsers are used alone, and a parser of the
engine is set up for a prompt that has ended the reasoning.  Parsers that count tokens get the ids
of the markers and one id for each text between them; those of the engine find markers in the text
as well, and get no ids.
"""

import logging
import re
import sys
from collections.abc import Callable, Iterator
from enum import Enum
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from bare import leave_out
from lines import Item, Reader, Translated, answer, call, tokens_of

leave_out(
    "vllm",
    inside=("vllm.utils", "vllm.logging_utils", "vllm.tool_parsers", "vllm.parser.chat_parsing"),
    outside=(
        *("torch", "transformers", "xgrammar", "numpy", "openai_harmony", "mistral_common"),
        *("vllm.sampling_params", "vllm.v1", "vllm.tokenizers", "vllm.parser.metrics"),
        "vllm.entrypoints.mcp",
    ),
)
# Names that the parsers use from modules that are left out.
identities = import_module("vllm.renderers.chat_utils.tool_call")
vars(import_module("vllm.renderers.chat_utils")).update(vars(identities))
special = {"tool_calls": "[TOOL_CALLS]", "args": "[ARGS]"}
special |= {"begin_think": "[THINK]", "end_think": "[/THINK]"}
base = import_module("mistral_common.tokens.tokenizers.base")
vars(base)["SpecialTokens"] = Enum("SpecialTokens", special)
protocol = import_module("vllm.entrypoints.openai.chat_completion.protocol")
metrics = import_module("vllm.parser.metrics")
vars(metrics)["record_tool_parser_invocation"] = lambda **_: None
# A warning that comes once asks for the rank of its process.
vars(import_module("vllm.logger"))["_should_log_with_scope"] = lambda _: False
abstract = import_module("vllm.parser.abstract_parser")
manager = import_module("vllm.tool_parsers").ToolParserManager
logging.disable(logging.CRITICAL)

#: The id of any text that is not a marker.
TEXT = 0


class Vocabulary:
    """The part of a tokenizer that the parsers need: the markers that are tokens."""

    all_special_tokens = ()
    all_special_ids = ()
    #: What the tokenizer of Hy3 has to say about its markers.
    init_kwargs = {"token_suffix": ":opensource"}  # noqa: RUF012

    def __init__(self, tokens: list[str]) -> None:
        self._ids = {token: number for number, token in enumerate(tokens, TEXT + 1)}
        self._pattern = re.compile("|".join(map(re.escape, tokens)) or "(?!)")

    def get_vocab(self) -> dict[str, int]:
        """Return the tokens with their ids."""
        return self._ids

    def encode(self, text: str, **_: Any) -> list[int]:
        """Return the ids of the tokens in a text, and one for each text between them."""
        ids, at = [], 0
        for found in self._pattern.finditer(text):
            ids += [TEXT] * (found.start() > at) + [self._ids[found[0]]]
            at = found.end()
        return ids + [TEXT] * (len(text) > at)


def _request(tools: list[Any]) -> Any:
    """Return the part of a request that the parsers read."""
    functions = [protocol.ChatCompletionToolsParam(function=tool) for tool in tools]
    return SimpleNamespace(
        include_reasoning=True,
        tool_choice="auto",
        tools=functions,
        messages=[],
        chat_template_kwargs=None,
    )


class Served(Translated):
    """A parser that answers each chunk, and the end, with a delta for the client."""

    @staticmethod
    def items(answer: Any) -> Iterator[Item]:
        """Translate a delta."""
        if answer is None:
            return
        if getattr(answer, "reasoning", None):
            yield {"reasoning": answer.reasoning}
        if answer.content:
            yield {"content": answer.content}
        for part in answer.tool_calls or ():
            index = getattr(part, "index", None)
            yield from call(part.function.name, part.function.arguments, index)

    def parse(self, given: Any, *, finished: bool = False) -> Any:
        """Read a chunk."""
        raise NotImplementedError

    def close(self) -> Iterator[Item]:
        """End the stream, with an empty chunk."""
        return self.items(self.parse(self.given(""), finished=True))


class ToolParser(Served):
    """A tool parser, wrapped as the server wraps it."""

    def __init__(self, parser: Callable[..., Any], tokens: list[str], tools: list[Any]) -> None:
        framed = type("Framed", (abstract.DelegatingParser,), {"tool_parser_cls": parser})
        self._request = _request(tools)
        self._vocabulary = Vocabulary(tokens)
        self._parser = framed(self._vocabulary, self._request.tools)
        self._counts = not self._parser.tool_parser.engine_based_streaming

    def whole(self, text: str) -> Iterator[Item]:
        """Read a whole text."""
        return self.items(self._parser.tool_parser.extract_tool_calls(text, self._request))

    def given(self, chunk: str) -> tuple[str, list[int]]:
        """Return a chunk and the ids of its tokens, if the parser counts them."""
        return chunk, self._vocabulary.encode(chunk) if self._counts else []

    def parse(self, given: tuple[str, list[int]], *, finished: bool = False) -> Any:
        """Read a chunk; the prompt has ended the reasoning."""
        chunk, ids = given
        return self._parser.parse_delta(chunk, ids, self._request, [], finished=finished)


class Engine(Served):
    """A parser of the engine, for a prompt that has not begun the reasoning."""

    def __init__(self, parser: Callable[..., Any], tokens: list[str], tools: list[Any]) -> None:
        self._request = _request(tools)
        options = {"chat_template_kwargs": {"enable_thinking": False}}
        self._parser = parser(Vocabulary(tokens), self._request.tools, **options)

    def whole(self, text: str) -> None:
        """Return None: a whole text is fed and finished like any other."""

    def parse(self, given: str, *, finished: bool = False) -> Any:
        """Read a chunk."""
        return self._parser.parse_delta(given, [], self._request, finished=finished)


def reader(name: str, parser: str) -> Callable[[list[Any]], Reader]:
    """Return what makes a reader of a format for some tools."""
    kind: Callable[..., Reader]
    if parser in ENGINES:
        module, found = ENGINES[parser]
        kind, made = Engine, getattr(import_module(f"vllm.parser.{module}"), found)
    else:
        kind, made = ToolParser, manager.get_tool_parser(parser)
    tokens = tokens_of(name) or ["<think>", "</think>", "<tool_call>", "</tool_call>"]
    return lambda tools: kind(made, tokens, tools)


#: Parsers of the engine that are used without the class that its server puts around a tool parser.
ENGINES = {
    "glm47": ("glm47_moe", "Glm47MoeParser"),
    "kimi_k2": ("kimi_k2", "KimiK2Parser"),
    "qwen3_coder": ("qwen3", "Qwen3Parser"),
}
#: The name that `--tool-call-parser` has for the parser of each format.
PARSERS = {
    "apertus": "apertus",
    "deepseek-v3.1": "deepseek_v31",
    "deepseek-v4.1": "deepseek_v41",
    "dots": "dots",
    "dsml": "deepseek_v4",
    "ernie-4.5": "ernie45",
    "functiongemma": "functiongemma",
    "gemma-4": "gemma4",
    "gigachat-3": "gigachat3",
    "gigachat-3.1": "gigachat3",
    "glm-4.5": "glm47",
    "granite-20b-fc": "granite-20b-fc",
    "granite-3": "granite",
    "hermes": "hermes",
    "hunyuan-a13b": "hunyuan_a13b",
    "hy3": "hy_v3",
    "hy4": "hy_v4",
    "inkling": "inkling",
    "internlm": "internlm",
    "jamba": "jamba",
    "k2-horizon": "k2_horizon",
    "kimi-k2": "kimi_k2",
    "kimi-k3": "kimi_k3",
    "lfm2": "lfm2",
    "llama3-json": "llama3_json",
    "llama4-pythonic": "llama4_pythonic",
    "longcat": "longcat",
    "minicpm5": "minicpm5",
    "minimax-m2": "minimax_m2",
    "minimax-m3": "minimax_m3",
    "mistral": "mistral",
    "mistral-v3": "mistral",
    "olmo-3": "olmo3",
    "phi-4-mini": "phi4_mini_json",
    "plamo-3": "plamo3",
    "qwen3-coder": "qwen3_coder",
    "seed-oss": "seed_oss",
    "step3": "step3",
    "xlam": "xlam",
}

if __name__ == "__main__":
    if sys.argv[1] == "cogwire":
        manager.import_tool_parser("cogwire_kit.bridges.vllm")
        names = {each.name for each in import_module("cogwire").formats()}
        answer({name: f"cogwire-{name}" for name in names}, reader)
    answer(PARSERS, reader)
