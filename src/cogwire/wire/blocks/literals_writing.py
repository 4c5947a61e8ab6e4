# SPDX-License-Identifier: MIT
"""How calls in literals, and calls that are one text, are written and taught."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from ...events import Limits
from ...text import pointer_step
from ...text.decoding import is_text
from ...text.json_text import members, on_one_line, value_at_start
from .literals_calls import Literals, Text
from .literals_parts import LITERAL_NAME
from .literals_reader import CALL
from .values import ItemWriter, RenderError

_LIMIT: Final = Limits().calls
#: The strings, words and numbers, and signs of JSON on one line.
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[][{},:]|[^][{},:"\s]+|\s+')
#: What strings of JSON and of Python may write in two ways.
_ESCAPED: Final = re.compile(r"\\(.)|'")
_PYTHON: Final = {"true": "True", "false": "False", "null": "None"}


class LiteralWriting:
    """A name and args in the notation of Python or of Gemma."""

    def __init__(self, form: Literals) -> None:
        self._form = form
        self._is_python = form.style == "python"
        self.is_whole: bool = self._is_python
        if not self._is_python:
            example = f"call:tool{{key:{form.quote}value{form.quote},n:5,list:[true,null]}}"
            what, kind = f"`{example}`", "call"
            strings = f"A string is between two of `{form.quote}`, which it must not contain."
        else:
            mark = form.quote
            example = f"tool(key={mark}value{mark}, n=5, list=[True, None])"
            what = (
                f"`{example}`, each on a line of its own"
                if form.reads_closer
                else (f"`[{example}, …]`, a list of all calls")
            )
            kind = "lines of calls" if form.reads_closer else "one list of calls"
            quotes = "single quotes" if mark == "'" else "double quotes"
            strings = (
                f"A string is in {quotes}, as in Python: `{mark}` is written `\\{mark}`, "
                "`\\` is written `\\\\`, and a\n  line break `\\n`."
            )
        self.description: str = f"the tool and its arguments, like {what}."
        self.rules: str = f"""\
{kind} and nothing else: no words, no
  comments, no code fences, no expressions. One message may contain at most {_LIMIT} calls.
- Every argument has its name, and no two arguments of a call have one name.
- {strings}"""

    def write(self, name: str, args: dict[object, object], writer: ItemWriter, path: str) -> str:
        return self._call(name, writer.write(args, f"{path}/args"), path)

    def spell(self, name: str, args: str) -> str:
        return self._call(value_at_start(name), args, "")

    def join(self, calls: Iterable[str], gap: str = "", _first: int = 0) -> str:
        if not self._is_python:
            return "".join(f"{gap}{call}{gap}" for call in calls)
        if self._form.reads_closer:
            return "\n".join(calls).join((gap, gap))
        return f"{gap}[{', '.join(calls)}]{gap}"

    def _call(self, name: str, args: str, path: str) -> str:
        """Return a call with these args, an object in JSON."""
        self._check_name(name, f"{path}/name")
        pairs: list[str] = []
        for key, value in members(args):
            place = f"{path}/args{pointer_step(key)}"
            if self._is_python:
                self._check_name(key, place)
                pairs.append(f"{key}={self._value(value, place)}")
            else:
                pairs.append(f"{self._key(key, place)}:{self._value(value, place)}")
        if self._is_python:
            return f"{name}({', '.join(pairs)})"
        return f"{CALL}{name}{{{','.join(pairs)}}}"

    def _check_name(self, name: str, path: str) -> None:
        if not (name and LITERAL_NAME.fullmatch(name) and is_text(name)):
            raise RenderError(path, f"{name!r} has a character that no name has here, or none")

    def _value(self, text: str, path: str) -> str:
        """Return a value in JSON as the notation writes it."""
        tokens = [found[0] for found in _TOKEN.finditer(on_one_line(text))]
        if self._is_python:
            return "".join([self._python(token) for token in tokens])
        written: list[str] = []
        tokens = [token for token in tokens if token.strip()]
        for token, after in zip(tokens, [*tokens[1:], ""], strict=True):
            if token[0] != '"':
                written.append(token)
            elif after == ":":
                written.append(self._key(value_at_start(token), path))
            else:
                written.append(self._string(value_at_start(token), path))
        return "".join(written)

    def _python(self, token: str) -> str:
        """Return a token of JSON in Python's notation, in which a slash has no escape."""
        if token[0] != '"':
            return _PYTHON.get(token, token)
        mark = self._form.quote
        text = _ESCAPED.sub(self._character, token[1:-1])
        return f"{mark}{text}{mark}"

    def _character(self, found: re.Match[str]) -> str:
        """Return a quote, or an escape, of a string in JSON as the string of Python has it."""
        char = found[1] or found[0]
        if char in "/\"'":
            return f"\\{char}" if char == self._form.quote else char
        return found[0]

    def _key(self, key: str, path: str) -> str:
        return key if key and LITERAL_NAME.fullmatch(key) else self._string(key, path)

    def _string(self, text: str, path: str) -> str:
        mark = self._form.quote
        if f"{text}{mark}".index(mark) < len(text):
            raise RenderError(path, f"{mark}, which would end the string")
        return f"{mark}{text}{mark}"


class TextWriting:
    """One text, which is an argument of one tool."""

    is_whole: bool = False

    def __init__(self, form: Text) -> None:
        self._form = form
        # No instructions have them, since their examples have other tools.
        self.description: str = f"the argument `{form.arg}` of `{form.tool}`, as it is."
        self.rules: str = "one text and nothing else, without quotes around it and escapes."

    def write(self, name: str, args: dict[object, object], writer: ItemWriter, path: str) -> str:
        return self._call(name, dict(args), path)

    def spell(self, name: str, args: str) -> str:
        values = {key: value_at_start(value) for key, value in members(args)}
        return self._call(value_at_start(name), values, "")

    def join(self, calls: Iterable[str], _gap: str = "", _first: int = 0) -> str:
        return "".join(calls)

    def _call(self, name: str, args: Mapping[Any, object], path: str) -> str:
        form = self._form
        if name != form.tool:
            raise RenderError(f"{path}/name", f"{name!r}; this format has one tool, {form.tool!r}")
        if list(args) != [form.arg]:
            reason = f"other arguments than one, {form.arg!r}, which this format has"
            raise RenderError(f"{path}/args", reason)
        text, place = args[form.arg], f"{path}/args{pointer_step(form.arg)}"
        if type(text) is not str:
            kind = type(text).__name__
            raise RenderError(place, f"a value of type {kind}; the argument is text, a plain str")
        if not is_text(text):
            raise RenderError(place, "half a surrogate pair; a text has whole characters")
        written, end = f"{form.margin}{text}{form.margin}", f"{form.margin}{form.closer}"
        if f"{written}{form.closer}".index(end) < len(written) - len(form.margin):
            raise RenderError(place, f"{form.closer}, which would end the text")
        return written.removeprefix(form.before)
