# SPDX-License-Identifier: MIT
"""Markers that are live anywhere."""

import re
from collections.abc import Mapping

from ..markers import Found, Role, proper_prefixes


class TagMarkers:
    """Markers that are live anywhere; their first characters may differ."""

    __slots__ = ("_begins", "_longest", "_pattern", "_prefixes", "_roles", "lead", "leads")

    def __init__(self, roles: Mapping[str, Role]) -> None:
        self.leads = frozenset(marker[0] for marker in roles)
        self.lead = min(self.leads) if len(self.leads) == 1 else ""
        self._begins = re.compile(f"[{re.escape(''.join(sorted(self.leads)))}]")
        self._roles = roles
        # If one marker is a prefix of another, the longer one comes first.
        self._pattern = re.compile("|".join(map(re.escape, sorted(roles, reverse=True))))
        self._prefixes = proper_prefixes(roles)
        self._longest = max(map(len, roles))

    def find(self, text: str, pos: int, *, fresh: bool) -> Found | None:
        del fresh
        if lead := self.lead:
            pos = text.find(lead, pos)
            if pos < 0:
                return None
        match = self._pattern.search(text, pos)
        return match and Found(self._roles[match[0]], match.start(), match.end())

    def match(self, text: str, pos: int) -> Found | None:
        match = self._pattern.match(text, pos)
        return match and Found(self._roles[match[0]], pos, match.end())

    def hold(self, text: str, pos: int, *, fresh: bool) -> int:
        del fresh
        size = len(text)
        pos = max(pos, size - self._longest + 1)
        if self.lead and text.find(self.lead, pos) < 0:
            return size
        while begin := self._begins.search(text, pos):
            pos = begin.start()
            if text[pos:] in self._prefixes:
                return pos
            pos += 1
        return size

    def may_hold(self, carry: str) -> bool:
        return carry in self._prefixes

    def is_fresh(self, text: str, pos: int, at: int, *, fresh: bool) -> bool:
        del text, pos, at, fresh
        return True
