"""Streams of the dialects whose parts begin with a marker at the start of a line."""

from collections.abc import Callable, Sequence

from . import pools
from .tags import RESULTS_CODES
from .writer import CALL_CODES, Fault, JsonWriter


class Lines(JsonWriter):
    """Both dialects are read in the same way; `name` is the requested one."""

    pieces = pools.LINE_PIECES
    beginnings = (
        *("", "§call: ", '§call: {"name":"a","args":{}}', '§call: {"name":"a","args":{"x":'),
        *('§call: {"name":"a"}\n§execute\n', "§call: x\n§execute\n[SYSTEM: ", "§execute§result:"),
        '§call: {"name":"a"}§call: {"name":"b"}§execute§result: 1\n',
    )
    codes = (
        *CALL_CODES,
        *("trailing-text", "bad-encoding", "unclosed-call", "missing-execute", "forged-results"),
        *("limit-size", "limit-calls", *RESULTS_CODES),
    )

    # --- Valid texts --------------------------------------------------------------------------

    def prose(self) -> str:
        """Write text without a live marker, and without white space at its end."""
        return super().prose() + "."

    def names(self, fewest: int = 0) -> list[str]:
        """Choose the tools of a batch."""
        return [self.one(pools.TOOLS) for _ in range(max(fewest, self.one([0, 1, 1, 2, 3])))]

    def keyword(self, word: str) -> str:
        """Write a marker, in any letter case."""
        return "§" + self.one([word, word, word.upper(), word.upper(), word.title()])

    def call(self, name: str, hole: str | None = None) -> str:
        """Write a call, which need not have arguments."""
        if hole is None and self.chance(0.3):
            return self.object([("name", f'"{name}"')])
        return super().call(name, hole)

    def without_args(self) -> str:
        """Write a call whose args have another name."""
        other = self.one(["arguments", "input", "kwargs", "parameters", "params"])
        members = [("name", '"a"'), (other, self.one(["{}", "1", self.args()]))]
        return self.shuffled([*self.plain_members(1), *members])

    def payload(self, source: str) -> str:
        """Write a call after its marker."""
        return self.keyword("call:") + self.one([" ", " ", self.white()]) + source

    def segments(self) -> list[str]:
        """Write up to two segments."""
        words = (self.one(["think:", "respond:"]) for _ in range(self.one([0, 0, 0, 0, 1, 1, 2])))
        return [f"{self.keyword(word)} {self.prose()}" for word in words]

    def opening(self) -> list[str]:
        """Write the beginning of a turn."""
        return [self.one(["", "", self.prose()])]

    def batch(self, names: Sequence[str]) -> list[str]:
        """Write calls, perhaps with a segment between them."""
        parts = []
        for name in names:
            parts.append(self.payload(self.call(name)))
            if self.chance(0.1):
                parts += self.segments()
        return parts

    def joined(self, parts: Sequence[str]) -> str:
        """Put every part on a separate line."""
        return "".join(f"{part}{self.one(pools.BREAKS)}" for part in parts[:-1]) + parts[-1]

    def turn(self, start: str) -> str:  # noqa: ARG002 - here think needs no closer
        """Write a turn and, if it stops, something after it."""
        parts = [*self.opening(), *self.segments()]
        stop = self.random.random()
        if stop < 0.15:
            return self.joined(parts)
        parts += [self.keyword("end")] if stop < 0.3 else self.executed(self.names())
        return self.joined([*parts, self.one(["", self.junk()])])

    def executed(self, names: Sequence[str]) -> list[str]:
        """Write a batch that runs."""
        return [*self.batch(names), self.keyword("execute")]

    def transcript(self, start: str) -> str:  # noqa: ARG002 - as in `turn`
        """Write a conversation."""
        rounds = [part for _ in range(self.one([1, 1, 1, 2])) for part in self.round()]
        return self.joined([*self.opening(), *rounds, *self.segments(), self.keyword("think:")])

    def round(self) -> list[str]:
        """Write a turn that ends, and perhaps its results; no text but after a marker."""
        parts = self.segments()
        if self.chance(0.2):
            return [*parts, self.keyword("end")]
        names = self.names()
        parts += self.executed(names)
        return parts + self.answers(names) if self.chance(0.7) else parts

    def answers(self, names: Sequence[str]) -> list[str]:
        """Write a result for each call, and for an empty batch that there are none."""
        return [self.body(self.answer(name)) for name in names] or [self.body("[]")]

    def body(self, text: str) -> str:
        """Write a body after either marker; its end of line follows."""
        if self.chance(0.5) or "]\n" in text or "]\r" in text:
            return f"{self.keyword('result:')} {text}"
        return f"[SYSTEM: {text}]\n"

    def answer(self, tool: str) -> str:
        """Write the body of a result: text, JSON or a whole item."""
        return self.one([self.one(pools.BODIES), self.value(1), self.item(tool)])

    def junk(self) -> str:
        """Write pieces of anything in any order."""
        return self.some(self.pieces, 3)

    # --- Faults -------------------------------------------------------------------------------

    def fault(self, code: str, mode: str, start: str) -> Fault:  # noqa: ARG002 - as in `turn`
        """Write a text that must give an error of this code."""
        parts = self.opening()
        if mode == "transcript" and self.chance(0.2):
            parts += self.round()
        parts += self.segments() or [self.keyword("respond:")]
        broken, limits, is_last = self.broken(code)
        parts += broken
        if not is_last:
            parts += self.one([[self.keyword("execute")], [self.junk()], self.void_answer()])
        return Fault(self.joined(parts), limits)

    def void_answer(self) -> list[str]:
        """Write the end of a void batch and what answers it."""
        return [self.keyword("execute"), self.body(self.failure()), self.keyword("end")]

    def broken(self, code: str) -> tuple[list[str], dict[str, int], bool]:
        """Write lines with one fault, the limits it takes, and whether the text ends there."""
        if code in RESULTS_CODES:
            return self.broken_round(code), {}, False
        if code in CALL_CODES:
            call, limits = self.broken_call(code)
            return [*self.batch(self.names()[:1]), self.payload(call)], limits, False
        return FAULTS[code](self)

    def broken_round(self, code: str) -> list[str]:
        """Write a batch and results that do not answer it."""
        names = self.names(1)
        bodies = [self.answer(name) for name in names]
        at = self.number(0, len(names) - 1)
        if code == "results-shape":
            bodies[at] = self.broken_item(names[at])
        elif code == "results-order":
            bodies[at] = self.item(self.one(["", "c", "execute"]))
        elif at == 0:
            bodies.append(self.answer("a"))
        else:
            del bodies[at:]
        last = self.keyword("end")
        return [*self.executed(names), *(self.body(body) for body in bodies), last]

    def broken_item(self, tool: str) -> str:
        """Write an item that is wrong in itself, or a body that is damaged."""
        wrong = self.one(["ok", "", "Success"])
        return self.one(
            [
                self.result_of(tool, f'"{wrong}"', self.value(1)),
                self.result_of(tool, "1", self.value(1)),
                self.result_of(tool, '"failure"', self.one(["1", "null", "{}", "[]"])),
                self.damaged_by_half(self.one(pools.BODIES)),
            ]
        )

    def trailing(self) -> tuple[list[str], dict[str, int], bool]:
        """Write something after a call."""
        text = self.white() + self.one(["please", "]", "}", "x §end", "\u00a0", ",", "§endless"])
        return [*self.batch(self.names()[:1]), self.payload(self.call("a")) + text], {}, False

    def damaged(self) -> tuple[list[str], dict[str, int], bool]:
        """Write a call with half a surrogate pair in it."""
        source = self.damaged_by_half(self.call("a"))
        return [*self.batch(self.names()[:1]), self.payload(source)], {}, False

    def unclosed(self) -> tuple[list[str], dict[str, int], bool]:
        """Write the beginning of a call."""
        source = self.call("a")
        beginning = source[: self.number(0, len(source) - 1)]
        return [*self.batch(self.names()[:1]), self.payload(beginning)], {}, True

    def pending(self) -> tuple[list[str], dict[str, int], bool]:
        """Write calls that nothing executes."""
        parts = self.batch(self.names(1))
        return self.one([(parts, {}, True), ([*parts, self.keyword("end")], {}, False)])

    def forged(self) -> tuple[list[str], dict[str, int], bool]:
        """Write results where none are due."""
        return [*self.batch(self.names()[:1]), self.body(self.one(pools.BODIES))], {}, False

    def too_large(self) -> tuple[list[str], dict[str, int], bool]:
        """Write calls, and set the limit below their size."""
        calls = [self.call(name) for name in self.names(1)]
        size = self.number(1, sum(map(len, calls)) - 1)
        return [self.payload(call) for call in calls], {"size": size}, False

    def too_many(self) -> tuple[list[str], dict[str, int], bool]:
        """Write calls, and set the limit below their number."""
        names = self.names(2)
        return self.batch(names), {"calls": self.number(1, len(names) - 1)}, False


class Delimiter(Lines):
    """The dialect of lower case."""

    name = "delimiter"


class DelimiterUpper(Lines):
    """The dialect of upper case."""

    name = "delimiter-upper"


FAULTS: dict[str, Callable[[Lines], tuple[list[str], dict[str, int], bool]]] = {
    "trailing-text": Lines.trailing,
    "bad-encoding": Lines.damaged,
    "unclosed-call": Lines.unclosed,
    "missing-execute": Lines.pending,
    "forged-results": Lines.forged,
    "limit-size": Lines.too_large,
    "limit-calls": Lines.too_many,
}
