# SPDX-License-Identifier: MIT
"""Which name was probably meant."""

import difflib
from collections.abc import Iterable


def meant(given: str, known: Iterable[str]) -> str:
    """Return `did you mean …? ` with the names that are like `given`, or an empty string."""
    near = difflib.get_close_matches(given, list(known))
    return f"did you mean {' or '.join(near)}? " if near else ""
