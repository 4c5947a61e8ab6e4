# SPDX-License-Identifier: MIT
"""Calls in tags, whose tool is named in a header that the frame finds."""

from ...events import Limits
from .headed import HeaderCalls
from .interface import Fault
from .tagged import CallTags, Tagged, TaggedReader, TagGrammar


class HeaderTagsReader(TaggedReader):
    """Reads such calls one by one, each from the name in its header."""

    __slots__ = ("_head", "_header")

    def __init__(self, grammar: TagGrammar, limits: Limits, header: HeaderCalls) -> None:
        """Read calls after headers like `header`."""
        self._header = header
        super().__init__(grammar, limits)

    def open(self) -> None:
        super().open()
        self._head = self._header.head()
        self._step = HeaderTagsReader._begin

    def _begin(self, _text: str, pos: int, _end: int) -> int:
        self._begin_call(pos)
        self._step = HeaderTagsReader._read_header
        return pos

    def _read_header(self, text: str, pos: int, end: int) -> int:
        """Read the rest of the header."""
        try:
            pos = self._head.read(text, pos, end)
        except Fault as fault:
            raise self._fault(fault.code, fault.at, fault.message) from None
        if self._head.done:
            self._tool = self._head.name
            self._out.append("{")
            self._begin_argument(text, pos)
        return pos

    def finish(self) -> bool:
        argument, begun = self._grammar.argument, self._matched
        is_before_tag = self._step is TaggedReader._read_tag and self._place is argument
        is_over = is_before_tag or self._step is TaggedReader._read_argument
        may_be_key = begun != "" and self._tags.key[0].startswith(begun)
        if not (is_over and self._tags.closers) or may_be_key:
            return False
        self._text_begin = 0
        self._close_call("", 0, begun)
        return True


class HeaderTags(Tagged):
    """The name of a tool in a header, and the key and value of each argument between `tags`."""

    def __init__(
        self,
        tags: CallTags,
        header: HeaderCalls,
        *,
        words: tuple[tuple[str, str], ...],
        is_python: bool,
    ) -> None:
        """Read values as `Tagged` does."""
        super().__init__(tags, reads_closer=False, words=words, is_python=is_python)
        self._header = header

    def reader(self, _closer: str, limits: Limits) -> HeaderTagsReader:
        return HeaderTagsReader(self._grammar, limits, self._header)

    def takes(self, name: str) -> bool:
        return self._header.takes(name)
