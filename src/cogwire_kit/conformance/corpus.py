# SPDX-License-Identifier: MIT
"""The corpus: the cases, the clauses that they test, how some are chosen, and a copy of it all.

A case is data (see `spec/schemas/case.schema.json`).  Strings that would be long, or that
JSON cannot hold, are written as parts, and `expanded` gives what they stand for.
"""

import base64
import fnmatch
import hashlib
import json
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

from cogwire_kit.saving import save, write_json
from cogwire_kit.texts.rows import has_half
from cogwire_kit.texts.words import meant

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_HERE: Final = Path(__file__).parents[1]
_CHECKOUT: Final = _HERE.parents[1]
#: The corpus is beside the kit where it is installed, and at the top of a checkout.
PLACE: Final = next(
    (place for place in (_HERE / "_corpus", _CHECKOUT / "conformance") if place.is_dir()),
    _CHECKOUT / "conformance",
)

#: What a request may hold: a text, or bytes.
Input = str | bytes


@dataclass(frozen=True)
class Wire:
    """What a runner needs to know of a dialect: a member of `dialects` of `corpus.json`."""

    #: Whether the content of a `call` is its text on the wire, and not JSON that is made of it.
    is_verbatim: bool
    #: What opens a think.
    think: str
    #: The markers that end what an event of a type is made of, where it ends nowhere else.
    ends: dict[str, tuple[str, ...]]
    #: Pieces for inputs that are drawn.
    pieces: tuple[str, ...]


@cache
def _wires(place: Path) -> dict[str, Wire]:
    found = json.loads((place / "corpus.json").read_text("utf-8")).get("dialects", {})
    return {
        name: Wire(
            is_verbatim=wire["calls"] == "text",
            think=wire["think"],
            ends={kind: tuple(markers) for kind, markers in wire["ends"].items()},
            pieces=tuple(wire["pieces"]),
        )
        for name, wire in found.items()
    }


def wire(dialect: str) -> Wire:
    """Return the facts about a dialect, which are few for an unknown one."""
    return _wires(PLACE).get(dialect) or Wire(is_verbatim=True, think="", ends={}, pieces=())


class UnusableError(Exception):
    """A file, a folder or a selection cannot be used."""


class NothingLeftError(UnusableError):
    """The selection leaves nothing to ask."""


@dataclass(frozen=True)
class Case:
    """One case: its object in the file, with what a runner needs of it."""

    data: dict[str, Any]

    @property
    def id(self) -> str:
        """The slug by which everybody names the case."""
        return str(self.data["id"])

    @property
    def op(self) -> str:
        """The op of the adapter protocol that the case asks for."""
        return str(self.data["op"])

    @property
    def dialect(self) -> str:
        """The dialect; of a conversion the one that is read."""
        return str(self.data["dialect"])

    @property
    def wire(self) -> Wire:
        """What there is to know of the dialect."""
        return wire(self.dialect)

    @property
    def dialects(self) -> set[str]:
        """Every dialect that an implementation needs for the case."""
        return {self.dialect, str(self.data.get("request", {}).get("to", self.dialect))}

    @property
    def options(self) -> dict[str, Any]:
        """Members of the parse request that are not at their defaults."""
        return dict(self.data.get("options", {}))

    @cached_property
    def expected(self) -> list[dict[str, Any]]:
        """The outcomes that pass, the one that the case is about first."""
        outcomes = [self.data["expect"]]
        outcomes += [other["expect"] for other in self.data.get("also", [])]
        return [expanded(outcome) for outcome in outcomes]

    @cached_property
    def input(self) -> Input:
        """The text or the bytes of a parse."""
        text: Input = expanded(self.data["input"])
        return text


