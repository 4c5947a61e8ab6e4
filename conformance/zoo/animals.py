"""The animals of the zoo: those on the pages of `bugs/`, and one for each error that is swallowed.

A page describes a bug by its name, its class in `classes.json`, the module that has it, and the
passage that it changes there: `⟦old¦new⟧` marks what is changed.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from conformance.zoo.making import Animal

PAGES: Final = Path(__file__).parent / "bugs"

#: A bug on a page; a passage is indented by four spaces.
BUG: Final = re.compile(
    r"(?P<name>\S+)\n(?P<flag>\S+) in `(?P<module>\w+)`: (?P<breaks>[^\n]+(?:\n[^\n]+)*)\n\n"
    r"(?P<passage>(?: {4}[^\n]*\n)+)\n*"
)


def read(page: str) -> Iterator[Animal]:
    """Yield the animals of a page.

    Raises:
        ValueError: the description of a bug is not complete.
    """
    for described in page.split("\n## ")[1:]:
        found = BUG.fullmatch(described)
        if found is None:
            raise ValueError(f"a bug needs a class, a module and a passage: {described!r}")
        passage = "\n".join(line[4:] for line in found["passage"].splitlines())
        breaks = " ".join(found["breaks"].splitlines())
        yield Animal(found["name"], found["flag"], breaks, found["module"], passage)


#: Errors that are found and not reported: the class of the bug, by the code of the error.
SWALLOWED: Final = {
    "json-syntax": "lenient-json",
    "not-array": "object-instead-of-array",
    "not-object": "value-of-wrong-type-coerced",
    "missing-name": "args-missing-null-or-empty",
    "bad-name": "value-of-wrong-type-coerced",
    "missing-args": "args-missing-null-or-empty",
    "bad-args": "args-in-a-string",
    "duplicate-key": "duplicate-keys",
    "number-range": "number-becomes-infinite",
    "lone-surrogate": "lone-surrogate-escape-accepted",
    "bad-encoding": "damaged-text-runs",
    "trailing-text": "text-around-the-json",
    "xml-syntax": "xml-bare-ampersand",
    "xml-forbidden": "xml-markup-in-a-value",
    "duplicate-arg": "xml-forms-of-no-arguments",
    "unclosed-execute": "cut-before-the-closer",
    "unclosed-call": "cut-in-a-string",
    "missing-execute": "delimiter-calls-run-without-execute",
    "limit-size": "limit-off-by-one",
    "limit-calls": "limits-not-enforced",
    "limit-depth": "deep-nesting",
    "limit-digits": "limit-off-by-one",
    "results-shape": "results-read-leniently",
    "results-count": "result-count-mismatch",
    "results-order": "results-in-completion-order",
}


def swallowing(code: str, flag: str) -> Animal:
    """Return a parser that reports nothing where an error has this code."""
    passage = f"""        self.at = min(offset + 1, len(self.characters))
⟦¦        if code == "{code}":
            return
⟧"""
    breaks = f"The error `{code}` is swallowed: the parser reports nothing."
    return Animal(f"no-{code}", flag, breaks, "ledger", passage)


ANIMALS: Final[tuple[Animal, ...]] = (
    *(animal for page in sorted(PAGES.glob("*.md")) for animal in read(page.read_text("utf-8"))),
    *(swallowing(code, flag) for code, flag in SWALLOWED.items()),
)
