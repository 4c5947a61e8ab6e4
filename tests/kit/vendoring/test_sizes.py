"""Nothing in `src` is longer than a reader holds in mind.  Lines are counted as they are."""

import ast
from pathlib import Path

SOURCE = Path(__file__).parents[3] / "src"
FILES = sorted(SOURCE.rglob("*.py"))

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def too_long(text, kind, limit):
    """Return the classes or functions with more than `limit` lines, each with its lines."""
    found = [
        (node.name, node.end_lineno - node.lineno + 1)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, kind)
    ]
    return [(name, lines) for name, lines in found if lines > limit]


def everywhere(kind, limit):
    return {
        (str(path.relative_to(SOURCE)), *found)
        for path in FILES
        for found in too_long(path.read_text("utf-8"), kind, limit)
    }


def test_no_file_is_long():
    assert len(FILES) > 80
    lines = {path: len(path.read_text("utf-8").splitlines()) for path in FILES}
    assert [(path.name, count) for path, count in lines.items() if count > 600] == []


def test_no_class_is_long():
    assert everywhere(ast.ClassDef, 450) == set()


def test_no_function_is_long():
    assert everywhere(FUNCTIONS, 60) == set()


def test_long_functions_classes_and_files_are_found():
    body = "        pass\n" * 60
    text = f"class A:\n    def f(self):\n{body}"
    assert too_long(text, FUNCTIONS, 60) == [("f", 61)]
    assert too_long(text, FUNCTIONS, 61) == []
    assert too_long(text, ast.ClassDef, 61) == [("A", 62)]
