"""The report, what is made of it, and the list of known failures."""

import copy
import functools
import hashlib
import json
import re

import pytest

from cogwire_kit.cli.conformance import terminal
from cogwire_kit.conformance import baseline, corpus, forms, grouping, reports
from tests import schemas
from tests.kit.cli.running import stored
from tests.kit.conformance.helpers import (
    HERE,
    REFERENCE,
    SMALL,
    document,
    fake,
    invoke,
    on_texts,
    report_of,
    run,
    saved,
)
from tests.rows import rows


@pytest.fixture
def passing():
    """Return the report of the reference."""
    return copy.deepcopy(report_of()[0])


@pytest.fixture
def failing():
    """Return the report of a parser that loses a letter at some cuts."""
    return copy.deepcopy(report_of("loses_a_letter", code=1)[0])


@pytest.fixture
def crashing():
    """Return the report of a parser that dies of one input."""
    return copy.deepcopy(report_of("dies", code=1)[0])


# --- The report -------------------------------------------------------------------------------


@pytest.mark.verify
def test_each_record_of_a_stored_report_fits_the_schema():
    """One of each kind, since there are some twenty thousand."""
    kinds = {}
    for path in sorted((corpus.PLACE / "reports").glob("**/*.jsonl")):
        for record in map(json.loads, path.read_text("utf-8").splitlines()):
            kinds[record["record"], record.get("verdict"), frozenset(record)] = record
    assert len(kinds) > 20
    assert [fault for one in kinds.values() for fault in schemas.faults("report", one)] == []


def test_a_report_is_read_as_it_was_written(tmp_path, failing):
    again = reports.read(saved(tmp_path / "saved.jsonl", failing))
    assert (again.run, again.cases, again.end) == (failing.run, failing.cases, failing.end)


def test_the_cases_are_in_the_order_of_the_corpus(passing):
    """Although they are asked in a random one."""
    names = [case["id"] for case in json.loads((SMALL / "cases/xml-json/few.json").read_text())]
    assert [case["id"] for case in passing.cases] == names


@rows(
    "change, message",
    [
        (lambda lines: lines[:-1], "was interrupted"),
        (lambda lines: lines[1:], "this is not a report"),
        (lambda _: [], "this is not a report, as --report writes it"),
        (lambda lines: ["{", *lines], ":1: this is not a report"),
        (lambda lines: ["[" * 99999, *lines], ":1: this is not a report"),
        (lambda lines: [*lines[:-1], "{}"], ": this is not a report"),
        (
            lambda lines: [each.replace(': "pass"', ": []") for each in lines],
            "2: this is not a report, as --report writes it: /verdict is",
        ),
        (
            lambda lines: [lines[0].replace('"kit": "', '"new": 1, "kit": "9.'), *lines[1:]],
            '1: this is not a report, as --report writes it: has a member "new"; version 9.',
        ),
        (
            lambda lines: [lines[0].replace('"format": 2', '"format": 1'), *lines[1:]],
            "has format 1",
        ),
    ],
)
def test_an_incomplete_report_is_refused(tmp_path, passing, change, message):
    path = saved(tmp_path / "saved.jsonl", passing)
    path.write_text("\n".join(change(path.read_text().splitlines())))
    with pytest.raises(corpus.UnusableError, match=message):
        reports.read(path)
    assert message in invoke("report", path, code=2)


def test_the_summary_is_made_of_the_report_alone(tmp_path, failing):
    output = invoke("report", saved(tmp_path / "saved.jsonl", failing), "--first", 1)
    assert "not conformant: 2 mandatory cases fail" in output.replace("\n", " ")
    assert "Hello,‖ you." in output
    assert "1 more group with 1 case; --first 2 shows an example of each" in output
    assert "see it again: cogwire conformance run --case xml-json-prose -- " in output
    assert "- is expected, + was returned instead" in output


def case_of(
    message,
    *flags,
    verdict="differs",
    level="must",
    clauses=("m-turn",),
    name="events",
    schedule="whole",
    **request,
):
    finding = {"verdict": verdict, "message": message, "request": {"text": message} | request}
    finding["schedule"] = schedule
    return {
        "dialect": "xml-json",
        "level": level,
        "verdict": verdict,
        "clauses": list(clauses),
        "flags": list(flags),
        "properties": {name: {"verdict": verdict, "finding": finding}},
    }


