"""Calls that are objects with one member: the name of the tool, and its args."""

from .block import Block, Written, skip_white
from .json_block import close_bracket, open_bracket, read_string, require
from .json_shapes import read_args


# fd-keyed
# Returns the name of the tool.
def read_keyed_call(block: Block) -> str:
    outside = block.place
    block.written = Written()
    open_bracket(block, 2)
    skip_white(block)
    if block.peek() == "}":
        raise block.error("missing-name")
    name = read_only_name(block)
    block.place = (*outside, name)
    skip_white(block)
    require(block, "{", "bad-args")
    read_args(block)
    skip_white(block)
    if block.peek() == ",":
        block.accept()
        block.place = outside
        skip_white(block)
        require(block, '"', "json-syntax")
        raise block.error("duplicate-key", (*outside, read_string(block)))
    require(block, "}", "json-syntax")
    close_bracket(block, outside)
    return name


# fd-keyed err-path-colon
# The name through its colon.
def read_only_name(block: Block) -> str:
    require(block, '"', "json-syntax")
    name = read_string(block)
    if name in ("", "execute"):
        raise block.error("bad-name")
    block.accept()
    block.written.call(name)
    skip_white(block)
    block.take(":")
    return name
