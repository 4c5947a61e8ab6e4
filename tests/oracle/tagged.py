"""Calls whose names and values are between tags, without quotes or escapes."""

import json
from typing import NamedTuple

from .block import Block, Written, skip_white
from .text import WHITE
from .wrapped import Wrapped


# tr-qwen-call tr-qwen-parameter tr-qwen-value
class Tags(NamedTuple):
    """The tags around the name of a tool and the name and value of an argument, and the last tag.

    The margin is left out of a value, once at each end.
    """

    name: tuple[str, str]
    key: tuple[str, str]
    value: tuple[str, str]
    end: str
    margin: str


# tr-qwen-call tr-qwen-parameter tr-qwen-value
QWEN = Tags(
    ("<function=", ">"), ("<parameter=", ">"), ("", "</parameter>"), "</function>", margin="\n"
)


# tr-glm-call tr-glm-argument tr-glm-value tr-glm-closer
GLM = Tags(
    ("", ""),
    ("<arg_key>", "</arg_key>"),
    ("<arg_value>", "</arg_value>"),
    "</tool_call>",
    margin="",
)


# tr-qwen-frame tr-qwen-bare
class Qwen(Wrapped):
    """A turn in the format `qwen3-coder`."""

    tags = QWEN
    # tr-qwen-skip
    reach_back = len(Wrapped.closer) - 1

    # tr-qwen-call
    def read_object(self, block: Block) -> tuple[int, str, str]:
        begin_call(block, self.tags)
        self.require_room(block)
        first = block.at
        name, content = read_call(block, self.tags)
        return first, name, content


# tr-glm-frame
class Glm(Qwen):
    """A turn in the format `glm-4.5`."""

    tags = GLM

    # tr-glm-closer
    # The closer is part of the call.
    def read_closer(self) -> bool:
        return True


# tr-qwen-call tr-qwen-limits tr-glm-name tr-glm-calls
# Moves to the first character of a call.
def begin_call(block: Block, tags: Tags) -> None:
    skip_white(block)
    if tags.name[0] == "" and block.peek() in "<>":
        raise block.error("bad-name")
    if not block.peek().startswith(tags.name[0][:1]):
        raise block.error("xml-syntax")


# tr-qwen-call tr-qwen-content tr-qwen-tool tr-qwen-path
# Returns the name and the content of a call; the place is its index.
def read_call(block: Block, tags: Tags) -> tuple[str, str]:
    outside = block.place
    block.written = Written()
    read_tag(block, tags.name[0])
    name = read_name(block, tags.name[1] or tags.end)
    if name in ("", "execute"):
        raise block.error("bad-name")
    complete(block)
    block.written.name = name
    block.written.args = "{"
    block.place = (*outside, "args")
    read_tag(block, tags.name[1])
    args: dict[str, str] = {}
    while read_tag(block, tags.key[0], tags.end) == tags.key[0]:
        read_argument(block, tags, args)
    block.place = outside
    block.written.args += "}"
    return name, json.dumps({"name": name, "args": args}, ensure_ascii=False)


# tr-qwen-parameter tr-qwen-duplicate tr-qwen-path
def read_argument(block: Block, tags: Tags, args: dict[str, str]) -> None:
    outside = block.place
    key = read_name(block, tags.key[1])
    if key == "":
        raise block.error("xml-syntax")
    if key in args:
        raise block.error("duplicate-arg", (*outside, key))
    complete(block)
    joint = ", " if args else ""
    block.written.args += f"{joint}{json.dumps(key, ensure_ascii=False)}: " + '"'
    block.place = (*outside, key)
    read_tag(block, tags.key[1])
    if tags.value[0]:
        read_tag(block, tags.value[0])
    args[key] = read_value(block, tags)
    block.written.args += '"'
    block.place = outside


# tr-qwen-call tr-glm-frame
# White space, and one of these tags, if there are any.  Returns the tag that was read.
def read_tag(block: Block, *tags: str) -> str:
    if "" in tags:
        return ""
    skip_white(block)
    read = ""
    while read not in tags:
        if not any(tag.startswith(read + block.peek()) for tag in tags):
            raise block.error("xml-syntax")
        read += block.peek()
        block.accept()
    return read


# tr-qwen-name
# Returns a name, with the cursor at the character that completes it.
def read_name(block: Block, tag: str) -> str:
    skip_white(block)
    name = ""
    while block.peek() not in "<>\n":
        name += block.peek()
        block.accept()
    if block.peek() not in ("\n", tag[0]):
        raise block.error("xml-syntax")
    return name.strip(WHITE)


# tr-qwen-path m-call-delta
# The character that completes a name belongs to what follows, but the name is known from here on.
def complete(block: Block) -> None:
    at = block.at
    block.accept()
    block.at = at


# tr-qwen-value m-call-delta-broken
def read_value(block: Block, tags: Tags) -> str:
    text = ""
    try:
        while not text.endswith(tags.value[1]):
            text += block.peek()
            block.accept()
    finally:
        shown = certain(text, tags)
        block.written.args += json.dumps(shown, ensure_ascii=False)[1:-1]
    return shown


# tr-qwen-value m-call-delta
# The part of a value that no later character can change.
def certain(text: str, tags: Tags) -> str:
    text = text.removeprefix(tags.margin)
    for size in range(len(text)):
        rest = text[size:]
        if any(end.startswith(rest) for end in (tags.value[1], tags.margin + tags.value[1])):
            return text[:size]
    return text
