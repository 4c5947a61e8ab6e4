# SPDX-License-Identifier: MIT
# ruff: noqa: INP001 - it is a module of its own in the browser, and no part of a package here
"""What the playground's worker answers: the adapter protocol, and which format a model writes."""

import json
from typing import Any

import cogwire
from cogwire_kit import adapter
from cogwire_kit.templates import response
from cogwire_kit.templates.files import template_of


def reply(line: str) -> str:
    """Return the reply to one request, as a line."""
    request = json.loads(line)
    if request.get("op") != "which":
        return adapter.answer(line.encode()).decode()
    return json.dumps({"id": request["id"], **which(request["about"])})


def which(about: str) -> dict[str, Any]:
    """Return `{"names", "reason", "description"}` of what a model writes; each may be empty.

    `about` is the name of a model, a chat template, or the JSON of a tokenizer_config.json.
    """
    given = _json(about)
    template = given.get("response_template")
    if template is not None:
        read = response.read(template, "my-format")
        if read.format is not None:
            reason = "the response_template describes it"
            return {"names": [], "reason": reason, "description": read.format.to_json()}
        return {"names": [], "reason": "; ".join(read.unsaid), "description": None}
    if given:
        found = cogwire.detect_format(template=template_of(given) or "")
    elif "{%" in about or "{{" in about:
        found = cogwire.detect_format(template=about)
    else:
        found = cogwire.detect_format(model=about.strip())
    return {"names": list(found.candidates), "reason": found.reason, "description": None}


def _json(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
