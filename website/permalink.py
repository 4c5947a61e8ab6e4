# SPDX-License-Identifier: MIT
"""Links that open the playground with a text in it: its whole state, in the fragment."""

import base64
import json
import zlib
from typing import Any, Final

from cogwire_kit.conformance.corpus import Case

#: The options that the playground does not have.
_UNHELD: Final = frozenset({"close"})


def of(case: Case) -> str:
    """Return the fragment of a case that the playground can hold, or nothing."""
    data = case.data
    if not isinstance(data.get("input"), str) or not _UNHELD.isdisjoint(case.options):
        return ""
    return fragment(
        {"text": data["input"], "dialect": case.dialect, "stream": "event", **case.options}
    )


def fragment(state: dict[str, Any]) -> str:
    """Return what follows an address: the state as JSON, deflated, in base64url."""
    deflate = zlib.compressobj(9, wbits=-15)
    encoded = json.dumps(state, ensure_ascii=False, separators=(",", ":")).encode()
    packed = deflate.compress(encoded) + deflate.flush()
    return "#" + base64.urlsafe_b64encode(packed).rstrip(b"=").decode("ascii")
