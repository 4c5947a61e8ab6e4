"""The corpus: its form, what it has to hold, and each of its cases on the executable specification.

Tests go by file, and name the cases in what they say.
"""

import json
import re
import shutil
import sys
from collections import Counter, defaultdict
from functools import cache
from itertools import takewhile
from typing import get_args

import pytest
from jsonschema import Draft202012Validator

from cogwire import _convert, _events, _messages
from cogwire.tools.problems import ProblemCode
from cogwire_kit import _adapter
from cogwire_kit.conformance import clauses, corpus, normal, questions
from tests.kit.conformance import formatting, ledger
from tests.kit.conformance.helpers import SMALL, run, verdicts
from tests.oracle import answering

ROOT = corpus.PLACE.parent
CASES = corpus.load()
CLAUSES = clauses.clauses()
CLASSES = json.loads((corpus.PLACE / "classes.json").read_text("utf-8"))
UNTESTED = json.loads((corpus.PLACE / "untested.json").read_text("utf-8"))
SCHEMA = Draft202012Validator(json.loads((ROOT / "spec/schemas/case.schema.json").read_text()))
LEVELS = ("must", "should", "may")
#: The ops that read what may be wrong; the others take events, and an error may be one of them.
READING = ("parse", "from_messages")
DIALECTS = ("xml-json", "xml-elements", "delimiter", "delimiter-upper")
#: Megabytes, each of which takes the executable specification as long as all the others together.
LARGE = [case for case in CASES if "large" in case.data["flags"]]


@cache
def cases_of(path):
    return [corpus.Case(data) for data in json.loads(path.read_text("utf-8"))]


def named(path):
    return f"{path.parent.name}/{path.stem}"


each_file = pytest.mark.parametrize("path", corpus.case_files(), ids=named)


def judge(problems):
    """Fail with what was found, a line for each."""
    found = list(problems)
    assert not found, "\n".join(["", *found])


def outcomes(case):
    """Return what the case expects and what else it allows, of growth at the small size."""
    size = case.data.get("growth", {}).get("small", 0)
    expected = [case.data["expect"], *(other["expect"] for other in case.data.get("also", []))]
    return [corpus.expanded(one, size) for one in expected]


def turns(outcome):
    return outcome.get("turns", [outcome])


def events(case):
    """Return the events that the case expects to be read."""
    if case.op not in READING:
        return []
    return [event for turn in turns(outcomes(case)[0]) for event in turn.get("events", [])]


def errors(case):
    return [event for event in events(case) if event["type"] == "error"]


# --- Form -------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", formatting.files(), ids=named)
def test_a_file_is_in_the_one_form(path):
    """`python -m tests.kit.conformance.formatting` brings it into it."""
    text = path.read_bytes().decode("utf-8")
    assert formatting.formatted(text) == text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('"a\u00a0\u200b\u2028\u0085\u0301é"', r'"a\u00a0\u200b\u2028\u0085\u0301é"'),
        ('"\u212a\U0001ffff😀�"', r'"\u212a\ud83f\udfff😀�"'),
        (r'"\u0041\/\n\u0000"', r'"A/\n\u0000"'),
        ("[1.50, 1e400, -0]", "[\n  1.50,\n  1e400,\n  -0\n]"),
        ('[[{"a":[1,{}]}]]', '[\n  [\n    {"a": [1, {}]}\n  ]\n]'),
    ],
)
def test_what_cannot_be_seen_is_escaped_and_numbers_are_kept(text, line):
    assert formatting.formatted(text) == f"{line}\n"


@pytest.mark.parametrize("text", ['{"a": 1, "a": 1}', "[NaN]", "[1,]", "[-Infinity]"])
def test_what_is_no_strict_json_has_no_form(text):
    with pytest.raises(ValueError, match=r"."):
        formatting.formatted(text)


@each_file
def test_cases_fit_the_schema(path):
    judge(
        f"{case.id}: {fault.json_path}: {fault.message:.200}"
        for case in cases_of(path)
        for fault in SCHEMA.iter_errors(case.data)
    )


@each_file
def test_cases_say_what_they_are(path):
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


#: What is taken out of an invalid text, or what is put there instead, is no longer.
EDIT = 80


