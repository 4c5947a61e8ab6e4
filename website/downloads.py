# SPDX-License-Identifier: MIT
"""What programs fetch, at versioned paths with checksums: schemas, grammars, corpus, indices."""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from cogwire_kit.conformance import corpus
from website import archive, clauses, errors, grammars
from website.clauses import Clauses
from website.standing import Standing
from website.text import code, page, table, write

_SUMS: Final = "SHA256SUMS"
_INDEX: Final = "index.json"
#: What each folder or file is, in the order of the page.
_ABOUT: Final = {
    "clauses.json": "every clause: id, level, page, text, and the cases that test it",
    "errors.json": "every error code: cause, clauses, and the cases that expect it",
    "schemas": "JSON Schema of events, calls, results, tools, cases, reports, the adapter protocol",
    "grammars": "the grammar of each dialect, in ABNF",
    "corpus.jsonl": "every case, one a line",
    "corpus.zip": "the corpus as `cogwire conformance corpus copy` writes it, to be vendored",
    "spec": "the chapters of the specification as Markdown, to be read without a browser",
}


def write_files(pages: Path, standing: Standing, known: Clauses) -> str:
    """Write the files of this version, and the page that lists them; return the version."""
    version = str(json.loads((known.corpus / "corpus.json").read_text("utf-8"))["version"])
    folder = pages / "downloads" / version
    for name in ("schemas", "spec"):
        (folder / name).mkdir(parents=True)
    for path in sorted((known.spec / "schemas").iterdir()):
        shutil.copyfile(path, folder / "schemas" / path.name)
    for path in sorted(known.spec.glob("*.md")):
        # Served as it is: mkdocs would make pages of files that end in .md.
        shutil.copyfile(path, folder / "spec" / f"{path.stem}.txt")
    grammars.write(folder / "grammars")
    with tempfile.TemporaryDirectory() as scratch:
        copied = Path(scratch) / "corpus"
        corpus.copied(copied)
        shutil.copyfile(copied / "corpus.jsonl", folder / "corpus.jsonl")
        names = {path.relative_to(copied).as_posix(): path for path in _files(copied)}
        files = ((name, path.read_bytes()) for name, path in names.items())
        archive.write(folder / "corpus.zip", files)
    _write_json(folder / "clauses.json", clauses.as_data(standing, known))
    _write_json(folder / "errors.json", errors.as_data(standing, known.spec))
    _seal(folder, version)
    write(pages / "downloads.md", _page(folder, version))
    return version


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", "utf-8", newline="\n")


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _seal(folder: Path, version: str) -> None:
    """Write the checksums of all files, and their list for programs."""
    files = [
        {
            "path": path.relative_to(folder).as_posix(),
            "size": path.stat().st_size,
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        }
        for path in _files(folder)
    ]
    _write_json(folder / _INDEX, {"version": version, "files": files})
    sums = "".join(f"{one['sha256']}  {one['path']}\n" for one in files)
    (folder / _SUMS).write_text(sums, "ascii", newline="\n")


def _page(folder: Path, version: str) -> str:
    folder_name = f"downloads/{version}"
    blocks = [
        (
            f"Everything below is under `{folder_name}/`, the version of the specification "
            "and of its corpus. The files of a version that is released never change; until then "
            "this one is a draft. Each has its SHA-256 in "
            f"[{_SUMS}]({folder_name}/{_SUMS}), and [{_INDEX}]({folder_name}/{_INDEX}) lists "
            "them for programs."
        ),
        f"```console\n$ sha256sum --check {_SUMS}\n```",
    ]
    for name, about in _ABOUT.items():
        title = name if "." in name else f"{name}/"
        rows = list(_rows(folder, folder / name, version))
        blocks += [f"## {title}", f"{about[0].upper()}{about[1:]}."]
        blocks.append(table(("file", "bytes", "SHA-256 begins with"), rows))
    return page(f"Downloads {version}", *blocks)


def _rows(folder: Path, place: Path, version: str) -> Iterator[tuple[str, str, str]]:
    for path in _files(place) if place.is_dir() else [place]:
        name = path.relative_to(folder).as_posix()
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        yield f"[{name}](downloads/{version}/{name})", f"{path.stat().st_size:,}", code(digest[:16])
