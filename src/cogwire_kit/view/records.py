# SPDX-License-Identifier: MIT
"""The transcripts in a record of messages or events: its turns, each with its results."""

from collections.abc import Iterator
from typing import Any

from cogwire import Event, RenderError, render_events
from cogwire.tooling import notation
from cogwire_kit.bridges import sharegpt
from cogwire_kit.masks import message_spans
from cogwire_kit.records import events_of, form_of, members_in
from cogwire_kit.texts.dialects import AUTO, resolved_or_trained
from cogwire_kit.view.page import Document

_START = 40


def documents(record: Any, name: str, dialect: str) -> list[Document]:
    """Return the turns of a record, as `cogwire lint` reads it, each as a transcript.

    A turn of OpenAI's, Anthropic's or ShareGPT's messages, and of events, is written in `dialect`;
    what a user and a system wrote begins a turn, and is its name.
    """
    found: list[Document] = []
    for pointer, kind, given in members_in(record):
        member = pointer.removeprefix("/")
        if isinstance(given, str):
            found.append(document(name, given, dialect))
        elif given:
            form = form_of(given, kind, dialect)
            turns = (
                _wire(given, dialect) if form == "wire" else _turns(events_of(given, form), dialect)
            )
            for number, (before, text, turn_dialect) in enumerate(turns, 1):
                start = " ".join(before.split())
                asked = f", after {start[:_START]!r}" if start else ""
                title = f"{name}, {member}, turn {number}{asked}"
                found.append(Document(title, text, turn_dialect))
    return found


def document(name: str, text: str, dialect: str) -> Document:
    """Return a transcript in `dialect`, or in the one that is detected."""
    found, reason = resolved_or_trained(dialect, text)
    return Document(name, text if found else f"no-dialect: {reason}", found)


#: What was said before a turn, its text, and its dialect, or None and why it cannot be shown.
_Turn = tuple[str, str, str | None]


def _turns(events: list[Event], dialect: str) -> Iterator[_Turn]:
    written_in = "xml-json" if dialect == AUTO else dialect
    turn: list[Event] = []
    before = ""
    for event in [*events, None]:
        if event is not None and event["type"] != "user":
            turn.append(event)
            continue
        if turn:
            try:
                yield before, render_events(turn, written_in), written_in
            except RenderError as problem:
                yield before, f"not-written: {problem}", None
        turn, before = [], "" if event is None else str(event["content"])


def _wire(given: list[Any], dialect: str) -> Iterator[_Turn]:
    """Yield the texts of the model, each with the results at the start of the next message."""
    said = [sharegpt.role_and_text(message) for message in given]
    texts = [text for role, text in said if role == "assistant"]
    name, reason = resolved_or_trained(dialect, *texts, mode="turn")
    if name is None:
        yield "", f"no-dialect: {reason}", None
        return
    dialect = name
    messages = [
        {"role": "user" if role == "tool" else role, "content": text} for role, text in said
    ]
    pieces = message_spans(messages, dialect)
    before = ""
    for index, message in enumerate(messages):
        if message["role"] != "assistant":
            answered = [each.end for each in pieces[index] if each.author == "system"]
            is_asked = message["role"] == "user"
            before = message["content"][max(answered, default=0) if is_asked else 0 :]
            continue
        following = pieces[index + 1] if index + 1 < len(pieces) else []
        ends = [each.end for each in following if each.author == "system"]
        is_answer = bool(ends) and messages[index + 1]["role"] == "user"
        results = messages[index + 1]["content"][: ends[-1]] if is_answer else ""
        joint = notation(dialect).joint if results else ""
        yield before, f"{message['content']}{joint}{results}", dialect
        before = ""
