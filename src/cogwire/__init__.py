# SPDX-License-Identifier: MIT
"""cogwire: the text that a language model streams, as typed events, and back.

    text → events     Parser, parse, parse_transcript, iter_events, aiter_events, Limits
    calls → problems  Toolset
    values → text     render_calls, render_results, render_events, render_prompt, RenderError
    calls → results   Batch
    events ↔ chat     to_messages, from_messages
    text → text       detect, convert, Converter
    storage           read_events, persisted

Everything here is a pure state machine or a pure function: nothing reads or writes a file, a
socket or a clock that it was not given.  `cogwire.aio.run`, which runs a batch, stands apart.
"""

from ._batch import Batch, BatchCall
from ._convert import Converter, Difference, convert
from ._detect import Detected, detect
from ._events import Event, persisted
from ._history import read_events
from ._iterate import AsyncEventStream, EventStream, aiter_events, iter_events
from ._limits import Limits
from ._messages import Change, Message, from_messages, to_messages
from ._parser import Parser, parse, parse_transcript
from ._prompt import render_prompt
from ._render import render_calls, render_events, render_results
from ._values import RenderError
from .tools import Checked, Problem, Toolset

__version__ = "0.1.0"

__all__ = [
    "AsyncEventStream",
    "Batch",
    "BatchCall",
    "Change",
    "Checked",
    "Converter",
    "Detected",
    "Difference",
    "Event",
    "EventStream",
    "Limits",
    "Message",
    "Parser",
    "Problem",
    "RenderError",
    "Toolset",
    "aiter_events",
    "convert",
    "detect",
    "from_messages",
    "iter_events",
    "parse",
    "parse_transcript",
    "persisted",
    "read_events",
    "render_calls",
    "render_events",
    "render_prompt",
    "render_results",
    "to_messages",
]
