# SPDX-License-Identifier: MIT
"""Turns and transcripts of `delimiter` and `delimiter-upper`, which are read in the same way."""

import functools
import json
import re
from typing import Any, Final, NamedTuple

from hypothesis import assume
from hypothesis import strategies as st

from cogwire_kit.strategies._arrays import CONTROLS, STRAY
from cogwire_kit.strategies._json import (
    Trees,
    calls,
    exact_items,
    is_json,
    outcomes,
    plain_object,
    trees,
)
from cogwire_kit.strategies._json_faults import CALLS
from cogwire_kit.strategies._wire import (
    MARKER,
    WHITE,
    Document,
    Event,
    call,
    end,
    error,
    execute,
    respond,
    result,
    running,
    segment,
    starts,
    think,
    white,
)
from cogwire_kit.strategies._written import Tree, Written, name_of, pointed, source, write_tree

# --- Text -------------------------------------------------------------------------------------

#: A marker that counts, in text that has a line end in front and after.
LIVE_LINE: Final = re.compile(rf"[\r\n][ \t]*(?:{MARKER.pattern})", MARKER.flags)


def holds_marker(text: str) -> bool:
    """Whether a marker counts in `text`, if `text` begins where one would count."""
    return LIVE_LINE.search(f"\n{text}\n") is not None


#: Prose in which no marker counts.
prose = running.filter(lambda text: not holds_marker(text))

#: Line ends after which a marker may follow, without and with white space before it.
breaks = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r", "\n\n", "\n \t"])
line_ends = st.one_of(breaks, breaks, st.just(" \n  "))

#: White space that is not empty.
spaces = st.one_of(line_ends, st.sampled_from([" ", "\t"]))


@st.composite
def after_stop(draw: st.DrawFn) -> str:
    """Draw text that a model wrote after `§end` or `§execute`, beginning with the boundary."""
    text = draw(running)
    return draw(line_ends) + text if text and text[0] not in f"{WHITE}§" else text


@functools.cache
def keywords(word: str) -> st.SearchStrategy[str]:
    """Spell a keyword in any ASCII letter case."""
    mixed = [
        "".join(one.upper() if mask >> place & 1 else one for place, one in enumerate(word))
        for mask in (0b1, 0b10, 0b1010101, 0b0101110, 0b1011001)
    ]
    return st.sampled_from([word, word, word, word.upper(), word.upper(), *mixed])


#: Text that may not follow a call; the caret is before the offending character.
TRAILING: Final = (
    *("‸please", "‸]", "‸}", "‸, then", '‸{"name": "a"}', "‸&sect;end", "‸\u00a0§end", "‸\0"),
    *("‸```", "‸, then\n§en", "§‸ think:", "§‸§end", "§‸.", "§thin‸g", "§en‸ d", "§end‸."),
    *("§end‸ing", "§execute‸s", "§Execute‸-it", "§respond‸ hi", "§CALL‸ {}", "§thin‸\u212a:"),
    *("§re‸\u017fult:", "[SYS‸,", "[‸system: a]", "[SYSTEM:‸a]", "[‸1]"),
)

# --- Payloads ---------------------------------------------------------------------------------

tiny_calls: Trees = st.sampled_from(
    [
        plain_object(name='"a"', args=plain_object()),
        plain_object(" ", name='"b"'),
        plain_object(name='"c"', args=plain_object(x="1")),
        plain_object(args=plain_object(s='"\\n§end"'), name='"d"'),
        plain_object("\n", name='"e"', args=plain_object(s='"§execute"')),
    ]
)
#: Calls without a fault, some of them without arguments.
any_calls: Trees = st.one_of(tiny_calls, tiny_calls, calls(), calls(args=None))


@st.composite
def payloads(draw: st.DrawFn, tree: Tree, index: int) -> Written:
    """Write a payload: white space and a call, from after its `§call:` on."""
    written = Written()
    written.put(draw(st.one_of(st.just(" "), white)), f"/{index}")
    written.mark("object")
    write_tree(written, tree, f"/{index}")
    return written


