"""The descriptions of formats that models are trained on."""

from typing import Any

# tr-markers tr-arguments
HERMES: dict[str, Any] = {
    "name": "hermes",
    "call": ["<tool_call>", "</tool_call>"],
    "payload": {"kind": "object", "partial": True},
    "result": ["<tool_response>", "</tool_response>"],
}

# tr-mistral-markers tr-mistral-head tr-mistral-end
MISTRAL: dict[str, Any] = {
    "name": "mistral",
    "think": ["[THINK]", "[/THINK]"],
    "call": ["[TOOL_CALLS]", ""],
    "payload": {"kind": "arguments", "head": ["{name}[ARGS]", "{name}[CALL_ID]{id}[ARGS]"]},
    "result": ["[TOOL_RESULTS]", "[/TOOL_RESULTS]"],
}

# tr-qwen-call tr-qwen-parameter tr-qwen-value tr-qwen-bare
QWEN: dict[str, Any] = {
    **HERMES,
    "name": "qwen3-coder",
    "payload": {
        "kind": "tags",
        "tool": ["<function=", ">"],
        "key": ["<parameter=", ">"],
        "value": ["", "</parameter>"],
        "end": "</function>",
        "margin": "\n",
    },
}

# tr-glm-call tr-glm-argument tr-glm-value tr-glm-closer
GLM: dict[str, Any] = {
    **HERMES,
    "name": "glm-4.5",
    "payload": {
        "kind": "tags",
        "tool": ["", ""],
        "key": ["<arg_key>", "</arg_key>"],
        "value": ["<arg_value>", "</arg_value>"],
        "end": "",
    },
}

# tr-llama-shared tr-llama-markers tr-llama-call
LLAMA: dict[str, Any] = {
    "name": "llama3-json",
    "call": ["<|python_tag|>", ""],
    "payload": {"kind": "object", "args": "parameters"},
    "result": ["<|start_header_id|>ipython<|end_header_id|>", "<|eot_id|>"],
    "bare": True,
}

DESCRIPTIONS = {each["name"]: each for each in (HERMES, MISTRAL, QWEN, GLM, LLAMA)}
