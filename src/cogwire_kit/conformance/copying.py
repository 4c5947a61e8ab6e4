# SPDX-License-Identifier: MIT
"""The corpus as files of somebody else: the cases, the schemas, their version and checksums."""

import hashlib
import json
import shutil
from pathlib import Path
from typing import Final

from cogwire_kit.conformance import clauses, corpus, reports

_VERSION: Final = "VERSION.json"
#: What a copy holds beside the cases.
_FILES: Final = (
    "README.md",
    "corpus.json",
    "classes.json",
    "ledger.txt",
    "retired.json",
    "untested.json",
)
_FOLDERS: Final = ("cases", "formats")


class CopyError(Exception):
    """The directory holds something that is not a copy of the corpus."""


def copy(directory: Path) -> reports.Record:
    """Write a copy of the corpus to `directory`, in place of an earlier one; return its version.

    Raises:
        CopyError: the directory holds anything else.
    """
    if directory.exists() and any(directory.iterdir()):
        if not (directory / _VERSION).is_file():
            raise CopyError(f"{directory} is not empty, and is not a copy of the corpus")
        shutil.rmtree(directory)
    directory.mkdir(parents=True, exist_ok=True)
    for name in _FOLDERS:
        shutil.copytree(corpus.PLACE / name, directory / name)
    for name in _FILES:
        shutil.copyfile(corpus.PLACE / name, directory / name)
    shutil.copytree(clauses.PAGES / "schemas", directory / "schemas")
    # Line ends are content here.
    (directory / ".gitattributes").write_text("* -text\n", "ascii")
    cases = corpus.load(directory)
    lines = [json.dumps(case.data, ensure_ascii=True) for case in sorted(cases, key=lambda c: c.id)]
    (directory / "corpus.jsonl").write_text("\n".join([*lines, ""]), "ascii")
    version = {**reports.version(directory), "cases": len(cases), "protocol": 1}
    (directory / _VERSION).write_text(json.dumps(version, indent=2) + "\n", "ascii")
    files = sorted(path for path in directory.rglob("*") if path.is_file())
    sums = [f"{_sha256(path)}  {path.relative_to(directory).as_posix()}\n" for path in files]
    (directory / "SHA256SUMS").write_text("".join(sums), "ascii")
    return version


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
