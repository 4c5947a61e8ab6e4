# SPDX-License-Identifier: MIT
"""Where things are on the site, as paths of Markdown files from its top."""

import functools
import os
import re
import sys
from pathlib import Path
from typing import Final

from cogwire_kit.conformance import corpus
from cogwire_kit.conformance.corpus import Case
from website import reference

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_ROOT: Final = Path(__file__).parents[1]
#: Where the site has what a guide leads to in the repository: a file by its path from the top.
_PAGES: Final = {
    "benchmarks/reports/speed.json": "benchmarks.md",
    "conformance/README.md": "matrix.md",
    "conformance/formats/README.md": "formats.md",
    "conformance/formats/results.md": "formats.md",
    "src/cogwire/wire/trained/catalogue.py": "which-format.md",
    "src/cogwire/__init__.py": "library/reference/index.md",
    "src/cogwire/events.py": "library/reference/events.md",
    "src/cogwire_kit/cli/main.py": "library/reference/cli.md",
    "src/cogwire_kit/lint/rules.py": "rules.md",
    "website/benchmarks.md": "benchmarks.md",
    "website/playground/index.md": "playground/index.md",
}
_FORMAT: Final = re.compile(r"conformance/formats/([^/]+)/README\.md")
_LINK: Final = re.compile(r"\]\((?P<target>[^)\s]+)\)")
#: A paragraph of a guide that only links to a section of README: the site has the section there.
_SECTION: Final = re.compile(
    r"^\[[^]]+\]\((?P<way>[./]+/)README\.md#(?P<slug>[\w-]+)\)\.?$", re.MULTILINE
)


def addresses() -> dict[str, str]:
    """Return the addresses in the package's metadata; where there are none, the site names none."""
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return dict(project.get("urls", {}))


@functools.cache
def _topics() -> dict[str, str]:
    """Return the topic of each case, by its id: the name of the file that has it."""
    files = corpus.case_files()
    return {data["id"]: path.stem for path in files for data in corpus.array(path)}


def topic(dialect: str, name: str) -> str:
    """Return the page of a topic, with all its cases."""
    return f"cases/{dialect}/{name}.md"


def case(one: Case) -> str:
    """Return the place of a case on the page of its topic."""
    return f"{topic(one.dialect, _topics()[one.id])}#{one.id}"


def asked(name: str) -> str:
    """Return the table of results, of the cases of a clause, an error code or a bug alone."""
    return f"matrix.md?words={name}#cases"


def error(code: str) -> str:
    """Return the place of an error code."""
    return f"spec/errors.md#err-{code}"


def rule(name: str) -> str:
    """Return the place of a rule of `cogwire lint`."""
    return f"rules.md#{name}"


def bug(flag: str) -> str:
    """Return the place of a class of bugs."""
    return f"bugs.md#{flag}"


def up(here: str) -> str:
    """Return the way from a page in the folder `here` to the top of the site."""
    return "../" * here.count("/")


def moved(markdown: str, page: str, here: str) -> str:
    """Return what is on the page `page` of the specification, for a page in the folder `here`.

    Its links are relative to where it is.
    """

    def target(match: re.Match[str]) -> str:
        goal = match["target"]
        if goal.startswith(("http:", "https:")):
            return match[0]
        if goal.startswith("#"):
            goal = page + goal
        return f"]({up(here)}spec/{goal})"

    return _LINK.sub(target, markdown)


def of_file(markdown: str, source: Path, page: str) -> str:
    """Return the text of a guide, or of a page of the specification, as the page `page`.

    In the repository its links lead to files: to other pages, to the sources of what the API
    reference describes, as in `src/cogwire/parser/parser.py#cogwire.Parser`, and to parts of
    README, which the page includes.
    """
    markdown = _SECTION.sub(_of_readme, markdown)
    folder = Path(page).parent
    kept = ("spec/", "website/guides/")

    def target(match: re.Match[str]) -> str:
        goal, mark, anchor = match["target"].partition("#")
        if not goal or ":" in goal:
            return match[0]
        there = os.path.relpath(source.parent / goal, _ROOT)
        here = os.path.relpath(source, _ROOT)
        if any(there.startswith(top) and here.startswith(top) for top in kept):
            return match[0]
        return f"]({os.path.relpath(_page(there, anchor), folder)}{mark}{anchor})"

    return _LINK.sub(target, markdown)


def _of_readme(link: re.Match[str]) -> str:
    """Return the section of README that a link names; `KeyError` if there is none."""
    text = (_ROOT / "README.md").read_text("utf-8")
    parts = (part.partition("\n") for part in text.split("\n## ")[1:])
    section = {slug(title): body for title, _, body in parts}[link["slug"]]
    return _LINK.sub(lambda one: f"]({link['way']}{one['target']})", section.strip())


def _page(path: str, anchor: str) -> str:
    """Return the page that shows the file `path`; `KeyError` if none does."""
    if anchor.startswith("cogwire."):
        _, name, *_ = anchor.split(".")
        return f"library/reference/{reference.PLACES.get(name, f'{name}.md')}"
    if shown := _FORMAT.fullmatch(path):
        return f"formats/{shown[1]}.md"
    return path if path.startswith("spec/") else _PAGES[path]


def slug(name: str) -> str:
    """Return the anchor of a name."""
    return re.sub(r"[^\w]+", "-", name.lower()).strip("-")
