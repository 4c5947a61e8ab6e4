# SPDX-License-Identifier: MIT
"""A description of a format, held against the chat template of the model that writes it.

The template writes messages of the model with thoughts, prose, calls and awkward texts, and what it
writes is read back in the format.  What is read otherwise is named with its place, and so is each
marker that the template writes and the description does not have.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Any, Final, Literal

import cogwire
from cogwire import Event, Format
from cogwire_kit.chat_templates import ChatTemplate
from cogwire_kit.template_turns import (
    RESULT,
    SHAPES,
    TEXTS,
    Said,
    Turn,
    Turns,
    markers_in,
    texts_of,
    tools_of,
)
from cogwire_kit.texts.rows import strings_in

# -- What is found ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reading:
    """A message as the template writes it, and what is read of that."""

    #: Which of the texts it is.
    name: str
    #: "same", "other" if it says something else, or "refused" if the template does not write it.
    outcome: Literal["same", "other", "refused"]
    #: The turn, as far as it is read, and where it starts.
    text: str = ""
    start: str = ""
    #: What the template writes of the message, and what is read: thoughts, prose, calls, errors.
    expected: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    #: Where the first thing is that is read otherwise, in code points of the text.
    offset: int | None = None
    #: Why the template refuses the message.
    reason: str = ""


@dataclass(frozen=True)
class Prompt:
    """How a generation prompt ends, and where a turn starts after it."""

    #: Whether the model is asked to think.
    thinking: bool
    #: What follows the user's message in it.
    end: str
    start: str


@dataclass(frozen=True)
class Report:
    """What a format reads in what a template writes."""

    readings: list[Reading]
    prompts: list[Prompt]
    #: What the description does not say, or says otherwise.
    problems: list[str]
    #: What the check cannot decide.
    notes: list[str]

    @property
    def is_same(self) -> bool:
        """Whether there is no problem, and each message is read as it was."""
        return not self.problems and all(each.outcome != "other" for each in self.readings)


def check(
    form: Format, template: ChatTemplate, *, stop: str = "", is_known: bool = False
) -> Report:
    """Return what a format reads in the messages that a chat template writes.

    `stop` is a token that the server removes from the end of a turn; by default it is the
    template's `eos_token`.  `is_known` says that the format is one of those that have a name, whose
    models differ in how they end a turn and write a result.  Raises `ValueError` if the template
    writes no prompt, or no message of the model.
    """
    reader = reader_of(form, template, stop=stop)
    return Report(
        [reader.reading(name, said) for name, said in texts_of(form).items()],
        [
            Prompt(
                thinks, reader.turns.prompt_end(thinks=thinks), reader.turns.start(thinks=thinks)
            )
            for thinks in (True, False)
        ],
        *_Comparison(reader, form, is_known=is_known).told,
    )


# -- Reading back ----------------------------------------------------------------------------------

#: The argument of the text "one call".
_A_VALUE: Final = "Paris"
#: What a message says, in the order in which most templates write it.
_KINDS: Final = ("thought", "prose", "call")


class Reader:
    """What a format reads in the turns that a template writes."""

    def __init__(self, form: Format, turns: Turns, stop: str = "") -> None:
        """Read turns; `stop` is a token that the server removes from their ends."""
        self.turns: Final = turns
        self._form = form
        self.stop: Final = stop
        self._is_text: bool = form.to_json()["payload"]["kind"] == "text"
        self._texts = texts_of(form)
        self._toolset = cogwire.Toolset(tools_of(form), form)

    @cached_property
    def unknown_end(self) -> str:
        """What the template writes after a turn, unless the description or the server knows it."""
        ends: Sequence[str] = self._form.to_json().get("ends", ())
        closer = self.turns.closer.removesuffix(self.stop).rstrip()
        return "" if any(end in closer for end in ends) else closer

    @cached_property
    def most_calls(self) -> int | None:
        """How many calls of a message the template writes; None if it writes all of them."""
        one, two = (self._texts.get(name, Said()) for name in ("one call", "two calls"))
        try:
            if one.calls and _A_VALUE not in self.turns.body(one):
                return 0
            return 1 if two.calls and two.calls[1]["name"] not in self.turns.body(two) else None
        except ValueError:
            return None

    def reading(self, name: str, said: Said) -> Reading:
        """Return what is read of a message as the template writes it."""
        others: list[Reading] = []
        try:
            for turns in self.turns.alternatives(said):
                found = [self._read(name, said, turn) for turn in turns]
                other = [each for each in found if each.outcome == "other"]
                if not other:
                    return found[0]
                others += other
        except ValueError as problem:
            return Reading(name, "refused", reason=str(problem))
        return others[0]

    def _read(self, name: str, said: Said, turn: Turn) -> Reading:
        text = turn.text
        if self.stop and self.stop in text:
            text = text[: text.rindex(self.stop)]
        if self.unknown_end and text.rstrip().endswith(self.unknown_end):
            text = text.rstrip().removesuffix(self.unknown_end)
        parser = cogwire.Parser(self._form, start=turn.start, spans=True, clock=None)
        events = parser.feed(text) + parser.close(finished=True)
        read = [*self._found(events, said)]
        if not any(event["type"] == "error" for event in events):
            # Some templates write prose after the calls.
            read.sort(key=lambda each: _KINDS.index(each[0].partition(" ")[0]))
        expected, found = tuple(self._written(said, text)), tuple(each for each, _ in read)
        if found == expected:
            return Reading(name, "same", text, turn.start, expected, found)
        pairs = zip_longest(expected, found)
        at = next(at for at, (one, other) in enumerate(pairs) if one != other)
        offset = read[at][1] if at < len(read) else len(text)
        return Reading(name, "other", text, turn.start, expected, found, offset)

    def _written(self, said: Said, text: str) -> Iterator[str]:
        """Yield what the template writes of a message."""
        if said.thought and said.thought in text:
            yield _worded("thought", said.thought)
        if said.prose and said.prose in text:
            yield _worded("prose", said.prose)
        for each in said.calls[: self.most_calls]:
            yield _worded(f"call of {each['name']}", each["arguments"])

    def _found(self, events: Sequence[Event], said: Said) -> Iterator[tuple[str, int]]:
        """Yield what events say, each with its place.

        A payload that is a text may be all of a call: it only has to contain the argument.
        """
        given = iter(said.calls)
        for event in events:
            place = event["span"][0] if "span" in event else 0
            match event["type"]:
                case "think":
                    yield _worded("thought", event["content"].strip()), place
                case "respond":
                    yield _worded("prose", event["content"].strip()), place
                case "call":
                    read = self._toolset.check(event)
                    meant = next(given, {}).get("arguments", {})
                    args = read.args
                    if self._is_text and all(meant[key] in args.get(key, "") for key in meant):
                        args = meant or args
                    yield _worded(f"call of {read.name}", args), place
                case "error":
                    yield f"{event['code']}: {event['content']}", event["offset"]
                case _:
                    continue


def _worded(what: str, value: Any) -> str:
    return f"{what} {json.dumps(value, ensure_ascii=False, sort_keys=True)}"


#: What decides in which form a template wants messages.
_PROBES: Final = ("prose", "thought and prose", "one call", "thought, prose and two calls")


def reader_of(form: Format, template: ChatTemplate, *, stop: str = "") -> Reader:
    """Return what reads the turns of a template, in the form of messages that it accepts best.

    Raises `ValueError` if it writes no prompt, or no message.
    """
    best: tuple[int, int, Reader] | None = None
    texts = texts_of(form)
    probes = [(name, texts[name]) for name in _PROBES if name in texts]
    most = sum(len(said.calls) + bool(said.prose) + bool(said.thought) for _, said in probes)
    for shape in SHAPES:
        reader = Reader(form, Turns(template, form, shape), stop or template.stop)
        found = [reader.reading(name, said) for name, said in probes]
        same = sum(len(each.expected) for each in found if each.outcome == "same")
        written = sum(len(each.expected) for each in found)
        if written and (best is None or (same, written) > best[:2]):
            best = (same, written, reader)
        if same == most:
            break  # No other form can be better.
    if best is None:
        raise ValueError("the chat template writes no message of the model")
    return best[2]


# -- What the description lacks --------------------------------------------------------------------

#: What a piece of a call has of JSON, where a name or a value was in it.
_JSON: Final = re.compile(
    r"""[\[{\s]*"\w+"\s*:\s*[\[{]*\s*"?\Z|\A"?\s*[,:]?\s*(?:"\w+"\s*:)?[\s{]*"?\Z|\A"?(?:\s*[}\]])+"""
)
#: The members of a payload whose texts are names, and not markers.
_WORDS: Final = frozenset({"kind", "name", "args", "tool", "arg"})
#: What a marker has in place of a name or an id.
_PLACE: Final = re.compile(r"{\w+}")
_PLACES: Final = (
    "before the name of a tool",
    "between the name of a tool and the name of an argument",
    "before the value of an argument",
    "after the value of an argument",
)


class _Comparison:
    """The markers of a description beside those that a template writes."""

    def __init__(self, reader: Reader, form: Format, *, is_known: bool) -> None:
        self._reader = reader
        self._turns = reader.turns
        self._form = form
        self._json = form.to_json()
        self._is_known = is_known
        payload = self._json["payload"]
        words = {"kind"} if payload["kind"] == "tags" else _WORDS
        markers = {key: value for key, value in payload.items() if key not in words}
        marks = strings_in({**self._json, "name": "", "payload": markers})
        pieces = {piece for each in marks for piece in _PLACE.split(each)}
        #: The longest first, since one may be in another.
        self._markers = sorted(filter(str.strip, pieces), key=lambda each: (-len(each), each))

    @property
    def told(self) -> tuple[list[str], list[str]]:
        """The problems and the notes."""
        problems = [*self._thoughts(), *self._calls()]
        notes = [*self._lost(), *self._spellings(), *self._written()]
        for found in (*self._ends(), *self._results()):
            (notes if self._is_known else problems).append(found)
        return problems, notes

    def _thoughts(self) -> Iterator[str]:
        texts = texts_of(self._form)
        for name in ("thought and prose", "thought, prose and two calls"):
            said = texts.get(name)
            if said is None or self._reader.reading(name, said).outcome != "other":
                continue
            pieces = _between(self._turns.body(said), said.thought, said.prose)
            opener, closer = (each.strip() for each in pieces[:2] or ("", ""))
            opener = opener or self._turns.opened(thinks=True).strip()
            openers, closers = markers_in(self._form, "think")
            if closer and not (_has_one(opener, openers) and _has_one(closer, closers)):
                has = _pair(openers, closers)
                yield (
                    f"`think`: a thought is in `{opener}` … `{closer}`, and not in {has}; users "
                    "see it, and a call in it runs"
                )
                return

    def _calls(self) -> Iterator[str]:
        said = texts_of(self._form)["one call"]
        names = ["search", "query"] if said is TEXTS["one call"] else []
        if self._reader.reading("one call", said).outcome != "other":
            return
        pieces = _between(self._turns.body(said), *names, _A_VALUE)
        for place, piece in zip(_PLACES if names else _PLACES[2:], pieces, strict=False):
            for each in self._unknown(piece):
                yield f"`payload`: `{each}` is {place}, and the description does not have it"

    def _ends(self) -> Iterator[str]:
        if end := self._reader.unknown_end:
            yield (
                f"`ends`: a turn ends with `{end}`, which users see; add it, or pass it as --stop "
                "if your server removes it"
            )

    def _results(self) -> Iterator[str]:
        """Yield how a result is written, if the description has other markers for it."""
        opener, closer = self._result
        openers, closers = markers_in(self._form, "result")
        if not opener or not openers:
            return
        if not (_has_one(opener, openers) and _has_one(closer, closers)):
            has = _pair(openers, closers)
            yield f"`result`: a result is in `{self._last(opener)}` … `{closer}`, and not in {has}"

    @cached_property
    def _result(self) -> tuple[str, str]:
        """What is before and after a result; empty texts if the template writes none."""
        try:
            text = self._turns.with_result(TEXTS["one call"])
        except ValueError:
            return "", ""
        before, found, after = text.partition(RESULT)
        return (before.rpartition(_A_VALUE)[2].strip(), after.strip()) if found else ("", "")

    def _lost(self) -> Iterator[str]:
        """Yield what cannot be checked with this template, and what no description can repair."""
        opener, closer = self._result
        if opener and not markers_in(self._form, "result")[0]:
            yield (
                f"`result`: a result is in `{self._last(opener)}` … `{closer}`; with markers of "
                "results in the description, a result that the model invents is an error, and not "
                "shown as prose"
            )
        texts = [self._reader.reading(name, said) for name, said in texts_of(self._form).items()]
        if not any(said.startswith("thought ") for each in texts for said in each.expected):
            yield "the template writes no thoughts in a history: `think` is not checked"
        if self._reader.most_calls == 1:
            yield "the template writes only the first of several calls"
        if self._reader.reading("", with_markers(self._form)).outcome == "other":
            yield (
                "an argument that has the format's own markers is read otherwise, because the "
                "template escapes nothing"
            )
            payload, said = self._json["payload"], texts_of(self._form)["one call"]
            if payload["kind"] in ("tags", "text") and not payload.get("margin"):
                after = self._turns.body(said).partition(_A_VALUE)[2]
                if after.startswith("\n") and after.strip():
                    yield (
                        "the template has the closer of a value on a line of its own: with "
                        '`"margin": "\\n"` in the payload one in the middle of a line is content'
                    )

    def _spellings(self) -> Iterator[str]:
        """Yield a note if the prompt seems to teach another form than a history has."""
        if self._json.get("header") or self._json.get("bare"):
            return
        prompt = self._turns.prompt(thinks=True)
        slots = [[one for one in each if len(one.strip()) > 1] for each in self._slots()]
        named = [each[0] for each in slots if each and any(one in prompt for one in each)]
        others = [each[0] for each in slots if each and not any(one in prompt for one in each)]
        if named and others:
            yield (
                f"the prompt names {_listed(named)}, but not {_listed(others)}: if it teaches "
                "another form than the history has, describe that of the history, which the model "
                "was trained to write, and compare it with a text of the model"
            )

    def _written(self) -> Iterator[str]:
        """Yield a note if a call is not written as the template writes it."""
        said = texts_of(self._form)["one call"]
        read = self._reader.reading("one call", said)
        is_text = self._json["payload"]["kind"] == "text"
        if self._is_known or is_text or read.outcome != "same":
            return
        calls = [{"name": each["name"], "args": each["arguments"]} for each in said.calls]
        written = cogwire.render_calls(calls, self._form)
        opener, closer = (next(iter(each), "") for each in markers_in(self._form, "section"))
        call = written.removeprefix(f"{opener}\n").removesuffix(f"\n{closer}")
        is_json = self._json["payload"]["kind"] in ("object", "array", "arguments")
        # Between other markers line feeds are always written.
        pair = (call, read.text) if is_json else (_on_a_line(call), _on_a_line(read.text))
        if pair[0] not in pair[1]:
            white = (
                "white space is written as `gap` and `head` have it"
                if is_json
                else "white space beside markers is read, but neither written nor in a grammar"
            )
            yield (
                f"the description writes `{call}`, which `render_prompt` teaches, and the template "
                f"`{read.text.strip()}`; {white}"
            )

    def _slots(self) -> Iterator[list[str]]:
        """Yield the markers around calls and their parts: for each place those that it may have."""
        for name in ("section", "call"):
            yield from markers_in(self._form, name)
        for name in ("tool", "key", "value", "end"):
            for each in _items(self._json["payload"].get(name)):
                yield [piece for one in _items(each) for piece in _PLACE.split(one)]

    def _last(self, piece: str) -> str:
        """Return the last part of a piece that the description does not have, or all of it."""
        return (self._unknown(piece) or [piece])[-1]

    def _unknown(self, piece: str) -> list[str]:
        """Return what a piece of a turn has besides the markers of the description and JSON."""
        for marker in (self._reader.unknown_end, *self._markers):
            piece = piece.replace(marker, "\0") if len(marker) > 1 else piece
        rests = piece.split("\0")
        if self._json["payload"]["kind"] != "tags":
            rests = [_JSON.sub("", each) for each in rests]
        return [each.strip() for each in rests if each.strip() not in ("", *self._markers)]


def with_markers(form: Format) -> Said:
    """Return a call with a text that has every marker of a format."""
    marks = {*filter(str.strip, strings_in(form.to_json()))}
    (one,) = texts_of(form)["one call"].calls
    return Said([{**one, "arguments": dict.fromkeys(one["arguments"], " ".join(sorted(marks)))}])


def _on_a_line(text: str) -> str:
    return text.replace("\n", "")


def _between(text: str, *inner: str) -> list[str]:
    """Return what is around texts that are in a text in this order; nothing if one is not there."""
    pieces: list[str] = []
    for each in inner:
        before, found, text = text.partition(each)
        if not found:
            return []
        pieces.append(before)
    return [*pieces, text]


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value] if value else []


def _has_one(text: str, markers: Sequence[str]) -> bool:
    return any(marker.strip() in text for marker in markers)


def _pair(openers: Sequence[str], closers: Sequence[str]) -> str:
    return " … ".join(f"`{next(iter(each), '')}`" for each in (openers, closers))


def _listed(markers: Sequence[str]) -> str:
    return ", ".join(f"`{each}`" for each in markers)
