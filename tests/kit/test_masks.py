"""Which tokens a model is trained on: by author and kind, with what straddles a border listed."""

import json

import pytest

from cogwire import spans
from cogwire_kit.masks import (
    MessageError,
    chat_spans,
    conversation_spans,
    mask,
    message_spans,
    train_details,
    turn_spans,
)
from cogwire_kit.texts.messages import flags_in
from tests.rows import rows

BLOCK = '<execute>[{"name": "ls", "args": {}}]</execute>'
RESULTS = '<results>[{"tool": "ls", "status": "success", "content": "é"}]</results>'
TEXT = f"<think>é hm</think>\n\n{BLOCK}\n\n{RESULTS}\nDone."


def words(text, *cuts):
    """Return the offsets of tokens that end at `cuts`."""
    return list(zip((0, *cuts), (*cuts, len(text)), strict=True))


def single(text):
    return [(at, at + 1) for at in range(len(text))]


def trained(text, dialect="xml-json", **options):
    """Return the trained characters."""
    found = mask(spans(text, dialect), single(text), **options)
    assert found.straddling == []
    return "".join(letter for letter, one in zip(text, found.tokens, strict=True) if one)


@rows(
    "options, expected",
    [
        ({}, f"<think>é hm</think>\n\n{BLOCK}Done."),
        ({"train": "model", "skip": "think"}, f"<think></think>\n\n{BLOCK}Done."),
        ({"train": {"call", "prose"}}, '{"name": "ls", "args": {}}Done.'),
        ({"train": {"marker"}, "skip": {"system"}}, "<think></think><execute></execute>"),
        ({"train": "results"}, RESULTS[9:-10]),
        ({"train": ["system"], "skip": ["white"]}, RESULTS),
        ({"train": ()}, ""),
    ],
)
def test_a_piece_is_trained_by_its_author_or_its_kind(options, expected):
    assert trained(TEXT, **options) == expected


def test_a_block_that_broke_a_rule_is_never_a_call():
    text = "a<execute>[x]</execute>b"
    assert trained(text, train={"prose", "call", "marker", "syntax"}) == "ab"
    assert trained(text, skip={"error"}) == "ab"
    text = "a<tool_call>bad</tool_call>b"
    assert trained(text, "hermes", skip={"error"}) == "ab"


@rows(
    "straddling, tokens",
    [("train", [1, 1, 0, 1]), ("skip", [1, 0, 0, 1]), ("first", [1, 1, 0, 1])],
)
def test_a_token_on_a_border_is_listed_and_treated_as_chosen(straddling, tokens):
    """The closer's `>` with the line ends after it, which are the system's, is one token."""
    text = f"{BLOCK}\n\n{RESULTS}ok"
    end = len(BLOCK)
    offsets = words(text, end - 1, end + 2, len(text) - 2)
    found = mask(spans(text), offsets, straddling=straddling)
    assert found == (tokens, [1])


def test_a_token_that_begins_outside_goes_with_its_first_character():
    text = f"{BLOCK}{RESULTS}ok"
    offsets = words(text, len(text) - 3)
    assert mask(spans(text), offsets, straddling="first").tokens == [1, 0]
    assert mask(spans(text), offsets, straddling="first").straddling == [0, 1]
    # One token may hold a border, or several.
    assert mask(spans(text), [(0, len(text))]) == ([1], [0])
    assert mask(spans("ab<execute>[x]</execute>"), [(1, 3)], train="prose") == ([1], [0])


def test_offsets_may_be_bytes():
    text = "é<end>é"
    offsets = [(at, at + 1) for at in range(len(text.encode()))]
    assert (
        mask(spans(text), offsets, train="marker", unit="byte").tokens
        == [0] * 2 + [1] * 5 + [0] * 2
    )


def test_tokens_without_text_are_not_trained():
    """Special tokens have the offsets (0, 0); parts of one character share its offsets."""
    assert mask(spans("é"), [(0, 0), (0, 1), (0, 1), (1, 1)]).tokens == [0, 1, 1, 0]
    assert mask([], []).tokens == []


def test_labels_are_the_ids_of_the_trained_tokens():
    found = mask(spans("a<end>"), [(0, 1), (1, 6)], train="marker")
    assert found.labels([7, 8]) == [-100, 8]
    assert found.labels([7, 8], ignore=0) == [0, 8]
    with pytest.raises(ValueError, match="1 ids for 2 tokens"):
        found.labels([7])


