# SPDX-License-Identifier: MIT
"""Zip files that are the same whenever and wherever they are written."""

import zipfile
from collections.abc import Iterable
from pathlib import Path


def write(path: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Write an archive of files, each with its name in it, in the order of the names."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in sorted(files):
            entry = zipfile.ZipInfo(name)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED, compresslevel=9)
