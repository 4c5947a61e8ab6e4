# SPDX-License-Identifier: MIT
"""What is known of each clause: its text, the cases that test it, and who passes them."""

import json
import re
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from cogwire_kit.conformance.corpus import Clause, clauses
from website import links
from website.standing import Standing
from website.text import TESTED, escaped, page, table, write

#: The line that gives a clause its id.
_ATTRIBUTES: Final = re.compile(r"^\{: *#(?P<id>[\w-]+) +\.\w+ *\}$", re.MULTILINE)
_FENCE: Final = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Clauses:
    """The clauses of the specification in `spec`, for the corpus in `corpus`."""

    spec: Path
    corpus: Path

    @cached_property
    def all(self) -> dict[str, Clause]:
        """Every clause by its id, in the order of the pages."""
        return clauses(self.spec)

    @cached_property
    def classes(self) -> dict[str, dict[str, str]]:
        """The classes of bugs, each with its title and its effect."""
        return dict(json.loads((self.corpus / "classes.json").read_text("utf-8")))

    @cached_property
    def untested(self) -> dict[str, str]:
        """The clauses that no case can test, each with the reason."""
        return dict(json.loads((self.corpus / "untested.json").read_text("utf-8")))

    def reason(self, identity: str) -> str:
        """Return why no case tests a clause."""
        return self.untested.get(identity, "It allows something, and asks for nothing.")

    def quoted(self, identity: str, here: str) -> str:
        """Return a clause as a quotation, for a page in the folder `here`."""
        clause = self.all[identity]
        text = links.moved(clause.text, clause.page, here)
        goal = f"{links.up(here)}spec/{clause.page}#{identity}"
        return f"> {text}\n>\n> [{identity}]({goal}) ({clause.level})"


def annotated(text: str, standing: Standing, known: Clauses) -> str:
    """Return a page of the specification with a line under each clause that says how it is."""
    fences = [match.span() for match in _FENCE.finditer(text)]

    def line(match: re.Match[str]) -> str:
        if any(start <= match.start() < end for start, end in fences):
            return match[0]
        return f"{match[0]}\n\n{_line(match['id'], standing, known)}\n{TESTED}"

    return _ATTRIBUTES.sub(line, text)


def _line(identity: str, standing: Standing, known: Clauses) -> str:
    testing = standing.testing(identity)
    own = f"[`{identity}`](#{identity})"
    if not testing:
        return f"{own} · no case: {_reason(known.reason(identity))}"
    return f"{own} · {standing.asked(identity, testing, here='spec/')}"


def _reason(text: str) -> str:
    return escaped(text.partition(" Checked by ")[0])


def write_page(pages: Path, standing: Standing, known: Clauses) -> None:
    """Write the page that lists all clauses."""
    write(pages / "clauses.md", _index(standing, known))


def _index(standing: Standing, known: Clauses) -> str:
    tested = sum(bool(standing.testing(identity)) for identity in known.all)
    blocks = [
        (
            f"The specification has {len(known.all)} clauses. Cases of the [corpus](cases.md) test "
            f"{tested} of them. The others are listed with the reason why no case can test them. "
            "[clauses.json](downloads.md) has the same as data."
        )
    ]
    by_page = groupby(known.all.values(), key=lambda clause: clause.page)
    for name, group in by_page:
        rows = []
        for clause in group:
            testing = standing.testing(clause.id)
            rows.append(
                (
                    f"[{clause.id}](spec/{name}#{clause.id})",
                    clause.level,
                    standing.asked(clause.id, testing, here="") if testing else "no case",
                )
            )
        blocks += [f"## {name.removesuffix('.md')}", table(("clause", "level", "cases"), rows)]
    return page("Clauses", *blocks, search=False)


def as_data(standing: Standing, known: Clauses) -> list[dict[str, Any]]:
    """Return the index of clauses for programs."""
    return [
        {
            "id": clause.id,
            "level": clause.level,
            "page": clause.page,
            "text": clause.text,
            "cases": [case.id for case in standing.testing(clause.id)],
            **({"untested": known.untested[clause.id]} if clause.id in known.untested else {}),
        }
        for clause in known.all.values()
    ]