@rows(
    "arguments, reason",
    [
        ({"train": ["thinks"]}, "'thinks' is neither an author nor a kind"),
        ({"skip": "tool"}, "'tool' is neither"),
        ({"straddling": "last"}, "straddling must be one of train, skip, first"),
        ({"offsets": [(0, 3)]}, r"token 0: \(0, 3\) is beyond the text, of 2"),
        ({"offsets": [(-1, 1)]}, "beyond the text"),
        ({"offsets": [(0, 1), (2, 1)]}, "token 1"),
    ],
)
def test_invalid_arguments_are_refused(arguments, reason):
    with pytest.raises(ValueError, match=reason):
        mask(**{"pieces": spans("ab"), "offsets": [], **arguments})


# --- Messages ---------------------------------------------------------------------------------

MESSAGES = [
    {"role": "system", "content": "Be brief.\n"},
    {"role": "user", "content": "List é."},
    {"role": "assistant", "content": BLOCK},
    {"role": "user", "content": f" {RESULTS}\n\nAnd now?"},
    {"role": "assistant", "content": "Done."},
]


def in_short(pieces, text):
    return [(each.author, each.kind, text[each.start : each.end]) for each in pieces]


def test_a_conversation_in_another_dialect_is_refused_where_none_is_named():
    """The error names the message."""
    said = [{"role": "user", "content": "x"}, {"role": "assistant", "content": "§respond: a\n§end"}]
    with pytest.raises(ValueError, match=r"^message 1: the text looks like delimiter, "):
        message_spans(said)
    assert [piece.kind for piece in message_spans(said, "xml-json")[1]] == ["prose"]


def test_results_in_a_users_message_are_the_systems():
    found = message_spans(MESSAGES)
    assert in_short(found[0], MESSAGES[0]["content"]) == [
        ("system", "prose", "Be brief."),
        ("system", "white", "\n"),
    ]
    assert in_short(found[1], "List é.") == [("user", "prose", "List é.")]
    assert found[1][0][3:] == (0, 7, 0, 8)
    assert in_short(found[3], MESSAGES[3]["content"]) == [
        ("system", "white", " "),
        ("system", "marker", "<results>"),
        ("system", "results", RESULTS[9:-10]),
        ("system", "marker", "</results>"),
        ("user", "white", "\n\n"),
        ("user", "prose", "And now?"),
    ]
    assert found[4] == spans("Done.")
    # Results that answer nothing are what a user wrote.
    assert in_short(message_spans(MESSAGES[3:4])[0], MESSAGES[3]["content"])[1][:2] == (
        "user",
        "prose",
    )


def chatml(messages):
    return "".join(f"<|{each['role']}|>\n{each['content']}<|end|>\n" for each in messages)


def trimming(messages):
    return chatml([{**each, "content": each["content"].strip()} for each in messages])


def test_a_conversation_has_its_spans_in_what_a_template_writes():
    rendered = chat_spans(MESSAGES, chatml, stop="<|end|>")
    assert rendered.text == chatml(MESSAGES)
    assert [piece.start for piece in rendered.spans[1:]] == [
        piece.end for piece in rendered.spans[:-1]
    ]
    assert rendered.spans[-1].end_byte == len(rendered.text.encode())
    assert trained_in(rendered) == f"{BLOCK}<|end|>Done.<|end|>"
    assert ("system", "marker", "\n<|user|>\n") in in_short(rendered.spans, rendered.text)


def test_a_template_may_trim():
    rendered = chat_spans(MESSAGES, trimming)
    assert rendered.text == trimming(MESSAGES)
    assert ("user", "prose", "And now?") in in_short(rendered.spans, rendered.text)


@rows(
    "render, reason",
    [
        (lambda messages: chatml(messages[1:]), "message 0: the template leaves it out"),
        (lambda messages: chatml(messages).upper(), "message 0: the template changes its content"),
        (lambda messages: chatml(messages) * 2, "message 4: the template changes its content"),
    ],
)
def test_a_template_that_changes_messages_is_refused(render, reason):
    with pytest.raises(ValueError, match=reason):
        chat_spans(MESSAGES, render)


def test_an_answer_that_is_empty_or_has_no_weight_is_not_trained():
    asked = {"role": "user", "content": "a"}
    answers = [("b", {"weight": 0}), ("", {}), ("c", {"weight": 1})]
    messages = []
    for content, more in answers:
        messages += [asked, {"role": "assistant", "content": content, **more}]
    assert trained_in(chat_spans(messages, chatml, stop="<|end|>")) == "c<|end|>"


