# SPDX-License-Identifier: MIT
"""Shapes: turns that every format can have, with what they say, and a writer of their texts.

A shape says what is in a turn and, where it is not as the format wants it, what is wrong with it.
The writer makes a text of it in any format that has a description.  It shares nothing with the
readers and writers of the core, since it is there to test them.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import takewhile
from pathlib import Path
from typing import Any, Final, NamedTuple

from cogwire_kit.conformance import corpus

#: The markers of a format that a shape may have in a text, and where its description has them.
_MARKERS: Final = {
    "opener": ("call", 0),
    "closer": ("call", 1),
    "section-opener": ("section", 0),
    "section-closer": ("section", 1),
    "think-opener": ("think", 0),
    "think-closer": ("think", 1),
    "end": ("ends", 0),
}
_PLACE: Final = re.compile(r"\{\{([a-z-]+)\}\}")
_THINK: Final = ["<think>", "</think>"]
_ARGS: Final = ("args-before", "text", "args-after")
#: The pairs of markers of tags.
_PAIRS: Final = ("tool", "key", "value")
#: What a value is called, by its type.
_TYPES: Final[Mapping[type, str]] = {
    str: "text",
    bool: "boolean",
    int: "number",
    float: "number",
    list: "array",
    dict: "object",
    type(None): "null",
}
#: What is before, between and after the calls of a payload that has several.
_BETWEEN: Final = {"array": ("[", ", ", "]"), "python": ("[", ", ", "]"), "lines": ("", "\n", "")}
#: Signs that no name has in the notations of Python and of Gemma.
_NO_NAME: Final = frozenset(" ()[]{},:=<>\"'`|;#\\")


class _LacksError(Exception):
    """A format cannot have a shape."""


class Piece(NamedTuple):
    """A part of a text: what it is, of which call (-1 for none), and its characters."""

    label: str
    call: int
    text: str


@dataclass(frozen=True)
class Shape:
    """A turn, as `conformance/shapes.json` has it."""

    data: Mapping[str, Any]

    @property
    def id(self) -> str:
        """The slug by which everybody names the shape; a case of a format has it after its own."""
        return str(self.data["id"])

    def text(self, description: Mapping[str, Any]) -> str | None:
        """Return the text of the turn in a format, or None if the format cannot have the shape."""
        kind = _kind(description)
        if kind not in self.data.get("kinds", (kind,)):
            return None
        try:
            turn = filled(self.data["turn"], markers(description))
            pieces = list(_Writer(description, self.data.get("space", "")).pieces(turn))
            for edit in self.data.get("edits", ()):
                pieces = _edited(pieces, edit)
        except _LacksError:
            return None
        # An opener that is a header has no text of its own to be cut after.
        return "".join(piece.text for piece in pieces) or None

    def case(self, name: str, text: str, names: Mapping[str, str]) -> dict[str, Any]:
        """Return the case of the format `name` with this text; `names` are its markers."""
        kept = ("title", "basis", "flags", "requires")
        given: dict[str, Any] = {key: self.data[key] for key in kept if key in self.data}
        outcomes = {key: self.data[key] for key in ("expect", "also") if key in self.data}
        return {"id": f"{name}-{self.id}", **given, "text": text, **filled(outcomes, names)}


@cache  # all formats share them
def load(place: Path = corpus.PLACE) -> tuple[list[Shape], list[dict[str, Any]]]:
    """Return the shapes of the corpus in `place`, and the tools that they call."""
    data = json.loads((place / "shapes.json").read_text("utf-8"))
    return [Shape(each) for each in data["shapes"]], data["tools"]


def texts(description: Mapping[str, Any], shapes: Iterable[Shape]) -> dict[str, Any]:
    """Return what `shapes.json` of a format has: its markers, and the text of each shape."""
    written = {shape.id: shape.text(description) for shape in shapes}
    return {
        "markers": markers(description),
        "texts": {name: text for name, text in written.items() if text is not None},
    }


def cases(
    name: str, written: Mapping[str, Any], shapes: Iterable[Shape]
) -> Iterator[dict[str, Any]]:
    """Yield the cases of the format `name`, of which `written` is what `texts` returns."""
    for shape in shapes:
        if shape.id in written["texts"]:
            yield shape.case(name, written["texts"][shape.id], written["markers"])


def markers(description: Mapping[str, Any]) -> dict[str, str]:
    """Return the markers of a format that a shape may name, without those that it lacks."""
    found: dict[str, str] = {}
    for name, (member, index) in _MARKERS.items():
        pair = description.get(member, _THINK if member == "think" else ())
        if len(pair) > index and pair[index]:
            found[name] = _first(pair[index])
    return found


def _kind(description: Mapping[str, Any]) -> str:
    """Return the kind of a payload, as shapes tell them apart by where a call ends."""
    payload = description["payload"]
    kind = str(payload["kind"])
    if kind == "tags":
        is_ended = payload.get("end") or "call" in description.get("header", ())
        return "ended-tags" if is_ended else kind
    if kind == "literals":
        return "lines" if payload.get("lines") else str(payload["style"])
    return kind


def filled(value: Any, names: Mapping[str, str]) -> Any:
    """Return a JSON value with the marker for each `{{name}}` in its texts."""
    if isinstance(value, dict):
        return {name: filled(member, names) for name, member in value.items()}
    if isinstance(value, list):
        return [filled(element, names) for element in value]
    return (
        _PLACE.sub(lambda found: _marker(names, found[1]), value)
        if isinstance(value, str)
        else value
    )


def _marker(names: Mapping[str, str], name: str) -> str:
    if name not in names:
        raise _LacksError(name)
    return names[name]


def _first(marker: Any) -> str:
    """Return the marker that is written where any of several is read."""
    return str(marker if isinstance(marker, str) else marker[0])


# -- Writing -------------------------------------------------------------------------------------


class _Writer:
    """Writes turns in one format."""

    def __init__(self, description: Mapping[str, Any], space: str) -> None:
        self._think = [_first(each) for each in description.get("think", _THINK)]
        self._section = [_first(each) for each in description.get("section", ("", ""))]
        self._call = [_first(each) for each in description["call"]]
        closers = description["call"][1]
        ends = {*description.get("ends", ())} if isinstance(closers, list) else {*closers}
        #: What closes a call that anything follows: the first closer that does not end the turn.
        self._between = next((each for each in closers if each not in ends), self._call[1])
        self._payload = description["payload"]
        self._kind = _kind(description)
        self._gap = description.get("gap", "")
        self._space = space
        margins = self._gap + self._payload.get("margin", "")
        is_line = "\n" in margins and "call" not in description.get("header", ())
        self._line = "\n" if is_line else ""

    def pieces(self, turn: list[dict[str, Any]]) -> Iterator[Piece]:
        """Yield the pieces of a turn: prose, thinking, markers, and calls, which are together."""
        at = 0
        while turn:
            calls = list(takewhile(lambda part: "call" in part, turn))
            if calls:
                turn = turn[len(calls) :]
                yield from self._batch(calls, at, self._between if turn else self._call[1])
                at += len(calls)
                continue
            part, *turn = turn
            if "prose" in part:
                yield Piece("prose", -1, part["prose"])
                continue
            written = self.pieces(part.get("written", []))
            yield Piece("think-opener", -1, self._think[0])
            yield Piece("think", -1, part.get("think", "".join(each.text for each in written)))
            yield Piece("think-closer", -1, self._think[1])

    def _batch(self, calls: list[dict[str, Any]], at: int, closer: str) -> Iterator[Piece]:
        """Yield the pieces of calls, from number `at` of the turn on; `closer` closes the last."""
        space = self._space
        yield Piece("section-opener", at, self._section[0])
        yield Piece("space", at, (space or self._line) if self._section[0] else "")
        together = self._kind in _BETWEEN
        if together:
            yield from self._array(calls, at)
        for number, call in enumerate(() if together else calls, at):
            if number > at:
                yield Piece("between", number, space or self._line)
            yield Piece("opener", number, self._call[0])
            yield Piece("space", number, self._gap)
            yield from self._one(call, number, number - at)
            yield Piece("space", number, space or self._gap)
            is_last = number == at + len(calls) - 1
            yield Piece("closer", number, closer if is_last else self._between)
        yield Piece("space", at, (space or self._line) if self._section[1] else "")
        yield Piece("section-closer", at, self._section[1])

    def _array(self, calls: list[dict[str, Any]], at: int) -> Iterator[Piece]:
        yield Piece("opener", at, self._call[0])
        yield Piece("space", at, self._space or self._gap)
        opener, between, closer = _BETWEEN[self._kind]
        if member := self._payload.get("member"):
            opener, closer = f"{{{json.dumps(member)}: {opener}", f"{closer}}}"
        yield Piece("array-opener", at, opener)
        for number, call in enumerate(calls, at):
            if number > at:
                yield Piece("between", number, between)
            yield from self._one(call, number, 0)
        yield Piece("array-closer", at, closer)
        yield Piece("space", at, self._space or self._gap)
        yield Piece("closer", at, self._call[1])

    def _one(self, call: dict[str, Any], number: int, index: int) -> Iterator[Piece]:
        if self._kind in ("object", "array"):
            yield from self._object(call, number)
        elif self._kind == "arguments":
            yield from self._headed(call, number, index)
        elif self._kind in ("tags", "ended-tags"):
            yield from self._tagged(call, number, index)
        elif self._kind in ("python", "lines", "gemma"):
            yield from self._literal(call, number)
        elif self._kind == "text" and call["call"] == self._payload["tool"]:
            margin, value = self._payload.get("margin", ""), call["arguments"][self._payload["arg"]]
            before = "" if self._call[0].endswith(margin) else margin
            yield Piece("args-before", number, before)
            yield Piece("text", number, value)
            yield Piece("args-after", number, margin)
        else:
            raise _LacksError(self._kind)

    def _object(self, call: dict[str, Any], number: int) -> Iterator[Piece]:
        name = json.dumps(call["call"])
        head = f"{{{name}: "
        if not self._payload.get("keyed"):
            first = json.dumps(_first(self._payload.get("name", "name")))
            second = json.dumps(_first(self._payload.get("args", "arguments")))
            head = f"{{{first}: {name}, {second}: "
        yield Piece("head", number, head)
        yield from _json_args(call["arguments"], number)
        yield Piece("tail", number, "}")

    def _headed(self, call: dict[str, Any], number: int, index: int) -> Iterator[Piece]:
        template = self._payload["head"][0].replace("{id}", str(index))
        before, _, after = template.partition("{name}")
        if any(each in call["call"] for each in (after.strip()[:1] or "{", " ")):
            raise _LacksError("name")
        yield Piece("head", number, f"{before}{call['call']}{after}")
        yield from _json_args(call["arguments"], number)

    def _tagged(self, call: dict[str, Any], number: int, index: int) -> Iterator[Piece]:
        tags, line, margin = self._payload, self._line, self._payload.get("margin", "")
        tool, key, value = ([_first(each) for each in tags[pair]] for pair in _PAIRS)
        end = tool[1].replace("{id}", str(index))
        yield Piece("head", number, f"{tool[0]}{call['call']}{end}")
        is_first = True
        for name, given in call["arguments"].items():
            text = given if isinstance(given, str) else self._word(given)
            value_end = value[1].replace("{key}", name)
            if value_end in text or (value_end + text).count(value_end) > 1:
                raise _LacksError("value")
            closer = _closer(tags["types"], given) if "types" in tags else key[1]
            begin = f"{line}{key[0]}{name}{closer}{line if value[0] else ''}{value[0]}{margin}"
            is_text = is_first and isinstance(given, str)
            yield Piece("args-before" if is_text else "args-after", number, begin)
            yield Piece("text" if is_text else "args-after", number, text)
            yield Piece("args-after", number, f"{margin}{value_end}")
            is_first = is_first and not is_text
        if tags.get("end"):
            yield Piece("tail", number, f"{line}{tags['end']}")

    def _word(self, value: Any) -> str:
        """Return a value that is not a text, as it is between tags."""
        if "item" in self._payload and isinstance(value, list | dict):
            return self._nested(value)
        if self._payload.get("literals") == "python":
            return _python(value)
        words = {json.loads(word): text for text, word in self._payload.get("words", {}).items()}
        is_word = value is None or isinstance(value, bool)
        return words[value] if is_word and value in words else _dumped(value)

    def _nested(self, value: list[Any] | dict[str, Any]) -> str:
        """Return an array or an object in tags, which do not say what is not a text in it."""
        (opener, closer), end = self._payload["key"], self._payload["value"][1]
        item = self._payload["item"]
        parts = value.items() if isinstance(value, dict) else [(item, part) for part in value]
        written: list[str] = []
        for key, part in parts:
            text = self._nested(part) if isinstance(part, list | dict) else part
            if not isinstance(text, str) or part in ([], {}):
                raise _LacksError("value")
            written.append(f"{opener}{key}{closer}{text}{end.replace('{key}', key)}")
        return "".join(written)

    def _literal(self, call: dict[str, Any], number: int) -> Iterator[Piece]:
        """Yield a call in the notation of Python or of Gemma."""
        if set(call["call"] + "".join(call["arguments"])) & _NO_NAME:
            raise _LacksError("name")
        if self._kind == "gemma":
            quote = str(self._payload.get("quote", '<|"|>'))
            opener, sign, comma, closer = f"call:{call['call']}{{", ":", ",", "}"
            written: Callable[[Any], str] = partial(_gemma, quote=quote)
        else:
            quote, written = '"', _python
            opener, sign, comma, closer = f"{call['call']}(", "=", ", ", ")"
        yield Piece("head", number, opener)
        label = "args-before"
        for at, (name, value) in enumerate(call["arguments"].items()):
            begin, text = f"{comma if at else ''}{name}{sign}", written(value)
            if isinstance(value, str) and label == "args-before":
                yield Piece("args-before", number, f"{begin}{quote}")
                yield Piece("text", number, text[len(quote) : -len(quote)])
                begin, text, label = "", quote, "args-after"
            yield Piece(label, number, f"{begin}{text}")
        yield Piece("tail", number, closer)


def _closer(types: Mapping[str, str], value: Any) -> str:
    """Return the closer of a key that says what a value is: its type, or else JSON."""
    kind = _TYPES[type(value)]
    fitting = [closer for wanted in (kind, "json") for closer in types if types[closer] == wanted]
    if not fitting:
        raise _LacksError(kind)
    return fitting[0]


def _json_args(arguments: dict[str, Any] | str, number: int) -> Iterator[Piece]:
    """Yield an object in three pieces, of which the second is the inside of its first text."""
    whole = _dumped(arguments)
    found = re.search(r'": "((?:[^"\\]|\\.)*)"', whole)
    if found is None:
        yield Piece("args-before", number, whole)
        return
    start, stop = found.span(1)
    yield Piece("args-before", number, whole[:start])
    yield Piece("text", number, whole[start:stop])
    yield Piece("args-after", number, whole[stop:])


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _python(value: Any) -> str:
    """Return a value in the notation of Python, with the double quotes of JSON."""
    if isinstance(value, str):
        return _dumped(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_python, value))}]"
    if isinstance(value, dict):
        members = (f"{_dumped(name)}: {_python(member)}" for name, member in value.items())
        return f"{{{', '.join(members)}}}"
    return str(value)


def _gemma(value: Any, quote: str) -> str:
    """Return a value in the notation of Gemma, whose strings have no escapes."""
    if isinstance(value, str):
        if quote in value:
            raise _LacksError("text")
        return f"{quote}{value}{quote}"
    if isinstance(value, list):
        return f"[{','.join(_gemma(each, quote) for each in value)}]"
    if isinstance(value, dict):
        members = (f"{name}:{_gemma(member, quote)}" for name, member in value.items())
        return f"{{{','.join(members)}}}"
    return _dumped(value)


# -- What is wrong with a text -------------------------------------------------------------------


def _edited(pieces: list[Piece], edit: Mapping[str, Any]) -> list[Piece]:
    """Return pieces after one change, which names the label of a piece and its call, 0 by default.

    `cut` ends the text after `keep` characters of the piece, or in its `"middle"`; `drop` leaves it
    out, `double` writes it twice, and `args` replaces all of the arguments of a call.
    """
    name = next(each for each in ("cut", "drop", "double", "args") if each in edit)
    label, number = edit[name], edit.get("call", 0)
    if name == "args":
        at = [i for i, piece in enumerate(pieces) if piece.call == number and piece.label in _ARGS]
        return [*pieces[: at[0]], Piece("args", number, label), *pieces[at[-1] + 1 :]]
    calls = (number, -1)
    there = (i for i, one in enumerate(pieces) if one.label == label and one.call in calls)
    if (place := next((i for i in there if pieces[i].text), None)) is None:
        raise _LacksError(label)
    if name == "drop":
        return [*pieces[:place], *pieces[place + 1 :]]
    if name == "double":
        return [*pieces[: place + 1], *pieces[place:]]
    text, keep = pieces[place].text, edit.get("keep", 0)
    length = len(text) // 2 if keep == "middle" else int(keep)
    if not 0 <= length < len(text) or (keep and not length):
        raise _LacksError(label)
    return [*pieces[:place], pieces[place]._replace(text=text[:length])]
