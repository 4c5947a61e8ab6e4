"""Runs cases and tests on mutants: each mutant in a fork of a process that is already set up."""

import __future__

import ast
import contextlib
import functools
import gc
import importlib
import os
import re
import resource
import signal
import sys
import time
import types
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from _pytest.runner import runtestprotocol

from mutation import cases
from mutation.functions import CORE, ROOT, Function
from mutation.mutants import Mutant

#: The tests of a mutant, shortest first, take at most this much processor time without it, in s.
MOST: Final = 30.0
#: How many times slower a mutant may be, and how many seconds it may take in addition.
SLOWER, GRACE = 10.0, 5.0
#: The limit of real time, in seconds, for a mutant that hangs, and that of memory, in bytes.
PATIENCE, MEMORY = 600, 4 << 30
ALIVE, DEAD, NOT_MADE = range(3)


def clock() -> float:
    """Return the processor time of this process and of those that have ended, in seconds.

    Other programs use none of it: a change is tested as well on a busy machine as on an idle one.
    """
    return sum(os.times()[:4])


# -- Mutants in place of functions ----------------------------------------------------------


@functools.cache
def _living() -> dict[tuple[str, str, int], types.FunctionType]:
    """Return the function objects of the core in this process, wherever they are referenced."""
    core = (ROOT / CORE).resolve()
    for path in sorted(core.rglob("*.py")):
        parts = ("cogwire", *path.relative_to(core).with_suffix("").parts)
        importlib.import_module(".".join(part for part in parts if part != "__init__"))
    found = {}
    for each in _objects():
        if isinstance(each, types.FunctionType):
            path = Path(each.__code__.co_filename)
            if path.is_relative_to(core):
                name = path.relative_to(core).as_posix()
                found[name, each.__qualname__, _line(each)] = each
    return found


def _objects() -> list[Any]:
    """Return the objects of this process, also what is frozen, which collections pass over."""
    gc.unfreeze()
    return gc.get_objects()


def _line(function: types.FunctionType) -> int:
    """Return the line of a function's `def`; its code begins at its first decorator."""
    lines = Path(function.__code__.co_filename).read_text("utf-8").splitlines()
    at = function.__code__.co_firstlineno
    while lines[at - 1 : at] and not re.match(r"\s*(async )?def ", lines[at - 1]):
        at += 1
    return at


def _caches() -> list[Any]:
    """Return the caches of the core, whose values were computed without a mutant."""
    cached = (functools._lru_cache_wrapper,)  # noqa: SLF001 - it has no public name
    return [
        each
        for each in _objects()
        if isinstance(each, cached) and str(each.__module__).startswith("cogwire.")
    ]


def _put(function: Function, code: str) -> types.FunctionType:
    """Replace the code of a function of this process by that of `code`; return the function."""
    there = _living()[function.module, function.name, function.line]
    *classes, _ = function.name.split(".")
    tree = ast.parse(code)
    # Inside a class, a method that uses `super()` gets the same closure.
    made = tree.body[0]
    if classes:
        outer = ast.ClassDef(classes[-1], [], [], [made], [], **_TYPE_PARAMETERS)
        tree.body = [ast.fix_missing_locations(outer)]
    flags = __future__.annotations.compiler_flag
    names: dict[str, Any] = dict(there.__globals__)
    exec(  # noqa: S102 - a mutant is code
        compile(tree, there.__code__.co_filename, "exec", flags, dont_inherit=True), names
    )
    new = vars(names[classes[-1]])[function.bare] if classes else names[function.bare]
    new = getattr(new, "__func__", new)
    there.__code__, there.__defaults__ = new.__code__, new.__defaults__
    there.__kwdefaults__ = new.__kwdefaults__
    return there


_TYPE_PARAMETERS: Final[dict[str, Any]] = {"type_params": []} if sys.version_info >= (3, 12) else {}


@contextlib.contextmanager
def watched(functions: Sequence[Function]) -> Iterator[set[Function]]:
    """Yield the set of those functions that were called since it was last cleared."""
    seen: set[Function] = set()
    before = []
    for function in functions:
        there = _living()[function.module, function.name, function.line]
        before.append((there, there.__code__, there.__defaults__, there.__kwdefaults__))
        tree = ast.parse("if 1:\n" + function.text if function.text[0] == " " else function.text)
        node = tree.body[0].body[0] if isinstance(tree.body[0], ast.If) else tree.body[0]
        node.decorator_list = []  # type: ignore[union-attr]
        name = f"cogwire_seen_{len(before)}"
        node.body.insert(0, ast.parse(f"{name}()").body[0])  # type: ignore[union-attr]
        there.__globals__[name] = functools.partial(seen.add, function)
        _put(function, ast.unparse(node))
    try:
        yield seen
    finally:
        for there, *rest in before:
            there.__code__, there.__defaults__, there.__kwdefaults__ = rest


# -- One fork for each mutant ---------------------------------------------------------------


def alive(
    mutants: Sequence[Mutant],
    holds: Callable[[Mutant], bool],
    seconds: Callable[[Mutant], float],
    children: int,
    until: float,
) -> tuple[list[Mutant], list[Mutant]]:
    """Return the mutants for which `holds` returns true, and those that were not reached.

    A mutant that cannot be put in place of its function is in neither list.
    """
    caches = _caches()
    waiting = list(reversed(mutants))
    running: dict[int, Mutant] = {}
    lives = []
    while running or (waiting and clock() < until):
        while waiting and len(running) < children and clock() < until:
            mutant = waiting.pop()
            running[_forked(mutant, holds, seconds(mutant), caches)] = mutant
        child, status = os.waitpid(-1, 0)
        mutant = running.pop(child)
        if os.waitstatus_to_exitcode(status) == ALIVE:
            lives.append(mutant)
    return lives, waiting