def test_what_a_template_writes_after_its_prompt_is_trained():
    def thinking(messages):
        """Write an empty think before the last answer, as Qwen3 does."""
        last = {**messages[-1], "content": f"<think>\n\n</think>\n\n{messages[-1]['content']}"}
        return chatml([*messages[:-1], last])

    asked, answer = {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}
    options = {"start": "<|assistant|>\n", "stop": "<|end|>"}
    rendered = chat_spans([asked, answer, asked, answer], thinking, **options)
    assert trained_in(rendered) == "b<|end|><think>\n\n</think>\n\nb<|end|>"


TWO = [
    {"role": "user", "content": "a"},
    {"role": "assistant", "content": "b"},
    {"role": "user", "content": "c"},
    {"role": "assistant", "content": "d"},
]


def llama(messages, is_prompt=None):
    """Write no prompt of its own, and white space around what the model says."""
    texts = {"user": "[INST] {} [/INST]", "assistant": " {} </s>"}
    return "".join(texts[each["role"]].format(each["content"]) for each in messages)


def doubly_ended(messages, is_prompt):
    ends = {"user": "<|eot|>", "assistant": "<|eom|><|eot|>"}
    text = "".join(f"<|{each['role']}|>{each['content']}{ends[each['role']]}" for each in messages)
    return text + "<|assistant|>" * is_prompt


def turning(messages, is_prompt):
    """Open a think in the prompt, which the text of a message has too."""
    text = "".join(f"<|{each['role']}|>{each['content']}\n</turn>" for each in messages)
    return text + "<|assistant|><think>\n" * is_prompt


THOUGHT = [TWO[0], {"role": "assistant", "content": "<think>\nhm</think>b"}]


@rows(
    "messages, render, stop, trained",
    [
        (TWO, llama, "</s>", " b </s> d </s>"),
        (TWO, doubly_ended, "<|eot|>", "b<|eom|><|eot|>d<|eom|><|eot|>"),
        (THOUGHT, turning, "</turn>", "hm</think>b\n</turn>"),
    ],
)
def test_a_conversation_is_trained_as_its_turns_are(messages, render, stop, trained):
    """What is before the text and after the prompt is trained, and so is all before the stop."""
    whole = conversation_spans(messages, render, "hermes", ["<never>", stop])
    assert trained_in(whole) == trained
    turns = turn_spans(messages, render, "hermes", stop=stop)
    assert "".join(map(trained_in, turns)) == trained


@rows(
    "render, options, reason",
    [
        (
            llama,
            {"stop": "<end>"},
            r"1: the template writes ' </s>\[INST\] ' after it, without the",
        ),
        (llama, {"start": "[model]"}, r"1: the template does not write '\[model\]' before it"),
        (
            lambda messages: llama(messages).removesuffix(" </s>"),
            {"stop": "</s>"},
            r"3: the template writes '' after it, without the stop '</s>'",
        ),
    ],
)
def test_a_start_or_a_stop_that_is_not_written_is_refused(render, options, reason):
    with pytest.raises(MessageError, match=f"^message {reason}"):
        chat_spans(TWO, render, **options)


def test_a_conversation_that_does_not_begin_with_its_prompts_is_refused():
    with pytest.raises(MessageError, match="message 1: its text does not begin with the prompt"):
        conversation_spans(TWO, turning, None, ["</turn>"])


def test_content_that_is_not_a_string_is_refused():
    with pytest.raises(ValueError, match="message 0: `content` is not a string"):
        message_spans([{"role": "user", "content": None}])


# --- axolotl ----------------------------------------------------------------------------------


def test_details_tile_a_message_and_keep_a_closer_whole():
    text = f"<think>a</think>\n\n{BLOCK}"
    details = train_details(spans(text), skip={"think"})
    assert details == [
        {"begin_offset": 0, "end_offset": 6, "train": True},
        {"begin_offset": 7, "end_offset": 7, "train": False},
        {"begin_offset": 8, "end_offset": len(text) - 1, "train": True},
    ]
    details = train_details(spans(text), train="think")
    assert [(each["begin_offset"], each["train"]) for each in details] == [
        (0, False),
        (7, True),
        (8, False),
    ]
    assert train_details([]) == []
    # White space that follows.
    details = train_details(spans("<think>a </think>"), train="think")
    assert details[1] == {"begin_offset": 7, "end_offset": 8, "train": True}


