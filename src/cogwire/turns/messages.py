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
from copy import deepcopy
from functools import partial
from itertools import chain
from operator import methodcaller

from ..conversion.detect import looks_like, unnamed
from ..events import UNLIMITED, Event
from ..parser.parser import parse_transcript
from ..text import WHITE, short_repr
from ..wire.blocks.values import is_mapping
from ..wire.dialects import DEFAULT, Dialect, HasDialect, dialect_named
from ..wire.writing import writing_of
from .changes import Change, Noted, noting, report_of
from .history import Step, Steps, written_call
from .parts import (
    ROLE_OF,
    ROLES,
    Message,
    MessagePart,
    Role,
    message_of,
    parts_of,
    placeholder,
    read_turn,
)
from .storage import refused, skipping


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
    Raises `RenderError`, a subclass whose path is the index, for results in a format that has no
    markers for them, and `TypeError` for a `system` that is not text.
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
    anything but a message, and for one with calls in `tool_calls`, which are not in its text.  The
    default `dialect` is `xml-json`; but an assistant's text without a marker of it that looks like
    another dialect is then refused, naming that one.
    """
    wire = dialect_named(dialect or DEFAULT)
    events: list[Event] = []
    assistant: str | None = None
    for index, message in enumerate(messages):
        role, content = _read_message(index, message)
        if role != "system" and assistant is not None:
            if role == "user" and any(writing_of(wire).unsafe(content, "user")):
                turn, answer, rest = read_turn(assistant, content, wire)
                events += turn
                if answer is not None and answer["type"] == "result":
                    events.append(answer)
                    content = rest
            else:
                events += parse_transcript(assistant, wire, clock=None, limits=UNLIMITED)
            assistant = None
        if role == "assistant":
            if dialect is None and (names := looks_like(content, DEFAULT)):
                raise ValueError(f"message {index}: {unnamed(names)}")
            assistant = content
        elif role == "user" and (text := content.strip(WHITE)):
            events.append({"type": "user", "content": text})
    if assistant is not None:
        events += parse_transcript(assistant, wire, clock=None, limits=UNLIMITED)
    return events


# -- Writing messages -----------------------------------------------------------------------------


class Assembler:
    """Accepts the events of a history as they arrive, and returns its messages for a model.

    `messages` and `report` are always what `to_messages` returns for all events so far.  The cost
    of an event does not grow with the history: it changes at most the last message, and no other
    message is written again.  Reading `messages` or `report` copies the whole list.

    The steps of a history are its turns, each with its results, and the users' texts.  Only the
    last step can change.  When messages or report are read, those before it become parts, and all
    parts except those of the last message become messages.

    `system` is the text of a first message.  Without `strict`, an event that `take` would refuse is
    left out and reported, a call together with its result.  A format without results, such as
    `kimi-k2`, can be chosen for histories that have none; for any other history, reading the
    messages raises `RenderError`, after the tool has run.  Raises `ValueError` for a dialect that
    does not exist, and `TypeError` for a `system` that is not text.

    A copy is an independent assembler of the same history.
    """

    __slots__ = (
        "_dialect",
        "_ended",
        "_last_written",
        "_messages",
        "_noted",
        "_parts",
        "_steps",
    )

    def __init__(
        self,
        dialect: str | HasDialect = "xml-json",
        *,
        system: str | None = None,
        strict: bool = True,
    ) -> None:
        self._dialect = dialect_named(dialect)
        #: The messages that cannot change, and the changes in them and in the parts.
        self._messages: list[Message] = []
        self._noted: list[Noted] = []
        call_of = partial(written_call, wire=self._dialect)
        refuse = refused if strict else skipping(self._noted)
        self._steps = Steps(self._dialect.frame, call_of, refuse)
        #: The steps that cannot change and have not become parts.
        self._ended: list[Step] = []
        #: The parts of the last message that cannot change.
        self._parts: list[MessagePart] = []
        #: The messages and changes returned last, if no event has arrived since.
        self._last_written: tuple[list[Message], list[Noted]] | None = None
        if (text := _text_of(system)).strip(WHITE):
            self._messages.append({"role": "system", "content": text})

    def __copy__(self) -> "Assembler":
        return deepcopy(self)

    def __deepcopy__(self, memo: dict[int, object]) -> "Assembler":
        # A dialect is a value, to which caches refer.
        memo |= {id(shared): shared for shared in (self._dialect, self._dialect.frame)}
        other = Assembler.__new__(Assembler)
        for name in Assembler.__slots__:
            setattr(other, name, deepcopy(getattr(self, name), memo))
        return other

    @property
    def dialect(self) -> str:
        """The name of the dialect in which its messages are written."""
        return self._dialect.name

    @property
    def wire(self) -> Dialect:
        """The dialect itself."""
        return self._dialect

    def take(self, *events: Mapping[str, object]) -> None:
        """Take the next events, from memory or from storage.

        Raises `ValueError`, naming the index, for anything but an event, and for a call that no
        block can contain; neither it nor the events after it are then taken.
        """
        self._last_written = None
        for event in events:
            step = self._steps.take(event)
            if step is not None:
                self._ended.append(step)

    @property
    def messages(self) -> list[Message]:
        """The messages of the events so far, after the system message if there is one.

        They are new objects each time, so they may be changed.  Copying them takes time in
        proportion to their number, so read them once for each request rather than at each event.
        """
        messages, _ = self._write()
        return list(map(methodcaller("copy"), self._messages + messages))

    @property
    def report(self) -> list[Change]:
        """Every change, in the order of the events and, for one event, of `ChangeCode`."""
        _, noted = self._write()
        return report_of(self._noted + noted)

    def _write(self) -> tuple[list[Message], list[Noted]]:
        """Return the messages that can still change, and the changes in them."""
        if self._last_written is None:
            messages, noted, self._parts = self._written(self._ended)
            self._ended.clear()
            self._messages += messages
            self._noted += noted
            last = self._steps.last
            messages, noted, parts = self._written([] if last is None else [last])
            if parts:
                messages.append(message_of(parts, self._dialect, noting(noted)))
            self._last_written = messages, noted
        return self._last_written

    def _written(
        self, steps: Iterable[Step]
    ) -> tuple[list[Message], list[Noted], list[MessagePart]]:
        """Return the messages that end with these steps, and the parts of the one after them.

        Between the two are the changes.
        """
        messages: list[Message] = []
        noted: list[Noted] = []
        note = noting(noted)
        parts = [*self._parts]
        # First all parts, then all messages: alternating between the two takes a third longer.
        written = [parts_of(step, self._dialect, note) for step in steps]
        for part in chain.from_iterable(written):
            role = ROLE_OF[part.kind]
            if parts and (part.kind == "results" or ROLE_OF[parts[0].kind] != role):
                messages.append(message_of(parts, self._dialect, note))
                if ROLE_OF[parts[0].kind] == role:
                    between = placeholder(part, self._dialect)
                    messages.append(message_of([between], self._dialect, note))
                parts = []
            parts.append(part)
        return messages, noted, parts


def _text_of(system: object) -> str:
    if system is not None and not isinstance(system, str):
        raise TypeError(f"system must be the text of a message or None, not {system!r}")
    return system or ""


# -- Reading messages -----------------------------------------------------------------------------


def _read_message(index: int, message: object) -> tuple[Role, str]:
    if not is_mapping(message):
        raise ValueError(f"message {index}: not an object")
    role: Role | None = next((role for role in ROLES if role == message.get("role")), None)
    if role is None:
        what = f"{short_repr(message.get('role'))} is not a role ({', '.join(ROLES)})"
        raise ValueError(f"message {index}: {what}; bridges read others, and to_messages() events")
    if message.get("tool_calls") not in (None, []):  # these often have no content
        raise ValueError(f"message {index}: it has calls in `tool_calls`, which a bridge reads")
    if not isinstance(content := message.get("content"), str):
        raise ValueError(f"message {index}: `content` is not a string")  # noqa: TRY004 (bad data)
    return role, content
