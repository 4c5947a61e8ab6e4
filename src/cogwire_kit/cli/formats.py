# SPDX-License-Identifier: MIT
"""The commands `cogwire format …`: the formats that models write."""

import json
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from click.shell_completion import CompletionItem

import cogwire
from cogwire import Format, KnownFormat
from cogwire_kit.cli.detect import DESCRIBE, TEMPLATE_HELP, is_read, not_read, template_in
from cogwire_kit.cli.files import json_in, say, trouble
from cogwire_kit.cli.options import MODEL, Commands, exit_codes, json_options
from cogwire_kit.templates import response
from cogwire_kit.templates.files import CONFIG
from cogwire_kit.texts.dialects import DescribedName, chosen_dialect

if TYPE_CHECKING:
    from cogwire_kit.templates.checks import TemplateReport
    from cogwire_kit.templates.readings import MessageReading

_EXAMPLES: Final = """\b
Examples:
  cogwire format list
  cogwire format show kimi-k2
  cogwire format show kimi-k2 --json > my.json
  cogwire parse --dialect my.json turn.txt
  cogwire format from tokenizer_config.json
  cogwire format check my.json --template tokenizer_config.json
  cogwire format to response-template xml-json""" + exit_codes(
    {1: "a description lacks something (check), or cannot express the template (from)"}
)

_LIST_END: Final = """\b
Examples:
  cogwire format list
  cogwire format list --json | jq -r '.[] | select(.result == false).name'""" + exit_codes({})

_SHOW_END: Final = """\b
Examples:
  cogwire format show hermes
  cogwire format show deepseek_v31 --json > my.json
  cogwire format show my.json""" + exit_codes(
    {2: "wrong usage, or there is no such format, or none with a description"}
)

_FROM_END: Final = """\b
Examples:
  cogwire format from tokenizer_config.json > my.json
  cogwire format from tokenizer_config.json --name my-model""" + exit_codes(
    {
        1: "a part of the response template cannot be said in a description; stderr names it",
        2: "wrong usage, or no format can be found in the file",
    }
)

_TO_END: Final = """\b
Examples:
  cogwire format to response-template xml-json
  cogwire format to response-template hermes --for-server""" + exit_codes(
    {2: "wrong usage, or no response template can express the format"}
)

_CHECK_END: Final = """\b
Examples:
  cogwire format check my.json --template tokenizer_config.json
  cogwire format check my.json --template chat_template.jinja --json | jq .problems
  cogwire format check hermes --template chat_template.jinja""" + exit_codes(
    {
        0: "everything that the template writes is read as it was",
        1: "something is read otherwise, the description lacks a marker, or the template writes no "
        "calls",
        2: "wrong usage, or the template cannot be read, or writes no message",
    }
)

#: What is said where no `--anchor` is given.
_ANCHOR: Final = (
    f"start_anchor is {json.dumps(response.ANCHOR)}, as in ChatML; pass --anchor if your "
    "chat template writes something else before a message of the model"
)
#: Two calls, as each format writes them.
_CALLS: Final = [
    {"name": "read", "args": {"path": "a.txt", "lines": "1-5"}},
    {"name": "list", "args": {}},
]
_WIDTH: Final = 100
#: How many messages that are read otherwise are shown.
_SHOWN: Final = 2
#: How many characters before a place are shown.
_BEFORE: Final = 60


