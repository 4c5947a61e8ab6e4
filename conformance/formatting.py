"""The one form that the files of the corpus have, so that a change of one shows what is changed.

`python -m conformance.formatting` brings them into it.  Values stay as they are written.
"""

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

from cogwire_kit.conformance import corpus

WIDTH = 100


class Number(str):
    """The digits of a number, as they were written."""

    __slots__ = ()


def files(place: Path = corpus.PLACE) -> list[Path]:
    """Return every JSON file of the corpus that is written by hand."""
    folders = ("described/*", "formats/*/*", "messages/*", "texts/*")
    formats = sorted(path for each in folders for path in place.glob(f"{each}.json"))
    return [*corpus.case_files(place), *formats, *sorted(place.glob("*.json"))]


def formatted(text: str) -> str:
    """Return a JSON document in the one form: what fits into a line is on one.

    The outermost two levels never do: each case, and each of its members, begins a line.

    Raises:
        ValueError: the text is not strict JSON, or has a member twice.
    """
    value = json.loads(
        text,
        parse_int=Number,
        parse_float=Number,
        parse_constant=_refuse,
        object_pairs_hook=_members,
    )
    return _lines(value, 0, 0) + "\n"


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError(f"a member twice among {[name for name, _ in pairs]}")
    return members


def _lines(value: Any, level: int, column: int) -> str:
    """Return `value`, which begins in `column` after an indentation of `level`."""
    whole = _line(value)
    if not isinstance(value, dict | list) or not value:
        return whole
    # The comma that may follow takes a column too.
    if level > 1 and column + len(whole) < WIDTH:
        return whole
    indent = "  " * (level + 1)
    if isinstance(value, dict):
        names = [f"{indent}{_line(name)}: " for name in value]
        rows = [
            name + _lines(member, level + 1, len(name))
            for name, member in zip(names, value.values(), strict=True)
        ]
    else:
        rows = [indent + _lines(element, level + 1, len(indent)) for element in value]
    opener, closer = "{}" if isinstance(value, dict) else "[]"
    return "\n".join([opener, ",\n".join(rows), "  " * level + closer])


def _line(value: Any) -> str:
    match value:
        case Number():
            return str(value)
        case str():
            written = json.dumps(value, ensure_ascii=False)
            return re.sub("[^ -~]", lambda character: _shown(character[0]), written)
        case dict():
            return "{" + ", ".join(f"{_line(n)}: {_line(m)}" for n, m in value.items()) + "}"
        case list():
            return "[" + ", ".join(_line(element) for element in value) + "]"
    return json.dumps(value)


def _shown(character: str) -> str:
    """Return a character, or its escape if nobody can see it or tell it from another."""
    is_seen = unicodedata.category(character)[0] not in "CMZ"
    if is_seen and unicodedata.is_normalized("NFC", character):
        return character
    return json.dumps(character)[1:-1]


if __name__ == "__main__":
    for path in files():
        path.write_bytes(formatted(path.read_text("utf-8")).encode("utf-8"))
