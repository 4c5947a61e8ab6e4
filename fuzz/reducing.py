"""Makes a stream on which readers differ as small as possible, and writes it as a case."""

import base64
from collections.abc import Callable, Iterator
from typing import Any

from fuzz import running
from fuzz.comparing import Reply, events_of
from fuzz.streams import Request, data_of

from cogwire_kit.conformance import corpus
from cogwire_kit.strategies._cases import draft, notation

#: The defaults of a request.
DEFAULTS = {"mode": "turn", "start": "prose", "stream": "event", "raw": False}
DEFAULTS |= {"spans": False, "close": True}

# --- Making it small --------------------------------------------------------------------------


def smallest(request: Request, differs: Callable[[Request], bool]) -> Request:
    """Return the request without anything that can be left out while `differs` remains true."""
    return running.smallest(request, smaller, differs)


def smaller(request: Request) -> Iterator[Request]:
    """Yield requests that are simpler in one respect: long spans are removed first."""
    for name in ("snapshots", "limits", *DEFAULTS):
        if name in request and request[name] != DEFAULTS.get(name):
            yield {member: value for member, value in request.items() if member != name}
    turns = data_of(request)
    if len(turns) > 1:
        yield from (with_data(request, [turn]) for turn in turns)
    for place, chunks in enumerate(turns):
        if len(chunks) > 1:
            joined = chunks[0][:0].join(chunks)
            yield with_data(request, [*turns[:place], [joined], *turns[place + 1 :]])
        for at, chunk in enumerate(chunks):
            for left in running.shorter(chunk):
                rest = [*chunks[:at], *([left] if left else []), *chunks[at + 1 :]]
                yield with_data(request, [*turns[:place], rest, *turns[place + 1 :]])


def with_data(request: Request, turns: list[list[Any]]) -> Request:
    """Return the request with these chunks instead of its own."""
    rest = {
        name: value for name, value in request.items() if not name.startswith(("chunks", "turn"))
    }
    if len(turns) > 1:
        return {**rest, "turns": turns}
    (chunks,) = turns
    if "chunks_b64" in request:
        return {**rest, "chunks_b64": [base64.b64encode(chunk).decode() for chunk in chunks]}
    return {**rest, "chunks": chunks}


# --- Writing it down --------------------------------------------------------------------------


def case(request: Request, expected: Reply, identity: str) -> dict[str, Any]:
    """Return the stream as a conformance case, without its clauses and its reason."""
    texts = [chunks[0][:0].join(chunks) if chunks else "" for chunks in data_of(request)]
    inputs = [notation(text) for text in texts]
    options = {name: value for name, value in request.items() if is_option(name, value)}
    members = {
        **({"options": options} if options else {}),
        **({"turns": inputs} if len(inputs) > 1 else {"input": inputs[0]}),
        "expect": outcome(expected),
    }
    made = draft(request["dialect"], identity, "parse", members)
    made["requires"] = corpus.required(corpus.Case(made))
    return made


def is_option(name: str, value: Any) -> bool:
    """Whether a case has this member of the request too."""
    return name == "limits" or (
        name in {"mode", "start", "raw", "spans", "close"} and value != DEFAULTS[name]
    )


def outcome(reply: Reply) -> dict[str, Any]:
    """Return a reply as the expectation of a case."""
    if "turns" in reply:
        return {"turns": [outcome(turn) for turn in reply["turns"]]}
    rest = {name: reply[name] for name in ("state", "discarded", "tail") if name in reply}
    return {"events": events_of(reply), **rest}
