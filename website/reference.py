# SPDX-License-Identifier: MIT
"""The API reference: a page for each group of the public surface.

A page names what it shows, as in `::: cogwire.Parser`, and mkdocstrings writes the entry, of
sources that it reads and never imports; `website/docstrings.py` says what is added to them.  Each
entry has its qualified name as its anchor, so `Parser.feed` is at `#cogwire.Parser.feed`.  The help
of the command line comes from click.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple, get_args

import click

import cogwire
from cogwire import events, tooling
from cogwire_kit.cli.main import cli
from website.docstrings import specified
from website.text import escaped, fence, page
from website.text import write as write_text


class Group(NamedTuple):
    """One page: what it is called, what it is for, and what is on it."""

    slug: str
    title: str
    about: str
    names: tuple[str, ...]
    #: The chapters of the specification that define the same exactly.
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
        "Declare tools, and validate the calls of a model.",
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
        "Build a model's messages from stored events, and events from messages.",
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
        "Detect the dialect of a text, convert it to another, and divide it into spans.",
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
        "Decide which events are stored, and read stored events.",
        ("read_events", "persisted"),
        ("model", "messages"),
    ),
)

_INTRODUCTION: Final = """\
This reference has every public name of the library, grouped by what its input and its output are.

The dialects are named `xml-json`, `xml-elements`, `delimiter` and `delimiter-upper` everywhere, and
`formats()` returns the formats of models, each with its name, such as `hermes`, and its aliases; a
`Format` describes another one. Any other name raises `ValueError`.
Whatever a model writes is data and raises nothing; only wrong use of the API raises."""

_EVENTS: Final = """\
An event is a dict with a `type`: plain JSON, the same in memory, in storage and in other languages.
[The table of the specification](../../spec/model.md#events) says which are stored and where they
originate, and [their JSON Schema](../../spec/schemas/event.schema.json) is published. Distinguish
events by `event["type"]`. For annotations each class below and `Code` are in `cogwire.events`;
`cogwire` also has `Event`, and `StoredEvent`, which is an `Event` or a framework's own error."""

#: The fields that events inherit, but for those that any event may have.
_OWN: Final = ("content", "segment", "done", "step", "duration", "path")

#: The page of each public name.
PLACES: Final = {
    **{name: f"{group.slug}.md" for group in GROUPS for name in group.names},
    **dict.fromkeys(("Event", "StoredEvent", "events"), "events.md"),
}


def write(pages: Path) -> None:
    """Write the pages of the reference into the folder `pages`, which is that of the site."""
    folder = pages / "library" / "reference"
    for group in GROUPS:
        entries = map(_entry, group.names)
        text = page(group.title, group.about, specified(group.chapters), *entries)
        write_text(folder / f"{group.slug}.md", text)
    write_text(folder / "events.md", page("Events", _EVENTS, *_events()))
    write_text(folder / "aio.md", page("Running batches", *_aio()))
    write_text(folder / "tooling.md", page("Tooling", *_tooling()))
    write_text(folder / "cli.md", _command_line())
    write_text(folder / "index.md", page("API reference", *_index()))


def _entry(name: str, **options: object) -> str:
    """Return what mkdocstrings replaces by the signature and the docstring of a public thing."""
    lines = [f"        {option}: {value}" for option, value in options.items()]
    return "\n".join([f"::: cogwire.{name}", *(["    options:"] if lines else []), *lines])


def _events() -> Iterator[str]:
    yield _entry("Event")
    yield _entry("events._Common", heading="What any event may have", inherited_members="true")
    for cls in (*get_args(events.Event), events.CallDeltaEvent):
        (kind,) = get_args(cls.__annotations__["type"])
        options = {"heading": f"{kind} ({cls.__name__})", "toc_label": kind}
        yield _entry(f"events.{cls.__name__}", inherited_members=list(_OWN), **options)
    yield from map(_entry, ("events.Payload", "events.Usage"))
    yield _entry("StoredEvent")
    yield "## Code { #cogwire.events.Code }"
    yield "Says [what went wrong](../../spec/errors.md#codes)."
    codes = get_args(events.Code)
    yield "\n".join(f"- [`{name}`](../../spec/errors.md#err-{name})" for name in codes)


def _aio() -> Iterator[str]:
    yield "The module is imported when `cogwire.aio` is first used."
    yield from map(_entry, ("aio.run", "aio.Tool", "aio.OnOutcome"))


def _tooling() -> Iterator[str]:
    yield "Programs that work on texts, events and tools themselves use `cogwire.tooling`."
    yield from (_entry(f"tooling.{name}") for name in sorted(tooling.__all__))


def _index() -> Iterator[str]:
    yield _INTRODUCTION
    for group in GROUPS:
        yield f"## [{group.title}]({group.slug}.md)"
        yield group.about
        yield "\n".join(
            f"- [`{name}`]({group.slug}.md#cogwire.{name}): {_summary(name)}"
            for name in group.names
        )
    names = ", ".join(f"`{name}`" for name in sorted(tooling.__all__))
    commands = ", ".join(f"`cogwire {name}`" for name in cli.list_commands(click.Context(cli)))
    yield "## [Events](events.md)"
    yield "The dicts that all of these take and give."
    yield "## [Running batches](aio.md)"
    yield "`cogwire.aio.run` runs the calls of a batch with asyncio."
    yield "## [Tooling](tooling.md)"
    yield f"`cogwire.tooling` has what linters, viewers and bridges need: {names}."
    yield "## [The command line](cli.md)"
    yield f"{commands}."


def _summary(name: str) -> str:
    """Return the first paragraph of a docstring; `AttributeError` if there is no such name."""
    return " ".join((getattr(cogwire, name).__doc__ or "").partition("\n\n")[0].split())


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
