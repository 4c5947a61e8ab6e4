"""Readers of `response_template` in vLLM and SGLang, called as their servers call them.

The adapter of the corpus calls the reader that both copied from transformers.  Their servers have
parsers around it, which make messages of its events, and in SGLang two, one after the other.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from cogwire_kit.templates.response import written


def of_package(package: str) -> Callable[[str], Callable[[list[Any]], Any]]:
    """Return what makes the readers of a package, given a format."""
    return {"vllm": _of_vllm, "sglang": _of_sglang}[package]


def _of_vllm(name: str) -> Callable[[list[Any]], Any]:
    adapter = import_module("vllm_parsers")
    served = import_module("vllm.parser.response_template").ResponseTemplateParser
    template = written(name, for_server=True)

    def parser(vocabulary: Any, tools: list[Any], **_: Any) -> Any:
        vocabulary.decode = lambda _ids, **_: template["start_anchor"]
        made = served(vocabulary, tools, response_template=template, enable_auto_tools=True)
        made.set_prompt_token_ids([adapter.TEXT])
        return made

    return lambda tools: adapter.Engine(parser, [], tools)


def _of_sglang(name: str) -> Callable[[list[Any]], Any]:
    adapter = import_module("sglang_detectors")
    served = import_module("sglang.srt.parser.response_template")
    template = written(name, for_server=True)
    options = {"response_template": template, "prefix": template["start_anchor"]}
    return lambda tools: adapter.Detectors(
        lambda: served.ResponseTemplateReasoningDetector(**options),
        lambda: served.ResponseTemplateToolDetector(**options),
        tools,
    )
