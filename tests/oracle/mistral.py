"""One turn in the format `mistral`: a name and an object after `[TOOL_CALLS]`."""

import json

from .block import Block, Written, skip_white
from .json_block import read_value
from .text import WHITE
from .unclosed import Unclosed
from .wrapped import content_of

# tr-mistral-head
ARGS = "[ARGS]"
CALL_ID = "[CALL_ID]"
LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


# tr-mistral-shared
class Mistral(Unclosed):
    """A turn in this format, whose calls have no closer."""

    # tr-mistral-markers
    think = ("[THINK]", "[/THINK]")
    call = "[TOOL_CALLS]"
    result = "[TOOL_RESULTS]"

    # tr-mistral-call tr-mistral-content tr-mistral-limits tr-mistral-path
    # White space, a head, white space and an object.
    def read_object(self, block: Block) -> tuple[int, str, str]:
        block.written = Written()
        skip_white(block)
        first = block.at
        name = read_name(block)
        read_head(block)
        block.written.name = name
        block.written.spelled = json.dumps(name, ensure_ascii=False)
        block.place = (*block.place, "args")
        skip_white(block)
        self.require_object(block, "bad-args")
        begin = block.at
        try:
            read_value(block, 2, "[")
        finally:
            block.written.args = block.text.characters[begin : block.at]
        return first, name, content_of(block)


# tr-mistral-name
# Characters that are neither white space nor brackets; `execute` is not a name.
def read_name(block: Block) -> str:
    name = ""
    while block.peek() not in WHITE + "[{":
        name += block.peek()
        block.accept()
    if name in ("", "execute"):
        raise block.error("bad-name")
    return name


# tr-mistral-head
# head = name [ "[CALL_ID]" id ] "[ARGS]"
def read_head(block: Block) -> None:
    if read_marker(block, (ARGS, CALL_ID)) == ARGS:
        return
    while block.peek() in LETTERS:
        block.accept()
    read_marker(block, (ARGS,))


# tr-mistral-head
def read_marker(block: Block, markers: tuple[str, ...]) -> str:
    seen = ""
    while seen not in markers:
        seen += block.peek()
        if not any(marker.startswith(seen) for marker in markers):
            raise block.error("missing-args")
        block.accept()
    return seen
