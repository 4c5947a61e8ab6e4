# SPDX-License-Identifier: MIT
"""The text of the arguments of calls with a head, while they are being written."""

import re
from typing import Final

from .....events import CallDeltaEvent
from .....text.scan import WHITE_RUN, jump
from .head import Head

_IN_VALUE: Final = re.compile(r'["{}\[\]]')
_STRING_BODY: Final = re.compile(r'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)


class HeadedDeltas:
    """Reads text that another reader has already accepted, so it checks nothing again."""

    __slots__ = ("_depth", "_head", "_in_string", "_index", "_is_escaped")

    def __init__(self) -> None:
        #: How many calls are complete, the head of the next one, and how many brackets of its
        #: arguments are open.
        self._index = 0
        self._head = Head()
        self._depth = 0
        #: Whether the text is in a string, and after a backslash of it.
        self._in_string = False
        self._is_escaped = False

    def follow(self, text: str) -> dict[int, CallDeltaEvent]:
        """Take the text that was accepted next, and return its deltas by the call's index."""
        found: dict[int, CallDeltaEvent] = {}
        pos, end = 0, len(text)
        while pos < end:
            if not self._head.done:
                pos = self._head.read(text, pos, end)
                continue
            if not self._depth:
                pos = jump(WHITE_RUN, text, pos, end)
            begin, pos = pos, self._pass_object(text, pos)
            if begin < pos:
                found[self._index] = {
                    "type": "call_delta",
                    "index": self._index,
                    "name": self._head.name,
                    "content": text[begin:pos],
                }
            if begin < pos and not self._depth:
                self._index += 1
                self._head = Head()
        return found

    def _pass_object(self, text: str, pos: int) -> int:
        """Return where the open object ends in `text`, or the end of `text` if it goes on."""
        end = len(text)
        while pos < end:
            if self._in_string:
                body = _STRING_BODY.match(text, pos + self._is_escaped)
                pos = body.end() if body is not None else end
                self._is_escaped = text.startswith("\\", pos)
                self._in_string = self._is_escaped or pos == end
                pos += 1
                continue
            sign = _IN_VALUE.search(text, pos)
            if sign is None:
                return end
            pos = sign.end()
            if sign[0] == '"':
                self._in_string = True
                continue
            self._depth += 1 if sign[0] in "{[" else -1
            if not self._depth:
                return pos
        return end
