"""One turn in the format `hermes`: its calls are between tags, and run at the end of the turn."""

from .block import Block, BlockError, skip_white
from .json_block import require
from .json_shapes import read_call
from .ledger import Ledger, Options
from .text import Text


class Wrapped(Ledger):
    """A turn in this format."""

    # tr-markers
    think = ("<think>", "</think>")
    call = "<tool_call>"
    closer = "</tool_call>"
    result = "<tool_response>"

    # tr-skip
    # After an error, the closer may begin up to this many characters before the error.
    reach_back = 0

    def __init__(self, text: Text, options: Options) -> None:
        super().__init__(text, options)
        # The tools of the calls so far, the number of characters in their objects, and whether an
        # error has voided them.
        self.pending: list[str] = []
        self.size = 0
        self.is_void = False

    # tr-prose tr-run tr-forged
    # Text and calls, up to the end or to results that the model wrote.  Returns the state.
    def read_turn(self) -> str:
        self.turn += 1
        if self.start == "think":
            first = self.after_white()
            if self.characters.startswith(self.think[0], first):
                self.at = first + len(self.think[0])
            if not self.read_think():
                return self.stop("think")
        while True:
            first = self.at
            marker = self.go_to_marker()
            self.emit_segment("respond", first, self.at)
            if marker == "":
                return self.stop("prose")
            self.pass_marker(marker)
            if marker == self.think[0] and not self.read_think():
                return self.stop("think")
            if marker == self.result:
                first = self.at - len(marker)
                calls = len(self.pending)
                self.emit("error", first, code="forged-results", offset=first, calls=calls)
                return "paused"
            if marker == self.call and not self.read_call():
                return "execute" if self.at_open_call else self.stop("execute")

    # tr-markers
    def pass_marker(self, marker: str) -> None:
        self.at += len(marker)

    # tr-run tr-stopped
    # The end of the text runs the calls, unless one broke a rule or the model did not end its turn.
    def stop(self, state: str) -> str:
        if self.pending and not self.is_finished:
            self.emit_error("missing-execute", self.at, "", len(self.pending))
        elif self.pending:
            self.emit("execute", self.at)
        return "paused" if self.pending or self.is_void else state

    # tr-markers
    def go_to_marker(self) -> str:
        while self.at < len(self.characters):
            for marker in (self.think[0], self.call, self.result):
                if self.characters.startswith(marker, self.at):
                    return marker
            self.at += 1
        return ""

    # tr-think
    def read_think(self) -> bool:
        first = self.at
        closer = self.think[1]
        found = self.characters.find(closer, first)
        last = len(self.characters) if found < 0 else found
        self.at = last if found < 0 else found + len(closer)
        self.emit_segment("think", first, last)
        return found >= 0

    # tr-call tr-arguments tr-void tr-cut
    # White space, an object, white space and the closer; the text may end within the closer.
    # Returns whether the text continues.
    def read_call(self) -> bool:
        self.at_open_call = False
        block = Block(self.text, self.at - self.size, self.limits, "unclosed-call")
        block.at = self.at
        block.place = (str(len(self.pending)),)
        try:
            first, name, content = self.read_object(block)
        except BlockError as error:
            if not self.is_call(block):
                return True
            self.show(block)
            return self.skip(error.code, error.offset, error.path)
        self.show(block)
        self.at = block.at
        if not (self.is_sealed and self.is_void):
            self.emit("call", first, content=content)
        if not self.is_void:
            self.pending.append(name)
            self.size = block.at - block.start
        return self.read_closer()

    # tr-call tr-arguments
    # White space and an object.  Returns the place of the call, the tool and the content.
    def read_object(self, block: Block) -> tuple[int, str, str]:
        skip_white(block)
        self.require_object(block, "not-object")
        first = block.at
        name = read_call(block, needs_args=False, args="arguments")
        return first, name, content_of(block)

    # tr-call
    # Whether text that broke a rule counts as a call: here all text after the marker does.
    def is_call(self, block: Block) -> bool:
        return block.at >= block.start

    # tr-call
    # Requires the first character of the object of another call.
    def require_object(self, block: Block, code: str) -> None:
        require(block, "{", code)
        self.require_room(block)

    # tr-call
    def require_room(self, block: Block) -> None:
        if len(self.pending) == self.limits.calls:
            raise block.error("limit-calls")

    # tr-void
    # The deltas of a call; those of a void batch are not shown.
    def show(self, block: Block) -> None:
        if not self.is_void:
            self.emit_call_delta(len(self.pending), block.written)

    # tr-cut tr-trailing
    def read_closer(self) -> bool:
        at = self.after_white()
        for letter in self.closer:
            if at == len(self.characters):
                self.at = at
                return False
            if self.characters[at] != letter:
                lost = at in self.text.replaced
                return self.skip("bad-encoding" if lost else "trailing-text", at, "")
            at += 1
        self.at = at
        return True

    # tr-void tr-skip
    # A broken rule: the batch is void, and the text continues after the next closer.
    def skip(self, code: str, offset: int, path: str) -> bool:
        if not self.is_void:
            self.emit_error(code, offset, path, len(self.pending))
        self.pending, self.size, self.is_void = [], 0, True
        found = self.characters.find(self.closer, max(0, offset - self.reach_back))
        self.at = len(self.characters) if found < 0 else found + len(self.closer)
        self.at_open_call = found < 0
        return found >= 0


# tr-arguments tr-mistral-content
def content_of(block: Block) -> str:
    written = block.written
    return f'{{"name": {written.spelled}, "args": {written.args or "{}"}}}'
