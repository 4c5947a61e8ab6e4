"""Turns, as written: the segments, then the calls, then their results."""

from dataclasses import dataclass

from .answers import Result, write_results
from .batch import CANCELLED
from .framing import block, marker, segment, texts_of_call, with_args
from .literal import live_markers, markers_of_user, neutralised
from .pieces import Assembly, Piece
from .spelling import plain_json, value
from .stored import Stored, is_void_answer
from .text import WHITE
from .writing import SEGMENTS, item_json, require_element, require_stored_call

Turn = list[Stored]


@dataclass
class Answer:
    """What follows a turn: its result, something else, or nothing so far."""

    result: Stored | None
    is_cancelled: bool
    is_open: bool
    # Whether an error of the turn has shown that it is void.
    is_known_void: bool = False


# ---- Texts ----


# msg-trim msg-not-empty msg-surrogates msg-neutralise-model msg-neutralise-user
# White space around a text is left out, a lone surrogate becomes U+FFFD, and markers are written in
# their literal form.  Returns nothing for a text of only white space.
def cleaned(assembly: Assembly, stored: Stored) -> str:
    text = assembly.repaired(stored.event["content"], stored.index)
    trimmed = text.strip(WHITE)
    if trimmed == "":
        assembly.change(stored.index, "dropped")
        return ""
    if trimmed != text:
        assembly.change(stored.index, "trimmed")
    kind = stored.event["type"]
    places = (
        markers_of_user(trimmed, assembly.dialect)
        if kind == "user"
        else live_markers(trimmed, kind, assembly.dialect)
    )
    for _ in places:
        assembly.change(stored.index, "neutralised")
    return neutralised(trimmed, places)


# msg-role msg-no-accident
# A user's text is a message of the role `user`.
def write_user(assembly: Assembly, stored: Stored) -> None:
    text = cleaned(assembly, stored)
    if text:
        assembly.pieces.append(Piece("user", text, stored.index, "user"))


# ---- Segments and batches ----


# msg-block msg-void msg-void-known msg-void-cancelled
# The calls of a turn are written after its segments; those of a void turn are not.  An error makes
# a turn void, except for the calls that an `execute` after it has run, and so does one failure of
# `execute` that answers it.
def write_plainly(assembly: Assembly, turn: Turn, answer: Answer) -> None:
    errors = [stored.index for stored in turn if stored.event["type"] == "error"]
    calls = [stored for stored in turn if stored.event["type"] == "call"]
    if errors:
        is_run = turn[-1].event["type"] == "execute"
        calls = [call for call in calls if is_run and call.index > errors[-1]]
    is_void = (
        answer.result is not None
        and is_void_answer(plain_json(answer.result.event["content"]))
        and not (answer.is_cancelled and calls)
    )
    if is_void:
        calls = []
    write_text(assembly, turn, calls)
    write_batch(assembly, calls, answer)


# msg-segments msg-said
# The segments, with an entry for those after calls that are written; void calls are not.
def write_text(assembly: Assembly, turn: Turn, calls: list[Stored]) -> None:
    for stored in turn:
        kind = stored.event["type"]
        if kind not in SEGMENTS:
            continue
        text = cleaned(assembly, stored)
        if text:
            if calls and calls[0].index < stored.index:
                assembly.change(stored.index, "moved")
            written = segment(kind, text, assembly.dialect)
            assembly.pieces.append(Piece("assistant", written, stored.index, kind))
    errors = [stored for stored in turn if stored.event["type"] == "error"]
    for stored in errors[:1]:
        assembly.change(stored.index, "void")


