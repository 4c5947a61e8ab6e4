# SPDX-License-Identifier: MIT
"""The second kind of case: a text in a format that models are trained on, and what it says.

Formats are data: a folder of the corpus for each, whose name is the format's.  What a text says is
its reasoning, its prose and its calls as values; whatever the format leaves open is not compared.
"""

import json
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import cogwire
from cogwire_kit.conformance import corpus, shapes
from cogwire_kit.conformance.comparing import has, plain
from cogwire_kit.conformance.questions import Chunks
from cogwire_kit.texts.rows import RepeatedError, no_number, unrepeated
from cogwire_kit.texts.words import meant

#: The version of the protocol for formats: an adapter of the first has no `takes`.
PROTOCOL: Final = 2
#: The members of a request that a case may have, if the adapter takes them.
OPTIONS: Final = ("start", "prompt", "finish")
#: The members of an item of a call besides its name or its arguments.
_OF_CALLS: Final = frozenset({"index", "id"})
#: How many characters of an item are quoted.
_SHOWN: Final = 200

#: What chunks and the end gave, or what these items say together.
Items = list[Any]
#: Why there is no answer, as messages begin; every other reason is a fault of the reply.
_FAILURES: Final = ("crashed", "timed-out", "unsupported")

_decode: Final = json.JSONDecoder(parse_constant=no_number).decode


class Unread(str):
    """Why no client can use a reply, in words, although its form is right."""

    __slots__ = ()


@dataclass
class ArrivedCall:
    """A call as it arrived."""

    name: str = ""
    #: Pieces of JSON, or one value.
    pieces: list[Any] = field(default_factory=list)
    id: str | None = None

    @property
    def value(self) -> dict[str, Any]:
        """The call; what is not a JSON object as arguments is a list of the pieces."""
        arguments = _arguments(self.pieces)
        return {
            "name": self.name,
            "arguments": _run(self.pieces) if arguments is None else arguments,
        }

    @property
    def written(self) -> str:
        """The arguments as text, as far as they are text."""
        return "".join(piece for piece in self.pieces if isinstance(piece, str))

    @property
    def repeats(self) -> bool:
        """Whether an object in its arguments has two members of one name."""
        try:
            json.loads(self.written, object_pairs_hook=unrepeated)
        except (ValueError, RecursionError) as problem:
            return isinstance(problem, RepeatedError)
        return False

    @property
    def as_it_came(self) -> dict[str, Any] | None:
        """The call with its arguments as they came: these are not an object, or repeat a member."""
        if not isinstance(self.value["arguments"], list) and not self.repeats:
            return None
        pieces = _run(self.pieces)
        return {"name": self.name, "arguments": pieces[0] if len(pieces) == 1 else pieces}


@dataclass
class ReadMessage:
    """The message that a parser reads in a text."""

    reasoning: str = ""
    content: str = ""
    #: By what joins their items: an index, or how many calls without one came before.
    raw_calls: dict[int, ArrivedCall] = field(default_factory=dict)
    #: Why the turn is over, as a client is told, where the parser says so.
    finish: str | None = None

    @cached_property
    def calls(self) -> list[dict[str, Any]]:
        """The calls that can run: those whose arguments are a whole JSON object."""
        return [call for call in self.tried if isinstance(call["arguments"], dict)]

    @cached_property
    def tried(self) -> list[dict[str, Any]]:
        """All calls, in the order of their indexes."""
        return [call.value for _, call in sorted(self.raw_calls.items())]

    def shown(self) -> dict[str, Any]:
        """Return it in the form in which a case expects it, and calls that are not such a value."""
        members = {"content": [self.content] if self.content.strip() else [], "calls": self.calls}
        shown = {"reasoning": [self.reasoning], **members} if self.reasoning.strip() else members
        came = [call.as_it_came for _, call in sorted(self.raw_calls.items())]
        if any(came):
            shown["as_they_came"] = [one for one in came if one]
        return shown if self.finish is None else {**shown, "finish": self.finish}

    def call_of(self, item: Mapping[Any, Any], *, begins: bool) -> ArrivedCall | None:
        """Return the call that an item belongs to: by its index, or the last one, or a new one."""
        at = item.get("index", max(self.raw_calls, default=-1) + begins)
        if type(at) is not int or at < 0 or not ("index" in item or begins or self.raw_calls):
            return None
        call = self.raw_calls.setdefault(at, ArrivedCall())
        call.id = item.get("id", call.id)
        is_named = call.id is None or isinstance(call.id, str)
        return call if is_named else None