FORM = "(ad-reply-schema)"


@rows("each", corpus.array(HERE / "grouped.json"))
def test_a_group_is_named_after_the_expected_and_the_actual_event(each):
    [group] = grouping.grouped([case_of(each["message"], verdict=each["verdict"])])
    assert group.title == each["title"]


@rows(
    "message, verdict, title",
    [
        ("event 3: end, not call '{}'", "differs", ""),
        ('the snapshot was refused: "no 5"', "differs", ": the snapshot was refused"),
        ("exited with 1: KeyError: 'x'", "crashed", ": crashed: KeyError"),
        ('answered with `error`, "no x"', "fault", ": fault: answered with `error`"),
    ],
)
def test_what_is_restored_is_one_group_wherever_it_was_saved(message, verdict, title):
    schedules = [f"restored in another process after {n}" for n in ("1 chunk", "12 chunks")]
    failing = [case_of(f"{s}: {message}", verdict=verdict, schedule=s) for s in schedules]
    [group] = grouping.grouped(failing)
    assert group.title == f"restored in another process{title}"


def test_one_cause_is_one_group_and_has_the_effect_of_its_example():
    crash = "JSONDecodeError('line 1')"
    failing = [
        case_of("event 0: respond 'a', not end", "lenient-json", "text-after-the-end"),
        case_of("event 0: respond, not end", "turn-without-an-answer", "text-after-the-end"),
        case_of("event 0: respond, not end", "lenient-json"),
        case_of(crash, "lenient-json", verdict="crashed"),
        case_of(crash, "duplicate-keys", verdict="crashed"),
    ]
    crashes, ends = grouping.grouped(failing)
    assert [crashes.title, ends.title] == ["crashed: JSONDecodeError", "respond instead of end"]
    assert "does not answer" in crashes.effect
    assert ends.classes[0] == ("lenient-json", 2)
    assert "lenient-json" in ends.cases[0]["flags"]
    assert ends.effect.startswith("Comments, trailing commas")
    assert ends.heading().startswith(
        "3 cases (lenient-json 2, text-after-the-end 2, turn-without-an-answer 1). Comments"
    )


@rows(
    "name, message, verdict, clause",
    [
        ("events", "state differs", "differs", "m-turn"),
        ("events", "event 0: end, not error number-range at 4", "differs", "xj-number-range"),
        ("chunks", "not what the whole input produces: state differs", "differs", "m-law-chunking"),
        ("tokens", "not what the whole input produces: state differs", "differs", "m-law-modes"),
        ("tokens", "segment 0 is never done (m-delta-done)", "differs", "m-delta-done"),
        ("resume", "exited with 1", "crashed", "m-law-resumable"),
        ("prompt", "a call arrives only after the close", "late", "m-law-prompt"),
        ("events", "not JSON: 'x'", "fault", "ad-reply-schema"),
        ("fresh", "event 0: end, not error number-range at 4", "differs", "xj-number-range"),
        ("fresh", "event 0: error number-range at 4 is missing", "differs", "xj-number-range"),
        # Several clauses name this code, and none this difference.
        ("fresh", "event 0: end, not error json-syntax at 4", "differs", ""),
        ("fresh", "event 0: end, not respond 'x'", "differs", ""),
    ],
)
def test_the_clause_is_that_of_the_property_and_not_of_the_case(name, message, verdict, clause):
    clauses = ["cf-fresh"] if name == "fresh" else ["m-turn", "xj-number-range"]
    assert (
        grouping.clause_of(case_of(message, verdict=verdict, clauses=clauses, name=name)) == clause
    )


def test_a_fresh_input_that_is_wrong_only_in_pieces_is_about_a_law():
    pieces = functools.partial(
        case_of, "state differs", clauses=["cf-fresh"], name="fresh", schedule="random cuts"
    )
    assert grouping.clause_of(pieces()) == "m-law-chunking"
    assert grouping.clause_of(pieces(stream="token")) == "m-law-modes"


