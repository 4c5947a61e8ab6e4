# SPDX-License-Identifier: MIT
"""Adapters that a TOML file lists, to be run side by side."""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cogwire_kit.conformance import corpus, judge
from cogwire_kit.conformance.corpus import UnusableError

ADAPTERS: Final = corpus.PLACE / "adapters" / "adapters.toml"


@dataclass(frozen=True)
class Adapter:
    """A program, and what is judged of it."""

    name: str
    about: str
    command: list[str]
    properties: frozenset[str]
    #: The folder in which the command is run.
    folder: Path
    #: Whether it is expected to pass what it claims.
    conforms: bool = False
    #: The program without which it is left out, if there is one.
    needs: str = ""

    @property
    def is_here(self) -> bool:
        """Whether what it needs is there."""
        return not self.needs or shutil.which(self.needs) is not None

    @property
    def criteria(self) -> dict[str, Any]:
        """What is judged, as a report has it."""
        chosen = self.properties if self.properties != frozenset(judge.PROPERTIES) else ()
        return {"properties": sorted(chosen)}


def adapters(path: Path = ADAPTERS) -> list[Adapter]:
    """Return the adapters that a TOML file lists.

    Raises:
        UnusableError: it is not TOML, or an entry is not what it should be.
    """
    entries = corpus.tables(path, "adapter")
    if not entries:
        raise UnusableError(f"{path}: it has no adapters")
    return [_adapter(entry, path) for entry in entries]


#: The members of an adapter in a list; the first three are needed.
_MEMBERS: Final = {
    "name": str,
    "about": str,
    "command": list,
    "conforms": bool,
    "needs": str,
    "property": list,
}


def _adapter(entry: Any, path: Path) -> Adapter:
    if (fault := _fault(entry)) is not None:
        raise UnusableError(f"{path}: {fault}")
    properties = frozenset(entry.get("property", judge.PROPERTIES))
    others = {name: value for name, value in entry.items() if name != "property"}
    return Adapter(**others, properties=properties, folder=path.parent)


def _fault(entry: Any) -> str | None:
    """Return what is wrong with an adapter in a list."""
    if not isinstance(entry, dict):
        return "each `adapter` is a table"
    name = entry.get("name", "an adapter")
    for member in ("name", "about", "command"):
        if member not in entry:
            return f"{name}: `{member}` is missing"
    for member, value in entry.items():
        if member not in _MEMBERS:
            return f"{name}: there is no member `{member}`; there are {', '.join(_MEMBERS)}"
        texts = value if isinstance(value, list) else []
        if not isinstance(value, _MEMBERS[member]) or not all(isinstance(e, str) for e in texts):
            return f"{name}: `{member}` is of the wrong type"
    unknown = [each for each in entry.get("property", ()) if each not in judge.PROPERTIES]
    if unknown:
        known = ", ".join(judge.PROPERTIES)
        return f"{name}: there is no property {unknown[0]!r}; there are {known}"
    return None if entry["command"] else f"{name}: `command` is empty"
