"""What a batch answers: events and outcomes in, `result` events out, or a refusal."""

from typing import Any

from .json_shapes import array
from .ledger import payload
from .reading import LINES
from .refused import Refused
from .stored import RESULTS_CODES
from .text import WHITE
from .writing import item_json, require_stored_call, results

# b-cancelled msg-orphan
CANCELLED = "Cancelled: this call has no result."
ENDINGS = {None: [], "cancelled": [{"type": "cancelled"}], "interrupted": [{"type": "interrupt"}]}


# b-take b-result
# The batch takes the events one after the other, then the outcomes (pairs of a call's index, and
# its status and content), then the ending.  Returns the results.
def batch(
    events: list[Any], outcomes: list[Any], ending: str | None = None, dialect: str = "xml-json"
) -> list[dict[str, Any]]:
    this = Batch(dialect)
    for event in events:
        this.take(event)
    for index, outcome in outcomes:
        this.settle(index, outcome["status"], outcome["content"])
    for event in ENDINGS[ending]:
        this.take(event)
    return this.results


# m-event-fields
# An event without its fields is not an event.
def text_of(event: dict[str, Any], name: str) -> str:
    text = event.get(name)
    if type(text) is not str:
        raise Refused((), f"no {name}")
    return text


class Batch:
    """The calls collected, whether they may run, and the outcomes that have arrived."""

    def __init__(self, dialect: str) -> None:
        self.dialect = dialect
        self.results: list[dict[str, Any]] = []
        self.names: list[str] = []
        # The items by the index of their call, of an open batch; nothing while it collects.
        self.items: dict[int, dict[str, Any]] | None = None
        # In the delimiter dialects a turn continues after an error.
        self.is_after_error = False

    # b-take b-missing b-void b-turn-over
    # Every event is accepted, but only these have an effect.  An error in the results of a transcript,
    # which the system wrote, has no effect, and neither has an error without a code.
    def take(self, event: Any) -> None:
        if type(event) is not dict or type(event.get("type")) is not str:
            raise Refused((), "not an event")
        kind = event["type"]
        if kind == "error" and ("code" not in event or text_of(event, "code") in RESULTS_CODES):
            return
        if kind in ("call", "execute", "error") and self.items is not None:
            raise Refused((), "outcomes are missing")
        if kind == "call":
            self.collect(text_of(event, "content"))
        elif kind == "execute":
            self.execute()
        elif kind == "error":
            self.void(text_of(event, "content"))
        elif kind in ("end", "user", "result", "interrupt", "cancelled"):
            self.end_turn(is_cancelled=kind in ("interrupt", "cancelled"))

    # b-call b-call-content b-after-error m-call-args
    # A call has the content of one call, from its `{` to its `}`; it may lack args.  After an error
    # it is not collected.
    def collect(self, content: str) -> None:
        if self.is_after_error:
            return
        if content.strip(WHITE) != content:
            raise Refused((), "more than one call")
        self.names.append(require_stored_call(content, ())["name"])

    # b-execute b-empty b-open b-after-error
    # An execute opens the batch; without calls it is answered at once.
    def execute(self) -> None:
        if self.is_after_error:
            raise Refused((), "an execute after an error")
        self.items = {}
        self.answer_when_complete()

    # b-void b-after-error res-void
    # An error is answered by one failure of `execute`, and the calls are dropped. A second error in
    # the same turn is not answered.
    def void(self, message: str) -> None:
        self.names = []
        if self.is_after_error:
            return
        self.is_after_error = self.dialect in LINES
        self.answer([{"tool": "execute", "status": "failure", "content": message}], executed=0)

    # b-any-order b-outcome-index b-outcome-value b-outcome-kept
    # Outcomes arrive in any order, one for each call of an open batch, and each forms an item.
    def settle(self, index: int, status: Any, content: Any) -> None:
        if self.items is None or not 0 <= index < len(self.names) or index in self.items:
            raise Refused((), "no call waits for this outcome")
        item = {"tool": self.names[index], "status": status, "content": content}
        # The limits apply to each outcome separately.
        results([item], self.dialect)
        self.items[index] = item
        self.answer_when_complete()

    # b-turn-over b-dropped b-cancelled
    # Calls that may not run yet are dropped.  If an open batch is cancelled, the calls without an
    # outcome fail.
    def end_turn(self, *, is_cancelled: bool) -> None:
        self.is_after_error = False
        if self.items is None:
            self.names = []
        elif is_cancelled:
            for index, name in enumerate(self.names):
                failure = {"tool": name, "status": "failure", "content": CANCELLED}
                self.items.setdefault(index, failure)
            self.answer_when_complete()

    # b-result res-items
    # When the last outcome has arrived there is one result, in the order of the calls.
    def answer_when_complete(self) -> None:
        if self.items is not None and len(self.items) == len(self.names):
            items = [self.items[index] for index in range(len(self.names))]
            self.names, self.items = [], None
            self.answer(items, executed=len(items))

    # b-content b-payload
    # The content is the array of the items; the payload counts the items of each status.
    def answer(self, items: list[dict[str, Any]], executed: int) -> None:
        content = array([item_json(item, self.dialect) for item in items])
        counts = payload([item["status"] for item in items], executed)
        self.results.append({"type": "result", "content": content, "payload": counts})
