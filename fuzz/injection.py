"""Try to break out of written text: `python fuzz/injection.py --examples N --seed S`.

A tool's output, a user's text, a think or a respond contains an attacker's text: break-outs of
`fuzz/breakouts.json`, halves of them, changed ones, and noise.  One of the writers writes it,
`render_results`, `render_events` or `to_messages`, in one of the dialects, and read again.  The
events must be of the same types in the same order, with the same content unless the report names a
change, and the output of `render_results` must not contain a live marker.

Example number n of a seed is always the same.  One that fails is made as small as possible, and
printed as a conformance case, with the command that runs it again.
"""

import argparse
import json
import random
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from fuzz import running  # noqa: E402
from fuzz.running import TOOLS, Tally  # noqa: E402

import cogwire  # noqa: E402
from cogwire_kit.strategies._cases import draft  # noqa: E402

DIALECTS = ("xml-json", "xml-elements", "delimiter", "delimiter-upper")
WRITERS = ("results", "render", "messages")
#: A longer break-out takes time, and is used whole only one time in ten.
LONG = 200
#: How many examples a process runs before it reports the outcome.
PORTION = 500
#: How many findings are made small and printed.
PRINTED = 5
#: What joins the parts of a transcript.
JOINTS = {"xml-json": "\n\n", "xml-elements": "\n\n", "delimiter": "\n", "delimiter-upper": "\n"}

Event = dict[str, Any]
#: What is written: steps, each with its kind, the first of "user", "think", "respond" and "batch",
#: and its text, or the calls and their outcomes.
Plan = list[list[Any]]


# --- Hostile texts ------------------------------------------------------------------------------


@cache
def breakouts() -> dict[str, list[tuple[str, str]]]:
    """Return the break-outs of the catalogue by dialect, each with its name."""
    entries = json.loads((ROOT / "fuzz" / "breakouts.json").read_text("utf-8"))
    return {
        dialect: [
            (entry["name"], written_out(entry["text"]))
            for entry in entries
            if dialect in entry["dialects"]
        ]
        for dialect in DIALECTS
    }


def written_out(text: str | dict[str, Any]) -> str:
    """Return the text of an entry, which may be a piece and how often it is repeated."""
    return text if isinstance(text, str) else text["repeat"] * text["times"]


NOISE = ("a", "ok", " ", "\n", "\t", "\r\n", '"', "\\", "{", "}", "[", "]", ",", ":", "<", ">", "/")
NOISE += (
    *("&", "§", "é", "😀", "\u200b", "\ud800", "\0", "1", "[]", "done.\n", "lt;", "sect;", "u003c"),
)


