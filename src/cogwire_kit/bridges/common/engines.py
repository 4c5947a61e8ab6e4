# SPDX-License-Identifier: MIT
"""What the plugins for engines share: a reader of a format, the tools of a request, and calls.

A client of an engine runs the calls that it is given: no `execute` and no error reaches it.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from logging import Logger
from typing import Any, Final

import cogwire
from cogwire_kit.bridges.common.turns import name_and_args

#: The environment variable: with `1`, streams emit each call as soon as it is complete.
EARLY: Final = "COGWIRE_EARLY_CALLS"


class EngineReader:
    """Reads a text in one format, and emits a call only once nothing can void it.

    Unlike with sealed calls, prose after a call does not wait: a client gets it apart from the
    calls.  What is refused is logged, because the client gets nothing of it.
    """

    def __init__(
        self, dialect: str, logger: Logger, *, raw: bool = False, early: bool = False
    ) -> None:
        self._parser = cogwire.Parser(dialect, stream="token", raw=raw, clock=None)
        self._logger = logger
        self._is_early = early
        #: The calls without an `execute` so far; after an error there is none.
        self._waiting: list[cogwire.Event] = []

    def feed(self, text: str) -> list[cogwire.Event]:
        """Return the events that a piece of the text completes."""
        return list(self._released(self._parser.feed(text)))

    def close(self, *, finished: bool = True) -> list[cogwire.Event]:
        """Return what the end of the text completes, which the model ended if it is `finished`."""
        return list(self._released(self._parser.close(finished=finished)))

    def _released(self, events: Sequence[cogwire.Event]) -> Iterator[cogwire.Event]:
        for event in events:
            if event["type"] == "call" and not self._is_early:
                self._waiting.append(event)
                continue
            if event["type"] == "execute":
                yield from self._waiting
            elif event["type"] == "error":
                self._logger.warning(
                    "cogwire refused a call: %s at character %d of the text: %s",
                    *(event["code"], event["offset"], event["content"]),
                )
            yield event


def is_early() -> bool:
    """Return whether streams emit each call as soon as it is complete."""
    return os.environ.get(EARLY) == "1"


def toolset(tools: Any, dialect: str) -> cogwire.Toolset:
    """Return the tools of a request; those whose schema is refused are left out."""
    named = [
        {"name": tool.function.name, "parameters": tool.function.parameters or {}}
        for tool in tools or ()
        if hasattr(tool, "function")
    ]
    return cogwire.Toolset(named, dialect, strict=False)


def joined(events: Sequence[Mapping[str, Any]], kind: str) -> str:
    """Return the content of all events of a type."""
    return "".join(event["content"] for event in events if event["type"] == kind)


def calls(
    events: Sequence[cogwire.Event], tools: cogwire.Toolset | None
) -> Iterator[tuple[str, str]]:
    """Yield the name and the arguments of each call, as JSON that fits the schema of its tool."""
    for event in events:
        if event["type"] == "call" and tools is not None:
            (typed,) = tools.typed((event,))
            yield name_and_args(typed["content"])
