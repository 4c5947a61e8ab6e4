"""openai-harmony: Rust, called from Python token by token.

Its vocabulary is not in its package.  It would download it, were it not for litellm, which is
installed beside it for that one file.
"""

import json
import os
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from readers.base import Reader
from turns import Turn, dumped

spec = find_spec("litellm")
if spec and spec.origin:
    place = Path(spec.origin).with_name("litellm_core_utils") / "tokenizers"
    os.environ.setdefault("TIKTOKEN_RS_CACHE_DIR", str(place))

from openai_harmony import Role, StreamableParser, load_harmony_encoding  # noqa: E402

ENCODING = load_harmony_encoding("HarmonyGptOss")


class Harmony(Reader):
    """Takes tokens; what a chunk costs is reckoned for as much text as cogwire's chunk has."""

    note = (
        "Takes the tokens of its own vocabulary: the time is that of as many as have the text of a "
        "chunk. Whether a call is JSON it does not ask."
    )

    def written(self, turn: Turn) -> str:
        """Return the turn in channels."""
        parts = [f"<|channel|>analysis<|message|>{turn.think}<|end|>"] * bool(turn.think)
        parts += [f"<|channel|>commentary<|message|>{turn.prose}<|end|>"] * bool(turn.prose)
        parts += [
            f"<|channel|>commentary to=functions.{call['name']} <|constrain|>json"
            f"<|message|>{dumped(call['args'])}<|call|>"
            for call in turn.calls
        ]
        return "<|start|>assistant".join(parts)

    def chunks(self, turn: Turn, size: int) -> Sequence[Any]:
        """Return the tokens, however long they are."""
        del size
        return ENCODING.encode(self.written(turn), allowed_special="all")

    def units(self, chunks: Sequence[Any], turn: Turn, size: int) -> float:
        """Return how many chunks the text would have."""
        del chunks
        return len(self.written(turn)) / size

    def start(self) -> tuple[Callable[[Any], Any], Callable[[], Any]]:
        """Return what takes a token and asks where it belongs and what it adds."""
        parser = StreamableParser(ENCODING, role=Role.ASSISTANT)
        process = parser.process

        def feed(token: int) -> Any:
            process(token)
            return parser.current_channel, parser.last_content_delta

        return feed, lambda: parser.messages

    def seen(self, outputs: list[Any]) -> Turn:
        """Read the messages, and see that the deltas are what they say."""
        *deltas, messages = outputs
        said = {"analysis": "", "commentary": ""}
        calls = []
        for message in messages:
            text = "".join(part.text for part in message.content)
            if message.recipient:
                name = message.recipient.removeprefix("functions.")
                calls.append({"name": name, "args": json.loads(text)})
            else:
                said[message.channel] += text
        joined = "".join(delta or "" for _, delta in deltas)
        if said["analysis"] not in joined or said["commentary"] not in joined:
            raise ValueError("the deltas are not the messages")
        return Turn(said["analysis"], said["commentary"], calls)


READERS = {"": Harmony()}
