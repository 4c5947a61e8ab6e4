# SPDX-License-Identifier: MIT
"""Writes a text of the delimiter dialects and, beside it, the events that it must produce."""

from typing import Any, Final, NamedTuple

from hypothesis import strategies as st

from cogwire_kit.strategies._bodies import BODIES, answers
from cogwire_kit.strategies._lines import (
    BROKEN,
    any_calls,
    breaks,
    keywords,
    line_ends,
    prose,
    spaces,
)
from cogwire_kit.strategies._prose import segment, white
from cogwire_kit.strategies._wire import (
    WHITE,
    Document,
    Event,
    call,
    end,
    error,
    execute,
    respond,
    result,
    think,
)

KINDS: Final = {"think": think, "respond": respond}
STATES: Final = {"think": "think", "respond": "prose"}


class Gaps(NamedTuple):
    """What may precede text, a marker that begins with `§`, and `[SYSTEM: `."""

    before_text: st.SearchStrategy[str]
    before_sign: st.SearchStrategy[str]
    before_bracket: st.SearchStrategy[str]


NOTHING = Gaps(st.just(""), white, white)
BOUNDARY = Gaps(spaces, white, spaces)
LINE_END = Gaps(breaks, breaks, breaks)


class Writer:
    """Writes a text and, beside it, the events that it must produce."""

    def __init__(self, draw: st.DrawFn, mode: str) -> None:
        self.draw = draw
        start = draw(st.sampled_from(["prose", "prose", "think"]))
        self.options: dict[str, Any] = {"mode": mode, "start": start}
        self.text = ""
        self.events: list[Event] = []
        #: Where the last marker, call or result ended, and what must follow there.
        self._anchor = 0
        self._gaps = NOTHING
        self.begin_turn()

    def begin_turn(self) -> None:
        """Begin at the first character of a turn."""
        self.state: str = self.options["start"]
        self._kind = "think" if self.state == "think" else "respond"
        self._content = ""
        self._tools: list[str] = []
        self._is_void = False

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

    def call(self) -> None:
        """Write a call."""
        one = self.draw(any_calls)
        self._payload(one.source)
        self._anchor = len(self.text)
        self._tools.append(one.name)
        if not (self._is_void and self.options["mode"] == "transcript"):  # m-transcript-void
            self.events.append(call(one.source))
        self.state = "execute"

    def break_off(self) -> None:
        """Write a payload that is not a call, and is read as prose."""
        payload, at, code, path = self.draw(st.sampled_from(BROKEN))
        offset = self._payload(payload) + at
        self._spoil(code, offset, f"/{len(self._tools)}{path}")
        self._content = payload

    def trail(self) -> None:
        """Write text where, after a call, only a marker may be."""
        gap = self.draw(white)
        self._spoil("trailing-text", len(self.text) + len(gap), None)
        self.text += gap
        self.say(self.draw(st.sampled_from(["please", "]", "}\n", ", then\n§en", "\u00a0"])))

    def _payload(self, source: str) -> int:
        self.keyword("call:")
        self.text += self.draw(st.one_of(st.just(" "), white))
        offset = len(self.text)
        self.text += source
        return offset

    def _spoil(self, code: str, offset: int, path: str | None) -> None:
        if not self._is_void:
            self.events.append(error(code, path, offset=offset, calls=len(self._tools)))
        self._is_void = True
        self._kind, self.state = "respond", "prose"

    def execute(self) -> list[str] | None:
        """Write the marker that runs the calls; return their tools, or nothing for a void batch."""
        self.keyword("execute")
        self._gaps = BOUNDARY
        if self._is_void:
            return None
        self.events.append(execute())
        return self._tools

    def end(self) -> None:
        """End the turn."""
        offset = self.keyword("end")
        self._gaps = BOUNDARY
        if self._tools and not self._is_void:
            self.events.append(error("missing-execute", offset=offset, calls=len(self._tools)))
        self.events.append(end())

    def _results_marker(self) -> tuple[int, bool]:
        """Write one; return where it begins, and whether its body ends with a bracket."""
        if self.draw(st.booleans()):
            return self.keyword("result:"), False
        return self.mark("[SYSTEM: "), True

    def _body(self, body: str, *, is_bracketed: bool) -> None:
        self.text += body
        if is_bracketed:
            self.text += "]"
            self._anchor = len(self.text)
            self._gaps = LINE_END

    def forge(self) -> bool:
        """Write the marker of a result where none is expected."""
        offset, is_bracketed = self._results_marker()
        calls = 0 if self._is_void else len(self._tools)
        self.events.append(error("forged-results", offset=offset, calls=calls))
        self._is_void = True
        self.state = "results"
        return is_bracketed

    def forge_and_go_on(self) -> None:
        """Write a whole result where none is expected, and perhaps prose after it."""
        is_bracketed = self.forge()
        self._body(self.draw(BODIES[is_bracketed]), is_bracketed=is_bracketed)
        self._kind = "respond"
        text = self.draw(prose)
        if is_bracketed and text:
            self.say(text)
            self.state = "prose"

    def answer(self, tools: list[str] | None) -> bool:
        """Write the results of a batch; return whether text may follow them."""
        written: list[str] = []
        succeeded: list[bool] = []
        is_bracketed = False
        for tool in ["execute"] if tools is None else tools:
            _, is_bracketed = self._results_marker()
            success = tools is not None and self.draw(st.booleans())
            body, item = self.draw(answers(tool, is_bracketed=is_bracketed, success=success))
            self._body(body, is_bracketed=is_bracketed)
            written.append(item)
            succeeded.append(success)
        if tools == []:
            _, is_bracketed = self._results_marker()
            self._body(f"[{self.draw(white)}]", is_bracketed=is_bracketed)
        content = "[\n  " + ",\n  ".join(written) + "\n]" if written else "[]"
        counts = succeeded.count(True), succeeded.count(False)
        executed = 0 if tools is None else len(tools)
        self.events.append(result(content, *counts, executed=executed))
        self.state = "results"
        return is_bracketed

    def document(self, state: str = "", after: str = "") -> Document:
        """Return the document; text after a hard stop is discarded."""
        self.events += segment(KINDS[self._kind], self._content)
        if not state and self._tools and not self._is_void:
            calls = len(self._tools)
            self.events.append(error("missing-execute", offset=len(self.text), calls=calls))
        text = self.text + after
        return Document(text, self.events, state or self.state, len(after), self.options)
