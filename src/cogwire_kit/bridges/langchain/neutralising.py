# SPDX-License-Identifier: MIT
"""The blocks of a message, in which a model finds nothing that could be mistaken for results."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from cogwire_kit.bridges.common.user_texts import Write, neutralised

#: Members of a block of content that no model reads.
_LABELS: Final = {"type", "id", "index", "mime_type"}

_IsRead = Callable[[str, Mapping[str, Any]], bool]


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
