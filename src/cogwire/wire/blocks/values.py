# SPDX-License-Identifier: MIT
"""Python values as JSON text on one line, in which no reader can mistake anything for a marker.

Only values that JSON expresses exactly are written: `None`, `bool`, `int`, finite `float`, `str`,
`list`, and `dict` with string keys.  Everything else is refused with its place, and so are values
that a parser with the default limits would not read back.
"""

import json
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, Final, TypeGuard

from ...events import Limits
from ...text import pointer
from ...text.decoding import is_text
from ...text.json_text import AROUND, EACH, same_json, spelled_members, write_array

LIMITS: Final = Limits()

#: Cycles are found before values are encoded.
_encode: Final = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode

_CONTAINERS: Final[frozenset[type[object]]] = frozenset({list, dict})
#: The least integer whose nearest double is not finite.
_NO_DOUBLE: Final = 2**1024 - 2**970
CYCLE: Final = "a value that contains itself; JSON has no cycles"
TOO_LONG: Final = f"with this the block is longer than {LIMITS.size} characters"

#: The keys and values in a container.
_Entries = Iterator[tuple[str | int, Any]]

#: Types whose subclasses are refused, and the type to use instead.
_PLAIN: Final = (
    (tuple, "list"),
    (list, "list"),
    (dict, "dict"),
    (str, "str"),
    (int, "int"),
    (float, "float"),
)


class RenderError(ValueError):
    """A value that JSON or the dialect cannot express: a `ValueError` with its place."""

    #: The place of the value, as a JSON Pointer into the argument.
    path: str
    #: What the value is, and what would be allowed there.
    reason: str

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}" if self.path else self.reason


def is_plain_dict(value: object) -> TypeGuard[dict[object, object]]:
    """Whether `value` is a dict, but not of a subclass."""
    return type(value) is dict


def is_mapping(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether a value is a mapping, whose keys should be strings."""
    return type(value) is dict or isinstance(value, Mapping)


class ItemWriter:
    """Writes the items of one block: the values in its array."""

    __slots__ = ("_escape", "_room")

    def __init__(self, escape: Callable[[str], str], size: int = LIMITS.size) -> None:
        """Let `escape` spell what no string may contain; the block may have `size` characters."""
        self._escape = escape
        self._room = size - AROUND

    def write_all(self, items: Iterable[str]) -> str | None:
        """Return the array of all items of the block, which are JSON; `None` if it is too long."""
        array = self._escape(write_array(items))
        # In the block there is a line feed before the array, and one after it.
        return array if len(array) + 2 <= self._room + AROUND else None

    def write(self, value: object, path: str, level: int = 1) -> str:
        """Return `value`, whose place is `path`, as JSON; `RenderError` if it is refused.

        So many arrays and objects are around it; around an item, only the array of the block.
        """
        try:
            plain = _encode(_checked(value, path, self._room, level))
            text = self._escape(plain)
            # A described marker may begin as something that JSON has outside of strings, too.
            if text != plain and not same_json(text, plain):
                text = plain
        except RenderError:
            raise
        except Exception as error:
            # If memory or stack runs out, only this value cannot be written.
            raise RenderError(path, f"not written: {type(error).__name__}") from error
        self._room -= len(text) + EACH
        if self._room < 0:
            raise RenderError(path, TOO_LONG)
        return text


def only(names: Collection[str], source: str) -> str:
    """Return `source`, an object in JSON as `members` takes it, without members of other names."""
    members = list(spelled_members(source))
    kept = {name: f"{spelling}: {text}" for name, spelling, text in members if name in names}
    return source if len(kept) == len(members) else f"{{{', '.join(kept.values())}}}"


def _checked(item: Any, path: str, room: int, level: int) -> object:
    """Return a copy of `item`, which no other thread can change after it has been checked.

    Refuses values that cannot be written, and values that certainly take more than `room`
    characters.  The item itself is nested in `level` containers.
    """
    whole: dict[Any, Any] = {path: item}
    copy: Any = whole
    members: _Entries = iter([(path, item)])
    # Stacks for the open containers, since the caller's stack may be deep.
    outside: list[tuple[Any, _Entries]] = []
    keys: list[str | int] = []
    opened: list[int] = []
    while True:
        for key, value in members:
            kind: type[object] = value.__class__
            is_container = kind in _CONTAINERS
            inner: Any = value.copy() if is_container else value
            if kind is str:
                fault = None if value.isascii() else _string_fault(value)
                room -= len(value)
            else:
                fault = _FAULTS.get(kind, _foreign_fault)(inner)
                room -= 1
            if not fault and is_container:
                fault = _nesting_fault(value, opened, level)
                room -= len("".join(inner)) if kind is dict and not fault else 0
            if fault or room < 0:
                # The first of them is a JSON Pointer itself.
                outer, *inner_keys = *keys, key
                raise RenderError(f"{outer}{pointer(inner_keys)}", fault or TOO_LONG)
            if is_container:
                copy[key] = inner
                outside.append((copy, members))
                keys.append(key)
                opened.append(id(value))
                copy = inner
                members = _members_of(inner)
                break
        else:
            if not outside:
                return whole[path]
            copy, members = outside.pop()
            del keys[-1], opened[-1]


def _members_of(container: dict[str, Any] | list[Any]) -> _Entries:
    return iter(container.items()) if isinstance(container, dict) else enumerate(container)


def _nesting_fault(container: object, opened: list[int], level: int) -> str | None:
    if id(container) in opened:
        return CYCLE
    if len(opened) + level >= LIMITS.depth:
        return f"nested deeper than {LIMITS.depth} arrays and objects"
    return None


def _string_fault(text: str) -> str | None:
    return None if is_text(text) else "half a surrogate pair; JSON contains only whole characters"


def object_fault(members: dict[Any, Any]) -> str | None:
    """Return what is wrong with one of the names in `members`; its place is the object."""
    for key in members:
        if type(key) is not str:
            return f"a key of type {type(key).__name__}; keys are plain strings"
        if fault := _string_fault(key):
            return fault
    return None


def _integer_fault(number: int) -> str | None:
    return None if abs(number) < _NO_DOUBLE else "an integer beyond the range of doubles"


def _float_fault(number: float) -> str | None:
    return None if math.isfinite(number) else f"{number}; JSON has no such number"


def _no_fault(_value: object) -> None:
    return None


def _foreign_fault(value: object) -> str:
    name = type(value).__name__
    for kind, plain in _PLAIN:
        if isinstance(value, kind):
            return f"a value of type {name}; use a plain {plain}"
    if name == "coroutine":
        return "a coroutine, and not the value that it returns: await it"
    return f"a value of type {name}; JSON cannot contain it"


_FAULTS: Final[dict[type[object], Callable[[Any], str | None]]] = {
    str: _string_fault,
    dict: object_fault,
    list: _no_fault,
    int: _integer_fault,
    float: _float_fault,
    bool: _no_fault,
    type(None): _no_fault,
}
