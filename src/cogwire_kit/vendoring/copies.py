# SPDX-License-Identifier: MIT
"""A copy of the core: writing it, checking it, and comparing it with the installed version."""

import difflib
import hashlib
import json
import re
import subprocess
import textwrap
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from importlib import metadata
from io import StringIO
from pathlib import Path, PurePosixPath
from typing import Any, Final, Literal

import cogwire
from cogwire_kit import bridges
from cogwire_kit.conformance import corpus
from cogwire_kit.saving import whole_file
from cogwire_kit.vendoring import rooms

#: The file of a copy that states what it is a copy of.
MANIFEST: Final = "cogwire.vendored.json"

_NAME: Final = "cogwire"
#: The name of a missing file in a diff.
_NOTHING: Final = "/dev/null"
#: What closures were called in the manifests of earlier versions.
_FORMER_NAMES: Final = {"trained": "all"}
#: The file that lists what the package has: the imports for types, the lists of names, and the
#: modules that define them.
_FRONT: Final = "__init__.py"
_IMPORT: Final = re.compile(r"^    from \.(?P<module>[\w.]*) import (?P<names>.*)\n", re.MULTILINE)
_HOME: Final = re.compile(r'^    "(?P<module>[\w.]+)": \[.*\],\n', re.MULTILINE)
_LACKING: Final = "_LACKING: dict[str, list[str]] = {}\n"
_LIST: Final = re.compile(r"^__all__ (?P<sign>\+?=) (?P<names>\[.*\])\n", re.MULTILINE)
_DIGEST: Final = re.compile("[0-9a-f]{64}")
#: What to do with a copy whose manifest cannot be read.
_MADE_ANEW: Final = (
    "after a merge, write the copy anew: `cogwire vendor add DIR --only … --force`, with the "
    "cogwire that it shall be a copy of"
)


