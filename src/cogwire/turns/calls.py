# SPDX-License-Identifier: MIT
"""The calls of a history, as messages write them."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..text.json_text import members
from ..text.scan import WHITE
from ..wire.blocks.values import RenderError
from ..wire.dialects import Dialect
from ..wire.writing import read_call, sound_call, spell_call, spell_known
from .changes import Noted, noting


@dataclass(slots=True)
class Call:
    """A call of a history, as stored or as a dialect writes it."""

    index: int
    tool: str
    text: str
    #: How the text differs from the event.
    changes: Sequence[Noted] = ()
    #: Whether it cannot be read, and is left out together with its result.
    is_skipped: bool = False
    #: The JSON text of its arguments, as they are stored.
    args: str = "{}"


def stored_call(index: int, content: str) -> Call:
    """Return the call without white space around it; `ValueError` if it is not a call."""
    text = content.strip(WHITE)
    try:
        tool = read_call(text)
        return Call(index, tool, text, args=dict(members(text)).get("args", "{}"))
    except RecursionError:
        raise ValueError(f"event {index}: the call is nested too deeply to be decoded") from None
    except ValueError as problem:
        reason = f"the content is not that of one call. {problem}"
        raise ValueError(f"event {index}: {reason}") from None


def written_call(index: int, content: str, wire: Dialect) -> Call:
    """Return the call as every reader of blocks will read it; `ValueError` if it is not a call."""
    text = content.strip(WHITE)
    call = sound_call(text)
    tool = stored_call(index, text).tool if call is None else call["name"]
    try:
        if call is not None and text == content and (known := spell_known(call, text, wire)):
            return Call(index, tool, known)
        changes: list[Noted] = []
        note = noting(changes)
        if text != content:
            note(index, "trimmed", "white space around the call is left out")
        written = spell_call(text, wire, lambda code, _, message: note(index, code, message))
        return Call(index, tool, written, changes)
    except RenderError as error:
        raise ValueError(f"event {index}: the call cannot be written. {error}") from None
