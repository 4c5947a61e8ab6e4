# SPDX-License-Identifier: MIT
"""A job: files in, a folder of parts and a summary out.

Laws
----
1. Each row of the input is one row of the output, wherever and whenever the job was killed.
2. A part is done if and only if its file has its name; what was done is never done again.
3. A folder holds one job: the same input, as it was, and the same options.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from itertools import chain
from pathlib import Path
from typing import Any, Final

from pyarrow import ArrowException, parquet

import cogwire
from cogwire_kit.bulk.units import Unit, units
from cogwire_kit.bulk.work import COUNTS, Plan, do, part_name
from cogwire_kit.bulk.workers import KILLED, WorkerKilledError, unordered
from cogwire_kit.saving import LOCK, alone, write_json
from cogwire_kit.templates.files import checksums
from cogwire_kit.texts.dialects import DescribedName
from cogwire_kit.texts.rows import FileError

_JOB: Final = "_job.json"
_SUMMARY: Final = "_summary.json"
#: What to do about a job that was stopped.
_CONTINUES: Final = "the same command continues with the rest"

#: Called after each unit: how many rows and characters are done, and the share of the whole input;
#: before the first one, while columns are looked for, with None and the share.
OnProgress = Callable[[tuple[int, int] | None, float], None]


class JobError(Exception):
    """A job cannot begin or continue."""


class Inputs:
    """The files of a job, with what identifies their content when it begins."""

    def __init__(self, files: list[Path], root: Path, column: str) -> None:
        """Look at files in the folder `root`, of which `column` is to be read."""
        self.files = files
        names = (each.relative_to(root).as_posix() or each.name for each in files)
        #: What is not UTF-8 in a name is written as an escape.
        self.names = [each.encode(errors="backslashreplace").decode() for each in names]
        #: What a job records about them.
        self.known: dict[str, Any] = {"column": column, "inputs": self._states()}

    def _states(self) -> list[dict[str, Any]]:
        stats = [each.stat() for each in self.files]
        return [
            {"name": name, "size": each.st_size, "modified": each.st_mtime_ns}
            for name, each in zip(self.names, stats, strict=True)
        ]

    def changed(self) -> str:
        """Return the name of a file that has changed since, or an empty text."""
        return _changed(self.known["inputs"], self._states())

    def known_columns(self, folder: Path) -> str | tuple[str, ...] | None:
        """Return the columns that a job in this folder reads of these files; None if it has none.

        They are looked for in all lines of JSON once, and not again when a job continues.
        """
        path = folder / _JOB
        found = _known(path) if path.exists() else {}
        if not self.known.items() <= found.items():
            return None
        text: str | list[str] | None = found.get("text")
        return tuple(text) if isinstance(text, list) else text


class Job:
    """One operation on some files, and its output folder."""

    def __init__(self, plan: Plan, inputs: Inputs, folder: Path) -> None:
        self._plan = plan
        self._inputs = inputs
        self._files = inputs.files
        self._names = inputs.names
        self._folder = folder
        #: The reasons why files could not be read to their end.
        self._unread: list[str] = []

    def run(self, processes: int, on_progress: OnProgress) -> dict[str, Any]:
        """Do what has not been done yet, and return the summary.

        A file that cannot be read stops no other one, and is listed as `unread`.  Raises `JobError`
        if the folder contains something else, a process of the pool was killed, or the input was
        written meanwhile, and `FileError` if the only file cannot be read.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        with alone(self._folder) as is_alone:
            if not is_alone:
                raise JobError(
                    f"another process is at work in {self._folder}: let it end, or name another "
                    "folder"
                )
            self._claim()
            self._do_all(processes, on_progress)
            if changed := self._inputs.changed():
                raise JobError(
                    f"the input was written while it was read{changed}: rows may be missing; "
                    f"remove {self._folder}, or name another folder"
                )
            summary = self._summary()
            write_json(self._folder / _SUMMARY, summary)
        return summary

    def first_reason(self) -> str:
        """Return the reason why the first row was refused, if it was."""
        first = parquet.read_table(min(self._folder.glob("part-*")), columns=["reason"])
        return first["reason"][0].as_py() or ""

    def _claim(self) -> None:
        """Claim the folder for this job, unless it is this job's already."""
        plan = self._plan._asdict()
        more = plan.pop("more")
        dialects = (self._plan.dialect, more.get("to"))
        described = [each.form.to_json() for each in dialects if isinstance(each, DescribedName)]
        wanted = {
            "cogwire": cogwire.__version__,
            # The first that differs is named: the columns are those of the inputs.
            **self._inputs.known,
            **plan,
            **more,
            **({"formats": described} if described else {}),
            **({"model": checksums(Path(more["tokenizer"]))} if "tokenizer" in more else {}),
        }
        wanted = json.loads(json.dumps(wanted))  # as it is read back, with lists for tuples
        path = self._folder / _JOB
        if path.exists():
            found = _known(path)
            if changed := [key for key in wanted if found.get(key) != wanted[key]]:
                raise JobError(
                    f"{self._folder} has a job with another {changed[0]!r}"
                    f"{_changed(found.get(changed[0]), wanted[changed[0]])}; "
                    "name another folder, or remove this one"
                )
        elif [each for each in self._folder.iterdir() if each.name != LOCK]:
            raise JobError(f"{self._folder} has other files; name a new folder")
        else:
            write_json(path, wanted)
        for unfinished in self._folder.glob(".part-*"):
            unfinished.unlink()

    def _do_all(self, processes: int, on_progress: OnProgress) -> None:
        progress = _Progress(len(self._files), on_progress)
        with closing(unordered(processes, do, self._tasks(progress))) as done:
            try:
                for unit, counts in done:
                    progress.add(unit, counts)
            except WorkerKilledError:
                raise JobError(f"{KILLED}; {_CONTINUES}") from None
            except KeyboardInterrupt:
                raise KeyboardInterrupt(_CONTINUES) from None

    def _tasks(self, progress: "_Progress") -> Iterator[tuple[Unit, tuple[Any, ...]]]:
        """Yield what has not been done yet: a unit, without its rows, and the arguments of `do`."""
        for number in range(len(self._files)):
            try:
                yield from self._tasks_of(number, progress)
            except FileError as problem:
                if len(self._files) == 1:
                    raise
                self._unread.append(str(problem))

    def _tasks_of(
        self, number: int, progress: "_Progress"
    ) -> Iterator[tuple[Unit, tuple[Any, ...]]]:
        plan = self._plan
        optional = () if isinstance(plan.text, str) else plan.text
        texts = [each for each in (plan.text, plan.dialect_column) if isinstance(each, str)]
        file = self._files[number]
        for unit in units(number, file, plan.columns, plan.part_rows, optional, texts=texts):
            part = self._folder / part_name(number, unit.number)
            if part.exists():
                progress.add(unit, _counts(part))
            else:
                arguments = (plan, unit, self._names[number], self._folder)
                yield unit._replace(rows=[]), arguments

    def _summary(self) -> dict[str, Any]:
        """Check that the parts are the whole input in order, and add up their counts."""
        total: dict[str, Any] = {"files": len(self._files), "rows": 0, "characters": 0}
        tallies: dict[str, Counter[str]] = {}
        for number in range(len(self._files)):
            row, unit = 0, 0
            while (part := self._folder / part_name(number, unit)).exists():
                counts = _counts(part)
                if counts.pop("first") != row:
                    raise JobError(f"{part} is not the next part of this job")
                row, unit = row + counts["rows"], unit + 1
                total["rows"] += counts.pop("rows")
                total["characters"] += counts.pop("characters")
                for name, tally in counts.items():
                    tallies.setdefault(name, Counter()).update(tally)
        refused = tallies.pop("refused", Counter())
        total["read"] = total["rows"] - refused.total()
        if self._unread:
            total["unread"] = self._unread
        together = {"refused": refused, **tallies}
        return total | {name: dict(tally.most_common()) for name, tally in together.items()}


