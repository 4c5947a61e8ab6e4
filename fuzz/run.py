"""Fuzz the targets, guided by the coverage of the core: `python fuzz/run.py --seconds N`.

Each target runs in a separate process for that many seconds, from the conformance cases and from
inputs that earlier runs kept.  A finding is printed with the command that runs it again,
and ends its target.  `fuzz/requirements.txt` lists what this needs.
"""

import argparse
import importlib.util
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"
sys.path[:0] = [str(ROOT), str(SOURCE)]

from fuzz import running, seeds  # noqa: E402
from fuzz.targets.harness import LONGEST, text_of  # noqa: E402

BUILD = ROOT / "build" / "fuzz"
DICTIONARY = ROOT / "fuzz" / "dictionaries" / "wire.dict"

#: The seconds that one input may take, on a busy machine, and the MB that a target may use.
TIMEOUT = 120
MEMORY = 2048
#: Seconds between two lines of progress if the output is not a terminal.
SILENCE = 30

#: A line of libFuzzer's: how many executions, and which edges and features they reached.
STATUS = re.compile(r"#(\d+)\s+([A-Za-z]+)\s+cov: (\d+) ft: (\d+)")
#: Its message that an input was kept because the target failed on it.
KEPT = re.compile(r"Test unit written to (.+)")
#: Its name for the line after the last of the given inputs.
READ = "INITED"

#: The numbers of a run: the start is the coverage of the seeds and of the inputs that were kept.
REACHED = ("executions", "edges_at_start", "edges", "features_at_start", "features")


def main() -> int:
    """Fuzz the chosen targets one after the other."""
    options = parsed_options()
    if importlib.util.find_spec("atheris") is None:
        sys.stderr.write("atheris is missing: pip install -r fuzz/requirements.txt\n")
        return 2
    targets = {}
    for target in options.target or list(seeds.SEEDS):
        targets[target] = fuzzed(target, options)
        print_summary(target, targets[target])
    if options.report:
        write_report(options, targets)
    findings = sum(len(outcome["findings"]) for outcome in targets.values())
    executions = sum(outcome["executions"] for outcome in targets.values())
    sys.stdout.write(f"{executions} executions of {len(targets)} targets, {findings} findings\n")
    return 1 if findings else 0


def parsed_options() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--seconds", type=int, default=600, help="how long each target runs (default: 600)"
    )
    parser.add_argument(
        "--target",
        action="append",
        choices=list(seeds.SEEDS),
        help="fuzz this one; may be given again (default: all)",
    )
    parser.add_argument(
        "--corpus",
        type=Path,
        default=BUILD / "corpus",
        help="where inputs that reach new code are kept (default: build/fuzz/corpus)",
    )
    parser.add_argument("--seed", type=int, default=1, help="of the mutations (default: 1)")
    parser.add_argument(
        "--report",
        type=Path,
        metavar="FILE",
        help="write the numbers as JSON; those of targets that do not run now are left as they are",
    )
    options = parser.parse_args()
    if options.seconds < 1 or options.seed < 1:
        parser.error("--seconds and --seed are positive")
    return options


# --- One target -------------------------------------------------------------------------------


def fuzzed(target: str, options: argparse.Namespace) -> dict[str, Any]:
    """Run one target; return its numbers, and what it found."""
    given, corpus, findings = (
        BUILD / "seeds" / target,
        options.corpus / target,
        BUILD / "findings" / target,
    )
    count = seeds.write(target, given)
    corpus.mkdir(parents=True, exist_ok=True)
    findings.mkdir(parents=True, exist_ok=True)
    kept = inputs(corpus)
    arguments = [f"-seed={options.seed}", f"-artifact_prefix={findings}/", "-print_final_stats=1"]

    start = time.monotonic()
    lasting = f"-max_total_time={options.seconds}"
    failure, reached = followed(target, [lasting, *arguments, str(corpus), str(given)])
    seconds = time.monotonic() - start
    found = [Path(place) for place in KEPT.findall(failure)]
    if failure and not found:
        sys.stderr.write(failure)
        raise SystemExit(f"{target} does not run")
    if not reached["edges"]:
        raise SystemExit(f"{target} reached no edge of the core, which is not instrumented")
    for place in found:
        print_finding(target, place, failure)
    return {
        "seeds": count,
        "kept_inputs": len(kept),
        "seconds": round(seconds),
        **reached,
        "executions_per_second": round(reached["executions"] / seconds, 1),
        "new_inputs": len(inputs(corpus) - kept),
        "findings": [place.name for place in found],
    }


