# SPDX-License-Identifier: MIT
"""The adapter protocol, version 1: one JSON object a line in, one a line out, in order.

A conformance runner, a benchmark or a fuzzer drives a parser in any language through it.  This is
the reference's own end.  A request gets exactly one reply:

- its result, or
- `unsupported`: an op, a dialect or an ability that is not there,
- `refused`: a value that the library does not accept,
- `error`: the line is not a request (`id` is null where none could be read),
- `crashed`: anything else.
"""

import base64
import functools
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, BinaryIO, Final, get_args

import cogwire
from cogwire.tooling import Start, dialect_names, format_names, notation
from cogwire_kit.texts.dialects import described

PROTOCOL: Final = 1

#: The bounds of what either side has to take: bytes of a line, and requests without a reply.
LINE_LIMIT: Final = 64 * 1024 * 1024
IN_FLIGHT: Final = 64

#: What an adapter may be able to do in a dialect, beside the ops as such.
ABILITIES: Final = (
    "token",
    "bytes",
    "raw",
    "spans",
    "sealed",
    "call-deltas",
    "limits",
    "transcript",
    "start",
    "finish",
    "snapshot",
    "restore",
    "turns",
    "lone-surrogates",
    "bigint",
)

_INPUTS: Final = {"chunks", "chunks_b64", "text", "turns"}
_DEFAULT_DIALECT: Final = "xml-json"
_DIGITS_OF_AN_INT: Final = 4300

Request = dict[str, Any]
Reply = dict[str, Any]


class _RequestError(Exception):
    """The line is JSON, and yet no request of this protocol."""


class _UnsupportedError(Exception):
    """An op, a dialect or an ability that is not there."""


class _RefusedError(Exception):
    """A value that the library does not accept."""


def serve(requests: BinaryIO, replies: BinaryIO) -> None:
    """Answer every line of `requests` on `replies`, until the requests end."""
    for line in _lines(requests):
        replies.write(answer(line))
        replies.flush()


def _lines(requests: BinaryIO) -> Iterator[bytes | None]:
    """Yield the lines; None for one that is too long."""
    while line := requests.readline(LINE_LIMIT + 1):
        if len(line) > LINE_LIMIT and not line.endswith(b"\n"):
            while (rest := requests.readline(LINE_LIMIT)) and not rest.endswith(b"\n"):
                pass
            yield None
        else:
            yield line


def answer(line: bytes | None) -> bytes:
    """Return the reply to one line, as a line; never raise."""
    identity = None
    try:
        request = _request(line)
        identity = _identity(request)
        return _encode({"id": identity, **_operation(request)(request)})
    except _RequestError as problem:
        reply = {"error": str(problem)}
    except _UnsupportedError as problem:
        reply = {"unsupported": str(problem)}
    except _RefusedError as problem:
        reply = {"refused": str(problem)}
    except Exception as failure:  # noqa: BLE001 - a crash is an answer too, and the process lives on
        reply = {"crashed": f"{type(failure).__name__}: {failure}"}
    return _encode({"id": identity, **reply})


def _integer(digits: str) -> int | float:
    """Read an integer; one too long for `int` as its nearest double, which no value may hold."""
    return int(digits) if len(digits) <= _DIGITS_OF_AN_INT else float(digits)


_decode: Final = json.JSONDecoder(parse_int=_integer).decode
_encode_text: Final = json.JSONEncoder(check_circular=False, allow_nan=False).encode


def _encode(reply: Reply) -> bytes:
    with _refusals(ValueError):
        return _encode_text(reply).encode("ascii") + b"\n"


def _request(line: bytes | None) -> Request:
    if line is None:
        raise _RequestError(f"a line may contain at most {LINE_LIMIT} bytes")
    try:
        request = _decode(line.decode("utf-8"))
    except (ValueError, RecursionError) as problem:
        raise _RequestError(f"a request is one JSON object a line, in UTF-8: {problem}") from None
    if not isinstance(request, dict):
        raise _RequestError("a request is a JSON object")
    return request


