"""Measures the commands that read data sets, in MB of the file for each second of one processor.

Each file has realistic conversations, the same ones in every form and format.  A command runs as
its users run it, in a process of its own with one core, and its processor time counts, without that
of a run on one row.  All take turns, and the best of several rounds counts.  With `--beside`, the
commands of another checkout take turns with ours, and must write the same.
"""

import argparse
import hashlib
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src"), str(Path(__file__).parent)]

from turns import SENTENCES, SNIPPET  # noqa: E402

import cogwire  # noqa: E402
from cogwire_kit.bridges import openai  # noqa: E402

FORMATS: Final = ("xml-json", "hermes", "llama3-json", "deepseek-v3.1")
#: The words of which each text has its own order, after `SENTENCES` in one text of four.
_WORDS: Final = [word for word in SENTENCES.split() if word.isascii() and word not in "<>"]


# -- Rows ---------------------------------------------------------------------------------------


def _prose(draw: random.Random, least: int, most: int) -> str:
    size = draw.randint(least, most)
    words = " ".join(draw.choices(_WORDS, k=size // 5))
    return (SENTENCES * draw.choice((0, 0, 0, 1)) + words)[:size].strip()


def _call(draw: random.Random) -> dict[str, Any]:
    args: dict[str, Any] = {"path": f"/srv/app/{draw.randint(0, 9999)}.py", "force": True}
    if draw.random() < 0.5:
        args["content"] = SNIPPET + _prose(draw, 20, 150)
    else:
        args |= {"query": _prose(draw, 30, 120), "lines": [draw.randint(1, 99) for _ in range(9)]}
    return {"name": draw.choice(("read", "write", "search")), "args": args}


def conversation(draw: random.Random) -> list[cogwire.Event]:
    """Return the events of two questions, of which each is answered after calls."""
    events: list[cogwire.Event] = []
    for _ in range(2):
        events.append({"type": "user", "content": _prose(draw, 60, 300)})
        events.append({"type": "respond", "content": _prose(draw, 250, 1000)})
        calls = [_call(draw) for _ in range(draw.randint(1, 2))]
        events += ({"type": "call", "content": json.dumps(call)} for call in calls)
        events.append({"type": "execute"})
        items = [
            {"tool": call["name"], "status": "success", "content": _prose(draw, 100, 600)}
            for call in calls
        ]
        count = len(calls)
        payload = {"tools_executed": count, "success_count": count, "failure_count": 0}
        events.append({"type": "result", "content": json.dumps(items), "payload": payload})
        events.append({"type": "respond", "content": _prose(draw, 250, 1000)})
        events.append({"type": "end"})
    return events


def _text(events: list[cogwire.Event], name: str) -> dict[str, Any]:
    # Most formats have no marker for the end of an answer that another one follows.
    first = [event["type"] for event in events].index("end")
    return {"text": cogwire.render_events(events[1:first], name)}


def _messages(events: list[cogwire.Event], name: str) -> dict[str, Any]:
    return {"messages": cogwire.to_messages(events, name, system="You help with files.")}


def _sharegpt(events: list[cogwire.Event], name: str) -> dict[str, Any]:
    authors = {"user": "human", "assistant": "gpt", "system": "system"}
    told = _messages(events, name)["messages"]
    return {"conversations": [{"from": authors[e["role"]], "value": e["content"]} for e in told]}


def _openai(events: list[cogwire.Event], _: str) -> dict[str, Any]:
    return {"messages": openai.to_messages(events)}


FORMS: Final[dict[str, Callable[[list[cogwire.Event], str], dict[str, Any]]]] = {
    "texts": _text,
    "messages": _messages,
    "sharegpt": _sharegpt,
    "openai": _openai,
}


def lines(form: str, name: str, size: int) -> Iterator[str]:
    """Yield rows of about `size` characters together."""
    draw = random.Random(7)
    number = 0
    while size > 0:
        line = json.dumps({"id": number, **FORMS[form](conversation(draw), name)}) + "\n"
        size -= len(line)
        number += 1
        yield line


# -- Commands -----------------------------------------------------------------------------------


def commands(form: str, name: str) -> dict[str, list[str]]:
    """Return what is measured of rows in a form and a format: arguments before the file."""
    to = "openai-messages" if form != "texts" else "hermes" if name == "xml-json" else "xml-json"
    if form == "openai":
        return {
            "convert": ["convert", "--dialect", "auto", "--to", "xml-json"],
            "lint": ["lint", "--exit-zero", "--statistics"],
            "bulk events": ["bulk", "--do", "events", "-j", "1"],
        }
    named, auto = ["--dialect", name], ["--dialect", "auto"]
    return {
        "convert": ["convert", *named, "--to", to],
        "convert auto": ["convert", *auto, "--to", to],
        "lint": ["lint", "--exit-zero", "--statistics", *named],
        "mask": ["mask", *named],
        "bulk events": ["bulk", "--do", "events", "-j", "1", *named],
        "bulk convert": ["bulk", "--do", "convert", "--to", to, "-j", "1", *named],
    }


def run(source: Path, command: list[str], file: Path, folder: Path) -> tuple[float, str]:
    """Run a command on a file; return its seconds of a processor, and the hash of its output."""
    whole = [sys.executable, "-m", "cogwire_kit", *command, str(file)]
    if command[0] == "bulk":
        whole.append(str(folder / f"out-{len(list(folder.iterdir()))}"))
    process = subprocess.Popen(
        whole,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(source / "src")},
    )
    digest = hashlib.sha256()
    assert process.stdout is not None  # noqa: S101 (it is a pipe)
    while data := process.stdout.read(1 << 20):
        digest.update(data)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(whole)}: exit code {process.returncode}")
    return usage.ru_utime + usage.ru_stime, digest.hexdigest()


