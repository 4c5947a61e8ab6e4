"""The executable spec as an adapter: a request of the adapter protocol in, its reply out.

It reads whole texts only, so all events are in `close`.
"""

import base64
import itertools
from typing import Any

from . import batch, converting, exchanges, messages, validation, writing
from .block import DEFAULT_LIMITS
from .reading import DIALECTS, parse
from .refused import Refused

ABILITIES = (
    "bytes",
    "raw",
    "spans",
    "token",
    "sealed",
    "call-deltas",
    "limits",
    "transcript",
    "start",
    "finish",
    "turns",
    "lone-surrogates",
    "bigint",
)

INPUTS = {"chunks", "chunks_b64", "text", "turns"}


# ad-unsupported
class Unsupported(Exception):  # noqa: N818 - it is an answer
    """An op, a dialect or an ability that this adapter does not have."""


# ad-bad-request ad-limit-values ad-misuse
class Misuse(Exception):  # noqa: N818 - it is an answer
    """A member of a request that is not valid."""


# ad-id ad-unsupported ad-refused
def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the reply to `request`."""
    try:
        return {"id": request["id"], **reply(request)}
    except Unsupported as lack:
        return {"id": request["id"], "unsupported": str(lack)}
    except Refused as refusal:
        return {"id": request["id"], "refused": str(refusal)}
    except Misuse as misuse:
        return {"id": request["id"], "error": str(misuse)}


# ad-unsupported
# An op or a dialect that does not exist is `unsupported`.
def reply(request: dict[str, Any]) -> dict[str, Any]:
    if request["op"] not in OPS:
        raise Unsupported(f"op {request['op']}")
    for name in ("dialect", "from", "to"):
        if request.get(name, "xml-json") not in DIALECTS:
            raise Unsupported(f"dialect {request[name]}")
    return OPS[request["op"]](request)


# ad-hello ad-hello-reply
# The abilities; another protocol is `unsupported`.
def hello(request: dict[str, Any]) -> dict[str, Any]:
    if request.get("protocol", 1) != 1:
        raise Unsupported(f"protocol {request['protocol']}")
    return {
        "protocol": 1,
        "name": "executable-spec",
        "version": "1.0.0",
        "language": "python",
        "offset_unit": "codepoint",
        "ops": [name for name in OPS if name != "hello"],
        "dialects": {name: list(ABILITIES) for name in DIALECTS},
    }


# ad-parse ad-turns ad-honest ad-unknown-values ad-limit-values ad-misuse
# All events are in `close`, so the text must be closed.
def read(request: dict[str, Any]) -> dict[str, Any]:
    known = {"mode": ("turn", "transcript"), "start": ("prose", "think")}
    known |= {"finish": ("stop", "length", "cancelled", "interrupted")}
    known |= {"stream": ("event", "token"), "calls": ("shown", "sealed")}
    for name, values in known.items():
        if request.get(name, values[0]) not in values:
            raise Unsupported(f"{name} {request[name]}")
    for name, limit in request.get("limits", {}).items():
        if name not in DEFAULT_LIMITS._fields:
            raise Unsupported(f"the limit {name}")
        if type(limit) is not int or limit < 1:
            raise Misuse(f"the limit {name} must be a positive integer")
    if request.get("call_deltas") and request.get("stream") != "token":
        raise Misuse("call deltas need the token stream")
    if request.get("snapshots"):
        raise Unsupported("snapshots: whole texts only")
    if not request.get("close", True):
        raise Unsupported("texts that are not closed")
    if len(INPUTS & request.keys()) != 1:
        raise Misuse("no input, or several")
    if "cuts" in request and "text" not in request:
        raise Misuse("cuts without a text")
    if "turns" in request and request.get("mode") == "transcript":
        raise Misuse("turns in a transcript")
    if "turns" in request:
        return {"turns": [read_turn(request, turn) for turn in request["turns"]]}
    return read_turn(request, chunks_of(request))


# ad-cuts
# A text with cuts has one chunk more than there are cuts.
def chunks_of(request: dict[str, Any]) -> list[Any]:
    if "chunks_b64" in request:
        return [base64.b64decode(chunk) for chunk in request["chunks_b64"]]
    if "chunks" in request:
        return list(request["chunks"])
    text = request["text"]
    places = [0, *request.get("cuts", []), len(text)]
    return [text[first:last] for first, last in itertools.pairwise(places)]


# ad-parse ad-not-prompt ad-finish
# A turn is read as a whole, and closed.
def read_turn(request: dict[str, Any], chunks: list[Any]) -> dict[str, Any]:
    found = parse(
        (b"" if "chunks_b64" in request else "").join(chunks),
        request.get("dialect", "xml-json"),
        mode=request.get("mode", "turn"),
        start=request.get("start", "prose"),
        raw=request.get("raw", False),
        spans=request.get("spans", False),
        calls=request.get("calls", "shown"),
        call_deltas=request.get("call_deltas", False),
        is_finished=request.get("finish", "stop") == "stop",
        limits=DEFAULT_LIMITS._replace(**request.get("limits", {})),
    )
    events = numbered(found.events) if request.get("stream") == "token" else found.events
    parsed = {"feeds": [[] for _ in chunks], "close": events}
    parsed |= {"state": found.state, "discarded": found.discarded}
    return parsed | ({"tail": found.tail} if request.get("raw") else {})


# m-token-mode m-delta-segment m-delta-done
# Each segment is one delta, which is also its last.
def numbered(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    segments = itertools.count()
    return [
        event | {"segment": next(segments), "done": True}
        if event["type"] in ("think", "respond")
        else event
        for event in events
    ]


# ad-validate
# The other ops return what the function of their chapter returns.
def validate(request: dict[str, Any]) -> dict[str, Any]:
    problems, args = validation.validate(request["tools"], request["calls"], request["dialect"])
    return {"problems": problems, "args": args}


# ad-batch
def run_batch(request: dict[str, Any]) -> dict[str, Any]:
    outcomes, ending = request.get("outcomes", []), request.get("ending")
    return {"events": batch.batch(request["events"], outcomes, ending, request["dialect"])}


# ad-messages
def assemble(request: dict[str, Any]) -> dict[str, Any]:
    events, system = request["events"], request.get("system")
    made, report = messages.messages(events, system, request["dialect"])
    return {"messages": made, "report": report}


# ad-from-messages
def disassemble(request: dict[str, Any]) -> dict[str, Any]:
    return {"events": messages.from_messages(request["messages"], request["dialect"])}


# ad-exchanges
def pair(request: dict[str, Any]) -> dict[str, Any]:
    return {"exchanges": exchanges.exchanges(request["events"], request["dialect"])}


# ad-convert
def convert(request: dict[str, Any]) -> dict[str, Any]:
    text, report = converting.convert(request["text"], request["from"], request["to"])
    return {"text": text, "report": report}


OPS = {
    "hello": hello,
    "parse": read,
    "validate": validate,
    "calls": lambda request: {"text": writing.calls(request["calls"], request["dialect"])},
    "results": lambda request: {"text": writing.results(request["results"], request["dialect"])},
    "render": lambda request: {"text": writing.render(request["events"], request["dialect"])},
    "batch": run_batch,
    "messages": assemble,
    "from_messages": disassemble,
    "exchanges": pair,
    "convert": convert,
}
