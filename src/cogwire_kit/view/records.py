# SPDX-License-Identifier: MIT
"""Reads what a record contains: transcripts, or messages and events to show unchanged."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from cogwire.tooling import Start, notation
from cogwire_kit.bridges import sharegpt
from cogwire_kit.lint import LintOptions, lint_record
from cogwire_kit.masks import message_spans
from cogwire_kit.records import (
    TOOLS,
    Form,
    RefusedError,
    events_of,
    form_of,
    has_thoughts,
    members_in,
)
from cogwire_kit.texts.dialects import resolved
from cogwire_kit.texts.rendered import rendered
from cogwire_kit.view.page import ViewedTranscript
from cogwire_kit.view.rows import Item
from cogwire_kit.wire_messages import resolved_in

_BEGIN: Final = 40


def documents(
    record: Any, name: str, dialect: str, start: Start = "prose"
) -> list[ViewedTranscript]:
    """Return what a record contains, as `cogwire lint` reads it.

    A text is a transcript; of messages whose texts are in a dialect each turn is one, and what a
    user and a system wrote before it is its name.  Other messages, such as those with thoughts
    beside their texts, and events, are shown as they are.  The model's texts begin in `start`.
    """
    found: list[ViewedTranscript] = []
    for pointer, kind, value in members_in(record):
        member = pointer.removeprefix("/")
        if isinstance(value, str):
            found.append(document(name, value, dialect, start))
        elif value and ((form := form_of(value, kind, dialect)) != "wire" or has_thoughts(value)):
            items = _items(value, form, dialect, _faults(record, pointer, value, dialect))
            found.append(ViewedTranscript(f"{name}, {member}", "", form, items))
        elif value:
            for number, (before, text, turn_dialect) in enumerate(_wire(value, dialect, start), 1):
                question = " ".join(before.split())
                asked = f", after {question[:_BEGIN]!r}" if question else ""
                title = f"{name}, {member}, turn {number}{asked}"
                found.append(ViewedTranscript(title, text, turn_dialect, start=start))
    return found


def document(name: str, text: str, dialect: str, start: Start = "prose") -> ViewedTranscript:
    """Return a transcript in `dialect`, or in the one that is detected."""
    found, reason = resolved(dialect, text)
    if is_rendered := rendered(text):
        found, reason = None, is_rendered
    return ViewedTranscript(name, text if found else f"no-dialect: {reason}", found, start=start)


#: What was said before a turn, its text, and its dialect, or None and why it cannot be shown.
_Turn = tuple[str, str, str | None]

#: The author for a role or a type of event; any other is the system.
_AUTHORS: Final = {
    **dict.fromkeys(("assistant", "think", "respond", "call", "execute", "end", "error"), "model"),
    "user": "user",
}


def _faults(record: Any, pointer: str, messages: list[Any], dialect: str) -> dict[str, list[str]]:
    """Return what `cogwire lint` finds in messages, by their indices; notes are left out."""
    own = record if isinstance(record, Mapping) else {}
    tools = {TOOLS: own[TOOLS]} if TOOLS in own else {}
    judged = {pointer.removeprefix("/"): messages, **tools} if pointer else messages
    found: dict[str, list[str]] = {}
    for each in lint_record(judged, LintOptions(dialect)):
        index = (each.pointer or "").removeprefix(f"{pointer}/").partition("/")[0]
        if each.severity != "note":
            found.setdefault(index, []).append(f"{each.severity}[{each.rule}]: {each.message}")
    return found


def _items(
    messages: list[Any], form: Form, dialect: str, faults: Mapping[str, list[str]]
) -> list[Item]:
    """Return messages or events unchanged, each with its own events and its findings."""
    items: list[Item] = []
    for index, each in enumerate(messages):
        kind = str(each.get("type") or "") if form == "events" and isinstance(each, Mapping) else ""
        known, text = sharegpt.role_and_text(each)
        named = each.get("role", "record") if isinstance(each, Mapping) else "record"
        role = kind or known or str(named)
        try:
            events = [] if kind == "metric" else events_of([each], form, dialect)
        except (ValueError, TypeError, RefusedError):
            events = []
        author = _AUTHORS.get("assistant" if role == "call" else role, "system")
        source = json.dumps(each, ensure_ascii=False, indent=1, default=str)
        wrong = faults.get(str(index), [])
        texts = [text] if known and not kind and not events else []
        items.append(Item(role, author, source, events, "\n".join([*texts, *wrong])))
    return items


def _wire(messages: list[Any], dialect: str, start: Start) -> Iterator[_Turn]:
    """Yield the texts of the model, each with the results at the start of the next message."""
    turns = [sharegpt.role_and_text(message) for message in messages]
    name, reason = resolved_in(messages, dialect)
    if name is None:
        yield "", f"no-dialect: {reason}", None
        return
    dialect = name
    written = [
        {"role": "user" if role == "tool" else role, "content": text} for role, text in turns
    ]
    pieces = message_spans(written, dialect, start=start)
    before = ""
    for index, message in enumerate(written):
        if message["role"] != "assistant":
            answered = [each.end for each in pieces[index] if each.author == "system"]
            is_asked = message["role"] == "user"
            before = message["content"][max(answered, default=0) if is_asked else 0 :]
            continue
        following = pieces[index + 1] if index + 1 < len(pieces) else []
        ends = [each.end for each in following if each.author == "system"]
        is_answer = bool(ends) and written[index + 1]["role"] == "user"
        results = written[index + 1]["content"][: ends[-1]] if is_answer else ""
        joint = notation(dialect).joint if results else ""
        yield before, f"{message['content']}{joint}{results}", dialect
        before = ""
