"""Runs mutmut on a copy of the checkout, one module of the core at a time."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parent.parent
CORE: Final = ROOT / "src" / "cogwire"

#: The first round runs the conformance cases and what sees the messages of errors; the second, on
#: what has survived, the tests of the core that are about the module.
CORPUS: Final = "mutation/test_corpus.py"
MESSAGES: Final = ("tests/core/test_error_messages.py", "tests/spec/test_error_entries.py")
#: Cases whose dialect and op hold this; for other modules all.
CASES: Final = {
    "_batch": "batch",
    "_elements": "elements",
    "_json": "parse",
    "_markers": "parse",
    "_messages": "messages",
    "_parser": "parse",
    "_scanner": "parse",
    "_shapes": "parse",
}
TESTS: Final = {
    "_batch": "batch batch_dialects",
    "_blocks": "",
    "_bodies": "bodies bodies_alone messages_of_errors render_dialects messages_dialects",
    "_elements": "messages_of_elements elements_taken elements",
    "_json": "json_cuts messages_of_errors limits",
    "_markers": "markers marker_sets fifth_dialect",
    "_messages": "messages_of_changes messages messages_dialects messages_of_elements history",
    "_parser": "parser bodies messages_of_errors json_cuts snapshot_refused snapshot",
    "_scanner": "scanner_soundness scanner parser",
    "_shapes": "shapes messages_of_errors rulings rulings_delimiter",
}
MODULES: Final = tuple(TESTS)

#: What the tests read besides the core.
_FOLDERS: Final = ("conformance", "examples", "mutation", "spec", "tests", "website")
_FILES: Final = ("README.md",)
_CONFIGURATION: Final = """
[tool.mutmut]
source_paths = ["src/cogwire"]
only_mutate = ["src/cogwire/{module}.py"]
also_copy = {also}
pytest_add_cli_args = ["-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov"]
pytest_add_cli_args_test_selection = {tests}
"""
_TYPES: Final = """\
type_check_command = ["mypy", "--config-file=mutation/mypy.ini", "--output=json", "src/cogwire"]
"""
#: The kinds of end that a mutant finds, as mutmut names them.
_KILLED: Final = ("killed", "timeout", "segfault", "suspicious")
_ALIVE: Final = ("survived", "no tests")


class MutmutError(RuntimeError):
    """Mutmut could not run; the message says where its log is."""


class Mutant(NamedTuple):
    """A change of one function: what stood there, and what stands there now."""

    function: str
    was: str
    becomes: str

    def text(self) -> str:
        """Return it in one line, for people."""
        return f"{self.function}: {self.was} -> {self.becomes}"


class Outcome(NamedTuple):
    """What became of the mutants of a module."""

    module: str
    mutants: int
    by_types: int
    by_cases: int
    by_tests: int
    survivors: tuple[Mutant, ...]


def digest(module: str) -> str:
    """Return the SHA-256 of a module's source, in hexadecimal digits."""
    return hashlib.sha256((CORE / f"{module}.py").read_bytes()).hexdigest()


def mutate(module: str, place: Path, children: int, functions: Sequence[str] = ()) -> Outcome:
    """Mutate a module, or these functions of it, and run both rounds in the new folder `place`."""
    names = [pattern(module, name) for name in functions]
    tests = [CORPUS, *MESSAGES]
    first = Round(place / "1", module, tests, has_types=True)
    try:
        first.run(children, names)
    except MutmutError:
        # A mutant may break the types of what stands around it, which mutmut cannot place.
        first = Round(place / "1", module, tests, has_types=False)
        first.run(children, names)
    ends = {name: end for name, end in first.ends().items() if end != "not checked"}
    counts = Counter(ends.values())
    alive = [name for name, end in ends.items() if end in _ALIVE]
    if alive and TESTS[module]:
        second = Round(place / "2", module, tests_of(module), has_types=False)
        second.run(children, alive)
        now = second.ends()
        alive = [name for name in alive if now[name] in _ALIVE]
    killed = sum(counts[kind] for kind in _KILLED)
    by_types = counts["caught by type check"]
    return Outcome(
        module,
        len(ends),
        by_types,
        killed,
        len(ends) - by_types - killed - len(alive),
        tuple(sorted(first.change(name) for name in alive)),
    )


