# SPDX-License-Identifier: MIT
"""The API reference: a page for each group of the public surface, from signatures and docstrings.

The sources are read with griffe and never imported; the help of the command line comes from click.
Each entry has its qualified name as its anchor, so `Parser.feed` is at `#cogwire.Parser.feed`.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Final, NamedTuple

import click
import griffe

from cogwire_kit.cli.main import cli
from website.text import code, escaped, fence, page, table
from website.text import write as write_text

_Entry = griffe.Class | griffe.Function
_Member = griffe.Class | griffe.Function | griffe.Attribute

SOURCE: Final = Path(__file__).parents[1] / "src"

#: A signature that is longer is with one parameter a line.
_WIDTH: Final = 56


class Group(NamedTuple):
    """One page: what it is called, what it is for, and what is on it."""

    slug: str
    title: str
    about: str
    names: tuple[str, ...]
    #: The chapters of the specification that say the same exactly.
    chapters: tuple[str, ...]


GROUPS: Final = (
    Group(
        "text-to-events",
        "Text to events",
        "Read what a model streams, or a whole conversation.",
        (
            "Parser",
            "parse",
            "parse_transcript",
            "iter_events",
            "aiter_events",
            "EventStream",
            "AsyncEventStream",
            "Finish",
            "Limits",
            "start_of",
        ),
        ("model", "xml-json", "xml-elements", "delimiter", "errors"),
    ),
    Group(
        "calls-to-problems",
        "Calls to problems",
        "Declare tools, and judge what a model calls them with.",
        ("Toolset", "Checked", "Problem"),
        ("validation",),
    ),
    Group(
        "values-to-text",
        "Values to text",
        "Write calls, results, transcripts and the instructions of a prompt.",
        ("render_calls", "render_results", "render_events", "render_prompt", "RenderError"),
        ("results", "prompt"),
    ),
    Group(
        "calls-to-results",
        "Calls to results",
        "Collect the calls of a block, and answer them in order.",
        ("Batch", "BatchCall", "Conversion"),
        ("batch",),
    ),
    Group(
        "events-and-chat",
        "Events and chat",
        "Make a model's messages of stored events, and the other way round.",
        (
            "to_messages",
            "from_messages",
            "Assembler",
            "neutralise",
            "Message",
            "Change",
            "exchanges",
            "Exchange",
            "TurnCall",
            "TurnText",
        ),
        ("messages",),
    ),
    Group(
        "text-to-text",
        "Text to text",
        "Tell the dialect of a text, write it in another, and cut it into what it is made of.",
        ("detect", "Detected", "convert", "Converter", "Difference", "spans", "Span"),
        ("convert",),
    ),
    Group(
        "formats",
        "Formats of models",
        "Find the format that a model writes, or describe it.",
        (
            *("Format", "KnownFormat", "formats", "format_named", "detect_format"),
            *("find_calls", "FoundCalls", "FoundCall", "CallFinder"),
        ),
        ("described", "trained"),
    ),
    Group(
        "storage",
        "Storage",
        "Say what is kept, and read what was.",
        ("read_events", "persisted"),
        ("model", "messages"),
    ),
)

#: The clauses and sections that decide what an entry does, apart from its page's chapters.
SPECIFIED: Final = {
    "Parser": ("model.md#modes", "model.md#transcripts", "model.md#laws"),
    "Parser.feed": ("model.md#m-law-never-raises", "model.md#chunks", "model.md#decoding"),
    "Parser.state": ("model.md#state",),
    "Parser.stopped": ("model.md#hard-stops",),
    "Parser.tail": ("model.md#the-ledger",),
    "Parser.next_turn": ("model.md#the-next-turn",),
    "Parser.snapshot": ("model.md#snapshots",),
    "Parser.restore": ("model.md#snapshots",),
    "Limits": ("model.md#limits",),
    "Format": ("described.md#the-description",),
    "start_of": ("described.md#fd-start-of",),
    "KnownFormat": ("described.md#names",),
    "detect_format": ("described.md#detection",),
    "find_calls": ("described.md#found",),
    "CallFinder": ("described.md#found",),
    "Toolset": ("validation.md#tools", "validation.md#refused"),
    "Toolset.check": ("validation.md#judging", "validation.md#coercion"),
    "Toolset.schema": ("validation.md#published",),
    "Toolset.relax_ng": ("validation.md#published",),
    "Problem": ("validation.md#problems",),
    "render_calls": ("results.md#writing-calls", "results.md#what-is-refused"),
    "render_results": ("results.md#writing-results", "results.md#what-is-refused"),
    "render_events": ("results.md#events",),
    "neutralise": ("messages.md#texts",),
    "render_prompt": ("prompt.md#what-is-taught",),
    "Batch": ("batch.md#states",),
    "Batch.take": ("batch.md#b-take", "batch.md#void-blocks"),
    "Batch.settle": ("batch.md#outcomes",),
    "Batch.parallel": ("batch.md#b-parallel", "batch.md#b-sequential"),
    "to_messages": ("messages.md#laws", "messages.md#writing-a-turn"),
    "from_messages": ("messages.md#reading-messages",),
    "Assembler": ("messages.md#laws", "messages.md#msg-append-only"),
    "Change": ("messages.md#report",),
    "exchanges": ("messages.md#exchanges",),
    "detect": ("convert.md#detection",),
    "convert": ("convert.md#conversion",),
    "Difference": ("convert.md#report",),
    "spans": ("convert.md#spans",),
    "read_events": ("messages.md#reading",),
    "persisted": ("model.md#m-persisted",),
    "aio.run": ("batch.md#running",),
}

#: Classes of events, by their type; the values inside of them; and what is not in the union.
EVENTS: Final = {
    "user": "UserEvent",
    "think": "ThinkEvent",
    "respond": "RespondEvent",
    "call": "CallEvent",
    "execute": "ExecuteEvent",
    "result": "ResultEvent",
    "end": "EndEvent",
    "metric": "MetricEvent",
    "error": "ErrorEvent",
    "interrupt": "InterruptEvent",
    "cancelled": "CancelledEvent",
}
_PARTS: Final = {"payload": "Payload", "usage": "Usage", "call-delta": "CallDeltaEvent"}

_SPEC: Final = "../../spec/"
#: Protocols of which a toolset is the one that matters, for copies without toolsets.
_SPELLED: Final = {"_DescribedTools": "Toolset", "_Toolset": "Toolset"}
#: Aliases that say more than what they stand for.
_KEPT: Final = frozenset({"Code", "Event", "StoredEvent", "Tool"})
_DOC_COMMENT: Final = "#:"
#: What the ids of clauses begin with; other anchors are those of sections.
_CLAUSE: Final = re.compile(r"(ad|b|cf|conv|dl|err|m|msg|prompt|res|val|xe|xj)-")

_INTRODUCTION: Final = """\
Every public name of the library, grouped by what it converts to what.

