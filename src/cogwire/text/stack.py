# SPDX-License-Identifier: MIT
"""A stack of one's own, so that no result depends on how deep the caller's stack is."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

_Result = TypeVar("_Result")


def on_own_stack(function: Callable[..., _Result], *given: Any) -> _Result:
    """Return what `function` returns; where the stack ends, call it again in another thread.

    `RecursionError` is then raised only if an empty stack is too short as well.
    """
    try:
        return function(*given)
    except RecursionError:
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(function, *given).result()