def _forked(
    mutant: Mutant, holds: Callable[[Mutant], bool], seconds: float, caches: Sequence[Any]
) -> int:
    child = os.fork()
    if child:
        return child
    end = NOT_MADE
    try:
        silence = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(silence, stream)
        limit = int(GRACE + SLOWER * seconds) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        signal.alarm(PATIENCE)
        _put(mutant.function, mutant.code)
        end = DEAD
        for cache in caches:
            cache.cache_clear()
        end = ALIVE if holds(mutant) else DEAD
    finally:
        os._exit(end)


# -- The rounds -----------------------------------------------------------------------------


def round_of_cases(
    mutants: Sequence[Mutant], children: int, until: float
) -> tuple[list[Mutant], list[Mutant]]:
    """Return the mutants that answer every case as before, and those that were not reached.

    If there is no time to find out which functions every case calls, no mutant is reached.
    """
    # Texts of formats call nothing else that is worth their time.
    asked = cases.asked(formats=any(each.function.module.startswith("wire/") for each in mutants))
    asking: dict[Function, list[cases.Asked]] = defaultdict(list)
    began = time.process_time()
    with watched(list({mutant.function for mutant in mutants})) as seen:
        for one in asked:
            if clock() > until:
                return [], list(mutants)
            seen.clear()
            for cache in _caches_once():
                cache.cache_clear()
            one.holds()
            for function in seen:
                asking[function].append(one)
    taken = time.process_time() - began

    def holds(mutant: Mutant) -> bool:
        return all(one.holds() for one in asking[mutant.function])

    return alive(mutants, holds, lambda _: taken, children, until)


@functools.cache
def _caches_once() -> list[Any]:
    return _caches()


def round_of_tests(
    mutants: Sequence[Mutant], children: int, until: float
) -> tuple[list[Mutant], list[Mutant], bool]:
    """Return the mutants under which every test that calls their function passes.

    Also return the mutants that were not reached, and whether the search for these tests was cut
    short: it takes at most half of the time, and begins with the tests nearest to the mutated
    functions.  With a time limit, the slow tests are left out.
    """
    plugin = _Rounds(mutants, children, until)
    os.environ["HYPOTHESIS_PROFILE"] = "few"
    options = [
        "-p",
        "no:terminal",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-p",
        "no:cov",
        "-s",
        *([] if until == float("inf") else ["-m", "not verify"]),
    ]
    code = pytest.main([*options, *map(str, plugin.files())], plugins=[plugin])
    if plugin.outcome is None:
        raise RuntimeError(f"pytest ended with {code}; do the tests pass without a mutant?")
    return *plugin.outcome, plugin.is_cut


def _words(path: str) -> set[str]:
    return set(re.findall("[a-z]+", path)) - {"src", "cogwire", "tests", "test", "core", "py"}


class _Rounds:
    """Replaces pytest's loop: runs each test once, and then again for each mutant, in a fork."""

    def __init__(self, mutants: Sequence[Mutant], children: int, until: float) -> None:
        self.outcome: tuple[list[Mutant], list[Mutant]] | None = None
        self._mutants = mutants
        self._children = children
        self._until = until
        self.is_cut = self._failed = False
        self._tests: dict[Function, list[tuple[float, Any]]] = defaultdict(list)

    def files(self) -> list[Path]:
        """Return the test files, those first whose names are most like the mutated modules."""
        tests = ROOT / "tests"
        found = [*(tests / "core").rglob("test_*.py"), *tests.glob("*/test_error_*.py")]
        found = [
            path for path in found if path.name != "test_corpus.py"
        ]  # the round of cases runs them
        wanted = set().union(*(_words(each.function.module) for each in self._mutants))
        near = {path: len(_words(str(path.relative_to(ROOT))) & wanted) for path in found}
        return sorted(found, key=lambda path: (-near[path], str(path)))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record that a test has failed."""
        self._failed |= report.failed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Find out what each test calls, and then run the mutants."""
        if session.testsfailed:
            return True
        self._trace(session)
        for tests in self._tests.values():
            tests.sort(key=lambda test: test[0])

        def holds(mutant: Mutant) -> bool:
            return all(self._passes(test) for test in self._chosen(mutant))

        def seconds(mutant: Mutant) -> float:
            return min(MOST, sum(seconds for seconds, _ in self._tests[mutant.function]))

        # If the tracing ended early, nothing is known of functions that no test has called so far.
        known = [each for each in self._mutants if not self.is_cut or self._tests[each.function]]
        lives, late = alive(known, holds, seconds, self._children, self._until)
        self.outcome = lives, [*late, *(each for each in self._mutants if each not in known)]
        return True

    def _trace(self, session: pytest.Session) -> None:
        now = clock()
        until = now + (self._until - now) / 2
        functions = list({mutant.function for mutant in self._mutants})
        with watched(functions) as seen:
            for item in session.items:
                if clock() > until:
                    self.is_cut = True
                    break
                seen.clear()
                for cache in _caches_once():
                    cache.cache_clear()
                started = time.process_time()
                if not self._passes(item):
                    raise RuntimeError(f"{item.nodeid} fails without a mutant")
                for function in seen:
                    self._tests[function].append((time.process_time() - started, item))

    def _chosen(self, mutant: Mutant) -> Iterator[pytest.Item]:
        total = 0.0
        for seconds, item in self._tests[mutant.function]:
            total += seconds
            if total > MOST:
                break
            yield item

    def _passes(self, item: pytest.Item) -> bool:
        self._failed = False
        runtestprotocol(item, log=True, nextitem=None)
        return not self._failed
