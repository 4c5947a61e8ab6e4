"""Imports the parsers of a package without the rest of the package, which needs GPU libraries.

The imports of a package's `__init__` are skipped, and a module that is not installed is replaced by
a stub in which every name is an empty class, which is enough for annotations.
"""

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any


def leave_out(package: str, *, inside: Sequence[str], outside: Sequence[str] = ()) -> None:
    """Run only the `__init__` modules of `package` that are `inside`, and stub the `outside`."""
    sys.meta_path.insert(0, _Finder(package, inside, outside))


class _Finder(MetaPathFinder, Loader):
    def __init__(self, package: str, inside: Sequence[str], outside: Sequence[str]) -> None:
        self._package, self._inside, self._outside = package, inside, outside

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        del target
        if any(f"{name}.".startswith(f"{left}.") for left in self._outside):
            return ModuleSpec(name, self, is_package=True)
        if name.partition(".")[0] != self._package or name in self._inside:
            return None
        found = PathFinder.find_spec(name, path)
        if found and found.submodule_search_locations:
            bare = ModuleSpec(name, self, is_package=True)
            bare.submodule_search_locations = found.submodule_search_locations
            return bare
        return found

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Bare(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Run nothing."""


class _Bare(ModuleType):
    """A package whose names are its modules and stubs."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if self.__spec__ and self.__spec__.submodule_search_locations:
            try:
                return importlib.import_module(f"{self.__name__}.{name}")
            except ModuleNotFoundError:
                pass
        return _stand_in(name)


class _StandIn(type):
    """The metaclass of classes that have every attribute."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _stand_in(name)


def _stand_in(name: str) -> Any:
    return _StandIn(name, (), {"__get_pydantic_core_schema__": classmethod(_any_schema)})


def _any_schema(*_: object) -> Any:
    return importlib.import_module("pydantic_core.core_schema").any_schema()