# msg-batch msg-open msg-fewer msg-surplus msg-empty-block msg-cancelled msg-void-cancelled
# The calls of a turn, with their results.
def write_batch(assembly: Assembly, calls: list[Stored], answer: Answer) -> None:
    if answer.result is None:
        if calls and answer.is_open:
            write_block(assembly, calls)
        else:
            write_orphans(assembly, calls)
        return
    result = Result(answer.result)
    if result.is_void and answer.is_cancelled:
        # Their block is no longer the last message.
        write_orphans(assembly, calls)
        calls = []
    if result.is_void and not calls:
        if not answer.is_known_void:
            assembly.change(result.index, "void")
        write_void_answer(assembly, result)
    elif result.items == [] and not (answer.is_cancelled and calls):
        write_orphans(assembly, calls)
        write_block(assembly, [], result.index)
        result.write(assembly, [], [])
    elif not calls:
        assembly.change(result.index, "surplus")
    elif answer.is_cancelled:
        write_block(assembly, calls)
        write_whole_answer(assembly, calls, result)
    else:
        # The result is that of the last calls; the earlier ones have a separate block.
        first = max(0, len(calls) - result.count)
        write_orphans(assembly, calls[:first])
        write_block(assembly, calls[first:])
        write_whole_answer(assembly, calls[first:], result)


# msg-orphan
# Calls without results are a block, and a failure for each of them.
def write_orphans(assembly: Assembly, calls: list[Stored]) -> None:
    if calls:
        write_block(assembly, calls)
        write_results(assembly, [orphan(assembly, call) for call in calls], calls[0].index)


# msg-orphan
# A call without a result is a failure.
def orphan(assembly: Assembly, call: Stored) -> str:
    assembly.change(call.index, "orphan")
    failure = {"tool": name_of(call), "status": "failure", "content": CANCELLED}
    return item_json(failure, assembly.dialect)


# msg-cancelled msg-surplus msg-replay-results
# The results of a block that is not divided: as many as its calls, the missing ones first.
def write_whole_answer(assembly: Assembly, calls: list[Stored], result: Result) -> None:
    missing = calls[: max(0, len(calls) - result.count)]
    if result.count > len(calls):
        assembly.change(result.index, "surplus")
    orphans = [orphan(assembly, call) for call in missing]
    result.write(assembly, orphans, [name_of(call) for call in calls[len(missing) :]])


# msg-void msg-stand-in
# An empty think is written before the answer of a void block that would follow a message of the
# user.
def write_void_answer(assembly: Assembly, result: Result) -> None:
    if assembly.pieces and assembly.pieces[-1].role == "user":
        empty = marker("think", assembly.dialect) if assembly.by_lines else "<think></think>"
        assembly.pieces.append(Piece("assistant", empty, result.index, "think"))
    result.write(assembly, [], ["execute"])


# ---- Calls ----


# msg-call-refused
# A call that no block can contain is refused, except for one that lacks only its args.
def require_call(call: Stored, dialect: str) -> None:
    place = (str(call.index),)
    content = call.event["content"]
    require_stored_call(content, place)
    if dialect == "xml-elements":
        require_element(texts_of_call(content), place)


# b-call
# The name of a call.
def name_of(call: Stored) -> str:
    return str(value(call.event["content"])["name"])


# msg-block
# A block is the last part of its turn.
def write_block(assembly: Assembly, calls: list[Stored], index: int = 0) -> None:
    index = calls[0].index if calls else index
    contents = [call_content(assembly, call) for call in calls]
    written = block(contents, assembly.dialect)
    assembly.pieces.append(Piece("assistant", written, index, "block", ends=True))


# msg-block msg-elements msg-call-args
# The content of a call is verbatim, except for empty args as its last member where it has none, and
# for what an element cannot express.
def call_content(assembly: Assembly, stored: Stored) -> str:
    text = stored.event["content"].strip(WHITE)
    if text != stored.event["content"]:
        assembly.change(stored.index, "trimmed")
    if assembly.by_lines:
        return text
    call = value(text)
    if assembly.dialect == "xml-elements":
        for _ in call.keys() - {"name", "args"}:
            assembly.change(stored.index, "dropped")
        for given in call.get("args", {}).values():
            if type(given) is not str:
                assembly.change(stored.index, "retyped")
    if "args" in call:
        return text
    assembly.change(stored.index, "completed")
    return with_args(text)
