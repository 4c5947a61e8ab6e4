# SPDX-License-Identifier: MIT
"""Keeps the findings of files in a folder, so that a stopped run can be resumed."""

import hashlib
import json
from pathlib import Path
from typing import Any

import cogwire
from cogwire_kit.lint.findings import Finding, Tally
from cogwire_kit.saving import write_json
from cogwire_kit.texts.dialects import DescribedName


class Kept:
    """A folder with the findings of each file, which are valid while the file is unchanged."""

    def __init__(self, folder: Path, *options: str | None) -> None:
        """Take the folder, and what decides the findings beside the file and its dialect."""
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._options = options

    def place(self, file: str, dialect: str) -> Path:
        """Return where the findings of a file are kept."""
        state = Path(file).stat()
        form = dialect.form.to_json() if isinstance(dialect, DescribedName) else None
        # The time of the last change is not what others have set for it.
        changed = (state.st_size, state.st_mtime_ns, state.st_ctime_ns)
        about = (cogwire.__version__, file, *changed, dialect, form)
        key = json.dumps([*about, *self._options]).encode()
        # Names that begin so are no data, where the folder is below one that is read.
        return self._folder / f"_{hashlib.sha256(key).hexdigest()}.json"


def keep(place: Path | None, found: list[Finding], read: Tally) -> None:
    """Write what was found in a file, and what was read of it, if it is to be kept."""
    if place is not None:
        write_json(place, {"findings": found, "read": read.to_json()})


def kept(place: Path) -> tuple[list[Finding], Tally] | None:
    """Return the findings and the tally of a file, or None if they are damaged."""
    try:
        known: dict[str, Any] = json.loads(place.read_bytes())
        return [Finding(*each) for each in known["findings"]], Tally.from_json(known["read"])
    except (ValueError, TypeError, KeyError):
        return None
