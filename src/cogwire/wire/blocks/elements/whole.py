# SPDX-License-Identifier: MIT
"""Whole tools, read by one regular expression; the machine reads what it does not match.

It may only accept valid tools.  There is only one way to match a text, and a run of any characters
but one is followed by just that one, so that a failed attempt costs no more than what the machine
then reads.  (Possessive quantifiers would guarantee that, but match wrongly on CPython 3.11.0 to
3.11.4: gh-106052.)
"""

import json
import re
from typing import Final

from ....events import RESERVED_NAME
from ....text.scan import WHITE
from ..interface import ReadCall
from .characters import CODED, NAME_REST, NAME_START, TEXT_RUN, decode_match, is_sound

#: What follows "<![CDATA[" in a section, the text of an argument with the next "<", a whole tool,
#: and an argument in it.
_SECTION_REST: Final = r"[^\]]*\](?:(?!\]>)[^\]]*\])*\]>"
_TEXT: Final = rf"[^<]*<(?:!\[CDATA\[{_SECTION_REST}[^<]*<)*"
_TOOL: Final = re.compile(
    rf"[{WHITE}]*<([{NAME_START}][{NAME_REST}]*)(?:/>|>"
    rf"((?:[{WHITE}]*<([{NAME_START}][{NAME_REST}]*)(?:/>|>{_TEXT}/\3>))*)"
    rf"[{WHITE}]*</\1>)"
)
_ARGUMENT: Final = re.compile(rf"<([^<>/]+)(?:/|>([^<]*(?:<!\[CDATA\[{_SECTION_REST}[^<]*)*)<)")
_SECTION: Final = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
#: The shortest piece for which an attempt is worth its cost: the shortest tool, and the closer.
WORTH_OFFERING: Final = len("<a/></execute>")

_encode: Final = json.encoder.encode_basestring


def whole_tools(text: str, pos: int, end: int, most: int) -> tuple[list[str], list[ReadCall]]:
    """Return the names of up to `most` tools from `pos` on, and their calls."""
    tools: list[str] = []
    calls: list[ReadCall] = []
    while len(tools) < most and (match := _TOOL.match(text, pos, end)):
        tool, inside = match[1], match[2] or ""
        if tool == RESERVED_NAME or not (inside.isprintable() or is_sound(inside)):
            break
        written: list[tuple[str, str]] = _ARGUMENT.findall(inside)
        arguments = dict(written)
        if len(arguments) < len(written):
            break
        if "&" in inside or "]]>" in inside:
            for name, value in written:
                decoded_value = _decoded(value)
                if decoded_value is None:
                    return tools, calls
                arguments[name] = decoded_value
        pos = match.end()
        tools.append(tool)
        calls.append((content_of(tool, arguments), match.start(1) - 1, pos))
    return tools, calls


def _decoded(written: str) -> str | None:
    """Return the decoded text of an argument, or `None` if the machine must read it."""
    if "<" not in written:
        return _plain(written)
    pieces: list[str] = _SECTION.split(written)
    for index in range(0, len(pieces), 2):
        piece = _plain(pieces[index])
        if piece is None:
            return None
        pieces[index] = piece
    return "".join(pieces)


def _plain(text: str) -> str | None:
    """Do what `_decoded` does for text without sections."""
    if ">" in text and "]]>" in text:
        return None
    if "&" not in text:
        return text
    # These three are usually the only ones.
    most = text.replace("&lt;", "<").replace("&gt;", ">")
    plain = most.replace("&amp;", "&")
    if len(most) - len(plain) == 4 * plain.count("&"):
        return plain
    return CODED.sub(decode_match, text) if TEXT_RUN.fullmatch(text) else None


def content_of(tool: str, arguments: dict[str, str]) -> str:
    """Return the call as JSON text; names need no escapes."""
    members = ", ".join([f'"{name}": {_encode(value)}' for name, value in arguments.items()])
    return f'{{"name": "{tool}", "args": {{{members}}}}}'
