# SPDX-License-Identifier: MIT
"""The results of calls: as they are stored, and as messages write them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import NamedTuple, TypeGuard

from ..events import RESULT_MEMBERS, UNLIMITED
from ..text import WHITE, counted, is_array
from ..text.json_text import decoded, elements, members, sound, write_array
from ..wire.blocks.values import ItemWriter, is_mapping, only
from ..wire.dialects import Dialect
from ..wire.frames.markers import literal
from ..wire.writing import writing_of
from .changes import Note, repaired, rewritten, trimmed
from .history import Call, Turn
from .render import CANCELLED
from .storage import is_void_answer


@dataclass(slots=True)
class Result:
    """A result as it is stored."""

    index: int
    content: str
    #: The decoded items; content that is not an array is the only item.
    items: Sequence[object]
    is_array: bool
    #: Whether every reader of blocks accepts the content.
    is_sound: bool

    def texts(self) -> list[str]:
        """Return the JSON texts of the items."""
        if self.is_array:
            return elements(self.content.strip(WHITE))
        return [json.dumps(self.content, ensure_ascii=False)]

    def first_of(self, calls: Sequence[Call]) -> int:
        """Return the number of `calls` before those that it answers, which are the last ones."""
        return max(0, len(calls) - len(self.items))


class ResultsText(NamedTuple):
    """The results of a batch, as messages have them."""

    #: The text of their array.
    array: str
    #: Whether they certainly answer the calls when they are read back.
    is_sound: bool = True
    #: The items as they were decoded, if these are the ones in the text.
    items: Sequence[object] | None = None


def without_skipped(turn: Turn) -> Turn:
    """Return the turn without the calls that are skipped, and without their results."""
    calls = turn.calls
    if not any(call.is_skipped for call in calls):
        return turn
    answer = turn.answer
    if answer is not None:
        index, event = answer
        result = read_result(index, event["content"])
        if not result.is_array:
            answer = None if calls[-1].is_skipped else answer
        elif not is_void_answer(result.items):
            own = [
                text
                for call, text in zip_longest(calls[result.first_of(calls) :], result.texts())
                if not (call and call.is_skipped)
            ]
            answer = (index, {**event, "content": write_array(own)}) if own else None
    kept = [call for call in calls if not call.is_skipped]
    is_over = turn.is_over or turn.answer is not None
    return replace(turn, calls=kept, answer=answer, is_over=is_over)


def read_result(index: int, content: str) -> Result:
    """Return the result whose event has this index and this content."""
    items = sound(content.strip(WHITE))
    is_sound = items is not None
    if not is_sound:
        items = decoded(content)
    if is_array(items):
        return Result(index, content, items, is_array=True, is_sound=is_sound)
    return Result(index, content, [content], is_array=False, is_sound=False)


def is_outcome(item: object, tool: str) -> TypeGuard[Mapping[str, object]]:
    """Whether `item` is a result of a call of the `tool`."""
    if not (is_mapping(item) and item.keys() >= RESULT_MEMBERS and item["tool"] == tool):
        return False
    status = item["status"]
    return status == "success" or (status == "failure" and type(item["content"]) is str)


def cancelled_results(calls: Sequence[Call], wire: Dialect, note: Note) -> list[str]:
    """Return the results of calls that have none."""
    for call in calls:
        note(call.index, "orphan", "no result was returned: it is written here, as cancelled")
    return [_item(call.tool, "failure", _string(CANCELLED, wire), wire) for call in calls]


def _item(tool: str, status: str, content: str, wire: Dialect) -> str:
    """Return the text of a result whose `content` is JSON text."""
    return f'{{"tool": {_string(tool, wire)}, "status": "{status}", "content": {content}}}'


def _string(text: str, wire: Dialect) -> str:
    """Return `text` as JSON, however long it is."""
    return ItemWriter(writing_of(wire).escape, UNLIMITED.size).write(text, "")


def results_text(
    result: Result, orphans: Sequence[str], tools: Sequence[str], wire: Dialect, note: Note
) -> ResultsText:
    """Return `orphans` and the items of `result`, which answers calls of the `tools`."""
    count = min(len(tools), len(result.items))
    note_surplus(result, count, note)
    if not result.is_array:
        wrapped = [_wrapped(result, tool, wire, note) for tool in tools[-1:]]
        return ResultsText(write_array([*orphans, *wrapped]), is_sound=False)
    is_sound = result.is_sound and _answers(result.items[:count], tools)
    is_whole = not orphans and count == len(result.items)
    # Of what is left out, nothing else is noted.
    text = trimmed(result.index, result.content, note) if count or is_whole else ""
    if not (is_whole and (is_sound or wire.frame.has_result_array)):
        items = texts = result.texts()[:count]
        if not (is_sound or wire.frame.has_result_array):
            texts = list(_line_items(result.index, items, tools, wire, note))
        if not is_whole or texts != items:
            text = write_array([*orphans, *texts])
    if not result.is_sound:
        text = repaired(result.index, text, note)
    text = _escaped(result.index, text, wire, note)
    return ResultsText(text, is_sound, result.items if is_whole and is_sound else None)


def _escaped(index: int, text: str, wire: Dialect, note: Note) -> str:
    """Return JSON with escapes for what could pass for a marker, which is noted."""
    places = writing_of(wire).lookalikes_in(text)
    rewritten(index, text, places, literal, note)
    return writing_of(wire).escape(text) if places else text


def _answers(items: Sequence[object], tools: Sequence[str]) -> bool:
    """Whether `items`, one for each of the `tools`, are results of calls of them."""
    for item, tool in zip(items, tools, strict=True):
        if not (is_outcome(item, tool) and len(item) == len(RESULT_MEMBERS)):
            return False
    return True


def note_surplus(result: Result, kept: int, note: Note) -> None:
    """Note that of the items of `result` only the first ones, so many, are `kept`."""
    if surplus := len(result.items) - kept:
        verb = "is" if surplus == 1 else "are"
        what = f"{counted(surplus, 'result')} without a call {verb} left out"
        note(result.index, "surplus", what)


def _wrapped(result: Result, tool: str, wire: Dialect, note: Note) -> str:
    """Return the content of `result`, which is not an array, as the content of one success."""
    note(
        result.index, "completed", "the content is not an array of results: it becomes that of one"
    )
    text = repaired(result.index, result.content, note)
    _escaped(result.index, text, wire, note)  # only to note the lookalikes
    return _item(tool, "success", _string(text, wire), wire)


def _line_items(
    index: int, items: Sequence[str], tools: Sequence[str], wire: Dialect, note: Note
) -> Iterator[str]:
    """Yield `items`, which answer calls of the `tools`, as results that are written one by one."""
    for item, tool in zip(items, tools, strict=True):
        found = list(members(item)) if item.startswith("{") else []
        known = {name for name, _ in found} & RESULT_MEMBERS
        if known < RESULT_MEMBERS:
            note(index, "completed", "an item that is not a result becomes the content of one")
            yield _item(tool, "success", item, wire)
            continue
        for _ in range(len(found) - len(known)):
            note(index, "dropped", "a member of a result that has no place here is left out")
        yield only(RESULT_MEMBERS, item)
