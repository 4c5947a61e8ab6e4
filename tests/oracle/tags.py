"""The dialects whose calls are between `<execute>` and `</execute>`: segments and markers.

They differ in the inside of a block, which is read, with its closer, by a reader passed to `Tags`.
"""

from collections.abc import Callable, Iterator
from typing import Any

from .block import Block, BlockError, Written
from .json_block import read_closer
from .json_shapes import Call, read_results
from .ledger import Ledger, Options
from .text import WHITE, Text

# xj-markers xj-live-prose
# In prose these four are markers wherever they appear; inside a region only its own closer is.
LIVE_IN_PROSE = ("<think>", "<execute>", "<results>", "<end>")


# xe-shared
class Tags(Ledger):
    """A text in one of these dialects."""

    def __init__(
        self,
        text: Text,
        options: Options,
        *,
        read_block: Callable[[Block], Iterator[Call]],
        reach_back: int,
    ) -> None:
        super().__init__(text, options)
        # Yields each call with the cursor after it.
        self.read_block = read_block
        # How far before the offending character of an error the closer may begin.
        self.reach_back = reach_back

    # m-transcript-turns m-transcript-counts m-transcript-unanswered xj-results-next
    # A transcript is one turn after another; an execute or a void block may be answered, and the
    # next turn begins after the answer.  Returns the state in which the text stops.
    def read_transcript(self) -> str:
        while True:
            state = self.read_turn()
            if state == "paused" and self.next_is_results():
                state = self.read_results_block()
            if state not in ("paused", "ended"):
                return state

    # m-hard-stop m-after-stop m-end-optional m-next-turn xj-end xj-forged xj-forged-transcript
    # xj-forged-open
    # A turn continues until a hard stop (it is then paused or ended) or the end of the text.
    def read_turn(self) -> str:
        self.turn += 1
        if self.start == "think" and not self.read_think(self.skip_opener()):
            return "think"
        while True:
            self.read_prose()
            marker = self.marker_here()
            if marker == "":
                return "prose"
            self.markers.append((self.at, self.at + len(marker)))
            self.at += len(marker)
            if marker == "<execute>":
                return self.read_execute_block()
            if marker == "<end>":
                self.emit("end", self.at - len(marker))
                self.part("marker", self.at - len(marker), self.at, self.latest)
                self.stops.add(self.at)
                return "ended"
            if marker == "<think>" and not self.read_think(self.at - len(marker)):
                return "think"
            if marker == "<results>":
                self.emit_forged_results()
                if self.mode == "turn":
                    return "paused"
                first, error = self.at - len(marker), self.latest
                is_closed = self.skip_past("</results>", self.at)
                self.error_part(first, error, "model", is_closed=is_closed)
                if not is_closed:
                    return "results"

    # m-start-think xj-start-think
    # With start="think", an opener that comes first, white space aside, is the opener.  Returns
    # where the opener begins, or where the text continues.
    def skip_opener(self) -> int:
        first = self.after_white()
        if self.characters.startswith("<think>", first):
            self.at = first + len("<think>")
            return first
        return self.at

    # xj-think xj-think-open xj-live-region
    # Think is opaque up to the first closer; the end of the text closes it as well.  Returns
    # whether there is a closer.  Its markers belong to its event.
    # conv-span-marker
    def read_think(self, opener: int) -> bool:
        first = self.at
        closed = self.skip_past("</think>", first)
        last = self.at - len("</think>") if closed else self.at
        event = self.emit_segment("think", first, last)
        self.part("marker", opener, first, event)
        if event:
            self.inner_part("think", first, last, event)
        self.part("marker", last, self.at, event)
        return closed

    # xj-prose-runs xj-stray-closer
    # Prose continues until a marker or the end of the text; it ends before the marker.
    def read_prose(self) -> None:
        first = self.at
        while self.at < len(self.characters) and self.marker_here() == "":
            self.at += 1
        if event := self.emit_segment("respond", first, self.at):
            self.inner_part("prose", first, self.at, event)

    # m-markers m-literal-form xj-markers xj-near-marker xj-marker-overlap
    # A marker is exact and case-sensitive.
    def marker_here(self) -> str:
        if self.characters.startswith("<", self.at):
            for marker in LIVE_IN_PROSE:
                if self.characters.startswith(marker, self.at):
                    return marker
        return ""

    # xj-forged xj-forged-fields
    # Results written by the model: an error at the opener, detected when the opener is complete.
    def emit_forged_results(self) -> None:
        offset = self.at - len("<results>")
        self.emit("error", offset, code="forged-results", offset=offset, calls=0)

    # xj-call xj-execute xe-execute xj-void xj-one-error xj-skip xe-void xj-unclosed xe-unclosed
    # xj-unclosed-void
    # Each call is emitted as its element closes, the execute at the closer.  After an error the
    # text is skipped to the first closer at or after the offending character; in xml-elements also
    # to one that contains the offending character.
    def read_execute_block(self) -> str:
        block = Block(self.text, self.at, self.limits)
        opener = self.at - len("<execute>")
        called: list[str] = []
        calls: list[tuple[int, int, dict[str, Any]]] = []
        try:
            for call in self.read_block(block):
                self.emit_call_delta(len(called), block.written)
                block.written = Written()
                called.append(call.name)
                self.at = block.at
                self.emit("call", call.first, content=call.content)
                calls += [(call.first, self.at, self.latest)] if self.events else []
        except BlockError as error:
            self.emit_call_delta(len(called), block.written)
            self.called = None
            self.emit_error(error.code, error.offset, error.path, len(called))
            first = max(block.start, error.offset - self.reach_back)
            event = self.latest
            is_closed = self.skip_past("</execute>", first)
            self.error_part(opener, event, "model", is_closed=is_closed)
            return "paused" if is_closed else "execute"
        self.called = called
        self.at = block.at
        self.emit("execute", self.at - len("</execute>"))
        self.block_parts(opener, calls)
        return "paused"

    # conv-span-marker conv-span-kinds
    # The markers of a block belong to its execute, and so does the text around its calls.
    def block_parts(self, opener: int, calls: list[tuple[int, int, dict[str, Any]]]) -> None:
        event = self.latest
        at, last = opener + len("<execute>"), self.at - len("</execute>")
        self.part("marker", opener, at, event)
        for first, end, call in calls:
            self.inner_part("syntax", at, first, event)
            self.part("call", first, end, call)
            at = end
        self.inner_part("syntax", at, last, event)
        self.part("marker", last, self.at, event)
        self.stops.add(self.at)

    # conv-span-error
    # All text from the opener through the closer, or to the last character, belongs to the error.
    def error_part(
        self, first: int, event: dict[str, Any], author: str, *, is_closed: bool
    ) -> None:
        last = self.at if is_closed else len(self.characters.rstrip(WHITE))
        self.part("error", first, last, event, author)
        if is_closed and event["code"] != "forged-results":
            self.stops.add(last)

    # m-transcript-results
    # A results block is read only as the next thing, white space aside.
    def next_is_results(self) -> bool:
        return self.characters.startswith("<results>", self.after_white())

    # xj-result xj-results-shape xj-results-skip xj-results-unclosed xj-results-closer
    # A results block produces one event: its result, or its first error.  Any broken rule other
    # than those of count and order is an error of shape.
    def read_results_block(self) -> str:
        first = self.after_white()
        block = Block(self.text, first + len("<results>"), self.limits)
        try:
            statuses = read_results(block, self.called)
            last = block.at
            read_closer(block, "</results>")
        except BlockError as error:
            code = error.code if error.code.startswith("results-") else "results-shape"
            self.emit_error(code, error.offset, error.path, 0)
            event = self.latest
            is_closed = self.skip_past("</results>", error.offset)
            self.error_part(first, event, "system", is_closed=is_closed)
            return "paused" if is_closed else "results"
        self.at = block.at
        self.emit_result(first, self.characters[block.start : last].strip(WHITE), statuses)
        event = self.latest
        self.part("marker", first, block.start, event, "system")
        self.inner_part("results", block.start, self.at - len("</results>"), event, "system")
        self.part("marker", self.at - len("</results>"), self.at, event, "system")
        return "paused"

    # xj-skip xj-results-skip xj-live-region
    # Skips the first closer at or after `first`, or the rest of the text.  Returns whether there is
    # a closer.
    def skip_past(self, closer: str, first: int) -> bool:
        found = self.characters.find(closer, first)
        self.at = len(self.characters) if found < 0 else found + len(closer)
        return found >= 0
