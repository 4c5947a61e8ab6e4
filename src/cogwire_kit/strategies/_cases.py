# SPDX-License-Identifier: MIT
"""Conformance cases made from drawn examples, so that a failing example can be kept.

A case is a JSON object (`spec/schemas/case.schema.json`).  Its input, options and expected outcome
are those of the example; the parts that only a person can write are left to be filled in.
"""

import base64
import contextlib
import hashlib
import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

from hypothesis.errors import HypothesisException

from cogwire_kit.conformance import corpus, replies
from cogwire_kit.strategies._wire import DEFAULT_LIMITS, Document, Event

#: A conformance case: a JSON object.
Case = dict[str, Any]

#: The text of parts that a person has to fill in.
_SLUG: Final = "to-fill-in"
_TITLE: Final = "To fill in: what holds, in one line"
_WHY: Final = "To fill in: what goes wrong for users where this does not hold."
_SINCE: Final = "0.0.0"

_LIMITS: Final = ("size", "calls", "depth", "digits")

#: A piece that is repeated at least this often is written once.
_OFTEN: Final = 16
_REPEAT: Final = re.compile(
    rf"(?P<half>[\ud800-\udfff])|(?P<part>[^\ud800-\udfff]{{1,16}}?)(?P=part){{{_OFTEN - 1},}}"
)

#: Goes before the case in the note of a failure.
HEADING: Final = "As a conformance case:"


class RequiredOutcome(Protocol):
    """The required outcome of an input, in the normal form; a document has that of cogwire."""

    @property
    def events(self) -> Sequence[Event]:
        """The events, the deltas of a segment joined."""

    @property
    def state(self) -> str:
        """Where the text stopped."""

    @property
    def discarded(self) -> int:
        """How many code points are after a hard stop."""


def case(
    given: Document | str | bytes,
    expected: RequiredOutcome | None = None,
    *,
    dialect: str = "xml-json",
    mode: str = "turn",
    start: str = "prose",
    limits: Sequence[int] | Mapping[str, int] = DEFAULT_LIMITS,
    raw: bool = False,
    calls: str = "shown",
) -> Case:
    """Return a conformance case of a document, or of an input and its outcome.

    The id is made from the input; title, why, clauses, flags and the version are to be filled in.

    Args:
        given: a document, which needs nothing else, or an input.
        expected: the outcome of an input; with `raw` its events have `raw`,
            and it has the `tail` that no event accounts for.
        dialect: how the input is read, as are the following.
        mode: `"turn"` or `"transcript"`.
        start: `"prose"` or `"think"`.
        limits: size, calls, depth and digits, or those that are not at their defaults by name.
        raw: whether events have the text for which they account.
        calls: `"shown"` or `"sealed"`.

    Raises:
        TypeError: an input has no outcome.

    """
    if isinstance(given, Document):
        return case(given.data, expected or given, **given.options)
    if expected is None:
        raise TypeError("an input needs the outcome that is expected of it")
    options = _options(mode, start, calls, limits, raw=raw)
    data = given if isinstance(given, bytes) else given.encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(repr((data, type(given), options)).encode()).hexdigest()
    members: dict[str, Any] = {"input": notation(given)}
    if options:
        members["options"] = options
    members["expect"] = _expect(expected, raw=raw)
    made = draft(dialect, f"found-{digest[:8]}", "parse", members)
    made["requires"] = corpus.required(corpus.Case(made))
    return made


def draft(dialect: str, name: str, op: str, members: Mapping[str, Any]) -> Case:
    """Return a case with these members, and with parts that a person has to fill in."""
    return {
        "id": f"{dialect}-{name}",
        "revision": 1,
        "title": _TITLE,
        "dialect": dialect,
        "op": op,
        "level": "must",
        "clauses": [_SLUG],
        "requires": [],
        "flags": [_SLUG],
        "why": _WHY,
        "source": "bug",
        "since": _SINCE,
        **members,
    }


