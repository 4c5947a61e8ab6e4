# SPDX-License-Identifier: MIT
"""Writes calls whose names and values are between tags, and teaches how to."""

from collections.abc import Iterable
from typing import Final

from ...events import Limits
from ...text import pointer_step
from ...text.decoding import is_text
from ...text.json_text import members, value_at_start
from .headed import INDEX
from .tagged import Tagged
from .values import ItemWriter, RenderError

#: How a value that is not text is written.
_WAY: Final = "write it with json.dumps, and a Toolset reads it back by its schema"

#: The types of values, by their classes and by their first characters in JSON.
_TYPES: Final[dict[type[object], str]] = {
    str: "text",
    bool: "boolean",
    int: "number",
    float: "number",
    type(None): "null",
    list: "array",
    dict: "object",
}
_BEGINS: Final = {
    '"': "text",
    "[": "array",
    "{": "object",
    **dict.fromkeys("tf", "boolean"),
    "n": "null",
}


class TaggedWriting:
    """Writes the tags of each name and each value on lines of their own."""

    is_whole: bool = False

    def __init__(self, form: Tagged) -> None:
        self._form = form
        self._tags = tags = form.tags
        #: What ends the name of a tool, with `INDEX` for its id.
        self._name_end = tags.name[1] + (f"{INDEX}{tags.after_id}" if tags.after_id else "")
        self.description: str = (
            "the tool, and each of its arguments\n"
            "with its value: a string as it is, without quotes or escapes, and any other value as\n"
            "JSON, such as `5` or `[1]`."
        )
        self.rules: str = f"""\
one call and nothing else: no words, no
  comments, no code fences. One message may contain at most {Limits().calls} calls.
- No two arguments of a call have one name, and no value contains `{tags.value_end("key")}`."""

    def write(self, name: str, args: dict[object, object], writer: ItemWriter, path: str) -> str:
        self._check_tool(name, f"{path}/name")
        values = list(args.items())  # another thread may change them meanwhile
        lines: list[str] = []
        for key, value in values:
            place = f"{path}/args{pointer_step(str(key))}"
            self._check_key(key, place)
            tag, is_text = self._tag(_TYPES.get(type(value), ""), place)
            if is_text:
                self._check_value(str(key), value, place)
                lines.append(self._line(str(key), str(value), tag))
            else:
                lines.append(self._line(str(key), writer.write(value, place, level=2), tag))
        return self._lines(name, lines)

    def spell(self, name: str, args: str) -> str:
        tool = value_at_start(name)
        self._check_tool(tool, "/name")
        lines: list[str] = []
        for key, value in members(args):
            place = f"/args{pointer_step(key)}"
            self._check_key(key, place)
            tag, is_text = self._tag(_BEGINS.get(value[0], "number"), place)
            written = value_at_start(value) if is_text else value
            if is_text:
                self._check_value(key, written, place)
            lines.append(self._line(key, written, tag))
        return self._lines(tool, lines)

    def join(self, calls: Iterable[str], gap: str = "", first: int = 0) -> str:
        before = "" if self._form.reads_closer else gap
        if self._tags.after_id:
            calls = (call.replace(INDEX, str(index), 1) for index, call in enumerate(calls, first))
        return "".join(f"{before}{call}{gap}" for call in calls)

    def _tag(self, type_: str, path: str) -> tuple[str, bool]:
        """Return the tag that ends the key of a value of this type, and whether that is a text."""
        types = self._tags.types
        if not types:
            return self._tags.key[1], True
        known = {kind: tag for tag, kind in reversed(types)}
        for kind in (type_, "json"):
            if kind in known:
                return known[kind], kind == "text"
        raise RenderError(path, f"a value whose type, {type_ or 'unknown'}, has no marker here")

    def _line(self, key: str, value: str, tag: str) -> str:
        tags = self._tags
        between = "\n" if tags.value[0] else ""
        ends = tags.value[0], tags.value_end(key)
        around = f"{tags.margin}{value}{tags.margin}".join(ends)
        if self._is_raw(key, value):
            around = value.join(tags.raw).join(ends)
        return f"{tags.key[0]}{key}{tag}{between}{around}"

    def _is_raw(self, key: str, value: str) -> bool:
        """Whether a value is written between the `raw` markers."""
        opener, end = self._tags.raw[0], self._tags.value_end(key)
        return opener != "" and (end[0] in value or f"{value}{end}".startswith(opener))

    def _lines(self, name: str, args: Iterable[str]) -> str:
        lines = [f"{self._tags.name[0]}{name}{self._name_end}", *args]
        has_end = not (self._form.reads_closer or self._tags.closers)
        return "\n".join([*lines, self._tags.end] if has_end else lines)

    def _check_tool(self, name: object, path: str) -> None:
        self._check_name(name, path)
        if self._tags.after_id and INDEX in str(name):
            raise RenderError(path, f"{name!r} has U+0000")
        if not self._form.takes(str(name)):
            raise RenderError(path, f"{name!r} has a character that ends a name here")

    def _check_name(self, name: object, path: str) -> None:
        names = self._form.names
        if type(name) is not str or names is None or not names.fullmatch(name):
            reason = (
                f"{name!r} is not a valid name: a name contains no line feed, < or >, and no white "
                "space at its ends"
            )
            raise RenderError(path, reason)
        self._check_whole(name, path)

    def _check_key(self, key: object, path: str) -> None:
        self._check_name(key, path)
        begin = f"{self._tags.key[0]}{str(key)[0]}"
        for end in self._tags.ends:
            if end.startswith(begin):
                raise RenderError(path, f"{begin}, with which {end} begins")

    def _check_value(self, key: str, value: object, path: str) -> None:
        if type(value) is not str:
            kind = type(value).__name__
            raise RenderError(path, f"a value of type {kind}; tags contain text: {_WAY}")
        end = self._tags.value_end(key)
        if self._is_raw(key, value):
            end = self._tags.raw[1] + end
        if _value_size(value, end, self._tags.begins(key) * bool(self._tags.item)) != len(value):
            raise RenderError(path, f"{end}, which would end the value")
        self._check_whole(value, path)

    def _check_whole(self, text: str, path: str) -> None:
        if not is_text(text):
            raise RenderError(path, "half a surrogate pair; a text has whole characters")


def _value_size(value: str, end: str, begin: str) -> int:
    """Return where a value that `end` follows ends; `begin` opens others in it, if it is given."""
    text, level, pos = value + end, 1, 0
    while level:
        at = text.find(end, pos)
        if at < 0:
            return -1
        level += text.count(begin, pos, at) * bool(begin) - 1
        pos = at + len(end)
    return pos - len(end)
