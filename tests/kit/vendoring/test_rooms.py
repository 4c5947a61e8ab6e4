"""The rooms of the core are what `rooms.py` declares: every import of every file is held against it.

That no file uses a private name of another is what pyright says of it (`reportPrivateUsage`).
"""

import ast
import functools
import itertools
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import cogwire
from cogwire_kit.vendoring import rooms
from tests.rows import rows

pytestmark = pytest.mark.verify

CORE = Path(cogwire.__path__[0])
FILES = [path for path in rooms.files_in(CORE) if path.endswith(".py")]
BY_NAME = {room.name: room for room in rooms.ROOMS}


class Import(NamedTuple):
    """One import: where it is, which file it reaches, or the outside module that it names."""

    path: str
    reached: str | None
    module: str
    names: tuple[str, ...]
    is_for_types: bool
    #: Whether a copy may lack the file, so that type checkers do not see the import.
    is_optional: bool


@functools.cache
def tree(path):
    return ast.parse((CORE / path).read_text("utf-8"))


@functools.cache
def imports(path):
    return list(_imports(path))


def _imports(path):
    for_types, optional = guarded(path)
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(path, None, alias.name, (), id(node) in for_types, False)
        elif isinstance(node, ast.ImportFrom):
            names = tuple(alias.name for alias in node.names)
            for reached in reaches(path, node) if node.level else [None]:
                guards = id(node) in for_types, id(node) in optional
                yield Import(path, reached, node.module or "", names, *guards)


def guarded(path):
    """Return the nodes that only type checkers see, and those that only they do not see."""
    for_types, optional = set(), set()
    for guard in ast.walk(tree(path)):
        if isinstance(guard, ast.If) and ast.unparse(guard.test) == "TYPE_CHECKING":
            seen, unseen = guard.body, guard.orelse
        elif isinstance(guard, ast.If) and ast.unparse(guard.test) == "not TYPE_CHECKING":
            seen, unseen = guard.orelse, guard.body
        else:
            continue
        for_types |= {id(node) for statement in seen for node in ast.walk(statement)}
        optional |= {id(node) for statement in unseen for node in ast.walk(statement)}
    return for_types, optional


def reaches(path, node):
    """Return the files of the package that a relative import names."""
    folder = (CORE / path).parents[node.level - 1]
    target = folder.joinpath(*(node.module or "").split(".")) if node.module else folder
    if target.with_suffix(".py").is_file():
        return [target.with_suffix(".py").relative_to(CORE).as_posix()]
    below = [target / f"{alias.name}.py" for alias in node.names]
    found = [each for each in below if each.is_file()] or [target / "__init__.py"]
    return [each.relative_to(CORE).as_posix() for each in found]