@st.composite
def struck(draw: st.DrawFn, code: str, index: int) -> Written:
    """Draw a payload with something put in anywhere before its last brace."""
    payload = draw(payloads(draw(any_calls), index))
    place = draw(st.integers(0, len(payload.text) - 1))
    if code == "bad-encoding":
        return payload.struck(place, "\ufffd", code)
    characters = CONTROLS if payload.is_quoted[place] else STRAY
    return payload.struck(place, draw(st.sampled_from(characters)), code)


@st.composite
def bad_payloads(draw: st.DrawFn, code: str, index: int) -> Written:
    """Draw a payload with a fault of this code."""
    ways = [struck(code, index)] if code in {"json-syntax", "bad-encoding"} else []
    if code in CALLS:
        ways.append(payloads(draw(CALLS[code]), index))
    return draw(st.one_of(ways))


# --- Bodies of results ------------------------------------------------------------------------


def stays(body: str, *, is_bracketed: bool) -> bool:
    """Whether a text stays inside the body of a result."""
    return not (holds_marker(body) or (is_bracketed and re.search(r"\][\r\n]", body)))


#: Bodies of either form of result.
BODIES: Final = {
    is_bracketed: prose.filter(functools.partial(stays, is_bracketed=is_bracketed))
    for is_bracketed in (False, True)
}


@st.composite
def answers(draw: st.DrawFn, tool: str, *, is_bracketed: bool, success: bool) -> tuple[str, str]:
    """Write the body of a result of `tool`; return it and the item that it represents."""
    padding = draw(white)
    if not success or draw(st.booleans()):
        written = source(draw(exact_items(tool, draw(outcomes(success=success)))))
    else:
        # A text that does not represent an item unchanged.
        written = draw(st.one_of(prose, trees.map(source)))
    body = padding + written + padding
    assume(stays(body, is_bracketed=is_bracketed))
    content = body.strip(WHITE)
    if is_json(content) and is_item(content):
        return body, content
    name = json.dumps(tool, ensure_ascii=False)
    if not is_json(content):
        content = json.dumps(content, ensure_ascii=False)
    return body, f'{{"tool": {name}, "status": "success", "content": {content}}}'


def is_item(content: str) -> bool:
    """Whether a JSON text is an object of exactly the members of an item."""
    value = json.loads(content, parse_int=str)
    return isinstance(value, dict) and value.keys() == {"tool", "status", "content"}


# --- Turns ------------------------------------------------------------------------------------

KINDS: Final = {"think": think, "respond": respond}
STATES: Final = {"think": "think", "respond": "prose"}


class Gaps(NamedTuple):
    """What may precede text, a marker that begins with `§`, and `[SYSTEM: `."""

    before_text: st.SearchStrategy[str]
    before_sign: st.SearchStrategy[str]
    before_bracket: st.SearchStrategy[str]


NOTHING: Final = Gaps(st.just(""), white, white)
BOUNDARY: Final = Gaps(spaces, white, spaces)
LINE_END: Final = Gaps(breaks, breaks, breaks)


