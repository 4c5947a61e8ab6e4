# SPDX-License-Identifier: MIT
"""Writes a file anew with what findings would put in place; every other byte stays as it is."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from cogwire_kit.lint.files import FileError, Kind, json_text, spans_of
from cogwire_kit.lint.findings import Finding

#: Where a finding is, and what would replace what is there.
_Edit = tuple[int, int, Finding]

_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")


def fix_file(file: Path, new: Path, kind: Kind, found: Iterable[Finding]) -> list[Finding]:
    """Write `file` to `new` with the replacements of `found`, and return the findings used.

    Raises `FileError` for Parquet, for text that is not UTF-8, and if `new` exists.
    """
    if kind == "parquet":
        raise FileError("--fix does not write Parquet")
    if new.exists():
        raise FileError(f"{new} exists, and --fix replaces no file; name a new one")
    try:
        source = file.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileError(f"not UTF-8 at byte {error.start}, so nothing is changed") from None
    lines = _LINE.findall(source) if kind == "jsonl" else [source]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    pieces: dict[int, list[Finding]] = {}
    for each in found:
        if each.replacement is not None:
            pieces.setdefault(each.line - 1 if kind == "jsonl" else 0, []).append(each)
    edits: list[_Edit] = []
    for number, inside in pieces.items():
        for start, end, each in _written(inside, lines[number], kind):
            edits.append((starts[number] + start, starts[number] + end, each))
    return _apply(source, edits, new)


def _written(found: list[Finding], source: str, kind: Kind) -> Iterator[_Edit]:
    """Yield where findings are written in `source`: a text, a document, or a line of records."""
    if kind == "text":
        yield from ((each.start, each.end, each) for each in found)
        return
    for each, (start, end) in zip(found, spans_of(found, json_text(source)), strict=True):
        yield start, end, each


def _apply(source: str, edits: list[_Edit], new: Path) -> list[Finding]:
    """Write `source` with `edits` to `new`; of two that overlap, only the first is made."""
    pieces: list[str] = []
    used: list[Finding] = []
    at = 0
    for start, end, found in sorted(edits, key=lambda edit: edit[:2]):
        if start >= at and found.replacement is not None:
            pieces += source[at:start], found.replacement
            used.append(found)
            at = end
    pieces.append(source[at:])
    new.write_bytes("".join(pieces).encode())
    return used
