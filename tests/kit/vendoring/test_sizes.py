"""Nothing in `src` is longer than a reader holds in mind.  Lines are counted as they stand in the file."""

import ast
from pathlib import Path

from tests.rows import rows

SOURCE = Path(__file__).parents[3] / "src"
FILES = sorted(SOURCE.rglob("*.py"))

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def too_long(text, kind, limit):
    """Return what is longer than `limit` lines, with its lines."""
    found = [
        (node.name, node.end_lineno - node.lineno + 1)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, kind)
    ]
    return [(name, lines) for name, lines in found if lines > limit]


def test_there_are_files():
    assert len(FILES) > 80


@rows("path", FILES)
def test_no_file_class_or_function_is_long(path):
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= 500
    assert too_long(text, ast.ClassDef, 350) == []
    assert too_long(text, _FUNCTIONS, 60) == []


def test_what_is_long_is_found():
    body = "        pass\n" * 60
    text = f"class A:\n    def f(self):\n{body}"
    assert too_long(text, _FUNCTIONS, 60) == [("f", 61)]
    assert too_long(text, _FUNCTIONS, 61) == []
    assert too_long(text, ast.ClassDef, 61) == [("A", 62)]
