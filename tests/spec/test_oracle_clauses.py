"""The executable spec states every clause that it can, says where, and shares nothing."""

import ast
import functools
import io
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

#: The clauses that cannot be stated as a function of a whole value, and why.
UNSTATED = {
    "a text is read as a whole, without chunks and deltas": (
        "m-law-chunking m-law-modes m-chunks m-delta-empty m-mode-calls m-raw-deltas"
    ),
    "when something comes, and what waits": (
        "m-law-prompt m-hold-back m-prompt-events m-prompt-segments m-prompt-grammar "
        "m-prompt-values fd-found-cuts m-call-delta-prompt dl-hold-boundary dl-hold-results"
    ),
    "work and memory": "m-law-linear m-memory conv-memory val-declaring-bounded",
    "the surface of a parser and of a batch: kinds of chunks, clocks, snapshots, misuse": (
        "m-law-resumable m-chunk-kinds m-chunk-mixed m-stop-early m-clock m-limit-values "
        "m-snapshot m-snapshot-pending m-snapshot-trust m-misuse m-close-twice b-clock "
        "b-outcome-earlier val-finite"
    ),
    "what a system does: it runs calls, answers them and stores the answers": (
        "m-law-accident fd-found-run m-call-delta-display m-transcript-run xe-sequential dl-sequential "
        "b-parallel b-sequential b-sequential-late b-sequential-next b-begun-once "
        "b-fault-tolerant b-problems b-exception b-exception-message "
        "b-exception-group b-value b-value-converted b-value-place "
        "b-timeout b-timeout-set b-run-cancelled b-answer-behind b-answer-before-cancelled "
        "val-not-run val-alone "
        "val-failure conv-detect-run"
    ),
    "transcripts, spans and writing in formats of which the executable spec reads one turn": (
        "tr-transcript tr-results tr-span tr-llama-span tr-write tr-mistral-write tr-llama-write tr-qwen-write "
        "tr-glm-write fd-ends-transcript fd-span fd-write fd-write-parts fd-write-refused fd-write-types "
        "fd-write-raw fd-no-result-transcript fd-no-result-write fd-no-result-from fd-no-result-to"
    ),
    "which descriptions are refused: the executable spec reads with those that are not": (
        "fd-refused fd-marker fd-damaged fd-literal fd-literals-marks fd-member-names fd-tags-types-distinct fd-tags-key "
        "fd-tags-item fd-tags-item-name "
        "fd-header-template fd-bare-payload fd-bare-alone fd-bare-semicolon fd-tags-raw-alone "
        "fd-apart-brace fd-apart-closer fd-apart-skip fd-apart-think fd-closer-line "
        "fd-braces fd-head-distinct fd-head-fields fd-tags-name-end fd-tags-types-alone fd-tags-words "
        "fd-header-apart fd-header-plain"
    ),
    "where a prompt ends: the executable spec reads what follows": "fd-start-of",
    "the types of values in formats by description, of which the executable spec reads texts": (
        "fd-tags-types fd-tags-null fd-tags-python fd-tags-tree"
    ),
    "the words for a person or a model": (
        "err-message err-message-empty err-message-helpful err-message-cancelled xe-messages "
        "val-message val-message-hints val-refusal val-draft-warning val-elements-warning tr-qwen-warning"
    ),
    "what an application does with a history that it cuts off": "msg-exchange-id-own",
    "where the turns of a conversion begin, which its op does not say": "conv-start",
    "what an application gives to a chat template": "msg-neutralise-template",
    "what an implementation leaves out on request": (
        "msg-lenient msg-lenient-report msg-lenient-result"
    ),
    "other forms in which an implementation may take tools": "val-shapes val-functions val-foreign",
    "schemas that an implementation gives away": "val-block-schema",
}


def clauses(page):
    """Return the ids of the clauses of a page."""
    return CLAUSE.findall(page.read_text("utf-8"))


EVERY = {clause for page in PAGES for clause in clauses(page)}
LEFT_OUT = {clause for named in UNSTATED.values() for clause in named.split()}


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
    assert sum(len(each.split()) for each in UNSTATED.values()) == len(LEFT_OUT)
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