The dialects are named `xml-json`, `xml-elements`, `delimiter` and `delimiter-upper` everywhere, and
`formats()` returns the formats of models, each with its name, such as `hermes`, and its aliases; a
`Format` describes another one. Any other name is a `ValueError`.
Whatever a model writes is data and raises nothing; only wrong use of the API raises."""

_EVENTS: Final = """\
An event is a dict with a `type`: plain JSON, the same in memory, in storage and in other languages.
[The table of the specification]({spec}model.md#events) says which are stored and where they come
from, and [their JSON Schema]({spec}schemas/event.schema.json) is published. Tell events apart by
`event["type"]`. For annotations each class below and `Code` are in `cogwire.events`; `cogwire` also
has `Event`, and `StoredEvent`, which is an `Event` or a framework's own error."""

PLACES: Final = {
    **{name: f"{group.slug}.md#cogwire.{name}" for group in GROUPS for name in group.names},
    **{name: f"events.md#cogwire.{name}" for name in ("Event", "StoredEvent")},
    "Code": "events.md#event-code",
    **{name: f"events.md#event-{kind}" for kind, name in (EVENTS | _PARTS).items()},
}


def write(pages: Path) -> None:
    """Write the pages of the reference into the folder `pages`, which is that of the site.

    Raises `KeyError` where a name of a group is not there any more.
    """
    folder = pages / "library" / "reference"
    writer = _Writer(griffe.load("cogwire", search_paths=[SOURCE]))
    for group in GROUPS:
        entries = [writer.entry(writer.exported(name), name) for name in group.names]
        text = page(group.title, group.about, _specified(group.chapters), *entries)
        write_text(folder / f"{group.slug}.md", text)
    write_text(folder / "events.md", writer.events())
    write_text(folder / "aio.md", writer.aio())
    write_text(folder / "tooling.md", writer.tooling())
    write_text(folder / "cli.md", _command_line())
    write_text(folder / "index.md", writer.index())


# --- Entries --------------------------------------------------------------------------------------


class _Writer:
    """Writes what the sources of one package say."""

    def __init__(self, package: griffe.Object | griffe.Alias) -> None:
        self._package = package
        self._aliases = dict(_aliases(package))

    def exported(self, name: str) -> _Entry:
        """Return what the package calls `name`, whichever module declares it."""
        found = self._package[name]
        while found.is_module:  # a room and its file may be called as the function in them
            found = found[name]
        entry: _Entry = found.final_target if found.is_alias else found
        return entry

    def entry(self, found: _Entry, name: str, level: int = 2) -> str:
        """Return a class with its members, or a function."""
        blocks = [
            _heading(name, level),
            fence(self._signature(found, name), "python"),
            "" if _is_typed_dict(found) else self._types(found),
            _prose(found),
            _specified(SPECIFIED.get(name, ())),
        ]
        if _is_typed_dict(found):
            blocks.append("A dict, with these members:")
        if isinstance(found, griffe.Class):
            blocks += [
                self.field(member, f"{name}.{member.name}", level + 1)
                if isinstance(member, griffe.Attribute)
                else self.entry(member, f"{name}.{member.name}", level + 1)
                for member in _members(found)
            ]
        return "\n\n".join(filter(None, blocks))

    def field(self, found: griffe.Attribute, name: str, level: int) -> str:
        """Return a field or a property."""
        kind = self._type(found)
        blocks = [
            _heading(name, level),
            f"Type: `{kind}`" if kind else "",
            _named(kind, found.name),
            _prose(found),
            _specified(SPECIFIED.get(name, ())),
        ]
        return "\n\n".join(filter(None, blocks))

    def events(self) -> str:
        """Return the page of the events."""
        module = self.exported("Event").module
        common = [self._row(field) for field in _own_fields(module["_Common"])]
        blocks = [
            _EVENTS.format(spec=_SPEC),
            "## Event { #cogwire.Event }",
            fence("Event = " + "\n      | ".join(EVENTS.values()), "python"),
            _text(module.docstring),
            "Each of them may have these fields:",
            _fields(common),
            *(
                self._event(module[cls], f"`{kind}`", f"event-{kind}")
                for kind, cls in EVENTS.items()
            ),
            *(self._event(module[cls], cls, f"event-{slug}") for slug, cls in _PARTS.items()),
            "## StoredEvent { #cogwire.StoredEvent }",
            fence(f"StoredEvent = {module['StoredEvent'].value}", "python"),
            _linked(_comment(module["StoredEvent"])),
            "## Code { #event-code }",
            f"Says [what went wrong]({_SPEC}errors.md#codes).",
            "\n".join(f"- [`{name}`]({_SPEC}errors.md#err-{name})" for name in _codes(module)),
        ]
        return page("Events", *blocks)

    def _event(self, found: griffe.Class, title: str, anchor: str) -> str:
        fields = [*_inherited(found), *_own_fields(found)]
        rows = [self._row(field) for field in fields if field.name != "type"]
        rows.sort(key=lambda row: row[2] == "no")  # what is always there comes first
        blocks = [
            f"## {title} {{ #{anchor} }}",
            _text(found.docstring),
            _fields(rows) if rows else "It has no other fields.",
        ]
        return "\n\n".join(blocks)

    def _row(self, field: griffe.Attribute) -> tuple[str, ...]:
        kind = self._type(field)
        if optional := re.fullmatch(r"NotRequired\[(.*)\]", kind):
            kind = optional[1]
        total = field.parent.keywords.get("total") if isinstance(field.parent, griffe.Class) else ""
        present = "no" if optional or str(total) == "False" else "yes"
        return (f"`{field.name}`", _typed(kind), present, _linked(_comment(field)))

    def aio(self) -> str:
        """Return the page of `cogwire.aio`."""
        module = self._package["aio"]
        blocks = [
            "The module is imported when `cogwire.aio` is first used.",
            self.entry(module["run"], "aio.run"),
        ]
        for name in ("Tool", "OnOutcome"):
            kind = module[name]
            text = fence(f"{name} = {kind.value}", "python")
            blocks += [_heading(f"aio.{name}", 2), text, _linked(_comment(kind))]
        return page("Running batches", *blocks)

    def tooling(self) -> str:
        """Return the page of `cogwire.tooling`."""
        module = self._package["tooling"]
        blocks = ["Programs that work on texts, events and tools themselves use `cogwire.tooling`."]
        for name in sorted(module.exports):
            found = module[name].final_target if module[name].is_alias else module[name]
            if isinstance(found, griffe.Attribute):
                value = fence(f"{name} = {found.value}", "python")
                heading = _heading(f"tooling.{name}", 2)
                blocks.append(f"{heading}\n\n{value}\n\n{_linked(_comment(found))}")
            else:
                blocks.append(self.entry(found, f"tooling.{name}"))
        return page("Tooling", *blocks)

    def index(self) -> str:
        """Return the page that has all names."""
        blocks = [_INTRODUCTION]
        for group in GROUPS:
            rows = [
                f"- [`{name}`]({PLACES[name]}): {_summary(self.exported(name))}"
                for name in group.names
            ]
            blocks += [f"## [{group.title}]({group.slug}.md)", group.about, "\n".join(rows)]
        blocks += [
            "## [Events](events.md)",
            "The dicts that all of these take and give.",
            "## [Running batches](aio.md)",
            "`cogwire.aio.run` runs the calls of a batch with asyncio.",
            "## [Tooling](tooling.md)",
            "`cogwire.tooling` has what linters, viewers and bridges need: "
            + ", ".join(f"`{name}`" for name in sorted(self._package["tooling"].exports))
            + ".",
            "## [The command line](cli.md)",
            ", ".join(f"`cogwire {name}`" for name in cli.list_commands(click.Context(cli))) + ".",
        ]
        return page("API reference", *blocks)

    # -- Parts of entries --

    def _signature(self, found: _Entry, name: str) -> str:
        shown = name.rpartition(".")[2]
        if isinstance(found, griffe.Class):
            if _is_typed_dict(found) or not (parameters := _made_with(found)):
                return f"class {shown}({', '.join(map(str, found.bases))})"
            return _call(shown, list(self._parameters(parameters)), "")
        returns = self._spelled(str(found.returns))
        prefix = "async def " if "async" in found.labels else "def "
        if "classmethod" in found.labels:
            prefix = f"@classmethod\n{prefix}"
        return _call(f"{prefix}{shown}", list(self._parameters(found.parameters)), f" -> {returns}")

    def _parameters(self, parameters: griffe.Parameters) -> Iterator[str]:
        starred = False
        for parameter in parameters:
            if parameter.name in {"self", "cls"}:
                continue
            kind = parameter.kind
            if kind is griffe.ParameterKind.keyword_only and not starred:
                starred = True
                yield "*"
            stars = {
                griffe.ParameterKind.var_positional: "*",
                griffe.ParameterKind.var_keyword: "**",
            }.get(kind, "")
            shown = f"{stars}{parameter.name}"
            if parameter.annotation is not None:
                shown += f": {self._spelled(str(parameter.annotation))}"
            if parameter.default is not None and not stars:
                shown += f" = {parameter.default}"
            yield shown

    def _types(self, found: _Entry) -> str:
        """Return links to the types of ours that a signature has."""
        returns = str(getattr(found, "returns", ""))
        return _named(" ".join([*self._parameters(found.parameters), returns]), found.name)

    def _type(self, found: griffe.Attribute) -> str:
        kind = str(found.annotation) if found.annotation is not None else ""
        return self._spelled("" if kind == "Final" else kind)

    def _spelled(self, annotation: str) -> str:
        """Return an annotation without the names that only the sources know."""
        return re.sub(r"\w+", lambda word: self._aliases.get(word[0], word[0]), annotation)


def _prose(found: _Member) -> str:
    if found.docstring is None and isinstance(found, griffe.Attribute):
        return _linked(_comment(found))
    return _text(found.docstring)


def _members(found: griffe.Class) -> list[_Member]:
    """Return the public members of a class, in the order of the source; first those of its base."""
    bases = [found.module.members.get(str(base)) for base in found.bases]
    named = {
        member.name: member
        for each in (*bases, found)
        if isinstance(each, griffe.Class)
        for member in each.members.values()
        if isinstance(member, _Member) and not member.name.startswith("_")
    }
    return list(named.values())


def _made_with(found: griffe.Class) -> griffe.Parameters:
    """Return the parameters with which a class is called."""
    maker = found.members.get("__new__")
    return maker.parameters if isinstance(maker, griffe.Function) else found.parameters


def _own_fields(found: griffe.Class) -> list[griffe.Attribute]:
    return [member for member in found.members.values() if isinstance(member, griffe.Attribute)]


def _inherited(found: griffe.Class) -> list[griffe.Attribute]:
    """Return the fields of its base classes, but for those that every event may have."""
    names = {str(base) for base in found.bases} - {"_Common", "TypedDict"}
    bases = [found.module[name] for name in sorted(names)]
    return [field for base in bases for field in (*_inherited(base), *_own_fields(base))]


def _is_typed_dict(found: _Entry) -> bool:
    return isinstance(found, griffe.Class) and any(str(base) == "TypedDict" for base in found.bases)


def _aliases(package: griffe.Object | griffe.Alias) -> Iterator[tuple[str, str]]:
    """Yield the names that stand for a few strings or a function, and what they stand for."""
    yield from _SPELLED.items()
    for module in _modules(package):
        for name, member in module.members.items():
            value = str(member.value) if isinstance(member, griffe.Attribute) else ""
            if name not in _KEPT and value.startswith(("Literal[", "Callable[")):
                yield name, re.sub(r"\s+", " ", value)


def _modules(package: griffe.Object | griffe.Alias) -> Iterator[griffe.Object | griffe.Alias]:
    """Yield the modules of a package, and those of the packages inside it."""
    for module in package.modules.values():
        yield module
        yield from _modules(module)


def _codes(module: griffe.Object) -> list[str]:
    return re.findall(r"'([\w-]+)'", str(module["Code"].value))


def _comment(found: griffe.Attribute) -> str:
    """Return the comment of an attribute: the lines above it that begin with `#:`."""
    lines = Path(str(found.filepath)).read_text("utf-8").splitlines()
    for number in (found.lineno or 1, *_declared(found, lines)):
        above = list(takewhile(_is_comment, reversed(lines[: number - 1])))
        if above:
            return " ".join(line.strip().removeprefix(_DOC_COMMENT).strip() for line in above[::-1])
    return ""


def _declared(found: griffe.Attribute, lines: Sequence[str]) -> Iterator[int]:
    """Yield the line in which its class says of what type it is, if it is set elsewhere."""
    if isinstance(found.parent, griffe.Class):
        for number in range(found.parent.lineno or 1, (found.parent.endlineno or 0) + 1):
            if lines[number - 1].startswith(f"    {found.name}: "):
                yield number


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith(_DOC_COMMENT)


# --- Markdown -------------------------------------------------------------------------------------


def _heading(name: str, level: int) -> str:
    return f"{'#' * level} {name.removeprefix('aio.')} {{ #cogwire.{name} }}"


def _call(head: str, parameters: Sequence[str], tail: str) -> str:
    line = f"{head}({', '.join(parameters)}){tail}"
    if len(line.rpartition("\n")[2]) <= _WIDTH or not parameters:
        return line
    return "\n".join([f"{head}(", *(f"    {parameter}," for parameter in parameters), f"){tail}"])


def _text(docstring: griffe.Docstring | None) -> str:
    return _linked(docstring.value.strip()) if docstring else ""


def _linked(text: str) -> str:
    """Return a text in which the names of ours in backquotes are links."""
    return re.sub(
        r"`(?:cogwire\.)?(\w+)`",
        lambda found: f"[`{found[1]}`]({PLACES[found[1]]})" if found[1] in PLACES else found[0],
        text,
    )


def _named(written: str, own: str) -> str:
    """Return links to the names of ours in a signature."""
    names = [name for name in PLACES if name != own and re.search(rf"\b{name}\b", written)]
    links = ", ".join(f"[`{name}`]({PLACES[name]})" for name in names)
    return f"See {links}." if links else ""


def _typed(kind: str) -> str:
    """Return a type as a cell of a table, with a link if it is one of ours."""
    return f"[`{kind}`]({PLACES[kind]})" if kind in PLACES else code(kind)


def _fields(rows: Sequence[Sequence[str]]) -> str:
    return table(("field", "type", "always", "meaning"), rows)


def _specified(targets: Sequence[str]) -> str:
    """Return links to chapters, sections and clauses."""
    links = []
    for target in targets:
        chapter, _, anchor = target.partition("#")
        chapter = chapter.removesuffix(".md")
        shown = f"`{anchor}`" if _CLAUSE.match(anchor) else anchor.replace("-", " ")
        title = f"{chapter}: {shown}" if anchor else chapter
        links.append(f"[{title}]({_SPEC}{chapter}.md{'#' if anchor else ''}{anchor})")
    return f"In the specification: {', '.join(links)}." if links else ""


def _summary(found: _Entry) -> str:
    return found.docstring.value.partition("\n\n")[0].replace("\n", " ") if found.docstring else ""


# --- The command line -----------------------------------------------------------------------------


def _command_line() -> str:
    context = click.Context(cli, info_name="cogwire", max_content_width=72)
    blocks = [
        "`cogwire` is installed with the extra `kit`: `python -m pip install '.[kit]'`.",
        *_commands(context),
    ]
    return page("The command line", *blocks)


def _commands(context: click.Context) -> Iterator[str]:
    """Yield a command and those below it."""
    command = context.command
    path = context.command_path
    yield f"## `{path}` {{ #{path.replace(' ', '-')} }}"
    yield _paragraphs(command.help or "")
    yield fence(command.get_usage(context).removeprefix("Usage: "))
    yield "\n".join(_options(context))
    yield _paragraphs(command.epilog or "")
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            if below := command.get_command(context, name):
                yield from _commands(click.Context(below, info_name=name, parent=context))


def _options(context: click.Context) -> Iterator[str]:
    for parameter in context.command.get_params(context):
        if record := parameter.get_help_record(context):
            names, about = record
            yield f"- `{names}`  \n  {escaped(about)}" if about else f"- `{names}`"


def _paragraphs(help_text: str) -> str:
    """Return help as Markdown: what click does not wrap, after a backspace, is as it is."""
    blocks = []
    for paragraph in help_text.strip().split("\n\n"):
        kept = paragraph.removeprefix("\b\n")
        blocks.append(fence(kept) if kept != paragraph else escaped(" ".join(kept.split())))
    return "\n\n".join(filter(None, blocks))
