"""An agent loop on cogwire: copy `answer`, and give it your model, your tools and your screen.

To replay a recording: python examples/agent_loop.py examples/recordings/config
"""

import asyncio
import json
import re
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import cogwire
from cogwire import aio

Model = Callable[[list[cogwire.Message]], AsyncIterator[str | cogwire.Finish]]
Show = Callable[[cogwire.StoredEvent], object]


async def answer(
    user: str, history: list[cogwire.StoredEvent], model: Model, tools: cogwire.Toolset, show: Show
) -> list[cogwire.StoredEvent]:
    """Let the model think and call tools until it has answered; return the history, which grows.

    If it has not, or its answer was cut, an error event says so, to the user alone.  If the user
    cancels this or the stream breaks, `history` has all that there was: store it.
    """
    messages = cogwire.Assembler(tools, system=cogwire.render_prompt(tools))
    messages.take(*history)

    def add(event: cogwire.StoredEvent) -> None:
        history.append(event)
        messages.take(event)
        show(event)

    add({"type": "user", "content": user})
    is_cut = False
    for _ in range(20):
        batch = cogwire.Batch(tools)
        parser = cogwire.Parser(tools, stream="token")
        async with cogwire.aiter_events(model(messages.messages), parser) as events:
            try:
                async for event in events:
                    batch.take(event)
                    add(event)
                if batch.is_open:
                    await aio.run(batch, tools, sequential=True)  # a call may rely on one before it
            except BaseException as problem:
                is_cancelled = isinstance(problem, asyncio.CancelledError)
                last = events.cut("cancelled" if is_cancelled else "interrupt")
                for event in batch.take_last(last):
                    add(event)
                raise
            if batch.result:  # also the answer to a block that broke a rule, of which none ran
                add(batch.result)
        is_cut = events.is_cut
        if not batch.result:
            break
    if history[-1]["type"] not in ("respond", "end"):
        add({"type": "error", "content": "The model has not answered."})
    elif is_cut:
        add({"type": "error", "content": "The model's answer was cut."})
    return history


def recorded(turns: Iterator[str]) -> Model:
    """Return a model that has said it all before: one turn a call, streamed token by token."""

    async def model(_messages: list[cogwire.Message]) -> AsyncIterator[str | cogwire.Finish]:
        for token in re.findall(r"\s?\w{1,6}|\W", next(turns)):
            yield token

    return model


def file_tools(folder: Path) -> cogwire.Toolset:
    """Return tools for a folder."""

    def inside(file: str) -> Path:
        root = folder.resolve()
        return root / root.joinpath(file).resolve().relative_to(root)  # raises for what is outside

    def read(file: str) -> object:
        """Return the text of a file, or the value of one that ends in .json."""
        if not inside(file).exists():
            raise FileNotFoundError(f"there is no {file}")
        text = inside(file).read_text("utf-8")
        return json.loads(text) if file.endswith(".json") else text

    def write(file: str, content: str) -> object:
        return {"bytes": inside(file).write_bytes(content.encode())}

    return cogwire.Toolset([read, write])


if __name__ == "__main__":
    source = Path(sys.argv[1]) if sys.argv[1:] else sys.exit(__doc__)
    paths = sorted(source.glob("*.txt")) or sys.exit(f"{source}: there is no recording here")
    with tempfile.TemporaryDirectory() as work:
        shutil.copytree(source / "files", work, dirs_exist_ok=True)
        model = recorded(path.read_text("utf-8") for path in paths[1:])
        asyncio.run(answer(paths[0].read_text("utf-8"), [], model, file_tools(Path(work)), print))
