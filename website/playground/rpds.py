# SPDX-License-Identifier: MIT
# ruff: noqa: INP001 - it is a module of its own in the browser, and no part of a package here
"""What jsonschema and referencing use of the package rpds, in plain Python.

The reference judges arguments with jsonschema, which needs rpds.  That one is compiled, and has no
build for the browser and none that is plain Python: the playground and the zipapp have this module
instead.  The collections are immutable as there: each change gives a new one.  They copy where rpds
shares, which does not matter for the few dozen schemas that a toolset holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import Self


class HashTrieMap(Mapping):
    """An immutable mapping, of which changes are methods that return another one."""

    def __init__(self, value: Mapping | Iterable = (), **members: Any) -> None:
        self._members = dict(value, **members)

    @classmethod
    def convert(cls, value: Mapping | Iterable) -> Self:
        """Return `value`, as one of these if it is none."""
        return value if isinstance(value, cls) else cls(value)

    def __getitem__(self, key: Any) -> Any:
        return self._members[key]

    def __iter__(self) -> Iterator:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __hash__(self) -> int:
        return hash(frozenset(self._members.items()))

    def insert(self, key: Any, value: Any) -> Self:
        """Return these members, and `key` with `value`."""
        return self.update({key: value})

    def remove(self, key: Any) -> Self:
        """Return these members without `key`; `KeyError` if it is not there."""
        members = dict(self._members)
        del members[key]
        return type(self)(members)

    def update(self, other: Mapping | Iterable) -> Self:
        """Return these members and those of `other`, which count if a name is in both."""
        return type(self)({**self._members, **dict(other)})


class HashTrieSet(frozenset):
    """An immutable set, of which changes are methods that return another one."""

    __slots__ = ()

    def insert(self, value: Any) -> Self:
        """Return this set with `value`."""
        return self.update([value])

    def discard(self, value: Any) -> Self:
        """Return this set without `value`."""
        return type(self)(self.difference([value]))

    def update(self, other: Iterable) -> Self:
        """Return this set with what `other` holds."""
        return type(self)(self.union(other))


class List(tuple):
    """An immutable list that grows at its front."""

    __slots__ = ()

    def push_front(self, value: Any) -> Self:
        """Return a list of `value` and these elements."""
        return type(self)((value, *self))
