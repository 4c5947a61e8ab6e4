# SPDX-License-Identifier: MIT
"""Formats in which each part of a turn has a header that says what it is."""

from typing import Final

from ..frames.header_markers import Header
from .format import Format
from .known import KnownFormat, template
from .payloads import ArgumentsPayload, ArrayPayload, ObjectPayload, TagsPayload

#: How a call begins.
_HARMONY_HEAD: Final = (
    "<|start|>assistant<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>"
)

FORMATS: Final = (
    KnownFormat(
        Format(
            name="harmony",
            header=Header(
                open=("<|start|>", "<|channel|>", "<|constrain|>"),
                close="<|message|>",
                think=("analysis",),
                prose=("to=assistant", "to=user"),
                call=("to=functions.", "to="),
            ),
            think=("<|start|>assistant<|channel|>analysis<|message|>", "<|end|>"),
            call=("", ("<|call|>", "<|end|>", "<|return|>")),
            payload=ArgumentsPayload((_HARMONY_HEAD,)),
            ends=("<|call|>", "<|return|>"),
            ignored=("<|end|>",),
        ),
        models=("gpt-oss",),
        source=template("openai-gpt-oss-120b"),
        aliases=("gpt-oss", "openai"),
        limits=(
            "The namespace of a function and the type of its arguments are ignored.",
            "A result is a message whose header begins with the name of the tool.",
            "The template writes one call of a message, and the prose before it as a thought.",
        ),
        marks=("<|start|>assistant", "<|channel|>commentary", "<|message|>", "<|call|>"),
    ),
    KnownFormat(
        Format(
            name="beam",
            header=Header(
                open=("<|start|>", "<|channel|>", "<|constrain|>"),
                close="<|message|>",
                think=("analysis",),
                call=("to=",),
            ),
            think=("<|start|>assistant<|channel|>analysis<|message|>", "<|end|>"),
            call=("", ("<|call|>", "<|end|>")),
            payload=TagsPayload(
                ("<|start|>assistant to=", "<|channel|>analysis <|constrain|>xml<|message|>"),
                ('<rfl:parameter name="', '">'),
                ("", "</rfl:parameter>"),
                margin="\n",
            ),
            ends=("<|call|>", "<|return|>"),
            ignored=("<|end|>",),
        ),
        models=("Beam",),
        source="https://github.com/sgl-project/sglang/blob/v0.5.23/python/sglang/srt/parser/beam.py",
        limits=(
            "A value that lacks its closer lasts to the next one.",
            "Calls and arguments are written on lines of their own.",
        ),
        marks=("<rfl:parameter", "<|start|>assistant", "<|message|>", "<|call|>"),
    ),
    KnownFormat(
        Format(
            name="muse",
            header=Header(open=("<|start|>",), close="<|message|>", think=("to=self",)),
            think=("<|start|>assistant to=self<|message|>", "<|eom|>"),
            section=("<atem:function_calls>", "</atem:function_calls>"),
            call=('<atem:invoke name="', "</atem:invoke>"),
            payload=TagsPayload(
                ("", '">'),
                ('<atem:parameter name="', '">'),
                ("", "</atem:parameter>"),
            ),
            ends=("<|eot|>",),
            ignored=("<|eom|>",),
        ),
        models=("Muse-Glimmer",),
        source=template("muse-glimmer"),
        aliases=("muse_glimmer", "musespark1x"),
        limits=(
            "Calls are written without the header that has the name of the tool too.",
            "A result has the name of the tool in its header and in its opener.",
        ),
    ),
    KnownFormat(
        Format(
            name="functionary-v3.2",
            header=Header(open=(">>>",), close="\n", prose=("all",), call=""),
            call=("", ""),
            payload=ArgumentsPayload((">>>{name}\n",)),
            ends=("<|eot_id|>",),
            result=("<|start_header_id|>tool<|end_header_id|>", "<|eot_id|>"),
        ),
        models=("Functionary-small-v3.2", "Functionary-medium-v3.2"),
        source=template("meetkai-functionary-medium-v3.2"),
        limits=("The code of the interpreter, after >>>python, is not read.",),
        marks=(">>>all", ">>>", "<|eot_id|>"),
    ),
    KnownFormat(
        Format(
            name="hyperclovax",
            header=Header(open=("<|im_start|>assistant",), close="\n", think=("/think",)),
            think=("<|im_start|>assistant/think\n", "<|im_end|>"),
            call=(
                ("<|im_start|>assistant -> tool/function_call", "-> tool/function_call"),
                "<|im_end|>",
            ),
            payload=ArrayPayload(),
            ends=("<|stop|>", "<|endofturn|>"),
            ignored=("<|im_end|>",),
            result=("<|im_start|>tool/function_call", "<|im_end|>"),
            gap="\n",
        ),
        models=("HyperCLOVAX-SEED-Think",),
        source="https://github.com/vllm-project/vllm/blob/9a525916e3dfc19c9b00febc373d0d0a556614f6/examples/tool_chat_template_hyperclovax_seed_think_14b.jinja",
        limits=(
            "The words that announce calls do so in prose as well.",
            "Calls are written with a line feed before their closer too.",
        ),
        marks=("<|im_start|>assistant -> tool/function_call", "<|im_start|>assistant/think"),
    ),
    KnownFormat(
        Format(
            name="inkling",
            header=Header(open=("<|message_model|>",), close="<|content_text|>"),
            think=(
                ("<|message_model|><|content_thinking|>", "<|content_thinking|>"),
                "<|end_message|>",
            ),
            call=(
                (
                    "<|message_model|><|content_invoke_tool_json|>",
                    "<|content_invoke_tool_json|>",
                ),
                "<|end_message|>",
            ),
            payload=ObjectPayload(args="args"),
            ends=("<|content_model_end_sampling|>",),
            ignored=("<|end_message|>",),
        ),
        models=("Inkling",),
        source="https://github.com/vllm-project/vllm/blob/main/vllm/parser/inkling.py",
        limits=("Calls are written without the name of the tool before their marker.",),
    ),
)
