# SPDX-License-Identifier: MIT
"""Formats whose calls are literals that are not JSON, or whose payload is one text."""

from typing import Final

from .format import Format
from .known import KnownFormat, template
from .payloads import LiteralsPayload, TextPayload

_LLAMA_MODELS: Final = "https://github.com/meta-llama/llama-models/blob/main/models/llama4/"

FORMATS: Final = (
    KnownFormat(
        Format(
            name="gemma-4",
            think=("<|channel>thought", "<channel|>"),
            call=("<|tool_call>", "<tool_call|>"),
            payload=LiteralsPayload(style="gemma"),
            ends=("<turn|>", "<|tool_response>"),
        ),
        models=("Gemma-4",),
        source=template("google-gemma-4-31B-it"),
        aliases=("gemma4",),
        limits=("A result is a literal with the name of the tool before it.",),
    ),
    KnownFormat(
        Format(
            name="functiongemma",
            call=("<start_function_call>", "<end_function_call>"),
            payload=LiteralsPayload(style="gemma", quote="<escape>"),
            ends=("<end_of_turn>", "<start_function_response>"),
        ),
        models=("FunctionGemma",),
        source="https://github.com/vllm-project/vllm/blob/main/vllm/tool_parsers/functiongemma_tool_parser.py",
    ),
    KnownFormat(
        Format(
            name="lfm2",
            call=("<|tool_call_start|>", "<|tool_call_end|>"),
            payload=LiteralsPayload(style="python", quote="'"),
            ends=("<|im_end|>",),
            result=("<|im_start|>tool\n", "<|im_end|>"),
        ),
        models=("LFM2", "LFM2.5"),
        source=template("LFM2.5-8B-A1B"),
        limits=(
            "The template escapes nothing: texts with an apostrophe or a backslash are misread.",
            "The template writes an object in JSON, and in an array as Python does.",
            "Objects are read in both notations, and written, by grammars too, as Python does.",
        ),
    ),
    KnownFormat(
        Format(
            name="minicpm3",
            think=("<|thought_start|>", "<|thought_end|>"),
            call=("<|tool_call_start|>\n```python", "```\n<|tool_call_end|>"),
            payload=LiteralsPayload(style="python", lines=True),
            ends=("<|im_end|>",),
            result=("<|im_start|>tool\n", "<|im_end|>"),
            gap="\n",
        ),
        models=("MiniCPM3",),
        source="https://github.com/vllm-project/vllm/blob/85fce11e1ec339450c11dd8a41b0edd962940747/examples/tool_chat_template_minicpm3.jinja",
        limits=("Calls without the code fence between their markers are prose.",),
        marks=("<|tool_call_start|>", "<|thought_start|>", "```python"),
    ),
    KnownFormat(
        Format(
            name="llama4-pythonic",
            call=("<|python_start|>", "<|python_end|>"),
            payload=LiteralsPayload(style="python"),
            ends=("<|eom|>", "<|eot|>"),
            bare=True,
        ),
        models=("Llama-4", "ToolACE"),
        source=f"{_LLAMA_MODELS}prompt_format.md",
        aliases=("llama4_pythonic", "llama4", "pythonic"),
    ),
    KnownFormat(
        Format(
            name="olmo-3",
            call=("<function_calls>", "</function_calls>"),
            payload=LiteralsPayload(style="python", lines=True),
            ends=("<|im_end|>",),
        ),
        models=("Olmo-3", "OLMo-3"),
        source="https://github.com/vllm-project/vllm/blob/main/vllm/tool_parsers/olmo3_tool_parser.py",
        aliases=("olmo3",),
    ),
    KnownFormat(
        Format(
            name="smolagents",
            call=("<code>", "</code>"),
            payload=TextPayload(tool="python_interpreter", arg="code", margin="\n"),
        ),
        models=("smolagents",),
        source="https://github.com/huggingface/smolagents/blob/main/src/smolagents/prompts/code_agent.yaml",
        limits=("The tools are functions that the code calls, and all of it is one argument.",),
    ),
    KnownFormat(
        Format(
            name="mini-swe-agent",
            call=(("```mswea_bash_command\n", "```bash\n"), "```"),
            payload=TextPayload(tool="bash", arg="command", margin="\n"),
        ),
        models=("mini-swe-agent",),
        source="https://github.com/SWE-agent/mini-swe-agent/blob/main/src/minisweagent/config/default.yaml",
        limits=(
            "Each fenced command is a call, and not only the one of a turn with one.",
            "A command ends at its first line that begins with a fence: the part before it runs.",
        ),
    ),
)