class FormatName(click.types.StringParamType):
    """The name of a format or an alias, or a file with a description."""

    name = "format"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that begin so; where there are none, the shell completes a file."""
        del ctx, param
        names = (name for each in cogwire.formats() for name in (each.name, *each.aliases))
        found = [CompletionItem(name) for name in names if name.startswith(incomplete)]
        return found or [CompletionItem(incomplete, type="file")]


@click.group(cls=Commands, name="format", epilog=_EXAMPLES)
def formats() -> None:
    """List, show and check the formats that models write.

    Each is accepted wherever a dialect is, by its name, by an alias, or as a file with a
    description.
    """


@formats.command(name="list", epilog=_LIST_END, short_help="Name the formats and their models.")
@json_options("For people, or an array of objects for programs.")
def list_(form: str) -> None:
    """Name each format that models write, with the models that write it."""
    known = sorted(cogwire.formats(), key=lambda each: each.name)
    if form == "json":
        click.echo(json.dumps([_facts(each) for each in known], ensure_ascii=False, indent=2))
        return
    margin = max(len(each.name) for each in known) + 2
    for each in known:
        click.echo(_wrapped(each.name, ", ".join(each.models), margin))


@formats.command(epilog=_SHOW_END, short_help="Show a format: its models, a text, a description.")
@click.argument("name", metavar="NAME", type=FormatName())
@json_options("For people, or the description of the format.")
def show(name: str, form: str) -> None:
    """Show what is known of the format NAME, which may be a file with a description.

    With --json, the output is the description, for a file that you change and pass on.
    """
    with trouble("", ValueError):
        chosen = chosen_dialect(name)
        if isinstance(chosen, DescribedName):
            known, described = None, chosen.form
        else:
            known = cogwire.format_named(chosen)
            described = known.format
    if form == "json":
        click.echo(description(described))
        return
    for title, text in _shown(known):
        click.echo(_wrapped(title, text, 12))
    written = cogwire.render_calls(example_calls(described), chosen)
    click.echo(f"\n{textwrap.indent(written, '  ')}\n")
    click.echo(description(described))


@formats.command(name="from", epilog=_FROM_END, short_help="Describe the format of a tokenizer.")
@click.argument("file", metavar="FILE", type=MODEL)
@click.option("--name", default="mine", show_default=True, help="The name of a new format.")
def from_(file: Path, name: str) -> int:
    """Write the description of the format that a tokenizer_config.json names.

    FILE has a `response_template`, as Hugging Face defines it, or the `chat_template` of a known
    format; or it is the folder of a model, or such a template itself, if its name does not end in
    .json.  stderr names what a description cannot express, with its place.
    """
    config = file / CONFIG if file.is_dir() else file
    config_json = json_in(config) if config.suffix.lower() == ".json" and config.exists() else None
    if isinstance(config_json, dict) and "response_template" in config_json:
        found, unsaid = response.read(config_json["response_template"], name)
        unsaid = [f"/response_template{each}" for each in unsaid]
    else:
        text, settings = template_in(file)
        detected = cogwire.detect_format(template=text)
        found = cogwire.format_named(detected.dialect).format if detected.dialect else None
        reason = detected.reason
        if detected.dialect and not is_read(detected.dialect, text, settings):
            found, reason = None, not_read(detected.dialect, file)
        unsaid = [] if found else [f"/chat_template: {reason}; {DESCRIBE}"]
    for each in unsaid:
        say(f"{file}: {each}")
    if found is None:
        return 2
    click.echo(description(found))
    return 1 if unsaid else 0


@formats.command(epilog=_TO_END, short_help="Write a format as Hugging Face describes it.")
@click.argument("form", metavar="response-template", type=click.Choice(["response-template"]))
@click.argument("name", metavar="NAME", type=FormatName())
@click.option(
    "--anchor",
    show_default="that of ChatML",
    help="What the chat template writes before a message of the model.",
)
@click.option(
    "--for-server",
    is_flag=True,
    help="For the servers of vLLM and SGLang, which refuse `join`: without it, transformers "
    "returns prose as a list of texts.",
)
def to(form: str, name: str, anchor: str | None, *, for_server: bool) -> None:
    """Write the `response_template` of NAME, a format or the dialect xml-json, as JSON.

    With it in tokenizer_config.json, transformers, vLLM and SGLang read the calls of the format.
    To them, the closer of a call ends it even in a string.  Keep a description as well:
    `format from` does not read the regular expressions of such a template.
    """
    del form  # there is one
    with trouble("", ValueError):
        template = response.written(
            chosen_dialect(name), anchor or response.ANCHOR, for_server=for_server
        )
    if anchor is None:
        say(_ANCHOR)
    click.echo(json.dumps(template, ensure_ascii=False, indent=2))


@formats.command(epilog=_CHECK_END, short_help="Compare a description with a chat template.")
@click.argument("name", metavar="NAME", type=FormatName())
@click.option("--template", metavar="FILE", required=True, type=MODEL, help=TEMPLATE_HELP)
@click.option(
    "--stop",
    metavar="TEXT",
    default="",
    help="A token that your server removes from the end of a turn; by default the `eos_token` of "
    "the tokenizer_config.json.",
)
@json_options("For people, or an object for programs.")
def check(name: str, template: Path, stop: str, form: str) -> int:
    """Check that the format NAME, or a file with a description, reads what a template writes.

    The template writes messages of the model with a thought, prose, calls and awkward texts, and
    each is read back.  The output shows each difference with its place, and names each marker of
    the template that the description does not have.
    """
    with trouble("", ImportError, ValueError):
        from cogwire_kit.templates import checks  # noqa: PLC0415 (an extra)
        from cogwire_kit.templates.chat import ChatTemplate, names_in  # noqa: PLC0415 (an extra)

        text, config = template_in(template)
        chosen = chosen_dialect(name)
        own = chosen.form if isinstance(chosen, DescribedName) else None
        described = own or cogwire.format_named(chosen).format
        with trouble(template, ValueError):
            written = ChatTemplate(text, names_in(config), for_llama_cpp=True)
            report = checks.check(described, written, stop=stop, is_known=own is None)
    if form == "json":
        found = {"same": report.is_same, **asdict(report)}
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
    else:
        click.echo("\n".join(_report_lines(report)))
    return 0 if report.is_same else 1


def _report_lines(report: "TemplateReport") -> Iterator[str]:
    yield from map(_in_line, report.problems)
    others = [each for each in report.readings if each.outcome == "other"]
    for each in others[:_SHOWN]:
        yield from _reading_lines(each)
    if more := others[_SHOWN:]:
        yield f"also read otherwise: {', '.join(each.name for each in more)}"
    for each in report.readings:
        if each.outcome == "refused":
            yield f"note: {each.name}: {each.reason}"
    yield from (f"note: {_in_line(each)}" for each in report.notes)
    for prompt in report.prompts:
        end = json.dumps(prompt.end, ensure_ascii=False)
        start = prompt.start or "a header that says what follows"
        yield f"asked {prompt.asked}, a turn starts in {start}: the prompt ends with {end}"
    count = Counter(each.outcome for each in report.readings)
    written = count["same"] + count["other"]
    refused = f"; the template refuses {count['refused']}" if count["refused"] else ""
    yield f"{count['same']} of {written} messages are read as they were written{refused}"


def _reading_lines(reading: "MessageReading") -> Iterator[str]:
    at = reading.offset or 0
    start = f", from {reading.start}" if reading.start != "prose" else ""
    yield f"{reading.name}: read otherwise at {at}{start}"
    text = f"{reading.text[max(0, at - _BEFORE) : at]}‸{reading.text[at:]}"
    yield f"  text      {_shortened(_in_line(text))}"
    for title, said in (("expected", reading.expected), ("read", reading.found)):
        for each in said or ("nothing",):
            yield f"  {title:<9} {_shortened(each)}"


def _in_line(text: str) -> str:
    return text.replace("\n", "\\n")


def _shortened(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"


def description(form: Format) -> str:
    """Return the description of a format as JSON text."""
    return json.dumps(form.to_json(), ensure_ascii=False, indent=2)


def example_calls(form: Format) -> list[dict[str, Any]]:
    """Return calls that show a format: of its one tool, if it has no others."""
    payload = form.to_json()["payload"]
    if payload["kind"] == "text":
        return [{"name": payload["tool"], "args": {payload["arg"]: "cat a.txt"}}]
    return _CALLS


def limits_of(known: KnownFormat) -> tuple[str, ...]:
    """Return what a format cannot do, each as a sentence."""
    has_results = known.wire.frame.has_results
    return (*known.limits, *(() if has_results else ("It has no results and no transcripts.",)))


def _facts(known: KnownFormat) -> dict[str, Any]:
    """Return what is known of a format, for programs."""
    return {
        "name": known.name,
        "aliases": known.aliases,
        "models": known.models,
        "source": known.source,
        "limits": limits_of(known),
        "result": known.wire.frame.has_results,
    }


def _shown(known: KnownFormat | None) -> Sequence[tuple[str, str]]:
    """Return what is known of a format, for people."""
    if known is None:
        return ()
    facts = [
        ("name", known.name),
        ("also", ", ".join(known.aliases)),
        ("models", ", ".join(known.models)),
        ("read in", known.source),
        ("limits", " ".join(limits_of(known))),
    ]
    return [(title, text) for title, text in facts if text]


def _wrapped(title: str, text: str, margin: int) -> str:
    return textwrap.fill(
        text,
        _WIDTH,
        initial_indent=f"{title:<{margin}}",
        subsequent_indent=" " * margin,
        break_long_words=False,
        break_on_hyphens=False,
    )
