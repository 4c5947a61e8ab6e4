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

Model = Callable[[list[cogwire.Message]], AsyncIterator[str]]
Tools = dict[str, Callable[..., object]]


async def answer(user: str, model: Model, tools: Tools, show: Callable[..., object]) -> None:
    """Let the model think and call tools until it has answered; show each event as it comes."""
    toolset = cogwire.Toolset(list(tools.values()))  # their signatures are the schemas
    chat = cogwire.Assembler(system=cogwire.render_prompt(toolset))
    chat.take({"type": "user", "content": user})
    for _ in range(20):
        batch, parser = cogwire.Batch(), cogwire.Parser(stream="token")
        answers: list[cogwire.Event] = []
        async with cogwire.aiter_events(model(chat.messages), parser) as events:
            async for event in events:
                chat.take(event)
                show(event)
                answers += batch.take(event)  # of a block that broke a rule, so that nothing runs
        if batch.is_open:
            answers.append(await aio.run(batch, toolset, timeout=30))
        if not answers:
            return
        show(*answers)
        chat.take(*answers)


def recorded(turns: Iterator[str]) -> Model:
    """Return a model that has said it all before: one turn a call, streamed token by token."""

    async def model(_messages: list[cogwire.Message]) -> AsyncIterator[str]:
        for token in re.findall(r"\s?\w{1,6}|\W", next(turns)):
            yield token

    return model


def file_tools(folder: Path) -> Tools:
    """Return tools for a folder: coroutines that never wait, so that a batch runs in order."""

    def inside(file: str) -> Path:
        root = folder.resolve()
        return root / root.joinpath(file).resolve().relative_to(root)  # raises for what is outside

    async def read(file: str) -> object:
        """Return the text of a file, or the value of one that ends in .json."""
        if not inside(file).exists():
            raise FileNotFoundError(f"there is no {file}")
        text = inside(file).read_text("utf-8")
        return json.loads(text) if file.endswith(".json") else text

    async def write(file: str, content: str) -> object:
        return {"bytes": inside(file).write_bytes(content.encode())}

    return {"read": read, "write": write}


if __name__ == "__main__":
    source = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as work:
        shutil.copytree(source / "files", work, dirs_exist_ok=True)
        texts = [path.read_text("utf-8") for path in sorted(source.glob("*.txt"))]
        asyncio.run(answer(texts[0], recorded(iter(texts[1:])), file_tools(Path(work)), print))
