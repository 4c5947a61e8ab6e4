# SPDX-License-Identifier: MIT
"""A page for each class of bugs: what it does, which cases find it, and parsers that have it."""

from pathlib import Path

from conformance.zoo.animals import ANIMALS

from website import links
from website.clauses import Clauses
from website.listing import listing
from website.standing import Standing
from website.text import escaped, page, prose, table, write


def write_pages(pages: Path, standing: Standing, known: Clauses) -> None:
    """Write the page of each class, and of all of them."""
    rows = []
    for flag, told in sorted(known.classes.items(), key=lambda item: item[1]["title"]):
        cases = [case for case in standing.cases if flag in case.data["flags"]]
        broken = [animal for animal in ANIMALS if animal.flag == flag]
        blocks = ["[Bugs](../bugs.md)", prose(told["effect"])]
        if broken:
            lines = (f"- `{animal.name}`: {prose(animal.breaks)}" for animal in broken)
            blocks += ["## Parsers that have it", "\n".join(lines)]
        if cases:
            blocks += ["## Cases that find it", listing(cases, standing, here="bugs/")]
        else:
            blocks.append(f"No case can find it. {prose(told['untested'])}")
        write(pages / links.bug(flag), page(told["title"], *blocks, leaf=True))
        link = f"[{escaped(told['title'])}]({links.bug(flag)})"
        rows.append((link, prose(told["effect"]), str(len(cases)), str(len(broken))))
    about = (
        f"{len(rows)} classes of bugs that parsers of this kind have. The cases named with a class "
        f"find it: each is tried on broken parsers, {len(ANIMALS)} in all, which are right but for "
        "one bug of its class. A suite that lets one of them pass would test nothing."
    )
    shown = table(("bug", "what it does", "cases", "broken parsers"), rows)
    write(pages / "bugs.md", page("Bugs", about, shown, hide=["toc"]))
