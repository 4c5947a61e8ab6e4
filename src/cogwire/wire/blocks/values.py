# SPDX-License-Identifier: MIT
"""Python values as JSON text on one line, in which no reader can mistake anything for a marker.

Only values that JSON expresses exactly are written: `None`, `bool`, `int`, finite `float`, `str`,
`list`, and `dict` with string keys.  Everything else is refused with its place, and so are values
that a parser with the default limits would not read back.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, TypeGuard

from ...events import Limits
from ...text.decoding import is_text
from ...text.json_text import AROUND, EACH, write_array
from ...text.scan import pointer_step

LIMITS: Final = Limits()

#: Cycles are found before values are encoded.
_encode: Final = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode

_quote: Final[Callable[[Any], str]] = json.encoder.encode_basestring

_CONTAINERS: Final[frozenset[type[object]]] = frozenset({list, dict})
#: A value with more members than this is walked: shared values can make a small graph a huge tree.
_MANY: Final = 65_536
#: How many arrays are open around an item: only that of the block.
_OUTER_DEPTH: Final = 1
#: The least integer whose nearest double is not finite.
_NO_DOUBLE: Final = 2**1024 - 2**970
CYCLE: Final = "a value that contains itself; JSON has no cycles"
_TOO_LONG: Final = f"with this the block is longer than {LIMITS.size} characters"

#: The keys and values in a container.
_Members = Iterator[tuple[str | int, Any]]

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
#: Separates values that are encoded together: no plain value contains a lone surrogate.
_SEPARATOR: Final = "\ud800"
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


def replace_surrogates(text: str) -> str:
    """Return `text` with U+FFFD for each lone surrogate, which cannot be encoded."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def is_object(value: object) -> TypeGuard[dict[object, object]]:
    """Whether `value` is a dict, but not of a subclass."""
    return type(value) is dict


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

    def write(self, value: object, path: str) -> str:
        """Return `value`, whose place is `path`, as JSON; `RenderError` if it is refused."""
        try:
            text = self._escape(_encode(_checked(value, path, self._room)))
        except RenderError:
            raise
        except Exception as error:
            # If memory or stack runs out, only this value cannot be written.
            raise RenderError(path, f"not written: {type(error).__name__}") from error
        return self.take(text, path)

    def take(self, text: str, path: str) -> str:
        """Return `text`, the item at `path`; `RenderError` if there is no room for it."""
        self._room -= len(text) + EACH
        if self._room < 0:
            raise RenderError(path, _TOO_LONG)
        return text


def _checked(item: object, path: str, room: int) -> object:
    """Return a copy of `item`, which no other thread can change after it has been checked.

    Refuses values that cannot be written, and values that certainly take more than `room`
    characters.
    """
    # An explicit stack, since the caller's may be deep: four lists for the open containers.
    whole: dict[Any, Any] = {path: item}
    copies: list[Any] = [whole]
    walk: list[_Members] = [iter([(path, item)])]
    keys: list[str | int] = []
    opened: list[int] = []
    while walk:
        for key, value in walk[-1]:
            kind: type[object] = value.__class__
            is_container = kind in _CONTAINERS
            inner = value.copy() if is_container else value
            fault = _FAULTS.get(kind, _foreign_fault)(inner)
            if not fault and is_container:
                fault = _nesting_fault(value, opened)
            if fault:
                raise RenderError(_pointer([*keys, key]), fault)
            room -= _least_size(inner, kind)
            if room < 0:
                raise RenderError(_pointer([*keys, key]), _TOO_LONG)
            if is_container:
                copies[-1][key] = inner
                copies.append(inner)
                elements: list[Any] = inner
                walk.append(iter(inner.items()) if kind is dict else enumerate(elements))
                keys.append(key)
                opened.append(id(value))
                break
        else:
            walk.pop()
            copies.pop()
            del keys[-1:], opened[-1:]
    return whole[path]


def plain_texts(values: Sequence[object]) -> list[str]:
    """Return the JSON texts of `values`, which are plain."""
    if {str}.issuperset(map(type, values)):
        return list(map(_quote, values))
    # One call for all values: for short ones most of the time is overhead of the call.
    parts: list[object] = [_SEPARATOR] * (2 * len(values))
    parts[1::2] = values
    return f", {_encode(parts)[1:-1]}".split(f', "{_SEPARATOR}", ')[1:]


def plain_copies(values: Iterable[object], outside: int) -> list[Any] | None:
    """Return copies of `values`, to be written inside `outside` arrays and objects.

    `None` if `ItemWriter.write` might refuse one of them.  This goes level by level and keeps no
    paths, which is several times faster.
    """
    copies: list[Any] = list(values)
    if {str}.issuperset(map(type, copies)):
        return copies if is_text("".join(copies)) else None
    level: list[Any] = [copies]
    size = 0
    for _ in range(outside, LIMITS.depth + 1):
        deeper: list[Any] = []
        for container in level:
            is_dict = container.__class__ is dict
            elements: list[Any] = container
            members: Iterable[Any] = container.items() if is_dict else enumerate(elements)
            if is_dict:
                for key in container:
                    if key.__class__ is not str or not key.isascii():
                        return None
            for key, value in members:
                kind = value.__class__
                if kind is dict or kind is list:
                    container[key] = inner = value.copy()
                    deeper.append(inner)
                elif kind is str:
                    if not (value.isascii() or is_text(value)):
                        return None
                elif kind is int:
                    if not -_NO_DOUBLE < value < _NO_DOUBLE:
                        return None
                elif _FAULTS.get(kind, _foreign_fault)(value):
                    return None
            size += len(container)
        if not deeper:
            return copies
        if size > _MANY:
            return None
        level = deeper
    return None


def _least_size(value: Any, kind: type[object]) -> int:
    """Return a lower bound for the size of the value's text, without its members' values."""
    if kind is str:
        return len(value)
    return 1 + sum(map(len, value)) if kind is dict else 1


def _pointer(keys: list[str | int]) -> str:
    """Return the JSON Pointer of `keys`, the first of which is a JSON Pointer itself."""
    return str(keys[0]) + "".join(map(pointer_step, keys[1:]))


def _nesting_fault(container: object, opened: list[int]) -> str | None:
    if id(container) in opened:
        return CYCLE
    if len(opened) + _OUTER_DEPTH >= LIMITS.depth:
        return f"nested deeper than {LIMITS.depth} arrays and objects"
    return None


def _string_fault(text: str) -> str | None:
    if text.isascii() or not _SURROGATE.search(text):
        return None
    return "half a surrogate pair; JSON contains only whole characters"


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
