"""The executable spec states every clause that it can, says where, and shares nothing."""

import ast
import functools
import io
import json
import re
import sys
import tokenize
from pathlib import Path

from tests.rows import rows

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "tests" / "oracle").glob("*.py"))
PAGES = sorted((ROOT / "spec").glob("*.md"))

CLAUSE = re.compile(r"^\{: #(?P<id>[\w-]+) \.(?:must|should|may) \}$", re.MULTILINE)
NAME = r"(?:m|xj|xe|dl|tr|fd|err|res|b|msg|val|conv|prompt|ad|cf)(?:-[a-z0-9]+)+"
#: A comment line that contains only the ids of clauses.
NAMES = re.compile(rf"# {NAME}(?: {NAME})*")
SOME_NAME = re.compile(rf"(?<![\w-]){NAME}(?![\w-])")

#: The only library: it knows the metaschema of JSON Schema.
LIBRARIES = {"schemas.py": {"jsonschema"}}

#: The pages that do not define the outcome of a text, a value or a list of events.
OTHER_PAGES = {
    "adapter": "how an implementation is driven: the adapter here names what it keeps of it",
    "conformance": "how implementations are judged",
    "prompt": "the wording for a model, which each implementation chooses",
}

#: The clauses that cannot be stated as a function of a whole value, by the reason.
UNSTATED = json.loads((ROOT / "tests" / "oracle" / "unstated.json").read_text("utf-8"))


def clauses(page):
    """Return the ids of the clauses of a page."""
    return CLAUSE.findall(page.read_text("utf-8"))


EVERY = {clause for page in PAGES for clause in clauses(page)}
LEFT_OUT = {clause for named in UNSTATED.values() for clause in named}


@functools.cache
def comments(path):
    """Return the comments of a file by the numbers of their lines."""
    source = io.StringIO(path.read_text("utf-8"))
    tokens = tokenize.generate_tokens(source.readline)
    return {each.start[0]: each.string for each in tokens if each.type == tokenize.COMMENT}


def named_in(path):
    """Return the clauses that a file names, by the lines on which it does."""
    named_here = {line: each for line, each in comments(path).items() if NAMES.fullmatch(each)}
    return {line: comment[2:].split() for line, comment in named_here.items()}


def named():
    """Return the clauses that are named anywhere."""
    return {clause for path in FILES for line in named_in(path).values() for clause in line}


def functions(node, owners=()):
    """Yield the functions and methods in `node`, each with the nodes that contain it."""
    for inner in ast.iter_child_nodes(node):
        is_named = isinstance(inner, ast.FunctionDef) and not inner.name.startswith("__")
        if is_named:
            yield [*owners, inner]
        if isinstance(inner, ast.ClassDef) or is_named:
            yield from functions(inner, [*owners, inner])


def first_line(path, node):
    """Return the line on which the comment above a function or a class begins."""
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    while first - 1 in comments(path):
        first -= 1
    return first


@rows("path", FILES)
def test_every_named_id_is_a_clause(path):
    for line, comment in comments(path).items():
        for clause in SOME_NAME.findall(comment):
            assert clause in EVERY, f"{path.name}:{line}"


@rows("path", FILES)
def test_each_function_is_under_the_clauses_that_it_states(path):
    """Or the class or function around it does."""
    lines = named_in(path)
    bare = [
        f"{path.name}:{nodes[-1].lineno} {nodes[-1].name}"
        for nodes in functions(ast.parse(path.read_text("utf-8")))
        if not any(set(range(first_line(path, each), each.lineno)) & lines.keys() for each in nodes)
    ]
    assert bare == []


@rows("page", [page for page in PAGES if page.stem not in OTHER_PAGES])
def test_each_clause_is_stated_or_cannot_be(page):
    assert set(clauses(page)) - named() - LEFT_OUT == set()


def test_exceptions_are_clauses_and_are_not_stated():
    assert LEFT_OUT <= EVERY
    assert LEFT_OUT & named() == set()
    assert sum(map(len, UNSTATED.values())) == len(LEFT_OUT)
    assert OTHER_PAGES.keys() <= {page.stem for page in PAGES}


@rows("path", FILES)
def test_a_file_shares_nothing_with_the_core(path):
    """It imports the standard library and its siblings, and nothing by a computed name."""
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            roots = {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            roots = {(node.module or "").partition(".")[0]}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 1, node.lineno
            continue
        else:
            continue
        foreign = roots - sys.stdlib_module_names - LIBRARIES.get(path.name, set())
        assert foreign | roots & {"importlib", "runpy"} == set(), node.lineno
    assert "__import__" not in {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
