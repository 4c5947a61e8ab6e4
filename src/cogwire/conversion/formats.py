# SPDX-License-Identifier: MIT
"""Detecting the format that a model writes: by the model's name, a chat template, or a text.

Rules: spec/described.md, "Detection".
"""

import re
from typing import Final

from ..text.decoding import decode
from ..wire.trained.catalogue import FORMATS, readings, written_by
from .detect import Detected

#: How Jinja writes a quote and a line feed in a string.
_ESCAPES: Final = ((r"\"", '"'), (r"\'", "'"), (r"\n", "\n"))


#: No name of a model is as long.
_LONGEST_NAME: Final = 200


def detect_format(text: str | bytes = "", *, model: str = "", template: str = "") -> Detected:
    """Return the format that a model writes: by a text of it, its name, or its chat template.

    Of what is given, each part is looked at by itself; the candidates are the formats that fit all
    of the parts which name any.  `text` is one turn or more, as `str` or as `bytes` of UTF-8,
    `model` a name such as `Qwen/Qwen3-8B`, and `template` the text of a chat template.  The reason
    says what each part named.
    """
    text, _ = decode(text)
    parts: list[tuple[str, tuple[str, ...]]] = []
    if model:
        written = tuple(each.name for each in written_by(model))
        parts.append((f"a model called {model!r} writes", written))
    if template:
        parts.append(("the chat template writes", _by_template(template)))
    if text:
        parts.append(("the text is read best as", _by_text(text)))
    named = [found for _, found in parts if found]
    common = [name for name in FORMATS if named and all(name in found for found in named)]
    reasons = [f"{what} {' or '.join(found) or 'no known format'}" for what, found in parts]
    if named and not common:
        common = [name for name in FORMATS if any(name in found for found in named)]
        reasons.append("these contradict each other")
    if not named and len(text) < _LONGEST_NAME and " " not in text and written_by(text):
        reasons.append("if it is the name of a model, pass it as `model`")
    reason = "; ".join(reasons) or "nothing was given: pass a text, `model` or `template`"
    return Detected(common[0] if len(common) == 1 else None, tuple(common), reason)


def _by_template(template: str) -> tuple[str, ...]:
    """Return the formats whose markers are in a chat template, and that fit it best."""
    for written, character in _ESCAPES:
        template = template.replace(written, character)
    fits = {name: each.fit(template) for name, each in FORMATS.items()}
    best = max(fits.values())
    return tuple(name for name, fit in fits.items() if fit == best and fit[0])


def _by_text(text: str) -> tuple[str, ...]:
    """Return the formats that read most calls, with the least errors and the least prose.

    Of several, those count of which the calls have a sign.
    """
    found = readings(text)
    best = max(found.values(), default=None)
    if best is None or not best.calls:
        return ()
    names = tuple(name for name, each in found.items() if each == best)
    signed = (name for name in names if FORMATS[name].sign)
    return tuple(name for name in signed if re.search(FORMATS[name].sign, text)) or names