class _Progress:
    """How far the job is."""

    def __init__(self, files: int, on_progress: OnProgress) -> None:
        self._files = files
        self._on_progress = on_progress
        self._rows = self._characters = 0
        self._share = 0.0

    def add(self, unit: Unit, counts: dict[str, Any]) -> None:
        self._rows += counts["rows"]
        self._characters += counts["characters"]
        self._share = max(self._share, (unit.file + unit.share) / self._files)
        self._on_progress((self._rows, self._characters), self._share)


def _changed(before: object, now: object) -> str:
    """Return the name of a file that changed since a job recorded it, or an empty text."""
    if not isinstance(before, list) or not isinstance(now, list):
        return ""
    both = [
        [each for each in files if each not in others]
        for files, others in ((now, before), (before, now))
    ]
    names = [each["name"] for each in chain(*both) if isinstance(each, dict)]
    return f" ({names[0]} has changed)" if names else ""


def _known(path: Path) -> dict[str, Any]:
    """Return what a job has recorded about itself."""
    with suppress(OSError, ValueError, RecursionError):
        if isinstance(found := json.loads(path.read_text("utf-8")), dict):
            return found
    raise JobError(
        f"{path} cannot be read, so that nothing says which job the parts beside it are of; "
        "name another folder, or remove this one"
    )


def _counts(part: Path) -> dict[str, Any]:
    try:
        metadata = parquet.read_metadata(part).metadata or {}
    except (OSError, ArrowException) as problem:
        raise JobError(
            f"{part} cannot be read ({problem}); remove it, and the same command writes it again"
        ) from None
    if COUNTS not in metadata:
        raise JobError(f"{part} is not a part of a job")
    counts: dict[str, Any] = json.loads(metadata[COUNTS])
    return counts
