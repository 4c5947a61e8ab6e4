# SPDX-License-Identifier: MIT
"""Texts of users and tools, in which a model finds nothing that could be mistaken for results.

A marker may be split over several texts of a message, because APIs and chat templates join them.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeVar

from cogwire.tooling import decode, literal, notation

#: Members of a block of content that no model reads.
_LABELS: Final = {"type", "id", "index", "mime_type"}

T = TypeVar("T")
Write = Callable[[str], str]
_IsRead = Callable[[str, Mapping[str, Any]], bool]


def neutral(texts: Sequence[str], dialect: str) -> list[str]:
    """Return `texts` with the markers of results in their literal form.

    The markers are those of each text, and of all texts joined.
    """
    unsafe_in = notation(dialect).unsafe_in
    whole = [decode(text)[0] for text in texts]
    found = [start for start, _ in unsafe_in("".join(whole))]
    written: list[str] = []
    begin = 0
    for text in whole:
        end = begin + len(text)
        joined = found[bisect_left(found, begin) : bisect_left(found, end)]
        # Alone, a text begins a line, as it does for APIs that join texts by line ends.
        starts = {start for start, _ in unsafe_in(text)} | {at - begin for at in joined}
        pieces: list[str] = []
        done = 0
        for start in sorted(starts):
            # The literal form of a marker differs from it in the first character alone.
            pieces += text[done:start], literal(text[start])
            done = start + 1
        written.append("".join([*pieces, text[done:]]))
        begin = end
    return written


def neutralised(rewrite: Callable[[Write], T], dialect: str) -> T:
    """Return what `rewrite` returns if it writes its texts without markers of results.

    It is called twice, to read the texts and to write them, and calls its argument with each text
    in the same order.
    """
    texts: list[str] = []

    def read(text: str) -> str:
        texts.append(text)
        return text

    rewrite(read)
    written = iter(neutral(texts, dialect))
    return rewrite(lambda _: next(written))


# -- Blocks of LangChain --------------------------------------------------------------------------


def neutral_content(content: Any, dialect: str) -> Any:
    """Return the content of a message, a text or blocks of any type, without markers of results.

    A marker may be split over blocks of text, over all that have a text, and over all strings.
    """
    for is_read in (_is_prose, _is_text, _is_no_label):
        content = neutralised(partial(_rewritten, content, is_read), dialect)
    return content


def _is_prose(key: str, block: Mapping[str, Any]) -> bool:
    return key == "text" and block.get("type") == "text"


def _is_text(key: str, _: Mapping[str, Any]) -> bool:
    return key == "text"


def _is_no_label(key: str, _: Mapping[str, Any]) -> bool:
    return key not in _LABELS


def _rewritten(content: Any, is_read: _IsRead, write: Write) -> Any:
    """Return `content` with each string that is read as `write` returns it, in their order."""
    if isinstance(content, str):
        return write(content)
    if isinstance(content, list):
        return [_rewritten(each, is_read, write) for each in content]
    if isinstance(content, Mapping):
        return {
            key: each
            if isinstance(each, str) and not is_read(key, content)
            else _rewritten(each, is_read, write)
            for key, each in content.items()
        }
    return content