@dataclass(frozen=True)
class FormatCase:
    """One text of a format, and the outcomes that pass, the one that is decided on first."""

    data: dict[str, Any]
    #: Whether it was written from a description, and not by hand.
    is_shape: bool = False
    #: The tools of its requests, where they are not those of other texts.
    sent_with: list[dict[str, Any]] | None = None

    @property
    def id(self) -> str:
        """The slug by which everybody names the case."""
        return str(self.data["id"])

    @property
    def revision(self) -> int:
        """The revision, from 1: how often the request or the expectation has changed, plus one."""
        return int(self.data.get("revision", 1))

    @property
    def text(self) -> str:
        """The text of one turn."""
        return str(self.data["text"])

    @property
    def options(self) -> dict[str, Any]:
        """What a request has besides the text: `start`, `prompt` and `finish`, as far as given."""
        return {name: self.data[name] for name in OPTIONS if name in self.data}

    @property
    def parts(self) -> frozenset[str]:
        """The parts of the format that a parser has to read for it, if not every one does."""
        return frozenset(self.data.get("requires", ()))

    @property
    def needs(self) -> list[str]:
        """What not every adapter takes."""
        return [*self.options]

    @property
    def tools(self) -> dict[str, Any]:
        """The member of a request with the tools of the text, if it has its own."""
        own = self.data.get("tools", self.sent_with)
        return {} if own is None else {"tools": own}

    def request(self, of: "FormatCases", /) -> dict[str, Any]:
        """Return the request for the text in one chunk, as a text of a format."""
        asked = {"format": of.name, "tools": of.usual, **self.tools, **self.options}
        return {"op": "parse", **asked, "chunks": [self.text]}

    def asked(self, takes: Container[str] | None) -> dict[str, Any] | None:
        """Return the options for an adapter that takes these members, or None if it needs others.

        What a text begins in is said by `start`, and by the end of the prompt: one is enough.
        """
        known = {name: value for name, value in self.options.items() if name in (takes or ())}
        missing = self.options.keys() - known.keys()
        is_begun = known.keys() & {"start", "prompt"}
        return known if not missing - ({"start", "prompt"} if is_begun else set()) else None

    @property
    def is_decided(self) -> bool:
        """Whether the expectation is a decision, because no template defines it."""
        return bool(self.data["basis"] == "decision")

    @property
    def outcomes(self) -> list[dict[str, Any]]:
        """The outcomes that pass."""
        return [self.data["expect"], *self.data.get("also", ())]

    def outcome(self, message: ReadMessage) -> int | None:
        """Return which outcome a parser has come to: 0 for the first, None if it is none."""
        known = enumerate(() if self.made_up(message) else self.outcomes)
        return next(
            (n for n, one in known if _fits(one, message) and self._ends(one, message)), None
        )

    def made_up(self, message: ReadMessage) -> str:
        """Return in words what a parser invented in calls, or an empty text.

        A call that cannot run does not count, but its name is in the text, as often as it is begun.
        """
        names = Counter(call["name"] for call in message.tried)
        broken = {call["name"] for call in message.tried if call not in message.calls}
        if any(self.text.count(name) < names[name] for name in broken):
            return "a call is begun that the text does not have"
        if any(one.repeats and one.written not in self.text for one in message.raw_calls.values()):
            return "arguments have a member twice that the text has once"
        return ""

    def finish_of(self, outcome: dict[str, Any]) -> str:
        """Return the finish reason that a client has to be told for an outcome.

        A turn that a limit cut has no calls to be run, whatever was read of them.
        """
        if self.data.get("finish", "stop") != "stop":
            return str(self.data["finish"])
        return "tool_calls" if outcome["calls"] else "stop"

    def _ends(self, outcome: dict[str, Any], message: ReadMessage) -> bool:
        return message.finish in (None, self.finish_of(outcome))


@dataclass
class Other:
    """A way of sending the text that gives another outcome."""

    chunks: Chunks
    actual: Any
    #: The text that was read at the same time, if it was another one.
    beside: str = ""


@dataclass
class Late:
    """An item that arrives later than it could: in characters, or at the end if that is None."""

    item: Any
    complete: int
    came: int | None

    @property
    def when(self) -> str:
        """When it was complete, and when it came, in words."""
        arrived = "at the end" if self.came is None else f"at {self.came}"
        return f"complete at character {self.complete}, came {arrived}"


