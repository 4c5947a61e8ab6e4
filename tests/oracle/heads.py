"""Calls that are the name of a tool, in a head, and a JSON object with its arguments."""

import json
import re
from collections.abc import Callable

from .block import Block, Written, skip_white
from .json_block import read_value, require
from .text import WHITE

LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
FIELDS = ("{name}", "{id}")
#: In a template, any white space.
SPACE = " "


# tr-mistral-call tr-mistral-content tr-mistral-limits tr-mistral-path fd-arguments
# White space, a head, white space and an object.  Returns the place of the call and the tool.
def read_arguments(
    block: Block, templates: list[str], require_room: Callable[[Block], None]
) -> tuple[int, str]:
    block.written = Written()
    skip_white(block)
    first = block.at
    name = read_head(block, templates)
    block.written.name = name
    block.written.spelled = json.dumps(name, ensure_ascii=False)
    block.place = (*block.place, "args")
    skip_white(block)
    require(block, "{", "bad-args")
    require_room(block)
    begin = block.at
    try:
        read_value(block, 2, "[")
    finally:
        block.written.args = block.text.characters[begin : block.at]
    return first, name


# fd-head-template
# A template as a list of fields, white space and markers.
def parts(template: str) -> list[str]:
    found = re.findall(
        r"\{name\}|\{id\}|[ \t\r\n]+|(?:(?!\{name\}|\{id\})[^ \t\r\n])+", template.strip(WHITE)
    )
    return [SPACE if part.strip(WHITE) == "" else part for part in found]


# tr-mistral-head fd-head fd-head-template fd-head-broken
# Templates with the same beginning have the same field next, or white space, or markers.  Returns
# the name of the tool.
def read_head(block: Block, templates: list[str]) -> str:
    rests = [parts(template) for template in templates]
    name = ""
    while rests[0]:
        part = rests[0][0]
        if part == SPACE:
            skip_white(block)
        elif part == "{name}":
            name = read_name(block, {following(rest)[0] for rest in rests})
        elif part == "{id}":
            read_id(block)
        else:
            part = read_marker(block, {rest[0] for rest in rests})
        rests = [rest[1:] for rest in rests if rest[0] == part]
    return name


# fd-head fd-head-template
# The marker after a field.
def following(rest: list[str]) -> str:
    return rest[2] if rest[1] == SPACE else rest[1]


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
