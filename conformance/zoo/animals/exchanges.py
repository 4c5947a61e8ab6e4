"""Bugs in exchanges, which say what became of the calls of a history."""

from typing import Final

from conformance.zoo.making import bug_in

_exchanges: Final = bug_in("exchanges")

ANIMALS: Final = (
    _exchanges(
        "own-ids-ignored",
        "ids-of-calls-change",
        "A call has the number of its place, whatever id its event has.",
        '⟦str(call.event.get("id", f"call_{number}"))¦f"call_{number}"⟧',
    ),
    _exchanges(
        "ids-by-index",
        "ids-of-calls-change",
        "A call is numbered among all events, of which storage does not keep all.",
        'f"call_{⟦number¦call.index⟧}"',
    ),
    _exchanges(
        "void-calls-told-as-missing",
        "void-block-revived",
        "The answer of a void block counts as that of its calls.",
        "        if ⟦is_void_answer(content) and not is_run¦False⟧:",
    ),
    _exchanges(
        "run-calls-told-as-void",
        "void-block-revived",
        "A failure of execute voids calls that an execute has run.",
        "        if is_void_answer(content)⟦ and not is_run¦⟧:",
    ),
    _exchanges(
        "errors-wait-for-their-answer",
        "void-block-revived",
        "A call of a void block is open until the answer has arrived.",
        '    errors = [⟦each for each in turn if each.event["type"] == "error"¦⟧]',
    ),
    _exchanges(
        "behind-an-error-nothing-is-void",
        "call-of-a-void-block-runs",
        "Calls after an error count, whether an execute has run them or not.",
        '⟦(is_run and call["index"] > errors[-1].index)¦call["index"] > errors[-1].index⟧',
    ),
    _exchanges(
        "first-calls-exchanged",
        "call-without-a-result",
        "Fewer results than calls are those of the first calls.",
        "    first = ⟦max(0, len(calls) - len(items))¦0⟧",
    ),
    _exchanges(
        "orphans-told-as-open",
        "call-without-a-result",
        "A call without a result stays open when more follows.",
        '"⟦missing" if is_over else "¦⟧open"',
    ),
    _exchanges(
        "open-calls-told-as-missing",
        "call-without-a-result",
        "The last calls of a history count as given up.",
        '"missing"⟦ if is_over else "open"¦⟧',
    ),
    _exchanges(
        "cancelled-calls-told-as-missing",
        "cancelled-taken-for-done",
        "A call that the user stopped is one that has no result.",
        '⟦"cancelled" if this["cancelled"] else ¦⟧',
    ),
    _exchanges(
        "exchanges-of-one-dialect",
        "call-of-a-void-block-runs",
        "Turns are divided as between tags, in every dialect.",
        'grouped(relevant(everything), ⟦dialect¦"xml-json"⟧)',
    ),
    _exchanges(
        "results-not-held-against-calls",
        "same-tool-results-swapped",
        "Any item in the place of a call is its result.",
        """⟦        and item.get("tool") == tool
¦⟧""",
    ),
    _exchanges(
        "any-status-told",
        "same-tool-results-swapped",
        "An unknown status is reported unchanged.",
        (
            '        if ⟦is_result(value, call["name"])¦'
            'type(value) is dict and value.get("tool") == call["name"]⟧:'
        ),
    ),
    _exchanges(
        "text-answers-the-first-call",
        "text-result-taken-for-json",
        "A result that is not an array belongs to the first call.",
        "        for call in calls[⟦-1:¦:1⟧]:",
    ),
    _exchanges(
        "surplus-lost",
        "result-count-mismatch",
        "Results of no call are left out.",
        '    ⟦turn["surplus"] = items[len(calls) - first :]¦del turn⟧',
    ),
    _exchanges(
        "no-args-told",
        "args-missing-null-or-empty",
        "A call without args has null.",
        '.get("args", "⟦{}¦null⟧")',
    ),
    _exchanges(
        "broken-calls-told",
        "stored-call-fails-to-parse",
        "A call that cannot be read is not refused.",
        '⟦require_stored_call(call.event["content"], (str(call.index),))¦pass⟧',
    ),
)
