# SPDX-License-Identifier: MIT
"""The args of calls whose values are text, as JSON, while they are being written."""

import json
from collections.abc import Callable
from itertools import islice
from typing import Any, Final

_encode: Final[Callable[[Any], str]] = json.encoder.encode_basestring


class TextArgs:
    """The args of one call after the other, and how much of them has been returned."""

    __slots__ = ("_complete", "_open", "_shown")

    def __init__(self) -> None:
        #: How many characters of the open call's args have been returned; how many arguments these
        #: contain in full; and how many characters of the next argument.
        self._shown = self._complete = self._open = 0

    def add(self, args: dict[str, str], key: str, value: str) -> str:
        """Return the new text of the open call's args.

        `args` are its complete arguments, `key` is the open one, if any, and `value` is the text
        that follows in its value.
        """
        pieces = [] if self._shown else ["{"]
        if len(args) > self._complete:
            new = islice(reversed(args.items()), len(args) - self._complete)
            for name, text in reversed(list(new)):
                pieces.append((self._begin(name) + _encode(text)[1:])[self._open :])
                self._open = 0
                self._complete += 1
        if key:
            piece = _encode(value)[1:-1]
            if not self._open:
                piece = self._begin(key) + piece
            self._open += len(piece)
            pieces.append(piece)
        written = "".join(pieces)
        self._shown += len(written)
        return written

    def _begin(self, name: str) -> str:
        return f'{", " * bool(self._complete)}{_encode(name)}: "'

    def end(self, tool: str, content: str) -> str:
        """Return the rest of the args in `content`, a complete call of `tool`."""
        begin = len(f'{{"name": {_encode(tool)}, "args": ') + self._shown
        self._shown = self._complete = self._open = 0
        return content[begin:-1]
