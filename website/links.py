# SPDX-License-Identifier: MIT
"""Where things stand on the site, as paths of Markdown files from its top."""

import re
from typing import Final

from cogwire_kit.conformance.corpus import Case

_LINK: Final = re.compile(r"\]\((?P<target>[^)\s]+)\)")


def case(one: Case) -> str:
    """Return the page of a case."""
    return f"cases/{one.dialect}/{one.id}.md"


def clause(identity: str) -> str:
    """Return the page of a clause: its cases and who passes them."""
    return f"clauses/{identity}.md"


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
