"""The functions of the core: each is identified by its own text, whatever file it is in."""

import ast
import difflib
import hashlib
import io
import subprocess
import tarfile
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parent.parent
CORE: Final = "src/cogwire"


class Function(NamedTuple):
    """A function of a module, or a method, with the line of its `def`."""

    module: str
    name: str
    line: int
    text: str

    @property
    def bare(self) -> str:
        """Its name without the class."""
        return self.name.rpartition(".")[2]

    def digest(self) -> str:
        """Return a digest of the code, without its layout, comments and docstring."""
        # The text of a method is indented, so it needs something around it.
        outer = "if 1:\n" if self.text[0].isspace() else ""
        lines = (outer + self.text).splitlines()
        body = ast.parse(outer + self.text).body
        node = body[0].body[0] if isinstance(body[0], ast.If) else body[0]
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            raise TypeError(self.text)
        for token in tokenize.generate_tokens(io.StringIO(outer + self.text).readline):
            if token.type == tokenize.COMMENT:
                lines[token.start[0] - 1] = lines[token.start[0] - 1][: token.start[1]]
        if ast.get_docstring(node) is not None and node.body[0].lineno > node.lineno:
            lines[node.body[0].lineno - 1 : node.body[0].end_lineno] = []
        code = "".join("".join(lines[bool(outer) :]).split())
        return hashlib.sha256(code.encode()).hexdigest()[:16]


def functions(module: str, source: str) -> Iterator[Function]:
    """Yield the functions and methods of a module's source."""
    lines = source.splitlines(keepends=True)

    def found(nodes: Iterable[ast.stmt], prefix: str) -> Iterator[Function]:
        for node in nodes:
            if isinstance(node, ast.ClassDef):
                yield from found(node.body, f"{prefix}{node.name}.")
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                text = "".join(lines[node.lineno - 1 : node.end_lineno])
                yield Function(module, prefix + node.name, node.lineno, text)

    return found(ast.parse(source).body, "")


def sources(root: Path = ROOT) -> dict[str, str]:
    """Return the modules of the core, by their paths within it."""
    core = root / CORE
    paths = sorted(core.rglob("*.py"))
    return {path.relative_to(core).as_posix(): path.read_text("utf-8") for path in paths}


def sources_of(revision: str, root: Path = ROOT) -> dict[str, str] | None:
    """Return the modules as they are in a revision, or `None` if git does not have it."""
    done = subprocess.run(  # noqa: S603 - arguments of our own
        ["git", "archive", revision, CORE],  # noqa: S607 - wherever it is
        cwd=root,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        return None
    found = {}
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        for member in archive:
            file = archive.extractfile(member) if member.name.endswith(".py") else None
            if file is not None:
                found[member.name.removeprefix(f"{CORE}/")] = file.read().decode()
    return found


def every(modules: dict[str, str]) -> list[Function]:
    """Return the functions of all these modules."""
    return [each for module, source in modules.items() for each in functions(module, source)]


def touched(before: dict[str, str], now: dict[str, str]) -> dict[Function, set[int]]:
    """Return the functions that are new or changed, with the lines that are new.

    A function is looked for in all modules as they were.  One that has only moved is therefore not
    returned, and one that was moved and changed only with its changed lines.
    """
    known = set()
    named = defaultdict(list)
    for each in every(before):
        known.add(each.digest())
        named[each.bare].append([line.strip() for line in each.text.splitlines()])
    found = {}
    for each in every(now):
        if each.digest() in known:
            continue
        lines = [line.strip() for line in each.text.splitlines()]
        fresh = [_fresh(old, lines) for old in named[each.bare]]
        new = min(fresh, key=len, default=set(range(len(lines))))
        found[each] = {each.line + at for at in new}
    return found


def _fresh(old: list[str], lines: list[str]) -> set[int]:
    """Return the indices of the new lines; for a removed line, that of the line in its place."""
    fresh: set[int] = set()
    for tag, _, _, begin, end in difflib.SequenceMatcher(None, old, lines, False).get_opcodes():
        if tag != "equal":
            fresh.update(range(begin, max(end, begin + 1)))
    return {at for at in fresh if at < len(lines)}
