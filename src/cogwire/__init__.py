# SPDX-License-Identifier: MIT
"""cogwire: turns the text that a language model streams into typed events, and events into text.

    text → events     Parser, parse, parse_transcript, iter_events, aiter_events, Limits
    calls → problems  Toolset
    values → text     render_calls, render_results, render_events, render_prompt, RenderError
    calls → results   Batch
    events ↔ chat     to_messages, from_messages, Assembler, exchanges, neutralise
    text → dialect    detect
    text → text       convert, Converter
    formats           Format, KnownFormat, formats, format_named, detect_format
    text → calls      find_calls, CallFinder
    text → pieces     spans
    storage           read_events, persisted

Everything here is a pure state machine or a pure function: nothing touches files or sockets, and
timestamps come from the `clock` of a parser or a batch, which is `time.time` unless you pass
another or `None`.  `cogwire.aio.run` runs a batch with asyncio, `cogwire.events` has the type of
each event, and `cogwire.tooling` what linters, viewers and bridges need; these modules are imported
when they are first used.

A public name is imported from its module when it is first used, so a program loads only the
sub-packages that it uses, and a vendored copy needs no others: what it has is in its `__all__`.
"""

import importlib
import sys
from typing import Any

#: False at run time, though type checkers take it for true.  Not that of `typing`: freezers know it
#: to be false, and would drop the imports below, by which they find the modules.
TYPE_CHECKING = not sys.modules

if TYPE_CHECKING:
    from . import aio as aio
    from . import events as events
    from . import tooling as tooling
    from .conversion.convert import Converter, Difference, convert
    from .conversion.detect import Detected, detect
    from .conversion.finding import CallFinder, FoundCall, FoundCalls, find_calls
    from .conversion.formats import detect_format
    from .conversion.spans import Span, spans
    from .events import Event, Limits, StoredEvent, persisted
    from .parser.iterate import AsyncEventStream, EventStream, Finish, aiter_events, iter_events
    from .parser.parser import Parser, parse, parse_transcript, start_of
    from .tools.problems import Problem
    from .tools.toolset import Checked, Toolset
    from .turns.batch import Batch, BatchCall
    from .turns.changes import Change, neutralise
    from .turns.exchanges import Exchange, TurnCall, TurnText, exchanges
    from .turns.messages import Assembler, from_messages, to_messages
    from .turns.parts import Message
    from .turns.plain import Conversion
    from .turns.prompt import render_prompt
    from .turns.render import render_calls, render_events, render_results
    from .turns.storage import read_events
    from .wire.blocks.values import RenderError
    from .wire.trained.catalogue import format_named, formats
    from .wire.trained.format import Format
    from .wire.trained.known import KnownFormat

else:  # a type checker that saw this function would believe that every name exists

    def __getattr__(name: str) -> Any:
        """Import a public name from the module that defines it, or a public module."""
        for only, names in _LACKING.items():
            if name in names:
                from .text import lacking

                # Not an ImportError: `hasattr` is False for what a copy lacks.
                raise AttributeError(lacking(name, only))
        for home, names in _HOMES.items():
            if name in names:
                module = importlib.import_module(f".{home}", __name__)
                return globals().setdefault(name, getattr(module, name, module))
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__version__ = "0.3.0"

# A smaller copy of the package lists, here and above, only what it has.
__all__ = ["Assembler", "AsyncEventStream", "Batch", "BatchCall", "CallFinder", "Change", "Checked"]
__all__ += ["Conversion", "Converter", "Detected", "Difference", "Event", "EventStream", "Exchange"]
__all__ += ["Finish", "Format", "FoundCall", "FoundCalls", "KnownFormat", "Limits", "Message"]
__all__ += ["Parser", "Problem", "RenderError", "Span", "StoredEvent", "Toolset", "TurnCall"]
__all__ += ["TurnText", "aiter_events", "convert", "detect", "detect_format", "exchanges"]
__all__ += ["find_calls", "format_named", "formats", "from_messages", "iter_events"]
__all__ += ["neutralise", "parse", "parse_transcript", "persisted", "read_events", "render_calls"]
__all__ += ["render_events", "render_prompt", "render_results", "spans", "start_of", "to_messages"]

#: Where the public names and modules are: importing all takes four times as long as the parser.
_HOMES: dict[str, list[str]] = {
    "aio": ["aio"],
    "events": ["events", "Event", "Limits", "StoredEvent", "persisted"],
    "conversion.convert": ["Converter", "Difference", "convert"],
    "conversion.detect": ["Detected", "detect"],
    "conversion.finding": ["CallFinder", "FoundCall", "FoundCalls", "find_calls"],
    "conversion.formats": ["detect_format"],
    "conversion.spans": ["Span", "spans"],
    "parser.iterate": ["AsyncEventStream", "EventStream", "Finish", "aiter_events", "iter_events"],
    "parser.parser": ["Parser", "parse", "parse_transcript", "start_of"],
    "tooling": ["tooling"],
    "tools.problems": ["Problem"],
    "tools.toolset": ["Checked", "Toolset"],
    "turns.batch": ["Batch", "BatchCall"],
    "turns.changes": ["Change", "neutralise"],
    "turns.exchanges": ["Exchange", "TurnCall", "TurnText", "exchanges"],
    "turns.messages": ["Assembler", "from_messages", "to_messages"],
    "turns.parts": ["Message"],
    "turns.plain": ["Conversion"],
    "turns.prompt": ["render_prompt"],
    "turns.render": ["render_calls", "render_events", "render_results"],
    "turns.storage": ["read_events"],
    "wire.blocks.values": ["RenderError"],
    "wire.trained.catalogue": ["format_named", "formats"],
    "wire.trained.format": ["Format"],
    "wire.trained.known": ["KnownFormat"],
}

#: What a smaller copy lacks, by the smallest copy that has it; `cogwire vendor add` fills it in.
_LACKING: dict[str, list[str]] = {}


def __dir__() -> list[str]:
    return sorted({*globals(), *(name for names in _HOMES.values() for name in names)})
