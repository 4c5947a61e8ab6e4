"""Where the turn after a prompt begins."""

import pytest

from tests import cogwire
from tests.core.wire.described.reading import description
from tests.rows import rows

HARMONY, FUNCTIONARY = description("harmony"), description("functionary-v3.2")
APRIEL = {
    "name": "apriel",
    "think": ["Here are my reasoning steps:\n", "[BEGIN FINAL RESPONSE]"],
    "call": ["<tool_calls>", "</tool_calls>"],
    "payload": {"kind": "array"},
}


@rows(
    "dialect, prompt, start",
    [
        ("xml-json", "", "prose"),
        # Without control tokens nobody can know that the user has written it.
        ("xml-json", "user: what is <think>?\nassistant:", "think"),
        ("xml-json", "<|user|>what is <think>?<|assistant|>", "prose"),
        ("xml-json", "[INST] what is <think>? [/INST]", "prose"),
        ("delimiter", "assistant:\n§think: Okay, I will\n", "think"),
        ("delimiter", "§think: Okay.\n§respond: I will", "prose"),
        ("xml-json", "assistant:<think>\n", "think"),
        ("delimiter", "assistant:\n§think: ", "think"),
        ("delimiter", "assistant:\n", "prose"),
        ("hermes", "<|im_start|>assistant\n<think></think>\n\n", "prose"),
        ("hermes", "<|im_start|>assistant\n<think>", "think"),
        # A call that may have no marker is none in a prompt.
        ("llama3-json", '<|start_header_id|>ipython<|end_header_id|>\n\n{"output": 1}', "prose"),
        ("llama3-json", '{"output": 1}', "prose"),
        ("hermes", "<think>\n</think", "prose"),
        # A thought that the prompt has begun.
        ("hermes", "<|im_start|>assistant\n<think>\nOkay, I will", "think"),
        ("hermes", f"<|im_start|>assistant\n<think>{'Okay. ' * 999}<tool_call>", "think"),
        ("hermes", "<think>a</think>b<|im_end|><|im_start|>assistant\n<think>\nOkay", "think"),
        ("hermes", "<|im_start|>assistant\n<think>\n[OK] a[0] is <s>, and 1 <| 2", "think"),
        ("hermes", "<|im_start|>assistant\n<think>Okay.</think>\nI will", "prose"),
        ("hermes", "<|im_start|>user\n<think>?<|im_end|>\n<|im_start|>assistant\n", "prose"),
        ("gemma-4", "<|turn>model\n<|channel>thought\nOkay, I will", "think"),
        ("deepseek-v3.1", "<｜User｜>what is <think>?<｜Assistant｜>", "prose"),
        (APRIEL, "<|assistant|>\nHere are my reasoning steps:\n", "think"),
        (APRIEL, "<|assistant|>\nHere are my reasoning steps:", "think"),
        (APRIEL, "<|assistant|>\nHere are my reasoning steps: ", "think"),
        (APRIEL, "<|assistant|>\nHere are my reasoning steps:\u2003", "prose"),
        (HARMONY, "<|end|><|start|>assistant", "header"),
        (HARMONY, "<|start|>assistant<|channel|>", "header"),
        (HARMONY, "<|start|>assistant<|channel|>final", "header"),
        (HARMONY, "<|start|>assistant<|channel|>analysis<|message|>", "think"),
        (HARMONY, "<|start|>assistant<|channel|>analysis<|message|>Okay, I", "think"),
        (HARMONY, "<|start|>assistant<|channel|>final<|message|>", "prose"),
        (HARMONY, "<|start|>user<|message|>Q?<|end|>", "prose"),
        (HARMONY, "Q?<", "prose"),
        (FUNCTIONARY, "<|start_header_id|>assistant<|end_header_id|>\n\n>>>", "header"),
        (FUNCTIONARY, "<|start_header_id|>assistant<|end_header_id|>\n\n", "prose"),
        # The end of a header may be white space.
        (FUNCTIONARY, "<|start_header_id|>assistant<|end_header_id|>\n\n>>>all\n", "prose"),
        (FUNCTIONARY, "<|start_header_id|>assistant<|end_header_id|>\n\n>>>all", "header"),
    ],
)
def test_the_start_is_found(dialect, prompt, start):
    form = dialect if isinstance(dialect, str) else cogwire.Format.from_json(dialect)
    assert cogwire.start_of(prompt, form) == start


@rows(
    "dialect, prompt",
    [
        (HARMONY, "<|start|>assistant<|channel|>analysis"),
        (HARMONY, "<|start|>assistant<|channel|>commentary to=functions.ls "),
        (FUNCTIONARY, "<|end_header_id|>\n\n>>>ls"),
    ],
)
def test_a_header_whose_words_the_text_lacks_is_refused(dialect, prompt):
    """A think would be shown, and a call would be prose."""
    form = cogwire.Format.from_json(dialect)
    with pytest.raises(ValueError, match="says what follows; feed it to the parser"):
        cogwire.start_of(prompt, form)


def test_a_format_without_headers_has_no_turn_that_begins_in_one():
    with pytest.raises(ValueError, match="hermes has no headers"):
        cogwire.Parser("hermes", start="header")