def _identity(request: Request) -> str:
    identity = request.get("id")
    if not isinstance(identity, str):
        raise _RequestError("a request has an `id`, a string")
    return identity


def _operation(request: Request) -> Callable[[Request], Reply]:
    name = _member(request, "op", str)
    try:
        return _OPERATIONS[name]
    except KeyError:
        raise _UnsupportedError(f"op {name!r}") from None


_KINDS: Final = {
    str: "a string",
    int: "an integer",
    list: "an array",
    dict: "an object",
    bool: "true or false",
}


def _member(holder: Request, name: str, kind: type, default: Any = ...) -> Any:
    """Return a member of the right kind; without a default it must be there."""
    value = holder.get(name, default)
    if isinstance(value, kind) and not (kind is int and isinstance(value, bool)):
        return value
    if default is ... or value is not default:
        raise _RequestError(f"`{name}` is {_KINDS[kind]}")
    return default


def _dialect(request: Request) -> str:
    return _named(request.get("dialect", _DEFAULT_DIALECT), "dialect")


def _named(given: Any, member: str) -> str:
    """Return the name of a dialect, or of a format, which a description may describe."""
    if isinstance(given, dict):
        return _format(given)
    if not isinstance(given, str):
        raise _RequestError(f"`{member}` is {_KINDS[str]}")
    if given not in (*dialect_names(), *format_names()):
        raise _UnsupportedError(f"dialect {given!r}")
    return given


def _choice(request: Request, name: str, known: tuple[str, ...]) -> Any:
    value = _member(request, name, str, known[0])
    if value not in known:
        raise _UnsupportedError(f"{name} {value!r}")
    return value


def _hello(request: Request) -> Reply:
    if (number := _member(request, "protocol", int)) != PROTOCOL:
        raise _UnsupportedError(f"protocol {number}")
    return {
        "protocol": PROTOCOL,
        "name": "cogwire",
        "version": cogwire.__version__,
        "language": "python",
        "offset_unit": "codepoint",
        "ops": list(OPS),
        # The parser is one for all dialects, so they can all do the same.
        "dialects": {name: list(ABILITIES) for name in dialect_names()},
        "formats": list(format_names()),
    }


def _parse(request: Request) -> Reply:
    if "format" in request:
        return _read_format(request)
    if len(_INPUTS & request.keys()) != 1:
        raise _RequestError(f"`parse` has one of {', '.join(sorted(_INPUTS))}")
    if "cuts" in request and "text" not in request:
        raise _RequestError("`cuts` are offsets into `text`")
    if "turns" in request and request.keys() & {"save", "restore"}:
        raise _RequestError("`save` and `restore` are not for `turns`")
    parser = _parser(request)
    if "turns" not in request:
        reply = _typed(request, _read_turn(parser, _chunks(request), request)[1])
        return {**reply, "takes": _OF_TURNS} if "protocol" in request else reply
    if request.get("mode") == "transcript":
        raise _RequestError("`turns` are not for transcripts, which contain their turns")
    replies: list[Reply] = []
    for chunks in _member(request, "turns", list):
        if replies:
            try:
                parser.next_turn()
            except RuntimeError as problem:
                raise _RequestError(f"`turns`: {problem}") from None
        parser, reply = _read_turn(parser, _texts(chunks), request)
        replies.append(reply)
    return {"turns": replies}


def _typed(request: Request, reply: Reply) -> Reply:
    """Return a reply with the values that the schemas of tools declare, if a format has tools."""
    if not isinstance(request.get("dialect"), dict) or "tools" not in request:
        return reply
    tools = _tools(request, _dialect(request))
    feeds = [[*tools.typed(feed)] for feed in reply["feeds"]]
    return {**reply, "feeds": feeds, "close": [*tools.typed(reply["close"])]}


