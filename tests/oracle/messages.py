"""Chat messages from events: each function under the clause it states.

Events are read, grouped into turns, and written as pieces of text.
"""

from typing import Any

from .pieces import CODES, Assembly, joined
from .reading import DIALECTS, LINES
from .reading_back import from_messages
from .replays import replay, write_replay
from .stored import RESULTS_CODES, Stored, is_stored, read
from .text import WHITE
from .turns import Answer, Turn, require_call, write_plainly, write_user

__all__ = ["from_messages", "messages"]

# A step is a turn, or one `user`, `result` or `cancelled`.
Step = Turn


# msg-append-only msg-storage msg-system msg-report-complete
# Returns the messages and the report, whose entries are in the order of the events.
def messages(
    events: Any, system: str | None = None, dialect: str = "xml-json"
) -> tuple[list[dict[str, str]], list[dict[str, Any]]]:
    if dialect not in DIALECTS:
        raise ValueError(f"dialect {dialect!r}")
    assembly = Assembly(dialect)
    everything = read(events)
    for stored in everything:
        if stored.event["type"] == "call":
            require_call(stored, dialect)
    steps = grouped(kept(everything), dialect)
    for number in range(len(steps)):
        write_step(assembly, steps, number)
    written = joined(assembly)
    if system is not None and system.strip(WHITE):
        written.insert(0, {"role": "system", "content": system})
    return written, ordered(assembly.report)


# msg-report-order
# In the order of the events, those of one event in the order of the codes.
def ordered(report: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(report, key=lambda entry: (entry["index"], CODES.index(entry["code"])))


# msg-kept msg-storage
# Events that storage does not keep are left out.
def kept(events: list[Stored]) -> list[Stored]:
    return [each for each in relevant(events) if is_stored(each.event)]


# msg-ignored
# Events that do not concern a turn are ignored.
def relevant(events: list[Stored]) -> list[Stored]:
    return [
        each
        for each in events
        if each.event["type"] not in ("metric", "interrupt")
        and not (each.event["type"] == "error" and "code" not in each.event)
        and each.event.get("code") not in RESULTS_CODES
    ]


# msg-turn msg-turn-xml
# A turn is a run in which nothing follows an `execute` or an `end`; in the xml dialects nothing
# follows an `error` either.
def grouped(events: list[Stored], dialect: str) -> list[Step]:
    steps: list[Step] = []
    for stored in events:
        last = steps[-1][-1].event["type"] if steps else "user"
        kind = stored.event["type"]
        begins = (
            kind in ("user", "result", "cancelled")
            or last in ("user", "result", "cancelled", "execute", "end")
            or (dialect not in LINES and last == "error")
        )
        rest = after_call(steps[-1], stored.of) if steps and last == "call" else []
        if rest:
            del steps[-1][-len(rest) :]
        if begins:
            steps.append([])
        steps[-1].append(stored)
        if rest:
            steps.append(rest)
    return steps


# msg-read-outcome-turn
# The calls after the one whose outcome is read, if nothing else follows that: another turn.
def after_call(turn: Step, call: int | None) -> Step:
    rest = [each for each in turn if call is not None and each.index > call]
    has_it = any(each.index == call for each in turn)
    return rest if has_it and all(each.event["type"] == "call" for each in rest) else []


# msg-turn
# The kind of a step, or nothing where there is no step.
def kind_of(steps: list[Step], number: int) -> str:
    if not 0 <= number < len(steps):
        return "nothing"
    kind: str = steps[number][0].event["type"]
    return kind if kind in ("user", "result", "cancelled") else "turn"


# msg-cancelled
# The number of the next step, or of the one before, that is not `cancelled`.
def past_cancelled(steps: list[Step], number: int, by: int) -> int:
    number += by
    while kind_of(steps, number) == "cancelled":
        number += by
    return number


# msg-batch msg-cancelled msg-open
# A result is written with the turn before it, and where there is none, with an empty one.
def write_step(assembly: Assembly, steps: list[Step], number: int) -> None:
    kind = kind_of(steps, number)
    if kind == "user":
        write_user(assembly, steps[number][0])
    elif kind == "turn":
        after = past_cancelled(steps, number, 1)
        result = steps[after][0] if kind_of(steps, after) == "result" else None
        is_cancelled = after > number + 1
        is_open = kind_of(steps, number + 1) == "nothing"
        write_turn(assembly, steps[number], Answer(result, is_cancelled, is_open))
    elif kind == "result" and kind_of(steps, past_cancelled(steps, number, -1)) != "turn":
        write_turn(assembly, [], Answer(steps[number][0], False, False))


# msg-replay msg-replay-mismatch
# A turn whose events all carry `raw` is written as their text, if that is read as the same events.
def write_turn(assembly: Assembly, turn: Turn, answer: Answer) -> None:
    answer.is_known_void = any(stored.event["type"] == "error" for stored in turn)
    if turn and all("raw" in stored.event for stored in turn):
        piece = replay(assembly, turn)
        if piece is not None:
            write_replay(assembly, turn, piece, answer)
            return
        assembly.change(turn[0].index, "mismatch")
    write_plainly(assembly, turn, answer)
