# SPDX-License-Identifier: MIT
"""Tables of cases, with who passes them."""

from collections.abc import Sequence

from cogwire_kit.conformance.corpus import Case
from website import links
from website.standing import Implementation, Standing
from website.text import prose, table


def listing(cases: Sequence[Case], standing: Standing, *, here: str) -> str:
    """Return a table of cases with their verdicts, for a page in the folder `here`."""
    asked = [one for one in standing.implementations if one.tally(cases)[1]]
    rows = []
    for case in cases:
        link = f"[{prose(case.data['title'])}]({links.up(here)}{links.case(case)})"
        rows.append((link, case.data["level"], *(verdict(one, case) for one in asked)))
    return table(("case", "level", *(one.name for one in asked)), rows)


def verdict(one: Implementation, case: Case) -> str:
    """Return the verdict on a case as HTML."""
    told = one.verdict(case)
    return f'<span class="verdict {told.replace(" ", "-")}">{told}</span>'