def tests_of(module: str) -> list[str]:
    """Return the test files of the second round, as paths from the root."""
    return [f"tests/core/test_{name}.py" for name in TESTS[module].split()]


class Round:
    """One run of mutmut, in a folder of its own."""

    def __init__(self, place: Path, module: str, tests: Sequence[str], *, has_types: bool) -> None:
        self._place = place
        self._module = module
        self._environment = _environment(module)
        if place.exists():
            shutil.rmtree(place)
        for folder in ("src", *_FOLDERS):
            shutil.copytree(ROOT / folder, place / folder, ignore=_ignored)
        for file in _FILES:
            shutil.copy(ROOT / file, place / file)
        configuration = _CONFIGURATION.format(
            module=module,
            also=json.dumps(["src/cogwire_kit", *_FOLDERS, *_FILES]),
            tests=json.dumps(list(tests)),
        )
        project = (ROOT / "pyproject.toml").read_text("utf-8")
        text = project + configuration + (_TYPES if has_types else "")
        (place / "pyproject.toml").write_text(text, "utf-8")

    def run(self, children: int, names: Iterable[str] = ()) -> None:
        """Run the tests on the mutants of these names, or on all; raise where mutmut fails."""
        log = self._place / "log.txt"
        with log.open("w") as output:
            done = subprocess.run(  # noqa: S603 - arguments of our own
                [*_MUTMUT, "run", "--max-children", str(children), *names],
                cwd=self._place,
                env=self._environment,
                stdout=output,
                stderr=subprocess.STDOUT,
                check=False,
            )
        if done.returncode:
            raise MutmutError(f"mutmut failed on {self._module}; see {log}")

    def ends(self) -> dict[str, str]:
        """Return what became of each mutant."""
        lines = self._ask("results", "--all", "true").splitlines()
        pairs = (line.strip().rsplit(": ", 1) for line in lines if "__mutmut_" in line)
        return dict(pairs)

    def change(self, name: str) -> Mutant:
        """Return what a mutant changes."""
        lines = self._ask("show", name).splitlines()
        was = [line[1:].strip() for line in lines if line.startswith("-") and line[:3] != "---"]
        new = [line[1:].strip() for line in lines if line.startswith("+") and line[:3] != "+++"]
        return Mutant(function(name), " ".join(was), " ".join(new))

    def _ask(self, *arguments: str) -> str:
        return subprocess.run(  # noqa: S603 - arguments of our own
            [*_MUTMUT, *arguments],
            cwd=self._place,
            env=self._environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout


_MUTMUT: Final = (sys.executable, "-m", "mutmut")
_ignored = shutil.ignore_patterns("__pycache__", ".build", ".cogency-*", "node_modules", "mutants")


def _environment(module: str) -> dict[str, str]:
    return {
        **os.environ,
        "HYPOTHESIS_PROFILE": "few",
        "MUTATION_CASES": CASES.get(module, ""),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
    }


def pattern(module: str, function: str) -> str:
    """Return the pattern of the names of the mutants of a function."""
    *classes, name = function.split(".")
    mangled = f"xǁ{'.'.join(classes)}ǁ{name}" if classes else f"x_{name}"
    return f"cogwire.{module}.{mangled}__mutmut_*"


def function(name: str) -> str:
    """Return the qualified name of the function that a mutant's name tells.

    `cogwire._batch.xǁBatchǁtake__mutmut_3` is one of `Batch.take`.
    """
    mangled = name.rsplit(".", 1)[1].rsplit("__mutmut_", 1)[0]
    return ".".join(mangled.split("ǁ")[1:]) if "ǁ" in mangled else mangled.removeprefix("x_")