def measured(
    sources: list[Path], command: list[str], file: Path, first: Path, rounds: int
) -> list[float]:
    """Return how many MB of a file the command of each checkout reads in a second."""
    best = [float("inf")] * len(sources)
    with TemporaryDirectory() as folder:
        for _ in range(rounds):
            found = [run(source, command, file, Path(folder)) for source in sources]
            if command[0] != "bulk" and len({digest for _, digest in found}) > 1:
                raise SystemExit(f"{' '.join(command)} {file.name}: the outputs differ")
            for at, (seconds, _) in enumerate(found):
                start, _ = run(sources[at], command, first, Path(folder))
                best[at] = min(best[at], seconds - start)
    return [file.stat().st_size / 1e6 / seconds for seconds in best]


def main() -> None:
    """Measure each command on each file, and print a line for each form and format."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=int, default=30_000_000, help="bytes of each file")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--beside", type=Path, help="another checkout of this repository")
    parser.add_argument("--form", choices=FORMS, action="append")
    parser.add_argument("--format", choices=FORMATS, action="append")
    parser.add_argument("--command", action="append", help="such as 'convert auto'")
    options = parser.parse_args()
    sources = [*([options.beside.resolve()] if options.beside else []), ROOT]
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with TemporaryDirectory() as folder:
        for form in options.form or FORMS:
            for name in options.format or FORMATS:
                if form == "openai" and name != FORMATS[0]:
                    continue
                file, first = Path(folder, "rows.jsonl"), Path(folder, "first.jsonl")
                file.write_text("".join(lines(form, name, options.size)))
                first.write_text("".join(lines(form, name, 1)))
                for told, command in commands(form, name).items():
                    if not options.command or told in options.command:
                        rates = measured(sources, command, file, first, options.rounds)
                        shown = " -> ".join(f"{rate:5.2f}" for rate in rates)
                        ratio = f"  x{rates[-1] / rates[0]:.2f}" if len(rates) > 1 else ""
                        print(f"{form:9}{name:14}{told:13}{shown} MB/s{ratio}", flush=True)


if __name__ == "__main__":
    main()
