"""Bugs in what a batch answers."""

from typing import Final

from conformance.zoo.making import Animal, bug_in

_batch: Final = bug_in("batch")

ANIMALS: Final = (
    _batch(
        "answers-in-completion-order",
        "results-in-completion-order",
        "Results are in the order in which they arrived.",
        (
            "items = ⟦[self.items[index] for index in range(len(self.names))]¦"
            "list(self.items.values())⟧"
        ),
    ),
    _batch(
        "answers-by-name",
        "same-tool-results-swapped",
        "An outcome is that of the first call of its tool that waits.",
        """        item = {"tool": self.names[index], "status": status, "content": content}
⟦¦        same = [n for n, name in enumerate(self.names) if name == self.names[index]]
        index = next(n for n in same if n not in self.items)
⟧""",
    ),
    _batch(
        "answers-in-part",
        "results-in-completion-order",
        "Every outcome produces a separate result.",
        """        self.items[index] = item
        self.⟦answer_when_complete(¦answer([item], executed=1⟧)""",
    ),
    _batch(
        "never-answers-nothing",
        "empty-batch-never-answered",
        "A batch without calls waits for an outcome.",
        """        self.items = {}⟦
        self.answer_when_complete()¦⟧""",
    ),
    _batch(
        "never-answers-void-blocks",
        "void-block-not-answered",
        "An error is not answered.",
        (
            '⟦        self.answer([{"tool": "execute", "status": "failure", "content": '
            "message}], executed=0)¦"
            "⟧"
        ),
    ),
    _batch(
        "void-blocks-answered-as-executed",
        "call-of-a-void-block-runs",
        "The answer of a void block counts as executed.",
        '"content": message}], executed=⟦0¦1⟧)',
    ),
    _batch(
        "void-calls-are-kept",
        "call-of-a-void-block-runs",
        "The calls of a void block wait for the next execute.",
        """⟦        self.names = []
¦⟧        if self.is_after_error:""",
    ),
    _batch(
        "cancelled-calls-are-kept",
        "call-of-a-void-block-runs",
        "Calls that were cancelled before their execute wait for the next.",
        """            ⟦self.names = []¦pass⟧
        elif is_cancelled:""",
    ),
    _batch(
        "calls-of-an-abandoned-turn-are-kept",
        "state-leaks-into-the-next-turn",
        "Calls that no execute has followed at the end of their turn wait for the next.",
        """            self.names = []⟦¦ if is_cancelled else self.names⟧
        elif is_cancelled:""",
    ),
    _batch(
        "cancelled-before-they-ran-are-answered",
        "cancelled-taken-for-done",
        "Calls that were cancelled before their execute are answered.",
        """⟦¦        if self.items is None and is_cancelled:
            self.items = {}
⟧        if self.items is None:
            self.names = []
        elif is_cancelled:""",
    ),
    _batch(
        "cancelled-is-success",
        "cancelled-taken-for-done",
        "A call that was cancelled has succeeded.",
        'failure = {"tool": name, "status": "⟦failure¦success⟧", "content": CANCELLED}',
    ),
    _batch(
        "cancelled-has-another-message",
        "cancelled-taken-for-done",
        "The message of a cancelled call is empty.",
        'CANCELLED = "⟦Cancelled: this call has no result.¦⟧"',
    ),
    _batch(
        "cancelled-forgets-what-came",
        "cancelled-taken-for-done",
        "Cancelling drops the outcomes that have arrived.",
        "self.items⟦.setdefault(index, failure)¦[index] = failure⟧",
    ),
    _batch(
        "interrupts-answer-nothing",
        "call-without-a-result",
        "An interrupted batch is not answered.",
        'is_cancelled=kind ⟦in ("interrupt", "cancelled")¦== "cancelled"⟧',
    ),
    _batch(
        "outcomes-taken-twice",
        "outcome-taken-twice-or-too-early",
        "The last outcome of a call counts.",
        "or not 0 <= index < len(self.names)⟦ or index in self.items¦⟧:",
    ),
    _batch(
        "outcomes-from-the-end",
        "calls-in-another-order",
        "A negative index counts from the end.",
        "not ⟦0¦-len(self.names)⟧ <= index < len(self.names)",
    ),
    _batch(
        "outcomes-before-the-execute",
        "outcome-taken-twice-or-too-early",
        "Outcomes are accepted before the execute.",
        """⟦        if self.items is None or not 0¦\
        self.items = self.items if self.items is not None else {}
        if not 0⟧""",
    ),
    _batch(
        "outcomes-unjudged",
        "invalid-value-written",
        "Outcomes are not checked.",
        """⟦        results([item], self.dialect)
¦⟧""",
    ),
    _batch(
        "events-while-outcomes-are-missing",
        "outcomes-forgotten",
        "Events of the next turn drop waiting calls.",
        '            ⟦raise Refused((), "outcomes are missing")¦self.items, self.names = None, []⟧',
    ),
    _batch(
        "execute-behind-an-error",
        "call-of-a-void-block-runs",
        "An execute after an error is answered.",
        """        if ⟦self.is_after_error¦False⟧:
            raise Refused""",
    ),
    _batch(
        "calls-behind-an-error",
        "call-of-a-void-block-runs",
        "Calls after an error are collected.",
        """⟦        if self.is_after_error:
            return
¦⟧        if content""",
    ),
    _batch(
        "errors-answered-again",
        "second-answer-in-one-turn",
        "Every error of a turn is answered.",
        """⟦        if self.is_after_error:
            return
¦⟧        self.is""",
    ),
    _batch(
        "errors-end-no-turn",
        "state-leaks-into-the-next-turn",
        "An error is remembered beyond its turn.",
        """⟦        self.is_after_error = False
¦⟧        if self.items is None:""",
    ),
    _batch(
        "errors-between-tags-remembered",
        "void-block-not-answered",
        "Between tags too, a turn continues after an error.",
        "        self.is_after_error = ⟦self.dialect in LINES¦True⟧",
    ),
    _batch(
        "errors-about-results-answered",
        "second-answer-in-one-turn",
        "Errors about results are answered.",
        " in ⟦RESULTS_CODES¦()⟧):",
    ),
    Animal(
        "calls-of-any-name",
        "malformed-call-replayed",
        "A call of `execute` or without a name is collected.",
        "writing",
        """⟦        or call["name"] in ("", "execute")
¦⟧        or type""",
    ),
    Animal(
        "calls-of-any-args",
        "args-in-a-string",
        "A call may have args of any type.",
        "writing",
        """⟦        or type(call.get("args", {})) is not dict
¦⟧""",
    ),
    _batch(
        "calls-that-nothing-executed-are-answered",
        "call-of-a-void-block-runs",
        "Calls without an execute are answered as cancelled.",
        """⟦¦    if this.names and this.items is None:
        this.items = {}
        this.cancel()
⟧    return this.results""",
    ),
)
