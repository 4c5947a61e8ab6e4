"""cogency's own seams, answered by the core: its parser, its messages and its results.

This is a plugin of pytest: `run.py` loads it before cogency's tests import what they test.  The
core comes from `cogency/_wire`, where `cogwire vendor add` has copied it.
"""

from collections.abc import AsyncIterable, AsyncIterator
from types import ModuleType
from typing import Any

from cogency import replay, resume
from cogency._wire import Event, aiter_events, render_results, to_messages
from cogency.context import assembly, conversation
from cogency.core import accumulator, codec, parser
from cogency.core.protocols import ToolCall, ToolResult


async def parse_tokens(stream: AsyncIterable[str] | str) -> AsyncIterator[dict[str, Any] | Event]:
    """Give the events of a model's turn; what broke a rule is said to the user, as cogency does."""
    async for event in aiter_events(_chunk(stream) if isinstance(stream, str) else stream):
        if event["type"] == "error":
            text = f"Error: Malformed tool call syntax. {event['content']}"
            yield {"type": "respond", "content": text, "timestamp": event["timestamp"]}
        else:
            yield event


async def _chunk(text: str) -> AsyncIterator[str]:
    yield text


def format_results_array(calls: list[ToolCall], results: list[ToolResult]) -> str:
    """Return the results of a batch as JSON text, which cogency frames by itself."""
    items = [
        {
            "tool": call.name,
            "status": "failure" if result.error else "success",
            "content": result.outcome if result.error else result.content or result.outcome,
        }
        for call, result in zip(calls, results, strict=True)
    ]
    return render_results(items, framed=False)


#: What stands in for what, and the modules that have imported it.
SEAMS: dict[Any, tuple[ModuleType, ...]] = {
    parse_tokens: (parser, replay, resume),
    to_messages: (conversation, assembly),
    format_results_array: (codec, accumulator),
}

for function, modules in SEAMS.items():
    for module in modules:
        setattr(module, function.__name__, function)
