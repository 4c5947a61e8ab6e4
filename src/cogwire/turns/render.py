# SPDX-License-Identifier: MIT
"""From values and events to wire text.

The text parses back to the values or events; anything that would not is refused with its place.
`render_calls` and `render_results` write nothing that any reader, however simple, could mistake for
a marker; `render_events` parses its own text before it returns it.
"""

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Final, NoReturn

from ..events import RESERVED_NAME, RESULT_MEMBERS, Event
from ..parser.parser import parse, parse_transcript
from ..text import shorten
from ..text.decoding import is_text
from ..text.json_text import same_json, write_array
from ..text.strict_json import quoted
from ..wire.blocks.values import (
    LIMITS,
    ItemWriter,
    RenderError,
    is_plain_dict,
    object_fault,
)
from ..wire.dialects import Dialect, HasDialect, dialect_named
from ..wire.frames.markers import literal
from ..wire.writing import (
    call_writing_of,
    frame_calls,
    frame_text,
    read_call,
    spell_call,
    writing_of,
)
from .storage import Numbered, numbered_events

#: The message of a call that was stopped before it had an outcome.
CANCELLED: Final = "Cancelled: this call has no result."

_Members = dict[str, object]

#: The members of an event that are not on the wire.
_OFF_WIRE: Final = frozenset({"raw", "timestamp", "id"})

#: A placeholder for a missing event.
_NOTHING: Final[_Members] = {"type": "nothing"}

_MEMBERS_OF: Final = itemgetter("tool", "status", "content")
_STATUSES: Final = frozenset({"success", "failure"})
#: Names that no tool can have: the empty one, and the one that means the block itself.
_NO_TOOLS: Final = frozenset({"", RESERVED_NAME})

_NOT_RUN: Final = "no `execute` follows the call"

_TOO_DEEP: Final = "nested too deeply to be decoded"

#: How many characters an error message quotes.
_QUOTED: Final = 81


def render_calls(
    calls: Iterable[Mapping[str, object]], dialect: str | HasDialect = "xml-json"
) -> str:
    """Return the block of `calls`, each a dict of `name` and `args`.

    Raises `RenderError` for a value that a block cannot contain, with its place: `/0/args/n`.
    """
    wire = dialect_named(dialect)
    writer = ItemWriter(writing_of(wire).escape)
    written = [_write_call(*item, writer, wire) for item in _numbered(calls)]
    text = frame_calls(written, wire)
    # In some formats what is around the calls counts too, as only their reader knows.
    read = 0
    for event in parse(text, wire, clock=None) if len(text) > LIMITS.size else ():
        if event["type"] == "error":
            raise RenderError(f"/{min(read, len(written) - 1)}", event["content"])
        read += event["type"] == "call"
    return text


def render_results(
    results: Iterable[Mapping[str, object]],
    dialect: str | HasDialect = "xml-json",
    *,
    framed: bool = True,
) -> str:
    """Return the results block of `results`, each a dict of `tool`, `status` and `content`.

    `status` is `"success"` or `"failure"`; the content of a failure is its message.  With
    `framed=False`, only the array is returned: JSON in every dialect, and the content of a `result`
    event.  Raises `RenderError` for a value that a results block cannot contain, with its place:
    `/0/content`.
    """
    wire = dialect_named(dialect)
    array, items = _write_results(results, wire)
    return writing_of(wire).write_results(array, items) if framed else array


def render_events(events: Iterable[Event], dialect: str | HasDialect = "xml-json") -> str:
    """Return the transcript that parses to `events`, with the deltas of each segment joined.

    Raises `RenderError` for anything but an event, including older spellings, and for an event that
    the wire cannot express; its path begins with the event's index or, for joined deltas, that of
    the first.  A format without results has no transcripts, and any events are refused.
    """
    wire = dialect_named(dialect)
    if not wire.frame.has_results:
        raise RenderError("", f"{wire.name} has no markers of results, so it has no transcripts")
    numbered = numbered_events(events, older=False, refuse=_refused)
    text = writing_of(wire).joint.join(_parts(numbered, wire))
    _verify(numbered, text, wire)
    return text


