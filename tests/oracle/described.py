"""One turn in a format that a description defines: its calls run at the end of the turn."""

from typing import Any

from .block import Block, BlockError, Written, skip_white
from .heads import read_arguments
from .json_block import close_bracket, items, require, require_array
from .json_shapes import read_call
from .keyed import read_keyed_call
from .ledger import Ledger, Options
from .tagged import read_tagged
from .text import Text


# fd-shared tr-mistral-shared tr-qwen-frame tr-glm-frame
class Described(Ledger):
    """A turn in such a format."""

    def __init__(self, text: Text, options: Options, description: dict[str, Any]) -> None:
        super().__init__(text, options)
        # The markers. A format may have no section and no results; its calls may have no closer.
        self.think: list[str] = description.get("think", ["<think>", "</think>"])
        self.section: list[str] = description.get("section", [])
        self.opener: str = description["call"][0]
        self.closer: str = description["call"][1]
        self.result: list[str] = description.get("result", [])
        self.ends: list[str] = description.get("ends", [])
        self.ignored: list[str] = description.get("ignored", [])
        self.payload: dict[str, Any] = description["payload"]
        # The tools of the calls so far, the number of characters in their payloads, and whether an
        # error has voided them.
        self.pending: list[str] = []
        self.size = 0
        self.is_void = False
        # Whether the text is in a section, and where the last call began, after its opener.
        self.in_section = False
        self.begin = 0
        # Whether the text ended while it was skipped.
        self.is_skipping = False

    # tr-prose tr-run tr-forged fd-ignored fd-section-optional
    # Text and calls, up to the end or to a hard stop.  Returns the state.
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
            first = self.at
            self.pass_marker(marker)
            if marker == self.think[0] and not self.read_think():
                return self.stop("think")
            if marker in self.result[:1]:
                calls = len(self.pending)
                self.emit("error", first, code="forged-results", offset=first, calls=calls)
                return "paused"
            if marker in self.ends:
                return self.end(first)
            if marker in self.section[:1] and not self.read_section():
                return self.stop_in_calls()
            if marker == self.opener and not self.read_call():
                return self.stop_in_calls()

    # tr-markers
    def pass_marker(self, marker: str) -> None:
        self.at += len(marker)

    # tr-run tr-stopped fd-section-cut
    # The end of the text runs the calls, unless one broke a rule or the model did not end its turn.
    def stop(self, state: str) -> str:
        if self.pending and not self.is_finished:
            self.emit_error("missing-execute", self.at, "", len(self.pending))
        elif self.pending:
            self.emit("execute", self.at)
        return "paused" if self.pending or self.is_void else state

    # tr-cut fd-section fd-section-cut m-state
    def stop_in_calls(self) -> str:
        return "execute" if self.is_skipping else self.stop("execute")

    # fd-ends
    # A marker that ends the turn, of which `first` is the first character.
    def end(self, first: int) -> str:
        if self.pending:
            self.emit("execute", first)
            return "paused"
        if self.is_void:
            return "paused"
        self.emit("end", first)
        return "ended"

    # tr-markers tr-mistral-markers fd-live fd-distinct fd-no-result
    # Goes to the first marker from here on, and returns it.
    def go_to_marker(self) -> str:
        openers = [self.think[0], *self.section[:1], self.opener, *self.result[:1]]
        live = [marker for marker in (*openers, *self.ends, *self.ignored) if marker]
        while self.at < len(self.characters):
            for marker in live:
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

    # fd-section fd-section-cut
    # Calls and white space through the closer of the section.  Returns whether the text continues.
    def read_section(self) -> bool:
        self.in_section = True
        while self.in_section:
            if not self.go_on_in_section():
                return False
        return True

    # fd-section fd-no-opener
    # White space, and a call, the closer, or a marker that ends the turn and is read again as in
    # prose.  An object needs no opener before its brace.
    def go_on_in_section(self) -> bool:
        self.is_skipping = False
        first = self.at = self.after_white()
        opener = self.opener or "{"
        while self.at < len(self.characters):
            read = self.characters[first : self.at + 1]
            live = (opener, self.section[1], *self.ends)
            if not any(marker.startswith(read) for marker in live):
                lost = self.at in self.text.replaced
                code = "bad-encoding" if lost else "trailing-text"
                return self.skip(code, self.at, "", self.at)
            self.at += 1
            if read == self.section[1]:
                self.in_section = False
                return True
            if read in self.ends:
                self.at, self.in_section = first, False
                return True
            if read == opener:
                self.at = self.at if self.opener else first
                return self.read_call()
        return False

    # tr-call tr-void tr-cut fd-array-cut fd-section-optional
    # A payload and the closer; the text may end within the closer.  Returns whether the text
    # continues.
    def read_call(self) -> bool:
        self.is_skipping = False
        self.begin = self.at
        block = Block(self.text, self.at - self.size, self.limits, "unclosed-call")
        block.at = self.at
        try:
            if self.payload["kind"] == "array":
                self.read_array(block)
            else:
                self.read_one(block)
        except BlockError as error:
            if not self.is_call(block):
                return True
            self.show(block)
            return self.skip_call(error.code, error.offset, error.path)
        self.at = block.at
        if not self.is_void:
            self.size = block.at - block.start
        return self.read_closer()

    # tr-call tr-arguments tr-void fd-object
    def read_one(self, block: Block) -> None:
        block.place = (str(len(self.pending)),)
        kind = self.payload["kind"]
        if kind == "tags":
            first, name, content = read_tagged(block, self.payload, self.closer, self.require_room)
        elif kind == "arguments":
            first, name = read_arguments(block, self.payload["head"], self.require_room)
            content = content_of(block)
        else:
            skip_white(block)
            require(block, "{", "not-object")
            self.require_room(block)
            first, name = block.at, self.read_object(block)
            content = content_of(block)
        self.complete(block, first, name, content)

    # fd-array fd-array-shape dl-void-payloads
    # An array of objects, whose indices go on from the calls before.
    def read_array(self, block: Block) -> None:
        require_array(block)
        for index in items(block, 1, first=len(self.pending)):
            require(block, "{", "not-object")
            if index == self.limits.calls:
                raise block.error("limit-calls")
            first = block.at
            name = self.read_object(block)
            self.complete(block, first, name, content_of(block))
            block.written = Written()
        close_bracket(block, ())

    # tr-arguments fd-object fd-array-shape fd-keyed fd-one-of
    # An object with the two members of a call.  Returns the name of the tool.
    def read_object(self, block: Block) -> str:
        if self.payload.get("keyed", False):
            return read_keyed_call(block)
        return read_call(
            block,
            needs_args=not self.payload.get("partial", False),
            name_keys=listed(self.payload.get("name", "name")),
            args_keys=listed(self.payload.get("args", "arguments")),
        )

    # tr-call tr-void
    # The end of a call; in a void batch it counts for nothing.
    def complete(self, block: Block, first: int, name: str, content: str) -> None:
        self.show(block)
        self.at = block.at
        if not (self.is_sealed and self.is_void):
            self.emit("call", first, content=content)
        if not self.is_void:
            self.pending.append(name)

    # tr-call
    # Whether text that broke a rule counts as a call: here all text after the marker does.
    def is_call(self, block: Block) -> bool:
        return block.at >= block.start

    # tr-call tr-qwen-limits tr-glm-calls tr-mistral-limits
    # Requires that there may be another call.
    def require_room(self, block: Block) -> None:
        if len(self.pending) == self.limits.calls:
            raise block.error("limit-calls")

    # tr-void
    # The deltas of a call; those of a void batch are not shown.
    def show(self, block: Block) -> None:
        if not self.is_void:
            self.emit_call_delta(len(self.pending), block.written)

    # tr-cut tr-trailing tr-mistral-end tr-glm-closer fd-no-closer fd-no-end
    # The payload ends the call, or white space and the closer do.
    def read_closer(self) -> bool:
        is_read = self.payload["kind"] == "tags" and self.payload.get("end", "") == ""
        if not self.closer or is_read:
            return True
        at = self.after_white()
        for letter in self.closer:
            if at == len(self.characters):
                self.at = at
                return False
            if self.characters[at] != letter:
                lost = at in self.text.replaced
                return self.skip_call("bad-encoding" if lost else "trailing-text", at, "")
            at += 1
        self.at = at
        return True

    # tr-qwen-skip fd-tags-skip
    # A broken rule in a call.  In tags, the character may be part of the closer.
    def skip_call(self, code: str, offset: int, path: str) -> bool:
        first = self.begin if self.payload["kind"] == "tags" else offset
        return self.skip(code, offset, path, first)

    # tr-void tr-skip tr-mistral-skip fd-section-skip fd-open-skip
    # A broken rule: the batch is void, and the text continues after the closer of the call or, if
    # there is none, at the next marker.  In a section its closer is such a marker.
    def skip(self, code: str, offset: int, path: str, first: int) -> bool:
        if not self.is_void:
            self.emit_error(code, offset, path, len(self.pending))
        self.pending, self.size, self.is_void = [], 0, True
        if self.in_section:
            ends = [self.closer or self.opener, self.section[1]]
            self.skip_to([end for end in ends if end], offset, first)
        elif self.closer:
            self.skip_to([self.closer], offset, first)
        else:
            self.at = offset
            self.is_skipping = self.go_to_marker() == ""
        return not self.is_skipping

    # tr-skip tr-qwen-skip fd-tags-skip fd-section-skip
    # Goes to the first of these markers that begins at `first` or later and ends after `offset`,
    # and passes it if it is the closer of a call.
    def skip_to(self, ends: list[str], offset: int, first: int) -> None:
        self.at = len(self.characters)
        self.is_skipping = True
        for end in ends:
            found = self.characters.find(end, max(first, offset - len(end) + 1))
            if 0 <= found < self.at or (found >= 0 and self.is_skipping):
                self.at, self.is_skipping = found, False
        if (
            not self.is_skipping
            and self.closer
            and self.characters.startswith(self.closer, self.at)
        ):
            self.at += len(self.closer)


# fd-one-of
# One name, or a list of them.
def listed(names: str | list[str]) -> list[str]:
    return [names] if isinstance(names, str) else names


# tr-arguments tr-mistral-content fd-array-shape fd-keyed
def content_of(block: Block) -> str:
    written = block.written
    return f'{{"name": {written.spelled}, "args": {written.args or "{}"}}}'