def imported_by_name(path):
    """Yield the outside modules that a file imports by calling a function."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            name = node.args[0]
            if isinstance(name, ast.Constant):
                yield name.value
            else:  # of the package itself, by a name that is relative to it
                assert ast.unparse(name).startswith("f'."), (path, ast.unparse(node))
                assert len(node.args) == 2


ALL_IMPORTS = [each for path in FILES for each in imports(path)]
INSIDE = [each for each in ALL_IMPORTS if each.reached is not None]


def test_the_imports_are_found():
    """The tests below would hold of no imports at all."""
    assert len(INSIDE) > 150
    found = {(each.path, each.reached) for each in INSIDE}
    assert ("parser/parser.py", "wire/dialects.py") in found
    assert ("wire/frames/tags.py", "wire/frames/machine.py") in found
    assert ("wire/dialects.py", "wire/trained/catalogue.py") in found


# --- The declaration ----------------------------------------------------------------------------


def test_each_file_belongs_to_one_room_and_each_room_has_files():
    assert len(BY_NAME) == len(rooms.ROOMS)
    of = {path: rooms.room_of(path).name for path in rooms.files_in(CORE)}
    assert set(of.values()) == set(BY_NAME)
    for room in rooms.ROOMS:
        assert all((CORE / path).exists() for path in room.paths), room.name


def test_a_file_without_a_room_is_refused():
    with pytest.raises(LookupError, match=r"lobby\.py belongs to no room"):
        rooms.room_of("lobby.py")


def test_rooms_import_in_one_direction():
    order = [room.name for room in rooms.ROOMS]
    for index, room in enumerate(rooms.ROOMS):
        for name in room.imports:
            assert name in order[:index], f"{room.name} imports {name}, which is after it"
            assert BY_NAME[name].floor <= room.floor
    assert [room.floor for room in rooms.ROOMS] == sorted(room.floor for room in rooms.ROOMS)
    assert rooms.ROOMS[-1].floor <= 5


def test_few_names_are_at_the_top_level():
    names = {path.partition("/")[0] for path in rooms.files_in(CORE)}
    assert len(names - {"__init__.py", "__main__.py", "py.typed"}) <= 9


@rows("closure", list(rooms.CLOSURES))
def test_a_closure_contains_the_imports_of_its_rooms(closure):
    chosen = rooms.CLOSURES[closure]
    for name in chosen:
        assert set(BY_NAME[name].imports) <= set(chosen), name


def test_each_closure_contains_the_smaller_ones_and_the_last_is_everything():
    closures = {name: {*chosen} for name, chosen in rooms.CLOSURES.items()}
    for side in ("formats", "protocol"):
        for smaller, larger in itertools.pairwise(("parse", "dialects", "agent", side, "all")):
            assert closures[smaller] < closures[larger]
    assert closures["all"] == {*BY_NAME} - {"command"}
    assert {*rooms.files_of(CORE, "all")} == {*rooms.files_in(CORE)} - {"__main__.py"}


# --- The imports --------------------------------------------------------------------------------


@rows("name", list(BY_NAME))
def test_a_room_imports_exactly_the_rooms_that_it_declares(name):
    """For types alone it may name what is before it, and the package names everything."""
    found, for_types = set(), set()
    for each in INSIDE:
        if rooms.room_of(each.path).name == name and not each.is_optional:
            reached = rooms.room_of(each.reached).name
            (for_types if each.is_for_types else found).add(reached)
    assert found - {name} == set(BY_NAME[name].imports)
    floor = BY_NAME[name].floor
    assert for_types <= {room.name for room in rooms.ROOMS if room.floor <= floor}


def test_no_import_is_for_types_only_except_in_the_package_itself():
    """It names what it imports when it is first used; elsewhere such an import would hide a circle."""
    where = {each.path for each in INSIDE if each.is_for_types}
    assert {path for path in where if not path.startswith("wire/blocks/")} <= {
        *("__init__.py", "tooling.py", "aio.py"),
    }


def test_imports_that_a_copy_may_lack_are_in_few_places():
    where = {each.path for each in INSIDE if each.is_optional}
    assert where == {"__init__.py", "wire/dialects.py", "wire/writing.py"}


def circle(edges):
    """Return files that import each other, the first of which imports the last, if there are any."""
    open_, done = [], set()

    def visit(path):
        if path in open_:
            return [*open_[open_.index(path) :], path]
        if path not in done:
            open_.append(path)
            for reached in sorted(edges.get(path, ())):
                if found := visit(reached):
                    return found
            done.add(open_.pop())
        return []

    return next(filter(None, map(visit, edges)), [])


def test_no_imports_are_circular():
    """Whether they are made at once, or late, or for types alone."""
    edges = {}
    for each in INSIDE:
        edges.setdefault(each.path, set()).add(each.reached)
    assert circle(edges) == []
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]


@rows("path", FILES)
def test_a_file_imports_the_standard_library_and_the_package_itself(path):
    for each in imports(path):
        if each.reached is None:
            assert each.module.partition(".")[0] in sys.stdlib_module_names, each
    outside = {name.partition(".")[0] for name in imported_by_name(path)}
    assert outside <= set(rooms.room_of(path).outside)


def test_imports_declared_as_external_are_external():
    for room in rooms.ROOMS:
        files = [path for path in FILES if rooms.room_of(path).name == room.name]
        found = {name.partition(".")[0] for path in files for name in imported_by_name(path)}
        assert found == set(room.outside), room.name
