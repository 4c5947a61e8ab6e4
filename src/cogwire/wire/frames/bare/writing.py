# SPDX-License-Identifier: MIT
"""Writes calls that need no marker: each after its tag, because prose may precede it."""

import re
from collections.abc import Iterator
from typing import Final

from ....text.scan import WHITE
from ..frame import TextKind
from ..wrapped.writing import WrappedWriting
from .frame import Bare
from .markers import BRACE

_BEGINS_CALL: Final = re.compile(rf"[{WHITE}]*(?={re.escape(BRACE)})")


class BareWriting(WrappedWriting):
    """Writes each call after its tag; no prose may begin with a brace."""

    def unsafe(self, text: str, kind: TextKind) -> Iterator[tuple[int, int]]:
        if kind == "respond" and (found := _BEGINS_CALL.match(text)):
            yield found.end(), found.end() + 1
        yield from super().unsafe(text, kind)


def writing_of(frame: Bare) -> BareWriting:
    """Return the writer of the parts that `frame` reads."""
    return BareWriting(frame)
