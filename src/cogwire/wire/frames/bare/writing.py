# SPDX-License-Identifier: MIT
"""Writes calls that need no marker: each after its tag, because prose may precede it."""

from ..wrapped.writing import WrappedWriting
from .frame import Bare
from .machine import SEPARATOR
from .markers import BRACE


class BareWriting(WrappedWriting):
    """Writes each call after its tag; prose may begin like a call, or like what follows one."""

    risky = BRACE, SEPARATOR


def writing_of(frame: Bare) -> BareWriting:
    """Return the writer of the parts that `frame` reads."""
    return BareWriting(frame)
