# SPDX-License-Identifier: MIT
"""Turns of the model as a chat template writes them, in a generation prompt and in a history.

Where a turn begins, and what ends it, is found by comparing what the template writes for several
messages, without any knowledge of the template.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, Final, NamedTuple

import cogwire
from cogwire import Format
from cogwire.tooling import Start, notation
from cogwire_kit.templates.chat import ChatTemplate
from cogwire_kit.texts.dialects import markers_in
from cogwire_kit.texts.messages import THINKS
from cogwire_kit.texts.rows import strings_in

# -- What is written -------------------------------------------------------------------------------


class Sample(NamedTuple):
    """The contents of a message of the model."""

    #: Its calls, each with `name` and `arguments`.
    calls: Sequence[Mapping[str, Any]] = ()
    prose: str = ""
    thought: str = ""


def call(name: str = "search", **arguments: Any) -> dict[str, Any]:
    """Return a call of one of `TOOLS`."""
    return {"name": name, "arguments": arguments}


PROSE: Final = "I will look."
#: Prose of several lines with the punctuation that people use.
SIGNS: Final = (
    'Write to me@example.org: "a < b && c > d", #3 (50 % of $7), '
    "{x: [y]}, `z`, *now* | ~ ^ = + / _ !?\n\n- On a line of its own."
)
THOUGHT: Final = "What is it?\n\nA city."
#: The argument of the text "one call".
ONE: Final = "Paris"
_ONE: Final = call(query=ONE)

#: The messages to try: what a template can write, and where formats differ.
TEXTS: Final[dict[str, Sample]] = {
    "prose": Sample((), PROSE),
    "prose with signs": Sample((), SIGNS),
    "thought and prose": Sample((), PROSE, THOUGHT),
    "one call": Sample([_ONE]),
    "two calls": Sample([_ONE, call("list_files")]),
    "the same call twice": Sample([_ONE] * 2),
    "no arguments": Sample([call("list_files")]),
    "typed values": Sample([call(query="x", limit=-5, ratio=1.5, deep=False, tags=["a", "b c"])]),
    "an object": Sample([call(query="x", options={"k": ["1", 2, True, None], "o": {"p": {}}})]),
    "null": Sample([call(query="x", note=None)]),
    "digits in texts": Sample([call(query="05", note="true", options={"5": "null"})]),
    "quotes": Sample([call(query='say "a\\b" \'c\' `d` """ it\'s', note='"')]),
    "Unicode": Sample([call(query="é \u2028 漢字 😀 e\u0301", note="\x07")]),
    "lines": Sample([call(query="a\n  b\n\nc\td\r\n\te", note="if x < 3 && y > 4: {z} [0]")]),
    "white space around": Sample([call(query=" a ", note="\n\nb\n")]),
    "empty values": Sample([call(query="", note=" \n", tags=[], options={})]),
    "prose and a call": Sample([_ONE], PROSE),
    "thought and a call": Sample([_ONE], "", THOUGHT),
    "thought, prose and two calls": Sample([_ONE, call("list_files")], PROSE, "What is it?"),
}

#: The schema of each argument.
PARAMETERS: Final[dict[str, Any]] = {
    "query": {"type": "string"},
    "limit": {"type": "integer"},
    "ratio": {"type": "number"},
    "deep": {"type": "boolean"},
    "tags": {"type": "array", "items": {"type": "string"}},
    "options": {"type": "object"},
    "note": {"type": ["string", "null"]},
    "either": {"type": ["string", "integer"]},
    "any": {},
}
#: Values that are read back unchanged only in a format that states the types of values.
UNIONS: Final[tuple[tuple[str, Any], ...]] = (("either", 5), ("any", [1]), ("note", "null"))
#: The tools that the texts call.
TOOLS: Final[list[dict[str, Any]]] = [
    {"name": "search", "parameters": {"type": "object", "properties": PARAMETERS}},
    {"name": "list_files", "parameters": {"type": "object", "properties": {}}},
]

QUESTION: Final = "Which city?"
RESULT: Final = "It is sunny."


