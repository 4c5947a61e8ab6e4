# SPDX-License-Identifier: MIT
"""The command `cogwire detect`: in which dialect texts are, and why."""

import json
from typing import Final

import click

import cogwire
from cogwire_kit.cli.files import Source, TextFile, notify, opened, readable
from cogwire_kit.cli.options import exit_codes, format_option
from cogwire_kit.texts.notices import notices

_END: Final = """\b
Examples:
  cogwire detect log.txt
  cogwire detect logs/*.txt --format jsonl | jq -r 'select(.dialect == null).file'""" + exit_codes(
    {
        0: "every text has a dialect",
        1: "some text has none, or may be of several",
        2: "wrong usage, or input that cannot be read, or is not UTF-8",
    }
)


@click.command(epilog=_END, short_help="Say in which dialect texts are, and why.")
@click.argument("files", metavar="[FILE]...", nargs=-1, type=TextFile(exists=True, allow_dash=True))
@format_option(("text", "jsonl"), "A line for people, or JSON Lines for programs.")
def detect(files: tuple[str, ...], form: str) -> int:
    """Say in which dialect each FILE, or standard input, is, and which of its markers show it.

    A format that models are trained on is named in the reason, but never is the answer, because
    several of these formats have the same markers.  A text of plain prose has no dialect.
    """
    is_all = True
    for file in files or ("-",):
        with opened(file) as descriptor:
            source = Source(descriptor)
            with readable(file, source):
                found = cogwire.detect(source.whole())
            notify(file, notices(file, source.head, None))
        is_all = is_all and found.dialect is not None
        if form == "jsonl":
            click.echo(json.dumps({"file": file, **found._asdict()}, ensure_ascii=False))
        else:
            name = found.dialect or " or ".join(found.candidates) or "no dialect"
            click.echo(f"{file}: {name}: {found.reason}")
    return 0 if is_all else 1