class VendorError(Exception):
    """The folder is not a copy, or must not be replaced."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The version, closure and digests of a copy."""

    version: str
    #: The revision of the specification.
    spec: str
    #: The name of the closure.
    only: str
    #: The SHA-256 of each file, in hexadecimal.
    sha256: Mapping[str, str]
    #: The commit of the repository, with `+` after it if files differ from it; empty if no
    #: repository is known.
    commit: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the manifest as the JSON object in its file."""
        head = {"name": _NAME, "version": self.version, "spec": self.spec, "only": self.only}
        commit = {"commit": self.commit} if self.commit else {}
        return {**head, **commit, "sha256": dict(self.sha256)}

    def __str__(self) -> str:
        commit = f", commit {self.commit[:12]}" if self.commit else ""
        return f"{_NAME} {self.version} ({self.only}, specification {self.spec}{commit})"


@dataclass(frozen=True, slots=True)
class NewerFile:
    """One file that differs in the installed version."""

    path: str
    change: Literal["modified", "added", "removed"]
    #: A unified diff from the copy to the installed version.
    diff: str


# --- Writing ------------------------------------------------------------------------------------


def add(directory: Path, only: str | None = None, *, force: bool = False) -> Manifest:
    """Write a copy of the installed core to `directory`, or replace the one that is there.

    Without `only`, a copy that is replaced keeps its closure, and a new one has everything.
    `force` replaces a copy that is newer or has edited or added files, which are lost.  With `only`
    it also replaces one whose manifest cannot be read, as after a merge.

    Raises:
        VendorError: the folder contains something else, or such a copy and `force` is not set.
    """
    earlier = _earlier(directory, is_anything=force and only is not None)
    if only is None:
        only = earlier.only if earlier and earlier.only in rooms.CLOSURES else "all"
    contents = installed(only)
    manifest = _manifest(only, contents)
    if earlier and not force:
        _require_unchanged(directory, earlier, contents)
        _require_not_newer(directory, earlier, manifest)
    for path in rooms.files_in(directory) if earlier else ():
        if path not in {*contents, MANIFEST} or (directory / path).is_symlink():
            (directory / path).unlink()
    listed = {MANIFEST: (json.dumps(manifest.as_json(), indent=2) + "\n").encode("ascii")}
    # If this is interrupted, `check` reports it, and `add` can be run again: what is there is by
    # then of the earlier copy or of this one, as a list says that is there.
    for path, content in ({**contents, **listed} if earlier else {**listed, **contents}).items():
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        with whole_file(directory / path) as output:
            output.write(content)
    _remove_empty_folders(directory)
    return manifest


def _earlier(directory: Path, *, is_anything: bool) -> Manifest | None:
    """Return the manifest of the copy in `directory`, or None if nothing is there.

    If it `is_anything` that is replaced, the manifest need not be one.
    """
    if not directory.exists() or not any(directory.iterdir()):
        return None
    if not (directory / MANIFEST).is_file():
        raise VendorError(f"{directory} is not empty, and is not a copy of {_NAME}")
    try:
        return read(directory)
    except VendorError:
        if is_anything:
            return Manifest("", "", "", {})
        raise


def _require_not_newer(directory: Path, earlier: Manifest, new: Manifest) -> None:
    """Raise `VendorError` if the version of the copy, or its commit, is after the new one."""
    before, now = (_numbers(each.version) for each in (earlier, new))
    if before > now or (before == now and _follows(earlier.commit, new.commit)):
        raise VendorError(
            f"{directory} is {earlier}, which is newer than what is installed, {new}: install "
            "what it is a copy of, or replace it with --force"
        )


def _numbers(version: str) -> list[int]:
    """Return the numbers of a version, without the suffix of a pre-release."""
    (release,) = re.findall(r"^[0-9.]*", version)
    return [int(number) for number in release.split(".") if number]


def _follows(commit: str, earlier: str) -> bool:
    """Whether a commit is known to come after another one, both as manifests write them."""
    commits = commit.rstrip("+"), earlier.rstrip("+")
    is_other = all(commits) and len({*commits}) == 2
    checkout = Path(cogwire.__path__[0]).parents[1]
    return is_other and _git(checkout, "merge-base", *commits) == commits[1]


def _require_unchanged(directory: Path, earlier: Manifest, new: Mapping[str, bytes]) -> None:
    """Raise `VendorError` if files would be lost that are neither the earlier copy's nor new."""
    found = check(directory, earlier)
    changed = found["modified"] + found["added"]
    if lost := [path for path in changed if _content(directory / path) != new.get(path)]:
        raise VendorError(
            f"{directory} was changed since it was copied: {', '.join(lost)}; "
            "--force replaces it, and these changes are lost"
        )


def _remove_empty_folders(directory: Path) -> None:
    """Remove folders that the copy no longer has, with the files that Python compiled there."""
    for folder in sorted((p for p in directory.rglob("*") if p.is_dir()), reverse=True):
        if not rooms.files_in(folder):
            for path in folder.glob("*.pyc"):
                path.unlink()
            folder.rmdir()


def installed(only: str) -> dict[str, bytes]:
    """Return the files that a copy of the installed version has, by their paths.

    They are as they are installed, but for `__init__.py`, which lists what the copy has, and for
    the imports of bridges.
    """
    package = Path(cogwire.__path__[0])
    contents = {path: (package / path).read_bytes() for path in rooms.files_of(package, only)}
    contents[_FRONT] = _fitted(contents[_FRONT].decode("utf-8"), contents, only).encode("utf-8")
    if only == "bridges":
        contents |= _bridges()
    # Line ends count: a file whose line ends git converts is not the file that was copied.
    contents[".gitattributes"] = b"* -text\n"
    contents["LICENSE"] = _license(package)
    return dict(sorted(contents.items()))