def _tools(request: Request, name: str) -> cogwire.Toolset:
    tools = _member(request, "tools", list, default=[])
    form = request.get("format", request.get("dialect"))
    with _refusals(ValueError, TypeError, RecursionError):
        return _toolset(json.dumps(tools), name, json.dumps(form))


@functools.lru_cache(maxsize=16)
def _toolset(tools: str, name: str, _form: str) -> cogwire.Toolset:
    """Return tools, as above; formats that have one name may be described in several ways."""
    return cogwire.Toolset(json.loads(tools), name)


def _read_format(request: Request) -> Reply:
    """Read texts in a format that models write, as the cases of formats ask for it."""
    name = _format(request["format"])
    tools = _tools(request, name)
    if "sessions" not in request:
        (reply,) = _read_sessions([request], name, tools)
    else:
        sessions = _member(request, "sessions", list)
        if not all(isinstance(one, dict) for one in sessions):
            raise _RequestError("`sessions` are objects")
        reply = {"sessions": _read_sessions(sessions, name, tools)}
    return {**reply, "takes": _TAKEN} if "protocol" in request else reply


#: What not every adapter takes in requests for formats, and for turns in them.
_TAKEN: Final = ["start", "finish", "sessions"]
_OF_TURNS: Final = ["start", "finish", "calls", "limits", "tools", "lone-surrogates", "writing"]


def _read_sessions(sessions: list[Request], name: str, tools: cogwire.Toolset) -> list[Reply]:
    """Read texts at the same time: a chunk of each in turn, and the end after its last chunk."""
    parsers: list[cogwire.Parser] = []
    replies: list[Reply] = []
    chunks = [_chunks(session) for session in sessions]
    for session in sessions:
        start = _start(session, name)
        parsers.append(cogwire.Parser(name, stream="token", start=start, clock=None))
        replies.append({"feeds": []})
    for number in range(max(map(len, chunks), default=0)):
        for parser, reply, own in zip(parsers, replies, chunks, strict=True):
            if number < len(own):
                reply["feeds"].append(_items(parser.feed(own[number]), tools))
    for session, parser, reply in zip(sessions, parsers, replies, strict=True):
        finish = _choice(session, "finish", ("stop", "length"))
        reply["close"] = _items(parser.close(finished=finish == "stop"), tools)
        has_calls = any(
            "call" in item for feed in (*reply["feeds"], reply["close"]) for item in feed
        )
        reply["finish"] = "tool_calls" if has_calls and finish == "stop" else finish
    return replies


def _start(request: Request, name: str) -> Any:
    start = _choice(request, "start", get_args(Start))
    if start == "header" and not notation(name).wire.frame.header_end:
        raise _UnsupportedError(f"start {start!r}")
    return start


def _format(given: Any) -> str:
    """Return the name of a format: one that is known, or the one that a description describes."""
    if isinstance(given, dict):
        with _refusals(ValueError, RecursionError):
            return _described(json.dumps(given))
    if not isinstance(given, str):
        raise _RequestError("`format` is a name, or an object that describes a format")
    try:
        name = notation(given).name
    except ValueError:
        name = ""
    if name not in format_names():
        raise _UnsupportedError(f"format {given!r}")
    return name


@functools.lru_cache(maxsize=16)
def _described(given: str) -> str:
    """Return the name of a format, which hundreds of requests describe, each with another text."""
    return described(json.loads(given), "`format`")


def _items(events: list[cogwire.Event], tools: cogwire.Toolset) -> list[Reply]:
    items: list[Reply] = []
    for event in events:
        if event["type"] == "think":
            items.append({"reasoning": event["content"]})
        elif event["type"] == "respond":
            items.append({"content": event["content"]})
        elif event["type"] == "call":
            call = tools.check(event)
            items += {"call": call.name}, {"arguments": call.args}
    return items


