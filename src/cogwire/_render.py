# SPDX-License-Identifier: MIT
"""From values and events to wire text.

What is written here parses back to what was given, and what would not is refused with its place.
`render_calls` and `render_results` write nothing that any reader, however simple, could take for a
marker; `render_events` reads its own text before it returns it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from ._dialects import XML_JSON, Dialect, dialect_named
from ._events import RESERVED_NAME, Event
from ._history import Numbered, numbered_events
from ._limits import UNLIMITED
from ._parser import parse, parse_transcript
from ._values import LIMITS, ItemWriter, RenderError, is_object, write_array

#: The message of a call that was stopped before it had an outcome.
CANCELLED: Final = "Cancelled: this call has no result."

_Members = dict[str, object]

#: What an event may carry that is not on the wire.
_UNSAID: Final = {"raw", "timestamp"}

#: What stands in the place of an event that is not there.
_NOTHING: Final[_Members] = {"type": "nothing"}

#: How much an error message quotes.
_QUOTED: Final = 80


def render_calls(calls: Iterable[Mapping[str, object]], dialect: str = "xml-json") -> str:
    """Return the block of `calls`, each a dict of `name` and `args`.

    Raises `RenderError` for what a block cannot hold.
    """
    wire = dialect_named(dialect)
    writer = ItemWriter(wire)
    return frame_calls([writer.write(_call(*item), item[0]) for item in _numbered(calls)], wire)


def render_results(results: Iterable[Mapping[str, object]], dialect: str = "xml-json") -> str:
    """Return the results block of `results`, each a dict of `tool`, `status` and `content`.

    Raises `RenderError` for what a results block cannot hold.
    """
    wire = dialect_named(dialect)
    return frame_results(write_results(results, wire), wire)


def render_events(events: Iterable[Event], dialect: str = "xml-json") -> str:
    """Return the transcript that parses to `read_events(events)`.

    Raises `RenderError` for what is no event, and for what the wire cannot say; its path begins
    with the event's number, for joined deltas that of the first.
    """
    wire = dialect_named(dialect)
    given = _read(events)
    text = wire.joint.join(_parts(given, wire))
    _verify(given, text, wire)
    return text


def frame_calls(contents: Iterable[str], dialect: Dialect) -> str:
    """Return the block of the calls whose JSON texts are `contents`, verbatim."""
    return _framed(write_array(contents), dialect.execute)


def frame_results(content: str, dialect: Dialect) -> str:
    """Return the results block that holds `content`, the text of an array, verbatim."""
    return _framed(content, dialect.results)


def write_results(results: Iterable[Mapping[str, object]], dialect: Dialect) -> str:
    """Return the text of the array of `results`; `RenderError` as in `render_results`."""
    numbered = _numbered(results)
    writer = ItemWriter(dialect)
    items: list[str] = []
    for path, value in numbered:
        result = _result(path, value)
        if result["tool"] == RESERVED_NAME and (len(numbered), result["status"]) != (1, "failure"):
            reason = f"{RESERVED_NAME!r} stands for a void block: one failure, and nothing else"
            raise RenderError(f"{path}/tool", reason)
        items.append(writer.write(result, path))
    return write_array(items)


def write_item(tool: str, status: str, content: object, dialect: Dialect, path: str = "") -> str:
    """Return the text of one result, which stands at `path`; `RenderError` if it has none."""
    result = _result(path, {"tool": tool, "status": status, "content": content})
    return ItemWriter(dialect).write(result, path)


def read_call(content: str) -> list[Event]:
    """Return the events of a block of this one call; calls are JSON in every dialect."""
    block = frame_calls([content], XML_JSON)
    return parse(block, XML_JSON.name, clock=None, limits=UNLIMITED)


def _framed(content: str, markers: tuple[str, str]) -> str:
    opener, closer = markers
    return f"{opener}\n{content}\n{closer}"


def _numbered(items: Iterable[object]) -> list[tuple[str, object]]:
    numbered = [(f"/{index}", item) for index, item in enumerate(items)]
    if len(numbered) > LIMITS.calls:
        raise RenderError(f"/{LIMITS.calls}", f"a block holds at most {LIMITS.calls} calls")
    return numbered


def _members(path: str, value: object, names: Sequence[str]) -> _Members:
    """Return the members of `value`, which has exactly the `names`, in their order."""
    if not is_object(value) or value.keys() != set(names):
        raise RenderError(path, f"not a dict of exactly {', '.join(names)}")
    return {name: value[name] for name in names}


def _call(path: str, value: object) -> _Members:
    call = _members(path, value, ("name", "args"))
    _check_name(call["name"], f"{path}/name")
    if call["name"] == RESERVED_NAME:
        raise RenderError(f"{path}/name", f"{RESERVED_NAME!r} stands for the block itself")
    if not is_object(call["args"]):
        raise RenderError(f"{path}/args", "not a dict of arguments")
    return call


def _result(path: str, value: object) -> _Members:
    result = _members(path, value, ("tool", "status", "content"))
    _check_name(result["tool"], f"{path}/tool")
    if result["status"] not in ("success", "failure"):
        raise RenderError(f"{path}/status", "neither 'success' nor 'failure'")
    if result["status"] == "failure" and type(result["content"]) is not str:
        raise RenderError(f"{path}/content", "the content of a failure is a string, its message")
    return result


def _check_name(name: object, path: str) -> None:
    if type(name) is not str or not name:
        raise RenderError(path, "not the name of a tool, a string that is not empty")


def _read(events: Iterable[Event]) -> list[Numbered]:
    reached = 0

    def counted() -> Iterator[Event]:
        nonlocal reached
        for index, event in enumerate(events):
            reached = index
            yield event

    try:
        return numbered_events(counted())
    except ValueError as problem:
        raise RenderError(f"/{reached}", str(problem)) from None


def _parts(numbered: Iterable[Numbered], wire: Dialect) -> Iterator[str]:
    """Yield what stands between the joints."""
    calls: list[str] = []
    last_call = 0
    for index, event in numbered:
        if calls and event["type"] not in ("call", "execute"):
            break
        if event["type"] == "think":
            yield event["content"].join(wire.think)
        elif event["type"] == "respond":
            yield event["content"]
        elif event["type"] == "call":
            calls.append(event["content"])
            last_call = index
        elif event["type"] == "execute":
            yield frame_calls(calls, wire)
            calls = []
        elif event["type"] == "result":
            yield frame_results(event["content"], wire)
        elif event["type"] == "end":
            yield wire.end
        else:
            raise RenderError(f"/{index}", f"`{event['type']}` has no form on the wire")
    if calls:
        raise RenderError(f"/{last_call}", "no `execute` follows the call")


def _verify(numbered: Iterable[Numbered], text: str, wire: Dialect) -> None:
    """Refuse the first event as which `text` would not be read."""
    readings = [*map(_said, parse_transcript(text, wire.name, clock=None)), _NOTHING]
    given = [*((f"/{index}", _said(event)) for index, event in numbered), ("", _NOTHING)]
    for (path, event), reading in zip(given, readings, strict=False):
        if reading["type"] == "error":
            raise RenderError(path, f"would be read as an error: {reading['content']}")
        if reading["type"] != event["type"]:
            raise RenderError(path, f"would be read as {reading['type']}")
        for name in event:
            if reading[name] != event[name]:
                raise RenderError(f"{path}/{name}", f"would be read as {_quoted(reading[name])}")


def _said(event: Event) -> _Members:
    return {name: value for name, value in event.items() if name not in _UNSAID}


def _quoted(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}…"
