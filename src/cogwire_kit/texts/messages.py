# SPDX-License-Identifier: MIT
"""What a message of a data set says, and whether it is trained."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from cogwire import Event

CALLS: Final = "tool_calls"
#: The members with which a message of the model must be a think.
THINKS: Final = ("reasoning_content", "thinking", "reasoning", "thought")
#: Members in which messages of the model have answers beside their content.
ANSWERS: Final = (CALLS, "function_call", "refusal", "audio")
#: Members with which messages say for axolotl, ms-swift and others what of them is trained.
_FLAGS: Final = ("train", "training", "trainable", "train_detail", "loss", "loss_scale")
FLAGS: Final = ("weight", *_FLAGS)
#: Members in which messages of the model have what it wrote beside their content.
BESIDE: Final = (*ANSWERS, *THINKS, "thinking_blocks")


def is_trained_message(message: Mapping[str, Any]) -> bool:
    """Whether a message is the model's, with a text or with calls, and has a weight."""
    says = any(message.get(name) for name in ANSWERS) or any(
        each.strip() for each in texts_of(message)
    )
    return message.get("role") == "assistant" and has_weight(message) and says


def has_weight(message: Mapping[str, Any]) -> bool:
    """Whether a message does not say that it is not trained, as a `weight` of 0 does."""
    weight = message.get("weight")
    try:
        return float(weight) != 0 if isinstance(weight, str) else weight != 0
    except ValueError:
        return True


def flags_in(message: Mapping[str, Any]) -> list[str]:
    """Return the members that say in vain how a message is trained, as other programs read them.

    A `weight` other than 0 and 1 is one of them; what is done without a member does not count.
    """
    found = [name for name in _FLAGS if message.get(name) not in (None, 1, [])]
    weighs = has_weight(message) and message.get("weight") not in (None, 1, "1")
    return ["weight", *found] if weighs else found


def texts_of(message: Mapping[str, Any]) -> list[str]:
    """Return the texts of a message's content, which may be in parts."""
    content = message.get("content")
    if isinstance(content, str):
        return [content]
    parts = content if isinstance(content, list) else []
    return [each["text"] for each in parts if is_text_part(each)]


def is_text_part(part: object) -> bool:
    """Whether a part of a content is a text."""
    return isinstance(part, Mapping) and isinstance(part.get("text"), str)


def require_turn(message: Mapping[str, Any], events: Sequence[Event], *, needs_think: bool) -> None:
    """Raise `ValueError` if a turn does not say what its message does."""
    for event in events:
        if event["type"] == "error":
            raise ValueError(f"the template writes what breaks the dialect: {event['content']}")
    types = [event["type"] for event in events]
    thought = next((name for name in THINKS if message.get(name)), None)
    if thought and needs_think and "think" not in types:
        reason = f"its `{thought}` is not read as a think"
        raise ValueError(f"{reason}; if the template writes none, skip what is of the kind think")
    unread = next((name for name in ANSWERS[1:] if message.get(name)), None)
    if unread and not message.get("content"):
        raise ValueError(f"its `{unread}` is not read")
    wanted, calls = len(message.get(CALLS) or ()), types.count("call")
    if wanted and wanted != calls:
        raise ValueError(f"{calls} of its {wanted} `{CALLS}` are read")


def require_texts(
    message: Mapping[str, Any], own: list[Event], events: list[Event], *, needs_think: bool
) -> None:
    """Raise `ValueError` if a turn does not begin with the thoughts and texts of its message.

    `own` are the events of its text.  Some templates take the text before a `</think>` that
    somebody only wrote about for a thought, or leave it out.  White space is the template's, and so
    is whether a text is in a think.
    """
    wanted = _said(own, "respond")
    if needs_think or _said(events, "think"):
        wanted = _without_space(_thoughts(message)) + _said(own)
    if not _said(events).startswith(wanted):
        raise ValueError("the template writes another text or thought than it has")


def _thoughts(message: Mapping[str, Any]) -> list[str]:
    """Return the thoughts that a message has beside its text."""
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    blocks = [part.get("thinking") for part in parts if isinstance(part, Mapping)]
    beside = next((message[name] for name in THINKS if message.get(name)), None)
    return [text for each in (beside, *blocks) for text in texts_of({"content": each})]


def _said(events: Iterable[Event], *types: str) -> str:
    """Return what the model says in events of these types, or in thoughts and answers."""
    named = types or ("think", "respond")
    return _without_space(str(each.get("content")) for each in events if each["type"] in named)


def _without_space(texts: Iterable[str]) -> str:
    return "".join("".join(texts).split())