@dataclass
class ParserReading:
    """How a parser reads one text."""

    case: FormatCase
    #: What the whole gives, or why it gives nothing.
    whole: Any = None
    outcome: int | None = None
    #: Whether all that had to be asked was.
    is_done: bool = False
    cuts: int = 0
    #: Those of the cuts that give anything else, the least first.
    differing: list[Other] = field(default_factory=list)
    #: Of the cuts inside markers that are tokens: how many `cuts`, and how many are `differing`.
    inside: dict[str, int] = field(default_factory=dict)
    #: Whether in single characters all that is given comes at the end; None if nothing is given.
    is_at_close: bool | None = None
    #: How many cuts the parser was not asked, because it died of the others.
    unasked: int = 0
    #: How the work grows, if that is too fast.
    grows: str = ""
    #: Whether what is wrong is right in a process that is asked nothing else.
    is_kept: bool = False
    #: In single characters, the first call, or the first of the text, that comes too late.
    late: Late | None = None
    #: Where nothing is expected: what arrives later than it could.
    slow: list[Late] = field(default_factory=list)
    #: The same: after how many characters less is known in single ones than in one chunk.
    short: int | None = None

    @property
    def verdict(self) -> str:
        """`pass`, `late`, `grows`, `cuts`, `wrong`, or how some way has no answer."""
        if self.failure:
            return self.failure
        if self.outcome is None:
            return "wrong"
        if self.differing:
            return "cuts"
        return "grows" if self.grows else "late" if self.late else "pass"

    @property
    def other(self) -> Other:
        """The way that shows the difference: the whole text, or the least cut."""
        return Other([self.case.text], self.whole) if self.outcome is None else self.differing[0]

    @property
    def failure(self) -> str:
        """The worst reason why some way has no answer, or nothing if each has one.

        Another difference must not hide it: who knows of that does not expect a crash.
        """
        outcomes = [self.whole, *(one.actual for one in self.differing)]
        failures = (one for one in outcomes if isinstance(one, str) and not isinstance(one, Unread))
        kinds = {one.partition(":")[0] for one in failures}
        found = {kind if kind in _FAILURES else "fault" for kind in kinds}
        return next((kind for kind in (*_FAILURES, "fault") if kind in found), "")

    @property
    def expected(self) -> dict[str, Any]:
        """The outcome that was expected of `other`."""
        return self.case.outcomes[self.outcome or 0]

    def record(self) -> dict[str, Any]:
        """Return the record of a report for a text of a format."""
        members: dict[str, Any] = {
            "record": "case",
            "id": self.case.id,
            "revision": self.case.revision,
            "verdict": self.verdict,
            "basis": self.case.data["basis"],
        }
        members |= {"cuts": self.cuts, "differing": len(self.differing)}
        if self.inside:
            members["inside_markers"] = self.inside
        if self.unasked:
            members["unasked"] = self.unasked
        if self.verdict == "pass":
            return members
        if self.outcome is None:
            members["whole"] = False
        known = ("title", "flags", "text", "tools")
        members |= {name: self.case.data[name] for name in known if name in self.case.data}
        members["expected"] = self.expected
        if self.verdict == "late" and self.late:
            return {**members, "late": vars(self.late), "gives": f"late: {self.late.when}"}
        if self.verdict == "grows":
            return {**members, "gives": self.grows}
        other = self.other
        if self.outcome is not None:
            members["chunks"] = other.chunks
        if other.beside:
            members["beside"] = other.beside
        if isinstance(other.actual, str):
            return {**members, "gives": other.actual}
        if other.actual.finish is not None:
            members["expected"] = self.expected | {"finish": self.case.finish_of(self.expected)}
        return {**members, "gives": other.actual.shown()}


@dataclass(frozen=True)
class FormatCases:
    """A format: its name, the tools that its texts call, as JSON Schemas, and the cases."""

    name: str
    title: str
    tools: list[dict[str, Any]]
    cases: list[FormatCase]
    #: The markers that are one token each in the vocabulary of the models.
    tokens: list[str] = field(default_factory=list)
    #: The names of tools that only the texts which call them are sent with.
    alone: frozenset[str] = frozenset()

    @property
    def usual(self) -> list[dict[str, Any]]:
        """The tools with which a text is sent that does not have its own."""
        return [tool for tool in self.tools if tool["name"] not in self.alone]


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


def load(name: str, place: Path = corpus.PLACE) -> FormatCases:
    """Return a format of the corpus in `place`.

    Raises:
        UnusableError: there is none of this name, or its files are not what they should be.
    """
    folder, known = place / "formats" / name, _known(place)
    if name not in known and (folder / "description.json").exists():
        raise corpus.UnusableError(
            f"{name} has a description, and no texts, since each of its calls is any text; "
            "`cogwire conformance described` asks such formats"
        )
    if name not in known:
        real = {alias: each.name for each in cogwire.formats() for alias in each.aliases}.get(name)
        hint = meant(real, [real]) if real else meant(name, known)
        raise corpus.UnusableError(f"no format {name!r}; {hint}there are {', '.join(known)}")
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
    alone = frozenset(about.get("alone", ()))
    found = FormatCases(name, about["title"], about["tools"], cases, about.get("tokens", []), alone)
    for at, case in enumerate(cases if alone else ()):
        if any(call["name"] in alone for call in case.data["expect"]["calls"]):
            cases[at] = replace(case, sent_with=found.tools)
    return found


