"""The corpus: the form of its cases, and what it has to hold.

Tests go by file, and name the cases in what they say.
"""

import ast
import itertools
import json
import re
import sys
from collections import Counter, defaultdict
from itertools import takewhile
from pathlib import Path
from typing import get_args

import pytest
from conformance import formatting

from cogwire import events
from cogwire.conversion.convert import DifferenceCode
from cogwire.tools.problems import ProblemCode
from cogwire.turns.changes import ChangeCode
from cogwire_kit.conformance import corpus, formats, probes
from tests import oracle, schemas
from tests.kit.cli.running import stored
from tests.kit.conformance.cases import (
    CASES,
    DIALECTS,
    cases_of,
    dialects_of_codes,
    each_file,
    errors,
    judge,
    outcomes,
)
from tests.kit.conformance.helpers import run, verdicts
from tests.oracle import answering
from tests.oracle.block import DEFAULT_LIMITS
from tests.rows import rows

ROOT = corpus.PLACE.parent
CLAUSES = corpus.clauses()
CLASSES = json.loads((corpus.PLACE / "classes.json").read_text("utf-8"))
UNTESTED = json.loads((corpus.PLACE / "untested.json").read_text("utf-8"))
LEVELS = ("must", "should", "may")


# --- Form -------------------------------------------------------------------------------------


@pytest.mark.verify
@rows("path", formatting.files())
def test_a_file_is_in_the_one_form(path):
    """`python -m conformance.formatting` brings it into it."""
    text = path.read_bytes().decode("utf-8")
    assert formatting.formatted(text) == text


def test_numbers_are_kept_as_they_are_written():
    written = "[\n  1.50,\n  1e400,\n  -0\n]\n"
    assert formatting.formatted("[1.50, 1e400, -0]") == written


@rows("text", ['{"a": 1, "a": 1}', "[NaN]", "[1,]", "[-Infinity]"])
def test_a_value_that_is_not_strict_json_has_no_form(text):
    with pytest.raises(ValueError, match=r"."):
        formatting.formatted(text)


@each_file
def test_cases_fit_the_schema(path):
    judge(
        f"{case.id}: {fault}"
        for case in cases_of(path)
        for fault in schemas.faults("case", case.data)
    )


@each_file
def test_cases_have_descriptions(path):
    judge(f"{case.id}: {fault}" for case in cases_of(path) for fault in misnomers(path, case))


def misnomers(path, case):
    data = case.data
    prefix = max((name for name in DIALECTS if case.id.startswith(f"{name}-")), key=len)
    if not case.dialect == prefix == path.parent.name:
        yield "another dialect by its id, by its folder or by itself"
    if unknown := [name for name in data["clauses"] if name not in CLAUSES]:
        yield f"no such clause: {unknown}"
    elif data["level"] != min((CLAUSES[name].level for name in data["clauses"]), key=LEVELS.index):
        yield "not the highest level of its clauses"
    if data["requires"] != corpus.required(case):
        yield f"requires {corpus.required(case)}"
    if unknown := [name for name in data["flags"] if name not in CLASSES and name != "example"]:
        yield f"no such class: {unknown}"
    if "example" in data["flags"] and len(data["flags"]) > 1:
        yield "a plain example with a class"
    if re.search(r"\bshould\b", data["title"]):
        yield "a title says what holds"
    if data["why"].rstrip(".").casefold() == data["title"].casefold():
        yield "why it matters is not that it holds"
    if "://" in data["title"] + data["why"]:
        yield "a link"
    if unknown := {other["clause"] for other in data.get("also", [])} - CLAUSES.keys():
        yield f"also by no such clause: {unknown}"


def test_no_two_cases_ask_the_same():
    asked = defaultdict(list)
    for case in CASES:
        members = ("input", "turns", "options", "request", "growth")
        question = [corpus.expanded(case.data.get(name), 7) for name in members]
        asked[repr((case.dialect, case.op, question))].append(case.id)
    judge(f"{first}: as {others}" for first, *others in asked.values() if others)


