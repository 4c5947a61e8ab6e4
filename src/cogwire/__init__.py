# SPDX-License-Identifier: MIT
"""cogwire: turns the text that a language model streams into typed events, and events into text.

    text → events     Parser, parse, parse_transcript, iter_events, aiter_events, Limits
    calls → problems  Toolset
    values → text     render_calls, render_results, render_events, render_prompt, RenderError
    calls → results   Batch
    events ↔ chat     to_messages, from_messages, Assembler, exchanges
    text → text       detect, convert, Converter
    text → pieces     spans
    storage           read_events, persisted

Everything here is a pure state machine or a pure function: nothing touches files or sockets, and
the only clock is the one that a parser is given.  `cogwire.aio.run` runs a batch with asyncio, and
`cogwire.tooling` has what linters, viewers and bridges need; both modules are imported when they
are first used.

A public name is imported from its module when it is first used, so a program loads only the
sub-packages that it uses, and a vendored copy needs no others.
"""

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from . import aio as aio
    from . import tooling as tooling
    from .conversion.convert import Converter, Difference, convert
    from .conversion.detect import Detected, detect
    from .conversion.spans import Span, spans
    from .events import Event, Limits, persisted
    from .parser.iterate import AsyncEventStream, EventStream, Finish, aiter_events, iter_events
    from .parser.parser import Parser, parse, parse_transcript
    from .tools.problems import Problem
    from .tools.toolset import Checked, Toolset
    from .turns.assembler import Assembler
    from .turns.batch import Batch, BatchCall
    from .turns.changes import Change
    from .turns.messages import from_messages, to_messages
    from .turns.outcomes import Turn, TurnCall, TurnText, exchanges
    from .turns.parts import Message
    from .turns.plain import Conversion
    from .turns.prompt import render_prompt
    from .turns.render import render_calls, render_events, render_results
    from .turns.storage import read_events
    from .wire.blocks.values import RenderError

    # When it runs, `__getattr__` returns those of these names that a copy has.
    __all__ = ["Assembler", "AsyncEventStream", "Batch", "BatchCall", "Change", "Checked"]
    __all__ += ["Conversion", "Converter", "Detected", "Difference", "Event", "EventStream"]
    __all__ += ["Finish", "Limits", "Message", "Parser", "Problem", "RenderError", "Span"]
    __all__ += ["Toolset", "Turn", "TurnCall", "TurnText", "aiter_events", "convert", "detect"]
    __all__ += ["exchanges", "from_messages", "iter_events", "parse", "parse_transcript"]
    __all__ += ["persisted", "read_events", "render_calls", "render_events", "render_prompt"]
    __all__ += ["render_results", "spans", "to_messages"]

__version__ = "0.2.0"

#: The public modules that the package itself names.
_MODULES: Final = ("aio", "tooling")
#: Where each public name is defined.
_HOMES: Final = {
    name: module
    for module, names in {
        "conversion.convert": ("Converter", "Difference", "convert"),
        "conversion.detect": ("Detected", "detect"),
        "conversion.spans": ("Span", "spans"),
        "events": ("Event", "Limits", "persisted"),
        "parser.iterate": (
            *("AsyncEventStream", "EventStream", "Finish", "aiter_events", "iter_events"),
        ),
        "parser.parser": ("Parser", "parse", "parse_transcript"),
        "wire.blocks.values": ("RenderError",),
        "tools.problems": ("Problem",),
        "tools.toolset": ("Checked", "Toolset"),
        "turns.assembler": ("Assembler",),
        "turns.batch": ("Batch", "BatchCall"),
        "turns.changes": ("Change",),
        "turns.messages": ("from_messages", "to_messages"),
        "turns.outcomes": ("Turn", "TurnCall", "TurnText", "exchanges"),
        "turns.parts": ("Message",),
        "turns.plain": ("Conversion",),
        "turns.prompt": ("render_prompt",),
        "turns.render": ("render_calls", "render_events", "render_results"),
        "turns.storage": ("read_events",),
    }.items()
    for name in names
}


def __getattr__(name: str) -> Any:
    """Import a public name from the module that defines it, or a public module."""
    if name == "__all__":
        value: Any = sorted(public for public, home in _HOMES.items() if _has(home))
    elif name not in _HOMES and name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    else:
        value = _imported(name)
    globals()[name] = value
    return value


def _imported(name: str) -> Any:
    home = _HOMES.get(name, name)
    try:
        module = importlib.import_module(f".{home}", __name__)
    except ModuleNotFoundError as error:
        if not str(error.name).startswith(f"{__name__}."):
            raise
        is_agent = home == "conversion.detect" or not home.startswith(("conversion.", "tool"))
        only = "agent" if is_agent else "protocol"
        # Not an ImportError: `hasattr` is False for what a copy lacks.
        raise AttributeError(
            f"this copy of {__name__} lacks {name}; "
            f"`cogwire vendor add DIR --only {only}` copies it"
        ) from None
    return module if name in _MODULES else getattr(module, name)


def _has(module: str) -> bool:
    """Whether this copy has a module, without importing it."""
    from importlib.util import find_spec  # noqa: PLC0415 - few programs ask

    try:
        return find_spec(f".{module}", __name__) is not None
    except ModuleNotFoundError:  # its folder is missing
        return False


def __dir__() -> list[str]:
    modules = (name for name in _MODULES if _has(name))
    return sorted({*globals(), *__getattr__("__all__"), *modules})
