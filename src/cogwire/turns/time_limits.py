# SPDX-License-Identifier: MIT
"""Time limits of calls."""


def require_limit(limit: object, name: str = "timeout") -> None:
    """Raise `TypeError` or `ValueError` for anything but a time limit, or `None`."""
    wanted = f"{name} is a number of seconds, or None for no limit, not {limit!r}"
    if limit is None:
        return
    if isinstance(limit, bool) or not isinstance(limit, int | float):
        raise TypeError(wanted)
    if not limit >= 0:  # NaN is not, either
        raise ValueError(wanted)
