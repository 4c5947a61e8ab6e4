"""Messages of each API as agents, providers and data sets write them, to draw chats from.

Each `*` is a text, of which a bridge must keep each character or report its message: texts around
pictures, refusals, prompts in the middle, messages that say nothing, thinks in several members, calls
with one id, without a result, cut off or of another kind, and results in any order or of no call.
"""

import json
import re

from hypothesis import given
from hypothesis import strategies as st

ARGS = '{"x": "*"}'


def _called(own_id, args=ARGS):
    return {"id": own_id, "type": "function", "function": {"name": "n*", "arguments": args}}


def _used(own_id):
    return {"type": "tool_use", "id": own_id, "name": "n*", "input": {"x": "*"}}


def _item(own_id, args=ARGS):
    return {"type": "function_call", "call_id": own_id, "name": "n*", "arguments": args}


def _answered(own_id, output):
    return {"type": "function_call_output", "call_id": own_id, "output": output}


def _returned(own_id, content, **members):
    return {"type": "tool_result", "tool_use_id": own_id, "content": content, **members}


def _said(*parts):
    return {"role": "user", "content": [*parts, TEXT]}


TEXT = {"type": "text", "text": "*"}
PICTURE = {"type": "image_url", "image_url": {"url": "*"}}
IMAGE = {"type": "image", "source": {"type": "url", "url": "*"}}
INPUT = [{"type": "input_text", "text": "*"}, {"type": "input_image", "image_url": "*"}]
THINKING = {"type": "thinking", "thinking": "*", "signature": "*"}
CUSTOM = {"id": "d", "type": "custom", "custom": {"name": "*", "input": "*"}}
SERVER = {"type": "server_tool_use", "id": "s", "name": "*", "input": {"q": "*"}}
REFUSAL = {"type": "refusal", "refusal": "*"}
CALL = f'<tool_call>{{"name": "n*", "arguments": {ARGS}}}</tool_call>'
ANSWER = "<tool_response>*</tool_response>"

OPENAI = [
    *({"role": role, "content": "*"} for role in ("user", "assistant", "system", "developer")),
    _said(TEXT, PICTURE),
    {"role": "assistant", "content": "*", "refusal": "*", "reasoning_content": "*"},
    {"role": "assistant", "content": "*", "reasoning": "*", "thinking": "*"},
    {"role": "assistant", "content": [REFUSAL, TEXT], "audio": {"id": "*"}},
    {"role": "assistant", "content": "*", "tool_calls": [_called("a"), _called("b")]},
    {"role": "assistant", "tool_calls": [_called("a"), _called("a"), CUSTOM]},
    {"role": "assistant", "tool_calls": [_called("b", ARGS[:-1]), _called("a")]},
    {"role": "assistant", "content": None, "function_call": _called("")["function"]},
    {"role": "assistant", "content": ""},
    {"role": "tool", "tool_call_id": "a", "content": "*"},
    {"role": "tool", "tool_call_id": "b", "content": [TEXT, PICTURE]},
    {"role": "tool", "tool_call_id": "c", "content": "*"},
    {"role": "function", "name": "n", "content": "*"},
]
ANTHROPIC = [
    *({"role": role, "content": "*"} for role in ("user", "assistant", "system")),
    _said(TEXT, IMAGE),
    {"role": "assistant", "content": [THINKING, {"type": "redacted_thinking", "data": "*"}, TEXT]},
    {"role": "assistant", "content": [TEXT, _used("a"), TEXT, _used("b")]},
    {"role": "assistant", "content": [_used("a"), _used("a"), SERVER]},
    {"role": "assistant", "content": [_used("b")], "stop_reason": "max_tokens"},
    {"role": "assistant", "content": []},
    _said(_returned("b", "*"), _returned("a", [TEXT, IMAGE], is_error=True)),
    _said(TEXT, _returned("c", "*")),
]
RESPONSES = [
    *({"role": role, "content": "*"} for role in ("user", "assistant", "developer")),
    {"type": "message", "role": "user", "content": INPUT},
    {"role": "assistant", "content": [{"type": "output_text", "text": "*"}, REFUSAL]},
    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "*"}] * 2},
    {"type": "reasoning", "summary": [], "encrypted_content": "*"},
    {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "*"}]},
    *(_item("a"), _item("b"), _item("b", ARGS[:-1])),
    *(_answered("a", "*"), _answered("b", INPUT), _answered("c", "*")),
    {"type": "web_search_call", "id": "w", "action": {"query": "*"}},
    {"type": "custom_tool_call", "call_id": "d", "name": "*", "input": "*"},
]
SHAREGPT = [
    *({"from": author, "value": "*"} for author in ("human", "system", "gpt", "observation")),
    {"from": "gpt", "value": "<think>*</think>*"},
    {"from": "gpt", "value": "*", "reasoning": "*", "extra": "*"},
    {"from": "gpt", "value": f"*{CALL}{CALL}"},
    {"from": "gpt", "value": f"*{CALL.replace('}}', '}')}*"},
    {"from": "gpt", "value": ""},
    {"from": "function_call", "value": f'{{"name": "n*", "arguments": {ARGS}}}'},
    {"from": "tool", "value": ANSWER},
    {"from": "tool", "value": ANSWER * 2},
    {"from": "tool", "value": f"{ANSWER} *"},
]


def keeps_every_text(bridge, templates, read=list):
    """Hold a bridge to its law: a text is in an event, or something of its message is reported.

    `read` makes messages of a package from their JSON.
    """

    @given(st.lists(st.sampled_from(templates), min_size=1, max_size=6))
    def holds(drawn):
        parts = json.dumps(drawn).split("*")
        text = "".join(f"{part}w{number}w" for number, part in enumerate(parts))
        messages = json.loads(text.removesuffix(f"w{len(parts) - 1}w"))
        report = []
        events = json.dumps(bridge.from_messages(read(messages), strict=False, report=report))
        reported = {entry["index"] for entry in report}
        for index, message in enumerate(messages):
            lost = [
                word for word in re.findall(r"w\d+w", json.dumps(message)) if word not in events
            ]
            assert not lost or index in reported, (message, lost)

    holds()
