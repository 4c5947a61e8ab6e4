"""Run the parts of `make verify` beside each other, and say where the time went: `make help`.

`python -m verify [PART …]` runs these parts, or all, and what they need before.  What a part writes
is shown when it has ended, and kept in build/verify.  `TIMES="word=seconds …"` adds rows to the
table at the end, of what was done before.  It needs nothing but the standard library.
"""

import os
import re
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Final, NamedTuple

from verify import needs

ROOT: Final = Path(__file__).resolve().parents[1]
LOGS: Final = ROOT / "build" / "verify"

#: Each part, which is a target of the Makefile, and what has to be done before.  They begin in this
#: order: what takes longest comes first, after what it waits for, and what is short comes last.
#: Integrations and packages have environments of their own, so that they begin beside the set-up.
PARTS: Final = {
    "setup": (),
    "conformance": ("setup",),
    "site": ("conformance",),
    "rest": ("site",),
    "coverage": ("setup",),
    "lint": ("setup",),
    "integrations": (),
    "pythons": ("site",),
    "packages": (),
    "cogency": ("setup",),
    "mutants": ("setup",),
}
#: What a part runs is mostly parallel itself; a second one fills what it leaves.
AT_ONCE: Final = 2
#: A part that has something to say where all is well says it in its last lines.
SHOWN: Final = 3

_COUNTS: Final = re.compile(r"\b(\d+) (passed|failed|errors?)\b")
_CLOSING: Final = re.compile(r"^=* ?((?:\d+ [a-z]+, )*\d+ [a-z]+) in [\d.]+s", re.MULTILINE)


class Done(NamedTuple):
    """How a part has ended; `code` is None where what it needs has failed.

    `seconds` passed, and its processes used `work` seconds of the processors.
    """

    name: str
    code: int | None
    seconds: float = 0.0
    work: float = 0.0
    output: str = ""


def main(chosen: list[str]) -> int:
    """Return 0 where all holds, 1 where something does not, and 2 where something is missing."""
    if unknown := set(chosen) - set(PARTS):
        print(f"no part is called {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
        return 2
    if lines := needs.missing():
        print("make verify needs programs that are missing:", *lines, sep="\n")
        return 2
    started = time.monotonic()
    done = _run(_with_needs(chosen or list(PARTS)))
    print("\nWhere the time went: seconds, and those of processors; parts ran beside each other:")
    for word in os.environ.get("TIMES", "").split():
        name, _, seconds = word.partition("=")
        print(f"  {name:12}{seconds:>6}")
    for each in done:
        print(f"  {each.name:12}{each.seconds:6.0f}{each.work:6.0f}  {_verdict(each)}")
    work = sum(each.work for each in done)
    print(f"  {'verify':12}{time.monotonic() - started:6.0f}{work:6.0f}  all of these parts")
    counts = sum((_counted(each.output) for each in done), Counter[str]())
    wrong = [each.name for each in done if each.code != 0]
    if wrong:
        print(f"failed: {', '.join(wrong)}; what they wrote is in {LOGS.relative_to(ROOT)}")
    failed = max(counts["failed"] + counts["error"], len(wrong))
    print(f"{counts['passed']} passed, {failed} failed")
    return int(bool(wrong))


def _with_needs(chosen: list[str]) -> list[str]:
    wanted, rest = set(), list(chosen)
    while rest:
        name = rest.pop()
        wanted.add(name)
        rest += PARTS[name]
    return [name for name in PARTS if name in wanted]


def _run(names: list[str]) -> list[Done]:
    """Run parts as soon as what they need is done; return how each has ended, in that order."""
    LOGS.mkdir(parents=True, exist_ok=True)
    waiting, done = list(names), dict[str, Done]()
    running: dict[Future[Done], str] = {}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        while waiting or running:
            for name in list(waiting):
                if any(each in done and done[each].code != 0 for each in PARTS[name]):
                    done[name] = Done(name, None)
                    waiting.remove(name)
                elif len(running) < AT_ONCE and all(each in done for each in PARTS[name]):
                    running[pool.submit(_make, name)] = name
                    waiting.remove(name)
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                done[running.pop(future)] = future.result()
                _show(future.result())
    return [done[name] for name in done]


def _make(name: str) -> Done:
    print(f"== {name}", flush=True)
    started = time.monotonic()
    log = LOGS / f"{name}.log"
    with log.open("w") as file:
        made = subprocess.Popen(
            ["make", "--jobs=2", "--output-sync=line", name],
            cwd=ROOT,
            env={word: os.environ[word] for word in os.environ.keys() - {"MAKEFLAGS", "ONLY"}},
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
        )
        _, status, used = os.wait4(made.pid, 0)
    made.returncode = os.waitstatus_to_exitcode(status)
    seconds, work = time.monotonic() - started, used.ru_utime + used.ru_stime
    return Done(name, made.returncode, seconds, work, log.read_text("utf-8", "replace"))


def _show(done: Done) -> None:
    print(f"== {done.name}: {_verdict(done)}, {done.seconds:.0f} s")
    lines = done.output.splitlines()
    for line in lines if done.code else lines[-SHOWN:]:
        print(f"   {line}")
    sys.stdout.flush()


def _verdict(done: Done) -> str:
    if done.code is None:
        return "not run: what it needs has failed"
    return "ok" if done.code == 0 else f"failed ({done.code})"


def _counted(output: str) -> Counter[str]:
    """Add up what pytest said at the ends of its runs."""
    counts = Counter[str]()
    for closing in _CLOSING.findall(output):
        for number, word in _COUNTS.findall(closing):
            counts[word.rstrip("s")] += int(number)
    return counts


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
