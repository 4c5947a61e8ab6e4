# SPDX-License-Identifier: MIT
"""The chat templates in the files of a model."""

import hashlib
import json
from pathlib import Path
from typing import Any, Final

#: The files of a model that determine its tokens.
TOKENIZER: Final = "tokenizer.json"
CONFIG: Final = "tokenizer_config.json"
TEMPLATE: Final = "chat_template.jinja"


def template_in(path: Path) -> tuple[str | None, dict[str, Any]]:
    """Return the chat template of a model, if it has one, and its tokenizer_config.json, or `{}`.

    `path` is the folder of the model, or one of its files: chat_template.jinja, or a JSON file like
    tokenizer_config.json, which may have the template; what this file lacks is read from the other
    one, in the same folder.  It may also be a template with any other name.  Raises `ValueError` if
    a file cannot be read.
    """
    folder = path if path.is_dir() else path.parent
    config, jinja = folder / CONFIG, folder / TEMPLATE
    is_config = path != folder and path.suffix.lower() == ".json"
    config = path if is_config else config
    settings: Any = {}
    try:
        if path != folder and path.name != TEMPLATE and not is_config:
            return path.read_text("utf-8"), settings  # other files may belong to another model
        if config.exists():
            settings = json.loads(config.read_text("utf-8"))
        settings = settings if isinstance(settings, dict) else {}
        found = template_of(settings) if is_config else None
        if found is None and jinja.exists():
            found = jinja.read_text("utf-8")
    except (ValueError, RecursionError) as problem:
        raise ValueError(f"{path}: this cannot be read: {problem}") from None
    return (template_of(settings) if found is None else found), settings


def template_of(config: dict[str, Any]) -> str | None:
    """Return the chat template of a tokenizer_config.json, if it has one."""
    found = config.get("chat_template")
    if isinstance(found, list):  # one for each use; that for tools is preferred
        named = {str(each.get("name")): each for each in found if isinstance(each, dict)}
        each = named.get("tool_use") or named.get("default") or {}
        found = each.get("template")
    return found if isinstance(found, str) else None


def checksums(path: Path) -> list[dict[str, str]]:
    """Return the SHA-256 of a tokenizer, or of the files of a model that determine its tokens."""
    names = (TOKENIZER, CONFIG, TEMPLATE)
    files = [path / name for name in names] if path.is_dir() else [path]
    return [
        {"name": each.name, "sha256": hashlib.sha256(each.read_bytes()).hexdigest()}
        for each in files
        if each.exists()
    ]
