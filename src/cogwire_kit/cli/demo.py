# SPDX-License-Identifier: MIT
"""`cogwire demo`: the agent loop of `examples/`, on its recordings, with everything shown."""

import asyncio
import runpy
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Final

import click

from cogwire import Event, Message
from cogwire_kit.cli.options import color_option, exit_codes
from cogwire_kit.cli.painter import Painter, on_stdout
from cogwire_kit.texts.words import counted

_HERE: Final = Path(__file__).parents[1]
#: The examples are beside the kit where it is installed, and at the top of a checkout.
EXAMPLES: Final = next(
    place for place in (_HERE / "_examples", _HERE.parents[1] / "examples") if place.is_dir()
)
_TOKEN_SECONDS: Final = 0.012

_END: Final = """\b
Examples:
  cogwire demo
  cogwire demo --fast --color never""" + exit_codes({2: "wrong usage"})


@click.command(epilog=_END, short_help="Run an agent loop on recorded model turns.")
@click.option("--fast", is_flag=True, help="Do not wait between the tokens.")
@color_option
def demo(color: str, *, fast: bool) -> None:
    """Run an agent loop on recorded model turns, without a network.

    The turns stream in token by token, their calls are checked against the schemas of real tools
    and run on files in a temporary folder, and what the model would be sent next is shown.  The
    loop is examples/agent_loop.py, made to be copied.
    """
    run(on_stdout(color, offsets=False), slow=sys.stdout.isatty() and not fast)


def run(painter: Painter, *, slow: bool) -> None:
    """Replay every recording; `slow` waits a little after each token, as a model would."""
    counts: Counter[str] = Counter()
    for recording in sorted((EXAMPLES / "recordings").iterdir()):
        counts += asyncio.run(_Replay(painter, recording, slow=slow).run())
    painter.note(
        f"\n{counted(counts['turns'], 'turn')}; {counted(counts['ran'], 'call')}, "
        f"{counts['failed']} of them failed; "
        f"{counted(counts['void'], 'void block')}, of which nothing ran.",
        "bold",
    )
    painter.note(f"The loop, to be copied: {EXAMPLES / 'agent_loop.py'}")


class _Replay:
    """One recording: a user's message, the turns of a model, and the files they work on."""

    def __init__(self, painter: Painter, recording: Path, *, slow: bool) -> None:
        self._painter = painter
        self._recording = recording
        self._pause = _TOKEN_SECONDS if slow else 0
        self._sent = 0
        self._counts: Counter[str] = Counter()

    async def run(self) -> Counter[str]:
        user, *turns = (path.read_text("utf-8") for path in sorted(self._recording.glob("*.txt")))
        self._painter.note(f"\n=== {user.strip()}", "bold")
        loop = runpy.run_path(str(EXAMPLES / "agent_loop.py"))
        self._recorded = loop["recorded"](iter(turns))
        with tempfile.TemporaryDirectory(prefix="cogwire-") as work:
            shutil.copytree(self._recording / "files", work, dirs_exist_ok=True)
            self._toolset = loop["file_tools"](Path(work))
            await loop["answer"](user.strip(), [], self._model, self._toolset, self._show)
            self._show_files(Path(work))
        return self._counts

    async def _model(self, messages: list[Message]) -> AsyncIterator[str]:
        """Show what the model is sent, then stream what it once answered."""
        self._show_messages(messages)
        self._counts["turns"] += 1
        self._painter.note(f"\n--- turn {self._counts['turns']}, as it streams in", "bold")
        async with aclosing(self._recorded(messages)) as tokens:
            async for token in tokens:
                yield token
                await asyncio.sleep(self._pause)

    def _show_messages(self, messages: list[Message]) -> None:
        """Show the messages that were not there in the turn before."""
        self._painter.note("\n--- messages for the next turn", "bold")
        if self._sent:
            self._painter.line("", f"({self._sent} as before, and:)", "bright_black")
        for message in messages[self._sent :]:
            content = message["content"]
            if message["role"] == "system":
                tools = " and ".join(self._toolset.names)
                content = f"{content.splitlines()[0]} ... ({len(content)} characters: the "
                content += f"format, and the tools {tools})"
            self._painter.line(message["role"], content, "bright_black")
        self._sent = len(messages)

    def _show(self, event: Event) -> None:
        self._painter.event(event)
        if event["type"] == "call":
            for problem in self._toolset.check(event).problems:
                self._painter.line("problem", problem["message"], "red")
        elif event["type"] == "error":
            self._counts["void"] += 1
        elif event["type"] == "result" and event["payload"]["tools_executed"]:
            self._counts["ran"] += event["payload"]["tools_executed"]
            self._counts["failed"] += event["payload"]["failure_count"]

    def _show_files(self, folder: Path) -> None:
        self._painter.note("\n--- the files now", "bold")
        for path in sorted(folder.iterdir()):
            self._painter.line("", f"{path.name}: {path.read_text('utf-8').rstrip()}", "default")
