# SPDX-License-Identifier: MIT
"""The chat templates in the files of a model."""

import hashlib
import json
from pathlib import Path
from typing import Any, Final

#: The files of a model that decide about tokens.
TOKENIZER: Final = "tokenizer.json"
CONFIG: Final = "tokenizer_config.json"
TEMPLATE: Final = "chat_template.jinja"


def template_in(file: Path) -> str:
    """Return the chat template in a file, which may be JSON that has it as `chat_template`.

    Raises `ValueError` if there is none.
    """
    try:
        if file.suffix.lower() != ".json":
            return file.read_text("utf-8")
        value = json.loads(file.read_text("utf-8"))
    except (ValueError, RecursionError) as problem:
        raise ValueError(f"{file}: this cannot be read: {problem}") from None
    found = template_of(value) if isinstance(value, dict) else None
    if found is None:
        raise ValueError(f"{file}: /chat_template: there is no chat template in this file")
    return found


def template_of(config: dict[str, Any]) -> str | None:
    """Return the chat template of a tokenizer_config.json, if it has one."""
    found = config.get("chat_template")
    if isinstance(found, list):  # one for each use, of which that for tools comes first
        named = {str(each.get("name")): each for each in found if isinstance(each, dict)}
        each = named.get("tool_use") or named.get("default") or {}
        found = each.get("template")
    return found if isinstance(found, str) else None


def checksums(path: Path) -> list[dict[str, str]]:
    """Return the SHA-256 of a tokenizer, or of the files of a model that decide about tokens."""
    names = (TOKENIZER, CONFIG, TEMPLATE)
    files = [path / name for name in names] if path.is_dir() else [path]
    return [
        {"name": each.name, "sha256": hashlib.sha256(each.read_bytes()).hexdigest()}
        for each in files
        if each.exists()
    ]
