"""Nothing in `src` is longer than a reader holds in mind, and no two classes have one name.

Lines are counted as they are.
"""

import ast
import functools
from collections import Counter
from itertools import chain
from pathlib import Path

import pytest

pytestmark = pytest.mark.verify

SOURCE = Path(__file__).parents[3] / "src"
FILES = sorted(SOURCE.rglob("*.py"))

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@functools.cache
def nodes_of(text):
    """Return the classes and functions of a text."""
    kinds = (ast.ClassDef, *FUNCTIONS)
    return [node for node in ast.walk(ast.parse(text)) if isinstance(node, kinds)]


def too_long(text, limits):
    """Return the classes and functions with more lines than their limit, each with its lines."""
    found = [
        (node.name, node.end_lineno - node.lineno + 1, limit)
        for node in nodes_of(text)
        for kind, limit in limits
        if isinstance(node, kind)
    ]
    return [(name, lines) for name, lines, limit in found if lines > limit]


def test_no_file_is_long():
    assert len(FILES) > 80
    lines = {path: len(path.read_text("utf-8").splitlines()) for path in FILES}
    assert [(path.name, count) for path, count in lines.items() if count > 600] == []


def test_no_two_classes_have_one_name():
    """But for the `Chunks` of each provider, since its bridge is the module that is named too."""
    nodes = chain.from_iterable(nodes_of(path.read_text("utf-8")) for path in FILES)
    names = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef))
    assert len(names) > 400
    assert [name for name, count in names.items() if count > 1] == ["Chunks"]


def test_no_class_and_no_function_is_long():
    limits = [(ast.ClassDef, 450), (FUNCTIONS, 60)]
    long = {path.name: too_long(path.read_text("utf-8"), limits) for path in FILES}
    assert {name: found for name, found in long.items() if found} == {}


def test_long_functions_and_classes_are_found():
    body = "        pass\n" * 60
    text = f"class A:\n    def f(self):\n{body}"
    assert too_long(text, [(FUNCTIONS, 60)]) == [("f", 61)]
    assert too_long(text, [(FUNCTIONS, 61), (ast.ClassDef, 62)]) == []
    assert too_long(text, [(ast.ClassDef, 61)]) == [("A", 62)]
