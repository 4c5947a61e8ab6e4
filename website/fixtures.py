# SPDX-License-Identifier: MIT
"""The page of the fixtures of canitoolcall: how many are read as it expects, and why others not."""

import json
from pathlib import Path
from typing import Final

from cogwire_kit.texts.words import counted
from website.text import code, escaped, page, table, write

_PLACE: Final = Path(__file__).parents[1] / "tests" / "integrations" / "data"
_NAME: Final = "canitoolcall"
_AGAIN: Final = "`make data` fetches the package, reads every fixture again, and fails for"


def write_page(pages: Path) -> None:
    """Write the page."""
    known = json.loads((_PLACE / _NAME / "formats.json").read_text("utf-8"))
    differences = json.loads((_PLACE / _NAME / "differences.json").read_text("utf-8"))
    pins = (_PLACE / "requirements.txt").read_text("utf-8").splitlines()
    (package,) = (pin for pin in pins if pin.startswith(_NAME))
    name, _, version = package.partition("==")
    number = known["fixtures"]
    read = number - sum(map(len, differences.values()))
    about = (
        f"{name} is another project's suite for tool calls: outputs of models, from chat templates "
        "and from the tests and issues of engines, each with the message that a parser should "
        f"return. Of the fixtures of its version {version}, {number} are in formats that cogwire "
        f"reads. It reads {read} of them as {name} expects, white space at the ends aside, and all "
        f"of them in the same way whole and in single characters. {_AGAIN} each that is read "
        "differently and is not listed here. Each reason below is followed by the fixtures that "
        "it is about."
    )
    kinds = ", ".join(
        f"[{one}](formats/{one}.md)" for one in sorted(set(known["formats"].values()))
    )
    rows = [
        (escaped(reason), str(len(names)), ", ".join(map(code, names)))
        for reason, names in sorted(differences.items(), key=lambda item: -len(item[1]))
    ]
    shown = table(("why it is read differently", "number", "fixtures"), rows)
    title = f"{counted(number, 'fixture')} of {name}"
    write(pages / f"{name}.md", page(title, about, f"The formats are {kinds}.", shown))
