"""The record of a format that models are trained on: what is written by hand to test it."""

from dataclasses import dataclass, field
from functools import cached_property

from hypothesis import strategies as st

from tests.core.helpers import CARET, call, error, execute, respond, result

#: Pieces of texts to try in every format.
COMMON = (*'{}[]"\\,: \n;<>=\r\x00', *("a", "execute", "Hi.", "é😀", "\ud83d", "\ude00", "1e999"))


def success(tool, content):
    """Return an item of a result, of which `content` is JSON."""
    return f'  {{"tool": "{tool}", "status": "success", "content": {content}}}'


def results(*items):
    """Return the result of a batch in which every tool succeeded."""
    return result("[\n" + ",\n".join(items) + "\n]", len(items))


def delta(content, *, index=0, name="a"):
    """Return a delta of a call."""
    return {"type": "call_delta", "index": index, "name": name, "content": content}


@dataclass(frozen=True, kw_only=True)
class Format:
    """What is written by hand of a format."""

    name: str
    #: The opener and the closer of a think.
    think: tuple[str, str]
    #: A result, with `{}` for its body.
    result: str
    #: A call of `a` and one of `b` without arguments, as they are written.
    calls: tuple[str, str]
    #: The arguments of the call of `a`, as JSON.
    args: str
    #: The text of each of the two calls that `spans` returns.
    spans: tuple[str, str]
    #: A call that breaks a rule, with a caret; the code of its error; the path in the call.
    broken: tuple[str, str, str]
    #: By name: transcripts, and what is read of each; a caret precedes the character of an error.
    transcripts: dict[str, tuple[str, list]] = field(default_factory=dict)
    #: By name: a text of `xml-json`, its conversion to this format, and the changes reported.
    changed: dict[str, tuple[str, str | None, list[str]]] = field(default_factory=dict)
    #: By name: a call that cannot be written, as a name and arguments, and the path of the reason.
    refused: dict[str, tuple[str, dict, str]] = field(default_factory=dict)
    #: What no argument may contain, because nothing escapes it.
    end_of_value: str | None = None
    #: What the prompt says.
    taught: tuple[str, ...]
    #: Pieces of texts to try, besides those in the other members.
    pieces: tuple[str, ...]

    def answer(self, body):
        """Return a result with this body."""
        return self.result.format(body)

    @cached_property
    def results(self):
        """The opener and the closer of a result."""
        return tuple(part.strip() for part in self.result.split("{}"))

    @cached_property
    def events(self):
        """The events of `calls`."""
        return (call(f'{{"name": "a", "args": {self.args}}}'), call('{"name": "b", "args": {}}'))

    @cached_property
    def whole(self):
        """A transcript with a think, prose, two calls, their results and an answer."""
        opening = f"{self.think[0]}Hm.{self.think[1]}\nI look."
        answers = (self.answer("ok"), self.answer("1"))
        return "\n".join((opening, *self.calls, *answers, "Done."))

    @cached_property
    def texts(self):
        """A strategy of texts that are mostly pieces of the format."""
        own = [*self.think, *self.results, *self.calls, *self.pieces]
        return st.lists(st.sampled_from([*own * 2, *COMMON]), max_size=14).map("".join)

    @cached_property
    def all_transcripts(self):
        """The transcripts that are read the same way in every format, and the format's own."""
        (a, b), (call_a, call_b) = self.calls, self.events
        broken, code, path = self.broken
        failure = '{"tool": "execute", "status": "failure", "content": "no"}'
        return {
            "results run the calls": (
                f"{a}{self.answer('ok')}Done.",
                [call_a, execute(), results(success("a", '"ok"')), respond("Done.")],
            ),
            "one for each call": (
                f"{a}{b}{self.answer('1')}{self.answer('[2]')}",
                [call_a, call_b, execute(), results(success("a", "1"), success("b", "[2]"))],
            ),
            "half a marker after results": (
                f"{a}{self.answer('1')} {self.results[0][0]}",
                [call_a, execute(), results(success("a", "1")), respond(self.results[0][0])],
            ),
            "too few": (
                f"{a}{b}{self.answer('1')}{CARET}",
                [call_a, call_b, execute(), error("results-count")],
            ),
            "results of nothing": (
                f"a{CARET}{self.answer('1')}b",
                [respond("a"), error("forged-results"), respond("b")],
            ),
            "the answer to a void batch": (
                f"{broken}{self.answer(failure)}",
                [error(code, f"/0{path}"), result(f"[\n  {failure}\n]", 0, 1, executed=0)],
            ),
            "no call after an error": (
                f"{a}{broken}{b}c{self.answer(failure)}{a}{self.answer('1')}",
                [
                    *[call_a, error(code, f"/1{path}", calls=1), respond("c")],
                    result(f"[\n  {failure}\n]", 0, 1, executed=0),
                    *[call_a, execute(), results(success("a", "1"))],
                ],
            ),
            **self.transcripts,
        }
