# SPDX-License-Identifier: MIT
"""Markers of which one may begin with another: the longest match counts."""

from collections.abc import Mapping

from .markers import Found, MarkerSet, Role, proper_prefixes


class LongestMarkers(MarkerSet):
    """Markers that are not certain while the text may become a longer one."""

    __slots__ = ()

    def find(self, text: str, pos: int, *, fresh: bool) -> Found | None:
        return self._certain(super().find(text, pos, fresh=fresh), text)

    def match(self, text: str, pos: int) -> Found | None:
        return self._certain(super().match(text, pos), text)

    def _certain(self, found: Found | None, text: str) -> Found | None:
        if found is None or len(text) - found.at >= self._longest:
            return found
        return None if text[found.at :] in self._prefixes else found


def markers_in(roles: Mapping[str, Role], *, is_last: bool = False) -> MarkerSet:
    """Return the markers with these roles; `is_last` is whether no more text can follow."""
    is_certain = is_last or roles.keys().isdisjoint(proper_prefixes(roles))
    return (MarkerSet if is_certain else LongestMarkers)(roles)
