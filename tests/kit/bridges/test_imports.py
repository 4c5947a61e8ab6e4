"""What a bridge imports: the library that it is for, or none; without it, it names the package."""

import importlib
import re
import sys
from pathlib import Path

import pytest
import tomllib

from tests.rows import rows

#: Each bridge that needs a package, what it imports of it, and its extra.
NEEDED = [
    ("pydantic_ai", "pydantic_ai", "pydantic-ai"),
    ("langchain", "langchain_core", "langchain"),
    ("mcp", "mcp", "mcp"),
    ("ag_ui", "ag_ui", "ag-ui"),
]


@rows("name, package, extra", NEEDED)
def test_a_bridge_without_its_package_names_what_its_extra_installs(name, package, extra):
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text("utf-8"))
    requirement = project["project"]["optional-dependencies"][extra][-1]
    with pytest.MonkeyPatch.context() as patch:
        for module in [each for each in sys.modules if each.partition(".")[0] == package]:
            patch.delitem(sys.modules, module)
        patch.setitem(sys.modules, package, None)
        with pytest.raises(ImportError, match=re.escape(f"pip install '{requirement}'")):
            importlib.import_module(f"cogwire_kit.bridges.{name}")


@rows("name", ["openai", "responses", "anthropic", "sharegpt"])
def test_a_bridge_to_plain_messages_needs_no_package(name):
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(sys.modules, f"cogwire_kit.bridges.{name}", raising=False)
        for package in ("openai", "anthropic", "pydantic"):
            patch.setitem(sys.modules, package, None)
        importlib.import_module(f"cogwire_kit.bridges.{name}")
