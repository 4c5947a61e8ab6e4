# SPDX-License-Identifier: MIT
"""The calls of a turn and the results that came back for them, as messages write them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from ..events import RESERVED_NAME, UNLIMITED
from ..text.json_array import write_array
from ..text.json_text import decoded, elements, escaped, members
from ..text.scan import WHITE
from ..wire.blocks.values import ItemWriter, RenderError
from ..wire.dialects import Dialect
from ..wire.writing import read_call, spell_call
from .changes import Change, Note, noting, repaired, rewritten, trimmed
from .exchanges import Exchange
from .render import CANCELLED
from .storage import Numbered, is_list, is_void_answer

_ITEM: Final = {"tool", "status", "content"}


@dataclass(frozen=True, slots=True)
class Call:
    """A call as the dialect writes it."""

    index: int
    tool: str
    text: str
    #: How the text differs from the event.
    changes: Sequence[Change]


@dataclass(frozen=True, slots=True)
class Result:
    """A result as it is stored."""

    index: int
    content: str
    #: The texts of the items; content that is no array is the only item.
    items: Sequence[str]
    is_array: bool
    is_void: bool


#: What is known of the block of a turn: there is none; it has calls, the first of which may belong
#: to an earlier turn that broke off; its calls are certain; or it is part of a replay.
Bond = Literal["none", "loose", "fixed", "replayed"]


@dataclass(frozen=True, slots=True)
class Batch:
    """Calls, and the text of the array of their results."""

    #: The place of the result, or of the last event of the turn.
    index: int
    #: None for those of a void block.
    calls: Sequence[Call] | None
    #: None while they may still come.
    results: str | None


def bond_of(exchange: Exchange, calls: Sequence[Call], *, is_replayed: bool) -> Bond:
    """Return what is known of the block of a turn."""
    if is_replayed and exchange.stop == "execute":
        return "replayed"
    if not calls:
        return "none"
    return "fixed" if exchange.cancelled else "loose"


def batches_of(
    exchange: Exchange, calls: Sequence[Call], bond: Bond, wire: Dialect, note: Note
) -> Iterator[Batch]:
    """Yield the batch of a turn, or the two that its result divides it into."""
    if exchange.answer is None:
        if bond != "none":
            index = exchange.turn[-1][0]
            results = None if exchange.is_open else _orphaned(calls, index, wire, note)
            yield Batch(index, calls, results)
        return
    index, event = exchange.answer
    result = _read_result(index, event["content"])
    if result.is_void and bond != "replayed":
        if bond == "fixed":
            yield Batch(index, calls, _orphaned(calls, index, wire, note))
        yield Batch(index, None, _write_results(result, [], [RESERVED_NAME], wire, note))
        return
    missing = max(0, len(calls) - len(result.items))
    if bond == "loose" and missing:
        yield Batch(index, calls[:missing], _orphaned(calls[:missing], index, wire, note))
        calls, missing = calls[missing:], 0
    # An empty result with no calls of its own came back for an empty block.
    if calls or bond == "replayed" or not result.items:
        orphans = _cancel(calls[:missing], wire, note)
        tools = [call.tool for call in calls[missing:]]
        yield Batch(index, calls, _write_results(result, orphans, tools, wire, note))
    else:
        _note_surplus(result, 0, note)


def _orphaned(calls: Sequence[Call], index: int, wire: Dialect, note: Note) -> str:
    """Return the array of results of orphaned calls; `index` is that of an empty block."""
    if not calls:
        note(index, "orphan", "no result came back for this empty block: it is written here")
    return write_array(_cancel(calls, wire, note))


def _cancel(calls: Sequence[Call], wire: Dialect, note: Note) -> list[str]:
    """Return the results of calls that have none."""
    for call in calls:
        note(call.index, "orphan", "no result came back: it is written here, as cancelled")
    return [_item(call.tool, "failure", _string(CANCELLED, wire), wire) for call in calls]


def _item(tool: str, status: str, content: str, wire: Dialect) -> str:
    """Return the text of a result whose `content` is JSON text."""
    return f'{{"tool": {_string(tool, wire)}, "status": "{status}", "content": {content}}}'


def _string(text: str, wire: Dialect) -> str:
    """Return `text` as JSON, however long it is."""
    return ItemWriter(wire.lookalike, UNLIMITED.size).write(text, "")


def read_calls(turn: Iterable[Numbered], wire: Dialect) -> Sequence[Call]:
    """Return the calls of a turn; `ValueError`, with its index, for what is no call."""
    return [
        _read_call(index, event["content"], wire)
        for index, event in turn
        if event["type"] == "call"
    ]


def _read_call(index: int, content: str, wire: Dialect) -> Call:
    """Return the call as any reader of blocks will find it; `ValueError` if it is not a call."""
    changes: list[Change] = []
    note = noting(changes)
    text = content.strip(WHITE)
    if text != content:
        note(index, "trimmed", "white space around the call is left out")

    def changed(code: Literal["completed", "dropped", "retyped"], _path: str, message: str) -> None:
        note(index, code, message)

    try:
        tool = read_call(text)
    except ValueError as problem:
        reason = f"the content is not that of one call. {problem}"
        raise ValueError(f"event {index}: {reason}") from None
    try:
        return Call(index, tool, spell_call(text, wire, changed), changes)
    except RecursionError:
        raise ValueError(f"event {index}: the call is nested too deeply to be decoded") from None
    except RenderError as error:
        raise ValueError(f"event {index}: the call cannot be written. {error}") from None


def _read_result(index: int, content: str) -> Result:
    items = decoded(content)
    if is_list(items):
        texts = elements(content.strip(WHITE))
        return Result(index, content, texts, is_array=True, is_void=is_void_answer(items))
    return Result(index, content, [content], is_array=False, is_void=False)


def _write_results(
    result: Result, orphans: Sequence[str], tools: Sequence[str], wire: Dialect, note: Note
) -> str:
    """Return the array of `orphans`, and of what came back for calls of the `tools`."""
    own = result.items[: len(tools)]
    _note_surplus(result, len(own), note)
    if not result.is_array:
        own = [_carried(result, tool, wire, note) for tool in tools[-1:]]
        return write_array([*orphans, *own])
    text = trimmed(result.index, result.content, note)
    if not wire.frame.has_result_array:
        own = list(_line_items(result.index, own, tools, wire, note))
    if orphans or own != result.items:
        text = write_array([*orphans, *own])
    text = repaired(result.index, text, note)
    return rewritten(result.index, text, _lookalikes_in(text, wire), escaped, note)


def _note_surplus(result: Result, kept: int, note: Note) -> None:
    if kept < len(result.items):
        note(result.index, "surplus", f"{len(result.items) - kept} results of no call are left out")


def _carried(result: Result, tool: str, wire: Dialect, note: Note) -> str:
    """Return the content of `result`, which is no array, as that of one success."""
    note(result.index, "completed", "the content is no array of results: it is that of one")
    text = repaired(result.index, result.content, note)
    # This only notes the lookalikes; `_string` escapes them.
    rewritten(result.index, text, _lookalikes_in(text, wire), escaped, note)
    return _item(tool, "success", _string(text, wire), wire)


def _lookalikes_in(text: str, wire: Dialect) -> Iterator[tuple[int, int]]:
    return (found.span() for found in wire.lookalike.finditer(text))


def _line_items(
    index: int, items: Sequence[str], tools: Sequence[str], wire: Dialect, note: Note
) -> Iterator[str]:
    """Yield `items`, which answer calls of the `tools`, as results that are written one by one."""
    for item, tool in zip(items, tools, strict=True):
        given = list(members(item)) if item.startswith("{") else []
        said = {name: text for name, text in given if name in _ITEM}
        if said.keys() < _ITEM:
            note(index, "completed", "what is no result is carried as the content of one")
            yield _item(tool, "success", item, wire)
            continue
        for _ in range(len(given) - len(said)):
            note(index, "dropped", "a member of a result that has no place here is left out")
        kept = (f'"{name}": {text}' for name, text in said.items())
        yield f"{{{', '.join(kept)}}}" if len(given) > len(said) else item
