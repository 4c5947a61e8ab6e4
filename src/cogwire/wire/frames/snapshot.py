# SPDX-License-Identifier: MIT
"""Reads a snapshot without trusting it."""

import marshal
import sys
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar

from ...events import Limits
from ...text import is_array, is_object, short_repr
from ...text.decoding import is_text

#: Snapshots of other versions are refused.
SNAPSHOT_VERSION: Final = 6

_T = TypeVar("_T")


class Fields:
    """The members of a snapshot; the methods raise `ValueError`, naming the member."""

    def __init__(self, value: object) -> None:
        if not is_object(value):
            raise ValueError(f"a snapshot must be an object, not {type(value).__name__}")
        version = value.get("version")
        if type(version) is not int or version != SNAPSHOT_VERSION:
            which = short_repr(version)
            raise ValueError(
                f"this is a snapshot of version {which}; only {SNAPSHOT_VERSION} can be read"
            )
        self._value = value
        for name, member in value.items():
            inner = member.values() if is_object(member) else member if is_array(member) else ()
            if inner and any(is_object(each) or is_array(each) for each in inner):
                raise self.wrong(name, "it is nested too deeply")

    def wrong(self, name: str, reason: str = "") -> ValueError:
        """Return the error for a member with an impossible value."""
        reason = f": {reason}" if reason else ""
        return ValueError(f"the snapshot's {name!r} is invalid{reason}")

    def require(self, name: str, *conditions: bool) -> None:
        """Raise unless all `conditions` on the member are true."""
        if not all(conditions):
            raise self.wrong(name)

    def require_all(self, known: Mapping[str, object]) -> None:
        """Raise unless the members are those of `known`, including the types of their values."""
        if self._value.keys() != known.keys():
            wrong = ", ".join(sorted(map(str, self._value.keys() ^ known.keys())))
            raise ValueError(f"members of the snapshot are missing or unknown: {wrong}")
        own = {name: self._value[name] for name in known}
        if not _is_same(own, known):
            raise self.wrong(next(name for name in known if not _is_same(own[name], known[name])))

    def value(self, name: str) -> Any:
        """Return a value of any type."""
        try:
            return self._value[name]
        except KeyError:
            raise self.wrong(name, "it is missing") from None

    def typed(self, name: str, kind: type[_T]) -> _T:
        """Return a value of exactly this type: a text without surrogates, a size from 0 on."""
        value = self.value(name)
        is_right = value.__class__ is kind
        if is_right and kind is not bool:
            is_right = is_text(value) if kind is str else 0 <= value <= sys.maxsize
        if not is_right:
            raise self.wrong(name)
        typed: _T = value
        return typed

    def chosen(self, name: str, choices: Iterable[str]) -> Any:
        """Return one of `choices`."""
        value = self.value(name)
        if value not in choices:
            raise ValueError(f"{name} must be one of {', '.join(choices)}, not {value!r}")
        return value

    def names(self, name: str) -> list[str] | None:
        """Return a list of strings, or null."""
        value = self.value(name)
        if value is None:
            return None
        if not is_array(value) or not all(type(item) is str and is_text(item) for item in value):
            raise self.wrong(name)
        return list(value)

    def limits(self) -> Limits:
        """Return the limits."""
        value = self.value("limits")
        if not is_object(value) or value.keys() != set(Limits._fields):
            raise self.wrong("limits")
        return Limits(**value)

    def chunk(self) -> str | bytes | None:
        """Return the start of a character that waits for its rest; `None` before all chunks."""
        unit, pending = self.value("unit"), self.value("pending")
        if not is_array(pending):
            raise self.wrong("pending")
        try:
            if unit == "bytes":
                return bytes(pending)
            return "".join(map(chr, pending)) if unit == "str" else None
        except (TypeError, ValueError, OverflowError):
            raise self.wrong("pending") from None


def _is_same(value: Any, known: Any) -> bool:
    """Whether two JSON values are equal, including their types: 1 is neither 1.0 nor true."""
    try:
        # In version 2 equal values are the same bytes; `repr` takes twice as long.
        return marshal.dumps(value, 2) == marshal.dumps(known, 2)
    except ValueError:  # of a type that JSON does not have
        return False