@rows(
    "message, verdict, effect",
    [
        ("exited with 1", "crashed", "everything in the text is lost."),
        ("no reply within 10 s", "timed-out", "or the adapter does not flush its replies."),
        ("not an object: '[1]'", "fault", "which shows nothing about the parser."),
        ("not JSON: 'debug: x'", "fault", "If it is a log, write it to standard error."),
    ],
)
def test_the_consequence_of_no_answer_is_that_of_its_verdict(message, verdict, effect):
    [group] = grouping.grouped([case_of(message, "lenient-json", verdict=verdict)])
    assert group.effect.endswith(effect)


def test_a_class_of_few_cases_does_not_determine_the_heading_of_a_group():
    failing = [case_of("state differs", flag) for flag in ("a", "b", "c", "d")]
    [group] = grouping.grouped(failing)
    assert group.heading() == "4 cases (a 1, b 1, c 1, 1 more)"


def test_what_cases_were_written_to_find_is_not_said_of_a_fault_of_form():
    [group] = grouping.grouped([case_of(f"/close is 1 {FORM}", "a", verdict="fault")])
    assert group.heading().startswith("1 case. The protocol does not allow")


def test_the_words_of_the_tables_are_explained_where_something_failed():
    legend = "never dies: a case fails that was crashed, timed-out or fault (m-law-never-raises)"
    assert legend in report_of("dies", code=1)[1]
    assert "never dies: " not in report_of("loses_a_letter", code=1)[1]


@rows("size, is_whole", [(5, True), (400, True), (401, False)])
def test_an_input_is_shown_whole_or_has_its_request(size, is_whole):
    request = {"op": "parse", "chunks": ["x"] * size}
    finding = {"aspect": "chunking", "request": request, "expected": None, "actual": None}
    shown, *requests = terminal._lines(finding)
    text = size * "x" if is_whole else f"{400 * 'x'}…"
    assert shown == f"input     {text} (in single characters)"
    line = json.dumps({"id": "1", **request})
    assert requests == ([] if is_whole else [f"request   {line}"])


@rows(
    "expected, actual, shown",
    [
        ([1, 2], [2, 1], ["  1", "- 2", "+ 2"]),
        ([1, 1], [1], ["- 1", "  1"]),
        ([1], [1, 1], ["  1", "+ 1"]),
        (
            {"text": "a", "report": [1]},
            {"report": [1], "text": "b"},
            ['- text: "a"', "  1", '+ text: "b"'],
        ),
    ],
)
def test_what_is_in_another_place_or_there_once_more_is_shown(expected, actual, shown):
    lines = list(terminal.compared(expected, actual))
    assert sorted(lines) == sorted(shown)


@pytest.mark.verify
def test_the_reason_for_a_missing_verdict_is_first():
    output = report_of("shortens_ids", code=3)[1].splitlines()
    assert output[1].startswith("no verdict: the adapter is not to be trusted; ")
    assert output[2].startswith("probes: an id of any characters: ")


@pytest.mark.verify
def test_options_of_a_run_apply_when_a_failure_is_reproduced(tmp_path):
    options = ["--without", "token", "--property", "chunks", "--without", "raw", "--op", "parse"]
    report, output = run(tmp_path, fake("loses_a_letter"), *options, code=1)
    command = (
        "cogwire conformance run --case xml-json-prose --property chunks --without token "
        "--without raw -- "
    )
    assert f"see it again: {command}" in output
    assert command in forms.as_junit(report)
    assert command in forms.as_page([report])
    _, words = command.split("run ")
    again, _ = run(tmp_path, fake("loses_a_letter"), *words.split()[:-1], code=1)
    (case,) = again.cases
    assert case["properties"].keys() == {"events", "chunks"}


# --- Other forms ------------------------------------------------------------------------------


def test_junit_has_each_case_and_escapes_what_xml_cannot_contain(failing, crashing):
    suite = document(forms.as_junit(failing)).find("testsuite")
    assert suite.get("name") == "xml-json"
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("7", "2", "0")
    tests = {test.get("name"): test for test in suite.iter("testcase")}
    failure = tests["xml-json-prose"].find("failure")
    assert failure.get("type") == "differs"
    assert "cogwire conformance run --case xml-json-prose" in failure.text
    assert tests["xml-json-think"].find("failure") is None
    suite = document(forms.as_junit(crashing)).find("testsuite")
    assert (suite.get("failures"), suite.get("errors")) == ("0", "1")
    failing.cases[0]["title"] = "NUL \x00, escape \x1b, \ufffe and ]]> & <"
    failing.cases[2]["known"] = "to be fixed"
    suite = document(forms.as_junit(failing)).find("testsuite")
    assert (suite.get("skipped"), suite.get("failures")) == ("1", "1")
    shown = "NUL \\u0000, escape \\u001b, \\ufffe and ]]> & <"
    assert any(shown in (each.text or "") for each in suite.iterfind("testcase/*"))


