# SPDX-License-Identifier: MIT
"""The args of calls whose values are text, as JSON, while they are being written."""

from itertools import islice

from ...text.strict_json import quoted


class Json(str):
    """A value that is written as JSON, and not as text."""

    __slots__ = ()


def spelled(value: str) -> str:
    """Return a value as JSON."""
    return value if value.__class__ is Json else quoted(value)


class TextArgs:
    """The args of one call after the other, and how much of them has been returned."""

    __slots__ = ("_complete", "_is_quoted", "_open", "_shown")

    def __init__(self) -> None:
        #: How many characters of the open call's args have been returned; how many arguments these
        #: contain in full; how many characters of the next argument, and whether a quote is there.
        self._shown = self._complete = self._open = 0
        self._is_quoted = False

    def add(self, args: dict[str, str], key: str, value: str | None) -> str:
        """Return the new text of the open call's args.

        `args` are its complete arguments, `key` is the open one, if any, and `value` is the text
        that follows in its value; `None` if what the value is is not known yet.
        """
        if self._is_quoted and value and len(args) == self._complete:
            piece = quoted(value)[1:-1]  # as for most chunks
            self._open += len(piece)
            self._shown += len(piece)
            return piece
        pieces = [] if self._shown else ["{"]
        if len(args) > self._complete:
            new = islice(reversed(args.items()), len(args) - self._complete)
            for name, text in reversed(list(new)):
                pieces.append((self._begin(name) + spelled(text))[self._open :])
                self._open = 0
                self._is_quoted = False
                self._complete += 1
        if key:
            piece = "" if self._open else self._begin(key)
            if isinstance(value, Json):
                piece += value
            elif value is not None:
                quote = "" if self._is_quoted else '"'
                self._is_quoted = True
                piece += quote + quoted(value)[1:-1]
            self._open += len(piece)
            pieces.append(piece)
        written = "".join(pieces)
        self._shown += len(written)
        return written

    def _begin(self, name: str) -> str:
        return f"{', ' * bool(self._complete)}{quoted(name)}: "

    def end(self, tool: str, content: str) -> str:
        """Return the rest of the args in `content`, a complete call of `tool`."""
        begin = len(f'{{"name": {quoted(tool)}, "args": ') + self._shown
        self._shown = self._complete = self._open = 0
        self._is_quoted = False
        return content[begin:-1]
