# SPDX-License-Identifier: MIT
"""What programs use that work on texts, events and tools themselves: linters, viewers, bridges.

    dialects    dialect_names, format_names, HasDialect, notation, Notation, literal,
                detected, looks_like, is_name
    text        WHITE, decode, short_repr, read, Reading, Placed, Author, SpanKind
    options     Start, Stream, Mode, Calls
    JSON        member, members, elements, same_json, sound, decoded, write_array, pointer
    calls       read_call, RESERVED_NAME, CANCELLED, UNLIMITED, ChangeCode, require_timeout
    schemas     Tool, ToolSchema, Option, TooMuchWorkError, translate

What does not come with every dialect is imported from its module when it is first used: importing
all of it takes as long as starting the command line.
"""

import functools
import importlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from .events import RESERVED_NAME, UNLIMITED
from .text import WHITE, pointer, short_repr
from .text.decoding import decode
from .text.json_text import decoded, elements, member, members, same_json, sound, write_array
from .wire.dialects import Dialect, HasDialect, dialect_named, dialect_names, format_names
from .wire.frames.machine import Start
from .wire.frames.markers import literal, live_in
from .wire.writing import read_call, writing_of

if TYPE_CHECKING:
    from .conversion.detect import detected, looks_like
    from .conversion.spans import Author, Reading, SpanKind, read
    from .parser.parser import Calls, Mode, Stream
    from .parser.placed import Placed
    from .tools.coercing import Option
    from .tools.declaring import Tool
    from .tools.patterns import translate
    from .tools.problems import TooMuchWorkError
    from .tools.schema import ToolSchema
    from .turns.batch import require_timeout
    from .turns.changes import ChangeCode
    from .turns.render import CANCELLED
    from .wire.blocks.elements_text import is_name

__all__ = ["CANCELLED", "RESERVED_NAME", "UNLIMITED", "WHITE", "Author", "Calls", "ChangeCode"]
__all__ += ["HasDialect", "Mode", "Notation", "Option", "Placed", "Reading", "SpanKind", "Start"]
__all__ += ["Stream", "TooMuchWorkError", "Tool", "ToolSchema", "decode", "decoded", "detected"]
__all__ += ["dialect_names", "elements", "format_names", "is_name", "literal", "looks_like"]
__all__ += ["member", "members", "notation", "pointer", "read", "read_call", "require_timeout"]
__all__ += ["same_json", "short_repr", "sound", "translate", "write_array"]

#: Where each name is defined that is imported when it is first used.
_HOMES: Final = {
    name: module
    for module, names in {
        "conversion.detect": ("detected", "looks_like"),
        "conversion.spans": ("Author", "Reading", "SpanKind", "read"),
        "parser.parser": ("Calls", "Mode", "Stream"),
        "parser.placed": ("Placed",),
        "tools.coercing": ("Option",),
        "tools.declaring": ("Tool",),
        "tools.patterns": ("translate",),
        "tools.problems": ("TooMuchWorkError",),
        "tools.schema": ("ToolSchema",),
        "turns.batch": ("require_timeout",),
        "turns.changes": ("ChangeCode",),
        "turns.render": ("CANCELLED",),
        "wire.blocks.elements_text": ("is_name",),
    }.items()
    for name in names
}


def __getattr__(name: str) -> Any:
    """Import a name from the module that defines it."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_HOMES[name]}", __package__), name)
    globals()[name] = value
    return value


class Notation(NamedTuple):
    """How a dialect marks the parts of a message.  A marker that it does not have is empty."""

    #: The dialect itself, for which this is accepted.
    wire: Dialect
    #: The name of the dialect.
    name: str
    #: The markers that are live in prose.
    openers: tuple[str, ...]
    #: Those of them with which calls begin.
    call_openers: tuple[str, ...]
    #: The markers before and after a think.
    think: tuple[str, str]
    #: The markers before and after prose.
    respond: tuple[str, str]
    #: The markers before and after the calls of a block.
    block: tuple[str, str]
    #: The marker that ends a turn.
    end: str
    #: The marker at the end of a message that no block ends.
    closing: str
    #: The text between two parts of one message.
    joint: str
    #: Whether the arguments of calls are text, whose types only a schema declares.
    is_text: bool
    #: The markers, and texts that a careless reader may mistake for one.
    lookalikes: tuple[str, ...]
    #: The `Format` of a format that is described; `None` for any other dialect.
    form: Any

    @property
    def dialect(self) -> str:
        """The name of the dialect."""
        return self.name

    @property
    def mode(self) -> Literal["turn", "transcript"]:
        """The mode in which a whole text is read: without results there are no transcripts."""
        return "transcript" if self.wire.frame.has_results else "turn"

    def markers_in(self, text: str) -> Sequence[tuple[int, int]]:
        """Return where the markers in `text` begin and end, if all of it is prose, in order."""
        found = live_in(f"{text}\n", self.wire.frame.markers.prose)
        return [(at, end) for _, at, end in found if at < end]  # a bare call begins without one

    def lookalikes_in(self, text: str) -> Sequence[int]:
        """Return the offsets in `text` of what could be mistaken for a marker, in order."""
        return [at for at, _ in writing_of(self.wire).lookalikes_in(text)]

    def escaped(self, text: str) -> str:
        """Return JSON as writers write it: with an escape in whatever could be mistaken so."""
        return writing_of(self.wire).escape(text)

    def unsafe_in(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where in a user's `text` what could pass for results begins and ends, in order."""
        return writing_of(self.wire).unsafe(text, "user")


def notation(dialect: str | HasDialect) -> Notation:
    """Return how `dialect` marks the parts of a message; `ValueError` if it does not exist."""
    return _notation(dialect_named(dialect))


@functools.lru_cache(maxsize=64)
def _notation(wire: Dialect) -> Notation:
    frame, writing = wire.frame, writing_of(wire)
    return Notation(
        wire,
        wire.name,
        frame.openers,
        wire.call_openers,
        writing.text_ends("think"),
        writing.text_ends("respond"),
        frame.block_ends,
        frame.end,
        writing.closing,
        writing.joint,
        wire.calls.is_text,
        writing.lookalikes,
        wire.form,
    )