@rows(
    "member, value",
    [
        ("tool_calls", [{"function": {"name": "ls", "arguments": "{}"}}]),
        ("function_call", {"name": "ls", "arguments": "{}"}),
        ("reasoning_content", "hm"),
        ("reasoning", "hm"),
        ("thinking", "hm"),
    ],
)
def test_what_a_template_writes_beside_the_content_is_refused_by_name(member, value):
    messages = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": "Yes."}]
    messages[1][member] = value
    with pytest.raises(ValueError, match=f"message 1: the model's `{member}` would not be trained"):
        chat_spans(messages, chatml)
    # Without a value nothing is written.
    messages[1][member] = None
    assert chat_spans(messages, chatml).text == chatml(messages)


def test_members_of_other_roles_are_not_refused():
    messages = [
        {"role": "system", "content": "Be brief.", "reasoning": "low"},
        {"role": "user", "content": "Go.", "audio": {"id": "a"}, "thinking": True},
        {"role": "tool", "content": "a.txt", "tool_calls": [{"id": "c"}]},
    ]
    rendered = chat_spans(messages, chatml)
    assert rendered.text == chatml(messages)
    assert {span.author for span in rendered.spans} == {"system", "user"}


# --- Turns ------------------------------------------------------------------------------------

CALL = {"type": "function", "function": {"name": "ls", "arguments": {"path": "é"}}}
TURNS = [
    {"role": "user", "content": "List é."},
    {"role": "assistant", "content": "So.", "reasoning_content": "Hm.", "tool_calls": [CALL]},
    {"role": "tool", "content": "a.txt"},
    {"role": "assistant", "content": "One file.", "reasoning_content": "One."},
]
WRITTEN_CALL = '<tool_call>\n{"name": "ls", "arguments": {"path": "é"}}\n</tool_call>'


def qwen(messages, is_prompt):
    """Write messages as Qwen3 does: an earlier thought is left out once another message follows."""
    parts = []
    for index, each in enumerate(messages):
        content = each["content"]
        if each.get("reasoning_content") and index == len(messages) - 1:
            content = f"<think>\n{each['reasoning_content']}\n</think>\n\n{content}"
        for call in each.get("tool_calls", ()):
            written = json.dumps(call["function"], ensure_ascii=False)
            content += f"\n<tool_call>\n{written}\n</tool_call>"
        parts.append(f"<|{each['role']}|>\n{content}<|end|>\n")
    return "".join(parts) + "<|assistant|>\n" * is_prompt


def trained_in(rendered):
    found = mask(rendered.spans, single(rendered.text))
    text = zip(rendered.text, found.tokens, strict=True)
    return "".join(letter for letter, one in text if one)


def test_calls_and_thoughts_are_trained_in_each_turn_after_its_prompt():
    first, second = turn_spans(TURNS, qwen, "hermes", stop="<|end|>")
    assert first.text == qwen(TURNS[:2], is_prompt=False)
    # White space between the parts of a turn is the model's.
    assert trained_in(first) == f"<think>\nHm.\n</think>\n\nSo.\n{WRITTEN_CALL}<|end|>"
    assert trained_in(second) == "<think>\nOne.\n</think>\n\nOne file.<|end|>"
    kinds = {(span.author, span.kind) for span in first.spans}
    assert {("model", "think"), ("model", "call"), ("system", "marker")} <= kinds
    assert first.spans[0].end == len(qwen(TURNS[:1], is_prompt=True))
    assert first.spans[-1].end_byte == len(first.text.encode())


def opened(messages, is_prompt):
    """Write a template that opens the think in its prompt."""
    text = qwen(messages, is_prompt)
    return text + "<think>\n" * is_prompt


def harmonic(messages, is_prompt):
    """Write turns with headers, of which the prompt has the beginning."""
    parts = []
    for each in messages:
        begin = f"<|start|>{each['role']}"
        if each.get("reasoning_content"):
            parts.append(f"{begin}<|channel|>analysis<|message|>{each['reasoning_content']}<|end|>")
        parts.append(f"{begin}<|channel|>final<|message|>{each['content']}<|end|>")
    return "".join(parts) + "<|start|>assistant" * is_prompt


