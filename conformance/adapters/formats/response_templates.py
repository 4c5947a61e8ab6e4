"""Readers of `response_template`: that of transformers, and its copies in vLLM and SGLang.

They read each format by the template that `cogwire format to response-template` writes for it, for
a prompt that ends where the model's turn begins.  The argument is the package.
"""

import logging
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from bare import leave_out
from lines import Item, Reader, Translated, answer

from cogwire import formats
from cogwire_kit.templates.response import written

#: The module of each reader.
MODULES = {
    "sglang": "sglang.srt.parser.chat_parsing",
    "transformers": "transformers.utils.chat_parsing",
    "vllm": "vllm.parser.chat_parsing",
}
MEMBERS = {"thinking": "reasoning", "content": "content"}


class Template(Translated):
    """A reader of one turn; calls are given when their region has ended."""

    def __init__(
        self, parser: Callable[..., Any], template: dict[str, Any], tools: list[Any]
    ) -> None:
        functions = [{"type": "function", "function": tool} for tool in tools]
        self._parser = parser(template, prefix=template["start_anchor"], tools=functions)
        self.parse = self._parser.feed

    def whole(self, text: str) -> None:
        """Return None: a whole text is fed and finished like any other."""

    @staticmethod
    def items(answer: list[dict[str, Any]]) -> Iterator[Item]:
        """Translate events."""
        for event in answer:
            if event["type"] == "region_chunk" and event["field"] in MEMBERS:
                yield {MEMBERS[event["field"]]: event["text"]}
            elif event["type"] == "region_close" and event["field"] == "tool_calls":
                value = event["value"]
                for one in value if isinstance(value, list) else [value]:
                    yield {"call": one["function"]["name"]}
                    yield {"arguments": one["function"]["arguments"]}

    def close(self) -> Iterator[Item]:
        """End the turn."""
        return self.items(self._parser.finalize()[1])


def of_package(package: str) -> Callable[[str], Callable[[list[Any]], Reader]]:
    """Return what makes the readers of a package, given a format."""
    outside = (
        "torch",
        "numpy",
        "huggingface_hub",
        "tqdm",
        "transformers.utils.chat_template_utils",
    )
    leave_out(package, inside=(MODULES[package],), outside=outside)
    logging.disable(logging.CRITICAL)
    parser = import_module(MODULES[package]).ResponseParser

    def of_format(name: str) -> Callable[[list[Any]], Reader]:
        template = written(name)
        return lambda tools: Template(parser, template, tools)

    return of_format


if __name__ == "__main__":
    of_format = of_package(sys.argv[1])
    answer({each.name: each.name for each in formats()}, lambda name, _: of_format(name))