def _read_turn(
    parser: cogwire.Parser, chunks: list[Any], request: Request
) -> tuple[cogwire.Parser, Reply]:
    """Feed `chunks`; after those that `snapshots` names, from 0, another parser takes over.

    After those that `save` names the snapshot is shown, and another process may go on.
    """
    snapshots = set(_numbers(request, "snapshots"))
    save = set(_numbers(request, "save"))
    feeds, saved = [], []
    for index, chunk in enumerate(chunks):
        feeds.append(parser.feed(chunk))
        if index in save:
            saved.append(parser.snapshot())
        if index in snapshots:
            # Through JSON text, as between processes.
            parser = cogwire.Parser.restore(json.loads(json.dumps(parser.snapshot())), clock=None)
    closing = _member(request, "close", bool, default=True)
    finish = _choice(request, "finish", ("stop", "length", "cancelled", "interrupted"))
    reply: Reply = {"feeds": feeds, "close": []}
    if closing:
        cancelled = finish == "cancelled"
        reply["close"] = parser.close(finished=finish == "stop", cancelled=cancelled)
    reply |= {"state": parser.state, "discarded": parser.discarded}
    if request.get("raw"):
        reply["tail"] = parser.tail
    if "save" in request:
        reply["saved"] = saved
    return parser, reply


def _parser(request: Request) -> cogwire.Parser:
    stream = _choice(request, "stream", ("event", "token"))
    call_deltas = _member(request, "call_deltas", bool, default=False)
    if call_deltas and stream != "token":
        raise _RequestError("`call_deltas` come in the stream of tokens")
    if "restore" in request:
        with _refusals(ValueError):
            return cogwire.Parser.restore(request["restore"], clock=None)
    name = _dialect(request)
    options: dict[str, Any] = {
        "mode": _choice(request, "mode", ("turn", "transcript")),
        "start": _start(request, name),
        "raw": _member(request, "raw", bool, default=False),
        "spans": _member(request, "spans", bool, default=False),
        "calls": _choice(request, "calls", ("shown", "sealed")),
        "limits": _limits(request),
    }
    with _refusals(ValueError):  # a format without results has no transcripts
        return cogwire.Parser(name, stream=stream, call_deltas=call_deltas, clock=None, **options)


def _limits(request: Request) -> cogwire.Limits:
    if "limits" not in request:
        return cogwire.Limits()
    wanted = _member(request, "limits", dict)
    known = set(cogwire.Limits._fields)
    if unknown := sorted(wanted.keys() - known):
        raise _UnsupportedError(f"limit {unknown[0]!r}")
    try:
        return cogwire.Limits(**wanted)
    except (TypeError, ValueError) as problem:
        raise _RequestError(f"`limits`: {problem}") from None


def _chunks(request: Request) -> list[Any]:
    if "chunks" in request:
        return _texts(request["chunks"])
    if "chunks_b64" in request:
        try:
            return [base64.b64decode(chunk, validate=True) for chunk in request["chunks_b64"]]
        except (TypeError, ValueError) as problem:
            raise _RequestError(f"`chunks_b64` is an array of base64 strings: {problem}") from None
    text: str = _member(request, "text", str)
    bounds = [0, *_numbers(request, "cuts"), len(text)]
    if any(left > right for left, right in pairwise(bounds)):
        raise _RequestError("`cuts` are offsets into `text`, in order")
    return [text[left:right] for left, right in pairwise(bounds)]


def _texts(chunks: Any) -> list[str]:
    if not isinstance(chunks, list) or not all(isinstance(chunk, str) for chunk in chunks):
        raise _RequestError("`chunks` is an array of strings")
    return chunks


def _numbers(request: Request, name: str) -> list[int]:
    numbers: list[int] = _member(request, name, list, default=[])
    if not all(type(number) is int and number >= 0 for number in numbers):
        raise _RequestError(f"`{name}` is an array of whole numbers")
    return numbers