def _write_results(
    results: Iterable[Mapping[str, object]], dialect: Dialect
) -> tuple[str, Sequence[object] | None]:
    """Return the text of the array of `results`, and the items in it, if they are known.

    Raises `RenderError` as `render_results` does.
    """
    values = list(results)
    writer = ItemWriter(writing_of(dialect).escape)
    # Memory that does not suffice for all of them may suffice for each.
    with contextlib.suppress(MemoryError):
        items, written = _text_results(values)
        if written and (array := writer.write_all(written)):
            return array, items
    numbered = _numbered(values)
    texts: list[str] = []
    for path, value in numbered:
        result = _result(path, value)
        if result["tool"] == RESERVED_NAME and (len(numbered), result["status"]) != (1, "failure"):
            reason = f"{RESERVED_NAME!r} means a void block: it is the only result, a failure"
            raise RenderError(f"{path}/tool", reason)
        texts.append(writer.write(result, path))
    return write_array(texts), None


def write_item(tool: str, status: str, content: object, dialect: Dialect, path: str = "") -> str:
    """Return the text of one result, whose place is `path`; `RenderError` if it is malformed."""
    result = _result(path, {"tool": tool, "status": status, "content": content})
    return ItemWriter(writing_of(dialect).escape).write(result, path)


def _numbered(items: Iterable[object]) -> list[tuple[str, object]]:
    if isinstance(items, Mapping):
        raise RenderError("", "must be a list of dicts, not a dict")
    numbered = [(f"/{index}", item) for index, item in enumerate(items)]
    if len(numbered) > LIMITS.calls:
        raise RenderError(f"/{LIMITS.calls}", f"a block may contain at most {LIMITS.calls} items")
    return numbered


def _members(path: str, value: object, names: Sequence[str]) -> _Members:
    """Return the members of `value`, which has exactly the `names`, in their order."""
    # A copy, so that no other thread can change the value between checking and writing.
    members = value.copy() if is_plain_dict(value) else {}
    if members.keys() != set(names):
        found = ", ".join(map(repr, members)) or f"a value of type {type(value).__name__}"
        reason = f"expected a dict of exactly {', '.join(names)}, got {shorten(found)}"
        raise RenderError(path, reason)
    return {name: members[name] for name in names}


def _write_call(path: str, value: object, writer: ItemWriter, wire: Dialect) -> str:
    call = _members(path, value, ("name", "args"))
    name, args = _tool(call["name"], f"{path}/name"), call["args"]
    if name == RESERVED_NAME:
        raise RenderError(f"{path}/name", f"{RESERVED_NAME!r} means the block itself")
    if not is_plain_dict(args):
        raise RenderError(f"{path}/args", "not a dict of arguments")
    if fault := object_fault(args):
        raise RenderError(f"{path}/args", fault)
    return call_writing_of(wire).write(name, args, writer, path)


def _result(path: str, value: object) -> _Members:
    result = _members(path, value, ("tool", "status", "content"))
    _tool(result["tool"], f"{path}/tool")
    if result["status"] not in ("success", "failure"):
        raise RenderError(f"{path}/status", "expected 'success' or 'failure'")
    if result["status"] == "failure" and type(result["content"]) is not str:
        raise RenderError(f"{path}/content", "the content of a failure must be a string")
    return result


def _text_results(values: Sequence[object]) -> tuple[Sequence[object], list[str]]:
    """Return copies of the results, and their texts; none unless all contents are sound text.

    This is the usual case, and takes a tenth of the time that writing each result takes.
    """
    items = [value.copy() for value in values if is_plain_dict(value)]
    rows = [_MEMBERS_OF(item) for item in items if item.keys() == RESULT_MEMBERS]
    if not 0 < len(rows) == len(values) <= LIMITS.calls:
        return [], []
    tools, statuses, contents = zip(*rows, strict=True)
    are_texts = {*map(type, [*tools, *statuses, *contents])} == {str}
    if not are_texts or not _STATUSES.issuperset(statuses) or not _NO_TOOLS.isdisjoint(tools):
        return [], []
    if not is_text("".join([*tools, *contents])):
        return [], []
    return items, [
        f'{{"tool": {quoted(tool)}, "status": "{status}", "content": {quoted(content)}}}'
        for tool, status, content in rows
    ]


def _tool(name: object, path: str) -> str:
    if type(name) is not str or not name:
        raise RenderError(path, "not the name of a tool, a string that is not empty")
    return name


def _refused(index: int, problem: ValueError) -> NoReturn:
    raise RenderError(f"/{index}", f"event {index}: {problem}") from None


