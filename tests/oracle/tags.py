"""The dialects whose calls stand between `<execute>` and `</execute>`: segments and markers.

They differ in the inside of a block, which a reader given to `Tags` reads, closer included.
"""

from collections.abc import Callable, Iterator

from .block import Block, BlockError, Written
from .json_block import read_closer
from .json_shapes import Call, read_results
from .ledger import Ledger, Options
from .text import WHITE, Text

# xj-markers xj-live-prose
# In prose these four are markers, wherever they stand; inside a region only its own closer is one.
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
        # Gives each call with the cursor behind it.
        self.read_block = read_block
        # How far before the offending character of an error the closer may begin.
        self.reach_back = reach_back

    # m-transcript-turns m-transcript-counts m-transcript-unanswered
    # A transcript is one turn after another; an execute or a void block may be answered.
    # Gives the state in which the text stops.
    def read_transcript(self) -> str:
        while True:
            state = self.read_turn()
            if state == "paused" and self.next_is_results():
                state = self.read_results_block()
            if state not in ("paused", "ended"):
                return state

    # m-hard-stop m-after-stop m-end-optional m-next-turn xj-end xj-forged xj-forged-transcript
    # xj-forged-open
    # A turn goes on until a hard stop (it is then paused or ended) or the end of the text.
    def read_turn(self) -> str:
        self.turn += 1
        if self.start == "think":
            self.skip_opener()
            if not self.read_think():
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
                return "ended"
            if marker == "<think>" and not self.read_think():
                return "think"
            if marker == "<results>":
                self.emit_forged_results()
                if self.mode == "turn":
                    return "paused"
                if not self.skip_past("</results>", self.at):
                    return "results"

    # m-start-think xj-start-think
    # With start="think", an opener that comes first, white space aside, is the opener.
    def skip_opener(self) -> None:
        first = self.after_white()
        if self.characters.startswith("<think>", first):
            self.at = first + len("<think>")

    # xj-think xj-think-open xj-live-region
    # Think is opaque up to the first closer; the end of the text closes it as well.
    # Says whether the closer came.
    def read_think(self) -> bool:
        first = self.at
        closed = self.skip_past("</think>", first)
        last = self.at - len("</think>") if closed else self.at
        self.emit_segment("think", first, last)
        return closed

    # xj-prose-runs xj-stray-closer
    # Prose goes on until a marker or the end of the text; it ends before the marker.
    def read_prose(self) -> None:
        first = self.at
        while self.at < len(self.characters) and self.marker_here() == "":
            self.at += 1
        self.emit_segment("respond", first, self.at)

    # m-markers m-literal-form xj-markers xj-near-marker xj-marker-overlap
    # A marker is exact and case-sensitive.
    def marker_here(self) -> str:
        if self.characters.startswith("<", self.at):
            for marker in LIVE_IN_PROSE:
                if self.characters.startswith(marker, self.at):
                    return marker
        return ""

    # xj-forged xj-forged-fields
    # Results written by the model: an error at the opener, seen when the opener is complete.
    def emit_forged_results(self) -> None:
        offset = self.at - len("<results>")
        self.emit("error", offset, code="forged-results", offset=offset, calls=0)

    # xj-call xj-execute xe-execute xj-void xj-one-error xj-skip xe-void xj-unclosed xe-unclosed
    # xj-unclosed-void
    # Each call comes as its element closes, the execute at the closer.  After an error the text
    # is skipped to the first closer at or after the offending character; in xml-elements also to
    # one that has the offending character in it.
    def read_execute_block(self) -> str:
        block = Block(self.text, self.at, self.limits)
        called: list[str] = []
        try:
            for call in self.read_block(block):
                self.emit_call_delta(len(called), block.written)
                block.written = Written()
                called.append(call.name)
                self.at = block.at
                self.emit("call", call.first, content=call.content)
        except BlockError as error:
            self.emit_call_delta(len(called), block.written)
            self.called = None
            self.emit_error(error.code, error.offset, error.path, len(called))
            first = max(block.start, error.offset - self.reach_back)
            return "paused" if self.skip_past("</execute>", first) else "execute"
        self.called = called
        self.at = block.at
        self.emit("execute", self.at - len("</execute>"))
        return "paused"

    # m-transcript-results
    # A results block is read only as the next thing, white space aside.
    def next_is_results(self) -> bool:
        return self.characters.startswith("<results>", self.after_white())

    # xj-result xj-results-shape xj-results-skip xj-results-unclosed xj-results-closer
    # A results block gives one event: its result, or its first error.  Any broken rule other
    # than those of count and order is one of shape.
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
            return "paused" if self.skip_past("</results>", error.offset) else "results"
        self.at = block.at
        self.emit_result(first, self.characters[block.start : last].strip(WHITE), statuses)
        return "paused"

    # xj-skip xj-results-skip xj-live-region
    # Goes behind the first closer at or after `first`, or to the end of the text.
    # Says whether the closer came.
    def skip_past(self, closer: str, first: int) -> bool:
        found = self.characters.find(closer, first)
        self.at = len(self.characters) if found < 0 else found + len(closer)
        return found >= 0
