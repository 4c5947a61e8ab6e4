# SPDX-License-Identifier: MIT
"""Numbers of JSON that are written as they were read."""

import json
from collections.abc import Mapping
from typing import Any, Final


class SpelledNumber(float):
    """A number that Python spells in another way, such as `2.50`, or cannot express (`1e400`)."""

    __slots__ = ("text",)

    #: Its JSON.
    text: str
    #: Whether there has been one: most data sets have none, and are written without looking.
    is_any = False

    def __new__(cls, text: str) -> "SpelledNumber":
        """Take its JSON."""
        number = super().__new__(cls, text)
        number.text = text
        SpelledNumber.is_any = True
        return number

    def __getnewargs__(self) -> Any:
        """Return what a copy is made of."""
        return (self.text,)


def number_of(text: str) -> float:
    """Return a number of JSON that is not an integer; it is for `parse_float`."""
    value = float(text)
    return value if repr(value) == text else SpelledNumber(text)


_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def json_of(value: object, encoder: json.JSONEncoder = _ENCODER) -> str:
    """Return the JSON of a value as `encoder` writes it, with numbers as they were read."""
    if SpelledNumber.is_any:
        try:
            return _spelled(value, encoder)
        except RecursionError:
            pass  # it is nested as deeply as the encoder itself can follow
    return encoder.encode(value)


def _spelled(value: object, encoder: json.JSONEncoder) -> str:
    if isinstance(value, SpelledNumber):
        return value.text
    if isinstance(value, Mapping):
        members = [
            f"{encoder.encode(name)}: {_spelled(each, encoder)}" for name, each in value.items()
        ]
        return f"{{{', '.join(members)}}}"
    if isinstance(value, list):
        return f"[{', '.join([_spelled(each, encoder) for each in value])}]"
    return encoder.encode(value)
