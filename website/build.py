# SPDX-License-Identifier: MIT
"""The pages of the site, as plain Markdown and files, in a folder that any generator can render."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from cogwire_kit.conformance import corpus
from cogwire_kit.conformance import corpus as kit_clauses
from website import (
    benchmarks,
    bugs,
    cases,
    clauses,
    diagrams,
    downloads,
    errors,
    fixtures,
    formats,
    grammars,
    grid,
    links,
    llms,
    picturing,
    reference,
    results,
    rules,
    runtime,
)
from website.clauses import Clauses
from website.standing import Standing, implementations
from website.text import boosted, guarded, write

HERE: Final = Path(__file__).parent


def build(pages: Path, reports: Sequence[Path]) -> Standing:
    """Write every page and file to `pages`, in place of what is there; return what they tell of.

    `reports` are the folders in which the report of each listed adapter is looked for.
    """
    if pages.exists():
        shutil.rmtree(pages)
    known = Clauses(kit_clauses.PAGES, corpus.PLACE)
    standing = Standing(corpus.load(), implementations(reports))
    _copy(pages, known, standing)
    cases.write_pages(pages, standing, known, corpus.PLACE)
    clauses.write_page(pages, standing, known)
    bugs.write_page(pages, standing, known)
    results.write_page(pages, standing, known)
    rules.write_page(pages)
    formats.write_pages(pages)
    fixtures.write_page(pages)
    benchmarks.write_page(pages)
    reference.write(pages)
    runtime.write(pages)
    version = downloads.write_files(pages, standing, known)
    llms.write_file(pages, known, version)
    return standing


def _copy(pages: Path, known: Clauses, standing: Standing) -> None:
    """Write what is written by hand: the specification, its diagrams drawn, guides and changes."""
    for path in sorted(known.spec.glob("*.md")):
        text = links.of_file(path.read_text("utf-8"), path, f"spec/{path.name}")
        text = clauses.annotated(text, standing, known)
        if path.name == errors.SOURCE:
            text = errors.annotated(text, standing)
        text = diagrams.drawn(grammars.linked(path.name, guarded(text)))
        write(pages / "spec" / path.name, boosted(text))
    shutil.copytree(known.spec / "schemas", pages / "spec" / "schemas")
    shutil.copytree(HERE / "guides", pages / "library")
    for path in (HERE / "guides").rglob("*.md"):
        page = f"library/{path.relative_to(HERE / 'guides')}"
        write(pages / page, links.of_file(path.read_text("utf-8"), path, page))
    shutil.copytree(HERE / "theme", pages / "theme")
    home = (HERE / "home.md").read_text("utf-8")
    write(pages / "index.md", home.replace("<!-- grid -->", grid.as_html()))
    changelog = guarded((HERE.parent / "CHANGELOG.md").read_text("utf-8"))
    write(pages / "changelog.md", boosted(changelog, 0.1))
    for path in picturing.FOLDER.glob("*.png"):
        shutil.copyfile(path, pages / "theme" / path.name)
