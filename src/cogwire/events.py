# SPDX-License-Identifier: MIT
"""Events, error codes, and the limits of one block.

Events are plain JSON objects, a closed union on `type`.  The object that the parser emits is also
the one that is stored and that other languages read, so there is no conversion layer.  Dispatch on
`event["type"]`, and end with `assert_never`.
"""

import sys
from collections.abc import Iterable
from typing import Final, Literal, NamedTuple, TypedDict, final

Code = Literal[
    "json-syntax",
    "not-array",
    "not-object",
    "missing-name",
    "bad-name",
    "missing-args",
    "bad-args",
    "duplicate-key",
    "number-range",
    "lone-surrogate",
    "bad-encoding",
    "trailing-text",
    "xml-syntax",
    "xml-forbidden",
    "duplicate-arg",
    "unclosed-execute",
    "unclosed-call",
    "missing-execute",
    "forged-results",
    "limit-size",
    "limit-calls",
    "limit-depth",
    "limit-digits",
    "results-shape",
    "results-count",
    "results-order",
]


# Members that may be absent are in separate base classes: Python 3.10 has no `NotRequired`.


class _Time(TypedDict, total=False):
    #: Seconds since the epoch, from the parser's clock.
    timestamp: float


class _Common(_Time, total=False):
    #: The wire text this event accounts for (law 4).
    raw: str
    #: Where its content is on the wire: start and end, in code points.
    span: list[int]
    #: The application's identifier for this event; parsers never set it.
    id: str | int


class UserEvent(_Common):
    """A user's message."""

    type: Literal["user"]
    #: The text.
    content: str


class _Delta(_Common, total=False):
    #: Token mode: the index of the delta's segment in the turn, from 0.
    segment: int
    #: Token mode: present, and true, on the last delta of a segment.
    done: Literal[True]


class _Segment(_Delta):
    #: The text of the segment or of the delta.
    content: str


class ThinkEvent(_Segment):
    """Reasoning: a whole segment, or in token mode one delta of it."""

    type: Literal["think"]


class RespondEvent(_Segment):
    """Prose for the user: a whole segment, or in token mode one delta of it."""

    type: Literal["respond"]


class CallEvent(_Common):
    """One call, as JSON text with `name` and `args`.

    It may run once an `execute` has followed it in the same turn, with no error between.
    """

    type: Literal["call"]
    #: The JSON text of an object with `name` and, where the dialect requires it, `args`.
    content: str


class CallDeltaEvent(_Time):
    """A piece of the args of a call that is still being written, for display only.

    It is not a member of the union: only `Parser(call_deltas=True)` emits it, and it must not be
    stored or run.
    """

    type: Literal["call_delta"]
    #: The index of its call in the batch, from 0.
    index: int
    #: The name of the call.
    name: str
    #: The text; the deltas of a call, joined, are the `args` of the `call` event that follows.
    content: str


class ExecuteEvent(_Common):
    """The block is complete and valid: its calls may run."""

    type: Literal["execute"]


class Payload(TypedDict):
    """How many calls of a batch ran, succeeded and failed."""

    #: How many items there are; 0 for a void block.
    tools_executed: int
    #: Items with the status `success`.
    success_count: int
    #: Items with the status `failure`.
    failure_count: int


def payload_of(success: int, failure: int, *, is_void: bool = False) -> Payload:
    """Return the payload of results with so many items of each status; a void block ran no call."""
    return {
        "tools_executed": 0 if is_void else success + failure,
        "success_count": success,
        "failure_count": failure,
    }


class ResultEvent(_Common):
    """The results of a batch: a JSON array of `{"tool", "status", "content"}`, in call order."""

    type: Literal["result"]
    #: The JSON text of the array.
    content: str
    #: How many items have each status.
    payload: Payload


class EndEvent(_Common):
    """The model states that it is done."""

    type: Literal["end"]


class _Duration(TypedDict, total=False):
    #: Seconds.
    duration: float


