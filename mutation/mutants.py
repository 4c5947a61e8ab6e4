"""Makes mutants of functions with mutmut, and finds those that mypy rejects."""

import ast
import difflib
import json
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

import libcst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.file_mutation import create_mutations, deep_replace

from mutation.functions import CORE, ROOT, Function, functions

MARK: Final = "__mutant_"


class Mutant(NamedTuple):
    """A change of one function: the old text, the new text, and the whole changed function."""

    function: Function
    was: str
    becomes: str
    code: str

    def text(self) -> str:
        """Return a description in one line."""
        return f"{self.function.module}: {self.function.name}: {self.was} -> {self.becomes}"


def mutants(
    module: str, source: str, wanted: Mapping[Function, set[int]] | None = None
) -> list[Mutant]:
    """Return the mutants of a module, or those that change wanted lines of wanted functions."""
    by_line = {each.line: each for each in functions(module, source)}
    tree, mutations, _, _ = create_mutations(module, source)
    places = MetadataWrapper(tree, unsafe_skip_copy=True).resolve(PositionProvider)
    found = []
    for mutation in mutations:
        whole = mutation.contained_by_top_level_function
        if not isinstance(whole, libcst.FunctionDef):
            continue
        function = by_line.get(places[whole.name].start.line)
        if function is None or (wanted is not None and function not in wanted):
            continue
        whole = whole.with_changes(leading_lines=(), lines_after_decorators=(), decorators=())
        code = deep_replace(whole, mutation.original_node, mutation.mutated_node)
        texts = [tree.code_for_node(each) for each in (whole, code)]
        was, becomes, lines = _difference(*(text.splitlines() for text in texts))
        at = {function.line + line for line in lines}
        if (was or becomes) and (wanted is None or at & wanted[function]):
            found.append(Mutant(function, was, becomes, texts[1]))
    return found


def _difference(old: list[str], new: list[str]) -> tuple[str, str, set[int]]:
    """Return the removed and the added lines, each joined, and the places of the removed ones."""
    was, becomes, places = [], [], set()
    for line in list(difflib.unified_diff(old, new, n=0, lineterm=""))[2:]:
        if line.startswith("@@"):
            first, count = re.findall(r"-(\d+),?(\d*)", line)[0]
            places |= {int(first) - 1 + more for more in range(max(1, int(count or 1)))}
        else:
            (was if line.startswith("-") else becomes).append(line[1:].strip())
    return " ".join(was), " ".join(becomes), places


def refused_by_types(made: Iterable[Mutant], sources: Mapping[str, str], place: Path) -> set[int]:
    """Return the indices in `made` of the mutants that mypy rejects.

    Each mutant is written, under another name, after the function that it is a mutant of.  So is an
    unchanged copy, because some statements are rejected in any function of another name.
    """
    place.mkdir(parents=True, exist_ok=True)
    core = place / CORE
    shutil.rmtree(core, ignore_errors=True)
    shutil.copytree(ROOT / CORE, core, ignore=shutil.ignore_patterns("__pycache__"))
    copies: dict[str, dict[Function, list[tuple[int, str]]]] = defaultdict(dict)
    for number, mutant in enumerate(made):
        function = mutant.function
        copies[function.module].setdefault(function, []).append((number, mutant.code))
    owners: dict[tuple[str, int], tuple[Function, int]] = {}
    for module, some in copies.items():
        text = _with_copies(sources[module], some)
        (core / module).write_text(text, "utf-8")
        for function, (number, first, last) in _places(module, text, some):
            owners |= {(module, line): (function, number) for line in range(first, last + 1)}
    messages: dict[tuple[Function, int], set[str]] = defaultdict(set)
    for module, line, words in _errors(core, place):
        if (module, line) in owners:
            messages[owners[module, line]].add(words)
    return {
        number
        for (function, number), words in messages.items()
        if number >= 0 and words - messages.get((function, -1), set())
    }


def _with_copies(source: str, some: Mapping[Function, list[tuple[int, str]]]) -> str:
    lines = source.splitlines(keepends=True)
    nodes = {
        node.lineno: node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    for function in sorted(some, key=lambda each: -each.line):
        node = nodes[function.line]
        first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
        indent = lines[node.lineno - 1][: node.col_offset]
        decorators = "".join(lines[first - 1 : node.lineno - 1])
        # The text of a string may begin further left, so that nothing is common to all lines.
        plain = "".join(line.removeprefix(indent) for line in function.text.splitlines(True))
        texts = [(-1, plain), *some[function]]
        copied = []
        for number, code in texts:
            name = f"def {function.bare}{MARK}{number + 1}"
            renamed = re.sub(rf"def {function.bare}\b", name, code, count=1).strip("\n")
            copied.append(f"\n{decorators}{_indented(renamed, indent)}\n")
        lines.insert(node.end_lineno or 0, "".join(copied))
    return "".join(lines)


def _indented(code: str, indent: str) -> str:
    """Indent code, except for the lines inside a string of several lines."""
    inside = {
        line
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno
        for line in range(node.lineno + 1, node.end_lineno + 1)
        if isinstance(node, ast.JoinedStr) or isinstance(node.value, str)
    }
    return "\n".join(
        line if number in inside else indent + line
        for number, line in enumerate(code.split("\n"), 1)
    )


def _places(
    module: str, text: str, some: Mapping[Function, list[tuple[int, str]]]
) -> Iterable[tuple[Function, tuple[int, int, int]]]:
    owners = {number: function for function, made in some.items() for number, _ in made}
    last: dict[str, Function] = {each.name: each for each in some}
    for copy in functions(module, text):
        name, mark, number = copy.name.rpartition(MARK)
        if mark:
            end = copy.line + copy.text.count("\n")
            function = owners[int(number) - 1] if int(number) else last[name]
            yield function, (int(number) - 1, copy.line, end)


def _errors(core: Path, place: Path) -> Iterable[tuple[str, int, str]]:
    done = subprocess.run(  # noqa: S603 - arguments of our own
        [
            *(sys.executable, "-m", "mypy", "--config-file", str(ROOT / "mutation" / "mypy.ini")),
            *("--output=json", "--cache-dir", str(place / "mypy"), str(core)),
        ],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in {0, 1}:
        raise RuntimeError(f"mypy failed on the mutants:\n{done.stdout}{done.stderr}")
    for line in done.stdout.splitlines():
        if not line.startswith("{"):
            continue  # a message of mypy about itself
        error = json.loads(line)
        if error["severity"] == "error":
            path = (place / error["file"]).resolve().relative_to(core.resolve())
            # Copies have different names and lines, which must not count as a difference.
            words = re.sub(rf"{MARK}\d+|\d+", "", error["message"])
            yield path.as_posix(), error["line"], words
