# SPDX-License-Identifier: MIT
"""Where things are on the site, as paths of Markdown files from its top."""

import functools
import re
from typing import Final

from cogwire_kit.conformance import clauses, corpus
from cogwire_kit.conformance.corpus import Case

_LINK: Final = re.compile(r"\]\((?P<target>[^)\s]+)\)")


@functools.cache
def _topics() -> dict[str, str]:
    """Return the topic of each case, by its id: the name of the file that has it."""
    files = corpus.case_files()
    return {data["id"]: path.stem for path in files for data in corpus.array(path)}


@functools.cache
def _chapters() -> dict[str, str]:
    """Return the page of the specification that has each clause, by its id."""
    return {identity: clause.page for identity, clause in clauses.clauses().items()}


def topic(dialect: str, name: str) -> str:
    """Return the page of a topic, with all its cases."""
    return f"cases/{dialect}/{name}.md"


def case(one: Case) -> str:
    """Return the place of a case on the page of its topic."""
    return f"{topic(one.dialect, _topics()[one.id])}#{one.id}"


def clause(identity: str) -> str:
    """Return the place of a clause's cases, on the page that has those of its chapter."""
    return f"clauses/{_chapters()[identity]}#{identity}"


def error(code: str) -> str:
    """Return the page of an error code."""
    return f"errors/{code}.md"


def bug(flag: str) -> str:
    """Return the page of a class of bugs."""
    return f"bugs/{flag}.md"


def up(here: str) -> str:
    """Return the way from a page in the folder `here` to the top of the site."""
    return "../" * here.count("/")


def moved(markdown: str, page: str, here: str) -> str:
    """Return what stands on the page `page` of the specification, for a page in the folder `here`.

    Its links are relative to where it stands.
    """

    def target(match: re.Match[str]) -> str:
        goal = match["target"]
        if goal.startswith(("http:", "https:")):
            return match[0]
        if goal.startswith("#"):
            goal = page + goal
        return f"]({up(here)}spec/{goal})"

    return _LINK.sub(target, markdown)


def slug(name: str) -> str:
    """Return the anchor of a name."""
    return re.sub(r"[^\w]+", "-", name.lower()).strip("-")
