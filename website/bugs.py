# SPDX-License-Identifier: MIT
"""The page of bugs: what each class does, the parsers that have it, and its cases."""

from pathlib import Path

from conformance.zoo.animals import ANIMALS

from cogwire_kit.conformance import formats
from website.clauses import Clauses
from website.standing import Standing
from website.text import TESTED, escaped, folded, page, prose, write


def write_page(pages: Path, standing: Standing, known: Clauses) -> None:
    """Write the page."""
    about = (
        f"Parsers of model output have bugs of these {len(known.classes)} classes. The cases that "
        "are named with a class find such bugs. The cases are themselves tested on "
        f"{len(ANIMALS)} broken parsers, each of which is correct except for one bug: if a broken "
        "parser passed all of them, no case would test for its bug."
    )
    sections = [about, folded("classes")]
    for flag, kind in sorted(known.classes.items(), key=lambda item: item[1]["title"]):
        cases = [case for case in standing.cases if flag in case.data["flags"]]
        broken = [animal for animal in ANIMALS if animal.flag == flag]
        sections += [f"## {escaped(kind['title'])} {{ #{flag} }}", prose(kind["effect"])]
        sections += [f"- `{animal.name}`: {prose(animal.breaks)}" for animal in broken]
        if cases:
            sections.append(f"{standing.asked(flag, cases, here='')}\n{TESTED}")
        elif "untested" in kind:
            sections.append(f"No case can find it. {prose(kind['untested'])}")
        else:
            sections.append(f"Texts of formats find it: {_texts(flag)}.\n{TESTED}")
    write(pages / "bugs.md", page("Bugs that parsers have", *sections, boost=0.1, hide=["toc"]))


def _texts(flag: str) -> str:
    """Return links to the formats that have texts of a class."""
    names = [
        name
        for name in formats.names()
        if any(flag in case.data.get("flags", ()) for case in formats.load(name).cases)
    ]
    return ", ".join(f"[{name}](formats/{name}.md)" for name in names)
