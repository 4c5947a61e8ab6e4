# SPDX-License-Identifier: MIT
"""Formats whose calls are names and values in tags; a tool set converts the values by schema."""

from dataclasses import replace
from typing import Final

from ..blocks.tagged import ValueType
from .format import Format
from .known import KnownFormat, template
from .objects import HERMES
from .payloads import TagsPayload

_QWEN: Final = TagsPayload(
    tool=("<function=", ">"),
    key=("<parameter=", ">"),
    value=("", "</parameter>"),
    end="</function>",
    margin="\n",
    # The template writes arrays and objects as JSON, and these words as Python does.
    words=(("True", "true"), ("False", "false"), ("None", "null")),
)

_GLM: Final = replace(
    HERMES,
    name="glm-4.5",
    payload=TagsPayload(
        tool=("", ""),
        key=("<arg_key>", "</arg_key>"),
        value=("<arg_value>", "</arg_value>"),
    ),
)

#: What the parsers of later formats of this kind show of them.
_GLM_BARE: Final = replace(_GLM, result=("", ""), ends=(), gap="")

_MINIMAX: Final = Format(
    name="minimax-m2",
    section=("<minimax:tool_call>", "</minimax:tool_call>"),
    call=('<invoke name="', "</invoke>"),
    payload=TagsPayload(
        tool=("", '">'),
        key=('<parameter name="', '">'),
        value=("", "</parameter>"),
    ),
    result=("<response>", "</response>"),
    ends=("[e~[",),
)

#: What is before each tag of MiniMax-M3.
_MINIMAX_MARK: Final = "]<]minimax[>["

#: How tags with attributes say whether a value is text.
_STRING: Final[tuple[tuple[str, ValueType], ...]] = (
    ('" string="true">', "text"),
    ('" string="false">', "json"),
)

_DSML: Final = Format(
    name="dsml",
    section=(
        ("<｜DSML｜tool_calls>", "<｜DSML｜function_calls>"),
        ("</｜DSML｜tool_calls>", "</｜DSML｜function_calls>"),
    ),
    call=('<｜DSML｜invoke name="', "</｜DSML｜invoke>"),
    payload=TagsPayload(
        tool=("", '">'),
        key=('<｜DSML｜parameter name="', ""),
        value=("", "</｜DSML｜parameter>"),
        types=_STRING,
    ),
    result=("<tool_result>", "</tool_result>"),
    ends=("<｜end▁of▁sentence｜>",),
)

