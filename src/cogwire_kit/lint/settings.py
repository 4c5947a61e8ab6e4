# SPDX-License-Identifier: MIT
"""What a project says of `cogwire lint`: the table `tool.cogwire.lint` of its pyproject.toml.

    [tool.cogwire.lint]
    select = ["errors", "near-marker"]      # as --select, if that is not given
    ignore = ["surplus"]                    # besides --ignore
    baseline = "lint-baseline.json"         # as --baseline
    dialect = "auto"                        # as --dialect, if that is not given
    start = "think"                         # as --start, if that is not given; or "header"

    [tool.cogwire.lint.per-file-ignores]
    "logs/old/*" = ["warnings"]

    [tool.cogwire.lint.dialects]
    "logs/*.txt" = "delimiter"              # in place of `dialect`

A pattern is of `fnmatch`, for the path from the folder of pyproject.toml, or for the name alone; of
several dialects the first counts.  The baseline, and a file with a description in place of the name
of a dialect, are named from that folder.  The baseline has the findings that are known already.
"""

import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple, get_args

from cogwire.tooling import Start
from cogwire_kit.lint.findings import Finding
from cogwire_kit.lint.output import fingerprint
from cogwire_kit.lint.rules import rules_named
from cogwire_kit.saving import write_json
from cogwire_kit.texts.dialects import AUTO, chosen_dialect

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_FILE: Final = "pyproject.toml"


class SettingsError(Exception):
    """The table or the baseline cannot be read."""


class Settings(NamedTuple):
    """The table of a project; without one, nothing."""

    #: The folder of its pyproject.toml.
    root: Path = Path()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    #: Rules by pattern, and dialects by pattern.
    per_file_ignores: Mapping[str, tuple[str, ...]] = {}
    dialects: Mapping[str, str] = {}
    baseline: Path | None = None
    start: Start = "prose"

    def ignored(self, file: str) -> tuple[str, ...]:
        """Return what is ignored in a file beside `ignore`."""
        found = (
            names for pattern, names in self.per_file_ignores.items() if self._is(file, pattern)
        )
        return tuple(name for names in found for name in names)

    def dialect(self, file: str) -> str | None:
        """Return the dialect of a file, if the table names one."""
        table = self.dialects.items()
        return next((name for pattern, name in table if self._is(file, pattern)), None)

    def _is(self, file: str, pattern: str) -> bool:
        path = Path(file).absolute()
        root = self.root.absolute()
        named = path.relative_to(root) if path.is_relative_to(root) else path
        return fnmatchcase(named.as_posix(), pattern) or fnmatchcase(path.name, pattern)


def settings_for(folder: Path) -> Settings:
    """Return the settings of the project that `folder` is in.

    Raises `SettingsError`, which names the member, for a table that is not as described above.
    """
    for root in (folder.absolute(), *folder.absolute().parents):
        file = root / _FILE
        if not file.is_file():
            continue
        try:
            table = _table(tomllib.loads(file.read_text("utf-8")))
        except (ValueError, RecursionError) as problem:
            raise SettingsError(f"{file}: {problem}") from None
        if table is not None:
            try:
                return _settings(dict(table), root)
            except ValueError as problem:
                raise SettingsError(f"{file}: tool.cogwire.lint: {problem}") from None
    return Settings()


def _table(project: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the table of a project, if it has one."""
    place, found = "", project
    for name in ("tool", "cogwire", "lint"):
        place, value = f"{place}.{name}".lstrip("."), found.get(name)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise ValueError(f"{place}: expected a table")  # noqa: TRY004 (bad data)
        found = value
    return found


def _settings(table: dict[str, Any], root: Path) -> Settings:
    dialect_in = partial(_dialect, root)
    read = Settings(
        root,
        select=_names("select", table.pop("select", [])),
        ignore=_names("ignore", table.pop("ignore", [])),
        per_file_ignores=_by_pattern(table, "per-file-ignores", _names),
        dialects=_by_pattern(table, "dialects", dialect_in),
    )
    if (dialect := table.pop("dialect", None)) is not None:
        # The first pattern counts, so that this is of all other files.
        read = read._replace(dialects={**read.dialects, "*": dialect_in("dialect", dialect)})
    if (baseline := table.pop("baseline", None)) is not None:
        if not isinstance(baseline, str):
            raise ValueError("baseline: expected the name of a file")
        read = read._replace(baseline=root / baseline)
    if (start := table.pop("start", "prose")) not in get_args(Start):
        raise ValueError(f"start: expected one of {', '.join(get_args(Start))}")
    read = read._replace(start=start)
    if table:
        raise ValueError(f"there is no setting {min(table)!r}")
    return read


def _by_pattern(
    settings: dict[str, Any], name: str, read: Callable[[str, Any], Any]
) -> Mapping[str, Any]:
    table = settings.pop(name, {})
    if not isinstance(table, dict):
        raise ValueError(f"{name}: expected a table of patterns")  # noqa: TRY004 (bad data)
    return {pattern: read(f"{name}: {pattern!r}", value) for pattern, value in table.items()}


def _names(place: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ValueError(f"{place}: expected a list of rules")
    try:
        rules_named(value)
    except ValueError as problem:
        raise ValueError(f"{place}: {problem}") from None
    return tuple(value)


def _dialect(root: Path, place: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{place}: expected the name of a dialect")  # noqa: TRY004 (bad data)
    if value == AUTO:
        return AUTO
    try:
        return chosen_dialect(value, root)
    except ValueError as problem:
        raise ValueError(f"{place}: {problem}") from None


# -- The baseline ---------------------------------------------------------------------------------


class Baseline:
    """The findings that are known, by what they are known by whatever line they are in.

    Their files are named from the folder of the baseline, wherever the command is run.
    """

    def __init__(self, folder: Path | None = None, known: Mapping[str, int] = {}) -> None:
        self._folder = folder
        self._known = Counter(known)
        self._found = Counter[str]()

    @classmethod
    def read(cls, file: Path) -> "Baseline":
        """Return the baseline in a file; `SettingsError` if there is none."""
        try:
            known = json.loads(file.read_bytes())["findings"]
            return cls(file.parent, {str(name): int(count) for name, count in known.items()})
        except OSError as problem:
            raise SettingsError(
                f"{file}: {problem.strerror}; write it with --write-baseline"
            ) from None
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
            raise SettingsError(f"{file}: this is not a baseline of cogwire lint") from None

    def is_new(self, file: str, found: Finding) -> bool:
        """Whether a finding is not among the known ones, each of which counts once."""
        if self._folder is not None and file != "-":
            with suppress(ValueError):  # another drive of Windows
                file = os.path.relpath(file, self._folder)
        name = fingerprint(file, found)
        self._found[name] += 1
        return self._found[name] > self._known[name]

    def write(self, file: Path) -> None:
        """Write all findings that `is_new` was asked about."""
        write_json(file, {"findings": dict(sorted(self._found.items()))})


def is_baseline(file: Path) -> bool:
    """Whether a file is a baseline, and no data."""
    try:
        Baseline.read(file)
    except SettingsError:
        return False
    return True