def _options(
    mode: str, start: str, calls: str, limits: Sequence[int] | Mapping[str, int], *, raw: bool
) -> dict[str, Any]:
    """Return the options that are not at their defaults."""
    defaults = dict(zip(_LIMITS, DEFAULT_LIMITS, strict=True))
    if not isinstance(limits, Mapping):
        limits = dict(zip(_LIMITS, limits, strict=True))
    small = {name: limit for name, limit in limits.items() if limit != defaults[name]}
    options = {"mode": mode, "start": start, "calls": calls, "raw": raw, "limits": small}
    default = {"mode": "turn", "start": "prose", "calls": "shown", "raw": False, "limits": {}}
    return {name: value for name, value in options.items() if value != default[name]}


def _expect(expected: RequiredOutcome, *, raw: bool) -> dict[str, Any]:
    events = [_event(event) for event in replies.joined(expected.events)]
    outcome = {
        "events": list(_counted(events)),
        "state": expected.state,
        "discarded": expected.discarded,
    }
    return outcome | {"tail": notation(getattr(expected, "tail", ""))} if raw else outcome


def _event(event: Mapping[str, Any]) -> Event:
    return {
        name: notation(member) if name in {"content", "raw"} else member
        for name, member in event.items()
    }


def _counted(events: Sequence[Event]) -> Iterator[Event]:
    """Yield events as they are, and many that are equal once with their number."""
    for event, equal in itertools.groupby(events):
        times = len(list(equal))
        if times < _OFTEN:
            yield from [event] * times
        else:
            yield {"repeat": event, "times": times}


# --- Notation ---------------------------------------------------------------------------------


def notation(data: str | bytes) -> Any:
    """Return an input as cases have it: a string, Base64, or parts.

    Parts represent halves of surrogate pairs, and pieces that are repeated many times.
    """
    if isinstance(data, str):
        parts = list(_parts(data))
    else:  # each byte is read as a character
        parts = list(_parts(data.decode("latin-1"), _base64)) or [_base64("")]
    if len(parts) == 1 and (isinstance(parts[0], str) or "base64" in parts[0]):
        return parts[0]
    return {"parts": parts} if parts else ""


def _parts(text: str, written: Callable[[str], Any] = str) -> Iterator[Any]:
    """Yield the parts of a text, in which a piece without anything special is `written`."""
    done = 0
    for found in _REPEAT.finditer(text):
        if found.start() > done:
            yield written(text[done : found.start()])
        if found["half"]:
            yield {"surrogate": f"{ord(found[0]):04X}"}
        else:
            times = len(found[0]) // len(found["part"])
            yield {"repeat": written(found["part"]), "times": times}
        done = found.end()
    if text[done:]:
        yield written(text[done:])


def _base64(data: str) -> dict[str, str]:
    return {"base64": base64.b64encode(data.encode("latin-1")).decode("ascii")}


def written(made: Case) -> str:
    """Return a case as JSON text in which everything can be seen: the rest is escaped."""
    return "".join(
        character if character.isprintable() or character == "\n" else json.dumps(character)[1:-1]
        for character in json.dumps(made, ensure_ascii=False, indent=1)
    )


# --- Failures ---------------------------------------------------------------------------------


@contextlib.contextmanager
def reported(given: Document | Callable[[], Case]) -> Iterator[None]:
    """Add a note with the case of `given`, as JSON text, to an exception that the body raises.

    Hypothesis shows the smallest failing example last, and so its case too.  `given` is a document
    or a function that makes the case when it is needed.
    """
    try:
        yield
    except HypothesisException:
        raise  # an assumption is not met: nothing failed
    except Exception as failure:
        made = case(given) if isinstance(given, Document) else given()
        # The effect of `add_note`, which exists since Python 3.11.
        failure.__dict__.setdefault("__notes__", []).append(f"{HEADING}\n{written(made)}")
        raise
