# SPDX-License-Identifier: MIT
"""The command `cogwire detect`: in which dialect or format texts are, and why."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

import cogwire
from cogwire import Detected
from cogwire.tooling import format_names
from cogwire_kit.cli.files import (
    TextFile,
    TroubleError,
    keep_files,
    notify,
    reading,
    trouble,
)
from cogwire_kit.cli.options import MODEL, exit_codes, file_option, format_option
from cogwire_kit.templates import files as model_files
from cogwire_kit.texts.dialects import AUTO, HAS_CALLS, resolved
from cogwire_kit.texts.notices import is_stored, notices
from cogwire_kit.texts.words import on_a_line, visible

_END: Final = """\b
Examples:
  cogwire detect log.txt
  cogwire detect logs/*.txt --format jsonl | jq -r 'select(.dialect == null).file'
  cogwire detect --model Qwen/Qwen3-8B
  cogwire detect --template tokenizer_config.json""" + exit_codes(
    {
        0: "every text has a dialect or a format, or the model writes one format",
        1: "some text has none, or may be of several",
        2: "wrong usage, or input that cannot be read, or is not UTF-8",
    }
)


#: What to do where a chat template writes no known format.
DESCRIBE: Final = "describe it: `cogwire format show NAME --json` writes a description to change"
#: What to do where nothing is known of a model.
_ASK_TEMPLATE: Final = "--template FILE finds the format by the model's chat template"
#: Why a data set has no dialect: in JSON, the texts in its records have escapes.
_STORED: Final = "it has records, and their texts are not read here"
#: What `--template` is.
TEMPLATE_HELP: Final = "A chat template, a tokenizer_config.json, or the folder of a model."


@click.command(epilog=_END, short_help="Say in which dialect or format texts are, and why.")
@click.argument("files", metavar="[FILE]...", nargs=-1, type=TextFile(exists=True, allow_dash=True))
@click.option("--model", metavar="NAME", help="The name of the model that wrote the texts.")
@file_option("--template", "template", TEMPLATE_HELP, MODEL)
@format_option(("text", "jsonl"), "A line for people, or JSON Lines for programs.")
def detect(files: tuple[str, ...], model: str | None, template: Path | None, form: str) -> int:
    """Say in which dialect or format each FILE, or standard input, is, and what shows it.

    A text of plain prose is in none.  A format that models write is the answer if the text has a
    call of it.

    With --model or --template, the answer is the format that the model writes, or the formats from
    which to choose; with a FILE beside them, those that its text may be in.
    """
    is_all = True
    keep_files(files)
    text, config = template_in(template) if template else ("", {})
    options: dict[str, Any] = {"model": model or "", "template": text}
    for file, detected in _texts(files, options) if any(options.values()) else _dialects(files):
        found, known = detected, detected.dialect
        if template and known and not is_read(known, text, config):
            found = Detected(None, (), not_read(known, template))
        is_all = is_all and found.dialect is not None
        if form == "jsonl":
            click.echo(json.dumps({"file": file, **found._asdict()}, ensure_ascii=False))
        else:
            name = found.dialect or " or ".join(found.candidates) or "no dialect"
            hint = DESCRIBE if template else _ASK_TEMPLATE if model else ""
            is_unknown = hint and found.dialect is None and len(found.candidates) < 2
            reason = f"{found.reason}; {hint}" if is_unknown else found.reason
            place = f"{on_a_line(file)}: " if file else ""
            click.echo(f"{place}{name}: {visible(reason)}")
    return 0 if is_all else 1


def _dialects(files: tuple[str, ...]) -> Iterator[tuple[str, Detected]]:
    for file in files or ("-",):
        with reading(file) as source:
            text = source.whole()  # which says if it is not UTF-8
            stored = is_stored(file, source.head)
            found = Detected(None, (), _STORED) if stored else _detected(text)
            notify(file, notices(file, source.head, None))
        yield file, found


def _detected(text: str) -> Detected:
    """Return what `--dialect auto` finds: a dialect of the protocol, or a format of models."""
    name, _ = resolved(AUTO, text)
    if name in format_names():
        return Detected(name, (name,), HAS_CALLS)
    return cogwire.detect(text)


def _texts(
    files: tuple[str, ...], options: dict[str, Any]
) -> Iterator[tuple[str | None, Detected]]:
    """Yield the formats by what is given, and by the text of each file, if there are any."""
    if not files:
        yield None, cogwire.detect_format(**options)
    for file in files:
        with reading(file) as source:
            yield file, cogwire.detect_format(source.whole(), **options)


def is_read(name: str, template: str, config: dict[str, Any]) -> bool:
    """Whether a format reads the calls of a chat template; true if Jinja2 is not installed."""
    try:
        from cogwire_kit.templates import readings  # noqa: PLC0415 (an extra)
        from cogwire_kit.templates.chat import ChatTemplate, names_in  # noqa: PLC0415 (an extra)

        written = ChatTemplate(template, names_in(config), for_llama_cpp=True)
    except (ImportError, ValueError):
        return True
    return readings.reads_calls(cogwire.format_named(name).format, written)


def not_read(name: str, template: Path) -> str:
    """Say that a chat template has the markers of a format, and writes its calls otherwise."""
    return (
        f"the chat template has the markers of {name}, and writes calls that {name} does not read; "
        f"`cogwire format check {name} --template {template}` shows them"
    )


def template_in(path: Path) -> tuple[str, dict[str, Any]]:
    """Return the chat template of a model, and its tokenizer_config.json, or say what is wrong."""
    with trouble("", ValueError):
        text, config = model_files.template_in(path)
    if text is None:
        raise TroubleError(
            f"{path}: /chat_template: there is no chat template here, and no "
            f"{model_files.TEMPLATE} beside it"
        )
    return text, config
