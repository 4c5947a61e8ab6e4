# SPDX-License-Identifier: MIT
"""The second kind of case: a text in a format that models are trained on, and what it says.

Formats are data: a folder of the corpus for each, whose name is the format's.  What a text says is
its reasoning, its prose and its calls as values; whatever the format leaves open is not compared.
"""

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import cogwire
from cogwire_kit.conformance import corpus, shapes

_decode: Final = json.JSONDecoder(parse_constant=lambda name: _refuse(f"JSON has no {name}")).decode


def _refuse(why: str) -> None:
    raise ValueError(why)


@dataclass
class Message:
    """What a text says to a parser."""

    reasoning: str = ""
    content: str = ""
    #: The name of each, and its arguments as they arrived: pieces of JSON, or one value.
    raw_calls: list[tuple[str, list[Any]]] = field(default_factory=list)

    @cached_property
    def calls(self) -> list[dict[str, Any]]:
        """The calls that can run: those whose arguments are a whole JSON object."""
        return [call for call in self.tried if isinstance(call["arguments"], dict)]

    @cached_property
    def tried(self) -> list[dict[str, Any]]:
        """All calls; what is not a JSON object as arguments is a list of the pieces."""
        read = ((name, pieces, _arguments(pieces)) for name, pieces in self.raw_calls)
        return [
            {"name": name, "arguments": _run(pieces) if value is None else value}
            for name, pieces, value in read
        ]

    def shown(self) -> dict[str, Any]:
        """Return it in the form in which a case expects it."""
        members = {"content": [self.content] if self.content.strip() else [], "calls": self.calls}
        return {"reasoning": [self.reasoning], **members} if self.reasoning.strip() else members


@dataclass(frozen=True)
class FormatCase:
    """One text of a format, and the outcomes that pass, the one that is decided on first."""

    data: dict[str, Any]
    #: Whether it was written from a description, and not by hand.
    is_shape: bool = False

    @property
    def id(self) -> str:
        """The slug by which everybody names the case."""
        return str(self.data["id"])

    @property
    def revision(self) -> int:
        """How often what is asked or expected was another, and one."""
        return int(self.data.get("revision", 1))

    @property
    def text(self) -> str:
        """The text of one turn."""
        return str(self.data["text"])

    @property
    def options(self) -> dict[str, Any]:
        """What a request has besides the text: what it begins in, unless that is prose."""
        return {"start": self.data["start"]} if "start" in self.data else {}

    @property
    def is_decided(self) -> bool:
        """Whether no template says what is expected, so that we had to decide."""
        return bool(self.data["basis"] == "decision")

    @property
    def outcomes(self) -> list[dict[str, Any]]:
        """The outcomes that pass."""
        return [self.data["expect"], *self.data.get("also", ())]

    def outcome(self, message: Message) -> int | None:
        """Return which outcome a parser has come to: 0 for the first, None if it is none."""
        return next((n for n, one in enumerate(self.outcomes) if _fits(one, message)), None)


@dataclass(frozen=True)
class Format:
    """A format: its name, the tools that its texts call, as JSON Schemas, and the cases."""

    name: str
    title: str
    tools: list[dict[str, Any]]
    cases: list[FormatCase]

    def digest(self, case: FormatCase) -> str:
        """Return the SHA-256, in hexadecimal, of everything that decides who passes a case.

        That includes the tools that its outcomes call, and no others: a format may get more.
        """
        called = {call["name"] for outcome in case.outcomes for call in outcome["calls"]}
        kept = {name: case.data.get(name) for name in ("text", "requires", "expect", "also")}
        kept |= case.options
        kept["tools"] = [tool for tool in self.tools if tool["name"] in called]
        return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()


def names(place: Path = corpus.PLACE) -> list[str]:
    """Return the formats of the corpus in `place` that have a page, sorted."""
    return sorted(path.parent.name for path in (place / "formats").glob("*/format.json"))


def shaped(place: Path = corpus.PLACE) -> list[str]:
    """Return the formats of the corpus in `place` in which its shapes are written, sorted."""
    return sorted(path.parent.name for path in (place / "formats").glob("*/shapes.json"))


