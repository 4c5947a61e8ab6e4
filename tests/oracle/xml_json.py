"""The blocks of the dialect `xml-json`: an array of calls, and the closer."""

from collections.abc import Iterator

from .block import Block
from .json_block import read_closer
from .json_shapes import read_calls


# block = array "</execute>".  Gives each call as its name and its own text.
def read_block(block: Block) -> Iterator[tuple[str, str]]:
    yield from read_calls(block)
    read_closer(block, "</execute>")
