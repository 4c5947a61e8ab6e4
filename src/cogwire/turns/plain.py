# SPDX-License-Identifier: MIT
"""Converts what tools return to JSON, so that no call fails just because it returned a `Path`."""

import dataclasses
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from datetime import date, time
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any, Final, TypedDict
from uuid import UUID

from ..text import pointer_step, shorten
from ..text.decoding import decode
from ..wire.blocks.values import CYCLE, LIMITS, RenderError

#: Converts a value of any other type to one that can be written.
Default = Callable[[Any], object]

#: The identities of the containers around a value; 0 for what is replaced by another value.
_Opened = tuple[int, ...]

#: The types that are written as their `str`.
_TEXTS: Final = (PurePath, Decimal, UUID)


class Conversion(TypedDict):
    """A place where the results contain the text of a value, or what `default` returned for it."""

    #: The index of the call.
    index: int
    #: A JSON Pointer into what the tool returned.
    path: str
    #: For a person: what the value was, and what is written.
    message: str


def plain(value: object, index: int, default: Default | None, report: list[Conversion]) -> object:
    """Return what the tool of call `index` returned as plain JSON, in new lists and dicts.

    Raises `RenderError` for values that contain themselves or are nested too deeply and for keys
    with the same text, and whatever `default`, or the `str` of some type, raises.
    """

    def note(path: str, message: str) -> None:
        report.append({"index": index, "path": path, "message": message})

    return _Converter(default, note).convert(value, "", ())


class _Converter:
    def __init__(self, default: Default | None, note: Callable[[str, str], None]) -> None:
        self._default = default
        self._note = note

    def convert(self, value: object, path: str, opened: _Opened) -> object:
        given: Any = value
        if len(opened) > LIMITS.depth:
            raise RenderError(
                shorten(path), f"nested deeper than {LIMITS.depth} arrays and objects"
            )
        if value is None or type(value) is bool:
            return value
        if isinstance(value, Enum):
            return self.convert(value.value, path, (*opened, 0))
        if isinstance(value, str | bytes | bytearray | memoryview):
            return self._text(given, path)
        if isinstance(value, int | float) and abs(value) <= sys.float_info.max:
            return int(value) if isinstance(value, int) else float(value)
        if isinstance(value, Mapping):
            return self._object(given.items(), path, _inside(given, path, opened))
        if isinstance(value, list | tuple):
            return self._array(given, path, _inside(given, path, opened))
        if isinstance(value, set | frozenset):
            return self._array(_in_order(given), path, _inside(given, path, opened))
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            members = ((each.name, getattr(value, each.name)) for each in dataclasses.fields(value))
            return self._object(members, path, _inside(given, path, opened))
        if isinstance(value, date | time):
            return value.isoformat()
        if isinstance(value, _TEXTS):
            return self._text(str(value), path)
        if (dump := getattr(value, "model_dump", None)) and not isinstance(value, type):
            return self.convert(dump(mode="json"), path, (*opened, 0))
        return self._foreign(value, path, opened)

    def _foreign(self, value: Any, path: str, opened: _Opened) -> object:
        kind = type(value).__name__
        if self._default is not None:
            replaced = self._default(value)
            self._note(path, f"a value of type {kind} is written as `default` returned it")
            return self.convert(replaced, path, (*opened, 0))
        if isinstance(value, Iterator | AsyncIterator | Awaitable):
            # Its text would be an address in memory.
            raise RenderError(path, f"a value of type {kind}; return what it yields, as a list")
        # The `str` of an integer may be limited, and that of the same decimal number is not.
        text = str(Decimal(value) if type(value) is int else value)
        what = f"{text}, which is not a number in JSON," if isinstance(value, float) else None
        self._note(path, f"{what or f'a value of type {kind}'} is written as its text")
        return self._text(text, path)

    def _text(self, value: str | bytes | bytearray | memoryview, path: str) -> str:
        written, replaced = decode(value if isinstance(value, str) else bytes(value))
        if replaced:
            self._note(path, "characters that are not text are written as U+FFFD")
        return written

    def _array(self, items: Iterable[Any], path: str, opened: _Opened) -> list[object]:
        return [self.convert(item, f"{path}/{index}", opened) for index, item in enumerate(items)]

    def _object(self, members: Iterable[tuple[Any, Any]], path: str, opened: _Opened) -> object:
        converted: dict[str, object] = {}
        for key, member in members:
            name = self._key(key, path, opened)
            if name in converted:
                raise RenderError(path, f"two keys that would both be written as {name!r}")
            converted[name] = self.convert(member, path + pointer_step(name), opened)
        return converted

    def _key(self, key: Any, path: str, opened: _Opened) -> str:
        """Return a key as text: a number, a boolean or null in its JSON form."""
        written = self.convert(key, path, opened)
        if isinstance(written, str):
            return written
        if written is None or isinstance(written, bool):
            return {None: "null", True: "true", False: "false"}[written]
        if not isinstance(written, int | float):
            self._note(path, f"a key of type {type(key).__name__} is written as its text")
        return str(written if isinstance(written, int | float) else key)


def _inside(value: object, path: str, opened: _Opened) -> _Opened:
    if id(value) in opened:
        raise RenderError(path, CYCLE)
    return (*opened, id(value))


def _in_order(values: Iterable[Any]) -> list[Any]:
    try:
        return sorted(values)
    except TypeError:
        return list(values)
