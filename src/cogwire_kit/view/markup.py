# SPDX-License-Identifier: MIT
"""Text as HTML, character for character, with invisible characters made visible.

A browser's `textContent` of the result of `escaped` is the text itself, except for U+0000, which no
HTML can contain: U+2400 represents it.  Characters that have no glyph, or that change the order in
which others are shown, are in separate elements, in which the style sheet shows their name, and
which confine their effect.
"""

import html
import re
import unicodedata
from functools import lru_cache
from typing import Final

#: Controls but for tab and newline, spaces but for U+0020, formats, separators, the variation
#: selectors that emoji do not use, noncharacters, and halves of surrogate pairs.
_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\xa0\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160"
    "\u1680\u180b-\u180f\u2000-\u200b\u200e\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ud800-\udfff"
    "\ufdd0-\ufdef\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U000110bd\U000110cd"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)

#: Short names for frequent characters.
_NAMES: Final = {"\0": "NUL", "\r": "CR", "\xa0": "NBSP", "\ufeff": "BOM", "\x1b": "ESC"}

#: What the page contains for a character that HTML cannot contain.
_STAND_INS: Final = {"\0": "\u2400", "\r": "&#13;"}


def escaped(text: str) -> str:
    """Return `text` as HTML for the content of an element."""
    return _UNSEEN.sub(_seen, html.escape(text))


def attribute(text: str) -> str:
    """Return `text` as HTML for a quoted attribute, or for a title, which have no elements."""
    return _UNSEEN.sub(lambda found: f"[{_code(found[0])}]", html.escape(text))


def _seen(found: re.Match[str]) -> str:
    return _element(found[0])


@lru_cache(maxsize=4096)
def _element(char: str) -> str:
    code = _code(char)
    title = f"{code} {unicodedata.name(char, '')}".rstrip()
    is_surrogate = "\ud800" <= char <= "\udfff"
    held = "\ufffd" if is_surrogate else _STAND_INS.get(char, char)
    return f'<i class="u" data-u="{_NAMES.get(char, code[2:])}" title="{title}">{held}</i>'


def _code(char: str) -> str:
    return f"U+{ord(char):04X}"
