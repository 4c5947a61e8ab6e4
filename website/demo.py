# SPDX-License-Identifier: MIT
"""The formats as the pages in a browser have them: a description and a turn to begin with."""

import json
from collections.abc import Iterator
from typing import Any, Final

import cogwire
from cogwire import Format, KnownFormat
from cogwire_kit.cli.formats import description, example_calls

#: The tools that the turns call.
TOOLS: Final[list[dict[str, Any]]] = [
    {
        "name": "write",
        "description": "Write a file.",
        "parameters": {
            "type": "object",
            "properties": {"file": {"type": "string"}, "text": {"type": "string"}},
            "required": ["file", "text"],
        },
    }
]


def formats() -> list[dict[str, Any]]:
    """Return `{"name", "models", "aliases", "description", "text"}` of each format, sorted.

    The description is null where a format has none.
    """
    return [
        {
            "name": each.name,
            "models": each.models,
            "aliases": each.aliases,
            "description": json.loads(description(each.format)),
            "text": turn(each),
        }
        for each in sorted(cogwire.formats(), key=lambda one: one.name)
    ]


def turn(known: KnownFormat) -> str:
    """Return a turn that thinks, answers and calls a tool whose argument has the call's closer.

    A part that the format cannot write is left out.
    """
    form = known.format
    thinking = f"{_first(form.think[0])}They want a note.{_first(form.think[1])}\n\n"
    called = next(_called(form))
    prose = "I'll write it down.\n\n" if form.header is None else ""
    return f"{thinking if form.header is None and form.think[0] else ''}{prose}{called}"


def _first(marker: Any) -> str:
    return marker if isinstance(marker, str) else marker[0]


def _called(form: Format) -> Iterator[str]:
    """Yield the texts of a call, the hardest that the format can write first.

    A model writes `<` in JSON as it is; `render_calls` would write an escape.
    """
    closer = _first(form.call[1]) or _first(form.section[1]) or "}"
    for text in (f"Every call ends with {closer} here.", "Every call ends here."):
        args = {"file": "a.md", "text": text}
        try:
            written = cogwire.render_calls([{"name": "write", "args": args}], form)
        except cogwire.RenderError:
            continue
        yield written.replace("\\u003c", "<")
    yield cogwire.render_calls(example_calls(form)[:1], form)
