# SPDX-License-Identifier: MIT
"""From events to the messages of a chat, and back.

A history is read event by event (`Assembler`), in four stages:

    EventReader        stored or live events, in one spelling, with deltas joined
    Steps              the events that storage keeps, as turns with their results, and users' texts
    parts_of           parts: a segment, a block, results, a turn replayed, a user's text
    message_of         adjacent parts of one role as one message

Law: one more event changes at most the last message.  So a turn never depends on what follows its
result, and a block whose results were written does not change.

Rules: spec/messages.md.
"""

from collections.abc import Iterable, Mapping

from ..conversion.detect import looks_like, unnamed
from ..events import UNLIMITED, Event
from ..parser.parser import parse_transcript
from ..text.scan import WHITE
from ..wire.dialects import DEFAULT, HasDialect, dialect_named
from .assembler import Assembler
from .changes import Change
from .parts import ROLES, Message, Role, read_answer, void_block
from .storage import is_members


def to_messages(
    events: Iterable[Mapping[str, object]],
    dialect: str | HasDialect = "xml-json",
    *,
    system: str | None = None,
    report: list[Change] | None = None,
    strict: bool = True,
) -> list[Message]:
    """Return `events` as messages for a model, after a `system` message if one is given.

    `events` may come from memory or from storage, with the same messages.  Every change is appended
    to `report`, in the order of the events and, for one event, of `ChangeCode`.  Raises
    `ValueError`, naming the index, for anything but an event, and for a call that no block can
    contain; without `strict` these are left out and reported, a call together with its result.
    Raises `TypeError` for a `system` that is not text.
    """
    assembler = Assembler(dialect, system=system, strict=strict)
    assembler.take(*events)
    if report is not None:
        report += assembler.report
    return assembler.messages


def from_messages(
    messages: Iterable[Mapping[str, object]], dialect: str | HasDialect | None = None
) -> list[Event]:
    """Return the events that `messages` express; system messages are left out.

    The events have whole segments and no timestamps.  Raises `ValueError`, naming the index, for
    anything but a message.  The default `dialect` is `xml-json`; but an assistant's text without a
    marker of it that looks like another dialect is then refused, naming that one.
    """
    wire = dialect_named(dialect or DEFAULT)
    events: list[Event] = []
    block: str | None = None
    for index, message in enumerate(messages):
        role, content = _read_message(index, message)
        if role == "assistant":
            if dialect is None and (names := looks_like(content, DEFAULT)):
                raise ValueError(f"message {index}: {unnamed(names)}")
            parsed = parse_transcript(content, wire, clock=None, limits=UNLIMITED)
            events += parsed
            block = content if parsed and parsed[-1]["type"] == "execute" else void_block(wire)
        elif role == "user":
            if block is not None:
                answer, rest = read_answer(block, content, wire)
                if answer is not None and answer["type"] == "result":
                    events.append(answer)
                    content = rest
                block = None
            if text := content.strip(WHITE):
                events.append({"type": "user", "content": text})
    return events


# -- Reading messages -----------------------------------------------------------------------------


def _read_message(index: int, message: object) -> tuple[Role, str]:
    if not is_members(message):
        raise ValueError(f"message {index}: not an object")
    content = message.get("content")
    role: Role | None = next((role for role in ROLES if role == message.get("role")), None)
    if role is None:
        raise ValueError(f"message {index}: {message.get('role')!r} is not a role")
    if not isinstance(content, str):
        raise ValueError(f"message {index}: `content` is not a string")  # noqa: TRY004 (bad data)
    return role, content
