"""Makes broken parsers: copies of modules in which one passage is replaced."""

import ast
import importlib.abc
import importlib.machinery
import importlib.util
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final

HERE: Final = Path(__file__).parent
ORACLE: Final = HERE.parents[1] / "tests" / "oracle"

#: The modules of the streaming parser; all others are those of the executable specification.
STREAMING: Final = ("streaming", "buffering")

Answer = Callable[[dict[str, Any]], dict[str, Any]]


#: A change in a passage: the old text, a broken bar, and the new text.
CHANGE: Final = re.compile("⟦([^¦]*)¦([^⟧]*)⟧")


@dataclass(frozen=True)
class Animal:
    """A parser with one bug: a passage of `module`, which occurs there once, is changed."""

    name: str
    #: The class of the bug, a key of `classes.json`.
    flag: str
    #: A description of the bug.
    breaks: str
    module: str
    #: The passage with its changes, such as `if size ⟦>¦>=⟧ limit:`.
    passage: str

    @property
    def old(self) -> str:
        """The passage as it is in the module."""
        return CHANGE.sub(r"\1", self.passage)

    @property
    def new(self) -> str:
        """The passage with the bug."""
        return CHANGE.sub(r"\2", self.passage)

    def source(self) -> str:
        """Return the broken module.

        Raises:
            ValueError: the passage does not occur exactly once.
        """
        source = sound(self.module)
        if source.count(self.old) != 1:
            raise ValueError(
                f"{self.name}: the passage occurs {source.count(self.old)} times: {self.old!r}"
            )
        return source.replace(self.old, self.new)

    def answer(self) -> Answer:
        """Return the broken parser: a function from requests to replies."""
        return built(self.module, compile(self.source(), f"<{self.name}>", "exec"))


def place_of(module: str) -> Path:
    """Return the file of a module."""
    return (HERE if module in STREAMING else ORACLE) / f"{module}.py"


@cache
def sound(module: str) -> str:
    """Return the correct source of a module."""
    return place_of(module).read_text("utf-8")


@cache
def sound_code(module: str) -> CodeType:
    """Return the correct code of a module."""
    return compile(sound(module), str(place_of(module)), "exec")


@cache
def syntax(module: str) -> ast.Module:
    """Return the syntax tree of the correct module."""
    return ast.parse(sound(module))


def modules() -> list[str]:
    """Return the names of all modules of the executable specification."""
    return sorted(path.stem for path in ORACLE.glob("*.py") if path.stem != "__init__")


def built(module: str, code: CodeType) -> Answer:
    """Return the answering function of a copy in which one module has this code."""
    if module in STREAMING:
        alone = ModuleType("animal")
        exec(code, alone.__dict__)  # noqa: S102 - this makes the copy of a module
        answer: Answer = alone.__dict__["answer"]
        return answer
    return _copied(lambda name: code if name == module else sound_code(name), {}, users(module))


def noting(seen: "set[Place]") -> Answer:
    """Return the answering function of a copy that records in `seen` which statements it runs."""

    def noting_code(name: str) -> CodeType:
        tree = _Noting(name).visit(ast.parse(sound(name)))
        return compile(ast.fix_missing_locations(tree), str(place_of(name)), "exec")

    return _copied(noting_code, {_NOTE: seen.add}, frozenset(modules()))


@cache
def users(module: str) -> frozenset[str]:
    """Return a module and all modules that import it, directly or not."""
    found = {module, "answering"}
    while more := {name for name in modules() if found & imported(name)} - found:
        found |= more
    return frozenset(found)


@cache
def imported(module: str) -> frozenset[str]:
    """Return the modules that a module imports from its package."""
    found: set[str] = set()
    for part in ast.walk(syntax(module)):
        if isinstance(part, ast.ImportFrom) and part.level == 1:
            found |= {part.module} if part.module else {name.name for name in part.names}
    return frozenset(found)


def _copied(
    code_of: Callable[[str], CodeType], names: dict[str, Any], copies: frozenset[str]
) -> Answer:
    finder = _Copies(code_of, names)
    # Modules that do not use the broken module need not be copied.
    for name in set(modules()) - copies:
        sys.modules[f"animal.{name}"] = importlib.import_module(f"tests.oracle.{name}")
    sys.meta_path.insert(0, finder)
    try:
        answer: Answer = importlib.import_module("animal.answering").answer
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if name.split(".")[0] == "animal"]:
            del sys.modules[name]
    return answer


