"""Replays: turns whose events carry `raw`, written as their text."""

from typing import Any

from .answers import Result, write_results
from .framing import marker
from .pieces import Assembly, Piece
from .reading import parse, read_transcript
from .spelling import value
from .stored import Event, Stored
from .turns import Answer, Turn, orphan, write_batch, write_text, write_whole_answer

# Behind an error with one of these codes a block has no closer that it waits for.
WITHOUT_CLOSER = ("forged-results", "unclosed-execute", "unclosed-call", "missing-execute")


# The joined `raw`s, with the closer of a void block behind them, and with the opener of a think
# before them if only so they read as the events of the turn.  Nothing where they do not.
def replay(assembly: Assembly, turn: Turn) -> str | None:
    text = "".join(stored.event["raw"] for stored in turn)
    if waits_for_closer(turn):
        text += "\n" + closer_of_block(assembly)
    opener = marker("think", assembly.dialect) if assembly.by_lines else "<think>"
    if says(text, turn, assembly.dialect):
        return text
    if says(opener + text, turn, assembly.dialect):
        assembly.change(turn[0].index, "completed")
        return opener + text
    return None


# The closer of a block, or the marker that ends a batch.
def closer_of_block(assembly: Assembly) -> str:
    return marker("execute", assembly.dialect) if assembly.by_lines else "</execute>"


# A block that an error made void goes on until its closer.
def waits_for_closer(turn: Turn) -> bool:
    return last_error(turn) not in ("", *WITHOUT_CLOSER)


# The code of the last error of a turn that is not ended, or nothing.
def last_error(turn: Turn) -> str:
    codes = [stored.event["code"] for stored in turn if stored.event["type"] == "error"]
    has_end = any(stored.event["type"] == "end" for stored in turn)
    return str(codes[-1]) if codes and not has_end else ""


# An error is one wherever it is; a U+FFFD that was written anew is no broken encoding any more.
def says(text: str, turn: Turn, dialect: str) -> bool:
    back = parse(text, dialect, mode="transcript").events
    return [outline(event, dialect) for event in back] == [
        outline(stored.event, dialect) for stored in turn
    ]


# Calls in elements are compared as values, everything else as text.
def outline(event: Event, dialect: str) -> Any:
    if event["type"] == "error":
        return "error"
    if event["type"] == "call" and dialect == "xml-elements":
        return ("call", value(event["content"]))
    return (event["type"], event.get("content"))


# The block of a replay is known as it was, so that it is neither divided nor void.  Its calls are
# the last ones of the turn: before them a void batch may have stopped, which gives no event.
def write_replay(assembly: Assembly, turn: Turn, text: str, answer: Answer) -> None:
    last = turn[-1].event["type"]
    piece = Piece("assistant", text, turn[0].index, "replay")
    piece.begins_replay = piece.ends_replay = True
    piece.ends = last in ("execute", "end") or waits_for_closer(turn)
    assembly.pieces.append(piece)
    state = parse(text, assembly.dialect, mode="transcript").state
    if state == "think" or last_error(turn) in WITHOUT_CLOSER:
        piece.otherwise = Assembly(assembly.dialect)
        write_text(piece.otherwise, turn, moves=False)
    if last == "execute":
        called = read_transcript(text, assembly.dialect).called or []
        calls = [stored for stored in turn if stored.event["type"] == "call"]
        answer_replay(assembly, calls[len(calls) - len(called) :], turn[-1].index, answer)
    elif any(stored.event["type"] == "error" for stored in turn):
        answer_void_replay(assembly, answer)
    else:
        write_batch(assembly, [], answer)


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


# Nothing of a void block ran, so that only the failure of `execute` answers it.
def answer_void_replay(assembly: Assembly, answer: Answer) -> None:
    if answer.result is None:
        return
    result = Result(answer.result)
    if result.is_void:
        result.write(assembly, [], ["execute"])
    else:
        write_batch(assembly, [], answer)