def _parts(numbered: Iterable[Numbered], wire: Dialect) -> Iterator[str]:
    """Yield the parts of the text, which joints connect."""
    between = () if wire.frame.is_block_last else ("think", "respond")
    calls: list[str] = []
    # If text may come between calls, each call is a separate part.
    held: list[str | None] = []
    last_call = 0
    for index, event in numbered:
        if event["type"] == "call":
            calls.append(_spell_call(index, event["content"], wire))
            held.append(None)
            last_call = index
        elif event["type"] == "execute":
            yield from _with_calls(held, writing_of(wire).call_parts(calls, call_writing_of(wire)))
            calls, held = [], []
        elif not calls:
            yield _part(index, event, wire)
        elif event["type"] in between:
            held.append(_part(index, event, wire))
        else:
            break
    if calls:
        raise RenderError(f"/{last_call}", _NOT_RUN)


def _with_calls(held: Iterable[str | None], parts: Sequence[str]) -> Iterator[str]:
    """Yield the parts of a batch with the text between its calls; `None` in `held` is a call."""
    rest = iter(parts)
    held = list(held)
    if len(parts) >= held.count(None):
        yield from (next(rest) if part is None else part for part in held)
    yield from rest


def _part(index: int, event: Event, wire: Dialect) -> str:
    if event["type"] == "think" or event["type"] == "respond":
        return frame_text(event["type"], event["content"], wire)
    if event["type"] == "result":
        return _spell_results(index, event["content"], wire)
    if event["type"] == "end" and wire.frame.end:
        return wire.frame.end
    raise RenderError(f"/{index}", f"`{event['type']}` has no form on the wire")


def _spell_call(index: int, content: str, wire: Dialect) -> str:
    if wire.calls.is_verbatim:
        return content
    path = f"/{index}/content"

    def refuse(code: str, place: str, message: str) -> NoReturn:
        raise RenderError(place, f"{code}: {message}")

    try:
        read_call(content)
    except ValueError as problem:
        raise RenderError(f"/{index}", f"not one call: {problem}") from None
    try:
        return spell_call(content, wire, refuse)
    except RenderError as error:
        raise RenderError(path + error.path, error.reason) from None
    except RecursionError:
        raise RenderError(path, _TOO_DEEP) from None


def _spell_results(index: int, content: str, wire: Dialect) -> str:
    try:
        return writing_of(wire).write_results(content)
    except (ValueError, KeyError, IndexError):
        raise RenderError(f"/{index}/content", "not an array of results") from None
    except RecursionError:
        raise RenderError(f"/{index}/content", _TOO_DEEP) from None


def _verify(numbered: Iterable[Numbered], text: str, wire: Dialect) -> None:
    """Refuse the first event that `text` does not parse back to."""
    readings = [*map(_wire_members, parse_transcript(text, wire, clock=None)), _NOTHING]
    expected = [*((f"/{index}", _wire_members(event)) for index, event in numbered), ("", _NOTHING)]
    for (path, event), reading in zip(expected, readings, strict=False):
        if reading["type"] == "error":
            raise RenderError(path, f"would be read as an error: {reading['content']}")
        if reading["type"] != event["type"]:
            raise RenderError(path, f"would be read as {reading['type']}{_marker_in(event, wire)}")
        for name in reading:
            is_respelled = name == "content" and _respells(event["type"], wire)
            same = is_respelled and same_json(str(reading[name]), str(event[name]))
            if not same and reading[name] != event.get(name):
                read = shorten(repr(reading[name]), _QUOTED)
                reason = f"would be read as {read}{_marker_in(event, wire)}"
                raise RenderError(f"{path}/{name}", reason)


def _marker_in(event: _Members, wire: Dialect) -> str:
    """Return the end of a message that names the first marker in think or prose, if any."""
    if event["type"] not in {"think", "respond"}:
        return ""
    content = str(event["content"])
    spans = writing_of(wire).unsafe(content, "think" if event["type"] == "think" else "respond")
    markers = (content[start:end] for start, end in spans)
    return next((f": {each!r} is a marker; write {literal(each)!r}" for each in markers), "")


def _respells(kind: object, wire: Dialect) -> bool:
    """Whether the dialect keeps the JSON value of such an event, but not its spelling."""
    if kind == "call":
        return not wire.calls.is_verbatim
    return kind == "result" and not wire.frame.has_result_array


def _wire_members(event: Event) -> _Members:
    return {name: value for name, value in event.items() if name not in _OFF_WIRE}