def expanded(value: Any, n: int = 0) -> Any:
    """Return `value` with shorthands replaced by the strings, bytes and elements they describe.

    `n` is the number for repeats whose times are `"n"`, and for `discarded` that is.
    """
    if isinstance(value, list):
        return [one for element in value for one in _elements(element, n)]
    if not isinstance(value, dict):
        return value
    match value:
        case {"base64": str(encoded), **rest} if not rest:
            return base64.b64decode(encoded, validate=True)
        case {"parts": list(parts), **rest} if not rest:
            return join([_part(part, n) for part in parts])
    return {
        name: n if (name, member) == ("discarded", "n") else expanded(member, n)
        for name, member in value.items()
    }


def _elements(element: Any, n: int) -> list[Any]:
    match element:
        case {"repeat": repeated, "times": times, **rest} if not rest:
            return [expanded(repeated, n)] * (n if times == "n" else int(times))
    return [expanded(element, n)]


def _part(part: Any, n: int) -> Input:
    match part:
        case {"repeat": str(repeated), "times": times, "index": str(mark)}:
            copies = range(n if times == "n" else int(times))
            return "".join([repeated.replace(mark, str(index)) for index in copies])
        case {"repeat": repeated, "times": times}:
            return _text(expanded(repeated, n)) * (n if times == "n" else int(times))
        case {"surrogate": str(digits)}:
            return chr(int(digits, 16))
    return _text(expanded(part, n))


def _text(value: Any) -> Input:
    if not isinstance(value, str | bytes):
        raise UnusableError(f"{value!r} does not describe a text")
    return value


def join(pieces: list[Input]) -> Input:
    """Return the pieces as one text, or as bytes if any of them is."""
    if not any(isinstance(piece, bytes) for piece in pieces):
        return "".join(str(piece) for piece in pieces)
    return b"".join(p if isinstance(p, bytes) else p.encode("utf-8") for p in pieces)


def load(place: Path = PLACE) -> list[Case]:
    """Return every case of the corpus in `place`, in the order of its files.

    Raises:
        UnusableError: a file is not a JSON array of cases, or an id appears twice.
    """
    cases: dict[str, Case] = {}
    for path in case_files(place):
        for data in array(path):
            case = Case(data)
            if case.id in cases:
                raise UnusableError(f"{path}: {case.id} appears twice")
            cases[case.id] = case
    if not cases:
        raise UnusableError(f"{place} holds no cases")
    return list(cases.values())


def case_files(place: Path = PLACE) -> list[Path]:
    """Return the files that hold cases, sorted."""
    return sorted((place / "cases").glob("*/*.json"))


def version(place: Path, files: Iterable[Path] | None = None) -> dict[str, Any]:
    """Return the version of a corpus, and the SHA-256 of its cases, or of those in some files."""
    data = json.loads((place / "corpus.json").read_text("utf-8"))
    digest = hashlib.sha256()
    for path in case_files(place) if files is None else files:
        name = path.relative_to(place) if path.is_relative_to(place) else Path(path.name)
        digest.update(name.as_posix().encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    return {"version": data["version"], "sha256": digest.hexdigest()}


def of_version(name: str) -> Path:
    """Return the place of the newest corpus whose version is `name`, or begins with it.

    There are that of this version of the kit, and frozen ones of released versions.

    Raises:
        UnusableError: there is none of this version.
    """
    frozen = sorted(path.parent for path in PLACE.glob("frozen/*/corpus.json"))
    known = {str(version(place, ())["version"]): place for place in (*frozen, PLACE)}
    fitting = [one for one in known if f"{one}.".startswith(f"{name}.")]
    if not fitting:
        raise UnusableError(f"no corpus {name} is here; there is {', '.join(known)}")
    return known[max(fitting, key=lambda one: [int(part) for part in one.split(".")])]


def array(path: Path) -> list[dict[str, Any]]:
    """Return the cases of one file, as they are there.

    Raises:
        UnusableError: it holds no JSON array of objects.
    """
    try:
        data = json.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError) as problem:
        raise UnusableError(f"{path}: {problem}") from None
    if not isinstance(data, list) or not all(isinstance(case, dict) for case in data):
        raise UnusableError(f"{path}: not an array of cases")
    return data


