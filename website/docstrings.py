# SPDX-License-Identifier: MIT
"""What the API reference adds to the docstrings and signatures that mkdocstrings shows.

Names of ours become links, entries lead to their clauses in the specification, and private names
of types are replaced by what they stand for.  mkdocstrings loads this as an extension of griffe;
comments that begin with `#:` are read by griffe-sphinx.
"""

import dataclasses
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

import griffe

import cogwire

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
    "Problem": ("validation.md#problems",),
    "render_calls": ("results.md#writing-calls", "results.md#what-is-refused"),
    "render_results": ("results.md#writing-results", "results.md#what-is-refused"),
    "render_events": ("results.md#events",),
    "neutralise": ("messages.md#texts",),
    "render_prompt": ("prompt.md#what-is-taught",),
    "Batch": ("batch.md#states",),
    "Batch.take": ("batch.md#b-take", "batch.md#void-blocks"),
    "Batch.take_last": ("batch.md#b-answer-behind", "batch.md#b-answer-before-cancelled"),
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

#: Protocols of which a toolset is the one that matters, for copies without toolsets.
_SPELLED: Final = {"_DescribedTools": "Toolset", "_Toolset": "Toolset"}
#: Aliases that say more than what they stand for.
_KEPT: Final = frozenset({"Code", "Event", "StoredEvent", "Tool"})
#: What the ids of clauses begin with; other anchors are those of sections.
_CLAUSE: Final = re.compile(r"(ad|b|cf|conv|dl|err|fd|m|msg|prompt|res|val|xe|xj)-")
_NAME: Final = re.compile(r"`(?:cogwire\.)?(\w+)`")


class Docstrings(griffe.Extension):
    """Adds links to docstrings, and spells annotations out."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Change a package that has been read; `KeyError` if something specified is not there."""
        everything = list(_walk(pkg))
        aliases = dict(_aliases(everything))
        for each in everything:
            if each.docstring:
                each.docstring.value = _NAME.sub(_linked, each.docstring.value)
            if isinstance(each, griffe.Class) and "__new__" in each.members:
                each.members["__init__"] = each.members["__new__"]  # shows how it is called
                each.members["__init__"].docstring = None
            if isinstance(each, griffe.Function):
                each.returns = _spelled(each.returns, aliases)
                for parameter in each.parameters:
                    parameter.annotation = _spelled(parameter.annotation, aliases)
            elif isinstance(each, griffe.Attribute):
                each.annotation = _spelled(each.annotation, aliases)
                if each.parent and "total" in getattr(each.parent, "keywords", ()):
                    optional = griffe.ExprName("NotRequired")
                    each.annotation = griffe.ExprSubscript(optional, each.annotation)
        for name, targets in SPECIFIED.items():
            found = pkg[name]
            docstring = (found.final_target if found.is_alias else found).docstring
            docstring.value += f"\n\n{specified(targets)}".replace(".md", ".html")


def specified(targets: Sequence[str]) -> str:
    """Return links to chapters, sections and clauses."""
    links = []
    for target in targets:
        chapter, _, anchor = target.partition("#")
        chapter = chapter.removesuffix(".md")
        shown = f"`{anchor}`" if _CLAUSE.match(anchor) else anchor.replace("-", " ")
        title = f"{chapter}: {shown}" if anchor else chapter
        links.append(f"[{title}](../../spec/{chapter}.md{'#' if anchor else ''}{anchor})")
    return f"In the specification: {', '.join(links)}."


def _walk(found: griffe.Object) -> Iterator[griffe.Object]:
    yield found
    for member in found.members.values():
        if isinstance(member, griffe.Object):
            yield from _walk(member)


def _linked(name: re.Match[str]) -> str:
    known = name[1] in cogwire.__all__
    return f"[`{name[1]}`][cogwire.{name[1]}]" if known else name[0]


def _aliases(everything: Sequence[griffe.Object]) -> Iterator[tuple[str, griffe.Expr]]:
    """Yield the names that stand for a few strings or a function, and what they stand for."""
    for each in everything:
        value = each.value if isinstance(each, griffe.Attribute) else None
        is_alias = str(value).startswith(("Literal[", "Callable["))
        if is_alias and isinstance(value, griffe.Expr) and each.name not in _KEPT:
            yield each.name, value


def _spelled(annotation: Any, aliases: dict[str, griffe.Expr]) -> Any:
    """Return an annotation without the names that only the sources know."""
    if isinstance(annotation, griffe.ExprName):
        if annotation.name in _SPELLED:
            return dataclasses.replace(annotation, name=_SPELLED[annotation.name])
        return aliases.get(annotation.name, annotation)
    if isinstance(annotation, griffe.Expr):
        parts = {one.name: getattr(annotation, one.name) for one in dataclasses.fields(annotation)}
        spelled = {name: _spelled(part, aliases) for name, part in parts.items()}
        return dataclasses.replace(annotation, **spelled)
    if isinstance(annotation, list):
        return [_spelled(part, aliases) for part in annotation]
    return annotation