def inputs(place: Path) -> set[str]:
    """Return the names of the inputs in a folder."""
    return {path.name for path in place.iterdir()}


def command(target: str) -> list[str]:
    """Return the command that runs a target, without its arguments."""
    return [sys.executable, "-m", f"fuzz.targets.fuzz_{target}"]


def followed(target: str, arguments: list[str]) -> tuple[str, dict[str, int]]:
    """Run a target to its end; return its output if it failed, and its progress."""
    limits = [f"-max_len={LONGEST}", f"-timeout={TIMEOUT}", f"-rss_limit_mb={MEMORY}"]
    limits += [f"-report_slow_units={TIMEOUT}", f"-dict={DICTIONARY}"]
    process = subprocess.Popen(
        [*command(target), *limits, *arguments],
        cwd=ROOT,
        env=os.environ
        | {
            "PYTHONPATH": f"{ROOT}{os.pathsep}{SOURCE}",
            "PYTHONHASHSEED": "0",
            "PYTHONUNBUFFERED": "1",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    )
    reached = dict.fromkeys(REACHED, 0)
    said = []
    for line in progressing(target, process):
        if status := STATUS.match(line):
            executions, state, edges, features = status.groups()
            reached |= {
                "executions": int(executions),
                "edges": int(edges),
                "features": int(features),
            }
            if state == READ:
                reached |= {"edges_at_start": int(edges), "features_at_start": int(features)}
            continue
        if line.startswith("stat::number_of_executed_units:"):
            reached["executions"] = int(line.split()[1])
        said.append(line)
    process.communicate()
    return ("".join(said) if process.returncode else ""), reached


def progressing(target: str, process: subprocess.Popen[str]) -> Iterator[str]:
    """Yield the lines of a running target, and report its progress from time to time."""
    is_watched = sys.stderr.isatty()
    start = last = time.monotonic()
    for line in process.stdout or ():
        now = time.monotonic()
        if STATUS.match(line) and now - last > (1 if is_watched else SILENCE):
            last = now
            ending = "\r" if is_watched else "\n"
            sys.stderr.write(f"{target} {now - start:5.0f} s  {line.strip()[:90]:90}{ending}")
        yield line


# --- Reporting --------------------------------------------------------------------------------


def print_finding(target: str, place: Path, said: str) -> None:
    """Print one input that a target failed on, why, and how to run it again."""
    data = place.read_bytes()
    _, _, raised = said.partition("=== Uncaught Python exception: ===\n")
    reason = raised.partition("\n==")[0] or said[-4000:]
    sys.stdout.write(
        f"\n{target} failed:\n\n{reason}\n"
        f"The input, as bytes:\n{data!r}\n\n"
        f"and as text:\n{text_of(data)!a}\n\n"
        f"Run it again:\nPYTHONPATH=src python -m fuzz.targets.fuzz_{target} {shown(place)}\n\n"
    )


def print_summary(target: str, outcome: dict[str, Any]) -> None:
    """Print the numbers of one target on a line."""
    sys.stdout.write(
        f"{target}: {outcome['executions']} executions, "
        f"{outcome['executions_per_second']} a second; "
        f"edges {outcome['edges_at_start']} -> {outcome['edges']}, "
        f"features {outcome['features_at_start']} -> {outcome['features']}; "
        f"{outcome['new_inputs']} new inputs, {len(outcome['findings'])} findings\n"
    )
    sys.stdout.flush()


def shown(place: Path) -> str:
    """Return a path relative to the top of the checkout."""
    return str(place.relative_to(ROOT) if place.is_relative_to(ROOT) else place)


def write_report(options: argparse.Namespace, targets: dict[str, Any]) -> None:
    """Write the numbers, together with those of targets that an earlier run reported."""
    report: Path = options.report
    if options.target and report.exists():
        targets = json.loads(report.read_text("utf-8"))["targets"] | targets
    again = f"python fuzz/run.py --seconds {options.seconds} --seed {options.seed}"
    numbers = {
        "seconds_per_target": options.seconds,
        "atheris": version("atheris"),
        "executions": sum(outcome["executions"] for outcome in targets.values()),
        "findings": sum(len(outcome["findings"]) for outcome in targets.values()),
        "targets": targets,
    }
    again += f" --report {shown(report.resolve())}"
    running.write(running.report(again, options.seed, numbers), report)


if __name__ == "__main__":
    sys.exit(main())
