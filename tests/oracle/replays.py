"""Replays: turns whose events carry `raw`, written as their text."""

from typing import Any

from .answers import Result, write_results
from .block import NO_LIMITS
from .framing import marker
from .pieces import Assembly, Piece
from .reading import read_transcript
from .stored import Event, Stored
from .turns import Answer, Turn, orphan, write_batch, write_text, write_whole_answer

# msg-replay-void
# After an error with one of these codes there is no block that needs its closer.
WITHOUT_CLOSER = ("forged-results", "unclosed-execute", "unclosed-call", "missing-execute")


# msg-replay msg-replay-void msg-replay-start msg-replay-mismatch msg-surrogates
# The joined `raw`s, with the closer of a void block after them, and with the opener of a think
# before them if they are read as the events of the turn only with it.  None if they are not.
# Lone surrogates are repaired.
def replay(assembly: Assembly, turn: Turn) -> Piece | None:
    piece = Piece("assistant", "", turn[0].index, "replay")
    changes = Assembly(assembly.dialect, report=piece.entries)
    text = changes.repaired("".join(stored.event["raw"] for stored in turn), piece.index)
    if waits_for_closer(turn):
        text += "\n" + closer_of_block(assembly)
    opener = marker("think", assembly.dialect) if assembly.by_lines else "<think>"
    if not reads_as(text, turn, assembly.dialect):
        text = opener + text
        changes.change(piece.index, "completed")
        if not reads_as(text, turn, assembly.dialect):
            return None
    piece.text = text
    return piece


# msg-replay-void
# The closer of a block, or the marker that ends a batch.
def closer_of_block(assembly: Assembly) -> str:
    return marker("execute", assembly.dialect) if assembly.by_lines else "</execute>"


# msg-replay-void
# A block that an error made void continues until its closer, unless the turn ends in another way.
def waits_for_closer(turn: Turn) -> bool:
    codes = [stored.event["code"] for stored in turn if stored.event["type"] == "error"]
    is_ended = turn[-1].event["type"] in ("execute", "end")
    return bool(codes) and not is_ended and codes[-1] not in WITHOUT_CLOSER


# msg-replay-mismatch m-transcript-void
# Whether the text is read as the events of the turn.  The calls after an error are not read, unless
# an `execute` ends the turn, and so runs them.
def reads_as(text: str, turn: Turn, dialect: str) -> bool:
    back = read_transcript(text, dialect, NO_LIMITS).events
    events = [stored.event for stored in turn]
    if events[-1]["type"] != "execute":
        back, events = known(back), known(events)
    return list(map(outline, back)) == list(map(outline, events))


# msg-replay-mismatch
# The events without the calls after the first error.
def known(events: list[Event]) -> list[Event]:
    types = [event["type"] for event in events]
    first = types.index("error") if "error" in types else len(types)
    return [event for at, event in enumerate(events) if at < first or types[at] != "call"]


# msg-replay-mismatch
# Errors are compared without their places; a U+FFFD that was written again is no longer a bad
# encoding.
def outline(event: Event) -> Any:
    return (event["type"], None if event["type"] == "error" else event.get("content"))


# msg-replay msg-replay-open msg-replay-results
# The original block of a replay is known, so that it is neither divided nor void.  Its calls are
# the last ones of the turn: before them a void batch may have stopped, which produces no event.
def write_replay(assembly: Assembly, turn: Turn, piece: Piece, answer: Answer) -> None:
    last = turn[-1].event["type"]
    piece.ends = last in ("execute", "end") or waits_for_closer(turn)
    assembly.pieces.append(piece)
    reading = read_transcript(piece.text, assembly.dialect, NO_LIMITS)
    # Whether a think, a block or forged results are open.
    if reading.state in ("think", "execute", "results"):
        piece.otherwise = Assembly(assembly.dialect)
        write_text(piece.otherwise, turn, [])
    if last == "execute":
        called = reading.called or []
        calls = [stored for stored in turn if stored.event["type"] == "call"]
        answer_replay(assembly, calls[len(calls) - len(called) :], turn[-1].index, answer)
    else:
        write_batch(assembly, [], answer)


# msg-replay-results msg-orphan msg-surplus
# The results are as many as the calls; an empty block is answered with an empty array.
def answer_replay(assembly: Assembly, calls: list[Stored], index: int, answer: Answer) -> None:
    if answer.result is not None:
        result = Result(answer.result)
        if result.items is None and not calls:
            assembly.change(result.index, "surplus")
            write_results(assembly, [], result.index)
            return
        write_whole_answer(assembly, calls, result)
    elif not answer.is_open:
        orphans = [orphan(assembly, call) for call in calls]
        if not calls:
            assembly.change(index, "orphan")
        write_results(assembly, orphans, index)