def test_a_failure_can_be_sent_to_a_maintainer(tmp_path, failing):
    output = invoke("report", saved(tmp_path / "saved.jsonl", failing), "--format", "issue")
    shown, *others = grouping.grouped([c for c in failing.cases if c["verdict"] == "differs"])
    first = shown.cases[0]
    assert output.startswith(f"## {failing.target}, xml-json: {shown.title}\n\n{first['title']}.")
    assert output.count("\n## ") == len(others)
    _, finding = grouping.findings(first)[0]
    for line in (finding["message"], json.dumps(finding["actual"], ensure_ascii=False)):
        assert f"\n\n    {line}\n" in output
    assert f"\n\n    cogwire conformance run --case {first['id']} " in output
    assert f"(`{grouping.clause_of(first)}`)" in output


def test_the_badge_names_its_subject(passing, failing):
    for report, label in ((passing, "xml-json: conformant"), (failing, "xml-json: 5 of 7 pass")):
        image = document(forms.as_badge(report))
        texts = [text.text for text in image.iter("{http://www.w3.org/2000/svg}text")]
        assert texts == ["cogwire corpus 0.0.1", label]


@rows(
    "verdicts, stopped, label, colour",
    [
        (["pass", "pass"], "", "2 of 2 texts in every cut", "#1a7f37"),
        (["close", "close"], "", "2 of 2 texts in every cut, nothing before the end", "#57606a"),
        (["pass", "late"], "", "2 of 2 texts in every cut, 1 of them late", "#c93c37"),
        (["pass"], "", "1 of 2 texts in every cut, 1 not asked", "#57606a"),
        (["pass", "cuts"], "", "1 of 2 texts in every cut", "#c93c37"),
        (["pass", "known"], "", "1 of 2 texts in every cut, 1 known to fail", "#57606a"),
        (["pass"], "it hangs", "1 of 2 texts in every cut, 1 not asked", "#c93c37"),
        ([], "", "0 of 2 texts in every cut, 2 not asked", "#c93c37"),
    ],
)
def test_the_badge_of_a_format_is_green_only_where_every_text_is_read(
    verdicts, stopped, label, colour
):
    words = {"close": "pass", "known": "cuts"}
    cases = [{"id": "x-0", "verdict": words.get(one, one)} for one in verdicts]
    members = {"corpus": {"version": "1.0"}, "at_close": verdicts.count("close")}
    report = on_texts("x", *cases, stopped=stopped or None, **members)
    report.end["unasked"] = 2 - len(verdicts)
    for case, one in zip(report.cases, verdicts, strict=True):
        case.update({"known": "to be fixed"} if one == "known" else {})
    image = forms.as_badge(report)
    assert f">x: {label}</text>" in image
    assert f'fill="{colour}"' in image
    document(image)


def test_the_page_is_self_contained_and_cannot_be_broken_out_of(passing, failing):
    failing.cases[0]["title"] = "</script><script>alert(1)</script>"
    kill = {"name": "naive", "class": "c", "breaks": "Ends too <early>.", "cases": ["a", "b"]}
    made = forms.as_page([passing, failing], [kill])
    assert not re.search(r"(?:src|href)=|url\(|@import|https?://", made)
    assert made.count('<tr data-case="') == 7
    assert made.count('class="verdict differs"') >= 2
    assert made.count("</script>") == 2
    assert "<script>alert" not in made
    assert "naive" in made
    assert "Ends too &lt;early&gt;." in made
    assert '<td class="number" title="a, b">2</td>' in made


@pytest.mark.verify
def test_a_run_writes_every_form_at_once(tmp_path):
    files = [tmp_path / name for name in ("run.xml", "run.html", "run.svg")]
    options = [
        o for pair in zip(("--junit", "--html", "--badge"), files, strict=True) for o in pair
    ]
    run(tmp_path, REFERENCE, *options, "--case", "*prose")
    assert [path.read_text()[:5] for path in files] == ["<?xml", "<!doc", "<svg "]