FORMATS: Final = (
    KnownFormat(
        replace(HERMES, name="qwen3-coder", payload=_QWEN),
        models=(
            *("Qwen3-Coder", "Qwen3.5", "Qwen3.6", "Qwen3.7", "Qwen3.8", "Nemotron-3"),
            *("Step-3.5", "Step3.5", "MiMo-V2", "INTELLECT-3"),
        ),
        source=template("Qwen3-Coder"),
        aliases=(
            *("qwen3_coder", "qwen3coder", "qwen3_xml", "step3p5", "step5", "mimo", "nanbeige"),
            "interns2-preview",
        ),
        limits=("Of the values of MiMo-V2 a line feed at the beginning or the end is lost.",),
    ),
    KnownFormat(
        _GLM,
        models=(
            *("GLM-4.5", "GLM-4.6", "GLM-4.7", "GLM-5", "Ling-3.0", "Ring-2.6", "Spark2.5"),
            "Laguna",
        ),
        source=template("GLM-4.6"),
        aliases=(
            "glm",
            "glm45",
            "glm47",
            "glm-4.6",
            "glm-4.7",
            "glm-5",
            "ling3",
            "poolside_v1",
            "spark25",
        ),
    ),
    KnownFormat(
        replace(
            HERMES,
            name="seed-oss",
            think=("<seed:think>", "</seed:think>"),
            call=("<seed:tool_call>", "</seed:tool_call>"),
            payload=replace(_QWEN, margin="", words=(), literals="python"),
            result=("<seed:bos>tool", "<seed:eos>"),
            ends=("<seed:eos>",),
        ),
        models=("Seed-OSS",),
        source=template("ByteDance-Seed-OSS"),
        aliases=("seed_oss",),
    ),
    KnownFormat(
        Format(
            name="openhands",
            call=("<function=", "</function>"),
            payload=replace(_QWEN, tool=("", ">"), end=""),
        ),
        models=("openhands-lm",),
        source="https://github.com/All-Hands-AI/OpenHands/blob/main/openhands/llm/fn_call_converter.py",
    ),
    KnownFormat(
        _MINIMAX,
        models=("MiniMax-M2", "MiniMax-M2.1", "MiniMax-M2.5", "MiniMax-M2.7"),
        source=template("MiniMax-M2"),
        aliases=("minimax_m2",),
    ),
    KnownFormat(
        Format(
            name="minimax-m3",
            think=("<mm:think>", "</mm:think>"),
            section=(f"{_MINIMAX_MARK}<tool_call>", f"{_MINIMAX_MARK}</tool_call>"),
            call=(f'{_MINIMAX_MARK}<invoke name="', f"{_MINIMAX_MARK}</invoke>"),
            payload=TagsPayload(
                tool=("", '">'),
                key=(f"{_MINIMAX_MARK}<", ">"),
                value=("", f"{_MINIMAX_MARK}</{{key}}>"),
                item="item",
            ),
            result=("<response>", "</response>"),
            ends=("[e~[",),
            # It is in place of a think that a model leaves out.
            ignored=("</mm:think>",),
        ),
        models=("MiniMax-M3",),
        source=template("MiniMax-M3"),
        aliases=("minimax_m3",),
        limits=(
            "Arrays and objects are written as JSON, which is read back, and not in tags.",
            "The template leaves out null, and values in objects without a schema are texts.",
        ),
        marks=(_MINIMAX_MARK, "<tool_call>", '<invoke name="'),
    ),
    KnownFormat(
        replace(
            _MINIMAX,
            name="dots",
            section=("<dots_function_call>", "</dots_function_call>"),
            result=("", ""),
            ends=(),
        ),
        models=("dots3",),
        source="https://github.com/vllm-project/vllm/blob/main/vllm/tool_parsers/dots_tool_parser.py",
    ),
    KnownFormat(
        Format(
            name="step3",
            section=("<｜tool_calls_begin｜>", "<｜tool_calls_end｜>"),
            call=("<｜tool_call_begin｜>", "<｜tool_call_end｜>"),
            payload=TagsPayload(
                tool=('function<｜tool_sep｜><steptml:invoke name="', '">'),
                key=('<steptml:parameter name="', '">'),
                value=("", "</steptml:parameter>"),
                end="</steptml:invoke>",
            ),
        ),
        models=("Step3",),
        source="https://github.com/vllm-project/vllm/blob/main/vllm/tool_parsers/step3_tool_parser.py",
        aliases=("step-3",),
    ),
    KnownFormat(
        Format(
            name="hy3",
            think=("<think:opensource>", "</think:opensource>"),
            section=("<tool_calls:opensource>", "</tool_calls:opensource>"),
            call=("<tool_call:opensource>", "</tool_call:opensource>"),
            payload=TagsPayload(
                tool=("", "<tool_sep:opensource>"),
                key=("<arg_key:opensource>", "</arg_key:opensource>"),
                value=("<arg_value:opensource>", "</arg_value:opensource>"),
            ),
            result=("<tool_response:opensource>", "</tool_response:opensource>"),
            ends=("<｜hy_eos:opensource｜>",),
        ),
        models=("Hy3",),
        source=template("tencent-Hy3"),
        aliases=("hy_v3",),
        marks=("<tool_call{}>", "<tool_sep{}>", "<arg_key{}>"),
    ),
    KnownFormat(
        replace(
            _GLM_BARE,
            name="hy4",
            section=("<tool_calls>", "</tool_calls>"),
        ),
        models=("Hy4", "HYV4"),
        source="https://github.com/vllm-project/vllm/blob/main/vllm/tool_parsers/hy_v4_tool_parser.py",
        aliases=("hy_v4",),
        limits=(
            (
                "Markers of models that add a suffix to each are not read: a description can have "
                "them."
            ),
        ),
    ),
    KnownFormat(
        replace(
            _GLM_BARE,
            name="iquest-q1",
            call=("<iquest_tool_call>", "</iquest_tool_call>"),
        ),
        models=("IQuest-Q1",),
        source="https://github.com/sgl-project/sglang/blob/main/python/sglang/srt/function_call/"
        "iquest_q1_detector.py",
        aliases=("iquest_q1",),
    ),
    KnownFormat(
        Format(
            name="k2-horizon",
            think=(
                ("<ifm|think>", "<ifm|think_fast>", "<ifm|think_faster>"),
                ("</ifm|think>", "</ifm|think_fast>", "</ifm|think_faster>"),
            ),
            section=("<ifm|tool_calls>", "</ifm|tool_calls>"),
            call=("<ifm|tool_call>", "</ifm|tool_call>"),
            payload=TagsPayload(
                tool=("", ""),
                key=("<ifm|arg_key>", "</ifm|arg_key>"),
                value=("<ifm|arg_value>", "</ifm|arg_value>"),
            ),
        ),
        models=("K2-Horizon",),
        source="https://github.com/vllm-project/vllm/blob/main/vllm/tool_parsers/k2_horizon_tool_parser.py",
        aliases=("k2_horizon", "k2_v3"),
        limits=(
            "Calls as JSON or with types, which its template can be told to ask for, are not read.",
        ),
    ),
    KnownFormat(
        Format(
            name="solar-open-2",
            think=("<|think:start|>", "<|think:end|>"),
            call=("<|tool_call:start|>", "<|tool_call:end|>"),
            payload=TagsPayload(
                tool=("", ""),
                key=("<|tool_arg:start|>", "<|tool_arg:value|>"),
                value=("", "<|tool_arg:end|>"),
            ),
            ends=("<|im:end|>",),
        ),
        models=("Solar-Open2",),
        source="https://github.com/vllm-project/vllm/blob/main/vllm/tool_parsers/solar_open2_tool_parser.py",
        aliases=("solar_open2",),
        limits=(
            "The markers of results are not known, since no chat template could be read.",
            "The library writes no line feed after a name or an argument, where vLLM expects one.",
        ),
    ),
    KnownFormat(
        Format(
            name="minicpm5",
            call=('<function name="', "</function>"),
            payload=TagsPayload(
                tool=("", '">'),
                key=('<param name="', '">'),
                value=("", "</param>"),
                literals="python",
                raw=("<![CDATA[", "]]>"),
            ),
            result=("<tool_response>", "</tool_response>"),
            ends=("<|im_end|>",),
        ),
        models=("MiniCPM5",),
        source=template("openbmb-MiniCPM5-1B"),
    ),
    KnownFormat(
        _DSML,
        models=("DeepSeek-V3.2", "DeepSeek-V4"),
        source=template("deepseek-ai-DeepSeek-V4"),
        aliases=(
            *("deepseek-v3.2", "deepseek-v32", "deepseek-v4", "deepseek_v32", "deepseek_v4"),
            *("deepseekv32", "deepseekv4"),
        ),
        limits=("The results of DeepSeek-V3.2, in <function_results>, are not read.",),
        marks=("invoke name=", "parameter name=", "string=", "DSML"),
    ),
    KnownFormat(
        replace(
            _DSML,
            name="deepseek-v4.1",
            section=("<｜DSML｜ calls>", "</｜DSML｜ calls>"),
            call=('<｜DSML｜ invoke name="', "</｜DSML｜ invoke>"),
            result=("", ""),
            payload=TagsPayload(
                tool=("", '">'),
                key=('<｜DSML｜ parameter name="', ""),
                value=("", "</｜DSML｜ parameter>"),
                types=_STRING,
            ),
        ),
        models=("DeepSeek-V4.1",),
        source="https://github.com/vllm-project/vllm/blob/main/vllm/parser/deepseek_v41.py",
        aliases=("deepseek_v41", "deepseekv41"),
    ),
    KnownFormat(
        Format(
            name="gigachat-3.5",
            section=("<｜GCML｜tool_calls>", "</｜GCML｜tool_calls>"),
            call=('<｜GCML｜invoke name="', "</｜GCML｜invoke>"),
            payload=TagsPayload(
                tool=("", '">'),
                key=('<｜GCML｜parameter name="', ""),
                value=("", "</｜GCML｜parameter>"),
                types=_STRING,
            ),
            ends=("<|message_sep|>",),
        ),
        models=("GigaChat3.5",),
        source="https://github.com/sgl-project/sglang/blob/main/python/sglang/srt/function_call/"
        "gigachat35_detector.py",
        aliases=("gigachat35",),
    ),
    KnownFormat(
        Format(
            name="kimi-k3",
            think=("<|open|>think<|sep|>", "<|close|>think<|sep|>"),
            section=("<|open|>tools<|sep|>", "<|close|>tools<|sep|>"),
            call=('<|open|>call tool="', "<|close|>call<|sep|>"),
            payload=TagsPayload(
                tool=("", '" index="{id}"<|sep|>'),
                key=('<|open|>argument key="', ""),
                value=("", "<|close|>argument<|sep|>"),
                types=(
                    ('" type="string"<|sep|>', "text"),
                    ('" type="number"<|sep|>', "number"),
                    ('" type="boolean"<|sep|>', "boolean"),
                    ('" type="object"<|sep|>', "object"),
                    ('" type="array"<|sep|>', "array"),
                    ('" type="null"<|sep|>', "null"),
                ),
            ),
            ends=("<|end_of_msg|>",),
            ignored=(
                *("<|open|>response<|sep|>", "<|close|>response<|sep|>"),
                "<|close|>message<|sep|>",
            ),
        ),
        models=("Kimi-K3",),
        source=template("Kimi-K3"),
        aliases=("kimi_k3", "kimik3"),
        limits=("A result has the name of the tool and the number of its call in its opener.",),
        marks=("<|open|>", "<|close|>", "<|sep|>"),
    ),
)
