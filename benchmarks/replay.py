"""What a snapshot saves a server that keeps nothing between the chunks of a stream.

Such a server is sent all earlier chunks with each new one, and reads them again, as is proposed for
the renderers of vLLM (vllm-project/vllm#47161).  With a snapshot it is sent the state of the parser
instead: `python -m benchmarks.replay` prints both for turns of several lengths in `hermes`.
"""

import json
import time
from collections.abc import Callable, Iterator
from typing import Final

from cogwire import Parser

#: In characters, about a token.
CHUNK: Final = 4
#: The turns, in chunks.
LENGTHS: Final = (1000, 2000, 4000)


def turn(chunks: int) -> list[str]:
    """Return a turn that thinks for most of the time, and ends with a call, in chunks."""
    arguments = {"path": "notes.md", "text": "one line\n" * 20}
    call = json.dumps({"name": "write", "arguments": arguments})
    end = f"</think>I write it.\n<tool_call>\n{call}\n</tool_call>"
    thought = "So the file has to be read before. "
    size = chunks * CHUNK - len("<think>") - len(end)
    text = f"<think>{(thought * size)[:size]}{end}"
    return [text[at : at + CHUNK] for at in range(0, len(text), CHUNK)]


def replayed(chunks: list[str]) -> Iterator[str]:
    """Read all chunks so far with each new one, and yield what has to be sent for it."""
    for number in range(len(chunks)):
        parser = Parser("hermes", stream="token", clock=None)
        for chunk in chunks[: number + 1]:
            parser.feed(chunk)
        yield json.dumps(chunks[: number + 1])


def restored(chunks: list[str]) -> Iterator[str]:
    """Read each chunk with the state after the one before, and yield what has to be sent for it."""
    state = json.dumps(Parser("hermes", stream="token", clock=None).snapshot())
    for chunk in chunks:
        sent = json.dumps([json.loads(state), chunk])
        parser = Parser.restore(json.loads(sent)[0], clock=None)
        parser.feed(chunk)
        state = json.dumps(parser.snapshot())
        yield sent


def measured(way: Callable[[list[str]], Iterator[str]], chunks: list[str]) -> tuple[float, int]:
    """Return how many seconds of a processor a way takes, and how many bytes are sent."""
    began = time.process_time()
    size = sum(map(len, way(chunks)))
    return time.process_time() - began, size


def main() -> None:
    """Print a line for each turn."""
    print("chunks   replayed          restored")
    for length in LENGTHS:
        chunks = turn(length)
        found = (measured(way, chunks) for way in (replayed, restored))
        told = (f"{seconds:7.2f} s {size / 1e6:5.1f} MB" for seconds, size in found)
        print(f"{length:6}", *told)


if __name__ == "__main__":
    main()
