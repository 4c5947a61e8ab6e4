"""One turn in a format that a description defines: its calls run at the end of the turn."""

from typing import Any

from .block import Block, BlockError, Written, complete, skip_white
from .headers import LONGEST, read_words
from .heads import read_arguments
from .json_block import close_bracket, items, members, read_value, require, require_array
from .json_shapes import read_call
from .keyed import read_keyed_call
from .ledger import Ledger, Options
from .literals import read_gemma_call, read_lines, read_list, read_text
from .tagged import read_after_header, read_tagged
from .text import REPLACEMENT, Text

# What stands for a header that names a tool, and for one before prose.
NAMED, PLAIN = "the name of a tool", "prose"
# What stands for the beginning of a call without a marker.
BARE = "a call"


# fd-shared tr-mistral-shared tr-qwen-frame tr-glm-frame
class Described(Ledger):
    """A turn in such a format."""

    def __init__(self, text: Text, options: Options, description: dict[str, Any]) -> None:
        super().__init__(text, options)
        # The markers. A format may have no section and no results; its calls may have no closer.
        think = description.get("think", ["<think>", "</think>"])
        self.think = [several(think[0]), several(think[1])]
        section = description.get("section", ["", ""])
        self.section = [several(section[0]), several(section[1])]
        self.openers = several(description["call"][0])
        self.closers = several(description["call"][1])
        result = description.get("result", ["", ""])
        self.result = [several(result[0]), several(result[1])]
        self.think_ends_at_call: bool = description.get("think_ends_at_call", False)
        self.ends: list[str] = description.get("ends", [])
        self.ignored: list[str] = description.get("ignored", [])
        self.payload: dict[str, Any] = description["payload"]
        self.header: dict[str, Any] | None = description.get("header")
        # Whether calls need no marker; if so, whether one may begin at this place, and whether the
        # last call had none.
        self.bare: bool = description.get("bare", False)
        self.is_fresh = True
        self.is_marked = True
        # Whether the payload that is read is in its array, not in an object around it.
        self.in_array = True
        # Whether the payload that was read last has a call, and whether one has a key in its args.
        self.has_call = False
        # The markers that were live where one was found last, and where that ends.
        self.legal: list[str] = []
        self.passed = 0
        # The tools of the calls so far, the number of characters in their payloads, and whether an
        # error has voided them.
        self.pending: list[str] = []
        self.size = 0
        self.is_void = False
        # Whether the text is in a section, and where the last call began, after its opener.
        self.in_section = False
        self.begin = 0
        # The marker at this place that ended a section and the turn, which is not read yet.
        self.ending = ""
        # Whether the text ended while it was skipped.
        self.is_skipping = False

    # tr-prose tr-run tr-forged fd-ignored fd-section-optional
    # Text and calls, up to the end or to a hard stop.  Returns the state.
    def read_turn(self) -> str:
        self.turn += 1
        if self.start == "think":
            first = self.after_white()
            repeated = self.marker_at(first, self.think[0])
            self.at = first + len(repeated) if repeated else self.at
            if not self.read_think():
                return self.stop("think")
        marker = self.read_opened()
        while True:
            first = self.at
            marker = marker or self.go_to_marker()
            self.emit_segment("respond", first, self.at)
            if marker == "":
                return self.stop("prose")
            first = self.at
            self.pass_marker(marker)
            if marker in self.think[0] and not self.read_think():
                return self.stop("think")
            if marker in self.strays():
                self.break_off(first)
            if marker in self.result[0]:
                calls = len(self.pending)
                self.emit("error", first, code="forged-results", offset=first, calls=calls)
                return "paused"
            if marker in self.ends:
                return self.end(first)
            if marker in self.section[0] and not self.read_section():
                return self.stop_in_calls()
            self.is_marked = marker != BARE
            if marker in (*self.openers, NAMED, BARE) and not self.read_call():
                return self.stop_in_calls()
            marker, self.ending = self.ending, ""

    # fd-start-header
    # The rest of a header that the prompt has begun.
    def read_opened(self) -> str:
        if self.start != "header":
            return ""
        return self.header_after(self.at)

    # tr-markers
    def pass_marker(self, _marker: str) -> None:
        self.at = self.passed

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

    # fd-ends fd-ends-cut
    # A marker that ends the turn, of which `first` is the first character.
    def end(self, first: int) -> str:
        rest = self.characters[first:]
        is_longer = any(each.startswith(rest) and each != rest for each in self.legal)
        is_cut = is_longer and self.at < len(self.characters) and not self.is_finished
        if self.pending and is_cut:
            self.at = len(self.characters)
            return self.stop("paused")
        if self.pending:
            self.emit("execute", first)
            return "paused"
        if self.is_void:
            return "paused"
        self.emit("end", first)
        return "ended"

    # tr-markers tr-mistral-markers fd-live fd-no-result
    # Goes to the first marker from here on, and returns it.
    def go_to_marker(self) -> str:
        if self.begins_bare_call():
            return BARE
        self.is_fresh = True
        return self.go_to(self.apart(self.live()))

    # fd-bare
    # Goes to a call without a marker, if one may begin here and the text begins like one.
    def begins_bare_call(self) -> bool:
        first = self.after_white()
        is_object = self.payload["kind"] == "object" or self.payload.get("member", "")
        char = "{" if is_object else "["
        begins = self.characters.startswith(char, first) and not self.marker_at(first, self.live())
        if not (self.bare and self.is_fresh and begins):
            return False
        self.at = self.passed = first
        return True

    def live(self, *, has_strays: bool = True) -> list[str]:
        openers = [*self.think[0], *self.section[0], *self.openers, *self.result[0]]
        strays = self.strays() if has_strays else []
        return [*openers, *self.ends, *self.ignored, *strays]

    # fd-tags-stray fd-tags-stray-alike fd-text-stray
    # The closer of a value, after a call: a marker in text, but only if it is like no other one.
    def strays(self) -> list[str]:
        kind = self.payload["kind"]
        closer = self.payload["value"][1] if kind == "tags" else ""
        closer = self.closers[0] if kind == "text" else closer
        header = [*self.header["open"], self.header["close"]] if self.header else []
        others = [*self.live(has_strays=False), *self.think[1], *header]
        is_like = any(other in closer or closer in other for other in others)
        return [closer] if self.pending and closer and "{key}" not in closer and not is_like else []

    # fd-tags-stray
    # An error that voids the calls of the turn, and after which its text continues.
    def break_off(self, first: int) -> None:
        calls = len(self.pending)
        self.emit("error", first, code="trailing-text", offset=first, calls=calls)
        self.pending, self.size, self.is_void = [], 0, True

    # fd-header-written
    # Markers that begin like a header are read as headers.
    def apart(self, markers: list[str]) -> list[str]:
        begins = tuple(self.header["open"]) if self.header else ()
        return [marker for marker in markers if not marker.startswith(begins)]

    # fd-longest fd-header
    # Goes to the first of these markers from here on, or of the headers if they are live, or to the
    # end of the text.
    def go_to(self, markers: list[str], *, has_headers: bool = True) -> str:
        self.legal = [*markers, *(self.header["open"] if self.header and has_headers else [])]
        while self.at < len(self.characters):
            marker = self.marker_at(self.at, markers)
            self.passed = self.at + len(marker)
            opener = self.marker_at(self.at, self.header["open"] if self.header else [])
            if len(opener) > len(marker) and has_headers:
                marker = self.header_after(self.at + len(opener))
            if marker:
                return marker
            self.at += 1
        return ""

    # fd-header fd-header-close fd-header-ends fd-header-length
    # What a header whose text begins at a place says, as a marker that says the same; nothing if
    # there is no header.
    def header_after(self, first: int) -> str:
        if self.header is None:
            return ""
        opens, closer = self.header["open"], self.header["close"]
        inner = self.inner()
        at = first
        while at < len(self.characters):
            marker = self.marker_at(at, inner)
            if marker and at - first > LONGEST:
                return ""
            self.passed = at + len(marker)
            if marker == closer:
                return self.meaning(self.characters[first:at], first)
            if marker in (*self.think[0], *self.section[0], *self.openers):
                return marker
            if (marker and marker not in opens) or self.characters[at] == REPLACEMENT:
                return ""
            at += len(marker) or 1
        return ""

    # The markers that end a header, break it or are within one.
    def inner(self) -> list[str]:
        header = [*self.header["open"], self.header["close"]] if self.header else []
        closers = self.think[1] if self.think_ends_at_call else []
        return [*self.apart([*self.live(), *closers]), *header]

    # fd-header-length
    # Whether the text from `first` on, which is within a header, is held back.
    def may_be_header(self, first: int) -> bool:
        opens = self.header["open"] if self.header else []
        inner = self.inner()
        at = first
        while at < len(self.characters):
            rest = self.characters[at:]
            if any(each.startswith(rest) and each != rest for each in inner):
                break
            marker = self.marker_at(at, inner)
            if (marker and marker not in opens) or self.characters[at] == REPLACEMENT:
                return False
            if marker and at - first > LONGEST:
                return False
            at += len(marker) or 1
        return at - first <= LONGEST

    # fd-header-words
    def meaning(self, text: str, first: int) -> str:
        said = read_words(self.header or {}, text)
        if said is None:
            return ""
        if said.kind == "name":
            self.passed = first + said.name_at
            return NAMED
        return self.think[0][0] if said.kind == "think" else PLAIN

    # fd-longest fd-distinct
    # The longest of these markers at a place.
    def marker_at(self, at: int, markers: list[str]) -> str:
        return max(
            [marker for marker in markers if self.characters.startswith(marker, at)],
            key=len,
            default="",
        )

    # tr-think fd-think-ends-at-call fd-tags-stray
    # A think through its closer, or up to the opener of a call or a section if that ends thinks.
    def read_think(self) -> bool:
        first = self.at
        others = [*self.section[0], *self.openers] if self.think_ends_at_call else []
        live = [*self.think[1], *self.apart(others), *self.strays()]
        marker = self.go_to(live, has_headers=self.think_ends_at_call)
        last = self.at
        if marker in self.strays():
            self.emit_segment("think", first, last)
            self.pass_marker(marker)
            self.break_off(last)
            return self.read_think()
        # A header may end with the same marker, if it opens a think too.
        if marker in self.think[1] and self.passed == last + len(marker):
            self.at += len(marker)
        self.emit_segment("think", first, last)
        return marker != ""

    # fd-section fd-section-cut
    # Calls and white space through the closer of the section.  Returns whether the text continues.
    def read_section(self) -> bool:
        self.in_section = True
        while self.in_section:
            if not self.go_on_in_section():
                return False
        return True

    # fd-section fd-no-opener
    # White space, and a call, the closer, or a marker that ends the turn, as in prose.  An object
    # needs no opener before its brace.
    def go_on_in_section(self) -> bool:
        self.is_skipping = False
        first = self.at = self.after_white()
        openers = self.openers or ["{"]
        live = self.legal = [*openers, *self.section[1], *self.ends]
        marker = self.marker_at(first, live)
        if marker == "":
            wrong = self.first_impossible(first, live)
            if wrong == len(self.characters):
                self.at = wrong
                return False
            return self.skip(self.code_at(wrong), wrong, "", wrong)
        if marker in openers:
            self.at = first + len(marker) if self.openers else first
            return self.read_call()
        self.in_section = False
        self.passed = first + len(marker)
        if marker in self.ends:
            self.ending = marker
        else:
            self.at = self.passed
        return True

    # fd-section tr-trailing
    # The first character from `first` on with which the text begins none of these markers.
    def first_impossible(self, first: int, markers: list[str]) -> int:
        at = first
        while at < len(self.characters):
            read = self.characters[first : at + 1]
            if not any(marker.startswith(read) for marker in markers):
                return at
            at += 1
        return at

    # fd-section tr-trailing
    # The error of a character that must not be where it is.
    def code_at(self, at: int) -> str:
        return "bad-encoding" if at in self.text.replaced else "trailing-text"

    # tr-call tr-void tr-cut fd-array-cut fd-section-optional
    # A payload and the closer; the text may end within the closer.  Returns whether the text
    # continues.
    def read_call(self) -> bool:
        self.is_skipping = False
        self.has_call = False
        self.begin = self.at
        self.size = self.size if self.pending else 0
        block = Block(self.text, self.at - self.size, self.limits, "unclosed-call")
        block.at = self.at
        try:
            if self.payload.get("member", ""):
                self.read_object_around(block, self.payload["member"])
            elif self.payload["kind"] == "array":
                self.read_array(block)
            elif self.payload.get("style") == "python":
                self.read_python(block)
            else:
                self.read_one(block)
        except BlockError as error:
            if not self.is_call(block):
                return self.read_as_prose()
            self.show(block)
            return self.skip_call(error.code, error.offset, error.path)
        if not self.is_call(block):
            return self.read_as_prose()
        self.at = block.at - block.ahead
        # An array without calls begins no batch.
        self.size = block.at - block.start if self.pending else 0
        return self.read_closer()

    # tr-call tr-arguments tr-void fd-object
    def read_one(self, block: Block) -> None:
        block.place = (str(len(self.pending)),)
        kind = self.payload["kind"]
        header = self.header if self.header and "call" in self.header else None
        if kind == "tags" and header:
            may_end = self.is_finished and any(each in self.ends for each in self.closers)
            first, name = read_after_header(
                block,
                self.payload,
                self.closers,
                self.require_room,
                header=header,
                may_end=may_end,
            )
        elif kind == "tags":
            first, name = read_tagged(block, self.payload, self.closers, self.require_room)
        elif kind == "literals":
            first, name = read_gemma_call(block, self.payload, self.require_room)
        elif kind == "text":
            markers = self.openers[0], self.closers[0]
            first, name = read_text(block, self.payload, markers, self.require_room)
        elif kind == "arguments":
            heads: list[str] = self.payload["head"]
            first, name = read_arguments(block, heads, self.require_room, header)
        else:
            skip_white(block)
            require(block, "{", "not-object")
            self.require_room(block)
            first, name = block.at, self.read_object(block)
        self.complete(block, first, name)

    # fd-array-member
    # An object, of which one member is the array of the calls; an object without it has no calls.
    def read_object_around(self, block: Block, array: str) -> None:
        skip_white(block)
        if block.peek() != "{":
            raise block.error("not-object")
        self.in_array = False
        for member in members(block, 2):
            if member == array:
                if block.peek() != "[":
                    raise block.error("not-array")
                complete(block)
                outside, block.place, block.named = block.place, (), []
                self.in_array = True
                self.read_array(block)
                self.in_array, block.place = False, outside
            else:
                read_value(block, 3, "}")
        close_bracket(block, ())

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
            self.complete(block, first, name)
            block.written = Written()
        close_bracket(block, ())

    # fd-literals-list fd-literals-lines
    # Calls in a list or on lines, whose indices go on from the calls before.
    def read_python(self, block: Block) -> None:
        index = len(self.pending)
        if self.payload.get("lines", False):
            calls = read_lines(block, self.closers[0], index)
        else:
            calls = read_list(block, index)
        for first, name in calls:
            self.complete(block, first, name)

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

    # tr-call tr-void m-call-delta
    # The end of a call; in a void batch it counts for nothing.  Absent args are written as `{}`.
    def complete(self, block: Block, first: int, name: str) -> None:
        block.written.args = block.written.args or "{}"
        self.show(block)
        self.at = block.at - block.ahead
        self.has_call = True
        if not (self.is_sealed and self.is_void):
            self.emit("call", first, content=content_of(block))
        if not self.is_void:
            self.pending.append(name)

    # tr-call fd-bare-prose fd-bare-certain
    # Whether text after a marker, or without one, counts as a call if it broke a rule or has none.
    def is_call(self, block: Block) -> bool:
        if not self.bare or (self.is_marked and self.closers) or self.pending or self.has_call:
            return True
        if self.payload["kind"] == "literals":
            return block.has_key
        named = {each[-1] for each in block.named if each[:-1] == ("0",)}
        keys = [self.payload.get("name", "name"), self.payload.get("args", "arguments")]
        return self.in_array and all(not named.isdisjoint(listed(each)) for each in keys)

    # fd-bare-prose
    # The text is prose from its first character on, with which no call begins.
    def read_as_prose(self) -> bool:
        self.at = self.begin
        self.is_fresh = False
        return True

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
    # fd-literals-lines fd-text fd-ends-call
    # The payload ends the call, or white space and the closer do, which may end the turn as well.
    def read_closer(self) -> bool:
        kind, end = self.payload["kind"], self.payload.get("end", "")
        has_header = self.header is not None and "call" in self.header
        is_read = kind == "tags" and end == "" and not has_header
        is_read = is_read or self.payload.get("lines", False)
        if self.bare and not (self.is_marked and self.closers):
            return self.read_separator()
        if not self.closers or is_read or kind == "text":
            return True
        first = self.after_white()
        closer = self.marker_at(first, self.closers)
        if closer == "":
            self.at = self.first_impossible(first, self.closers)
            if self.at == len(self.characters):
                return False
            return self.skip(self.code_at(self.at), self.at, "", first)
        if closer in self.ends:
            self.at, self.passed, self.ending = first, first + len(closer), closer
            self.legal = self.closers
            return True
        self.at = first + len(closer)
        return True

    # fd-bare-separator
    def read_separator(self) -> bool:
        first = self.after_white()
        if self.characters.startswith(";", first):
            self.at = first + 1
        return True

    # tr-qwen-skip fd-skip
    # A broken rule in a call.  In tags and heads the character may be part of what ends the skipped
    # text.
    def skip_call(self, code: str, offset: int, path: str) -> bool:
        kind = self.payload["kind"]
        in_head = kind == "arguments" and "/args" not in path
        return self.skip(code, offset, path, self.begin if kind == "tags" or in_head else offset)

    # tr-void tr-skip tr-mistral-skip fd-section-skip fd-open-skip
    # A broken rule: the batch is void, and the text continues after the closer of the call or, if
    # there is none, at the next marker.  In a section its closer is such a marker.
    def skip(self, code: str, offset: int, path: str, first: int) -> bool:
        if not self.is_void:
            self.emit_error(code, offset, path, len(self.pending))
        self.pending, self.size, self.is_void = [], 0, True
        if self.in_section:
            ends = [*(self.closers or self.openers), *self.section[1]]
        else:
            ends = self.closers if self.is_marked else []
        self.at = self.search_from(ends or self.apart(self.live()), first, offset)
        if ends:
            self.skip_to(ends)
        else:
            self.is_fresh = False
            self.is_skipping = self.go_to_marker() == ""
        return not self.is_skipping

    # fd-skip
    # The first place from `first` on from which the text before `offset` is the beginning of one of
    # these markers, but not all of it; or else `offset`, as at the end of the text.
    def search_from(self, ends: list[str], first: int, offset: int) -> int:
        if offset == len(self.characters):
            return offset
        for at in range(max(first, offset - max(map(len, ends))), offset):
            read = self.characters[at:offset]
            if any(end.startswith(read) and end != read for end in ends):
                return at
        return offset

    # tr-skip tr-qwen-skip fd-section-skip
    # Goes to the first of these markers, and passes it if it is the closer of a call.
    def skip_to(self, ends: list[str]) -> None:
        self.is_skipping = True
        while self.at < len(self.characters):
            end = self.marker_at(self.at, ends)
            if end:
                self.is_skipping = False
                self.at += len(end) if end in self.closers and end not in self.ends else 0
                return
            self.at += 1


# fd-several
# A marker, or several; an empty one is none.
def several(markers: str | list[str]) -> list[str]:
    if isinstance(markers, list):
        return markers
    return [markers] if markers else []


# fd-one-of
# One name, or a list of them.
def listed(names: str | list[str]) -> list[str]:
    return [names] if isinstance(names, str) else names


# tr-arguments tr-mistral-content fd-array-shape fd-keyed
def content_of(block: Block) -> str:
    written = block.written
    return f'{{"name": {written.spelled}, "args": {written.args}}}'
