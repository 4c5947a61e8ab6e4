# SPDX-License-Identifier: MIT
"""How calls between tags are written and taught."""

import re
from collections.abc import Iterable
from typing import Any, Final

from ....events import Limits
from ....text.scan import pointer_step
from ..format import ValueWriter
from ..values import RenderError
from .format import Tagged

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class TaggedWriting:
    """Writes the tags of each name and each value on lines of their own."""

    def __init__(self, form: Tagged) -> None:
        self._form = form
        self._tags = form.tags
        self.description: str = (
            "the tool, and each of its arguments\n"
            "with its value: a string as it is, without quotes or escapes, and any other value as\n"
            "JSON, such as `5` or `[1]`."
        )
        self.rules: str = f"""\
one call and nothing else: no words, no
  comments, no code fences. One message may contain at most {Limits().calls} calls.
- No two arguments of a call have one name, and no value contains `{form.tags.value[1]}`."""

    def write(self, name: str, args: dict[object, object], writer: ValueWriter, path: str) -> str:
        self._check_name(name, f"{path}/name")
        values = list(args.items())  # another thread may change them meanwhile
        for key, value in values:
            place = f"{path}/args{pointer_step(str(key))}"
            self._check_name(key, place)
            self._check_value(value, place)
        return writer.take(self._lines(name, dict(values)), path)

    def join(self, calls: Iterable[str], gap: str = "") -> str:
        before = "" if self._form.reads_closer else gap
        return "".join(f"{before}{call}{gap}" for call in calls)

    def _lines(self, name: str, args: dict[Any, Any]) -> str:
        tags = self._tags
        between = "\n" if tags.value[0] else ""
        lines = [name.join(tags.name)]
        lines += (
            f"{key.join(tags.key)}{between}{f'{tags.margin}{value}{tags.margin}'.join(tags.value)}"
            for key, value in args.items()
        )
        return "\n".join(lines if self._form.reads_closer else [*lines, tags.end])

    def _check_name(self, name: object, path: str) -> None:
        names = self._form.names
        if type(name) is not str or names is None or not names.fullmatch(name):
            reason = (
                f"{name!r} is not a valid name: a name contains no line feed, < or >, and no white "
                "space at its ends"
            )
            raise RenderError(path, reason)
        self._check_whole(name, path)

    def _check_value(self, value: object, path: str) -> None:
        if type(value) is not str:
            kind = type(value).__name__
            raise RenderError(path, f"a value of type {kind}; tags contain text, a plain str")
        end = self._tags.value[1]
        if end in value:
            raise RenderError(path, f"{end}, which would end the value")
        self._check_whole(value, path)

    def _check_whole(self, text: str, path: str) -> None:
        if _SURROGATE.search(text):
            raise RenderError(path, "half a surrogate pair; a text has whole characters")
