"""Calls whose names and values are between tags, without quotes or escapes."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from .block import Block, BlockError, Written, certain, complete, skip_white
from .headers import read_name as read_name_in_header
from .heads import read_id
from .json_block import read_value
from .text import WHITE


# tr-qwen-call tr-qwen-parameter tr-qwen-value fd-tags fd-no-tag
class Tags(NamedTuple):
    """The tags around the name of a tool and the name and value of an argument, and the last tag.

    The margin is left out of a value, once at each end.
    """

    tool: list[str]
    key: list[str]
    value: list[str]
    ends: list[str]
    margin: str
    # The tags that may end a key, each with what the value is.
    types: dict[str, str]
    # Whether values are in tags themselves.
    is_nested: bool
    # What may be around a value.
    raw: list[str]


# tr-glm-closer fd-no-end fd-header-tags-end
# Without a last tag, the closers of the call take its place.
def tags_of(payload: dict[str, Any], closers: list[str]) -> Tags:
    return Tags(
        payload["tool"],
        payload["key"],
        payload["value"],
        [end] if (end := payload.get("end", "")) else closers,
        payload.get("margin", ""),
        payload.get("types", {payload["key"][1]: "text"}),
        "item" in payload,
        payload.get("raw", ["", ""]),
    )


# tr-qwen-call fd-tags
# Returns the place of the call and the tool.
def read_tagged(
    block: Block, payload: dict[str, Any], closers: list[str], require_room: Callable[[Block], None]
) -> tuple[int, str]:
    tags = tags_of(payload, closers)
    begin_call(block, tags)
    require_room(block)
    first = block.at
    block.written = Written()
    read_tag(block, tags.tool[0])
    name = read_name(block, ends_of_tool(tags))
    if name in ("", "execute"):
        raise block.error("bad-name")
    complete(block)
    read_arguments(block, tags, name, lambda: read_tool_end(block, tags.tool[1]))
    return first, name


# fd-header-call fd-header-tags fd-header-tags-end
# The same after a header, from the name of the tool in it on.  The closer, which may be where the
# turn ends if it `may_end` there, is not part of the call.
def read_after_header(
    block: Block,
    payload: dict[str, Any],
    closers: list[str],
    require_room: Callable[[Block], None],
    *,
    header: dict[str, Any],
    may_end: bool,
) -> tuple[int, str]:
    require_room(block)
    first = block.at
    block.written = Written()
    name = read_name_in_header(block, header)
    outside = block.place
    has_end = payload.get("end", "") != ""
    try:
        closer = read_arguments(block, tags_of(payload, closers), name)
    except BlockError as error:
        begun = block.text.characters[block.between :].lstrip(WHITE)
        is_over = block.between >= 0 and (begun == "" or not payload["key"][0].startswith(begun))
        if has_end or not (may_end and is_over and error.code == block.unclosed):
            raise
        block.ahead = len(begun)
        block.place = outside
        block.written.args += "}"
    else:
        block.ahead = 0 if has_end else len(closer)
    return first, name


# tr-qwen-call tr-qwen-limits tr-glm-name tr-glm-calls fd-tags-bare
# Moves to the first character of a call.
def begin_call(block: Block, tags: Tags) -> None:
    skip_white(block)
    if tags.tool[0] == "" and block.peek() in "<>" + ends_of_tool(tags):
        raise block.error("bad-name")
    if not block.peek().startswith(tags.tool[0][:1]):
        raise block.error("xml-syntax")


# tr-qwen-call tr-qwen-content tr-qwen-tool tr-qwen-path
# What comes after the name of a call, whose place is its index.  Returns the tag that ends it.
def read_arguments(
    block: Block, tags: Tags, name: str, end_name: Callable[[], None] = lambda: None
) -> str:
    outside = block.place
    block.written.call(name)
    block.written.args = "{"
    block.place = (*outside, "args")
    end_name()
    args: list[str] = []
    while (tag := read_next(block, tags)) == tags.key[0]:
        read_argument(block, tags, args)
    block.place = outside
    block.written.args += "}"
    return tag


# tr-qwen-call fd-header-tags-finished
# The tag of another argument, or one that ends the call.
def read_next(block: Block, tags: Tags) -> str:
    block.between = block.at
    tag = read_tag(block, tags.key[0], *tags.ends)
    block.between = -1
    return tag


# tr-qwen-call fd-tags-id fd-tags-any-id
# The tag after the name of a tool, which may have an id in it.
def read_tool_end(block: Block, tag: str) -> None:
    before, _, after = tag.partition("{id}")
    read_tag(block, before)
    if after:
        read_id(block)
        read_tag(block, after)


# tr-qwen-parameter tr-qwen-duplicate tr-qwen-path fd-tags-typed
# `keys` are those before this argument.
def read_argument(block: Block, tags: Tags, keys: list[str]) -> None:
    outside = block.place
    key = read_name(block, ends_of_key(tags))
    if key == "":
        raise block.error("xml-syntax")
    if key in keys:
        raise block.error("duplicate-arg", (*outside, key))
    complete(block)
    joint = ", " if keys else ""
    block.written.args += f"{joint}{json.dumps(key, ensure_ascii=False)}: "
    keys.append(key)
    block.place = (*outside, key)
    is_text = tags.types == {tags.key[1]: "text"}  # then it is known before the tag
    block.written.args += '"' if is_text else ""
    kind = tags.types[read_tag(block, *tags.types)]
    if kind == "text":
        block.written.args += "" if is_text else '"'
        read_tag(block, tags.value[0])
        read_text(block, tags, key)
        block.written.args += '"'
    else:
        read_tag(block, tags.value[0])
        read_json(block, tags.value[1])
    block.place = outside


# fd-tags fd-tags-typed
# The first characters of the tags that may end a key.
def ends_of_key(tags: Tags) -> str:
    return "".join(tag[:1] for tag in tags.types) or tags.value[0][0]


# fd-tags-typed err-order
# White space, one JSON value, white space, and the closer of a value.
def read_json(block: Block, closer: str) -> None:
    skip_white(block)
    first = block.at
    try:
        read_value(block, 3, closer[0])
    except BlockError as error:
        if error.code == "number-range" and block.peek() == "," != closer[0]:
            raise block.error("json-syntax") from None
        raise
    finally:
        block.written.args += block.text.characters[first : block.at]
    skip_white(block)
    if block.peek() != closer[0]:
        raise block.error("json-syntax")
    read_tag(block, closer)


# tr-glm-name fd-tags fd-tags-name
# The first characters of the markers that may follow the name of a tool.
def ends_of_tool(tags: Tags) -> str:
    return tags.tool[1][:1] or tags.key[0][0] + tags.ends[0][0]


# tr-qwen-call tr-glm-frame fd-tags fd-apart
# White space, and one of these tags; an empty one is not looked for.  Returns the tag that was
# read: the longer one, if one begins with the other.
def read_tag(block: Block, *tags: str) -> str:
    if "" in tags:
        return ""
    skip_white(block)
    read = ""
    while any(tag.startswith(read) and tag != read for tag in tags):
        if not any(tag.startswith(read + block.peek()) for tag in tags):
            break
        read += block.peek()
        block.accept()
    if read not in tags:
        raise block.error("xml-syntax")
    return read


# tr-qwen-name fd-tags-name
# Returns a name, with the cursor at the character that completes it: a line feed, or one of `ends`.
def read_name(block: Block, ends: str) -> str:
    skip_white(block)
    name = ""
    while block.peek() not in "<>\n" + ends:
        name += block.peek()
        block.accept()
    if block.peek() not in "\n" + ends:
        raise block.error("xml-syntax")
    return name.strip(WHITE)


# tr-qwen-value fd-tags-value fd-tags-nested fd-tags-raw m-call-delta-broken
# A value between the marks of raw text ends with the second of them and the closer.  In tags with keys, values of the same key may be in the value, and each has its own closer.
def read_text(block: Block, tags: Tags, key: str) -> None:
    closer = tags.value[1].replace("{key}", key)
    opener = f"{tags.key[0]}{key}{tags.key[1]}"
    earlier, text = "", ""
    is_open, level = True, 1
    is_undecided = tags.raw[0] != ""
    try:
        while is_open:
            letter = block.peek()
            block.accept()
            text += letter
            if is_undecided and text == tags.raw[0]:
                closer, text = tags.raw[1] + closer, ""
            is_undecided = is_undecided and text != "" and tags.raw[0].startswith(text)
            if text.endswith(closer):
                level += text.removesuffix(closer).count(opener) - 1 if tags.is_nested else -1
                is_open = level > 0
                if is_open:
                    earlier, text = earlier + text, ""
    finally:
        sure = certain(text.removeprefix(tags.margin), closer, tags.margin + closer)
        shown = "" if is_undecided else earlier + sure
        block.written.args += json.dumps(shown, ensure_ascii=False)[1:-1]
