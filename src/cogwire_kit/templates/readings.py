# SPDX-License-Identifier: MIT
"""Reads the messages that a chat template writes, and compares them with their contents."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Any, Final, Literal

import cogwire
from cogwire import Event, Format
from cogwire_kit.templates.chat import ChatTemplate
from cogwire_kit.templates.turns import (
    ONE,
    SHAPES,
    Sample,
    TemplateTurns,
    WrittenTurn,
    texts_of,
    tools_of,
)
from cogwire_kit.texts.dialects import markers_in


@dataclass(frozen=True)
class MessageReading:
    """A message as the template writes it, and as the format reads it back."""

    #: Which of the texts it is.
    name: str
    #: "same", "other" if it is read differently, or "refused" if the template does not write it.
    outcome: Literal["same", "other", "refused"]
    #: The turn, as far as it is read, and where it starts.
    text: str = ""
    start: str = ""
    #: What the template writes of the message, and what is read: thoughts, prose, calls, errors.
    expected: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    #: Where the first difference is, in code points of the text.
    offset: int | None = None
    #: Why the template refuses the message.
    reason: str = ""


#: What a message says, in the order in which most templates write it.
_KINDS: Final = ("thought", "prose", "call")


class TemplateReader:
    """Reads the turns that a template writes in a format."""

    def __init__(self, form: Format, turns: TemplateTurns, stop: str = "") -> None:
        """Read turns; `stop` is a token that the server removes from their ends."""
        self.turns: Final = turns
        self._form = form
        self.stop: Final = stop
        self._is_text: bool = form.payload.kind == "text"
        self._texts = texts_of(form)
        self._toolset = cogwire.Toolset(tools_of(form), form)

    @cached_property
    def unknown_end(self) -> str:
        """What the template writes after a turn, unless the description or the server knows it."""
        closer = self.turns.closer.removesuffix(self.stop).rstrip()
        is_known = any(end in closer for end in self._form.ends)
        return "" if is_known else closer[len(self._closed(closer)) :].lstrip()

    @cached_property
    def unignored(self) -> str:
        """A closer that the template also writes after prose, and that is not ignored there."""
        end = self.turns.closer
        is_read = end.startswith((*self._form.ends, *self._form.ignored))
        return "" if is_read else self._closed(end)

    def _closed(self, end: str) -> str:
        """Return the marker with which a turn's end begins, if the description has it elsewhere."""
        markers = [
            *self._form.ignored,
            *markers_in(self._form, "call")[1],
            *markers_in(self._form, "think")[1],
        ]
        return next((each for each in markers if end.startswith(each) and end != each), "")

    @cached_property
    def most_calls(self) -> int | None:
        """How many calls of a message the template writes; None if it writes all of them."""
        one, two = (self._texts.get(name, Sample()) for name in ("one call", "two calls"))
        try:
            if one.calls and ONE not in self.turns.body(one):
                return 0
            return 1 if two.calls and two.calls[1]["name"] not in self.turns.body(two) else None
        except ValueError:
            return None

    def reading(self, name: str, sample: Sample) -> MessageReading:
        """Return what is read of a message as the template writes it."""
        others: list[MessageReading] = []
        try:
            for turns in self.turns.alternatives(sample):
                found = [self._read(name, sample, turn) for turn in turns]
                other = [each for each in found if each.outcome == "other"]
                if not other:
                    return found[0]
                others += other
        except ValueError as problem:
            return MessageReading(name, "refused", reason=str(problem))
        return others[0]

    def _read(self, name: str, sample: Sample, turn: WrittenTurn) -> MessageReading:
        text = turn.text
        if self.stop and self.stop in text:
            text = text[: text.rindex(self.stop)]
        if self.unknown_end and text.rstrip().endswith(self.unknown_end):
            text = text.rstrip().removesuffix(self.unknown_end)
        parser = cogwire.Parser(self._form, start=turn.start, spans=True, clock=None)
        events = parser.feed(text) + parser.close(finished=True)
        read = [*self._found(events, sample)]
        if not any(event["type"] == "error" for event in events):
            # Some templates write prose after the calls.
            read.sort(key=lambda each: _KINDS.index(each[0].partition(" ")[0]))
        expected, found = tuple(self._written(sample, text)), tuple(each for each, _ in read)
        if found == expected:
            return MessageReading(name, "same", text, turn.start, expected, found)
        pairs = zip_longest(expected, found)
        at = next(at for at, (one, other) in enumerate(pairs) if one != other)
        offset = read[at][1] if at < len(read) else len(text)
        return MessageReading(name, "other", text, turn.start, expected, found, offset)

    def _written(self, sample: Sample, text: str) -> Iterator[str]:
        """Yield what the template writes of a message."""
        if sample.thought and sample.thought in text:
            yield worded("thought", sample.thought)
        if sample.prose and sample.prose in text:
            yield worded("prose", sample.prose)
        for each in sample.calls[: self.most_calls]:
            yield worded(f"call of {each['name']}", each["arguments"])

    def _found(self, events: Sequence[Event], sample: Sample) -> Iterator[tuple[str, int]]:
        """Yield the contents of events, each with its place.

        A payload that is a text may be all of a call: it only has to contain the argument.
        """
        calls = iter(sample.calls)
        for event in events:
            place = event["span"][0] if "span" in event else 0
            match event["type"]:
                case "think":
                    yield worded("thought", event["content"].strip()), place
                case "respond":
                    yield worded("prose", event["content"].strip()), place
                case "call":
                    read = self._toolset.check(event)
                    meant = next(calls, {}).get("arguments", {})
                    args = read.args
                    if self._is_text and all(meant[key] in args.get(key, "") for key in meant):
                        args = meant or args
                    yield worded(f"call of {read.name}", args), place
                case "error":
                    yield f"{event['code']}: {event['content']}", event["offset"]
                case _:
                    continue


def worded(what: str, value: Any) -> str:
    """Return a thought, prose or a call as it is shown."""
    return f"{what} {json.dumps(value, ensure_ascii=False, sort_keys=True)}"


#: The texts that show in which form a template expects messages.
_PROBES: Final = ("prose", "thought and prose", "one call", "thought, prose and two calls")


def reader_of(form: Format, template: ChatTemplate, *, stop: str = "") -> TemplateReader:
    """Return the reader of a template's turns, with the form of messages that it accepts best.

    Raises `ValueError` if it writes no prompt, or no message.
    """
    best: tuple[int, int, TemplateReader] | None = None
    texts = texts_of(form)
    probes = [(name, texts[name]) for name in _PROBES if name in texts]
    most = sum(
        len(sample.calls) + bool(sample.prose) + bool(sample.thought) for _, sample in probes
    )
    for shape in SHAPES:
        reader = TemplateReader(form, TemplateTurns(template, form, shape), stop or template.stop)
        found = [reader.reading(name, sample) for name, sample in probes]
        same = sum(len(each.expected) for each in found if each.outcome == "same")
        written = sum(len(each.expected) for each in found)
        if written and (best is None or (same, written) > best[:2]):
            best = (same, written, reader)
        if same == most:
            break  # No other form can be better.
    if best is None:
        raise ValueError("the chat template writes no message of the model")
    return best[2]


def reads_calls(form: Format, template: ChatTemplate) -> bool:
    """Whether a format reads a call that a template writes, if the template writes one."""
    try:
        reader = reader_of(form, template)
    except ValueError:
        return True
    name = "one call"
    read = reader.reading(name, texts_of(form)[name])
    return read.outcome != "other" or any(each.startswith("call of ") for each in read.found)
