# SPDX-License-Identifier: MIT
"""The dialects by their names, and the formats that models write, which smaller copies lack.

A new dialect is one file beside this one, its name here, and its import in `_imported`.
"""

import functools
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol

from ..text import lacking, raise_foreign
from .dialect import PROTOCOL
from .dialect import Dialect as Dialect  # noqa: PLC0414 (it is published here)


class HasDialect(Protocol):
    """Anything bound to one dialect, which can be passed in its place: a toolset, a format.

    Where no known dialect has the name, as for a described format, it also has `wire`, the dialect.
    """

    @property
    def dialect(self) -> str:
        """The name of the dialect."""
        ...


#: The dialect where none is named.
DEFAULT: Final = "xml-json"


def dialect_names() -> tuple[str, ...]:
    """Return the names of all dialects, without the formats that models write."""
    return PROTOCOL


def format_names() -> tuple[str, ...]:
    """Return the names of the formats that models write, of which smaller copies have none."""
    return tuple(getattr(catalogue(), "FORMATS", ()))


def dialect_named(named: str | HasDialect) -> Dialect:
    """Return the dialect or the format called `named`, or that of an object which has one.

    A format is found by its aliases too.  Raises `ValueError`, which says what `named` may mean.
    """
    name: object = named
    if type(named) is not str:  # a string of a class of its own may have one
        wire: object = getattr(named, "wire", None)
        if isinstance(wire, Dialect):
            return wire
        if isinstance(named, Mapping):
            hint = "a description is read with `Format.from_json`"
            raise ValueError(f"a dict is not a dialect: {hint}")
        name = getattr(named, "dialect", named)
    found = None
    if isinstance(name, str):
        found = _protocol(name) if name in PROTOCOL else _format(name)
    if found is None:
        raise ValueError(f"unknown dialect {named!r}; {_suggestion(name)}")
    return found


@functools.cache
def _protocol(name: str) -> Dialect:
    """Return a dialect of the protocol, which a smaller copy may lack."""
    try:
        dialect: Dialect = _imported(name)
    except ModuleNotFoundError as error:
        raise_foreign(error)
        raise ValueError(lacking(f"the dialect {name}", "dialects")) from None
    return dialect


def _is_here(name: str) -> bool:
    """Whether this copy has a dialect."""
    try:
        dialect_named(name)
    except ValueError:
        return False
    return True


def _format(name: str) -> Dialect | None:
    """Return the format with this name or alias, if there is one."""
    named = catalogue()
    known = None if named is None else named.NAMED.get(name)
    return None if known is None else known.wire


def _suggestion(name: object) -> str:
    """Return a hint on what to name instead of an unknown name."""
    known = ", ".join(filter(_is_here, dialect_names()))
    formats = catalogue()
    if formats is None:
        whole = sys.modules[__name__.rpartition(".wire.")[0]]
        only = "all" if hasattr(whole, "Toolset") else "formats"
        return f"known: {known}; {lacking('the catalogue of formats', only)}"
    hint = formats.meant(name, dialect_names()) if isinstance(name, str) else ""
    return f"known: {known}, and {len(formats.FORMATS)} formats (`cogwire format list`){hint}"


if TYPE_CHECKING:

    def _imported(name: str) -> Any: ...
    def catalogue() -> Any:
        """Return the module with the formats that models write, `None` in a copy without it."""

else:  # a smaller copy lacks some dialects, which a type checker would miss

    def _imported(name: str) -> Any:
        """Return a dialect, which is imported here: all of them take twice as long to load."""
        match name:
            case "xml-json":
                from .xml_json import DIALECT
            case "xml-elements":
                from .xml_elements import DIALECT
            case "delimiter":
                from .delimiter import DELIMITER as DIALECT
            case _:
                from .delimiter import DELIMITER_UPPER as DIALECT
        return DIALECT

    @functools.cache  # an import costs more than a look into the module
    def catalogue() -> Any:
        """Return the module with the formats that models write, `None` in a copy without it."""
        try:
            from .trained import catalogue
        except ModuleNotFoundError as error:
            raise_foreign(error)
            return None
        return catalogue