class Author:
    """Writes one example, and counts the entries of the catalogue that it uses."""

    def __init__(self, seed: int, number: int) -> None:
        self.dialect = DIALECTS[number % 4]
        self.writer = WRITERS[number // 4 % 3]
        self.used: list[str] = []
        self._random = random.Random(f"{seed} {number}")

    def plan(self) -> Plan:
        """Return what is to be written."""
        if self.writer == "results":
            return [self._batch()]
        # Segments of one type with no text of a user between them would be read as one.
        count = self._random.choice((1, 1, 2)) if self.writer == "messages" else 1
        return [step for _ in range(count) for step in self._exchange()]

    def _exchange(self) -> Plan:
        """Return the parts of a user and a model, none of which has to be joined."""
        steps: Plan = []
        if self.writer == "messages" and self._random.random() < 0.5:
            steps.append(["user", self.text()])
        for _ in range(self._random.choice((0, 1, 1))):
            if self._random.random() < 0.6:
                steps.append(["think", self._said()])
            steps.append(self._batch())
        if self._random.random() < 0.5:
            steps.append(["think", self._said()])
        return [*steps, ["respond", self._said()]]

    def _said(self) -> str:
        """Return the model's text; not always with live markers, which a transcript refuses."""
        is_plain = self.writer == "render" and self._random.random() < 0.7
        return "ok" if is_plain else self.text()

    def _batch(self) -> list[Any]:
        count = self._random.choice((1, 1, 2, 3))
        calls = [[self._random.choice("abc"), self._args()] for _ in range(count)]
        results = [
            ["failure", self.text()] if self._random.random() < 0.3 else ["success", self._value(2)]
            for _ in range(count)
        ]
        ways = ("batch", "ascii", "plain")
        # The escape of half of a surrogate pair is never allowed: it is not JSON on the wire.
        way = "batch" if has_half(results) else self._random.choice(ways)
        return ["batch", calls, results, way]

    def _args(self) -> dict[str, Any]:
        names = self._random.sample(("path", "text", "n"), self._random.choice((0, 1, 1, 2)))
        depth = 0 if self.dialect == "xml-elements" else 2
        return {name: self._value(depth) if depth else self.text() for name in names}

    def _value(self, depth: int) -> Any:
        kind = self._random.random()
        if depth == 0 or kind < 0.7:
            return self.text()
        if kind < 0.8:
            return self._random.choice((None, True, 0, -1.5, "", [], {}))
        inner = [self._value(depth - 1) for _ in range(self._random.choice((1, 2)))]
        return inner if kind < 0.9 else {self.text(): value for value in inner}

    def text(self) -> str:
        """Return a text that tries to be read as more than text."""
        return "".join(self._piece() for _ in range(self._random.choice((1, 1, 2, 3))))

    def _piece(self) -> str:
        kind = self._random.random()
        if kind < 0.3:
            return "".join(self._random.choices(NOISE, k=self._random.choice((1, 2, 5))))
        dialect = self.dialect if kind < 0.9 else self._random.choice(DIALECTS)
        name, text = self._random.choice(breakouts()[dialect])
        if len(text) > LONG and self._random.random() < 0.9:
            return text[: self._random.randint(0, LONG)]
        if kind < 0.7 or len(text) > LONG:
            self.used.append(name)
            return text
        return self._changed(text)

    def _changed(self, text: str) -> str:
        """Return the text cut, or with additions, omissions or other letters."""
        at = self._random.randint(0, len(text))
        match self._random.randrange(5):
            case 0:
                return text[:at]
            case 1:
                return text[at:]
            case 2:
                return text[:at] + self._random.choice(NOISE) + text[at:]
            case 3:
                return text[:at] + text[at + 1 :]
            case _:
                return "".join(self._random.choice((c, c.upper(), c.lower())) for c in text)


# --- Events -------------------------------------------------------------------------------------


def events_of(plan: Plan, dialect: str) -> list[Event]:
    """Return the events of a plan; a batch's result is that of `Batch`, or plain JSON."""
    events: list[Event] = []
    for step in plan:
        if step[0] != "batch":
            events.append({"type": step[0], "content": step[1]})
            continue
        _, calls, results, way = step
        batch = [{"type": "call", "content": call_content(call)} for call in calls]
        batch.append({"type": "execute"})
        events += [*batch, result_of(batch, items_of(calls, results), way, dialect)]
    return events


def call_content(call: list[Any]) -> str:
    """Return the content of a call's event."""
    return json.dumps({"name": call[0], "args": call[1]}, ensure_ascii=False)


def items_of(calls: list[Any], results: list[Any]) -> list[dict[str, Any]]:
    """Return the results of a batch in the form in which they are written."""
    return [
        {"tool": call[0], "status": status, "content": content}
        for call, (status, content) in zip(calls, results, strict=True)
    ]


def result_of(batch: list[Event], items: list[dict[str, Any]], way: str, dialect: str) -> Event:
    """Return the result of a batch, written by `Batch` or, as others do, by `json`."""
    if way == "batch":
        taking = cogwire.Batch(dialect, clock=None)
        for event in batch:
            taking.take(event)
        given: list[Event] = []
        for index, item in enumerate(items):
            given += taking.settle(index, item["status"], item["content"])
        return given[0]
    return running.answered(items, ensure_ascii=way == "ascii")


# --- Writing and reading ------------------------------------------------------------------------


class Broken(Exception):  # noqa: N818 - it is what the run looks for
    """The text is read back as something else."""


def outcome(plan: Plan, dialect: str, writer: str) -> str:
    """Write a plan and read it; return the outcome, or raise `Broken` or another exception."""
    return {"results": of_results, "render": of_render, "messages": of_messages}[writer](
        plan, dialect
    )


def of_results(plan: Plan, dialect: str) -> str:
    """Write results, after a block of their calls."""
    [[_, calls, results, _]] = plan
    items = items_of(calls, results)
    block = cogwire.render_calls([{"name": name, "args": {}} for name, _ in calls], dialect)
    try:
        text = cogwire.render_results(items, dialect)
    except cogwire.RenderError as error:
        return refused(error, is_writable=not has_half(items))
    require_framing_alone([text], len(items), dialect)
    said: list[Event] = [{"type": "call", "content": call_content([name, {}])} for name, _ in calls]
    said += [{"type": "execute"}, {"type": "result", "content": json.dumps(items)}]
    compare(said, read(block + JOINTS[dialect] + text, dialect), dialect)
    return "written"


def of_render(plan: Plan, dialect: str) -> str:
    """Write events as a transcript."""
    try:
        events = events_of(plan, dialect)
        text = cogwire.render_events(events, dialect)
    except ValueError as error:
        texts = [step[1] for step in plan if step[0] in ("think", "respond")]
        is_plain = all(text == "ok" for text in texts)
        return refused(error, is_writable=is_plain and is_callable(plan, dialect))
    compare(events, read(text, dialect), dialect)
    return "written"


def of_messages(plan: Plan, dialect: str) -> str:
    """Write events as messages, and read them one by one and all as a transcript."""
    report: list[dict[str, Any]] = []
    try:
        events = events_of(plan, dialect)
        messages = cogwire.to_messages(events, dialect, report=report)
    except ValueError as error:
        return refused(error, is_writable=is_callable(plan, dialect))
    said, is_joined = running.marked(events, report)
    for step in plan:
        if step[0] == "user":
            require_no_system(step[1], dialect)
    readings = [cogwire.from_messages(messages, dialect)]
    if all(step[0] != "user" for step in plan):
        count = sum(len(step[2]) for step in plan if step[0] == "batch")
        results = [each["content"] for each in messages if each["role"] == "user"]
        require_framing_alone(results, count, dialect)
        readings.append(read(JOINTS[dialect].join(each["content"] for each in messages), dialect))
    for reading in readings:
        heard = [event for event in reading if event["type"] != "end"]
        if is_joined:
            # Then a text may be part of another, or in `delimiter` of a result before it.
            compare(*map(of_tools, (said, heard)), dialect)
        else:
            compare(said, heard, dialect)
    return "reported" if report else "written"


def require_no_system(text: str, dialect: str) -> None:
    """Raise `Broken` if a user's text, read as a transcript, is more than a text.

    Between tags it may be a call, which is not read there, but not a result; in lines neither.
    """
    for message in cogwire.to_messages([{"type": "user", "content": text}], dialect):
        for event in read(message["content"], dialect):
            is_call = dialect.startswith("xml") and event.get("code") != "forged-results"
            if event["type"] == "result" or not (is_call or event["type"] == "respond"):
                raise Broken(f"a user's {message['content']!r} is read as {event['type']}")


def require_framing_alone(blocks: list[str], count: int, dialect: str) -> None:
    """Raise `Broken` if results contain more markers than those around these blocks."""
    framing = 2 * len(blocks) if dialect.startswith("xml") else count
    if sum(len(lookalikes(block, dialect)) for block in blocks) != framing:
        raise Broken(f"there is a live marker in {blocks}")


def read(text: str, dialect: str) -> list[Event]:
    """Return the events of a transcript."""
    return list(cogwire.parse_transcript(text, dialect, clock=None))


def of_tools(events: list[Event]) -> list[Event]:
    """Return the types of the events that are not text, as events."""
    return [{"type": event["type"]} for event in events if event["type"] in TOOLS]


def compare(said: list[Event], heard: list[Event], dialect: str) -> None:
    """Raise `Broken` unless the events are the same, but for contents that are reported."""
    types = [[event["type"] for event in events] for events in (said, heard)]
    if types[0] != types[1]:
        raise Broken(f"{types[0]} is read as {types[1]}")
    for one, other in zip(said, heard, strict=True):
        kind, changes = one["type"], one.get("changed", set())
        is_json = kind == "result" or (kind == "call" and dialect == "xml-elements")
        # Neutralising in JSON writes an escape, so the value is the same.
        if "content" not in one or changes - ({"neutralised"} if is_json else set()):
            continue
        contents = [
            json.loads(each["content"]) if is_json else each["content"] for each in (one, other)
        ]
        if contents[0] != contents[1] and not (is_json and changes and has_half(contents[0])):
            raise Broken(f"{kind} {contents[0]!r} is read as {contents[1]!r}")


def refused(error: ValueError, *, is_writable: bool) -> str:
    """Report that a plan was refused, which is allowed only if it cannot be written."""
    if is_writable:
        raise Broken(f"it is refused: {error}")
    return "refused"


#: Text that no writer may let through: the markers, and what other readers mistake for them.
LOOKALIKES = {
    "xml": re.compile("</?(?:think|execute|results|end)", re.IGNORECASE | re.ASCII),
    "delimiter": re.compile(
        r"(?:^|[\r\n])[ \t]*(?:§(?:think:|call:|respond:|result:|execute\b|end\b)|\[SYSTEM: )",
        re.IGNORECASE | re.ASCII,
    ),
}


def lookalikes(text: str, dialect: str) -> list[str]:
    """Return the parts of a text that could be mistaken for markers."""
    return LOOKALIKES[dialect.partition("-")[0]].findall(text)


HALF = re.compile("[\ud800-\udfff]")
#: Characters that XML cannot contain.
NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def has_half(value: Any) -> bool:
    """Whether there is half of a surrogate pair in a value."""
    return bool(HALF.search(json.dumps(value, ensure_ascii=False)))


def is_callable(plan: Plan, dialect: str) -> bool:
    """Whether the calls can be written, and `Batch` accepts the results."""
    batches = [step for step in plan if step[0] == "batch"]
    texts = [value for _, calls, _, _ in batches for _, args in calls for value in args.values()]
    if dialect == "xml-elements" and any(NO_XML.search(text) for text in texts):
        return False
    return not has_half(batches)


# --- Making it small ----------------------------------------------------------------------------


def smaller(value: Any) -> Iterator[Any]:
    """Yield plans that are simpler in one respect."""
    for index, step in enumerate(value):
        if len(value) > 1:
            yield value[:index] + value[index + 1 :]
        for simpler in smaller_step(step):
            yield [*value[:index], simpler, *value[index + 1 :]]


def smaller_step(step: list[Any]) -> Iterator[list[Any]]:
    """Yield steps that are simpler in one respect."""
    if step[0] != "batch":
        yield from ([step[0], text] for text in smaller_value(step[1]))
        return
    kind, calls, results, way = step
    for index, (name, args) in enumerate(calls):
        if len(calls) > 1:
            rest = [each[:index] + each[index + 1 :] for each in (calls, results)]
            yield [kind, *rest, way]
        for simpler in smaller_value(args):
            yield [kind, [*calls[:index], [name, simpler], *calls[index + 1 :]], results, way]
        status, content = results[index]
        for simpler in smaller_value(content):
            if status == "success" or isinstance(simpler, str):
                changed = [*results[:index], [status, simpler], *results[index + 1 :]]
                yield [kind, calls, changed, way]


def smaller_value(value: Any) -> Iterator[Any]:
    """Yield simpler values; for a text, the text without one span."""
    if isinstance(value, str):
        yield from running.shorter(value)
    elif isinstance(value, list):
        yield from value
        for index, item in enumerate(value):
            yield value[:index] + value[index + 1 :]
            for simpler in smaller_value(item):
                yield [*value[:index], simpler, *value[index + 1 :]]
    elif isinstance(value, dict):
        for name, member in value.items():
            yield {each: value[each] for each in value if each != name}
            yield from ({**value, name: simpler} for simpler in smaller_value(member))


def complaint(plan: Plan, dialect: str, writer: str) -> str | None:
    """Return what is wrong, if anything is."""
    try:
        outcome(plan, dialect, writer)
    except Exception as failure:  # noqa: BLE001 - whatever is raised is wrong
        return f"{type(failure).__name__}: {failure}"
    return None


def described(seed: int, number: int) -> str:
    """Write a finding as a case, with the command that finds it again."""
    author = Author(seed, number)
    dialect, writer = author.dialect, author.writer

    def is_found(plan: Plan) -> bool:
        return complaint(plan, dialect, writer) is not None

    plan = running.smallest(author.plan(), smaller, is_found)
    if writer == "results":
        [[_, calls, results, _]] = plan
        request: dict[str, Any] = {"results": items_of(calls, results)}
    else:
        request = {"events": events_of(plan, dialect)}
    members = {
        "request": request | ({"system": None} if writer == "messages" else {}),
        "expect": {"to-fill-in": complaint(plan, dialect, writer)},
    }
    case = draft(dialect, f"injection-{seed}-{number}", writer, members)
    return (
        f"Example {number} breaks out of {writer} in {dialect}; again:\n"
        f"  python fuzz/injection.py --seed {seed} --only {number}\n"
        f"{json.dumps(case, indent=2)}\n"
    )


# --- Running ------------------------------------------------------------------------------------


def examine(seed: int, numbers: range) -> Tally:
    """Run these examples, and return the outcome."""
    tally = Tally()
    for number in numbers:
        author = Author(seed, number)
        plan = author.plan()
        try:
            came = outcome(plan, author.dialect, author.writer)
        except Exception:  # noqa: BLE001 - whatever is raised is wrong
            came = "broken"
            tally.findings.append((number, author.writer))
        tally.done += 1
        tally.counts["outcomes", author.dialect, author.writer, came] += 1
        tally.counts.update(("breakouts", name) for name in author.used)
    return tally


def report(tally: Tally, options: argparse.Namespace) -> dict[str, Any]:
    """Return all counts, and the command that counts again."""
    tried = tally.counted("breakouts")
    rarest = min(catalogue(), key=lambda name: (tried.get(name, 0), name))
    numbers = {
        "examples": tally.done,
        "outcomes": {
            dialect: {
                writer: {
                    came: tally.counts["outcomes", dialect, writer, came]
                    for came in ("written", "reported", "refused", "broken")
                }
                for writer in WRITERS
            }
            for dialect in DIALECTS
        },
        "breakouts": {
            "in the catalogue": len(catalogue()),
            "tried": sum(tried.values()),
            "rarest": rarest,
            "rarest tried": tried.get(rarest, 0),
        },
        "findings": len(tally.findings),
    }
    command = running.command("injection", options, "examples")
    return running.report(command, options.seed, numbers)


def catalogue() -> set[str]:
    """Return the names of all break-outs."""
    return {name for entries in breakouts().values() for name, _ in entries}


# --- The command --------------------------------------------------------------------------------


def main() -> int:
    """Run the examples; return whether one broke out."""
    options = running.arguments(__doc__.splitlines()[0], "examples").parse_args()
    if options.only is not None:
        return run_one(options)
    tally = running.tallied(options, "examples", examine, portion=PORTION)
    whole = report(tally, options)
    if options.report:
        running.write(whole, options.report)
    for number, _ in tally.findings[:PRINTED]:
        sys.stdout.write(f"{described(options.seed, number)}\n")
    sys.stdout.write(
        f"{tally.done:,} examples of seed {options.seed}, "
        f"{whole['breakouts']['tried']:,} break-outs of the catalogue tried, "
        f"{len(tally.findings)} findings\n"
    )
    return 1 if tally.findings else 0


def run_one(options: argparse.Namespace) -> int:
    """Run one example, and show what it writes."""
    author = Author(options.seed, options.only)
    plan = author.plan()
    sys.stdout.write(f"{author.writer} in {author.dialect}: {json.dumps(plan, indent=2)}\n")
    if complaint(plan, author.dialect, author.writer) is None:
        return 0
    sys.stdout.write(described(options.seed, options.only))
    return 1


if __name__ == "__main__":
    sys.exit(main())
