# SPDX-License-Identifier: MIT
"""The JSON of a value that is written as Python shows it."""

import json
import re
from typing import Final

_encode: Final = json.JSONEncoder(ensure_ascii=False).encode

#: A string, a number with anything that is no part of one, a word, and all other characters.
_TOKEN: Final = re.compile(
    r"""(?P<string>'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*")"""
    r"""|(?P<other>[0-9][0-9A-Za-z_.+\-]*|[^'"0-9A-Za-z_]+)"""
    r"""|(?P<word>[A-Za-z_][0-9A-Za-z_]*)""",
    re.DOTALL | re.ASCII,
)
_WORDS: Final = {"None": "null", "True": "true", "False": "false"}
_ESCAPE: Final = re.compile(
    r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|.)", re.DOTALL
)
_SHORT: Final = {
    **dict(zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True)),
    **{char: char for char in "\\'\""},
    "\n": "",
}


def python_json(text: str) -> str | None:
    """Return the JSON of `text`, which may be no JSON after all; `None` if it is not Python."""
    pieces: list[str] = []
    pos = 0
    while pos < len(text):
        token = _TOKEN.match(text, pos)
        if token is None:
            return None
        written = token[0]
        try:
            if token["string"]:
                written = _encode(_unescaped(written[1:-1]))
            elif token["word"]:
                written = _WORDS[written]
        except (KeyError, ValueError, OverflowError):
            return None
        pieces.append(written)
        pos = token.end()
    return "".join(pieces)


def _unescaped(body: str) -> str:
    """Return the content of a string; `ValueError` or `KeyError` if an escape has no meaning."""
    if "\\" not in body:
        return body
    text = _ESCAPE.sub(lambda escape: _char(escape[0][1:]), body)
    # Two halves of a character are one; a lone half is refused.
    return text.encode("utf-16", "surrogatepass").decode("utf-16")


def _char(escape: str) -> str:
    if escape[0] in "xuU" and len(escape) > 1:
        return chr(int(escape[1:], 16))
    if escape[0] in "01234567":
        return chr(int(escape, 8))
    return _SHORT[escape]
