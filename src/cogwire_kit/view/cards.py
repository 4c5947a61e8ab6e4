# SPDX-License-Identifier: MIT
"""Text and the contents of events as HTML, character for character.

A browser's `textContent` of the result of `escaped` is the text itself, except for U+0000, which no
HTML can contain: U+2400 represents it.  Characters that have no glyph, or that change the order in
which others are shown, are in separate elements, in which the style sheet shows their name, and
which confine their effect.
"""

import html
import json
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from cogwire import Event
from cogwire.events import ErrorEvent
from cogwire.tooling import elements, members
from cogwire_kit.texts.words import counted

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

#: What stands in the page for a character that HTML cannot contain.
_STAND_INS: Final = {"\0": "\u2400", "\r": "&#13;"}


def escaped(text: str) -> str:
    """Return `text` as HTML for the content of an element."""
    return _UNSEEN.sub(lambda found: _element(found[0]), html.escape(text))


def attribute(text: str) -> str:
    """Return `text` as HTML for a quoted attribute, or for a title, which have no elements."""
    return _UNSEEN.sub(lambda found: f"[{_code(found[0])}]", html.escape(text))


@lru_cache(maxsize=4096)
def _element(char: str) -> str:
    code = _code(char)
    title = f"{code} {unicodedata.name(char, '')}".rstrip()
    is_surrogate = "\ud800" <= char <= "\udfff"
    held = "\ufffd" if is_surrogate else _STAND_INS.get(char, char)
    return f'<i class="u" data-u="{_NAMES.get(char, code[2:])}" title="{title}">{held}</i>'


def _code(char: str) -> str:
    return f"U+{ord(char):04X}"


def card(event: Event | None) -> str:
    """Return the HTML for an event, or for text that belongs to none."""
    if event is None:
        return '<p class="note">belongs to no event</p>'
    match event["type"]:
        case "think" | "respond":
            return f'<pre class="text">{_block(event["content"])}</pre>'
        case "call":
            return "".join(_call(event["content"]))
        case "result":
            return "".join(_result(event["content"]))
        case "error":
            return _error(event)
        case "execute":
            return '<p class="note">the calls above may run</p>'
        case "end":
            return '<p class="note">the model says that it is done</p>'
        case _:
            return f"<pre>{_block(json.dumps(event, ensure_ascii=False))}</pre>"


def stored_card(event: Event) -> str:
    """Return the HTML for a stored event, which may be malformed or a user's."""
    try:
        if event["type"] == "user":
            return f'<pre class="text">{_block(event["content"])}</pre>'
        return card(event)
    except (ValueError, KeyError, TypeError, AttributeError):
        return f"<pre>{_block(json.dumps(event, ensure_ascii=False, default=str))}</pre>"


def _block(text: str) -> str:
    """Return text for a `pre`, whose first newline a browser would drop."""
    return f"<code>{escaped(text)}</code>"


def _value(source: str) -> str:
    """Return a JSON value as it is spelled, but a string decoded."""
    text = json.loads(source) if source.startswith('"') else source
    return f"<pre>{_block(text)}</pre>"


def _call(content: str) -> Iterator[str]:
    call = dict(members(content))
    yield f'<p class="name">{escaped(json.loads(call["name"]))}</p>'
    yield "<dl>"
    for name, source in members(call.get("args", "{}")):
        yield f"<dt>{escaped(name)}</dt><dd>{_value(source)}</dd>"
    yield "</dl>"


def _result(content: str) -> Iterator[str]:
    yield '<ul class="items">'
    for source in elements(content):
        item = dict(members(source))
        tool, status = json.loads(item["tool"]), json.loads(item["status"])
        badge = f'<span class="status {status}">{status}</span>'
        yield f'<li><p class="name">{escaped(tool)} {badge}</p>'
        yield f"{_value(item['content'])}</li>"
    yield "</ul>"


def _error(event: ErrorEvent) -> str:
    voided = event["calls"]
    void = f" It voids {counted(voided, 'call')}." if voided else ""
    return (
        f'<p class="message"><span class="code">{event["code"]}</span>'
        f" {escaped(event['content'])}{void}</p>"
    )
