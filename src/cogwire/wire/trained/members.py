# SPDX-License-Identifier: MIT
"""Reads the members of a description, each of which has its place: a JSON Pointer."""

from typing import Any

from ...text import pointer_step
from ..frames.markers import Pair

#: A marker, or several: any of them is read, and the first is written.
Marker = str | tuple[str, ...]
#: An opener and a closer.
MarkerPair = tuple[Marker, Marker]
#: Words, each with what it stands for.
Words = tuple[tuple[str, str], ...]


class WrongError(ValueError):
    """What is wrong in a description, with its place: a JSON Pointer."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)

    def __str__(self) -> str:
        path, reason = self.args
        return f"{path or 'the description'}: {reason}"


def read_object(value: object, path: str) -> dict[str, Any]:
    """Return an object."""
    given: Any = value
    if isinstance(value, str):
        raise WrongError(path, "must be an object, not its text: decode it, as with json.loads")
    if given.__class__ is not dict:
        raise WrongError(path, "must be an object")
    return dict(given)


def read_text(value: object, path: str) -> str:
    """Return a string."""
    if not isinstance(value, str):
        raise WrongError(path, "must be a string")
    return value


def read_text_or_texts(value: object, path: str) -> str | tuple[str, ...]:
    """Return a string, or several."""
    return value if isinstance(value, str) else read_texts(value, path)


def read_flag(value: object, path: str) -> bool:
    """Return a boolean."""
    if not isinstance(value, bool):
        raise WrongError(path, "must be true or false")
    return value


def read_texts(value: object, path: str) -> tuple[str, ...]:
    """Return strings."""
    given: Any = value
    if given.__class__ is not list:
        raise WrongError(path, "must be an array of strings")
    return tuple(read_text(each, f"{path}/{index}") for index, each in enumerate(given))


def read_pair(value: object, path: str) -> Pair:
    """Return an opener and a closer."""
    texts = read_texts(value, path)
    if len(texts) != 2:
        raise WrongError(path, "must have an opener and a closer")
    return texts[0], texts[1]


def read_markers(value: object, path: str) -> MarkerPair:
    """Return an opener and a closer, each of which may be several."""
    given: Any = value
    if given.__class__ is not list or len(given) != 2:
        raise WrongError(path, "must have an opener and a closer")
    return read_text_or_texts(given[0], f"{path}/0"), read_text_or_texts(given[1], f"{path}/1")


def read_words(value: object, path: str) -> Words:
    """Return an object of strings, as pairs."""
    words = read_object(value, path).items()
    return tuple((word, read_text(json, f"{path}{pointer_step(word)}")) for word, json in words)