def files(name: str, place: Path = corpus.PLACE) -> list[Path]:
    """Return the files that determine the cases of a format, or of a file with a description."""
    if name.endswith(".json"):
        return [Path(name), place / "shapes.json"]
    folder = place / "formats" / name
    own = [folder / file for file in ("cases.json", "format.json", "shapes.json")]
    found = [path for path in own if path.exists()]
    return [*found, place / "shapes.json"] if own[-1] in found else found


def load(name: str, place: Path = corpus.PLACE) -> Format:
    """Return a format of the corpus in `place`.

    Raises:
        UnusableError: there is none of this name, or its files are not what they should be.
    """
    known = sorted({*names(place), *shaped(place)})
    if name not in known:
        raise corpus.UnusableError(f"no format {name!r}; there are {', '.join(known)}")
    folder = place / "formats" / name
    about: dict[str, Any] = {"title": name}
    cases: list[FormatCase] = []
    if (folder / "cases.json").exists():
        cases += map(FormatCase, corpus.array(folder / "cases.json"))
    if (folder / "shapes.json").exists():
        known_shapes, about["tools"] = shapes.load(place)
        written = json.loads((folder / "shapes.json").read_text("utf-8"))
        of_shapes = shapes.cases(name, written, known_shapes)
        cases += (FormatCase(data, is_shape=True) for data in of_shapes)
    if (folder / "format.json").exists():
        about |= json.loads((folder / "format.json").read_text("utf-8"))
    return Format(name, about["title"], about["tools"], cases)


def described(path: Path, place: Path = corpus.PLACE) -> tuple[Format, dict[str, Any]]:
    """Return the format that a file describes, with the shapes as its cases, and the description.

    Raises:
        UnusableError: the file has no description.
    """
    try:
        description = json.loads(path.read_text("utf-8"))
        name = cogwire.Format.from_json(description).name
    except (OSError, ValueError) as problem:
        raise corpus.UnusableError(f"{path}: {problem}") from None
    known, tools = shapes.load(place)
    of_shapes = shapes.cases(name, shapes.texts(description, known), known)
    cases = [FormatCase(data, is_shape=True) for data in of_shapes]
    return Format(name, name, tools, cases), description


def message(items: Iterable[Any]) -> Message | str:
    """Return what the items of a reply say together, or in words why they say nothing."""
    found = Message()
    for item in items:
        match item:
            case {"reasoning": str(piece), **rest} if not rest:
                found.reasoning += piece
            case {"content": str(piece), **rest} if not rest:
                found.content += piece
            case {"call": str(name), **rest} if not rest:
                found.raw_calls.append((name, []))
            case {"arguments": piece, **rest} if not rest and found.raw_calls:
                found.raw_calls[-1][1].append(piece)
            case _:
                return f"no item of a reply: {json.dumps(item)[:200]}"
    return found


def _arguments(pieces: list[Any]) -> dict[str, Any] | None:
    """Return the object that the pieces make, or None if they make none."""
    value: Any = pieces[0] if len(pieces) == 1 else None
    if all(isinstance(piece, str) for piece in pieces):
        try:
            value = _decode("".join(pieces))
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, dict) else None


def _run(pieces: list[Any]) -> list[Any]:
    """Return pieces with those that are strings joined."""
    is_text = all(isinstance(piece, str) for piece in pieces)
    return ["".join(pieces)] if is_text else pieces


def _fits(expected: dict[str, Any], message: Message) -> bool:
    return (
        _plain(expected["calls"]) == _plain(message.calls)
        and _has(expected["content"], message.content)
        and _has(expected.get("reasoning", []), message.reasoning)
    )


def _plain(value: Any) -> str:
    """Return a value in a form that is the same for all that JSON holds equal."""
    return json.dumps(_numbers(value), sort_keys=True)


def _numbers(value: Any) -> Any:
    """Return `value` with whole numbers as integers, so that 1.0 is 1, and true is neither."""
    if isinstance(value, dict):
        return {name: _numbers(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_numbers(element) for element in value]
    is_whole = isinstance(value, float) and value.is_integer()
    return int(value) if is_whole else value


def _has(pieces: list[str] | None, text: str) -> bool:
    """Whether a text is these pieces, with any white space around each; None is any text."""
    if pieces is None:
        return True
    pattern = r"\s*".join(["", *map(re.escape, pieces), ""])
    return re.fullmatch(pattern, text) is not None
