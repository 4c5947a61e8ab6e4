# SPDX-License-Identifier: MIT
"""The dialect of a text, where the user wants it detected."""

from collections.abc import Sequence
from typing import Any, Final

from cogwire import Event, detect, parse
from cogwire.tooling import dialect_names

#: What takes the place of a dialect that is to be detected.
AUTO: Final = "auto"

#: What an option may be for parsing, and the outcome does not depend on.
_OPTIONS: Final = ("mode", "start")

_MIXED: Final = "its texts have markers of different dialects"


def detect_dialect(*texts: str | bytes, **options: Any) -> tuple[str | None, str]:
    """Return in which dialect `texts` are read with these options, and why; None if it matters.

    There is at least one text; several are turns of one conversation.
    """
    found = [detect(text) for text in texts]
    marked = [each for each in found if each.candidates] or found[:1]
    common = set.intersection(*(set(each.candidates) for each in marked))
    if len(common) == 1:
        (name,) = common
        reason = next((each.reason for each in marked if each.dialect), marked[0].reason)
        return name, f"read as {name}, since {reason}"
    reason = marked[0].reason if common or len(marked) == 1 else _MIXED
    named = (name for each in marked for name in each.candidates)
    candidates = [*dict.fromkeys(name for name in named if name in common or not common)]
    meant = " or ".join(candidates) or "plain prose"
    read = candidates or dialect_names()
    if not all(_are_same(text, read, options) for text in texts):
        return None, f"this may be {meant}, since {reason}; name the dialect"
    if not candidates:
        return read[0], f"plain prose, since {reason}"
    # What it may be that is never detected is at the end of the reason.
    hint = "".join(reason.partition("; ")[1:])
    return read[0], f"read as {read[0]}; it may be {meant}; both read it the same way{hint}"


def resolved(dialect: str, *texts: str | bytes, mode: str = "transcript") -> tuple[str | None, str]:
    """Return the dialect of `texts`, which is detected for `AUTO`, and why; or None and why not."""
    return detect_dialect(*(texts or ("",)), mode=mode) if dialect == AUTO else (dialect, "")


def _are_same(text: str | bytes, dialects: Sequence[str], options: dict[str, Any]) -> bool:
    """Whether the events are the same in all of `dialects`, but for how messages are worded."""
    chosen = {name: options[name] for name in _OPTIONS if name in options}
    first, *others = (_outline(parse(text, name, clock=None, **chosen)) for name in dialects)
    return all(other == first for other in others)


def _outline(events: list[Event]) -> list[dict[str, Any]]:
    return [{**event, "content": ""} if event["type"] == "error" else {**event} for event in events]
