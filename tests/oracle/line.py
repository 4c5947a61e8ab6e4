"""The dialects whose markers are at the start of a line.

Both are read in the same way; they differ in what is written.
"""

import json
from collections.abc import Iterator
from typing import Any

from .block import Block, BlockError, Limits, pointer, skip_white
from .json_block import close_bracket, is_json, members, read_value, require
from .json_shapes import array, read_call, read_result
from .ledger import Ledger, Options
from .text import WHITE, Text

# dl-markers
# The keywords are written in any ASCII case, `[SYSTEM: ` only as it is here.
KEYWORDS = ("§think:", "§call:", "§respond:", "§result:", "§execute", "§end")
NEEDS_BOUNDARY = ("§execute", "§end")
SYSTEM = "[SYSTEM: "
RESULTS = ("§result:", SYSTEM)

# Items are in the array of results, which is level 1; their contents are one level deeper.
ITEM_DEPTH = 2
CONTENT_DEPTH = 3

# The state in which a text stops, by the place where it stops.
STATES = {"respond": "prose", "think": "think", "execute": "execute"}


# dl-one-reader
class Lines(Ledger):
    """A text in one of these dialects."""

    def __init__(self, text: Text, options: Options) -> None:
        super().__init__(text, options)
        # The tools of the calls that no `§execute` has followed yet, the number of characters in
        # their payloads, and whether an error has voided this batch.
        self.pending: list[str] = []
        self.size = 0
        self.is_void = False
        # Whether the text ended in a payload: it stopped there, although it is read as prose.
        self.is_cut = False

    # m-transcript-turns m-transcript-counts m-transcript-unanswered
    # A transcript is one turn after another; `§execute` may be answered. Returns the state in which
    # the text stops.
    def read_transcript(self) -> str:
        while True:
            state = self.read_turn()
            if state == "paused" and self.results_follow():
                state = self.read_results()
            if state not in ("paused", "ended"):
                return state

    # m-hard-stop m-after-stop dl-segments dl-bare-prose dl-segment-end dl-start-think dl-between
    # dl-new-batch dl-forged-transcript
    # A turn continues until a hard stop (it is then paused or ended) or the end of the text. `kind`
    # is the current region of the text: think, prose, or the place after a call.
    def read_turn(self) -> str:
        self.turn += 1
        self.pending, self.size, self.is_void = [], 0, False
        self.batch = []
        kind = "think" if self.start == "think" else "respond"
        is_broken = False
        opener = self.at
        while True:
            if kind == "execute" and self.void_by_trailing_text():
                kind, is_broken = "respond", True
            first = self.at
            self.at = self.next_marker(first)
            event = self.emit_segment(kind, first, self.at)
            self.segment_parts(opener, first, event, is_broken=is_broken)
            is_broken = False
            marker = self.marker_at(self.at)
            if marker == "":
                self.emit_missing_execute()
                return "execute" if self.is_cut else STATES[kind]
            self.markers.append((self.at, self.at + len(marker)))
            opener = self.at
            if marker == "§think:":
                self.at += len(marker)
                kind = "think"
            elif marker == "§respond:":
                self.at += len(marker)
                kind = "respond"
            elif marker == "§call:":
                self.at += len(marker)
                kind = self.read_payload()
                is_broken = kind == "respond"
                opener = self.at
            elif marker == "§execute":
                return self.stop_at_execute()
            elif marker == "§end":
                return self.stop_at_end()
            else:
                self.emit_forged_results(marker)
                if self.mode == "turn":
                    return "paused"
                start, is_over = self.at, self.skip_body(marker)
                self.body_part(opener, start, self.at, "model")
                if not is_over:
                    return "results"
                kind = "respond"
                opener = self.at

    # conv-span-marker conv-span-error
    # A segment and the marker before it, which belongs to its event; a payload that broke, and text
    # after a call, belong to the error of the batch.
    def segment_parts(
        self, opener: int, first: int, event: dict[str, Any] | None, *, is_broken: bool
    ) -> None:
        self.part("marker", opener, first, event)
        if event:
            kind = {"think": "think", "respond": "prose"}[event["type"]]
            owner = self.batch[0] if is_broken else event
            self.inner_part("error" if is_broken else kind, first, self.at, owner)

    # dl-live dl-fresh
    # Where a marker may be: at the start, and as long as only white space has followed the start, a
    # marker, a call or a result, or only spaces and tabs have followed the last line break.
    # Returns the place of the next marker from such a start, or the end of the text.
    def next_marker(self, start: int) -> int:
        live = (at for at in fresh(self.characters, start) if self.marker_at(at))
        return next(live, len(self.characters))

    # dl-markers m-markers m-literal-form
    # The marker at this place, as it is written in `KEYWORDS`.
    def marker_at(self, at: int) -> str:
        if self.characters.startswith(SYSTEM, at):
            return SYSTEM
        for keyword in KEYWORDS:
            after = at + len(keyword)
            if lower(self.characters[at:after]) == keyword and (
                keyword not in NEEDS_BOUNDARY or self.is_boundary(after)
            ):
                return keyword
        return ""

    # dl-boundary m-end-stated
    # A boundary is looked at but not consumed.
    def is_boundary(self, at: int) -> bool:
        if at == len(self.characters):
            return self.is_finished
        return self.characters[at] in WHITE + "§"

    # dl-payload dl-payload-rules dl-payload-start dl-call dl-broken dl-broken-prose
    # dl-unclosed-call dl-limit-calls dl-limit-size dl-limit-depth dl-path dl-in-string m-sealed-void
    # m-transcript-void
    # A payload is white space and an object: a call, which need not have args.  Its path and its
    # depth are those in the array of the pending calls, and their sizes add up.  A broken payload
    # is read again as prose.  Returns the region of the text after it.
    def read_payload(self) -> str:
        block = Block(self.text, self.at - self.size, self.limits, "unclosed-call")
        block.at = self.at
        marker = self.at - len("§call:")
        block.place = (str(len(self.pending)),)
        try:
            skip_white(block)
            require(block, "{", "not-object")
            if len(self.pending) == self.limits.calls:
                raise block.error("limit-calls")
            first = block.at
            name = read_call(block, needs_args=False)
        except BlockError as error:
            self.show(block)
            self.void(error.code, error.offset, error.path)
            self.part("error", marker, self.at, self.batch[0])
            self.is_cut = error.code == "unclosed-call"
            return "respond"
        self.show(block)
        self.at = block.at
        if not (self.is_void and (self.is_sealed or self.mode == "transcript")):
            self.emit("call", first, content=self.characters[first : self.at])
        # conv-span-error
        # The end of the batch determines whether this is a call.
        event = self.latest
        self.part("marker", marker, marker + len("§call:"), event, batch=self.batch)
        self.part("call", first, self.at, event, batch=self.batch)
        if not self.is_void:
            self.pending.append(name)
            self.size = block.at - block.start
        return "execute"

    # m-call-delta-void
    # The deltas of a payload; those of a void batch are not shown.
    def show(self, block: Block) -> None:
        if not self.is_void:
            self.emit_call_delta(len(self.pending), block.written)

    # dl-void dl-void-payloads dl-broken-prose dl-broken-raw
    # An error voids the batch, and is its only error.  The text continues where it was; each later
    # call is checked separately.
    def void(self, code: str, offset: int, path: str) -> None:
        if not self.is_void:
            at = self.at
            self.emit_error(code, offset, path, len(self.pending))
            self.batch.append(self.latest)
            self.at = at
        self.pending, self.size, self.is_void = [], 0, True

    # dl-trailing-text dl-trailing-prose dl-bad-encoding
    # After a call there may be white space, and then a marker.  Text that does not begin a marker
    # is trailing text, at the first character with which no marker continues, or at the end.
    def void_by_trailing_text(self) -> bool:
        first = at = self.after_white()
        if at == len(self.characters) or self.marker_at(at):
            return False
        while at < len(self.characters) and begins_marker(self.characters[first : at + 1]):
            at += 1
        self.void("bad-encoding" if at in self.text.replaced else "trailing-text", at, "")
        return True

    # dl-execute dl-void-stop m-state-close
    # `§execute` is a hard stop; in a void batch it produces no event.
    def stop_at_execute(self) -> str:
        self.at += len("§execute")
        self.called = None if self.is_void else self.pending
        if not self.is_void:
            self.emit("execute", self.at - len("§execute"))
            self.batch.append(self.latest)
        marker = self.at - len("§execute")
        self.part("marker", marker, self.at, self.batch[0], batch=self.batch)
        self.stops.add(self.at)
        return "paused"

    # dl-end dl-void-stop m-state-close
    def stop_at_end(self) -> str:
        after = self.at + len("§end")
        self.emit_missing_execute()
        self.at = after
        self.emit("end", self.at - len("§end"))
        self.part("marker", self.at - len("§end"), self.at, self.latest)
        self.stops.add(self.at)
        return "ended"

    # dl-missing-execute dl-missing-execute-open
    # Calls that are pending at `§end`, or at the end of the text, were not executed.
    def emit_missing_execute(self) -> None:
        if self.pending:
            self.emit_error("missing-execute", self.at, "", len(self.pending))
            self.batch.append(self.latest)

    # dl-forged dl-forged-transcript
    # Results written by the model: an error at the marker, which voids the pending calls.
    def emit_forged_results(self, marker: str) -> None:
        offset = self.at
        self.at += len(marker)
        self.emit("error", offset, code="forged-results", offset=offset, calls=len(self.pending))
        self.batch.append(self.latest)
        self.pending, self.size, self.is_void = [], 0, True

    # dl-forged-transcript dl-results-skip
    # Skips the body of a results marker.  Returns whether the body ends before the text does.
    def skip_body(self, marker: str) -> bool:
        last, self.at = self.body_end(marker)
        return last < len(self.characters)

    # dl-body dl-body-system
    # A body continues until the next marker; after `[SYSTEM: ` it also ends at the first `]` that
    # is followed by a line break or the end of the text.  Returns its end, and the place after its
    # `]`.
    def body_end(self, marker: str) -> tuple[int, int]:
        last = self.next_marker(self.at)
        if marker == SYSTEM:
            for at in range(self.at, last):
                if self.characters[at] == "]" and self.characters[at + 1 : at + 2] in (
                    "",
                    "\n",
                    "\r",
                ):
                    return at, at + 1
        return last, last

    # m-transcript-results dl-results
    # The marker of the next results, if they are the next thing, white space aside.
    def results_follow(self) -> bool:
        return self.marker_at(self.after_white()) in RESULTS

    # msg-from-after-results
    def end_follows(self) -> bool:
        return self.marker_at(self.after_white()) == "§end"

    # dl-results dl-results-end dl-results-fewer dl-results-more dl-result dl-result-content
    # A batch of n calls is answered by n bodies, a void one by one failure of `execute`, and an
    # empty one by one body that is an empty array.  The results are over when something else
    # follows or the text ends, and produce one event: the result, or the first error.
    def read_results(self) -> str:
        tools = ["execute"] if self.called is None else self.called
        found: list[tuple[str, str]] = []
        bodies = size = 0
        beginning = self.after_white()
        read: list[tuple[int, int, int, int]] = []
        while self.results_follow():
            first = self.after_white()
            if bodies == max(len(tools), 1):
                return self.refuse_results("results-count", first, "", first, read)
            marker = self.marker_at(first)
            self.at = first + len(marker)
            self.markers.append((first, self.at))
            start = self.at
            last, after = self.body_end(marker)
            seen = 0
            try:
                self.require_body(start, last, size, bodies)
                seen = last
                if tools:
                    found.append(self.read_body(start, last, tools[bodies], bodies))
                else:
                    self.require_empty_array(start, last)
            except BlockError as error:
                read.append((first, start, last, after))
                return self.refuse_results(error.code, error.offset, error.path, after, read, seen)
            self.at = after
            self.body_end_at = after if after > last else self.last_character(start, last) + 1
            read.append((first, start, last, after))
            bodies += 1
            size += last - start
        self.at = self.after_white()
        if bodies < len(tools):
            return self.refuse_results("results-count", self.at, "", self.at, read)
        content = array([item for item, _ in found])
        self.emit_result(beginning, content, [status for _, status in found])
        for first, start, last, after in read:
            self.part("marker", first, start, self.latest, "system")
            self.inner_part("results", start, last, self.latest, "system")
            self.part("marker", last, after, self.latest, "system")
        return self.state_after_results()

    # dl-results-skip dl-results-raw dl-results-path
    # After an error the results that follow directly are skipped; `after` is where to continue.  An
    # error in a whole body is detected at `seen`, where it is over.
    def refuse_results(  # noqa: PLR0917 (what went wrong, and how far it was read)
        self,
        code: str,
        offset: int,
        path: str,
        after: int,
        read: list[tuple[int, int, int, int]],
        seen: int = 0,
    ) -> str:
        self.at = max(seen, min(offset + 1, len(self.characters)))
        place = {"path": path} if path else {}
        self.emit("error", offset, code=code, offset=offset, **place, calls=0)
        for first, start, _, end in read:
            self.body_part(first, start, end, "system")
        self.at = after
        while self.results_follow():
            first = self.after_white()
            marker = self.marker_at(first)
            self.at = first + len(marker)
            self.markers.append((first, self.at))
            start = self.at
            self.skip_body(marker)
            self.body_part(first, start, self.at, "system")
        self.at = self.after_white()
        return self.state_after_results()

    # conv-span-error
    # A marker, with the body after it to its last character, belongs to the last error.
    def body_part(self, first: int, start: int, end: int, author: str) -> None:
        last = max(start, self.last_character(start, end) + 1)
        self.part("error", first, last, self.latest, author)

    # m-state
    # More results may follow until something else does.
    def state_after_results(self) -> str:
        return "results" if self.at == len(self.characters) else "paused"

    # dl-results-limits dl-results-path
    # The bodies have at most `size` characters in all, and none that was replaced.
    def require_body(self, first: int, last: int, size: int, index: int) -> None:
        for at in range(first, last):
            if at in self.text.replaced or size + at - first == self.limits.size:
                raise BlockError("results-shape", at, pointer((str(index),)))

    # dl-results-empty dl-results-none-due
    def require_empty_array(self, first: int, last: int) -> None:
        body = self.characters[first:last].strip(WHITE)
        if body[:1] != "[" or body[1:].strip(WHITE) != "]":
            raise BlockError("results-count", self.last_character(first, last), "")

    # dl-results-item dl-results-path
    # A broken rule of an item is an error when the body is over, at its last character.
    def read_body(self, first: int, last: int, tool: str, index: int) -> tuple[str, str]:
        try:
            return self.item(self.characters[first:last].strip(WHITE), tool)
        except BlockError as error:
            at = self.last_character(first, last)
            raise BlockError(error.code, at, pointer((str(index),))) from None

    # dl-body-json dl-body-text dl-results-void dl-result-content
    # A body is a whole item, or the content of a success of the call in its position: as JSON where
    # it is JSON, and otherwise as a string.  A void batch has failed.  Returns the item and its
    # status.
    def item(self, body: str, tool: str) -> tuple[str, str]:
        is_void = self.called is None
        block = body_block(body, self.limits)
        if is_item(body, self.limits):
            return body, read_result(block, tool, is_void=is_void)
        if is_void:
            raise block.error("results-shape")
        is_value = is_json(body, self.limits, CONTENT_DEPTH)
        content = body if is_value else json.dumps(body, ensure_ascii=False)
        name = json.dumps(tool, ensure_ascii=False)
        return f'{{"tool": {name}, "status": "success", "content": {content}}}', "success"

    # dl-results-item dl-results-none-due
    # The last character of a body that is not white space; for an empty body, the last of its
    # marker.
    def last_character(self, first: int, last: int) -> int:
        while last > first and self.characters[last - 1] in WHITE:
            last -= 1
        return last - 1


