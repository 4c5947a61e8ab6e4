# SPDX-License-Identifier: MIT
"""Several adapters, held against the same cases: which they are, and what is judged of each."""

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cogwire_kit.conformance import corpus, judge

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ADAPTERS: Final = corpus.PLACE / "adapters" / "adapters.toml"


class MatrixError(Exception):
    """The file cannot be read as a list of adapters."""


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
    conforms: bool
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
        MatrixError: it is not TOML, or an entry is not what it should be.
    """
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as problem:
        raise MatrixError(f"{path}: {problem}") from None
    entries = data.get("adapter", [])
    if not entries or set(data) != {"adapter"}:
        raise MatrixError(f"{path}: it has an array of tables `adapter`, and nothing else")
    return [_adapter(entry, path) for entry in entries]


def _adapter(entry: dict[str, Any], path: Path) -> Adapter:
    unknown = entry.keys() - {"name", "about", "command", "conforms", "needs", "property"}
    missing = {"name", "about", "command"} - entry.keys()
    if unknown or missing:
        wrong = ", ".join(sorted(unknown or missing))
        raise MatrixError(f"{path}: {entry.get('name', 'an adapter')}: {wrong}")
    properties = frozenset(entry.get("property", judge.PROPERTIES))
    return Adapter(
        name=entry["name"],
        about=entry["about"],
        command=entry["command"],
        properties=properties,
        folder=path.parent,
        conforms=entry.get("conforms", False),
        needs=entry.get("needs", ""),
    )
