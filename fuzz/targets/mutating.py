"""Changes a JSON value in a few places, so that the result is JSON again, and nearly valid.

libFuzzer changes bytes, and JSON seldom survives that.
"""

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fuzz.targets.harness import Mutator, json_bytes, json_of

#: The place of a value: its container, and its name or index there.
_Place = tuple[Any, Any]

SCALARS = (
    *(None, True, False, 0, 1, -1, 2, 0.5, 1e300, 10**20, [], {}),
    *("", " ", "a", "1", "null", "\ud83d"),
)


def json_mutator(header: int, dictionary: str) -> Mutator:
    """Return a mutator of inputs with JSON on the line after `header` bytes.

    The dictionary has the values and names of members that it prefers to insert.
    """
    path = Path(__file__).parents[1] / "dictionaries" / f"{dictionary}.json"
    words = json.loads(path.read_text("utf-8"))

    def mutate(data: bytes, max_size: int, seed: int) -> bytes | None:
        line, newline, rest = data[header:].partition(b"\n")
        try:
            value = json_of(line)
        except ValueError:
            return None
        changed = json_bytes(mutated(value, random.Random(seed), words))
        other = data[:header] + changed + newline + rest
        return other if len(other) <= max_size else None

    return mutate


def mutated(value: Any, rng: random.Random, words: list[Any]) -> Any:
    """Return `value` changed in one to three places."""
    holder = [copy.deepcopy(value)]
    for _ in range(rng.choice((1, 1, 2, 3))):
        _change(holder, rng, words)
    return holder[0]


def _change(holder: list[Any], rng: random.Random, words: list[Any]) -> None:
    places = list(_places(holder))
    inside, at = rng.choice(places)
    other, other_at = rng.choice(places)
    old = inside[at]
    kind = rng.randrange(8)
    if kind == 0:
        inside[at] = rng.choice(SCALARS)
    elif kind == 1:
        inside[at] = copy.deepcopy(rng.choice(words))
    elif kind == 2:
        inside[at] = copy.deepcopy(other[other_at])
    elif kind == 3 and inside is not holder:
        del inside[at]
    elif kind == 4 and isinstance(inside, dict):
        names = [word for word in words if isinstance(word, str)]
        inside[rng.choice(names)] = inside.pop(at)
    elif isinstance(old, str):
        inside[at] = _spliced(old, rng, words)
    elif isinstance(old, dict):
        names = [word for word in words if isinstance(word, str)]
        old[rng.choice(names)] = copy.deepcopy(rng.choice((rng.choice(words), other[other_at])))
    elif isinstance(old, list):
        new = copy.deepcopy(rng.choice((rng.choice(words), other[other_at])))
        old.insert(rng.randrange(len(old) + 1), new)
    elif isinstance(old, int | float):
        inside[at] = old + rng.choice((-1, 1, 10, 0.5))


def _places(value: Any) -> Iterator[_Place]:
    """Yield every place in `value`, an object or an array."""
    for at in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, at
        if isinstance(value[at], dict | list):
            yield from _places(value[at])


def _spliced(text: str, rng: random.Random, words: list[Any]) -> str:
    """Return a text with a piece left out or doubled, or with a word inserted."""
    start = rng.randrange(len(text) + 1)
    stop = min(len(text), start + rng.randrange(4))
    new = rng.choice(["", text[start:stop] * 2, *(word for word in words if isinstance(word, str))])
    return text[:start] + new + text[stop:]