class Writer:
    """Writes a text and, beside it, the events that it must produce."""

    def __init__(self, draw: st.DrawFn, dialect: str, mode: str) -> None:
        self.draw = draw
        start = draw(starts)
        self.options: dict[str, Any] = {"dialect": dialect, "mode": mode, "start": start}
        self.text = ""
        self.events: list[Event] = []
        #: The number of characters in payloads, and where the last body of a result begins.
        self.size = self.body_start = 0
        #: Where the last marker, call or result ended, and what must follow there.
        self._anchor = 0
        self._gaps = NOTHING
        self.begin_turn()

    def begin_turn(self) -> None:
        """Begin at the first character of a turn."""
        self.state: str = self.options["start"]
        self._kind = "think" if self.state == "think" else "respond"
        self._content = ""
        #: The names of the calls of the batch.
        self.tools: list[str] = []
        self.is_void = False

    # --- Segments and markers ----------------------------------------------------------------

    def say(self, text: str) -> None:
        """Write text into the open segment."""
        if text:
            text = self.draw(self._gaps.before_text) + text
            self._gaps = NOTHING
        self.text += text
        self._content += text
        if self.state == "results" and text.strip(WHITE):
            # Text that is not a result ends the results, and begins a turn.
            self.state = self.options["start"]

    def _is_fresh(self) -> bool:
        between = self.text[self._anchor :].rstrip(" \t")
        return not between or between[-1] in "\r\n"

    def mark(self, marker: str) -> int:
        """Write a marker where one counts, which ends the segment; return where it begins."""
        gap = self._gaps.before_bracket if marker[0] == "[" else self._gaps.before_sign
        self.text += self.draw(gap if self._is_fresh() else line_ends)
        offset = len(self.text)
        self.text += marker
        self._anchor = len(self.text)
        self._gaps = NOTHING
        self.events += segment(KINDS[self._kind], self._content)
        self._content = ""
        return offset

    def keyword(self, word: str) -> int:
        """Write a marker that begins with the section sign."""
        return self.mark("§" + self.draw(keywords(word)))

    def speak(self, kind: str) -> None:
        """Write a segment after its marker."""
        self.keyword(f"{kind}:")
        self._kind, self.state = kind, STATES[kind]
        self.say(self.draw(prose))

    def open_turn(self, *, may_speak: bool = True) -> None:
        """Write the beginning of a turn."""
        if may_speak and self.draw(st.booleans()):
            self.say(self.draw(prose))
        for _ in range(self.draw(st.integers(0, 2))):
            self.speak(self.draw(st.sampled_from(["think", "respond"])))

    # --- Calls -------------------------------------------------------------------------------

    def _payload(self, payload: Written) -> int:
        self.keyword("call:")
        start = len(self.text)
        self.text += payload.text
        self.size += len(payload.text)
        return start

    def good(self, payload: Written) -> None:
        """Write a call without a fault."""
        self._payload(payload)
        self._anchor = len(self.text)
        content = payload.text.lstrip(WHITE)
        self.tools.append(name_of(content))
        if not (self.is_void and self.options["mode"] == "transcript"):  # m-transcript-void
            self.events.append(call(content))
        self.state = "execute"

    def call(self, calls: Trees = any_calls) -> None:
        """Write one of these calls."""
        self.good(self.draw(payloads(self.draw(calls), len(self.tools))))

    def bad(self, payload: Written) -> None:
        """Write a payload with a fault, which is then read as prose."""
        assume(not holds_marker(payload.text))
        code, at, path = payload.fault
        start = self._payload(payload)
        self.spoil(code, start + at, path)
        self._content = payload.text

    def trail(self, text: str, code: str, at: int) -> None:
        """Write text after a call, which is read as prose; the offending character is at `at`."""
        gap = self.draw(white)
        self.spoil(code, len(self.text) + len(gap) + at, None)
        self.text += gap
        self.say(text)

    def spoil(self, code: str, offset: int, path: str | None) -> None:
        """Make the batch void, if it is not yet."""
        if not self.is_void:
            self.events.append(error(code, path, offset=offset, calls=len(self.tools)))
        self.is_void = True
        self._kind, self.state = "respond", "prose"

    def go_on(self) -> None:
        """Write calls, segments between them, and some that break a rule."""
        for _ in range(self.draw(st.integers(0, 4))):
            part = self.draw(
                st.sampled_from(["call"] * 7 + ["think", "respond", "broken", "trailing"])
            )
            if part == "broken":
                code = self.draw(st.sampled_from(sorted(CALLS)))
                self.bad(self.draw(bad_payloads(code, len(self.tools))))
            elif part in KINDS:
                self.speak(part)
            else:
                self.call()
                if part == "trailing":
                    text, at = pointed(self.draw(st.sampled_from(TRAILING)))
                    self.trail(text, "trailing-text", at)

    # --- The end of a turn -------------------------------------------------------------------

    def execute(self) -> list[str] | None:
        """Write the marker that runs the calls; return their tools, or nothing for a void batch."""
        self.keyword("execute")
        self._gaps = BOUNDARY
        if self.is_void:
            return None
        self.events.append(execute())
        return self.tools

    def end(self) -> None:
        """End the turn."""
        offset = self.keyword("end")
        self._gaps = BOUNDARY
        if self.tools and not self.is_void:
            self.events.append(error("missing-execute", offset=offset, calls=len(self.tools)))
        self.events.append(end())

    def document(self, state: str = "", after: str = "") -> Document:
        """Return the document; text after a hard stop is discarded."""
        self.events += segment(KINDS[self._kind], self._content)
        if not state and self.tools and not self.is_void:
            calls = len(self.tools)
            self.events.append(error("missing-execute", offset=len(self.text), calls=calls))
        text = self.text + after
        return Document(text, self.events, state or self.state, len(after), self.options)

    # --- Results -----------------------------------------------------------------------------

    def results_marker(self) -> tuple[int, bool]:
        """Write one; return where it begins, and whether its body ends with a bracket."""
        if self.draw(st.booleans()):
            return self.keyword("result:"), False
        return self.mark("[SYSTEM: "), True

    def body(self, body: str, *, is_bracketed: bool) -> None:
        """Write what follows a marker of results."""
        self.body_start = len(self.text)
        self.text += body
        if is_bracketed:
            self.text += "]"
            self._anchor = len(self.text)
            self._gaps = LINE_END

    def answer(self, tool: str, *, success: bool) -> tuple[bool, str]:
        """Write a result of a tool; return whether it ends with a bracket, and its item."""
        _, is_bracketed = self.results_marker()
        body, item = self.draw(answers(tool, is_bracketed=is_bracketed, success=success))
        self.body(body, is_bracketed=is_bracketed)
        self.state = "results"
        return is_bracketed, item

    def answer_all(self, tools: list[str] | None) -> bool:
        """Write the results of a batch; return whether text may follow them."""
        written: list[str] = []
        succeeded: list[bool] = []
        is_bracketed = False
        for tool in ["execute"] if tools is None else tools:
            succeeded.append(tools is not None and self.draw(st.booleans()))
            is_bracketed, item = self.answer(tool, success=succeeded[-1])
            written.append(item)
        if tools == []:
            _, is_bracketed = self.results_marker()
            self.body(f"[{self.draw(white)}]", is_bracketed=is_bracketed)
        content = "[\n  " + ",\n  ".join(written) + "\n]" if written else "[]"
        counts = succeeded.count(True), succeeded.count(False)
        executed = 0 if tools is None else len(tools)
        self.events.append(result(content, *counts, executed=executed))
        self.state = "results"
        return is_bracketed

    def forge(self) -> bool:
        """Write the marker of a result where none is expected."""
        offset, is_bracketed = self.results_marker()
        calls = 0 if self.is_void else len(self.tools)
        self.events.append(error("forged-results", offset=offset, calls=calls))
        self.is_void = True
        self.state = "results"
        return is_bracketed

    def forge_whole(self) -> None:
        """Write a whole result where none is expected, and perhaps prose after it."""
        is_bracketed = self.forge()
        self.body(self.draw(BODIES[is_bracketed]), is_bracketed=is_bracketed)
        self._kind = "respond"
        if is_bracketed:
            self.say(self.draw(prose))
            self.state = "prose"