def tables(path: Path, name: str, beside: str = "") -> list[dict[str, Any]]:
    """Return the tables called `name` of a TOML file, which has nothing else but `beside`.

    Raises:
        UnusableError: it is not TOML, or has anything else.
    """
    data = toml(path)
    found = data.get(name, [])
    if set(data) - {name, beside} or not isinstance(found, list):
        raise UnusableError(f"{path}: it has an array of tables `{name}`, and nothing else")
    return found


def toml(path: Path) -> dict[str, Any]:
    """Return what is in a TOML file.

    Raises:
        UnusableError: it is not TOML.
    """
    try:
        found: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as problem:
        raise UnusableError(f"{path}: {problem}") from None
    return found


@dataclass(frozen=True)
class Selection:
    """Which cases are run.  An empty tuple chooses all; patterns are those of the shell."""

    dialects: tuple[str, ...] = ()
    ops: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def of(self, cases: Iterable[Case]) -> list[Case]:
        """Return the chosen cases.

        Raises:
            UnusableError: nothing is chosen, or one of the criteria alone chooses nothing.
        """
        everything = list(cases)
        for kind, patterns in self._patterns():
            names = {name for case in everything for name in _named(case, kind)}
            for pattern in patterns:
                if not _matching(names, pattern):
                    hint = meant(pattern, names).removesuffix("? ")
                    raise UnusableError(
                        f"--{kind} {pattern!r} fits no case{f'; {hint}?' if hint else ''}"
                    )
        chosen = [case for case in everything if self._takes(case)]
        if not chosen:
            raise UnusableError("nothing is selected: no case fits all of these options")
        return chosen

    def _takes(self, case: Case) -> bool:
        return (
            (not self.dialects or case.dialects <= set(self.dialects))
            and (not self.ops or case.op in self.ops)
            and not set(self.without) & set(case.data["requires"])
            and all(
                not patterns or any(_matching(_named(case, kind), pattern) for pattern in patterns)
                for kind, patterns in self._patterns()
            )
        )

    def _patterns(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return ("case", self.cases), ("clause", self.clauses), ("tag", self.tags)


def _named(case: Case, kind: str) -> list[str]:
    """Return the id of a case, or the ids of what it tests or finds."""
    data = case.data
    names: dict[str, list[str]]
    names = {"case": [case.id], "clause": data["clauses"], "tag": data["flags"]}
    return names[kind]


def _matching(names: Iterable[str], pattern: str) -> list[str]:
    return [name for name in names if fnmatch.fnmatchcase(name, pattern)]


def required(case: Case) -> list[str]:
    """Return the abilities that the request of a case uses, sorted."""
    needs = {"raw", "spans", "limits", "finish"}.intersection(case.options)
    needs |= {"transcript"} if case.options.get("mode") == "transcript" else set()
    needs |= {"start"} if case.options.get("start") == "think" else set()
    needs |= {"sealed"} if case.options.get("calls") == "sealed" else set()
    needs |= {"token", "call-deltas"} if "call_deltas" in case.options else set()
    needs |= {"turns"} if "turns" in case.data else set()
    needs |= {"snapshot"} if "snapshots" in case.data.get("growth", ()) else set()
    asked = expanded(
        [case.data.get(name) for name in ("input", "turns", "request", "twin")]
        + [case.data["expect"]]
    )
    needs |= {"lone-surrogates"} if has_half(asked) else set()
    for value in _leaves(asked):
        match value:
            case bytes():
                needs.add("bytes")
            case int() if abs(value) > _EXACT:
                needs.add("bigint")
    return sorted(needs)


#: Beyond it a double does not hold every integer.
_EXACT: Final = 2**53


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for name, member in value.items():
            yield name
            yield from _leaves(member)
    elif isinstance(value, list):
        for element in value:
            yield from _leaves(element)
    else:
        yield value


@dataclass(frozen=True)
class Class:
    """A class of bugs, and what users suffer from it."""

    id: str
    title: str
    effect: str


@cache
def classes(place: Path = PLACE) -> dict[str, Class]:
    """Return every class of bugs of the corpus in `place`, by its id."""
    found = json.loads((place / "classes.json").read_text("utf-8"))
    return {name: Class(name, one["title"], one["effect"]) for name, one in found.items()}


#: The pages are beside the kit where it is installed, and at the top of a checkout.
PAGES: Final = next(
    (place for place in (_HERE / "_spec", _CHECKOUT / "spec") if place.is_dir()), _CHECKOUT / "spec"
)

_FENCE: Final = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_ATTRIBUTES: Final = re.compile(r"^\{: *#(?P<id>[\w-]+) +\.(?P<level>\w+) *\}$", re.MULTILINE)


@dataclass(frozen=True)
class Clause:
    """One normative sentence or more, with the id by which cases name it."""

    id: str
    level: str
    #: Its text, in Markdown, on one line.
    text: str
    #: The page that has it, such as `model.md`.
    page: str


def clauses(pages: Path = PAGES) -> dict[str, Clause]:
    """Return every clause of the specification by its id, in the order of the pages."""
    found: dict[str, Clause] = {}
    for path in sorted(pages.glob("*.md")):
        page = _FENCE.sub("", path.read_text("utf-8"))
        for match in _ATTRIBUTES.finditer(page):
            paragraph = page[: match.start()].rstrip().rsplit("\n\n", 1)[-1]
            text = " ".join(paragraph.split())
            found[match["id"]] = Clause(match["id"], match["level"], text, path.name)
    return found


def why_untested(clause: str, place: Path = PLACE) -> str:
    """Return why no case tests a clause, and what does; empty if a case does."""
    reasons: dict[str, str] = json.loads((place / "untested.json").read_text("utf-8"))
    return reasons.get(clause, "")


_VERSION: Final = "VERSION.json"
#: What a copy has beside the cases.
_FILES: Final = (
    "README.md",
    "corpus.json",
    "classes.json",
    "ledger.txt",
    "retired.json",
    "shapes.json",
    "untested.json",
)
_FOLDERS: Final = ("cases", "described", "formats", "messages", "texts")


def copied(directory: Path) -> dict[str, Any]:
    """Write a copy of the corpus to `directory`, in place of an earlier one; return its version.

    Raises:
        UnusableError: the directory holds anything else.
    """
    if directory.exists() and any(directory.iterdir()):
        if not (directory / _VERSION).is_file():
            raise UnusableError(f"{directory} is not empty, and is not a copy of the corpus")
        shutil.rmtree(directory)
    cases = sorted(load(), key=lambda case: case.id)
    members = {**version(PLACE), "cases": len(cases), "protocol": 1}
    directory.mkdir(parents=True, exist_ok=True)
    write_json(directory / _VERSION, members)  # first: what is interrupted can be made again
    pages = [page.name for page in PAGES.glob("*.md")]
    parts = (PLACE, (*_FOLDERS, *_FILES), ""), (PAGES, ("schemas",), ""), (PAGES, pages, "spec")
    for place, names, folder in parts:
        found = (each for name in names for each in (place / name, *(place / name).rglob("*")))
        for path in filter(Path.is_file, found):
            new = directory / folder / path.relative_to(place)
            new.parent.mkdir(parents=True, exist_ok=True)
            save(new, path.read_bytes())
    # Line ends are content here.
    save(directory / ".gitattributes", b"* -text\n")
    lines = [json.dumps(case.data, ensure_ascii=True) for case in cases]
    save(directory / "corpus.jsonl", "\n".join([*lines, ""]).encode())
    files = sorted(path for path in directory.rglob("*") if path.is_file())
    sums = [f"{_sha256(path)}  {path.relative_to(directory).as_posix()}\n" for path in files]
    save(directory / "SHA256SUMS", "".join(sums).encode())
    return members


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
