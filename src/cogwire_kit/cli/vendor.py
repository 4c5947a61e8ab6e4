# SPDX-License-Identifier: MIT
"""The commands `cogwire vendor …`."""

import json
import keyword
import sys
from pathlib import Path
from typing import Any, Final

import click

from cogwire_kit.cli.files import TroubleError
from cogwire_kit.cli.options import Commands, exit_codes, json_options, refusing
from cogwire_kit.texts.words import counted, on_a_line
from cogwire_kit.vendoring import copies, rooms

_EXAMPLES: Final = """\b
Examples:
  cogwire vendor add agent/_vendor/wire --only parse
  cogwire vendor check agent/_vendor/wire
  cogwire vendor diff agent/_vendor/wire""" + exit_codes(
    {1: "a copy was changed, or differs (check and diff)"}
)

_ADD_END: Final = """\b
What --only copies, each with those above it, except that protocol has no formats:
  parse     the parser, for xml-json alone
  dialects  xml-elements, delimiter and delimiter-upper
  agent     batches, results, messages, prompts, detect and aio
  formats   the formats that models are trained on, such as hermes
  protocol  Toolset, convert and spans
  all       everything of the library
  bridges   the bridges to OpenAI, its Responses API and Anthropic

\b
Examples:
  cogwire vendor add agent/_vendor/wire --only parse
  cogwire vendor add agent/_vendor/wire""" + exit_codes(
    {2: "wrong usage, or the folder may not be replaced"}
)

_CHECK_END: Final = """\b
Example:
  cogwire vendor check agent/_vendor/wire""" + exit_codes(
    {
        0: "the copy is as it was written",
        1: "files were modified or added, or are missing",
        2: "wrong usage, or DIR is not a copy",
    }
)

_DIFF_END: Final = """\b
Examples:
  cogwire vendor diff agent/_vendor/wire
  cogwire vendor diff agent/_vendor/wire | less""" + exit_codes(
    {
        0: "the copy is the same as the installed version",
        1: "it differs",
        2: "wrong usage, or DIR is not a copy",
    }
)

_directory: Final = click.argument(
    "directory", metavar="DIR", type=click.Path(file_okay=False, path_type=Path)
)
_form: Final = json_options("For people, or one JSON object for programs.")


@click.group(cls=Commands, epilog=_EXAMPLES)
def vendor() -> None:
    """Keep a copy of the core inside your own package."""


vendor.command_class = refusing(copies.VendorError, lambda problem, _: TroubleError(problem))


@vendor.command(epilog=_ADD_END, short_help="Copy the core, or update a copy.")
@_directory
@click.option(
    "--only",
    type=click.Choice(list(rooms.CLOSURES)),
    help="How much is copied; by default as much as the copy has, and all in a new one.",
)
@click.option(
    "--force",
    is_flag=True,
    help="Replace a copy that was changed, and lose these changes, or that is newer.",
)
@_form
def add(directory: Path, only: str | None, form: str, *, force: bool) -> None:
    """Copy the installed core to DIR, in place of an earlier copy.

    The name of DIR is the name by which the copy is imported.  It has the files unchanged, the
    LICENSE, and cogwire.vendored.json: the version, the revision of the specification, and the
    SHA-256 of each file.
    """
    name = directory.resolve().name
    if not name.isidentifier() or keyword.iskeyword(name):
        raise TroubleError(f"{directory}: {name!r} cannot be the name of a package")
    parent = directory.resolve().parent
    if name in sys.stdlib_module_names and not (parent / "__init__.py").exists():
        raise TroubleError(
            f"{directory}: the copy would hide Python's own module {name!r}; name a folder in your "
            f"package, or another one, such as {directory.parent / 'cogwire'}"
        )
    manifest = copies.add(directory, only, force=force)
    if form == "json":
        _write({"directory": str(directory), **manifest.as_json()})
    else:
        click.echo(f"{directory}: {manifest}: {counted(len(manifest.sha256), 'file')}")


@vendor.command(epilog=_CHECK_END, short_help="Say what was changed in a copy.")
@_directory
@_form
def check(directory: Path, form: str) -> int:
    """Say which files of the copy in DIR were modified or added, or are missing.

    The copy is compared with its own list of digests, so nothing else is needed.
    """
    manifest = copies.read(directory)
    changes = copies.check(directory, manifest)
    number = sum(map(len, changes.values()))
    if form == "json":
        _write({"directory": str(directory), **_head(manifest), **changes})
    else:
        for kind, paths in changes.items():
            for path in paths:
                click.echo(f"{kind:<9} {on_a_line(path)}")
        files = len(manifest.sha256)
        copied = counted(files, "file, as it was copied", "files, as they were copied")
        how = counted(number, "change") if number else copied
        click.echo(f"{directory}: {manifest}: {how}")
    return 1 if number else 0


@vendor.command(epilog=_DIFF_END, short_help="Show what is newer than a copy.")
@_directory
@_form
def diff(directory: Path, form: str) -> int:
    """Write how the installed core differs from the copy in DIR, as a unified diff.

    This is what `cogwire vendor add DIR --force` would change, edits of the copy included.
    """
    manifest = copies.read(directory)
    differences = copies.diff(directory, manifest)
    new = copies.installed_manifest(manifest.only)
    if form == "json":
        _write(
            {
                "directory": str(directory),
                "copy": _head(manifest),
                "installed": _head(new),
                "files": [
                    {"path": each.path, "change": each.change, "diff": each.diff}
                    for each in differences
                ],
            }
        )
    else:
        for each in differences:
            click.echo(each.diff, nl=False)
        differing = counted(len(differences), "file differs", "files differ")
        how = differing if differences else "the same files"
        click.echo(f"{directory}: {manifest}; installed: {new}: {how}", err=True)
    return 1 if differences else 0


def _head(manifest: copies.Manifest) -> dict[str, str]:
    return {"version": manifest.version, "spec": manifest.spec, "only": manifest.only}


def _write(data: dict[str, Any]) -> None:
    click.echo(json.dumps(data, indent=2))