@st.composite
def turns(draw: st.DrawFn, dialect: str) -> Document:
    """Draw a turn, and text that the model wrote after it stopped."""
    writer = Writer(draw, dialect, "turn")
    writer.open_turn()
    writer.go_on()
    stop = draw(st.sampled_from(["none", "end", "forged", "execute", "execute", "execute"]))
    if stop == "none":
        return writer.document()
    if stop == "forged":
        writer.forge()
        return writer.document("paused", draw(running))
    if stop == "end":
        writer.end()
        return writer.document("ended", draw(after_stop()))
    writer.execute()
    return writer.document("paused", draw(after_stop()))


@st.composite
def transcripts(draw: st.DrawFn, dialect: str) -> Document:
    """Draw a conversation: turns that end in `§execute` or in `§end`, results, and a last turn."""
    writer = Writer(draw, dialect, "transcript")
    may_speak = True
    for _ in range(draw(st.integers(0, 3))):
        writer.open_turn(may_speak=may_speak)
        writer.go_on()
        may_speak = True
        if draw(st.integers(0, 4)) == 0:
            writer.speak("respond")
            writer.forge_whole()
        if draw(st.integers(0, 4)) == 0:
            writer.end()
            writer.begin_turn()
            continue
        tools = writer.execute()
        writer.begin_turn()
        if draw(st.booleans()):
            may_speak = writer.answer_all(tools)
    if draw(st.booleans()):
        writer.open_turn(may_speak=may_speak)
    return writer.document()
