# SPDX-License-Identifier: MIT
"""Calls between a toolset and another library: how its tools run, and what their arguments are."""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from cogwire import Batch, Toolset, aio
from cogwire.tooling import WHITE, elements, members, notation, require_limit
from cogwire_kit.bridges._events import json_text
from cogwire_kit.bridges._outcomes import Outcome

Caller = Callable[[str, Mapping[str, Any]], Awaitable[Outcome]]


def caller(toolset: Toolset, timeout: float | None) -> Caller:
    """Return a function that checks and runs a call; whatever goes wrong in it is its failure.

    Raises `ValueError` for a tool without a function, and what `cogwire.aio.run` raises for a
    `timeout` that is not one.
    """
    require_limit(timeout)
    for tool in toolset.tools:
        if tool.function is None:
            why = f" ({tool.unbound})" if tool.unbound else ""
            raise ValueError(f"tool {tool.name!r} has no function to run{why}: declare it by one")
    # Arguments are JSON values, whatever the dialect of the toolset is.
    typed = toolset if toolset.dialect == "xml-json" else Toolset(toolset.tools)

    async def call(name: str, args: Mapping[str, Any]) -> Outcome:
        batch = Batch(clock=None)
        batch.take({"type": "call", "content": json_text({"name": name, "args": dict(args)})})
        batch.take({"type": "execute"})
        result = await aio.run(batch, typed, timeout=timeout)
        (item,) = elements(result["content"])
        content = dict(members(item))["content"]
        return Outcome("failure" if result["payload"]["failure_count"] else "success", content)

    return call


def name_and_args(content: str, toolset: Toolset | None = None) -> tuple[str, str]:
    """Return the name in the content of a `call` event, and the JSON text of its arguments.

    Arguments that are text in the dialect of a toolset have the types that the schema of their
    tool declares.
    """
    if toolset is not None and notation(toolset).is_text:
        name, args, _ = toolset.check(content)
        return name, json_text(args)
    texts = dict(members(content.strip(WHITE)))
    return json.loads(texts["name"]), texts.get("args", "{}")