def _validate(request: Request) -> Reply:
    tools, calls = _member(request, "tools", list), _member(request, "calls", list)
    with _refusals(ValueError, TypeError):
        toolset = cogwire.Toolset(tools, _dialect(request))
        checked = [toolset.check(call) for call in calls]
    return {
        "problems": [check.problems for check in checked],
        "args": [check.args for check in checked],
    }


def _applied(
    function: Callable[[list[Any], str], Any], given: str, made: str
) -> Callable[[Request], Reply]:
    """Return an op that replies with what a function makes of a list."""

    def operation(request: Request) -> Reply:
        values, dialect = _member(request, given, list), _dialect(request)
        with _refusals(ValueError):
            return {made: function(values, dialect)}

    return operation


def _batch(request: Request) -> Reply:
    batch = cogwire.Batch(_dialect(request), clock=None)
    events = [_event(event) for event in _member(request, "events", list)]
    outcomes = [_outcome(pair) for pair in _member(request, "outcomes", list, default=[])]
    endings = _ending(request)
    results = []
    with _refusals(ValueError):
        for event in events:
            results += batch.take(event)
        for outcome in outcomes:
            results += batch.settle(*outcome)
        for event in endings:
            results += batch.take(event)
    return {"events": results}


def _event(event: Any) -> Any:
    """Return an event that a batch can take: it reads these members, and trusts their types."""
    read = {"call": ("content",), "error": ("code", "content")}
    if isinstance(event, dict) and isinstance(kind := event.get("type"), str):
        is_own = kind == "error" and "code" not in event
        if is_own or all(isinstance(event.get(name), str) for name in read.get(kind, ())):
            return event
        raise _RequestError(f"an event {kind!r} has the strings {', '.join(read[kind])}")
    raise _RequestError("an event is an object with a `type`, a string")


def _outcome(pair: Any) -> tuple[int, Any, Any]:
    match pair:
        case [int(index), {"status": str(status), "content": content}]:
            return index, status, content
    raise _RequestError("an outcome is an index and an object with `status` and `content`")


def _ending(request: Request) -> list[Any]:
    match request.get("ending"):
        case None:
            return []
        case "cancelled":
            return [{"type": "cancelled"}]
        case "interrupted":
            return [{"type": "interrupt"}]
    raise _RequestError("`ending` is null, `cancelled` or `interrupted`")


def _to_messages(request: Request) -> Reply:
    report: list[Any] = []
    events, dialect = _member(request, "events", list), _dialect(request)
    system = _member(request, "system", str, default=None)
    with _refusals(ValueError):
        messages = cogwire.to_messages(events, dialect, system=system, report=report)
    return {"messages": messages, "report": report}


def _convert(request: Request) -> Reply:
    report: list[Any] = []
    source, target = (_named(request.get(name), name) for name in ("from", "to"))
    text = cogwire.convert(_member(request, "text", str), source, target, report=report)
    return {"text": text, "report": report}


@contextmanager
def _refusals(*kinds: type[Exception]) -> Iterator[None]:
    """Turn what the library says of a bad value into a refusal."""
    try:
        yield
    except kinds as problem:
        raise _RefusedError(str(problem)) from None


_OPERATIONS: Final[dict[str, Callable[[Request], Reply]]] = {
    "hello": _hello,
    "parse": _parse,
    "validate": _validate,
    "calls": _applied(cogwire.render_calls, "calls", "text"),
    "results": _applied(cogwire.render_results, "results", "text"),
    "render": _applied(cogwire.render_events, "events", "text"),
    "batch": _batch,
    "messages": _to_messages,
    "from_messages": _applied(cogwire.from_messages, "messages", "events"),
    "exchanges": _applied(cogwire.exchanges, "events", "exchanges"),
    "convert": _convert,
}
#: The ops that `hello` lists.
OPS: Final = tuple(name for name in _OPERATIONS if name != "hello")
