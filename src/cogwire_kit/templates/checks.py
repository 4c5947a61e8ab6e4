# SPDX-License-Identifier: MIT
"""Compares a description of a format with the chat template of the model that writes it.

The template writes messages of the model with thoughts, prose, calls and awkward texts, which are
read back in the format.  The report has the place of each difference, and each marker that the
template writes and the description lacks.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import cogwire
from cogwire import Format
from cogwire_kit.templates.chat import ChatTemplate
from cogwire_kit.templates.readings import MessageReading, TemplateReader, reader_of, worded
from cogwire_kit.templates.turns import (
    ONE,
    PARAMETERS,
    RESULT,
    SIGNS,
    TEXTS,
    UNIONS,
    Sample,
    call,
    call_id,
    texts_of,
)
from cogwire_kit.texts.dialects import markers_in
from cogwire_kit.texts.rows import strings_in

# -- What is found ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Prompt:
    """How a generation prompt ends, and where a turn starts after it."""

    #: How the model is asked: "to think", "not to think", or with which option of the template.
    asked: str
    #: What follows the user's message in it.
    end: str
    #: None if the prompt ends in a header that says what follows: feed the parser that first.
    start: str | None


@dataclass(frozen=True)
class TemplateReport:
    """How a format reads what a template writes."""

    readings: list[MessageReading]
    prompts: list[Prompt]
    #: What the description lacks, or states differently.
    problems: list[str]
    #: What the check cannot decide.
    notes: list[str]

    @property
    def is_same(self) -> bool:
        """Whether there is no problem, and each message is read back unchanged."""
        return not self.problems and all(each.outcome != "other" for each in self.readings)


def check(
    form: Format, template: ChatTemplate, *, stop: str = "", is_known: bool = False
) -> TemplateReport:
    """Return what a format reads in the messages that a chat template writes.

    `stop` is a token that the server removes from the end of a turn; by default it is the
    template's `eos_token`.  `is_known` says that the format has a name: its models may differ in
    how they end a turn and write a result, so such a difference is a note.  Raises `ValueError` if
    the template writes no prompt, or no message of the model.
    """
    reader = reader_of(form, template, stop=stop)
    texts = texts_of(form)
    readings = [reader.reading(name, sample) for name, sample in texts.items()]
    problems, notes = _Comparison(reader, form, is_known=is_known).findings
    with_calls = [each for each in readings if texts[each.name].calls]
    if not any(line.startswith("call of ") for each in with_calls for line in each.expected):
        problems.insert(
            0,
            f"the template writes no calls: it was given {len(with_calls)} messages with calls, "
            "and wrote the calls of none, so nothing says how the model writes them",
        )
    prompts = [Prompt(asked, end, _start(end, form)) for asked, end in reader.turns.prompts()]
    return TemplateReport(readings, prompts, problems, notes)


def _start(prompt: str, form: Format) -> str | None:
    """Return where a turn starts after a prompt; None if its end is fed to the parser first."""
    try:
        return cogwire.start_of(prompt, form)
    except ValueError:
        return None


# -- What the description lacks --------------------------------------------------------------------

#: A member of an object with a short value.
_MEMBER: Final = r'"\w+"\s*:\s*(?:"[^"]*"|[\w.+-]+)'
#: The JSON at the ends of a piece of a call, from which names and values were cut.
_JSON: Final = re.compile(
    rf"""[\[{{\s]*(?:{_MEMBER}\s*,\s*)*"\w+"\s*:\s*[\[{{]*\s*"?\Z"""
    rf"""|\A"?\s*[,:]?\s*(?:{_MEMBER}\s*,\s*)*(?:"\w+"\s*:)?[\s{{]*"?\Z"""
    rf"""|\A"?(?:\s*[}}\]]|\s*,\s*{_MEMBER})+"""
)
#: The member with the name of a tool, and that with its arguments, up to the first quote in each.
_NAMED: Final = re.compile(r'"(\w+)"\s*:\s*"\Z')
_ARGS: Final = re.compile(r'"(\w+)"\s*:\s*\{\s*"\Z')
#: The members of a payload whose texts are names, and not markers.
_WORDS: Final = frozenset({"kind", "name", "args", "tool", "arg"})
#: What looks like a marker at the end of a prompt.
_MARK: Final = re.compile(r"(<[^<>]*>|\[[^\[\]]*\])\s*\Z")
#: What ordinary Markdown contains: the beginning of a code fence, or words.
_FENCE: Final = re.compile(r"[`\w\s:*#-]+")
#: The placeholder for a name or an id in a marker.
_PLACE: Final = re.compile(r"{\w+}")
_ID: Final = "{id}"
_PLACES: Final = (
    "before the name of a tool",
    "between the name of a tool and the name of an argument",
    "before the value of an argument",
    "after the value of an argument",
)


class _Comparison:
    """Compares the markers of a description with those that a template writes."""

    def __init__(self, reader: TemplateReader, form: Format, *, is_known: bool) -> None:
        self._reader = reader
        self._turns = reader.turns
        self._form = form
        self._json = form.to_json()
        self._is_known = is_known
        payload = self._json["payload"]
        self._has_id = _ID in str([payload.get("head"), payload.get("tool")])
        words = {"kind", "types"} if payload["kind"] == "tags" else _WORDS
        markers = {key: value for key, value in payload.items() if key not in words}
        markers["types"] = [*payload.get("types", ())]
        self._headers: Sequence[str] = form.header.open if form.header else ()
        marks = strings_in({**self._json, "name": "", "payload": markers})
        pieces = {piece for each in marks for piece in _PLACE.split(each)}
        #: The longest first, since one may be in another.
        self._markers = sorted(filter(str.strip, pieces), key=lambda each: (-len(each), each))

    @property
    def findings(self) -> tuple[list[str], list[str]]:
        """The problems and the notes."""
        # After an incomplete marker in the prompt, all differences may have this one reason.
        problems = [*self._begun()] or [*self._thoughts(), *self._unclosed(), *self._calls()]
        problems += self._prose()
        notes = [*self._lost(), *self._fences(), *self._spellings(), *self._written()]
        for found in (*self._ends(), *self._results()):
            (notes if self._is_known else problems).append(found)
        return problems, notes

    def _thoughts(self) -> Iterator[str]:
        texts = texts_of(self._form)
        for name in ("thought and prose", "thought, prose and two calls"):
            sample = texts.get(name)
            reading = self._reader.reading(name, sample) if sample is not None else None
            if sample is None or reading is None or reading.outcome != "other":
                continue
            if worded("thought", sample.thought) in reading.found:
                continue  # Something else is read differently.
            pieces = _between(self._turns.body(sample), sample.thought, sample.prose)
            opener, closer = (each.strip() for each in pieces[:2] or ("", ""))
            opener = opener or self._turns.opened(thinks=True).strip()
            # An opener in every history is part of the header, so look for it in the prompt.
            if not opener and (found := _MARK.search(self._turns.prompt_end(thinks=True))):
                opener = found[1]
            for header in self._headers:
                closer = closer.partition(header)[0]
            openers, closers = markers_in(self._form, "think")
            if closer and not (_has_one(opener, openers) and _has_one(closer, closers)):
                has = _pair(openers, closers)
                yield (
                    f"`think`: a thought is in `{opener}` … `{closer}`, and not in {has}; users "
                    "see it, and a call in it runs"
                )
                return

    def _unclosed(self) -> Iterator[str]:
        """Yield a problem if the template writes no closer between a thought and a call."""
        name = "thought and a call"
        sample = texts_of(self._form).get(name)
        if sample is None or not any(
            each.startswith("thought ") and each != worded("thought", sample.thought)
            for each in self._reader.reading(name, sample).found
        ):
            return
        _, found, rest = self._turns.body(sample).partition(sample.thought)
        openers = [each for name in ("section", "call") for each in markers_in(self._form, name)[0]]
        before = min((rest.partition(each)[0] for each in openers if each), key=len, default=rest)
        closers = markers_in(self._form, "think")[1]
        if found and before != rest and not _has_one(before, closers):
            yield (
                f"`think_ends_at_call`: a call follows a thought without {_listed(closers)}, and "
                "is read as a part of the thought; write `true`"
            )

    def _calls(self) -> Iterator[str]:
        sample = texts_of(self._form)["one call"]
        names = ["search", "query"] if sample is TEXTS["one call"] else []
        if self._reader.reading("one call", sample).outcome != "other":
            return
        pieces = _between(self._turns.body(sample), *names, ONE)
        if names and self._form.payload.kind in ("object", "array", "arguments"):
            yield from self._members(pieces)
            if pieces and pieces[1].endswith('"{\\"'):
                yield (
                    "`payload`: the arguments are JSON in a string, which no payload reads; the "
                    'guide says what to do "if no payload fits"'
                )
                return
        payload = self._json["payload"]
        is_list = payload["kind"] == "literals" and not payload.get("lines")
        if is_list and pieces and pieces[1][:1] == "(" and pieces[0][-1:] not in ("[", ":"):
            yield (
                "`payload`: calls are on lines of their own, and in no brackets: write "
                '`"lines": true`'
            )
            return
        for place, piece in zip(_PLACES if names else _PLACES[2:], pieces, strict=False):
            for each in self._unknown(piece):
                yield f"`payload`: `{each}` is {place}, and the description does not have it"

    def _members(self, pieces: Sequence[str]) -> Iterator[str]:
        """Yield which members the template writes, where the description names others."""
        payload = self._json["payload"]
        if payload["kind"] == "arguments" or payload.get("keyed"):
            wanted: list[tuple[str, re.Pattern[str], str]] = []
        else:
            wanted = [("name", _NAMED, "name"), ("args", _ARGS, "arguments")]
        for (member, pattern, default), piece in zip(wanted, pieces, strict=False):
            found, known = pattern.search(piece), payload.get(member, default)
            if found and found[1] not in _items(known):
                yield (
                    f"`payload`: a call has the member `{found[1]}`, and not `{_items(known)[0]}`: "
                    f'write `"{member}": "{found[1]}"`'
                )

    def _prose(self) -> Iterator[str]:
        """Yield the markers that ordinary prose contains by accident."""
        pairs = ("think", "section", "call", "result")
        openers = {name: markers_in(self._form, name)[0] for name in pairs}
        alone = {"ends": self._form.ends, "ignored": self._form.ignored}
        for name, markers in (*openers.items(), *alone.items()):
            for each in markers:
                if each in SIGNS:
                    yield f"`{name}`: `{each}` is in ordinary prose, and is read as a marker there"

    def _begun(self) -> Iterator[str]:
        """Yield a problem if a prompt ends with an incomplete marker."""
        if self._headers:
            return
        for _, end in self._turns.prompts():
            begun = {
                (marker[:size], marker)
                for marker in self._markers
                for size in range(2, len(marker))
                if end.endswith(marker[:size]) and not end.endswith(marker)
            }
            if begun:
                part, marker = max(begun, key=lambda each: len(each[0]))
                yield (
                    f"`header`: the prompt ends with `{part}`, with which `{marker}` begins: "
                    f"describe it as a header with `{part}` in its `open`, or feed it to the "
                    "parser before each turn"
                )
                return

    def _fences(self) -> Iterator[str]:
        """Yield a note if people write what opens a call in a section, such as a code fence."""
        if not markers_in(self._form, "section")[0]:
            return
        for opener in markers_in(self._form, "call")[0]:
            if _FENCE.fullmatch(opener):
                yield (
                    f"`call`: {opener!r} is ordinary Markdown, and begins a call outside of the "
                    "section too; write the section's opener and it as one marker"
                )

    def _ends(self) -> Iterator[str]:
        if before := self._reader.unignored:
            yield f"`ignored`: prose ends with `{before}`, which users see; add it"
        if end := self._reader.unknown_end:
            yield _end(f"a turn ends with `{end}`")
            return
        read = self._reader.reading("one call", texts_of(self._form)["one call"])
        rest = [each for each in read.found if each not in read.expected]
        if len(rest) == 1 and len(read.found) > len(read.expected):
            kind, _, text = rest[0].partition(" ")
            if kind == "prose" and self._turns.closer.endswith(end := json.loads(text)):
                yield _end(f"after a call a turn ends with `{end}`")

    def _results(self) -> Iterator[str]:
        """Yield how a result is written, if the description reads it differently."""
        before, after = self._result
        openers, closers = markers_in(self._form, "result")
        if not before or not openers:
            return
        if not (_has_one(before, openers) and _has_one(after, closers)):
            has = _pair(openers, closers)
            yield f"`result`: a result is in `{self._opener(before)}` … `{after}`, and not in {has}"
            return
        opener = max(filter(before.__contains__, map(str.strip, openers)), key=before.rfind)
        closer = min(filter(after.__contains__, map(str.strip, closers)), key=after.find)
        around = before.rpartition(opener)[2], after.partition(closer)[0]
        if any(map(str.strip, around)):
            place = f"it is in `{opener}{around[0]}` … `{around[1]}{closer}`"
            why = self._unreadable(before) or place
            yield f"`result`: the result {RESULT!r} is read as {RESULT.join(around)!r}; {why}"

    @cached_property
    def _result(self) -> tuple[str, str]:
        """What is before and after a result; empty texts if the template writes none."""
        try:
            text = self._turns.with_result(TEXTS["one call"])
        except ValueError:
            return "", ""
        before, found, after = text.partition(RESULT)
        return (before.rpartition(ONE)[2].strip(), after.strip()) if found else ("", "")

    def _opener(self, before: str) -> str:
        """Return what a result begins with, in the text between the value of a call and it."""
        begun = before
        for end in (*self._form.ends, self._reader.unknown_end):
            begun = begun.rpartition(end)[2] if end else begun
        return self._last(before) if begun == before else begun.strip()

    def _unreadable(self, before: str) -> str:
        """Return why no description can express what is before a result; empty if one can."""
        found = "the id of a call" if call_id(0) in before else ""
        if any(header in before for header in self._headers):
            found = "a header"
        return found and f"no description can read {found} there, so leave `result` out"

    def _lost(self) -> Iterator[str]:
        """Yield what cannot be checked with this template, and what no description can repair."""
        before, after = self._result
        if before and not markers_in(self._form, "result")[0]:
            why = self._unreadable(before) or (
                "with markers of results in the description, a result that the model invents "
                "is an error, and not shown as prose"
            )
            yield f"`result`: a result is in `{self._opener(before)}` … `{after}`; {why}"
        texts = [
            self._reader.reading(name, sample) for name, sample in texts_of(self._form).items()
        ]
        if not any(line.startswith("thought ") for each in texts for line in each.expected):
            yield "the template writes no thoughts in a history: `think` is not checked"
        yield from self._unions()
        if self._reader.most_calls == 1:
            yield "the template writes only the first of several calls"
        sample = texts_of(self._form)["one call"]
        is_read = self._reader.reading("one call", sample).outcome == "same"
        if is_read and self._reader.reading("", with_markers(self._form)).outcome == "other":
            yield (
                "an argument that has the format's own markers is read otherwise, because the "
                "template escapes nothing"
            )
            payload = self._json["payload"]
            if payload["kind"] in ("tags", "text") and not payload.get("margin"):
                after = self._turns.body(sample).partition(ONE)[2]
                if after.startswith("\n") and after.strip():
                    yield (
                        "the template has the closer of a value on a line of its own: with "
                        '`"margin": "\\n"` in the payload one in the middle of a line is content'
                    )

    def _unions(self) -> Iterator[str]:
        """Yield a note of the values that are misread where a schema allows several types."""
        if self._form.payload.kind != "tags":
            return
        found: list[str] = []
        for name, value in UNIONS:
            read = self._reader.reading("", Sample([call(**{name: value})]))
            args = next((each.partition(" {")[2] for each in read.found if "{" in each), "")
            if read.outcome == "other" and args:
                schema, was = json.dumps(PARAMETERS[name]), json.dumps(value)
                found.append(f"`{was}` of `{schema}` as `{args[:-1].partition(': ')[2]}`")
        if found:
            listed = ", ".join(found)
            yield f"where a schema does not declare one type, values are misread: {listed}"

    def _spellings(self) -> Iterator[str]:
        """Yield a note if the prompt seems to teach another form than a history has."""
        if self._form.header or self._form.bare:
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
        sample = texts_of(self._form)["one call"]
        read = self._reader.reading("one call", sample)
        is_text = self._form.payload.kind == "text"
        if self._is_known or is_text or read.outcome != "same":
            return
        calls = [{"name": each["name"], "args": each["arguments"]} for each in sample.calls]
        written = cogwire.render_calls(calls, self._form)
        opener, closer = (next(iter(each), "") for each in markers_in(self._form, "section"))
        call = written.removeprefix(f"{opener}\n").removesuffix(f"\n{closer}")
        is_json = self._form.payload.kind in ("object", "array", "arguments")
        # Ids differ from the template's, and there are always line feeds between other markers.
        text = self._turns.body(sample)  # all of it, also the header that the prompt has begun
        one, other = self._without_ids(call), self._without_ids(text)
        pair = (one, other) if is_json else (_on_a_line(one), _on_a_line(other))
        if pair[0] not in pair[1]:
            first, *others = markers_in(self._form, "call")[1] or ("",)
            meant = [each for each in others if each in text and first not in text]
            if meant:
                why = f"the first closer is the one that is written: put `{meant[0]}` first"
            elif "".join(one.split()) not in "".join(other.split()):
                why = "other text of the template is read, but is neither written nor in grammars"
            elif is_json:
                why = "white space is written as `gap` and `head` have it"
            else:
                why = (
                    "white space next to markers is read, and grammars allow it between tags, but "
                    "it is not written"
                )
            yield (
                f"the description writes `{call}`, which `render_prompt` teaches, and the template "
                f"`{text.strip()}`; {why}"
            )

    def _without_ids(self, text: str) -> str:
        """Return a call with its id replaced by a fixed one."""
        payload = self._json["payload"]
        for each in (*_items(payload.get("head")), *_items(payload.get("tool"))):
            before, found, after = each.partition(_ID)
            if found:
                ends = _PLACE.split(before)[-1], _PLACE.split(after)[0]
                text = re.sub(r"\w+".join(map(re.escape, ends)), lambda _: _ID.join(ends), text)  # noqa: B023
        return text

    def _slots(self) -> Iterator[Sequence[str]]:
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
        """Return what is left of a piece without the description's markers and JSON."""
        for marker in (self._reader.unknown_end, *self._markers):
            piece = piece.replace(marker, "\0") if len(marker) > 1 else piece
        rests = piece.split("\0")
        if self._form.payload.kind != "tags":
            rests = [_JSON.sub("", each) for each in rests]
        known = ("", *self._markers, *([call_id(0), "0"] if self._has_id else []))
        return [each.strip() for each in rests if each.strip() not in known]


def with_markers(form: Format) -> Sample:
    """Return a call with a text that has every marker of a format."""
    marks = {*filter(str.strip, strings_in(form.to_json()))}
    (one,) = texts_of(form)["one call"].calls
    return Sample([{**one, "arguments": dict.fromkeys(one["arguments"], " ".join(sorted(marks)))}])


def _end(what: str) -> str:
    return (
        f"`ends`: {what}, which users see; add it, or pass it as --stop if your server removes it"
    )


def _on_a_line(text: str) -> str:
    return text.replace("\n", "")


def _between(text: str, *inner: str) -> list[str]:
    """Return the pieces around these texts, in order, in a text; nothing if one is missing."""
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