@pytest.mark.verify
def test_a_report_on_stdout_leaves_the_summary_to_stderr(tmp_path):
    output = invoke("run", "--corpus", SMALL, "--case", "*prose", "--report", "-", "--", *REFERENCE)
    records = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    assert [record["record"] for record in records] == ["run", "case", "end"]


# --- Between reports --------------------------------------------------------------------------


def test_the_changes_between_two_reports(tmp_path, passing, failing, crashing):
    """Something that fails and did not, or is no longer run, makes a report worse."""
    fewer = reports.Report(passing.run, passing.cases[1:], passing.end)
    several = {"passing": passing, "failing": failing, "crashing": crashing, "fewer": fewer}
    paths = {name: saved(tmp_path / name, report) for name, report in several.items()}
    prose, call = "xml-json-prose", "xml-json-call"
    for before, after, changes in (
        ("passing", "failing", {prose: "fails now", call: "fails now"}),
        ("failing", "passing", {prose: "passes now", call: "passes now"}),
        ("failing", "crashing", {prose: "fails otherwise", call: "passes now"}),
        ("passing", "fewer", {prose: "no longer run"}),
        ("fewer", "passing", {prose: "new case"}),
        ("passing", "passing", {}),
    ):
        is_worse = not {"fails now", "fails otherwise", "no longer run"}.isdisjoint(
            changes.values()
        )
        output = invoke("diff", paths[before], paths[after], "--json", code=int(is_worse))
        told = json.loads(output)
        assert told["worse"] is is_worse
        assert {one["id"]: one["kind"] for one in told["changes"]} == changes
        output = invoke("diff", paths[before], paths[after], code=int(is_worse))
        for kind in changes.values() or ["nothing changed"]:
            assert kind in output


@rows("end", [{"stopped": "it stopped"}, {"probes": ["it forgets"]}])
def test_diff_fails_if_the_later_run_has_no_verdict_and_no_baseline_is_made_of_it(
    tmp_path, passing, end
):
    before = saved(tmp_path / "a", passing)
    broken = saved(tmp_path / "b", reports.Report(passing.run, passing.cases, passing.end | end))
    assert "-> no verdict: " in invoke("diff", before, broken, code=1)
    assert invoke("diff", broken, broken, code=1).startswith("nothing changed\nno verdict: ")
    told = invoke("report", broken, "--format", "baseline", code=2)
    assert "reached a verdict" in told


# --- Known failures ---------------------------------------------------------------------------

KNOWN = {
    "verdict": "differs",
    "properties": ["chunks", "resume", "tokens"],
    "reason": "to be fixed",
}


def entry(case, **changes):
    return {"case": f"xml-json-{case}", **KNOWN, **changes}


@rows(
    "wrong, message",
    [
        (entry("think"), "xml-json-think: stale: it passes now"),
        (entry("no-such-case"), "xml-json-no-such-case: there is no such case"),
        (entry("prose", verdict="crashed"), "xml-json-prose: changed: known as crashed"),
        (entry("prose", properties=["events"]), "xml-json-prose: changed: known as differs"),
    ],
)
def test_the_problem_of_an_entry_is_reported(failing, wrong, message):
    ids = {case["id"] for case in failing.cases}
    [problem] = baseline.apply([entry("call"), wrong], copy.deepcopy(failing.cases), ids)
    assert problem.startswith(message)


#: What is no longer claimed, and a failure that there is no longer.
CLAIMED = """
[[known]]
case = "xml-json-think"
verdict = "differs"
properties = ["chunks"]
reason = "to be fixed"

[claimed]
ops = ["parse", "fly"]
lacks = []
dialects.xml-json = ["token", "zip"]
dialects.other = []
"""