def test_a_turn_may_begin_in_a_think_or_in_a_header():
    (rendered,) = turn_spans([TURNS[0], TURNS[3]], opened, "hermes", stop="<|end|>")
    assert trained_in(rendered) == "One.\n</think>\n\nOne file.<|end|>"
    (rendered,) = turn_spans([TURNS[0], TURNS[3]], harmonic, "harmony", stop="<|end|>")
    assert (
        trained_in(rendered) == harmonic([TURNS[3]], is_prompt=False)[len("<|start|>assistant") :]
    )


@rows(
    "render, dialect, stop, reason",
    [
        (lambda messages, is_prompt: qwen(messages, is_prompt)[is_prompt:], "hermes", "", "prompt"),
        (qwen, "hermes", "<|no|>", r"message 1: its text does not end with '<\|no\|>'"),
        (qwen, "gemma-4", "<|end|>", "its `reasoning_content` is not read as a think"),
        (
            lambda messages, is_prompt: qwen(messages, is_prompt).replace('"name"', '"tool"'),
            "hermes",
            "<|end|>",
            "message 1: the template writes what breaks the dialect",
        ),
        (
            lambda messages, is_prompt: qwen(messages, is_prompt).replace("tool_call>", "call>"),
            "hermes",
            "<|end|>",
            "message 1: 0 of its 1 `tool_calls` are read",
        ),
    ],
)
def test_a_turn_that_does_not_say_what_its_message_does_is_refused(render, dialect, stop, reason):
    with pytest.raises(ValueError, match=reason):
        turn_spans(TURNS, render, dialect, stop=stop)


def test_a_turn_without_its_think_may_be_trained():
    def thoughtless(messages, is_prompt):
        return qwen([{**each, "reasoning_content": ""} for each in messages], is_prompt)

    first, _ = turn_spans(TURNS, thoughtless, "hermes", stop="<|end|>", needs_think=False)
    assert trained_in(first) == f"So.\n{WRITTEN_CALL}<|end|>"


ASKED = {"role": "user", "content": "a"}


@rows(
    "message, trained",
    [
        ({"content": "b"}, ["b<|end|>"]),
        ({"content": [{"type": "image"}, {"type": "text", "text": "b"}]}, ["b<|end|>"]),
        ({"content": "b", "weight": 0}, []),
        ({"content": "b", "weight": "0.0"}, []),
        ({"content": "b", "weight": 0.5}, ["b<|end|>"]),
        ({"content": "b", "weight": "none"}, ["b<|end|>"]),
        ({"content": " "}, []),
        ({"content": None}, []),
        ({"content": [{"type": "text", "text": ""}]}, []),
        ({"content": "", "reasoning_content": "Hm."}, []),
    ],
)
def test_an_answer_that_says_nothing_has_no_turn(message, trained):
    def joined(messages, is_prompt):
        """Write the parts of a content, and thoughts not at all."""
        flat = [
            {"role": each["role"], "content": "".join(part.get("text", "") for part in content)}
            if isinstance(content := each["content"] or "", list)
            else {"role": each["role"], "content": content}
            for each in messages
        ]
        return qwen(flat, is_prompt)

    messages = [ASKED, {"role": "assistant", **message}]
    assert [*map(trained_in, turn_spans(messages, joined, "hermes", stop="<|end|>"))] == trained
    assert [trained_in(each) for each in turn_spans([*messages, *messages], joined, "hermes")] == [
        each.removesuffix("<|end|>") + "<|end|>\n" for each in trained * 2
    ]


def splitting(messages, is_prompt):
    """Write what is before a `</think>` as a thought, as Qwen3 does, unless it has its own."""
    parts = []
    for each in messages:
        before, closer, after = each["content"].rpartition("</think>")
        thought = before.rpartition("<think>")[2] if closer else each.get("reasoning_content")
        parts.append({**each, "content": after.lstrip("\n"), "reasoning_content": thought})
    return qwen(parts, is_prompt)


def dropping_thoughts(messages, is_prompt):
    """Write what is after a `</think>`, as DeepSeek-V3.1 does, and no thoughts."""
    after = [each["content"].rpartition("</think>")[2] for each in messages]
    texts = zip(messages, after, strict=True)
    return qwen([{"role": each["role"], "content": text} for each, text in texts], is_prompt)


