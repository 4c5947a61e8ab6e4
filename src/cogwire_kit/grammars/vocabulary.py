# SPDX-License-Identifier: MIT
"""The tokens of a vocabulary that an engine does not match with the characters of their texts."""

from typing import Any


def special_tokens(tokenizer: Any) -> dict[str, int]:
    """Return the added tokens in the JSON of a `tokenizer.json`: each text, and its number.

    Raises `ValueError` if it is not such a file.
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
