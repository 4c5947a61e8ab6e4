# SPDX-License-Identifier: MIT
"""The tools of a toolset in another library: their names, their schemas, and how they run."""

import inspect
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from cogwire import Batch, Toolset, aio
from cogwire.tooling import Tool, elements, members, require_timeout
from cogwire_kit.bridges.common.outcomes import CallOutcome, failure, json_text

#: The characters that every API accepts in the names of tools and in the ids of calls.
NOT_IN_NAMES: Final = re.compile(r"[^a-zA-Z0-9_-]")
#: The longest name that the APIs accept.
LONGEST_NAME: Final = 64

Caller = Callable[[str, Mapping[str, Any]], Awaitable[CallOutcome]]


class Distinct:
    """Gives out ids, none of them twice: a repeated one gets a number."""

    def __init__(self, longest: int | None = None) -> None:
        self._longest = longest
        self._ids: set[str] = set()
        #: How often each id was used, which is the number that makes the next one distinct.
        self._given: dict[str, int] = {}

    def id_of(self, wanted: str) -> str:
        """Return the wanted id, or a free one like it."""
        base = wanted[: self._longest]
        found, number = base, self._given.get(base, 1)
        while found in self._ids:
            number += 1
            end = f"_{number}"
            found = (base if self._longest is None else base[: self._longest - len(end)]) + end
        self._given[base] = number
        self._ids.add(found)
        return found


def declared(toolset: Toolset) -> list[tuple[Tool, dict[str, Any]]]:
    """Return the tools of a toolset, each with its schema, which is of an object.

    Raises `ValueError` for a name that APIs refuse.
    """
    for tool in toolset.tools:
        if NOT_IN_NAMES.search(tool.name) or len(tool.name) > LONGEST_NAME:
            raise ValueError(
                f"tool {tool.name!r}: its name must be of at most {LONGEST_NAME} letters, digits, "
                "hyphens and underscores"
            )
    return [(tool, {**tool.parameters, "type": "object"}) for tool in toolset.tools]


def caller(toolset: Toolset, timeout: float | None) -> Caller:
    """Return a function that checks and runs a call; whatever goes wrong in it is its failure.

    Raises `ValueError` for a tool without a function, and what `cogwire.aio.run` raises for a
    `timeout` that is not one.
    """
    require_timeout(timeout)
    for tool in toolset.tools:
        if tool.function is None:
            why = f" ({tool.unbound})" if tool.unbound else ""
            raise ValueError(f"tool {tool.name!r} has no function to run{why}: declare it by one")
    # Arguments are JSON values, whatever the dialect of the toolset is.
    typed = toolset if toolset.dialect == "xml-json" else Toolset(toolset.tools)

    async def call(name: str, args: Mapping[str, Any]) -> CallOutcome:
        batch, given = Batch(clock=None), {"name": name, "args": dict(args)}
        try:
            batch.take({"type": "call", "content": json_text(given)})
        except ValueError as problem:  # the model may have written NaN, or half a character
            wrong = typed.check(given).problems
            return failure("\n".join(each["message"] for each in wrong) or str(problem))
        batch.take({"type": "execute"})
        result = await aio.run(batch, typed, timeout=timeout)
        (item,) = elements(result["content"])
        content = dict(members(item))["content"]
        return CallOutcome("failure" if result["payload"]["failure_count"] else "success", content)

    return call


def then(value: Any, convert: Callable[[Any], object]) -> object:
    """Convert what a tool returned, after awaiting it if necessary."""

    async def wait() -> object:
        return convert(await value)

    return wait() if inspect.isawaitable(value) else convert(value)
