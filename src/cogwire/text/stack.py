# SPDX-License-Identifier: MIT
"""A stack of one's own, so that no result depends on how deep the caller's stack is."""

import threading
from collections.abc import Callable
from typing import Any, TypeVar

_Result = TypeVar("_Result")


def on_own_stack(function: Callable[..., _Result], *given: Any) -> _Result:
    """Return what `function` returns; where the stack ends, call it again in another thread.

    `RecursionError` is then raised only if an empty stack is too short as well.
    """
    try:
        return function(*given)
    except RecursionError:
        pass
    results: list[_Result] = []
    errors: list[BaseException] = []

    def call() -> None:
        try:
            results.append(function(*given))
        except BaseException as error:  # noqa: BLE001 (raised below)
            errors.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    for error in errors:
        raise error
    return results[0]