def every(place: Path = corpus.PLACE) -> list[FormatCases]:
    """Return the formats of the corpus in `place`, sorted by name."""
    return [load(name, place) for name in _known(place)]


def _known(place: Path) -> list[str]:
    return sorted({*names(place), *shaped(place)})


#: The file of descriptions that are refused, and that of requests to write.
_REFUSED: Final = "refused"
WRITTEN: Final = "written"


def turns(
    place: Path = corpus.PLACE, name: str = "*"
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield the turns with events, of all files or that of a name, each with its description."""
    for path in sorted((place / "described").glob(f"{name}.json")):
        is_left_out = name != WRITTEN and path.stem in (WRITTEN, _REFUSED)
        for group in () if is_left_out else corpus.array(path):
            named = group["format"]
            described = description(named, place) if isinstance(named, str) else named
            yield from ((described or {}, case) for case in group["cases"])


def refusals(place: Path = corpus.PLACE) -> list[dict[str, Any]]:
    """Return what no program may take for a description, each with the place of what is wrong."""
    path = place / "described" / f"{_REFUSED}.json"
    return corpus.array(path) if path.is_file() else []


def description(name: str, place: Path = corpus.PLACE) -> dict[str, Any] | None:
    """Return the description of a format, or in a file, if there is one."""
    is_file = name.endswith(".json")
    path = Path(name) if is_file else place / "formats" / name / "description.json"
    found: dict[str, Any] | None = json.loads(path.read_text("utf-8")) if path.exists() else None
    return found


def markers(name: str, place: Path = corpus.PLACE) -> list[str]:
    """Return the markers of a format, or of a file with a description, as far as they are known."""
    found = set() if name.endswith(".json") else set(load(name, place).tokens)
    if (described_as := description(name, place)) is not None:
        found |= set(shapes.markers(described_as).values())
    return sorted(found)


def described(path: Path, place: Path = corpus.PLACE) -> tuple[FormatCases, dict[str, Any]]:
    """Return the format that a file describes, with the shapes as its cases, and the description.

    Raises:
        UnusableError: the file has no description.
    """
    try:
        description = json.loads(path.read_text("utf-8"))
        name = cogwire.Format.from_json(description).name
    except (OSError, ValueError, RecursionError) as problem:
        raise corpus.UnusableError(f"{path}: {problem}") from None
    known, tools = shapes.load(place)
    of_shapes = shapes.cases(name, shapes.texts(description, known), known)
    cases = [FormatCase(data, is_shape=True) for data in of_shapes]
    return FormatCases(name, name, tools, cases), description


def message(items: Iterable[Any]) -> ReadMessage | str:
    """Return what the items of a reply say together, or in words why they say nothing.

    Items of a call are joined as clients join deltas: by `index`, in any order, the pieces of a
    name like those of the arguments.
    """
    found = ReadMessage()
    for item in items:
        match item:
            case {"reasoning": str(piece), **rest} if not rest:
                found.reasoning += piece
                continue
            case {"content": str(piece), **rest} if not rest:
                found.content += piece
                continue
            case {"call": str(piece), **rest} if rest.keys() <= _OF_CALLS:
                if (call := found.call_of(rest, begins=True)) is not None:
                    call.name += piece
                    continue
            case {"arguments": piece, **rest} if rest.keys() <= _OF_CALLS:
                if (call := found.call_of(rest, begins=False)) is not None:
                    call.pieces.append(piece)
                    continue
        shown = json.dumps(item)[:_SHOWN]
        if isinstance(item, dict) and item.keys() - {"id"} == {"arguments"}:
            return Unread(f"arguments came before any `call`: {shown}")
        members = "a text as `content`, `reasoning` or `call`, or `arguments`"
        return f"an item must have {members}, and an `index` is a number from 0: {shown}"
    if (indexes := sorted(found.raw_calls)) != [*range(len(indexes))]:
        return Unread(f"the indexes of the calls are not 0, 1 and so on: {indexes}")
    ids = [call.id for call in found.raw_calls.values() if call.id is not None]
    twice = next((one for one in ids if ids.count(one) > 1), None)
    return found if twice is None else Unread(f"two calls have the id {twice!r}")


def is_text(item: Any) -> bool:
    """Whether an item is a piece of text: an object with one member, a string."""
    return isinstance(item, dict) and len(item) == 1 and isinstance(next(iter(item.values())), str)


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
    """Return pieces with adjacent strings joined."""
    is_text = all(isinstance(piece, str) for piece in pieces)
    return ["".join(pieces)] if is_text else pieces


def _fits(expected: dict[str, Any], message: ReadMessage) -> bool:
    return (
        plain(expected["calls"]) == plain(message.calls)
        and has(expected["content"], message.content)
        and has(expected.get("reasoning", []), message.reasoning)
    )
