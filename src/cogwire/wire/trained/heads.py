# SPDX-License-Identifier: MIT
"""Formats whose calls are the name of a tool in a head, and a JSON object with its arguments."""

from typing import Final

from .format import Format
from .known import KnownFormat, template
from .payloads import ArgumentsPayload

_PLAMO_HEAD: Final = (
    "<|plamo:begin_tool_name:plamo|>{name}<|plamo:end_tool_name:plamo|>"
    "<|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>"
)

FORMATS: Final = (
    KnownFormat(
        Format(
            name="mistral",
            think=("[THINK]", "[/THINK]"),
            call=("[TOOL_CALLS]", ""),
            payload=ArgumentsPayload(("{name}[ARGS]", "{name}[CALL_ID]{id}[ARGS]")),
            result=("[TOOL_RESULTS]", "[/TOOL_RESULTS]"),
        ),
        models=(
            *("Mistral-Small-3.2", "Mistral-Small-4", "Mistral-Medium"),
            *("Mistral-Large-3", "Magistral", "Ministral-3", "Devstral"),
        ),
        source=template("mistralai-Ministral-3-14B-Reasoning-2512"),
        aliases=("mistral-v11",),
        limits=("The id of a call is ignored, and is not written.",),
    ),
    KnownFormat(
        Format(
            name="deepseek-v3.1",
            section=("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
            call=("<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>"),
            payload=ArgumentsPayload(("{name}<｜tool▁sep｜>",)),
            result=("<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"),
            ends=("<｜end▁of▁sentence｜>",),
        ),
        models=("DeepSeek-V3.1", "DeepSeek-V3.2-Exp"),
        source=template("deepseek-ai-DeepSeek-V3.1"),
        aliases=("deepseek_v31", "deepseekv31"),
    ),
    KnownFormat(
        Format(
            name="deepseek-r1",
            section=("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
            call=("<｜tool▁call▁begin｜>", "```<｜tool▁call▁end｜>"),
            payload=ArgumentsPayload(("function<｜tool▁sep｜>{name}\n```json\n",)),
            ends=("<｜end▁of▁sentence｜>",),
            result=("<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"),
        ),
        models=("DeepSeek-R1", "DeepSeek-V3"),
        source=template("deepseek-ai-DeepSeek-R1-Distill-Qwen-32B"),
        aliases=("deepseek-v3", "deepseek_v3", "deepseekv3"),
        limits=(
            "The template writes the prose of a message with calls after them, in another one.",
        ),
        marks=(
            *("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
            *("<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>"),
            *("<｜tool▁sep｜>", "```json"),
        ),
    ),
    KnownFormat(
        Format(
            name="kimi-k2",
            section=("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
            call=("<|tool_call_begin|>", "<|tool_call_end|>"),
            payload=ArgumentsPayload(
                (
                    "functions.{name}:{id}<|tool_call_argument_begin|>",
                    "functions.{name}:{id} <|tool_call_argument_begin|>",
                )
            ),
            ends=("<|im_end|>",),
        ),
        models=("Kimi-K2", "Kimi-K2.5", "Kimi-K2.6", "Kimi-K2.7", "Kimi-Linear"),
        source=template("Kimi-K2-Thinking"),
        aliases=("kimi_k2", "kimik2"),
        limits=(
            "An id that is not the name of the tool and a number is not read.",
            "The text of a result begins with the id of its call.",
        ),
    ),
    KnownFormat(
        Format(
            name="functionary-v3.1",
            call=("<function=", "</function>"),
            payload=ArgumentsPayload(("{name}>",)),
            ends=("<|eom_id|>", "<|eot_id|>"),
            result=("<|start_header_id|>ipython<|end_header_id|>\n\n", "<|eot_id|>"),
        ),
        models=("Functionary-small-v3.1", "Functionary-medium-v3.1"),
        source=template("meetkai-functionary-medium-v3.1"),
        limits=("The code of the interpreter, after <|python_tag|>, is not read.",),
    ),
    KnownFormat(
        Format(
            name="solar-open",
            think=("<|think|>", "<|end|>"),
            section=("<|tool_calls|>", "<|calls|>"),
            call=("<|tool_call:begin|>", "<|tool_call:end|>"),
            payload=ArgumentsPayload(("{id}<|tool_call:name|>{name}<|tool_call:args|>",)),
            ends=("<|flush|>",),
            ignored=("<|begin|>assistant", "<|content|>", "<|end|>"),
        ),
        models=("Solar-Open",),
        source=template("upstage-Solar-Open-100B"),
        aliases=("solar_open",),
        limits=(
            "`<|calls|>`, with which the model stops, is the closer of the section alone.",
            "The id of a call is ignored.",
            "A result has the id of its call and the name of the tool between its markers.",
        ),
    ),
    KnownFormat(
        Format(
            name="plamo-3",
            think=("<|plamo:begin_think:plamo|>", "<|plamo:end_think:plamo|>"),
            section=("<|plamo:begin_tool_requests:plamo|>", "<|plamo:end_tool_requests:plamo|>"),
            call=(
                "<|plamo:begin_tool_request:plamo|>",
                "<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>",
            ),
            payload=ArgumentsPayload(
                (_PLAMO_HEAD,),
            ),
            ends=("<|plamo:tag|>",),
        ),
        models=("PLaMo-3",),
        source="https://github.com/vllm-project/vllm/blob/main/vllm/parser/plamo3.py",
        aliases=("plamo3",),
    ),
)