def _bridges() -> dict[str, bytes]:
    """Return the bridges that need no package, by their paths; what they import is in the copy."""
    contents: dict[str, bytes] = {}
    for path in rooms.BRIDGES:
        text = (Path(bridges.__path__[0]) / path).read_text("utf-8")
        here = "." * (1 + path.count("/"))
        text = text.replace("from cogwire_kit.bridges.", f"from {here}")
        text = re.sub(r"\bfrom cogwire\b\.?", f"from {here}.", text)
        contents[f"bridges/{path}"] = text.encode()
    return contents


def _fitted(front: str, paths: Collection[str], only: str) -> str:
    """Return the `__init__.py` of a copy with the files `paths`, which lists what is there.

    What the copy lacks is listed by the smallest closure that has it besides all of `only`.
    """
    lacking: dict[str, list[str]] = {}

    def kept(found: re.Match[str]) -> str:
        module, names = found["module"], found["names"]
        path = f"{(module or names.partition(' ')[0]).replace('.', '/')}.py"
        if path in paths:
            return found[0]
        lacking.setdefault(_smallest(path, only), []).extend(names.partition(" as ")[0].split(", "))
        return ""

    def used(found: re.Match[str]) -> str:
        return found[0] if f"{found['module'].replace('.', '/')}.py" in paths else ""

    def listed(found: re.Match[str]) -> str:
        left_out = {name for names in lacking.values() for name in names}
        names = [name for name in json.loads(found["names"]) if name not in left_out]
        is_needed = names or found["sign"] == "="
        return f"__all__ {found['sign']} {json.dumps(names)}\n" if is_needed else ""

    front = _LIST.sub(listed, _HOME.sub(used, _IMPORT.sub(kept, front)))
    lists = "".join(
        f"{_wrapped(f'{json.dumps(larger)}: {json.dumps(names)},')}\n"
        for larger, names in lacking.items()
    )
    return front.replace(_LACKING, f"{_LACKING[:-2]}\n{lists}}}\n") if lacking else front


def _wrapped(entry: str) -> str:
    """Return an entry of a dictionary as lines of at most 100 characters."""
    return textwrap.fill(entry, 100, initial_indent=" " * 4, subsequent_indent=" " * 8)


def _smallest(path: str, only: str) -> str:
    """Return the smallest closure that has a file, and all that `only` has."""
    needed = {rooms.room_of(path).name, *rooms.CLOSURES[only]}
    return next(name for name, members in rooms.CLOSURES.items() if needed.issubset(members))


def _license(package: Path) -> bytes:
    """Return the text of the license: of the checkout, or of the distribution that is installed."""
    checkout = package.parents[1]
    if (checkout / "pyproject.toml").is_file() and (checkout / "LICENSE").is_file():
        return (checkout / "LICENSE").read_bytes()
    text = metadata.distribution(_NAME).read_text("licenses/LICENSE")
    if text is None:
        raise VendorError(f"the installed {_NAME} has no LICENSE")
    return text.encode("utf-8")


def installed_manifest(only: str) -> Manifest:
    """Return the manifest that a copy of the installed version has."""
    return _manifest(only, installed(only))


def _manifest(only: str, contents: Mapping[str, bytes]) -> Manifest:
    revision = json.loads((corpus.PLACE / "corpus.json").read_text("utf-8"))["version"]
    digests = {path: _sha256(content) for path, content in contents.items()}
    commit = _commit(Path(cogwire.__path__[0]))
    return Manifest(cogwire.__version__, revision, only, digests, commit)