def test_no_two_cases_of_a_dialect_have_one_title():
    titles = Counter((case.dialect, case.data["title"]) for case in CASES)
    judge(f"{dialect}: {title}" for (dialect, title), count in titles.items() if count > 1)


# --- Twins ------------------------------------------------------------------------------------


def is_invalid(case):
    return "refused" in case.data["expect"] or bool(errors(case))


@each_file
def test_exactly_the_invalid_cases_have_twins(path):
    judge(case.id for case in cases_of(path) if is_invalid(case) != ("twin" in case.data))


@pytest.mark.verify
@each_file
def test_a_twin_differs_in_one_thing(path):
    judge(f"{c.id}: {fault}" for c in cases_of(path) if "twin" in c.data for fault in excess(c))


def excess(case):
    """Yield how a twin differs more than it may: a request in one member, a text not in all."""
    wrong, right = case.data.get("input"), case.data["twin"]
    if case.op != "parse":
        wrong = case.data["request"]
        different = [name for name in {**wrong, **right} if wrong.get(name) != right.get(name)]
        if len(different) != 1:
            yield f"differs in {different}"
    elif "turns" in case.data:
        pairs = zip(case.data["turns"], right, strict=True)
        if sum(one != other for one, other in pairs) != 1:
            yield "differs in more turns than one"
    else:
        size = case.data.get("growth", {}).get("small", 0)
        texts = [corpus.expanded(one, size) for one in (wrong, right)]
        if isinstance(texts[0], bytes) or isinstance(texts[1], bytes):
            texts = [one if isinstance(one, bytes) else one.encode("utf-8") for one in texts]
        head = len(begun(*texts))
        rests = [text[head:] for text in texts]
        tail = len(begun(*(rest[::-1] for rest in rests)))
        edit = min(len(rest) - tail for rest in rests)
        if texts[0] == texts[1] or (edit > EDIT and isinstance(wrong, str)):
            yield f"differs in {edit} characters"


#: The most characters that are removed from an invalid text, or put there instead.
EDIT = 80


