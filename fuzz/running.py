"""What the runs share: options, counts that are kept, lines of progress, and reports."""

import argparse
import datetime as dt
import functools
import json
import math
import multiprocessing
import platform
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

#: Seconds between two lines of progress, on a terminal and elsewhere.
PACES = (1.0, 30.0)

#: The events of tools.
TOOLS = ("call", "execute", "result")


def arguments(description: str, things: str) -> argparse.ArgumentParser:
    """Return the parser of the command line of a run of many `things`, such as examples."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        f"--{things}", type=positive, default=20_000, help="how many (default: 20000)"
    )
    parser.add_argument(
        "--seed", type=int, default=1, help="a number that chooses them (default: 1)"
    )
    parser.add_argument(
        "--processes", type=positive, default=1, help="how many at once (default: 1)"
    )
    parser.add_argument("--only", type=int, metavar="N", help="try number N alone, and show it")
    parser.add_argument("--report", type=Path, metavar="FILE", help="write all counts as JSON")
    parser.add_argument(
        "--keep", type=Path, metavar="FILE", help="keep counts now and then, and go on from them"
    )
    return parser


def positive(text: str) -> int:
    """Return the number in an argument, of which there is at least one."""
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError("there is at least one")
    return number


def command(script: str, options: argparse.Namespace, things: str, *more: str) -> str:
    """Return the command of a script of `fuzz/` that makes the same report."""
    names = (things, "seed", "processes")
    words = [*(f"--{name} {getattr(options, name)}" for name in names), *more]
    return f"python fuzz/{script}.py {' '.join(words)} --report {options.report}"


@dataclass
class Tally:
    """The outcome of some examples of a seed."""

    #: How many examples were tried.
    done: int = 0
    #: How often each thing occurred; the first word names what is counted.
    counts: Counter[tuple[Any, ...]] = field(default_factory=Counter)
    #: The examples in which something is wrong, each with the reader or writer that it concerns.
    findings: list[tuple[int, str]] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        """Add the outcome of other examples."""
        self.done += other.done
        self.counts.update(other.counts)
        self.findings += other.findings

    def counted(self, *first: str) -> dict[Any, int]:
        """Return the counts whose key is `first` and one more word."""
        return {key[-1]: count for key, count in sorted(self.counts.items()) if key[:-1] == first}

    @classmethod
    def kept(cls, file: Path | None, seed: int) -> Self:
        """Return the outcome that an earlier run wrote to a file, if there is one for this seed."""
        value = json.loads(file.read_text()) if file and file.exists() else {"seed": None}
        if value["seed"] != seed:
            return cls()
        counts = {tuple(key): count for key, count in value["counts"]}
        findings = [(number, name) for number, name in value["findings"]]
        return cls(value["done"], Counter(counts), findings)

    def keep(self, file: Path | None, seed: int) -> None:
        """Write the outcome so far into a file, if there is one, atomically."""
        if file is None:
            return
        counts = list(self.counts.items())
        value = {"seed": seed, "done": self.done, "counts": counts, "findings": self.findings}
        beside = file.with_suffix(".new")
        beside.write_text(json.dumps(value))
        beside.replace(file)


def answered(items: list[dict[str, Any]], **spelling: bool) -> dict[str, Any]:
    """Return the result event of these items, spelled so by `json`."""
    failed = sum(item["status"] == "failure" for item in items)
    counts = {"tools_executed": len(items), "success_count": len(items) - failed}
    payload = {**counts, "failure_count": failed}
    return {"type": "result", "content": json.dumps(items, **spelling), "payload": payload}


def marked(
    events: list[dict[str, Any]], report: list[dict[str, Any]]
) -> tuple[list[dict[str, Any]], bool]:
    """Return the events that are in messages, and whether texts were joined there.

    Each event has as `changed` what the report says of it.
    """
    codes: dict[int, set[str]] = {}
    for entry in report:
        codes.setdefault(entry["index"], set()).add(entry["code"])
    said = [
        {**event, "changed": codes.get(index, set())}
        for index, event in enumerate(events)
        if event["type"] in TOOLS or "dropped" not in codes.get(index, ())
    ]
    return said, any("joined" in changes for changes in codes.values())


def smallest(
    value: Any, smaller: Callable[[Any], Iterable[Any]], is_found: Callable[[Any], bool]
) -> Any:
    """Return the value without anything that can be left out while `is_found` remains true."""
    while True:
        for candidate in smaller(value):
            if is_found(candidate):
                value = candidate
                break
        else:
            return value


def shorter(text: Any) -> Iterator[Any]:
    """Yield a text, or bytes, without one span: first the longest ones, at last one character."""
    size = len(text)
    while size:
        for start in range(0, len(text), size):
            yield text[:start] + text[start + size :]
        size //= 2


class Progress:
    """Reports the progress of a run from time to time."""

    def __init__(self, things: str, count: int, first: int) -> None:
        """Report on `count` of these things, of which an earlier run has tried the `first`."""
        self.things = things
        self.count = count
        self.first = first
        self.began = self.said = time.monotonic()
        self.is_terminal = sys.stderr.isatty()

    def say(self, tally: Tally) -> bool:
        """Write a line, if it is time for one; return whether it was."""
        now = time.monotonic()
        done = tally.done
        if now - self.said < PACES[not self.is_terminal] and done < self.count:
            return False
        self.said = now
        rate = (done - self.first) / (now - self.began)
        left = dt.timedelta(seconds=round((self.count - done) / rate))
        line = (
            f"{done:,} of {self.count:,} {self.things}, {rate:.0f}/s, {left} left, "
            f"{len(tally.findings)} findings"
        )
        is_open = self.is_terminal and done < self.count
        sys.stderr.write(("\r" if self.is_terminal else "") + line + ("" if is_open else "\n"))
        sys.stderr.flush()
        return True


def tallied(
    options: argparse.Namespace,
    things: str,
    examine: Callable[[int, range], Tally],
    *,
    portion: int,
    each: int = 1,
    begin: Callable[[], None] | None = None,
    until: float = math.inf,
) -> Tally:
    """Examine what an earlier run left, and report and keep the outcome from time to time.

    `examine` takes the seed and numbers, of which each is so many of the `things`; a process, which
    begins with `begin`, examines a portion of them at once.  No portion begins after `until`.
    """
    tally = Tally.kept(options.keep, options.seed)
    count = math.ceil(getattr(options, things) / each)
    progress = Progress(things, count * each, tally.done)
    starts = range(tally.done // each, count, portion)
    portions = (range(at, min(at + portion, count)) for at in starts)
    with multiprocessing.Pool(options.processes, begin) as pool:
        for part in pool.imap(functools.partial(examine, options.seed), portions):
            tally.add(part)
            is_over = time.monotonic() > until
            if progress.say(tally) or is_over:
                tally.keep(options.keep, options.seed)
            if is_over:
                break
    return tally


def report(command: str, seed: int | None, numbers: dict[str, Any]) -> dict[str, Any]:
    """Return the numbers of a run, with the command that counts again, and with what it counted."""
    return {
        "command": command,
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "seed": seed,
        "commit": commit(),
        "python": platform.python_version(),
        **numbers,
    }


def write(whole: dict[str, Any], file: Path) -> None:
    """Write a report into a file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{json.dumps(whole, indent=2, sort_keys=True)}\n", "utf-8")


def commit() -> str:
    """Return the commit of this checkout, with a mark if a file has been changed since."""
    try:
        return subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=10", "--exclude=*"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