class Usage(_Duration):
    """Tokens in, tokens out, and seconds where they were measured."""

    #: Tokens that were read.
    input: int
    #: Tokens that were written.
    output: int


class _Step(_Common, total=False):
    #: The usage of this step.
    step: Usage


class MetricEvent(_Step):
    """The usage of one step and of the conversation so far."""

    type: Literal["metric"]
    #: The usage of the conversation so far.
    total: Usage


class _Path(_Common, total=False):
    #: A JSON Pointer (RFC 6901) into the block, if the error concerns a value.
    path: str


class ErrorEvent(_Path):
    """A broken rule of the wire."""

    type: Literal["error"]
    #: Which rule was broken.
    code: Code
    #: A message for a person and a model: what was expected, what was found, the likely intent.
    content: str
    #: The offset of the offending character, in code points from the start of the text.
    offset: int
    #: How many calls the error voids.
    calls: int


class _Remark(_Common, total=False):
    #: The framework's message.
    content: str


@final  # so that a type checker tells it from `ErrorEvent` by the code
class FrameworkErrorEvent(_Remark):
    """A failure of the framework itself: an error without a code, found only in histories."""

    type: Literal["error"]


class InterruptEvent(_Common):
    """The stream was interrupted."""

    type: Literal["interrupt"]


class CancelledEvent(_Common):
    """The user stopped the turn."""

    type: Literal["cancelled"]


Event = (
    UserEvent
    | ThinkEvent
    | CallEvent
    | ExecuteEvent
    | ResultEvent
    | RespondEvent
    | EndEvent
    | MetricEvent
    | ErrorEvent
    | InterruptEvent
    | CancelledEvent
)

#: An event of a history, which may also contain the framework's errors.
StoredEvent = Event | FrameworkErrorEvent

#: The names that models and other formats give to a call's `args`.
ARGS_NAMES: Final = frozenset({"args", "arguments", "input", "kwargs", "parameters", "params"})

#: The tool name that means the block itself in results; no tool may have it.
RESERVED_NAME: Final = "execute"

#: The members of a result; an object with exactly these members is a result.
RESULT_MEMBERS: Final = frozenset({"tool", "status", "content"})

STORED: Final = frozenset({"user", "think", "call", "result", "respond", "cancelled"})


def persisted(event: StoredEvent) -> bool:
    """Whether storage keeps `event`: the types that the spec lists, and any event with `raw`."""
    return event["type"] in STORED or "raw" in event


class _Limits(NamedTuple):
    #: Code points between opener and closer; the default is more than any model's output window.
    size: int
    #: Calls in one block; the default is far more than anyone would run at once.
    calls: int
    #: Nesting, where the array itself is level 1; every JSON library can read the default.
    depth: int
    #: Digits of one number, exponent included; interpreters can convert the default.
    digits: int


class Limits(_Limits):
    """How much one block may contain; `ValueError` for a limit that is not a positive integer."""

    __slots__ = ()

    def __new__(
        cls, size: int = 8_388_608, calls: int = 256, depth: int = 128, digits: int = 1000
    ) -> "Limits":
        """Return the validated limits."""
        limits = super().__new__(cls, size, calls, depth, digits)
        for name, value in limits._asdict().items():
            if type(value) is not int or value < 1:
                raise ValueError(f"the limit {name!r} must be a positive integer, not {value!r}")
        return limits

    # Type checkers consider it final, but `_replace` calls it.
    @classmethod
    def _make(  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        cls, iterable: Iterable[int]
    ) -> "Limits":
        return cls(*iterable)


#: For text that was checked when it was first read, against limits that are no longer known.
UNLIMITED: Final = Limits(sys.maxsize, sys.maxsize, sys.maxsize, sys.maxsize)


def require_limits(limits: object) -> None:
    """Raise `TypeError` for anything but a `Limits`; an equal tuple is not validated."""
    if type(limits) is not Limits:
        what = "the Limits of another copy" if type(limits).__name__ == "Limits" else repr(limits)
        raise TypeError(f"limits must be a Limits, not {what}; Limits() has the defaults")
