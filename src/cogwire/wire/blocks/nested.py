# SPDX-License-Identifier: MIT
"""Values whose parts are between tags: `<k><item>1</item></k>` for `{"k": [1]}`.

The schema says whether such a text is an array, an object or a string; here it is only taken apart.
"""

import re
from typing import Final

from ...events import Limits
from ...text import WHITE, WHITE_RUN, jump
from .interface import Tree

#: The place of the key in the closer of a value.
KEY: Final = "{key}"
#: How deep values may be: the calls, one of them and its args are three levels.
_DEEPEST: Final = Limits().depth - 3

_KEY: Final = re.compile(r"(?![ \t\r])[^<>\n]+(?<![ \t\r])")


def read_tree(text: str, tags: tuple[str, str], end: str, item: str) -> Tree:
    """Return what is in a value; without parts if anything else than parts is in its text.

    `tags` are around each key, and `end` is after its value, with `KEY` in the place of the key.
    """
    opener, closer = tags
    parts: list[tuple[str, Tree]] = []
    #: The keys around the place, with where the value of each begins, and the parts before it.
    around: list[tuple[str, int, list[tuple[str, Tree]]]] = []
    begins_end = end.partition(KEY)[0]
    plain = Tree(text, item)
    pos = 0
    while True:
        at = jump(WHITE_RUN, text, pos, len(text))
        if text.startswith(opener, at) and not text.startswith(begins_end, at):
            begin = at + len(opener)
            stop = text.find(closer, begin)
            if len(around) == _DEEPEST or not _KEY.fullmatch(text, begin, max(begin, stop)):
                return plain
            pos = stop + len(closer)
            around.append((text[begin:stop], pos, parts))
            parts = []
            continue
        if not around:
            return plain if at < len(text) else Tree(text, item, parts)
        key, begin, before = around.pop()
        last = end.replace(KEY, key)
        stop = at if parts else text.find(last, pos)
        if stop < 0 or not text.startswith(last, stop):
            return plain
        value = text[begin:stop]
        is_text = not parts and value.strip(WHITE)
        before.append((key, Tree(value, item, None if is_text else parts)))
        parts = before
        pos = stop + len(last)
