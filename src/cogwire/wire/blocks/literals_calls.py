# SPDX-License-Identifier: MIT
"""The formats of calls in literals, and of calls that are one text."""

from typing import Literal

from ...events import UNLIMITED, Limits
from ...text import WHITE
from ...text.json_text import members
from ...text.strict_json import quoted
from .interface import CallFormat, CallKind, Fault
from .literals_parts import MarkedText, PartReader
from .literals_reader import GemmaReader, LiteralReader, PythonReader

#: The notations of literals.
Style = Literal["python", "gemma"]


class Literals(CallFormat):
    """A name and args in the notation of Python or of Gemma."""

    kind: CallKind = "literals"

    def __init__(self, style: Style, quote: str, closer: str | None) -> None:
        """Read calls in this style; with a `closer`, they are on lines of their own before it."""
        self.style: Style = style
        self.quote = quote
        self.has_lists = style == "python"
        self.reads_closer = closer is not None
        self.closer = closer

    def reader(self, _closer: str, limits: Limits) -> LiteralReader:
        if self.style == "gemma":
            return GemmaReader(limits, self.quote)
        return PythonReader(limits, self.closer or "")


def python_json(text: str) -> str | None:
    """Return the JSON of a value in the notation of Python; `None` if it is not one."""
    call = f"[-(-={text})]"
    if text.rstrip(WHITE).endswith(","):  # it could end an argument, and makes a tuple
        return None
    reader = PythonReader(UNLIMITED)
    try:
        end = reader.read(call, 0, len(call))
    except Fault:
        return None
    if end < len(call) or len(reader.found) != 1:
        return None
    args = dict(members(reader.found[0][0]))["args"]
    named = dict(members(args))
    return named["-"] if len(named) == 1 else None


class Text(CallFormat):
    """One text, which is an argument of one tool."""

    kind: CallKind = "text"
    reads_closer: bool = True

    def __init__(self, tool: str, arg: str, margin: str, before: str, closer: str) -> None:
        """Read calls of `tool`; the value of `arg` lasts until the closer after a `margin`.

        `before` is the margin with which each opener ends, if it does.
        """
        self.tool = tool
        self.arg = arg
        self.margin = margin
        self.before = before
        self.closer: str | None = closer

    def reader(self, _closer: str, limits: Limits) -> "TextReader":
        return TextReader(self, limits)


class TextReader(PartReader):
    """Reads such calls, one by one."""

    __slots__ = ("_form",)

    def __init__(self, form: Text, limits: Limits) -> None:
        self._form = form
        super().__init__(limits)

    def open(self) -> None:
        super().open()
        self._steps = [self.count]

    def _read_on(self, text: str, pos: int, end: int) -> int:
        if pos == end:
            return pos
        form, part = self._form, self._part
        if part is None:
            self._begin_call(pos)
            self._tool = form.tool
            self._steps += ["args", form.arg]
            self._out.append(f'{{{quoted(form.arg)}: "')
            part = MarkedText(f"{form.margin}{form.closer}", self._show, form.margin, form.before)
            self._part = part
        pos = part.read(text, pos, end)
        if part.done:
            self._out.append('"}')
            self._end_call(pos)
            self.closed = True
        return pos
