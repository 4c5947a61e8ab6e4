# SPDX-License-Identifier: MIT
"""What the plugins for engines share: a parser of a format, the tools of a request, and calls."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import cogwire
from cogwire_kit.bridges.common.turns import name_and_args


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
