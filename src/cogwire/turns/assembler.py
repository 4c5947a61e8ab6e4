# SPDX-License-Identifier: MIT
"""The messages of a growing history."""

from collections.abc import Mapping
from copy import deepcopy
from functools import partial
from operator import methodcaller

from ..text.scan import WHITE
from ..wire.dialects import Dialect, HasDialect, dialect_named
from .calls import written_call
from .changes import Change, Note, Noted, noting, report_of
from .exchanges import Step, Steps
from .parts import ROLE_OF, Message, Part, message_of, parts_of, placeholder


class Assembler:
    """Accepts the events of a history as they arrive, and returns its messages for a model.

    `messages` and `report` are always what `to_messages` returns for all events so far.  The cost
    of an event does not grow with the history: it changes at most the last message, and no other
    message is written again.  Reading `messages` or `report` copies the whole list.

    The steps of a history are its turns, each with its results, and the users' texts.  Only the
    last step can change.  When messages or report are read, those before it become parts, and all
    parts except those of the last message become messages.

    `system` is the text of a first message.  Without `strict`, an event that `take` would refuse is
    left out and reported, a call together with its result.  Raises `ValueError` for a dialect that
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
        self._steps = Steps(self._dialect.frame, call_of, None if strict else noting(self._noted))
        #: The steps that cannot change and have not become parts.
        self._ended: list[Step] = []
        #: The parts of the last message that cannot change.
        self._parts: list[Part] = []
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

    def _write_ended(self) -> None:
        """Write the steps that have ended; if that fails, they are written the next time."""
        messages: list[Message] = []
        noted: list[Noted] = []
        note = noting(noted)
        parts, before = self._parts, len(self._parts)
        try:
            # First all parts, then all messages: alternating between the two takes a third longer.
            written = [parts_of(step, self._dialect, note) for step in self._ended]
            for new in written:
                parts = self._add(new, parts, messages, note)
        except BaseException:
            del self._parts[before:]
            raise
        self._ended.clear()
        self._parts = parts
        self._messages += messages
        self._noted += noted

    def _write(self) -> tuple[list[Message], list[Noted]]:
        """Return the messages that can still change, and the changes in them."""
        if self._last_written is None:
            self._write_ended()
            messages: list[Message] = []
            noted: list[Noted] = []
            note = noting(noted)
            parts = self._parts
            if self._steps.last is not None:
                new = parts_of(self._steps.last, self._dialect, note)
                parts = self._add(new, [*parts], messages, note)
            if parts:
                messages.append(message_of(parts, self._dialect, note))
            self._last_written = messages, noted
        return self._last_written

    def _add(
        self, new: list[Part], parts: list[Part], messages: list[Message], note: Note
    ) -> list[Part]:
        """Add the `new` parts of a step to `parts`; return those of the last message.

        The messages before it are appended to `messages`.
        """
        for part in new:
            role = ROLE_OF[part.kind]
            if parts and (part.kind == "results" or ROLE_OF[parts[0].kind] != role):
                messages.append(message_of(parts, self._dialect, note))
                if ROLE_OF[parts[0].kind] == role:
                    between = placeholder(part, self._dialect)
                    messages.append(message_of([between], self._dialect, note))
                parts = []
            parts.append(part)
        return parts


def _text_of(system: object) -> str:
    if system is not None and not isinstance(system, str):
        raise TypeError(f"system is the text of a message or None, not {system!r}")
    return system or ""
