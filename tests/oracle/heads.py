"""Calls that are the name of a tool, in a head, and a JSON object with its arguments."""

import re
from collections.abc import Callable
from typing import Any

from .block import Block, Written, skip_white
from .headers import read_name as read_name_in_header
from .json_block import read_value, require
from .text import WHITE

LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


# tr-mistral-call tr-mistral-content tr-mistral-limits tr-mistral-path fd-arguments
# White space, a head, white space and an object.  Returns the place of the call and the tool.
def read_arguments(
    block: Block,
    templates: list[str],
    require_room: Callable[[Block], None],
    header: dict[str, Any] | None = None,
) -> tuple[int, str]:
    block.written = Written()
    if header is None:
        skip_white(block)
    first = block.at
    name = read_head(block, templates) if header is None else read_name_in_header(block, header)
    # err-order
    # A name at the end of a head ends before the next character, if there is room for that.
    is_last = templates[0].rstrip(WHITE).endswith("{name}")
    is_full = header is None and is_last and block.is_full()
    if is_full and block.peek() in WHITE:
        block.accept()
    block.written.call(name)
    block.place = (*block.place, "args")
    skip_white(block)
    require(block, "{", "bad-args")
    require_room(block)
    if is_full:
        block.place = block.place[:-1]
        block.accept()
    begin = block.at
    try:
        read_value(block, 2, "[")
    finally:
        block.written.args = block.text.characters[begin : block.at]
    return first, name


# fd-head-template
# A template as a list of fields and markers, each with the white space before it.
def parts(template: str) -> list[tuple[str, str]]:
    return re.findall(r"([ \t\r\n]*)(\{name\}|\{id\}|(?:(?!\{name\}|\{id\})[^ \t\r\n])+)", template)


# tr-mistral-head fd-head fd-head-template fd-head-broken
# Templates with the same beginning have the same field next, or markers.  White space may be where
# one of them has it.  Returns the name of the tool.
def read_head(block: Block, templates: list[str]) -> str:
    rests = [parts(template) for template in templates]
    name = ""
    while rests[0]:
        if any(rest[0][0] for rest in rests):
            skip_white(block)
        part = rests[0][0][1]
        if part == "{name}":
            name = read_name(block, {rest[1][1][0] for rest in rests if len(rest) > 1})
        elif part == "{id}":
            read_id(block)
        else:
            part = read_marker(block, {rest[0][1] for rest in rests})
        rests = [rest[1:] for rest in rests if rest[0][1] == part]
    return name


# tr-mistral-name fd-head fd-head-broken
# Characters that are neither white space nor braces, and begin no marker that may follow.
def read_name(block: Block, ends: set[str]) -> str:
    name = ""
    while block.peek() not in {*WHITE, "{", *ends}:
        name += block.peek()
        block.accept()
    if name in ("", "execute"):
        raise block.error("bad-name")
    return name


# tr-mistral-head fd-head
def read_id(block: Block) -> None:
    while block.peek() in LETTERS:
        block.accept()


# tr-mistral-head fd-head-broken
def read_marker(block: Block, markers: set[str]) -> str:
    seen = ""
    while seen not in markers:
        seen += block.peek()
        if not any(marker.startswith(seen) for marker in markers):
            raise block.error("missing-args")
        block.accept()
    return seen
