"""A cursor over a block, which reads character by character up to the first broken rule.

Where one character breaks several rules, the first in this order counts: the encoding, the grammar,
the shape at a first character, a rule on a whole value, a limit, and the size last. Each reading
function looks at a character (`peek`: the encoding), checks it in that order, and then accepts it
(`accept`: the size).
"""

import json
import re
import sys
from typing import NamedTuple

from .text import WHITE, Text


# m-limits
class Limits(NamedTuple):
    """The limits of a block."""

    size: int
    calls: int
    depth: int
    digits: int


# m-limits m-limits-default
# The default limits, which also apply to everything that is written.
DEFAULT_LIMITS = Limits(size=8_388_608, calls=256, depth=128, digits=1000)

# For text that a parser accepted earlier, perhaps with other limits.
NO_LIMITS = Limits(*[sys.maxsize] * 4)


# err-shape
class BlockError(Exception):
    """A broken rule: its code, the offending character, and a JSON Pointer or none."""

    def __init__(self, code: str, offset: int, path: str) -> None:
        super().__init__(code, offset, path)
        self.code = code
        self.offset = offset
        self.path = path


# m-call-delta
class Written:
    """The call that is being read: its name, once it is known, and the text of its args so far."""

    def __init__(self) -> None:
        self.name = ""
        self.args = ""
        # The name as it is spelled, quotes and escapes included.
        self.spelled = ""

    # fd-literals-content
    # The name of a call that does not spell it in JSON.
    def call(self, name: str) -> None:
        self.name = name
        self.spelled = json.dumps(name, ensure_ascii=False)


# err-order xj-one-error
class Block:
    """A cursor over the characters after an opener."""

    def __init__(
        self, text: Text, start: int, limits: Limits, unclosed: str = "unclosed-execute"
    ) -> None:
        self.text = text
        self.start = start
        self.limits = limits
        self.unclosed = unclosed
        self.at = start
        # The names and indices that lead to the current place; none outside the calls.
        self.place: tuple[str, ...] = ()
        self.written = Written()
        # The names of members so far, each with what leads to it.
        self.named: list[tuple[str, ...]] = []
        # Whether an argument of a literal has had its key.
        self.has_key = False
        # Where the place is after an argument in tags or before the first one, its beginning.
        self.between = -1
        # How many characters of the closer, which is not part of the call, have been read.
        self.ahead = 0

    # xj-bad-encoding xe-bad-encoding dl-bad-encoding err-order
    # The end of the text is an error at its length; a replaced character is one at once.
    def peek(self) -> str:
        if self.at == len(self.text.characters):
            raise self.error(self.unclosed)
        if self.at in self.text.replaced:
            raise self.error("bad-encoding")
        return self.text.characters[self.at]

    # xj-limit-size xe-limit-size dl-limit-size m-limit-inclusive
    # The size counts the characters between opener and closer; the one over it is the error.
    def accept(self) -> None:
        if self.is_full():
            raise self.error("limit-size")
        self.at += 1

    # m-limit-inclusive
    # Accepts the characters of a pattern from here on, up to one that is an error whatever it is.
    def accept_all(self, pattern: re.Pattern[str]) -> str:
        first = self.at
        last = min(self.start + self.limits.size, len(self.text.characters))
        last = min([last, *(at for at in self.text.replaced if at >= first)])
        run = pattern.match(self.text.characters, first, last)[0]
        self.at += len(run)
        return run

    # m-limit-inclusive
    def is_full(self) -> bool:
        return self.at - self.start >= self.limits.size

    # err-order
    # Accepts the character that has to be here.
    def take(self, expected: str, code: str = "json-syntax") -> None:
        if self.peek() != expected:
            raise self.error(code)
        self.accept()

    # err-offset
    # An error is at the current character; its path is that of the place before it.
    def error(self, code: str, place: tuple[str, ...] | None = None) -> BlockError:
        return BlockError(code, self.at, pointer(self.place if place is None else place))


# err-path-outside
# RFC 6901: `~` is written `~0`, `/` is written `~1`.
def pointer(place: tuple[str, ...]) -> str:
    return "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in place)


# m-call-delta xe-call-delta fd-literals-mark fd-tags-value
# The part of a text that no later character can change: the rest may belong to one of its ends.
def certain(text: str, *ends: str) -> str:
    for at in range(max(0, len(text) - max(map(len, ends))), len(text)):
        if any(end.startswith(text[at:]) for end in ends):
            return text[:at]
    return text


# tr-qwen-path m-call-delta
# The character that completes a name belongs to what follows, but the name is known from here on.
def complete(block: Block) -> None:
    at = block.at
    block.accept()
    block.at = at


# m-white xe-white
# White space is allowed between any two tokens.
def skip_white(block: Block) -> None:
    while block.peek() in WHITE:
        block.accept()
