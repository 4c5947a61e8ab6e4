# SPDX-License-Identifier: MIT
"""Formats whose calls are JSON objects, or arrays of them."""

from dataclasses import replace
from typing import Final

from .format import Format
from .known import KnownFormat, template
from .payloads import ArrayPayload, ObjectPayload

HERMES: Final = Format(
    name="hermes",
    call=("<tool_call>", "</tool_call>"),
    payload=ObjectPayload(partial=True),
    result=("<tool_response>", "</tool_response>"),
    gap="\n",
)

_COHERE: Final = Format(
    name="cohere",
    think=("<|START_THINKING|>", "<|END_THINKING|>"),
    call=("<|START_ACTION|>", "<|END_ACTION|>"),
    payload=ArrayPayload(name="tool_name", args="parameters"),
    ends=("<|END_OF_TURN_TOKEN|>",),
    ignored=("<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>"),
    gap="\n",
)

_JAMBA: Final = Format(name="jamba", call=("<tool_calls>", "</tool_calls>"), payload=ArrayPayload())

_NO_ID: Final = "The id of a call is ignored, and is not written."
_ONE_ARRAY: Final = "The results of a batch are one array between two markers"

FORMATS: Final = (
    KnownFormat(
        HERMES,
        models=(
            *("Qwen2.5", "Qwen3", "QwQ", "Hermes-2-Pro", "Hermes-2-Theta", "Hermes-3", "Hermes-4"),
            *("SmolLM3", "Granite-4.0", "Granite-4.1", "MiMo-VL", "Bielik-11B-v3.0", "Reka-Edge"),
            *("Trinity", "Falcon3", "EXAONE-4.0", "K-EXAONE", "Ring-2.5", "Arch-Function"),
        ),
        source=template("Qwen-Qwen3-0.6B"),
        aliases=(
            *("qwen", "qwen25", "qwen2.5", "qwen2d5", "qwen3", "qwen3_json"),
            *("granite-4", "granite4", "trinity"),
        ),
        limits=("The results of Bielik are messages of a user, and are not read.",),
    ),
    KnownFormat(
        Format(
            name="llama3-json",
            call=("<|python_tag|>", ""),
            payload=ObjectPayload(args="parameters"),
            result=("<|start_header_id|>ipython<|end_header_id|>", "<|eot_id|>"),
            bare=True,
        ),
        models=("Llama-3.1", "Llama-3.2", "Llama-3.3"),
        source=template("meta-llama-Llama-3.3-70B-Instruct"),
        aliases=("llama3", "llama3_json", "llama4_json"),
        limits=(
            "The calls of built-in tools, which are Python, are not read.",
            "A result is a string of JSON in the template, and is read with its quotes.",
        ),
        marks=('{"name": function name, "parameters":',),
    ),
    KnownFormat(
        Format(
            name="mistral-v3",
            call=("[TOOL_CALLS]", ""),
            payload=ArrayPayload(),
            result=("[TOOL_RESULTS]", "[/TOOL_RESULTS]"),
        ),
        models=(
            *("Mistral-Nemo-Instruct", "Mistral-7B-Instruct-v0.3", "Mixtral-8x22B-Instruct"),
            *("Mistral-Large-Instruct-2407", "Mistral-Small-3.1", "Devstral-Small-2505"),
        ),
        source=template("mistralai-Mistral-Nemo-Instruct-2407"),
        aliases=("mistral-nemo",),
        limits=(_NO_ID,),
        # The template writes an id of nine characters at the end of each call.
        sign=r', "id": "[0-9A-Za-z]{9}"\}(?:, \{|\])',
    ),
    KnownFormat(
        Format(name="xlam", call=("[TOOL_CALLS]", ""), payload=ArrayPayload(), bare=True),
        models=("xLAM-2",),
        source="https://github.com/vllm-project/vllm/blob/main/examples/tool_chat_template_xlam_llama.jinja",
        limits=(
            "An array in a code fence is prose.",
            "Results have the markers of the model that was trained further, and are not read.",
        ),
        marks=("make calls in a single JSON array",),
    ),
    KnownFormat(
        Format(
            name="xlam-1",
            call=("[TOOL_CALLS]", ""),
            payload=ArrayPayload(member="tool_calls"),
            ends=("<|EOT|>",),
            bare=True,
        ),
        models=(
            "xLAM-1b-fc-r",
            "xLAM-7b-fc-r",
            "xLAM-7b-r",
            "xLAM-8x7b-r",
            "xLAM-8x22b-r",
            "xLAM-v0.1-r",
        ),
        source="https://huggingface.co/Salesforce/xLAM-7b-fc-r",
        limits=(
            "An object in a code fence is prose, and so is one without calls, whole.",
            "Other members than `tool_calls`, such as `thought`, give no event.",
            "Grammars allow no `thought`.",
            "Results are texts in the prompt, and are not read.",
        ),
        marks=("make tool_calls an empty list",),
    ),
    KnownFormat(
        replace(
            HERMES,
            name="longcat",
            think=("<longcat_think>", "</longcat_think>"),
            call=("<longcat_tool_call>", "</longcat_tool_call>"),
            payload=ObjectPayload(),
            result=("", ""),
            ends=("</longcat_s>",),
        ),
        models=("LongCat-Flash-Chat", "LongCat-Flash-Thinking"),
        source="https://github.com/vllm-project/vllm/blob/main/vllm/tool_parsers/longcat_tool_parser.py",
    ),
    KnownFormat(
        replace(
            HERMES,
            name="ernie-4.5",
            payload=ObjectPayload(),
            result=("<tool_output>", "</tool_output>"),
            ignored=("<response>", "</response>"),
        ),
        models=("ERNIE-4.5",),
        source="https://github.com/vllm-project/vllm/blob/main/vllm/tool_parsers/ernie45_tool_parser.py",
        aliases=("ernie45",),
    ),
    KnownFormat(
        Format(
            name="gigachat-3",
            call=("<|message_sep|>\n\nfunction call<|role_sep|>\n", ""),
            payload=ObjectPayload(),
            ends=("<|message_sep|>",),
            result=("function result<|role_sep|>\n", "<|message_sep|>"),
        ),
        models=("GigaChat3",),
        source=template("GigaChat3-10B-A1.8B"),
        aliases=("gigachat3",),
        limits=("A turn has one call in the template.",),
        marks=("'role': 'function call'",),
    ),
    KnownFormat(
        Format(
            name="gigachat-3.1",
            call=("<|function_call|>", ""),
            payload=ObjectPayload(),
            ends=("<|message_sep|>",),
            result=("function result<|role_sep|>\n", "<|message_sep|>"),
        ),
        models=("GigaChat3.1",),
        source=template("GigaChat3.1-10B-A1.8B"),
        aliases=("gigachat3.1",),
        limits=("A turn has one call in the template.",),
    ),
    KnownFormat(
        replace(
            _JAMBA,
            name="apriel",
            think=("Here are my reasoning steps:", "[BEGIN FINAL RESPONSE]"),
            ends=("<|end|>",),
        ),
        models=("Apriel-1.5", "Apriel-1.6"),
        source=template("Apriel-1.6-15b-Thinker-fixed"),
        limits=("A result has an opener, <|begin_tool_result|>, and no closer.",),
    ),
    KnownFormat(
        replace(
            _JAMBA,
            name="nemotron",
            call=("<TOOLCALL>", "</TOOLCALL>"),
            ends=("<SPECIAL_12>",),
        ),
        models=(
            *(
                "Nemotron-Nano-v2",
                "Nemotron-Nano-9B-v2",
                "Nemotron-Nano-12B-v2",
                "Llama-3.1-Nemotron-Nano",
            ),
            "Llama-3.3-Nemotron-Super",
        ),
        source=template("NVIDIA-Nemotron-Nano-v2"),
        aliases=("nemotron-nano-v2", "nemotron_json"),
        limits=(f"{_ONE_ARRAY}, each as it is, so that it need not be JSON.",),
    ),
    KnownFormat(
        Format(
            name="apertus",
            think=("<|inner_prefix|>", "<|inner_suffix|>"),
            call=("<|tools_prefix|>", "<|tools_suffix|>"),
            payload=ArrayPayload(keyed=True),
            ends=("<|assistant_end|>",),
        ),
        models=("Apertus",),
        source=template("Apertus-8B-Instruct"),
        aliases=("apertus2509",),
        limits=("Results are an array of texts that has no markers, directly after the calls.",),
    ),
    KnownFormat(
        _COHERE,
        models=("Command-R7B", "c4ai-command-r7b", "Command-A", "c4ai-command-a", "Cohere2"),
        source=template("CohereForAI-c4ai-command-r7b-12-2024-tool_use"),
        aliases=("command-r7b", "command-a", "cohere2", "cohere_command3", "cohere_command4"),
        limits=(_NO_ID, f"{_ONE_ARRAY}, each with the number of its call."),
    ),
    KnownFormat(
        replace(
            _COHERE,
            name="command-r",
            think=("<think>", "</think>"),
            call=(("Action:\n```json", "Action: ```json"), "```"),
            ignored=(),
            result=("<results>", "</results>"),
        ),
        models=("c4ai-command-r-plus", "c4ai-command-r-v01", "c4ai-command-r-08-2024"),
        source=template("CohereForAI-c4ai-command-r-plus-tool_use"),
        aliases=("command-r-plus",),
    ),
    KnownFormat(
        Format(
            name="minimax-m1",
            section=("<tool_calls>", "</tool_calls>"),
            call=("", ""),
            payload=ObjectPayload(),
            ends=("<end_of_sentence>",),
            result=("<beginning_of_sentence>tool name=tools\ntool result:", "<end_of_sentence>"),
        ),
        models=("MiniMax-M1", "MiniMax-Text-01"),
        source=template("MiniMax-M1"),
        aliases=("minimax",),
    ),
    KnownFormat(
        _JAMBA,
        models=("AI21-Jamba", "Jamba"),
        source="https://github.com/vllm-project/vllm/blob/main/vllm/tool_parsers/jamba_tool_parser.py",
    ),
    KnownFormat(
        replace(_JAMBA, name="hunyuan-a13b", ignored=("<answer>", "</answer>")),
        models=("Hunyuan-A13B",),
        source="https://github.com/vllm-project/vllm/blob/main/vllm/tool_parsers/hunyuan_a13b_tool_parser.py",
        aliases=("hunyuan", "hunyuan_a13b"),
    ),
    KnownFormat(
        Format(
            name="granite-3",
            call=(("<|tool_call|>", "<tool_call>"), ""),
            payload=ArrayPayload(),
            ends=("<|end_of_text|>",),
            result=("<|start_of_role|>tool<|end_of_role|>", "<|end_of_text|>"),
        ),
        models=("Granite-3.0", "Granite-3.1", "Granite-3.2", "Granite-3.3"),
        source=template("ibm-granite-granite-3.3-2B-Instruct"),
        aliases=("granite",),
    ),
    KnownFormat(
        Format(
            name="granite-20b-fc",
            call=("<function_call>", ""),
            payload=ObjectPayload(),
            ends=("<|endoftext|>",),
            gap=" ",
        ),
        models=("Granite-20B-FunctionCalling",),
        source="https://github.com/vllm-project/vllm/blob/main/vllm/tool_parsers/granite_20b_fc_tool_parser.py",
    ),
    KnownFormat(
        Format(
            name="phi-4-mini",
            call=("functools", ""),
            payload=ArrayPayload(),
            ends=("<|end|>", "<|eot_id|>"),
        ),
        models=("Phi-4-mini", "firefunction", "Llama-3-firefunction"),
        source=template("fireworks-ai-llama-3-firefunction-v2"),
        aliases=("phi4_mini_json", "phi4", "firefunction", "firefunction-v2"),
        limits=(
            "Phi-4-mini and Firefunction mark results differently.",
            "Calls between `<|tool_call|>` and `<|/tool_call|>` are prose.",
        ),
    ),
    KnownFormat(
        Format(
            name="internlm",
            call=("<|action_start|><|plugin|>", "<|action_end|>"),
            payload=ObjectPayload(args="parameters"),
            ends=("<|im_end|>",),
            gap="\n",
        ),
        models=("InternLM2", "InternLM2.5", "InternLM3", "Intern-S1"),
        source="https://github.com/vllm-project/vllm/blob/main/vllm/tool_parsers/internlm2_tool_parser.py",
        aliases=("internlm2", "intern-s1", "interns1"),
        limits=("The calls of the interpreter, which are Python, are not read.",),
    ),
)
