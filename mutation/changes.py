"""Which functions of the core a change touches."""

import ast
import random
import subprocess
from collections.abc import Iterator, Sequence
from typing import Final

from mutation.workshop import MODULES, ROOT

_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


def functions(base: str) -> dict[str, list[str]]:
    """Return, by module, the functions that are not as they were in the revision `base`.

    Empty where git does not know `base`, as in a copy without history.
    """
    found = {}
    for module in MODULES:
        path = f"src/cogwire/{module}.py"
        before = _git("show", f"{base}:{path}")
        if before is None:
            continue
        was = dict(_dumped(ast.parse(before)))
        now = dict(_dumped(ast.parse((ROOT / path).read_text("utf-8"))))
        touched = sorted(name for name, text in now.items() if was.get(name) != text)
        if touched:
            found[module] = touched
    return found


def some(names: Sequence[str], most: int) -> list[str]:
    """Return `names`, or so many of them, the same ones each time."""
    if len(names) <= most:
        return list(names)
    return sorted(random.Random("".join(names)).sample(names, most))  # noqa: S311 - no secret


def _dumped(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, str]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, _FUNCTIONS):
            yield prefix + node.name, ast.dump(node)
        elif isinstance(node, ast.ClassDef):
            yield from _dumped(node, f"{prefix}{node.name}.")


def _git(*arguments: str) -> str | None:
    done = subprocess.run(  # noqa: S603 - arguments of our own
        ["git", *arguments],  # noqa: S607 - wherever it is
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout if done.returncode == 0 else None
