# SPDX-License-Identifier: MIT
"""Runs a function on an empty stack, so that its result does not depend on the caller's depth."""

import threading
from collections.abc import Callable
from typing import Any, TypeVar

_Result = TypeVar("_Result")


def on_own_stack(function: Callable[..., _Result], *given: Any) -> _Result:
    """Return what `function` returns; if the stack overflows, call it again in another thread.

    So `RecursionError` is raised only if an empty stack does not suffice either.
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
