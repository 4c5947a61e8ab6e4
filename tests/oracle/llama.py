"""One turn in the format `llama3-json`: an object where the text begins, or after a tag."""

from .block import Block, skip_white
from .json_shapes import read_call
from .unclosed import Unclosed
from .wrapped import content_of


# tr-llama-shared
class Llama(Unclosed):
    """A turn in this format, whose calls need no marker."""

    # tr-llama-markers
    think = ("<think>", "</think>")
    call = "<|python_tag|>"
    result = "<|start_header_id|>ipython<|end_header_id|>"

    # Whether a brace begins a call here, and whether it has just done so.
    is_fresh = True
    at_brace = False

    # tr-llama-brace
    # At the beginning, after a think and after a call a brace begins a call.
    def go_to_marker(self) -> str:
        first = self.after_white()
        self.at_brace = self.is_fresh and self.characters.startswith("{", first)
        self.is_fresh = True
        if self.at_brace:
            self.at = first
            return self.call
        return super().go_to_marker()

    # tr-llama-brace
    # The brace is a part of the call.
    def pass_marker(self, marker: str) -> None:
        if not self.at_brace:
            super().pass_marker(marker)

    # tr-llama-call
    def read_object(self, block: Block) -> tuple[int, str, str]:
        skip_white(block)
        self.require_object(block, "not-object")
        first = block.at
        name = read_call(block, needs_args=True, args="parameters")
        return first, name, content_of(block)

    # tr-llama-prose
    # Before any call, an object without both members is prose, from its first character on.
    def is_call(self, block: Block) -> bool:
        place = (str(len(self.pending)),)
        members = {named[-1] for named in block.named if named[:-1] == place}
        self.is_fresh = bool(self.pending) or members >= {"name", "parameters"}
        return self.is_fresh

    # tr-llama-separator
    def read_closer(self) -> bool:
        first = self.after_white()
        if self.characters.startswith(";", first):
            self.at = first + 1
        return True

    # tr-llama-skip
    # A brace after an error does not begin a call.
    def skip(self, code: str, offset: int, path: str) -> bool:
        self.is_fresh = False
        return super().skip(code, offset, path)
