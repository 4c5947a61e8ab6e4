"""The outcomes of the calls of a history: turns, with each call and its outcome."""

import json
from typing import Any

from .answers import Result
from .messages import Step, grouped, kind_of, past_cancelled, relevant
from .reading import DIALECTS
from .spelling import member_texts, plain_json
from .stored import is_void_answer, read
from .text import WHITE
from .turns import name_of
from .writing import SEGMENTS, require_stored_call

Turn = dict[str, Any]


# msg-exchanges msg-exchange-live msg-exchange-append
# The turns are those of messages, as if everything were stored.
def exchanges(events: Any, dialect: str = "xml-json") -> list[Turn]:
    if dialect not in DIALECTS:
        raise ValueError(f"dialect {dialect!r}")
    everything = read(events)
    calls = [stored for stored in everything if stored.event["type"] == "call"]
    for call in calls:
        require_stored_call(call.event["content"], (str(call.index),))
    # msg-exchange-id
    # The id of the event, or the number of the call among all calls.
    ids = {
        call.index: str(call.event.get("id", f"call_{number}")) for number, call in enumerate(calls)
    }
    steps = grouped(relevant(everything), dialect)
    turns: list[Turn] = []
    for number in range(len(steps)):
        kind = kind_of(steps, number)
        before = past_cancelled(steps, number, -1)
        is_alone = kind == "result" and kind_of(steps, before) != "turn"
        if kind in ("user", "turn") or is_alone:
            turns.append(turn_of(steps, number, ids))
    return turns


# msg-exchange-turn msg-exchange-call
# A turn, with its texts, and its calls with their outcomes.
def turn_of(steps: list[Step], number: int, ids: dict[int, str]) -> Turn:
    kind = kind_of(steps, number)
    turn = steps[number]
    after = past_cancelled(steps, number, 1) if kind == "turn" else number + 1
    answer = turn if kind == "result" else steps[after] if has_answer(steps, kind, after) else []
    this: Turn = {
        "role": "user" if kind == "user" else "assistant",
        "index": turn[0].index,
        "texts": [
            {"index": each.index, "type": each.event["type"], "content": each.event["content"]}
            for each in turn
            if each.event["type"] in ("user", *SEGMENTS)
        ],
        "calls": [
            {
                "id": ids[each.index],
                "index": each.index,
                "name": name_of(each),
                "args": member_texts(each.event["content"].strip(WHITE)).get("args", "{}"),
                "status": "void",
                "content": None,
            }
            for each in turn
            if each.event["type"] == "call"
        ],
        "surplus": [],
        "cancelled": after > number + 1,
        "void": None,
    }
    errors = [each for each in turn if each.event["type"] == "error"]
    is_run = turn[-1].event["type"] == "execute"
    # msg-exchange-void
    # An error voids the calls before it, and all calls where no `execute` has run the rest.
    runnable = [
        call
        for call in this["calls"]
        if not errors or (is_run and call["index"] > errors[-1].index)
    ]
    # msg-exchange-void-message
    # The turn has the message that describes the error.
    if errors:
        this["void"] = errors[-1].event["content"]
    if answer:
        content = plain_json(answer[0].event["content"])
        if is_void_answer(content) and not is_run:
            text = content[0].get("content")
            this["void"] = text if type(text) is str else this["void"] or ""
            return this
    is_over = bool(answer) or kind_of(steps, number + 1) != "nothing"
    for call in runnable:
        call["status"] = "cancelled" if this["cancelled"] else "missing" if is_over else "open"
    if answer:
        pair(this, runnable, Result(answer[0]))
    return this


# msg-exchanges
# The event after a turn is its result, if it is a result.
def has_answer(steps: list[Step], kind: str, after: int) -> bool:
    return kind == "turn" and kind_of(steps, after) == "result"


# msg-exchange-pairs msg-exchange-status
# The last calls are those that were answered, in their order.
def pair(turn: Turn, calls: list[Any], result: Result) -> None:
    items = result.items
    if items is None:
        # A text is one success of the last call.
        item = json.dumps(result.content, ensure_ascii=False)
        for call in calls[-1:]:
            call |= {"status": "success", "content": item}
        turn["surplus"] = [] if calls else [item]
        return
    first = max(0, len(calls) - len(items))
    for call, item in zip(calls[first:], items, strict=False):
        value = plain_json(item)
        if is_result(value, call["name"]):
            call |= {"status": value["status"], "content": member_texts(item)["content"]}
        else:
            call |= {"status": "mismatch", "content": item}
    turn["surplus"] = items[len(calls) - first :]


# msg-exchange-status
# A result names its tool, and has a status and a content; a failure has a message.
def is_result(item: Any, tool: str) -> bool:
    return (
        type(item) is dict
        and item.get("tool") == tool
        and "content" in item
        and (
            item.get("status") == "success"
            or (item.get("status") == "failure" and type(item["content"]) is str)
        )
    )
