# SPDX-License-Identifier: MIT
"""The page of the classes of bugs: what each does, which cases find it, and who has it."""

from pathlib import Path
from typing import Final

from conformance.zoo.animals import ANIMALS

from website import links
from website.clauses import Clauses
from website.standing import Standing
from website.text import escaped, page, prose, write

#: So many cases of a class are named.
_SHOWN: Final = 8


def write_page(pages: Path, standing: Standing, known: Clauses) -> None:
    """Write the page."""
    found = {flag: [c for c in standing.cases if flag in c.data["flags"]] for flag in known.classes}
    blocks = [
        (
            f"{len(found)} classes of bugs that parsers of this kind have. The cases named with "
            f"a class find it: each is tried on broken parsers, {len(ANIMALS)} in all, which are "
            "right but for one bug of its class. A suite that lets one of them pass would test "
            "nothing."
        )
    ]
    for flag, told in sorted(known.classes.items(), key=lambda item: item[1]["title"]):
        broken = [animal for animal in ANIMALS if animal.flag == flag]
        shown = ", ".join(f"[{case.id}]({links.case(case)})" for case in found[flag][:_SHOWN])
        more = len(found[flag]) - _SHOWN
        lines = [f"Found by {shown}{f' and {more} more' if more > 0 else ''}."] if shown else []
        lines += [f"- `{animal.name}`: {prose(animal.breaks)}" for animal in broken]
        blocks += [
            f"## {escaped(told['title'])} {{ #{flag} }}",
            prose(told["effect"]),
            "\n\n".join(lines[:1]),
            "\n".join(lines[1:]),
        ]
    write(pages / "bugs.md", page("Bugs", *blocks, hide=["toc"]))