def begun(one, other):
    """Return what two texts have in common at their beginning."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return one[: sum(1 for _ in same)]


# --- Coverage ---------------------------------------------------------------------------------

TESTED = {name for case in CASES for name in case.data["clauses"]}


@pytest.mark.parametrize("page", sorted({clause.page for clause in CLAUSES.values()}))
def test_every_clause_has_a_case_or_a_reason(page):
    of_page = [clause for clause in CLAUSES.values() if clause.page == page]
    judge(
        f"{clause.id}: neither a case nor a reason"
        for clause in of_page
        if clause.level != "may" and not {clause.id} & (TESTED | UNTESTED.keys())
    )
    judge(f"{name}: a reason, and cases" for name in UNTESTED.keys() & TESTED)


def test_reasons_are_of_clauses_and_name_what_is_there():
    judge(f"{name}: no such clause" for name in UNTESTED.keys() - CLAUSES.keys())
    for name, reason in UNTESTED.items():
        for file, function in re.findall(r"(tests/[\w/]+\.py)(?:::(\w+))?", reason):
            assert f"def {function}" in (ROOT / file).read_text("utf-8"), name
        if CLAUSES[name].level == "must":
            assert "Checked by " in reason, name


def test_every_class_has_a_case_or_a_reason():
    flagged = {flag for case in CASES for flag in case.data["flags"]}
    judge(name for name, told in CLASSES.items() if (name in flagged) == ("untested" in told))
    judge(
        f"{name}: {told}"
        for name, told in CLASSES.items()
        if not {"title", "effect"} <= told.keys() <= {"title", "effect", "untested"}
        or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
        or told["title"].endswith(".")
        or not re.fullmatch(r"[A-Z0-9][^\n]*[^.]\.", told["effect"])
    )
    assert list(CLASSES) == sorted(CLASSES)
    assert list(UNTESTED) == sorted(UNTESTED)


def dialects_of_codes():
    """Return the dialects that can give each error, as the page on errors has them."""
    page = (clauses.PAGES / "errors.md").read_text("utf-8")
    rows = re.findall(r"^\| \[`([\w-]+)`\]\(#err-[\w-]+\) \| .* \| (.*) \|$", page, re.MULTILINE)
    return {code: dialects_in(told) for code, told in rows}


def dialects_in(told):
    if told in ("all", "transcripts"):
        return set(DIALECTS)
    if told.startswith("all but "):
        return set(DIALECTS) - {told.removeprefix("all but ")}
    return set(told.split(", "))


def test_every_error_is_expected_in_every_dialect_that_has_it():
    expected = defaultdict(set)
    for case in CASES:
        for error in errors(case):
            expected[error["code"]].add(case.dialect)
    assert set(expected) == set(get_args(_events.Code))
    assert dict(expected) == dialects_of_codes()


def test_every_problem_is_expected():
    assert {
        problem["code"]
        for case in CASES
        for outcome in outcomes(case)
        for problems in outcome.get("problems", [])
        for problem in problems
    } == set(get_args(ProblemCode)) - {"too-much-work"}  # when it comes depends on who judges


@pytest.mark.parametrize(
    ("op", "codes"), [("messages", _messages.ChangeCode), ("convert", _convert.DifferenceCode)]
)
def test_every_entry_of_a_report_is_expected(op, codes):
    found = {
        entry["code"]
        for case in CASES
        if case.op == op
        for outcome in outcomes(case)
        for entry in outcome.get("report", [])
    }
    assert found == set(get_args(codes))


LIMITS = [
    (dialect, limit)
    for dialect in DIALECTS
    for limit in ("size", "calls", "depth", "digits")
    if (dialect, limit) != ("xml-elements", "digits")
]


@pytest.mark.parametrize(("dialect", "limit"), LIMITS)
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
    """Return how much of a limit a text with one block takes that ends right behind it."""
    body, brackets = BODIES[dialect](text)
    match limit:
        case "calls":
            return len(re.findall(r'"name"' if '"name"' in body else r"<\w+/>", body))
        case "size":
            return len(body)
        case "digits":
            return max(len(re.sub(r"\D", "", number)) for number in re.findall(r"[-\d.e+]+", body))
    depths = [0]
    for bracket in brackets:
        depths.append(depths[-1] + (1 if bracket in "[{<" else -1))
    # A payload is level 2, as if it stood in an array, and the block of elements is level 1.
    return max(depths) + (dialect != "xml-json")


def between_tags(text):
    body = re.fullmatch(r"<execute>(.*)</execute>", text, re.DOTALL)[1]
    return body, re.sub(r'"[^"]*"|[^]{}[]', "", body)


def elements(text):
    body, _ = between_tags(text)
    tags = re.findall(r"<(/?)\w+(/?)>", body)
    return body, "".join("<>" if closed else ">" if end else "<" for end, closed in tags)


def payloads(text):
    body = "".join(re.findall(r"§call:(.*?\})(?=\s*§|$)", text, re.IGNORECASE))
    return body, re.sub(r'"[^"]*"|[^]{}[]', "", body)


BODIES = {
    "xml-json": between_tags,
    "xml-elements": elements,
    "delimiter": payloads,
    "delimiter-upper": payloads,
}


@pytest.mark.parametrize("limit", ["size", "calls", "depth", "digits"])
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
    assert needs == set(answering.ABILITIES)


# --- Results ----------------------------------------------------------------------------------


def asked(question):
    """Return what the executable specification answers, in the normal form."""
    reply = answering.answer({"id": "1", **question.request})
    return normal.outcome(question.case, reply)


def whole(case):
    """Return the question of a case, of growth at the small size."""
    if "growth" not in case.data:
        return questions.whole(case)
    text = corpus.expanded(case.data["input"], case.data["growth"]["small"])
    return questions.parse(case, "events", [text])


def is_shown(case):
    """Whether a reader of whole texts can show it."""
    return case.options.get("close", True) and case not in LARGE


def difference(case):
    actual = asked(whole(case))
    expected = outcomes(case)
    if not any(normal.same(case, one, actual) for one in expected):
        yield f"{case.id}:\n  expected {shown(expected[0])}\n  actual   {shown(actual)}"


def shown(value):
    return json.dumps(value, ensure_ascii=False)[:1500]


@each_file
def test_the_executable_specification_agrees(path):
    judge(found for case in cases_of(path) if is_shown(case) for found in difference(case))


@pytest.mark.parametrize("case", LARGE, ids=lambda case: case.id)
def test_the_executable_specification_agrees_with_what_is_large(case):
    judge(difference(case))


@each_file
def test_the_executable_specification_takes_the_twins(path):
    judge(
        f"{case.id}: {shown(actual)}"
        for case in cases_of(path)
        if "twin" in case.data and is_shown(case)
        for actual in [asked(twin(case))]
        if is_wrong(case, actual)
    )


def twin(case):
    if "growth" not in case.data:
        return questions.twin(case)
    text = corpus.expanded(case.data["twin"], case.data["growth"]["small"])
    return questions.parse(case, "twin", [text])


def is_wrong(case, outcome):
    if "refused" in outcome or case.op not in READING:
        return "refused" in outcome
    return any(event["type"] == "error" for turn in turns(outcome) for event in turn["events"])


def test_the_twins_of_what_is_large_are_cases_without_errors():
    """So that they are not read twice."""
    valid = [questions.whole(case).request for case in LARGE if not errors(case)]
    twins = [questions.twin(case).request for case in LARGE if "twin" in case.data]
    assert all(request in valid for request in twins)


@each_file
def test_the_core_shows_what_is_known_before_the_end(path):
    """The executable specification reads whole texts, and cannot."""
    judge(
        f"{case.id}: {place!r}:\n  expected {shown(expected)}\n  actual   {shown(actual)}"
        for case in cases_of(path)
        for place, expected, actual in early(case)
        if expected != actual
    )


def early(case):
    """Yield what is expected early in a text, and what the core gives."""
    if not case.options.get("close", True):
        reply = by_core(questions.whole(case))
        yield "not closed", outcomes(case)[0], normal.outcome(case, reply)
    for point in case.data.get("prompt", []):
        text = point["after"]
        assert case.input.startswith(text), case.id
        question = questions.parse(case, "prompt", list(text), stream="token", close=False)
        given = [event for feed in by_core(question)["feeds"] for event in feed]
        yield text, corpus.expanded(point["events"]), normal.joined(given)


def by_core(question):
    return json.loads(_adapter.answer(json.dumps({"id": "1", **question.request}).encode()))


# --- Ids and revisions ------------------------------------------------------------------------

LEDGER = corpus.PLACE / "ledger.txt"


def test_the_ledger_is_sorted_and_holds_every_case():
    """`python -m tests.kit.conformance.ledger` adds what is new."""
    text = LEDGER.read_text("ascii")
    entries = ledger.read(text)
    assert ledger.written(entries) == text
    assert ledger.present(CASES).keys() <= entries.keys()


def test_ids_are_never_used_again():
    entries = {("a-b", 1): "0", ("a-c", 1): "0"}
    gone = {("a-b", 1): "0"}
    assert ledger.faults(entries, gone, set()) == ["a-c is gone, and not retired"]
    assert ledger.faults(entries, gone, {"a-c"}) == []
    assert ledger.faults(entries, entries, {"a-c"}) == ["a-c is retired, and there"]
    assert ledger.faults(entries, entries, {"a-d"}) == ["a-d is retired, and never was"]
    assert (
        ledger.faults(
            ledger.read(LEDGER.read_text("ascii")), ledger.present(CASES), ledger.retired()
        )
        == []
    )


def test_no_case_changes_without_a_new_revision():
    entries = {("a-b", 1): "0", ("a-b", 2): "1"}
    assert ledger.faults(entries, {("a-b", 2): "1"}, set()) == []
    assert ledger.faults(entries, {("a-b", 2): "5"}, set()) == [
        "a-b is changed: give it revision 3"
    ]
    assert ledger.faults(entries, {("a-b", 3): "5"}, set()) == []
    assert ledger.faults(entries, {("a-b", 4): "0"}, set()) == [
        "a-b has revision 4, where 3 is the next"
    ]
    assert ledger.faults(entries, {("a-b", 1): "0"}, set()) == [
        "a-b has revision 1, where 3 is the next"
    ]
    assert ledger.faults({}, {("a-b", 2): "0"}, set()) == [
        "a-b has revision 2, where 1 is the next"
    ]


def test_the_command_adds_what_is_new_and_refuses_what_is_changed(tmp_path):
    place = tmp_path / "corpus"
    shutil.copytree(SMALL, place)
    ledger.main(place)
    text = (place / "ledger.txt").read_text("ascii")
    assert len(text.splitlines()) == 7
    path = place / "cases" / "xml-json" / "few.json"
    path.write_text(path.read_text("utf-8").replace("Hello, you.", "Hello!"), "utf-8")
    with pytest.raises(SystemExit, match="xml-json-prose is changed: give it revision 2"):
        ledger.main(place)
    assert (place / "ledger.txt").read_text("ascii") == text


def test_the_withdrawn_are_listed_with_a_reason():
    for case in json.loads((corpus.PLACE / "retired.json").read_text("utf-8")):
        assert case.keys() == {"id", "since", "reason"}
        assert case["reason"].endswith(".")


# --- The page for strangers -------------------------------------------------------------------

README = (corpus.PLACE / "README.md").read_text("utf-8")


def block(language):
    return re.search(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)[1]


def test_the_page_shows_a_case_as_it_is():
    shown_case = json.loads(block("json"))
    (case,) = (case for case in CASES if case.id == shown_case["id"])
    assert shown_case == case.data


def test_the_page_shows_an_adapter_that_is_honest(tmp_path):
    """It takes everything for prose, so that some cases pass."""
    path = tmp_path / "adapter.py"
    path.write_text(block("python"), "utf-8")
    options = ("--property", "events", "--without", "bytes")
    report, _ = run(tmp_path, [sys.executable, path], *options, code=1)
    assert verdicts(report)["prose"] == "pass"
    assert verdicts(report)["call"] == "differs"


def test_the_page_names_what_is_there():
    for name in re.findall(r"^\| `([\w.]+/?)", README, re.MULTILINE):
        assert (corpus.PLACE / name).exists(), name


# --- Comparing --------------------------------------------------------------------------------

PARSED = corpus.Case({"id": "xml-json-x", "dialect": "xml-json", "op": "parse", "expect": {}})
BETWEEN = corpus.Case({**PARSED.data, "dialect": "xml-elements"})


def test_the_normal_form_joins_deltas():
    """Those of one segment, with their raws, and of no two."""
    given = [
        {"type": "respond", "content": "a", "raw": " a", "segment": 0},
        {"type": "respond", "content": "b", "raw": "b ", "segment": 0, "done": True},
        {"type": "respond", "content": "c", "raw": "c", "segment": 1, "done": True},
        {"type": "end"},
    ]
    assert normal.joined(given) == [
        {"type": "respond", "content": "ab", "raw": " ab "},
        {"type": "respond", "content": "c", "raw": "c"},
        {"type": "end"},
    ]


def test_the_normal_form_leaves_out_how_an_event_came():
    error = {"type": "error", "code": "not-array", "offset": 9, "calls": 0}
    given = [{**error, "content": "Expected …", "timestamp": 1.5}, {"type": "end", "timestamp": 2}]
    assert normal.joined(given) == [error, {"type": "end"}]


def test_calls_are_compared_as_text_but_as_values_between_elements():
    one, other = (
        {"events": [{"type": "call", "content": text}]}
        for text in ('{"name": "a", "args": {}}', '{"name":"a","args":{}}')
    )
    assert not normal.same(PARSED, one, other)
    assert normal.same(BETWEEN, one, other)


def test_the_normal_form_leaves_out_messages():
    problem = {"code": "missing-arg", "path": "/file"}
    judged = corpus.Case({**PARSED.data, "op": "validate"})
    reply = {"problems": [[{**problem, "message": "…"}]], "args": [{}]}
    assert normal.outcome(judged, reply) == {"problems": [[problem]], "args": [{}]}
    converted = corpus.Case({**PARSED.data, "op": "convert"})
    reply = {"text": "", "report": [{"offset": 3, "code": "joined", "message": "…"}]}
    entries = [{"offset": 3, "code": "joined"}]
    assert normal.outcome(converted, reply) == {"text": "", "report": entries}