@rows(
    "render, message, trained, thoughtless",
    [
        (splitting, {"content": "<think>Hm.</think>b"}, "<think>\nHm.\n</think>\n\nb", None),
        (dropping_thoughts, {"content": "<think>Hm.</think>b"}, None, "b"),
        (dropping_thoughts, {"content": "b", "reasoning_content": "Hm."}, None, "b"),
        (qwen, {"content": "A `</think>` ends it."}, "A `</think>` ends it.", None),
        (splitting, {"content": "A `</think>` ends it."}, None, None),
        (dropping_thoughts, {"content": "A `</think>` ends it."}, None, None),
        # A parser ends the think where the thought only names the closer.
        (qwen, {"content": "ok", "reasoning_content": "a </think> b"}, None, None),
        (splitting, {"content": "", "reasoning_content": "Hm.", "tool_calls": [CALL]}, ..., ...),
    ],
)
def test_a_turn_with_other_words_than_its_message_is_left_out(
    render, message, trained, thoughtless
):
    """Without its think where that is not trained, if the template writes none."""
    if trained is ...:
        trained = thoughtless = f"<think>\nHm.\n</think>\n\n\n{WRITTEN_CALL}"
    for needs_think, expected in ((True, trained), (False, thoughtless or trained)):
        left_out = []
        options = {"stop": "<|end|>", "needs_think": needs_think, "left_out": left_out}
        found = turn_spans([ASKED, {"role": "assistant", **message}], render, "hermes", **options)
        assert [*map(trained_in, found)] == ([f"{expected}<|end|>"] if expected else [])
        assert [each.index for each in left_out] == [1] * (not expected)


@rows(
    "message, flags",
    [
        ({"weight": 0, "train": True, "loss": 1, "train_detail": []}, []),
        ({"weight": "0", "train": None}, []),
        ({"weight": "1"}, []),
        ({"weight": 0.5, "train": False, "loss_scale": 2}, ["weight", "train", "loss_scale"]),
        ({"weight": "none"}, ["weight"]),
        ({"weight": None, "trainable": 0, "training": "no"}, ["training", "trainable"]),
        (
            {"train_detail": [{"begin_offset": 0, "end_offset": 1, "train": False}]},
            ["train_detail"],
        ),
    ],
)
def test_members_that_are_not_read_and_change_what_is_trained_elsewhere(message, flags):
    assert flags_in(message) == flags


@rows(
    "dropped, index, count",
    [("user", 0, 0), ("tool", 2, 1), ("assistant", 1, 1)],
)
def test_turns_are_left_out_where_the_template_drops_a_text(dropped, index, count):
    def dropping(messages, is_prompt):
        kept = [
            {**each, "content": ""}
            if each["role"] == dropped and not each["content"].startswith("Done.")
            else each
            for each in messages
        ]
        return qwen(kept, is_prompt)

    answer = {"role": "assistant", "content": "So.", "tool_calls": [CALL]}
    done = {"role": "assistant", "content": "Done."}
    messages = [ASKED, answer, {"role": "tool", "content": "r"}, done]
    reason = f"message {index}: the template does not write its text"
    with pytest.raises(MessageError, match=reason):
        turn_spans(messages, dropping, "hermes", stop="<|end|>")
    left_out = []
    found = turn_spans(messages, dropping, "hermes", stop="<|end|>", left_out=left_out)
    assert (len(found), len(left_out), str(left_out[0])) == (count, 2 - count, reason)


def test_a_turn_that_the_template_refuses_is_left_out():
    def refusing(messages, is_prompt):
        if any(each["content"] == "no" for each in messages):
            raise ValueError("never")
        return qwen(messages, is_prompt)

    messages = [ASKED, TURNS[3], {"role": "user", "content": "no"}, TURNS[3]]
    left_out = []
    assert len(turn_spans(messages, refusing, "hermes", left_out=left_out)) == 1
    assert [*map(str, left_out)] == ["message 3: never"]
    assert [turn.text for turn in turn_spans(messages[:2], refusing, "hermes")] == [
        qwen(messages[:2], is_prompt=False)
    ]


def test_results_may_be_written_as_json():
    def as_json(messages, is_prompt):
        quoted = [
            {**each, "content": json.dumps(each["content"])} if each["role"] == "tool" else each
            for each in messages
        ]
        return qwen(quoted, is_prompt)

    assert len(turn_spans(TURNS, as_json, "hermes", stop="<|end|>")) == 2


def test_an_answer_in_another_member_is_refused():
    messages = [ASKED, {"role": "assistant", "content": "", "refusal": "No."}]
    with pytest.raises(MessageError, match="message 1: its `refusal` is not read"):
        turn_spans(messages, qwen, "hermes", stop="<|end|>")
