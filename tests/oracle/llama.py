"""One turn in the format `llama3-json`: an object where the text begins, or after a tag."""

from .block import Block
from .described import Described
from .formats import LLAMA
from .ledger import Options
from .text import Text


# tr-llama-shared tr-llama-markers tr-llama-call
class Llama(Described):
    """A turn in this format, whose calls need no marker."""

    def __init__(self, text: Text, options: Options) -> None:
        super().__init__(text, options, LLAMA)
        # Whether a brace begins a call here, and whether it has just done so.
        self.is_fresh = True
        self.at_brace = False

    # tr-llama-brace
    # At the beginning, after a think and after a call a brace begins a call.
    def go_to_marker(self) -> str:
        first = self.after_white()
        self.at_brace = self.is_fresh and self.characters.startswith("{", first)
        self.is_fresh = True
        if self.at_brace:
            self.at = first
            return self.openers[0]
        return super().go_to_marker()

    # tr-llama-brace
    # The brace is a part of the call.
    def pass_marker(self, marker: str) -> None:
        if not self.at_brace:
            super().pass_marker(marker)

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
    def skip(self, code: str, offset: int, path: str, first: int) -> bool:
        self.is_fresh = False
        return super().skip(code, offset, path, first)
