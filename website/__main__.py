# SPDX-License-Identifier: MIT
"""`python -m website build PAGES` and `python -m website check SITE`; see `make site`."""

from pathlib import Path

import click

from website import checking, grid
from website.build import build as build_pages

_FOLDER = click.Path(file_okay=False, path_type=Path)


@click.group()
def main() -> None:
    """Make the site's pages, and check what a generator made of them."""


@main.command()
@click.argument("pages", type=_FOLDER)
@click.option(
    "--reports",
    type=_FOLDER,
    multiple=True,
    help="A folder with reports of conformance runs; the first that has one is taken.",
)
def build(pages: Path, reports: tuple[Path, ...]) -> None:
    """Write every page, as Markdown, and every file of the site to PAGES."""
    standing = build_pages(pages, reports)
    names = ", ".join(one.name for one in standing.implementations) or "nobody"
    count = sum(1 for path in pages.rglob("*.md"))
    click.echo(f"{count:,} pages in {pages}; results of {names}")


@main.command()
@click.argument("site", type=_FOLDER)
def check(site: Path) -> None:
    """Check the links, the anchors, the addresses and the weight of the pages in SITE."""
    found = checking.check(site)
    for problem in found.problems:
        click.echo(problem, err=True)
    click.echo(found.summary())
    if found.problems:
        raise SystemExit(1)


@main.command(name="grid")
def renew_grid() -> None:
    """Write the stored results of parsers by formats into README."""
    grid.renew()


@main.command()
@click.argument("site", type=_FOLDER)
def pictures(site: Path) -> None:
    """Draw the pictures of README, guides and previews anew; the playground is that of SITE."""
    from website import drawing  # noqa: PLC0415 (it needs a browser)

    drawing.draw(site)


if __name__ == "__main__":
    main()
