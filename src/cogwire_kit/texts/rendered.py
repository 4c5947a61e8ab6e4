# SPDX-License-Identifier: MIT
"""Chats as a template has written them, which no dialect reads: all would be the model's.

Their beginnings are known of the templates of every format that has a name: the tests hold them
against those that are stored.
"""

import re
from typing import Final

from cogwire.tooling import HasDialect, format_names, notation

#: How much of a text is looked at.
_START: Final = 4096
#: What templates write before all else, with white space.
_BEGINS: Final = (
    r"<s>",
    r"<bos>",
    r"<\|begin_of_text\|>",
    r"<\|startoftext\|>",
    r"\[gMASK\]",
    r"<sop>",
    r"<[｜|](?:begin|start)▁of▁(?:sentence|text)[｜|]>",
    r"<begin_of_document>",
    r"<\|plamo:bos\|>",
    r"<｜hy_begin_of_sentence:\w+｜>",
    r"\]~!b\[",
    r"〈\|EOS\|〉",
)
#: How they begin what a system or a user says.
_ROLES: Final = (
    # The name after a marker: ChatML, Llama, gpt-oss, Granite, Gemma, Solar, Seed, MiniMax, K2.
    r"<\|(?:(?:ifm\|)?im_start|start_header_id|header_start|start_of_role)\|>(?:system|developer|user)\b",
    r"<\|(?:start|turn|begin)\|?>(?:system|developer|user)\b",
    r"<start_of_turn>(?:developer|user)\b",
    r"(?:<seed:bos>|<beginning_of_sentence>|\]~b\])(?:system|developer|user)\b",
    r"<\|plamo:tag\|>(?:system|developer|user)\b",
    r"<SPECIAL_1[01]>(?:System|User)\b",
    # The name in a marker: GLM, Apriel, Spark, Kimi, Jamba, dots, Apertus, Command, DeepSeek, Ling.
    r"<\|(?:im_|begin_|bom\|><\|)?(?:system|user|System|User)\|>",
    r"<\|(?:message|iquest)_(?:system|developer|user)\|>",
    r"<\|userprompt\|>",
    r"<\|(?:system|developer|user)_start\|>",
    r"<\|START_OF_TURN_TOKEN\|><\|(?:SYSTEM|USER)_TOKEN\|>",
    r"<｜User｜>",
    r"<\|open\|>message role=\"(?:system|user)\"",
    r"<role>(?:SYSTEM|HUMAN)</role>",
    # Mistral and Llama 2.
    r"\[(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS)\]",
    # The name before a marker: GigaChat.
    r"(?:developer system|system|user)<\|role_sep\|>",
)
#: Those that are words of prose too, or follow the text of a system, and are known by both ends.
_FRAMED: Final = (
    r"(?:<s>|<｜begin▁of▁sentence｜>)(?s:.)*?(<｜User｜>|<\|BOT\|>user)",  # DeepSeek, Step
    r"<\|begin_of_sentence\|>(?s:.)*?(User: )",  # ERNIE
    r"<\|startoftext\|>(?s:.)*?(<\|extra_[04]\|>)",  # Hunyuan
    r"(?:SYSTEM:(?s:.)*?)?(\[Round 0\] USER:)",  # LongCat
    r"<｜hy_begin_of_sentence:\w+｜>(?s:.)*?(<｜hy_User:\w+｜>)",
    r"〈\|EOS\|〉(<(?:system|user)>)",
    r"((?:system|human): )(?s:.)*?<sep>",
)
_RENDERED: Final = re.compile(
    rf"\s*(?:(?:{'|'.join(_BEGINS)})\s*)*({'|'.join(_ROLES)})|\s*(?:{'|'.join(_FRAMED)})"
)
#: A tag or a name in brackets, in which a role is named or after which one is.
_NAMED: Final = re.compile(
    r"\s*(?:<[^<>\n]{1,60}>\s*)??"
    r"(<[^<>\n]{0,60}?(?<![a-z])(?:system|developer|user|human)(?![a-z])[^<>\n]{0,60}>"
    r"|<[^<>\n]{1,60}>\s?(?:system|developer|user|human)\b)",
    re.IGNORECASE,
)


def rendered(text: str | bytes) -> str:
    """Return what to say about a chat as the template of a known format writes it; or nothing."""
    start = text[:_START].decode("utf-8", "replace") if isinstance(text, bytes) else text[:_START]
    found = _RENDERED.match(start)
    if found is None:
        return ""
    marker = found[found.lastindex or 1].strip()
    return (
        f"this is a rendered chat, with {marker}: use the messages that it was made from, as JSON"
    )


def role_marker(text: str, dialect: str | HasDialect) -> str:
    """Return the marker of a role that a text begins with, in a format of one's own; or nothing.

    A description says what the model writes, and nothing about the markers of others.
    """
    wire = notation(dialect)
    if wire.form is None or wire.name in format_names():
        return ""
    found = _NAMED.match(text[:_START])
    if found is None or found[1].startswith(tuple(filter(None, wire.lookalikes))):
        return ""
    return found[1]


def no_author(marker: str, dialect: str | HasDialect) -> str:
    """Return what to say about a text that begins with the marker of a role."""
    name = notation(dialect).name
    return (
        f"the text begins with {marker}, as a rendered chat does: {name} does not say who wrote "
        "what there, and all but results is read as the model's; use the messages that it was made "
        "from, as JSON"
    )