class _Copies(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of the package `animal`, in place of those of the specification."""

    def __init__(self, code_of: Callable[[str], CodeType], names: dict[str, Any]) -> None:
        self._code_of, self._names = code_of, names

    def find_spec(self, fullname: str, *_: object) -> importlib.machinery.ModuleSpec | None:
        if fullname.split(".", maxsplit=1)[0] != "animal":
            return None
        return importlib.util.spec_from_loader(fullname, self, is_package=fullname == "animal")

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__.partition(".")[2]
        if name:
            module.__file__ = str(ORACLE / f"{name}.py")
            module.__dict__.update(self._names)
            exec(self._code_of(name), module.__dict__)  # noqa: S102


# ---- Which requests a change can matter to ----

#: A statement in a function: its module, and its first line.
Place = tuple[str, int]

_NOTE: Final = "__note__"


class _Noting(ast.NodeTransformer):
    """Inserts before every statement of a function one that records its place."""

    def __init__(self, module: str) -> None:
        self._module = module
        self._depth = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self._depth += 1
        node = self.generic_visit(node)
        self._depth -= 1
        return node

    def generic_visit(self, node: ast.AST) -> Any:
        super().generic_visit(node)
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if self._depth and isinstance(body, list):
                setattr(node, name, [part for one in body for part in (self._note(one), one)])
        return node

    def _note(self, statement: ast.stmt) -> ast.stmt:
        place = f"({self._module!r}, {statement.lineno})"
        return ast.parse(f"{_NOTE}({place})").body[0]


def changed(animal: Animal) -> frozenset[Place]:
    """Return statements; a request that runs none of them is not affected by the change."""
    source = sound(animal.module)
    first = source[: source.index(animal.old)].count("\n") + 1
    old, new = animal.old.splitlines(), animal.new.splitlines()
    # Lines that only locate the passage are not changed; the last line before a change counts.
    same = 0
    while (
        same < min(len(old), len(new)) - 1 and old[same + 1] == new[same + 1] and old[0] == new[0]
    ):
        same += 1
    return _touched(animal.module, first + same, first + len(old) - 1)


def _touched(module: str, first: int, last: int) -> frozenset[Place]:
    found: set[Place] = set()
    for statement, is_inside in statements(module):
        head, end = _span(statement)
        if end < first or head > last:
            continue
        found |= _runs(module, statement, is_inside=is_inside)
        if not is_inside and isinstance(statement, ast.Assign | ast.AnnAssign):
            for target in ast.walk(statement):
                if isinstance(target, ast.Name) and isinstance(target.ctx, ast.Store):
                    found |= _uses(target.id)
    return frozenset(found)


def _runs(module: str, statement: ast.stmt, *, is_inside: bool) -> set[Place]:
    """Return the place that is run with a statement; for a function, its first statement."""
    if isinstance(statement, ast.FunctionDef):
        return {(module, statement.body[0].lineno)}
    return {(module, statement.lineno)} if is_inside else set()


@cache
def _uses(name: str) -> frozenset[Place]:
    """Return the statements, in any module, that name a constant."""
    found: set[Place] = set()
    for module in modules():
        for (statement, is_inside), names in zip(statements(module), named(module), strict=True):
            if name in names:
                found |= _runs(module, statement, is_inside=is_inside)
                if not is_inside and isinstance(statement, ast.Assign | ast.AnnAssign):
                    found |= _touched(module, *_span(statement))
    return frozenset(found)


@cache
def named(module: str) -> tuple[frozenset[str], ...]:
    """Return the names that each statement of a module reads; only the head of one with a body."""
    found = []
    for statement, _ in statements(module):
        head, end = _span(statement)
        parts = (p for p in ast.walk(statement) if head <= getattr(p, "lineno", 0) <= end)
        found.append(frozenset(name for part in parts for name in _names(part)))
    return tuple(found)


def _names(part: ast.AST) -> Iterator[str]:
    if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
        yield part.id
    elif isinstance(part, ast.Attribute):
        yield part.attr


def _span(statement: ast.stmt) -> tuple[int, int]:
    """Return the lines of a statement; for one with a body, those of its head."""
    body = getattr(statement, "body", None)
    if not isinstance(body, list) or not body:
        return statement.lineno, statement.end_lineno or statement.lineno
    return statement.lineno, max(statement.lineno, body[0].lineno - 1)


@cache
def statements(module: str) -> tuple[tuple[ast.stmt, bool], ...]:
    """Return every statement of a module, and whether it is in a function."""
    return tuple(_statements(syntax(module)))


def _statements(node: ast.AST, *, is_inside: bool = False) -> Iterator[tuple[ast.stmt, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child, is_inside
        is_function = isinstance(child, ast.FunctionDef)
        yield from _statements(child, is_inside=is_inside or is_function)