def begun(one, other):
    """Return what two texts have in common at their beginning."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return one[: sum(1 for _ in same)]


# --- Turns in described formats ---------------------------------------------------------------


TURNS = [
    *(case for _, case in (*formats.turns(), *formats.turns(name=formats.WRITTEN))),
    *formats.refusals(),
]
FILES = {*corpus.PLACE.glob("described/*.json")} - {corpus.PLACE / "described" / "refused.json"}


@rows("path", sorted(FILES))
def test_turns_fit_the_schema_and_have_ids_and_clauses(path):
    for group in corpus.array(path):
        named = group["format"]
        name = named if isinstance(named, str) else named["name"]
        judge(f"{name}: {fault}" for fault in schemas.faults("turn-case", group))
        for case in group["cases"]:
            assert case["id"].startswith(f"{path.stem}-{name}-")
            assert set(case["clauses"]) <= CLAUSES.keys(), case["id"]


@rows("case", formats.refusals())
def test_a_description_that_is_refused_has_an_id_and_clauses_and_may_fit_the_schema(case):
    judge(schemas.faults("refused-case", case))
    assert case["id"].startswith("refused-")
    assert set(case["clauses"]) <= CLAUSES.keys()


def test_no_two_turns_have_one_id():
    assert max(Counter(case["id"] for case in TURNS).values()) == 1


def test_reasons_that_name_turns_are_of_the_clauses_that_turns_test():
    by_turns = {name for case in TURNS for name in case["clauses"]} - TESTED
    assert by_turns == {name for name, why in UNTESTED.items() if "conformance/described" in why}


# --- Coverage ---------------------------------------------------------------------------------

TESTED = {name for case in CASES for name in case.data["clauses"]}


@rows("page", sorted({clause.page for clause in CLAUSES.values()}))
def test_every_clause_has_a_case_or_a_reason(page):
    of_page = [clause for clause in CLAUSES.values() if clause.page == page]
    judge(
        f"{clause.id}: neither a case nor a reason"
        for clause in of_page
        if clause.level != "may" and not {clause.id} & (TESTED | UNTESTED.keys())
    )
    judge(f"{name}: a reason, and cases" for name in UNTESTED.keys() & TESTED)


def test_reasons_belong_to_clauses_and_name_existing_tests():
    judge(f"{name}: no such clause" for name in UNTESTED.keys() - CLAUSES.keys())
    for name, reason in UNTESTED.items():
        files = re.findall(r"tests/[\w/]+\.py", reason)
        source = "".join((ROOT / file).read_text("utf-8") for file in files)
        for function in re.findall(r"\btest_\w+\b(?!\.py)", reason):
            assert re.search(rf"def {function}\b", source), name
        if CLAUSES[name].level == "must":
            assert "Checked by " in reason, name


def test_reasons_quote_the_probes_of_their_clauses():
    """Each probe is named by the reason of its clause, and no reason names one that is gone."""
    probed = {("hello", "ad-hello-reply"), *((name, clause) for name, clause, _ in probes._PROBES)}
    judge(
        f"{name}: its reason does not name {clause}"
        for name, clause in probed
        if f"“{name}”" not in UNTESTED.get(clause, "")
    )
    known = {name for name, _ in probed}
    quoted = ((name, one) for name, why in UNTESTED.items() for one in re.findall("“(.*?)”", why))
    judge(f"{name}: there is no probe {one}" for name, one in quoted if one not in known)


def test_every_class_has_a_case_or_a_reason():
    texts = [case for name in formats.names() for case in formats.load(name).cases]
    flagged = {flag for case in [*CASES, *texts] for flag in case.data["flags"]}
    judge(
        name
        for name, described in CLASSES.items()
        if (name in flagged) == ("untested" in described)
    )
    judge(
        f"{name}: {described}"
        for name, described in CLASSES.items()
        if not {"title", "effect"} <= described.keys() <= {"title", "effect", "untested"}
        or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
        or described["title"].endswith(".")
        or not re.fullmatch(r"[A-Z0-9][^\n]*[^.]\.", described["effect"])
    )
    assert list(CLASSES) == sorted(CLASSES)
    assert list(UNTESTED) == sorted(UNTESTED)


def test_every_error_is_expected_in_every_dialect_that_has_it():
    expected = defaultdict(set)
    for case in CASES:
        for error in errors(case):
            expected[error["code"]].add(case.dialect)
    assert set(expected) == set(get_args(events.Code))
    assert dict(expected) == dialects_of_codes()


def test_every_problem_is_expected():
    assert {
        problem["code"]
        for case in CASES
        for outcome in outcomes(case)
        for problems in outcome.get("problems", [])
        for problem in problems
    } == set(get_args(ProblemCode))


@rows("op, codes", [("messages", ChangeCode), ("convert", DifferenceCode)])
def test_every_entry_of_a_report_is_expected(op, codes):
    found = {
        entry["code"]
        for case in CASES
        if case.op == op
        for outcome in outcomes(case)
        for entry in outcome.get("report", [])
    }
    assert found == set(get_args(codes)) - {"skipped"}  # no request asks for it


LIMITS = [
    (dialect, limit)
    for dialect in DIALECTS
    for limit in ("size", "calls", "depth", "digits")
    if (dialect, limit) != ("xml-elements", "digits")
]


@rows("dialect, limit", LIMITS)
def test_every_limit_is_tested_one_below_at_and_one_above(dialect, limit):
    room = {}
    for case in CASES:
        found = re.fullmatch(rf"{dialect}-(?:limit-)?{limit}-(below|at|above|over)", case.id)
        if found:
            assert case.options["limits"].keys() == {limit}
            left = case.options["limits"][limit] - used(dialect, limit, case.input)
            room[left] = [error["code"] for error in errors(case)]
    assert room == {1: [], 0: [], -1: [f"limit-{limit}"]}


def used(dialect, limit, text):
    """Return the least limit that a text keeps, by the executable specification."""

    def is_over(most):
        limits = DEFAULT_LIMITS._replace(**{limit: most})
        events = oracle.parse(text, dialect, limits=limits).events
        return any(event.get("code") == f"limit-{limit}" for event in events)

    return next(most for most in itertools.count(1) if not is_over(most))


@rows("limit", ["size", "calls", "depth", "digits"])
def test_every_default_of_a_limit_is_tested_at_and_above(limit):
    by_id = {case.id: case for case in CASES}
    for name, expected in (("at", []), ("above", [f"limit-{limit}"])):
        case = by_id[f"xml-json-limit-default-{limit}-{name}"]
        assert not case.options
        assert [error["code"] for error in errors(case)] == expected


def test_the_corpus_is_large_and_has_every_kind_of_input():
    assert len(CASES) >= 400
    assert {(case.dialect, case.op) for case in CASES} >= {
        (dialect, op) for dialect in DIALECTS for op in answering.OPS if op != "hello"
    }
    sent = [case.input for case in CASES if "input" in case.data and "growth" not in case.data]
    raw = [one for one in sent if isinstance(one, bytes)]
    assert sum("\ufffd" in one.decode("utf-8", "replace") for one in raw) > 9
    for part in ("\0", "\ufeff", "\r\n"):
        assert any(part in one for one in sent if isinstance(one, str)), part
    needs = {name for case in CASES for name in case.data["requires"]}
    # The executable specification has no parser to store.
    assert needs == {*answering.ABILITIES, "snapshot"}


# --- The page for strangers -------------------------------------------------------------------

README = (corpus.PLACE / "README.md").read_text("utf-8")


def block(language):
    return re.search(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)[1]


def test_the_page_shows_a_case_as_it_is():
    shown_case = json.loads(block("json"))
    (case,) = (case for case in CASES if case.id == shown_case["id"])
    assert shown_case == case.data


def test_the_page_shows_an_adapter_that_passes_what_it_claims(tmp_path):
    path = stored(tmp_path / "adapter.py", block("python"))
    report, output = run(tmp_path, [sys.executable, path], "--as-claimed", with_fresh=True)
    assert set(verdicts(report).values()) == {"pass"}
    assert "lacks prompt, close" in output


def test_the_page_names_existing_files():
    for name in re.findall(r"^\| `([\w.]+/?)", README.partition("## A case")[0], re.MULTILINE):
        assert (corpus.PLACE / name).exists(), name


@rows("folder", ["messages", "texts"])
def test_the_page_of_a_folder_has_the_members_of_each_table(folder):
    page = (corpus.PLACE / folder / "README.md").read_text("utf-8")
    described = re.findall(r"^\| `([\w-]+\.json)` \| (.*?) \|", page, re.MULTILINE)
    tables = {path.name: corpus.array(path) for path in (corpus.PLACE / folder).glob("*.json")}
    assert sorted(name for name, _ in described) == sorted(tables)
    for name, members in described:
        table = tables[name]
        found = {one: all(one in each for each in table) for each in table for one in each}
        assert found == {one.strip("()`"): "(" not in one for one in members.split(", ")}, name


def test_the_runner_takes_its_data_on_dialects_from_the_corpus():
    """No module of the runner asks for a dialect or a format by its name."""
    known = json.loads((corpus.PLACE / "corpus.json").read_text("utf-8"))["dialects"]
    assert set(known) == set(DIALECTS) == {case.dialect for case in CASES}
    names = {*known, *formats.names(), "xml", "delimiter"}
    for path in Path(corpus.__file__).parent.glob("*.py"):
        strings = {
            node.value
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        assert not strings & names, path.name
