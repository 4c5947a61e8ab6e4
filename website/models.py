# SPDX-License-Identifier: MIT
"""The page of the formats that models write: which model writes which, and how each is read."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import cogwire
from cogwire import Format, KnownFormat
from cogwire_kit.cli.formats import description, example_calls, limits_of
from website.text import code, escaped, fence, page, prose, table, write

_ABOUT: Final = (
    "Look for your model in the table or with the search of this site. The name of its format, or "
    "one of its aliases, is accepted wherever a dialect is: by `Parser`, `Toolset` and every other "
    "function of the library, and by the `--dialect` of each command."
)
_ASK: Final = (
    "`cogwire detect --model NAME` names the format of a model, and `cogwire detect --template "
    "tokenizer_config.json` that of its chat template; `cogwire.detect_format` does the same, for "
    "the text of a turn too."
)
_ABSENT: Final = (
    "If your model is not in the table, give its chat template to `cogwire detect --template` "
    "first: many models write a format of others. If no format fits, `cogwire format from "
    "tokenizer_config.json` describes the format of a `response_template`, where the model has "
    "one. For everything else, [describe what it writes](library/formats.md): a description is a "
    "file of JSON, which is accepted wherever a name is. Begin with one that is near: `cogwire "
    "format show NAME --json > my.json`."
)


def write_page(pages: Path) -> None:
    """Write the page of all formats that have a name."""
    known = sorted(cogwire.formats(), key=lambda each: each.name)
    rows = [(escaped(model), _link(each)) for each in known for model in each.models]
    rows.sort(key=lambda row: row[0].lower())
    sections = [block for each in known for block in _section(each)]
    absent = ("## Where your model is not here { #absent }", _ABSENT)
    shown = table(("model", "format"), rows)
    text = page("Which format does my model write?", _ABOUT, _ASK, shown, *absent, *sections)
    write(pages / "which-format.md", text)


def _link(known: KnownFormat) -> str:
    return f"[`{known.name}`](#{known.name})"


def _section(known: KnownFormat) -> Iterator[str]:
    """Yield what the page says of one format, as blocks of Markdown."""
    form = known.format if isinstance(known.format, Format) else None
    yield f"## `{known.name}` {{ #{known.name} }}"
    aliases = f" It is also called {', '.join(map(code, known.aliases))}." if known.aliases else ""
    yield (
        f"{escaped(', '.join(known.models))} write this format, as [its source]({known.source}) "
        f"shows.{aliases}"
    )
    calls = example_calls(form)
    yield fence(cogwire.render_calls(calls, known))
    yield fence(
        f'for event in cogwire.parse(text, "{known.name}"):\n    print(event)',
        "python",
    )
    if limits := limits_of(known):
        yield f"**What it cannot do.** {prose(' '.join(limits))}"
    if form is None:
        yield "It has no description: its calls may come without a marker, which needs code."
        return
    yield "Its description:"
    yield fence(description(form), "json")