# dl-fresh
# The places of a text, from a fresh one on, that have only spaces and tabs before them on the line.
def fresh(text: str, start: int = 0) -> Iterator[int]:
    is_fresh = True
    for at in range(start, len(text)):
        if is_fresh:
            yield at
        is_fresh = text[at] in "\n\r" or (is_fresh and text[at] in " \t")


# dl-markers
# Only the letters of ASCII have two cases here.
def lower(text: str) -> str:
    return "".join(chr(ord(letter) + 32) if "A" <= letter <= "Z" else letter for letter in text)


# dl-trailing-text
def begins_marker(text: str) -> bool:
    return SYSTEM.startswith(text) or any(word.startswith(lower(text)) for word in KEYWORDS)


# dl-body-strict
# A body as an element of an array; its size is checked elsewhere.
def body_block(body: str, limits: Limits) -> Block:
    return Block(Text(body + "]", frozenset()), 0, limits._replace(size=len(body) + 1))


# dl-body-json
# An item is an object with these three members and no others.
def is_item(body: str, limits: Limits) -> bool:
    block = body_block(body, limits)
    if block.peek() != "{":
        return False
    names: set[str] = set()
    try:
        for name in members(block, ITEM_DEPTH):
            names.add(name)
            read_value(block, CONTENT_DEPTH, "}")
        close_bracket(block, ())
    except BlockError:
        return False
    return block.at == len(body) and names == {"tool", "status", "content"}