def _commit(package: Path) -> str:
    """Return the package's commit, by its checkout or its installer; empty if it is unknown."""
    checkout = package.parents[1]
    if (checkout / ".git").exists() and (checkout / "pyproject.toml").is_file():
        commit = _git(checkout, "rev-parse", "HEAD")
        is_changed = bool(_git(checkout, "status", "--porcelain", "--", str(package)))
        return f"{commit}+" if commit and is_changed else commit
    try:
        origin = json.loads(metadata.distribution(_NAME).read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        return ""
    return str(origin.get("vcs_info", {}).get("commit_id", ""))


def _git(checkout: Path, *arguments: str) -> str:
    """Return what git writes, or nothing if it cannot."""
    try:
        command = ["git", "-C", str(checkout), *arguments]
        done = subprocess.run(command, capture_output=True, check=True, text=True)  # noqa: S603 - fixed words
        return done.stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


# --- Reading ------------------------------------------------------------------------------------


def read(directory: Path) -> Manifest:
    """Return the manifest of the copy in `directory`.

    Raises:
        VendorError: there is none, or it is not what `add` writes.
    """
    path = directory / MANIFEST
    if not path.is_file():
        raise VendorError(
            f"{directory} is not a copy of {_NAME}: it has no {MANIFEST}; "
            "`cogwire vendor add` writes one"
        )
    try:
        data = json.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError) as problem:
        raise VendorError(f"{path}: {problem}; {_MADE_ANEW}") from None
    match data:
        case {
            "name": "cogwire",
            "version": str(version),
            "spec": str(spec),
            "only": str(only),
            "sha256": dict(digests),
        } if all(_is_entry(*entry) for entry in digests.items()):
            commit = data.get("commit", "")
            if isinstance(commit, str) and f"{version}{spec}{only}{commit}".isprintable():
                return Manifest(version, spec, _FORMER_NAMES.get(only, only), digests, commit)
    raise VendorError(f"{path} is not what `cogwire vendor add` writes; {_MADE_ANEW}")


def _is_entry(path: str, digest: object) -> bool:
    """Return whether a manifest may list this path, which is deleted when a copy is replaced."""
    inside = path == PurePosixPath(path).as_posix() and "\\" not in path and path != MANIFEST
    parts = PurePosixPath(path).parts
    return (
        inside
        and path[:1] != "/"
        and ".." not in parts
        and isinstance(digest, str)
        and _DIGEST.fullmatch(digest) is not None
    )


def check(directory: Path, manifest: Manifest) -> dict[str, list[str]]:
    """Return the files of a copy that are `modified`, `missing` or `added` since it was written."""
    there = set(rooms.files_in(directory)) - {MANIFEST}
    digests = {path: _sha256(_content(directory / path)) for path in there}
    listed = manifest.sha256
    return {
        "modified": [path for path in listed if path in there and digests[path] != listed[path]],
        "missing": [path for path in listed if path not in there],
        "added": sorted(there - listed.keys()),
    }


def _content(file: Path) -> bytes:
    """Return what a file contains, or where a link leads that leads to no file."""
    return file.read_bytes() if file.is_file() else bytes(file.readlink())


def diff(directory: Path, manifest: Manifest) -> list[NewerFile]:
    """Return how the installed version differs from a copy in its current state.

    Raises:
        VendorError: the installed version does not have the closure of the copy.
    """
    if manifest.only not in rooms.CLOSURES:
        raise VendorError(f"{directory} is a copy of {manifest.only!r}, which is not known here")
    new = installed(manifest.only)
    there = [path for path in rooms.files_in(directory) if path != MANIFEST]
    old = {path: _content(directory / path) for path in there}
    return [
        NewerFile(
            path,
            "added" if path not in old else "modified" if path in new else "removed",
            _unified(path, old.get(path), new.get(path)),
        )
        for path in sorted({*old, *new})
        if old.get(path) != new.get(path)
    ]


def _unified(path: str, old: bytes | None, new: bytes | None) -> str:
    names = (_NOTHING if old is None else f"a/{path}", _NOTHING if new is None else f"b/{path}")
    lines = list(difflib.unified_diff(_lines(old), _lines(new), *names))
    if not lines:  # one of them is empty, and the other is not there
        lines = [f"--- {names[0]}\n", f"+++ {names[1]}\n"]
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def _lines(content: bytes | None) -> list[str]:
    """Return the lines as text, each with its line feed and any carriage return."""
    return [*StringIO((content or b"").decode("utf-8", "backslashreplace"), newline="\n")]