@pytest.mark.verify
def test_a_run_that_claims_less_than_its_baseline_fails(tmp_path):
    path = stored(tmp_path / "known.toml", CLAIMED)
    report, output = run(tmp_path, REFERENCE, "--baseline", path, code=1)
    assert report.end["baseline"] == [
        "xml-json-think: stale: it passes now; remove the entry",
        "the op fly is no longer claimed",
        "zip in xml-json is no longer claimed",
        "the dialect other is no longer claimed",
    ]
    assert "4 entries of the baseline do not hold" in output
    target = {**report.run["target"], "lacks": ["path"]}
    assert baseline.retreats({"lacks": []}, target) == ["path was not lacking before"]
    assert baseline.retreats({}, target) == []
    for text in ("claimed = 5", "claimed.ops = 5", "claimed.odd = []", "claimed.dialects.x = 5"):
        path.write_text(text)
        assert "`claimed` has" in run(tmp_path, REFERENCE, "--baseline", path, code=2)[1]


@rows(
    "text, message",
    [
        ("[[known]]\ncase = 'a'", "an entry has the members"),
        ("[other]", "nothing else"),
        ("[[known", "Expected"),
        (
            "[[known]]\ncase='a'\nverdict='differs'\nproperties=[]\nreason=' '",
            "a has no reason",
        ),
        ("[[known]]\ncase='a'\nverdict='differs'\nproperties='x'\nreason='r'", "`properties` is"),
        (2 * "[[known]]\ncase='a'\nverdict='differs'\nproperties=[]\nreason='r'\n", "known twice"),
    ],
)
def test_an_invalid_baseline_is_refused(tmp_path, text, message):
    path = stored(tmp_path / "known.toml", text)
    assert message in run(tmp_path, REFERENCE, "--baseline", path, code=2)[1]


@rows(
    "selection, gap",
    [
        ({"cases": ["*prose"]}, "--case was given"),
        ({"clauses": ["xj-*"]}, "--clause was given"),
        ({"tags": ["example"]}, "--tag was given"),
        ({"shard": ["2/5"]}, "--shard was given"),
        ({"dialects": ["xml-json"]}, "--dialect leaves out delimiter"),
        ({"ops": ["parse"]}, "--op leaves out results"),
        ({"properties": ["events"]}, "--property leaves out chunks, tokens, resume, growth"),
        ({"without": ["raw", "token"]}, "--without leaves out token"),
        # What is left out is not claimed.
        ({"dialects": ["xml-json", "delimiter"], "ops": ["parse", "results"]}, None),
        ({"properties": ["chunks", "tokens", "resume", "growth"], "without": ["raw"]}, None),
    ],
)
def test_a_baseline_of_a_part_of_the_claims_is_refused(tmp_path, failing, selection, gap):
    claims = {"dialects": {"xml-json": ["token"], "delimiter": []}, "ops": ["parse", "results"]}
    target = {**failing.run["target"], **claims, "lacks": ["prompt"]}
    failing.run |= {"target": target, "selection": selection}
    code = 0 if gap is None else 2
    output = invoke(
        "report", saved(tmp_path / "saved.jsonl", failing), "--format", "baseline", code=code
    )
    start = f"a baseline is made of a run of all that is claimed: {gap}" if gap else "[[known]]"
    assert output.startswith(start)


@pytest.mark.verify
@rows("claims", [[], ["--as-claimed"]])
def test_a_baseline_of_all_claims_is_valid(tmp_path, claims):
    """It has no reasons yet.  A run whose failures are known passes, and does not conform."""
    run(tmp_path, fake("loses_a_letter"), *claims, code=1)
    output = invoke("report", tmp_path / "report.jsonl", "--format", "baseline")
    path = stored(tmp_path / "known.toml", output)
    with pytest.raises(corpus.UnusableError, match="has no reason"):
        baseline.read(path)
    path.write_text(output.replace('reason = ""', 'reason = "known"'))
    report, output = run(tmp_path, fake("loses_a_letter"), *claims, "--baseline", path)
    assert (report.verdict.is_good, report.end["known"]) == (True, 2)
    assert not report.end["conformant"]
    assert "5 of 7 claimed cases pass, 2 known failures; " in output
    assert "5 of 7 pass, 2 known to fail" in forms.as_badge(report)
    # An entry for a case that is not selected is let be.
    run(tmp_path, fake("loses_a_letter"), *claims, "--baseline", path, "--case", "*prose")


# --- Choosing ---------------------------------------------------------------------------------


