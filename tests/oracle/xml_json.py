"""The blocks of the dialect `xml-json`: an array of calls, and the closer."""

from collections.abc import Iterator

from .block import Block
from .json_block import read_closer
from .json_shapes import Call, read_calls


# xj-block
# block = array "</execute>"
def read_block(block: Block) -> Iterator[Call]:
    yield from read_calls(block)
    read_closer(block, "</execute>")