def texts_of(form: Format) -> dict[str, Sample]:
    """Return the texts for a format; if its payload is a text, its calls have only one text."""
    payload = form.to_json()["payload"]
    if payload["kind"] != "text":
        return TEXTS

    def written(calls: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        texts = [each["arguments"]["query"] for each in calls if [*each["arguments"]] == ["query"]]
        return [{"name": payload["tool"], "arguments": {payload["arg"]: text}} for text in texts]

    found = {name: sample._replace(calls=written(sample.calls)) for name, sample in TEXTS.items()}
    return {
        name: sample
        for name, sample in found.items()
        if len(sample.calls) == len(TEXTS[name].calls)
    }


def tools_of(form: Format) -> list[dict[str, Any]]:
    """Return the tools that the texts for a format call."""
    payload = form.to_json()["payload"]
    if payload["kind"] != "text":
        return TOOLS
    parameters = {"type": "object", "properties": {payload["arg"]: {"type": "string"}}}
    return [{"name": payload["tool"], "parameters": parameters}]


def _for_templates(tool: Mapping[str, Any]) -> dict[str, Any]:
    """Return the definition of a tool with each member that some template requires."""
    properties = {
        name: {
            **schema,
            "type": "string" if name in ("note", "either", "any") else schema["type"],
            "description": "d",
            "additionalProperties": {"type": "string"},
        }
        for name, schema in tool["parameters"]["properties"].items()
    }
    parameters = {"type": "object", "properties": properties, "required": []}
    function = {"name": tool["name"], "description": "d", "parameters": parameters}
    return {"type": "function", "function": function}


class MessageForm(NamedTuple):
    """The form in which a template wants a message."""

    #: Whether arguments are JSON in a string.
    as_json: bool = False
    #: What an empty content is.
    empty: str | None = ""
    #: Whether a thought is a block of the content.
    has_blocks: bool = False


SHAPES: Final = [
    MessageForm(as_json, empty, has_blocks)
    for as_json in (False, True)
    for has_blocks in (False, True)
    for empty in ("", None)
]


# -- Rendering -------------------------------------------------------------------------------------


class WrittenTurn(NamedTuple):
    """A turn as a template writes it, and where it begins."""

    text: str
    start: Start


#: The options of templates that ask the model to think, or not to.
_THINKING: Final = ("enable_thinking", "thinking")
#: A text that ends in an incomplete marker.
_BEGUN: Final = re.compile(r"<[^<>\s]*\Z|\[[^\[\]\s]*\Z")
#: The rest of such a marker.
_REST: Final = re.compile(r"\A[^<>\[\]\s]*[>\]]")
#: Two texts that have nothing in common at their ends.
_ENDS: Final = (Sample((), "One."), Sample((), "Another"))


class TemplateTurns:
    """The turns that a chat template writes, from messages in the form that it accepts."""

    def __init__(self, template: ChatTemplate, form: Format, shape: MessageForm) -> None:
        """Find where turns begin.  Raises `ValueError` if the template writes no prompt."""
        self._template = template.with_gaps()
        self._form = form
        self._shape = shape
        self._tools = [_for_templates(tool) for tool in tools_of(form)]
        self._prompts = {
            thinks: self._write([], thinks=thinks, is_prompt=True) for thinks in (False, True)
        }

    def prompt(self, *, thinks: bool) -> str:
        """Return the generation prompt, in which the model is asked to think or not to."""
        return self._prompts[thinks]

    def prompts(self) -> Iterator[tuple[str, str]]:
        """Yield, for each generation prompt, how the model is asked and what follows the question.

        The model is asked to think, not to think, and with each other option that matters.
        """
        known: list[str] = []
        for thinks, asked in ((True, "to think"), (False, "not to think")):
            known.append(_after(self._prompts[thinks]))
            yield asked, known[-1]
        for name in sorted(self._template.options - {*_THINKING}):
            with suppress(ValueError):
                end = _after(self._write([], thinks=True, is_prompt=True, **{name: True}))
                if end not in known:
                    known.append(end)
                    yield f"with {name}", end

    def prompt_end(self, *, thinks: bool) -> str:
        """Return what a generation prompt has after the question."""
        return _after(self._prompts[thinks])

    def start(self, *, thinks: bool) -> Start:
        """Return where a turn starts after the prompt."""
        return cogwire.start_of(self._prompts[thinks], self._form)

    def opened(self, *, thinks: bool) -> str:
        """Return what the prompt has after the header of the turn."""
        after = self._opening(thinks=thinks)
        return after[len(self._header) :] if after.startswith(self._header) else ""

    def with_result(self, sample: Sample) -> str:
        """Return what is after the question if the results of the calls follow the message."""
        results = [
            {"role": "tool", "content": RESULT, "name": each["name"], "tool_call_id": call_id(at)}
            for at, each in enumerate(sample.calls)
        ]
        return _after(self._write([self.message(sample), *results], thinks=False))

    def body(self, sample: Sample) -> str:
        """Return the turn that a message becomes in a history, after the header of the turn."""
        return self._whole(sample)[len(self._header) :]

    def alternatives(self, sample: Sample) -> Iterator[list[WrittenTurn]]:
        """Yield lists of the turns that a message may have been, the likeliest list first.

        The first has what follows the prompt and, if the prompt has opened a think, also the whole
        turn, because some servers send that opener along.  In the others the history differs from
        the prompt: it begins differently, or lacks the think that the prompt has opened.  Raises
        `ValueError` if the template refuses the message.
        """
        thinks = bool(sample.thought)
        prompt, start = self._prompts[thinks], self.start(thinks=thinks)
        body, opened = self.body(sample), self.opened(thinks=thinks)
        header = prompt[: len(prompt) - len(opened)]
        whole = WrittenTurn(body, cogwire.start_of(header, self._form))
        if body.startswith(opened):
            follows = WrittenTurn(body[len(opened) :], start)
            yield [follows] if start == "prose" else [follows, whole]
        else:
            yield [whole]
        if start == "think":
            yield [WrittenTurn(body, start)]
        for closer in () if thinks else markers_in(self._form, "think")[1]:
            if body.startswith(closer):
                yield [WrittenTurn(body.removeprefix(closer), "prose")]

    def message(self, sample: Sample) -> dict[str, Any]:
        """Return a message of the model, as a client of a chat API stores it."""
        blocks = [("thinking", sample.thought), ("text", sample.prose)]
        found: dict[str, Any] = {"role": "assistant", "content": sample.prose or self._shape.empty}
        if sample.thought and self._shape.has_blocks:
            found["content"] = [{"type": kind, kind: text} for kind, text in blocks if text]
        elif sample.thought:
            found |= dict.fromkeys(THINKS, sample.thought)
        if sample.calls:
            found["tool_calls"] = [
                {"id": call_id(at), "type": "function", "function": each}
                for at, each in enumerate(sample.calls)
            ]
        return found

    @cached_property
    def closer(self) -> str:
        """What the template writes after a turn, without the white space around it."""
        try:
            one, other = (self._whole(sample)[::-1] for sample in _ENDS)
        except ValueError:  # it writes no message that is prose alone
            return ""
        return _shared(one, other)[::-1].strip()

    @cached_property
    def _header(self) -> str:
        """What is after the question in every history, and in the prompts."""
        prompts = [self._opening(thinks=thinks) for thinks in self._prompts]
        begins = _shared(*self._histories())
        # Only in prompts, some templates write instructions between the question and the header.
        if all(prompt.endswith(begins) for prompt in prompts):
            return begins
        shared = _shared(begins, *prompts)
        if self.start(thinks=False) == "header":
            return shared[: max(shared.rfind(opener) for opener in notation(self._form).openers)]
        # The first marker of a turn may begin like that of the prompt.
        cuts = [
            at
            for mark in filter(str.strip, strings_in(self._form.to_json()))
            for at in range(max(len(shared) - len(mark) + 1, 0), len(shared))
            if any(prompt.startswith(mark, at) for prompt in prompts)
        ]
        if found := _BEGUN.search(shared):
            cuts.append(found.start())
        return shared[: min(cuts, default=len(shared))]

    def _histories(self) -> Iterator[str]:
        """Yield turns of which no two begin alike, as far as the template writes them."""
        for name in ("prose", "thought and prose", "one call", "prose and a call"):
            with suppress(ValueError):
                yield self._history(TEXTS[name])

    @cached_property
    def _instructions(self) -> str:
        """What some templates write after the last message, whoever wrote it."""
        asked = self._asked
        if next(self._histories(), "").startswith(asked):
            return ""  # It ends the question.
        shared = _shared(asked[::-1], *(each[::-1] for each in self._histories()))[::-1]
        # The markers that end the question and a turn may have the same end.
        is_cut = _BEGUN.search(asked.removesuffix(shared))
        return _REST.sub("", shared, count=1) if is_cut else shared

    @cached_property
    def _asked(self) -> str:
        """What is after the question where it is the last message."""
        return _after(self._write([], thinks=False))

    def _opening(self, *, thinks: bool) -> str:
        """Return what a prompt has after the question, as a history without instructions has it."""
        after, asked = _after(self._prompts[thinks]), self._asked
        if not (self._instructions and after.startswith(asked)):
            return after
        opening, begins = after[len(asked) :], _shared(*self._histories())
        ends = (asked[:end] + opening for end in range(len(asked), -1, -1))
        return max(ends, key=lambda each: len(_shared(each, begins)))

    def _whole(self, sample: Sample) -> str:
        return self._history(sample).removesuffix(self._instructions)

    def _history(self, sample: Sample) -> str:
        return _after(self._write([self.message(sample)], thinks=bool(sample.thought)))

    def _write(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        thinks: bool,
        is_prompt: bool = False,
        **options: bool,
    ) -> str:
        return self._template.write(
            [{"role": "user", "content": QUESTION}, *messages],
            is_prompt,
            tools=self._tools,
            as_json=self._shape.as_json,
            **{**dict.fromkeys(_THINKING, thinks), **options},
        )


def _shared(*texts: str) -> str:
    """Return the common beginning of texts."""
    places = enumerate(zip(*texts, strict=False))
    end = next((at for at, each in places if len({*each}) > 1), min(map(len, texts)))
    return texts[0][:end]


def _after(text: str) -> str:
    """Return what is after the question."""
    _, found, after = text.rpartition(QUESTION)
    if not found:
        raise ValueError("the template does not write the user's message")
    return after


def call_id(at: int) -> str:
    """Return the id of a call of a message, by its place."""
    return f"abcdefgh{at}"