@rows(
    "criteria, count",
    [
        ([], 7),
        (["--op", "results"], 1),
        (["--case", "*-c*"], 1),
        (["--clause", "xj-*"], 3),
        (["--tag", "closer-in-string"], 1),
        (["--dialect", "xml-json"], 7),
        (["--without", "limits"], 7),
        (["--case", "*prose", "--case", "*think"], 2),
    ],
)
def test_cases_are_chosen(criteria, count):
    output = invoke("list", "--corpus", SMALL, "--format", "ids", *criteria)
    assert len(output.splitlines()) == count


@rows(
    "criteria, message",
    [
        (["--case", "*-nothing"], "--case '*-nothing' fits no case"),
        (["--clause", "xj-nothing"], "--clause 'xj-nothing' fits no case"),
        (["--tag", "nothing"], "--tag 'nothing' fits no case"),
        (["--dialect", "delimiter"], "nothing is selected"),
        (["--op", "results", "--case", "*prose"], "nothing is selected"),
    ],
)
def test_nothing_selected_is_an_error(tmp_path, criteria, message):
    assert message in run(tmp_path, REFERENCE, *criteria, code=2)[1]


def test_numbers_are_written_as_ranges():
    assert reports.ranges([3, 1, 2, 7, 9, 10]) == "1-3, 7, 9-10"


# --- Cases as text and as files ---------------------------------------------------------------


@rows("each", corpus.array(HERE / "explained.json"))
def test_a_case_a_clause_and_a_class_of_bugs_are_explained(each):
    name, parts = each["name"], each["parts"]
    told = invoke("explain", name, "--corpus", SMALL, with_fresh=name == "xml-json-fresh")
    assert [part for part in parts if part not in told] == []
    assert ("Expected" in told) == (name in ("xml-json-broken", "xml-json-growing"))


@rows(
    "name, cases, clauses, classes",
    [
        ("xml-json-broken", ["xml-json-broken"], None, None),
        ("xj-closer-in-string", ["xml-json-call"], ["xj-closer-in-string"], []),
        ("closer-in-string", ["xml-json-call"], [], ["closer-in-string"]),
    ],
)
def test_they_are_explained_to_programs(name, cases, clauses, classes):
    told = json.loads(invoke("explain", name, "--corpus", SMALL, "--json"))
    ids = {member: [each["id"] for each in listed] for member, listed in told.items()}
    assert ids["cases"] == cases
    assert clauses is None or (ids["clauses"], ids["classes"]) == (clauses, classes)
    if clauses is None:
        assert told["cases"][0]["title"] == "A broken block does not run"
        assert {"id", "level", "text", "page"} == told["clauses"][0].keys()


def test_the_corpus_is_copied_with_its_checksums_and_a_copy_replaces_only_a_copy(tmp_path):
    goal = tmp_path / "corpus"
    output = invoke("corpus", "copy", goal)
    version = json.loads((goal / "VERSION.json").read_text())
    assert version["sha256"] in output
    (goal / "cases" / "old.json").write_text("[]")
    output = json.loads(invoke("corpus", "copy", goal, "--json"))
    assert output == {"directory": str(goal), **version}
    assert not (goal / "cases" / "old.json").exists()
    for line in (goal / "SHA256SUMS").read_text().splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((goal / name).read_bytes()).hexdigest() == digest
    assert (goal / ".gitattributes").read_text() == "* -text\n"
    assert len((goal / "corpus.jsonl").read_text().splitlines()) == version["cases"]
    for name in ("schemas/case.schema.json", "messages/errors.json", "texts/spans.json"):
        assert (goal / name).is_file()
    other = stored(tmp_path / "mine.json", [])
    assert "is not empty" in invoke("corpus", "copy", other.parent, code=2)
    assert other.exists()


def test_the_help_names_each_command_in_whole_sentences():
    output = invoke("--help")
    assert "..." not in output.partition("Commands:")[2]


@pytest.mark.verify
def test_the_properties_that_are_always_judged_are_those_of_the_help(tmp_path):
    told = " ".join(invoke("run", "--help").split())
    assert "only this property, beside `events` and `fresh`, which are always checked" in told
    options = ["--property", "chunks", "--case", "*-fresh", "--case", "*-prose"]
    report, _ = run(tmp_path, REFERENCE, *options, with_fresh=True)
    found = {name for case in report.cases for name in case["properties"]}
    assert found == {"events", "chunks", "fresh"}
