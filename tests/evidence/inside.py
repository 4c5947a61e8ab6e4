"""Where the core keeps a private name, in whatever module that is."""

import importlib
import pkgutil
from types import ModuleType

import cogwire


def holders(name: str) -> list[ModuleType]:
    """Return the modules of the core that have a name; there has to be one."""
    found = pkgutil.walk_packages(cogwire.__path__, "cogwire.")
    modules = [importlib.import_module(each.name) for each in found]
    having = [module for module in modules if name in vars(module)]
    assert having, f"the core has no {name}"
    return having
