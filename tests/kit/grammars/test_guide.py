"""The tables of the guide are what the tests of the engines hold."""

import json
from pathlib import Path

from tests.kit.grammars.turns import TEXTS, standing

GUIDE = Path(__file__).parents[3] / "website" / "guides" / "grammars.md"
ENGINES = ["llguidance", "XGrammar", "llama.cpp"]


def rows(first):
    """Return the rows of the table whose first column has this heading."""
    lines = GUIDE.read_text("utf-8").splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith(f"| {first} |"))
    table = []
    for line in lines[start:]:
        if not line.startswith("|"):
            return table[:1] + table[2:]
        table.append(line.strip("| ").split(" | "))
    return table


def test_schemas_that_the_engines_accept():
    wanted = [["keyword or rule", "schema", "input", *ENGINES]]
    for each in TEXTS["loose"]:
        found = [standing(each, engine) for engine in ENGINES]
        wanted.append(
            [each["name"], f"`{json.dumps(each['schema'])}`", f"`{each['text']}`", *found]
        )
    assert rows("keyword or rule") == wanted


def test_characters_as_the_engines_read_them():
    wanted = [["bytes", "what they are", *ENGINES]]
    for each in TEXTS["ill-formed"]:
        found = [standing(each, engine) for engine in ENGINES]
        wanted.append([f"`{each['bytes']}`", each["name"], *found])
    assert rows("bytes") == wanted
