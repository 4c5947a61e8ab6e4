# SPDX-License-Identifier: MIT
"""A model of text that is wrapped, so that it calls tools: what it is taught, and what it answers.

Law: a call that a turn returns is final, and may run.  A block that broke a rule is a call of the
reserved tool `execute`, which no agent has: whatever an agent answers, the model reads what was
wrong with the block.
"""

import warnings
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any

import cogwire
from cogwire import Change, Event, Parser, Toolset, render_prompt
from cogwire.tooling import RESERVED_NAME
from cogwire_kit.bridges.common.outcomes import json_text
from cogwire_kit.bridges.common.reading import VOID_MEMBER, Events
from cogwire_kit.bridges.common.reasons import cut_of
from cogwire_kit.bridges.common.turns import Broken, Finished, Pieces, TextPiece, WholeCall


def taught(
    definitions: Iterable[Mapping[str, Any]], dialect: str, *, needed: Container[str] = ()
) -> tuple[Toolset, str]:
    """Return the tools of a request, and the prompt that teaches a model to call them.

    A tool whose schema is refused is left out, with a warning: the others are of use without it.
    Raises `ValueError` if it is one of those that are `needed`, or has the reserved name, by which
    an agent would run it for a void block.
    """
    toolset = Toolset(definitions, dialect, strict=False)
    for tool in toolset.refused:
        message = f"{tool.name!r} cannot be called through text: {tool.message}"
        if tool.name == RESERVED_NAME or tool.name in needed:
            raise ValueError(message)
        warnings.warn(message, stacklevel=2)
    return toolset, render_prompt(toolset) if toolset.tools else ""


def texts_by(role: str, events: Events, dialect: str) -> list[str]:
    """Return the texts of one role's messages in a turn.

    Raises `ValueError`, naming the message, if a call or a result of the turn has no place in them.
    """
    report: list[Change] = []
    messages = cogwire.to_messages(events.events, dialect, report=report, strict=False)
    lost = [(entry["index"], entry) for entry in events.entries]
    lost += ((events.places[entry["index"]], entry) for entry in report)
    for index, entry in lost:
        if entry["code"] in ("skipped", "surplus"):
            raise ValueError(f"message {index} cannot be sent whole: {entry['message']}")
    return [message["content"] for message in messages if message["role"] == role]


def native_call(name: str) -> str:
    """Return why a call is refused that the wrapped model made through its API."""
    return (
        f"the wrapped model called {name!r} through its API and not in its text, where its calls "
        "are read: turn off its own tools and the tool parser of its server, or use it unwrapped"
    )


class TurnReader:
    """Reads the turn that a wrapped model writes: its texts, and the calls that may run."""

    def __init__(self, toolset: Toolset) -> None:
        self._parser = Parser(toolset, stream="token", calls="sealed", clock=None)
        self._pieces = Pieces(toolset=toolset)
        #: Whether it has a call that may run.
        self.has_calls = False

    @property
    def is_over(self) -> bool:
        """Whether the turn has ended, so that later text is not part of it."""
        return self._parser.stopped

    def feed(self, text: str) -> Iterator[TextPiece | WholeCall]:
        """Yield what the text completes."""
        return self._read(self._parser.feed(text))

    def close(
        self, reasons: Iterable[object] = (), *, is_cut: bool = False
    ) -> Iterator[TextPiece | WholeCall]:
        """Yield what the end of the text completes.

        The model ended the turn unless it `is_cut` or one of the reasons says something else.
        """
        is_cut = is_cut or bool(cut_of(("reason", each) for each in reasons))
        return self._read(self._parser.close(finished=not is_cut))

    def _read(self, events: Iterable[Event]) -> Iterator[TextPiece | WholeCall]:
        for event in events:
            for piece in self._pieces.take(event):
                if isinstance(piece, TextPiece):
                    yield piece
                elif isinstance(piece, Finished):
                    self.has_calls = bool(piece.calls)
                    yield from piece.calls
                elif isinstance(piece, Broken):
                    yield WholeCall("", RESERVED_NAME, json_text({VOID_MEMBER: piece.message}))
