# SPDX-License-Identifier: MIT
"""The special tokens of a vocabulary, which some engines match only by their numbers."""

from typing import Any


def special_tokens(tokenizer: Any) -> dict[str, int]:
    """Return the added tokens of a `tokenizer.json`, passed as a JSON value: numbers by text.

    Raises `ValueError` if it has no such tokens.
    """
    added = tokenizer.get("added_tokens") if isinstance(tokenizer, dict) else None
    if not isinstance(added, list):
        raise ValueError("this is not a tokenizer.json: it has no list `added_tokens`")  # noqa: TRY004
    found: dict[str, int] = {}
    for index, token in enumerate(added):
        content = token.get("content") if isinstance(token, dict) else None
        if not content or type(content) is not str or type(token.get("id")) is not int:
            raise ValueError(f"added_tokens[{index}]: a token has a text `content` and an `id`")
        found[content] = token["id"]
    return found
