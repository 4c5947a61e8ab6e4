"""The reports on adapters that lie, are slow, die, or write invalid replies; and on several of them."""

import json
import math
import queue
import re
import sys
from pathlib import Path

import pytest

import cogwire
from cogwire_kit.cli import main
from cogwire_kit.conformance import corpus, forms, judge, process, reports, session, target
from cogwire_kit.conformance.process import Process
from tests.kit.cli.running import stored
from tests.kit.conformance.helpers import (
    HERE,
    REFERENCE,
    SMALL,
    fake,
    finding,
    invoke,
    properties,
    report_of,
    run,
    verdicts,
)
from tests.rows import rows

pytestmark = pytest.mark.verify

#: All that the small corpus holds, when nothing is wrong.
RIGHT = dict.fromkeys(("prose", "think", "call", "broken", "advice", "results", "growing"), "pass")


@rows("kind", [[], ["is_loud"], ["starts_slowly"]])
def test_the_reference_passes_with_noise_on_stderr_and_a_slow_start_too(kind):
    report, output = report_of(*kind)
    assert verdicts(report) == RIGHT
    assert report.end["conformant"]
    assert "conformant; 7 cases" in output
    assert report.end["counts"] == {"pass": 7}


@rows(
    "kind, verdict, message",
    [
        ("dies", "crashed", "exited with 3: out of luck"),
        ("dies_of_a_signal", "crashed", "killed by signal 9"),
        ("writes_garbage", "fault", "not JSON: 'Warning: this is no JSON'"),
        ("writes_half_a_line", "fault", "half a line"),
        ("writes_a_mark", "fault", "a byte order mark before the reply (ad-utf8)"),
        ("writes_latin", "fault", "not UTF-8 (ad-utf8)"),
        ("writes_wrong_ids", "fault", "a reply has the id '7'"),
        ("writes_a_list", "fault", "not an object"),
        ("answers_another_shape", "fault", "/feeds is 5, and not an array (ad-reply-schema)"),
        ("says_crashed", "crashed", "IndexError: 5"),
        ("says_error", "fault", "answered with `error`, what?"),
        ("says_unsupported", "unsupported", "prose"),
    ],
)
def test_a_failure_is_blamed_on_its_case_alone(kind, verdict, message):
    assert_blamed(*report_of(kind, code=1), verdict, message)


def test_a_parser_that_dies_of_a_probe_is_not_dishonest():
    """What it dies of, a line of a long trace, counts as much as if a case had found it."""
    report, output = report_of("dies_of_an_emoji", code=1)
    assert (report.end["probes"], verdicts(report)) == ([], RIGHT)
    (death,) = report.end["unexplained"]
    assert re.fullmatch("a probe, .* with 😀: crashed: exited with 3: panic: .* … the end", death)
    assert "not conformant: 1 failure that no case explains; " in output


@rows(
    "value, message",
    [
        ("NaN", """not JSON: at character 17: '{"id": "1", "x": NaN}'"""),
        ('["NaN\\"", -Infinity]', """not JSON: at character 27: '{"id": "1", "x": ["NaN"""),
        ("]", """not JSON: at character 17: '{"id": "1", "x": ]}'"""),
        ("-" + "9" * 5000, """a number of 5,000 digits at character 17: '{"id": "1", "x": -999"""),
    ],
)
def test_the_place_is_shown_where_a_reply_is_not_read(value, message):
    answer = target._read(b'{"id": "1", "x": %s}\n' % value.encode(), "1", 0)
    assert (answer.kind, answer.message[: len(message)]) == ("fault", message)


def test_silence_is_blamed_on_its_case_alone(tmp_path):
    report, output = run(tmp_path, fake("hangs"), "--timeout", 2, code=1)
    assert_blamed(report, output, "timed-out", "no reply within 2 s")


def assert_blamed(report, output, verdict, message):
    assert verdicts(report) == RIGHT | {"prose": verdict}
    if verdict != "unsupported":
        assert re.search(r"never dies +7 +6 +1 ", output)
    assert message in finding(report, "prose", "events")["message"]
    assert not report.end["conformant"]


def test_a_second_reply_is_seen_at_the_next_request():
    """It cannot be matched to a request, so the cases around it prove nothing."""
    report, _ = report_of("answers_twice", code=1)
    assert "fault" in verdicts(report).values()
    assert not report.end["conformant"]


@rows(
    "kind, failing, chunks",
    [
        ("dies_at_cut_text", {"prose": "crashed"}, None),
        ("loses_a_letter", {"prose": "differs", "call": "differs"}, ["Hello,", " you."]),
    ],
)
def test_what_fails_at_one_chunking_is_found_with_its_least_cut(kind, failing, chunks):
    report, output = report_of(kind, code=1)
    assert verdicts(report) == RIGHT | failing
    assert properties(report, "prose")["events"] == "pass"
    least = finding(report, "prose", "chunks")["request"]["chunks"]
    assert (len(least), "".join(least)) == (2, "Hello, you.")
    if chunks is None:
        assert "crashed" in output
    else:
        assert least == chunks
        (prose,) = (case for case in report.cases if case["id"] == "xml-json-prose")
        assert prose["properties"]["chunks"]["cuts"] == "6"
        assert "Hello,‖ you." in output


def test_failures_that_quote_other_replies_are_one_way_to_fail():
    failures = (target.Failure("fault", f"not JSON: 'DEBUG {number}'") for number in range(2))
    (line,) = target.in_words(target.Unexplained(each, 9, "{}") for each in failures)
    assert line.startswith("after 9 replies of a process, 2 times: fault: not JSON: 'DEBUG 0'; ")


def test_a_crash_that_does_not_recur_changes_no_verdict(tmp_path):
    report, output = run(tmp_path, fake("dies_once", tmp_path / "mark"), code=1)
    assert verdicts(report) == RIGHT
    (unexplained,) = report.end["unexplained"]
    assert unexplained.startswith("after 353 replies of a process: crashed: exited with 3; each ")
    assert 'the first of them {"id": ' in unexplained
    assert "unexplained" in output


@rows(
    "command, message",
    [
        (["./no-such-program"], "  received  cannot be started: No such file or directory\n"),
        (["true"], "  received  crashed: exited with 0\n"),
        (["cat"], "  received  fault: the request itself came back\n"),
        (["sh", "-c", "cat;"], "  started   sh -c 'cat;'\n"),
        (["sh", "-c", "echo hello"], "  received  fault: not JSON: 'hello'\n"),
        (
            ["printf", r"\357\273\277{}\n"],
            "  received  fault: a byte order mark before the reply (ad",
        ),
        (["sh", "-c", "echo whoops >&2; exit 4"], "crashed: exited with 4: whoops"),
        (["sh", "-c", "seq 900 >&2; exit 4"], "crashed: exited with 4: 1 … 900\n"),
        (["sh", "-c", "#\n"], "  started   sh -c '#\\n'\n"),
    ],
)
def test_a_target_that_cannot_be_run_gets_no_verdict(
    tmp_path, monkeypatch, capsys, command, message
):
    report, output = run(tmp_path, command, code=3)
    assert message in output
    assert f"{command[0]}: no answer to `hello`\n" in output
    monkeypatch.setattr(sys, "argv", ["cogwire", "conformance", "run", "--", *command])
    assert main.run() == 3
    assert output == capsys.readouterr().err.removeprefix("cogwire: ").rstrip("\n")
    assert "one line of JSON on standard output that answers `hello`" in output
    assert "Adapters to copy are in the folder conformance/adapters" in output
    assert report is None


def test_a_target_that_does_not_answer_hello_gets_no_verdict(tmp_path):
    report, output = run(tmp_path, fake("never_greets"), "--start-timeout", 0.5, code=3)
    assert "  received  timed-out: no reply within 0.5 s; each reply must be flushed" in output
    assert ", or --start-timeout gives it more time to start\n" in output
    assert report is None


@rows("each", corpus.array(HERE / "judged.json"))
def test_each_property_is_judged_apart(each):
    report, told = report_of(each["kind"], code=1)
    assert each["expected"].items() <= properties(report, each["case"]).items()
    assert all(part in told for part in each.get("words", ()))
    if each["kind"] == "executes_anything":
        assert verdicts(report) == RIGHT | {"broken": "differs"}


def test_the_exit_code_is_checked(monkeypatch):
    assert "no verdict: exited with 1 (ad-exit); " in report_of("exits_with_one", code=3)[
        1
    ].replace("\n", " ")
    monkeypatch.setattr(process, "_EXIT_SECONDS", 1)
    assert "still running 1 s after" in report_of("never_exits", code=3)[1].replace("\n", " ")


def test_abilities_that_are_not_claimed_do_not_pass(tmp_path):
    """Unless the run says beforehand that it is not claimed."""
    report, _ = report_of("claims_no_tokens", code=1)
    assert properties(report, "think")["tokens"] == "unsupported"
    assert verdicts(report)["think"] == "unsupported"
    assert verdicts(report)["results"] == "pass"
    left_out = ("--without", "token", "--without", "snapshot")
    report, output = run(tmp_path, fake("claims_no_tokens"), *left_out)
    assert verdicts(report) == RIGHT
    assert "selected: without token, snapshot" in output


def test_a_parser_that_refuses_everything_fails_at_the_twin():
    """The broken block is refused rightly; its valid neighbour is not."""
    report, _ = report_of("refuses_everything", code=1)
    found = finding(report, "broken", "events")
    assert found["aspect"] == "twin"
    assert found["message"] == "the nearest valid input produces the error json-syntax"


def test_offsets_are_converted_from_the_unit_of_the_adapter(tmp_path):
    """Each summary names the unit, which keeps the parser from conforming."""
    report, told = report_of("counts_utf16", code=1)
    assert verdicts(report) == RIGHT
    assert not report.end["conformant"]
    assert "\n7 of 7 claimed cases pass; offsets in utf16 (m-codepoints)" in told
    assert "7 of 7 pass, offsets in utf16 (m-codepoints)" in forms.as_badge(report)
    report, _ = run(tmp_path, fake("counts_utf16"), "--as-claimed")
    assert not report.end["conformant"]


def test_a_target_that_answers_hello_alone_is_given_up_at_once(tmp_path):
    """What it is comes first, and then each question that it does not answer."""
    report, told = run(tmp_path, fake("answers_hello_alone"), "--timeout", 0.05, code=3)
    assert told.startswith(f"cogwire {cogwire.__version__} (python), corpus 0.0.1 ")
    assert "no reply to anything but `hello` in 10 requests; the last: timed-out: no reply" in told
    assert "each reply must be flushed before the adapter waits for input (ad-flush)" in told
    assert "\nprobes: an unknown op: timed-out: no reply within 0.05 s (ad-unsupported)\n" in told
    assert report.cases == []


def test_what_a_target_is_and_why_not_to_trust_it_is_written_before_it_is_asked(monkeypatch):
    """A run of many cases may take long."""
    came = []
    watch = session.Watch(came.append, lambda run: came.append(run["target"]["name"]), came.append)
    command, limits = fake("shortens_ids"), target.Patience()
    cases = corpus.load(SMALL)[:1]
    kind = session.Cases(cases, judge.RunOptions(), everything=cases, selection={})
    session.hold(command, kind, watch=watch, limits=limits)
    name, problem, found = came
    assert (name, problem.partition(": ")[0]) == ("cogwire", "an id of any characters")
    assert found["id"] == cases[0].id


@rows(
    "options, message",
    [
        (
            ["--as-claimed", "--op", "results"],
            "--as-claimed leaves out 1 selected case; not claimed: op results (1)",
        ),
        (["--property", "chunks", "--case", "*growing"], "have none of these properties"),
    ],
)
def test_a_selection_of_which_nothing_is_left_is_an_error(tmp_path, options, message):
    image = tmp_path / "badge.svg"
    report, told = run(tmp_path, fake("lacks_much"), *options, "--badge", image, code=2)
    assert f"nothing is left to be run: {message}" in told.replace("the selected cases ", "")
    assert report is None
    assert not image.exists()


def test_a_target_that_fails_too_often_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(
        target.Patience.__init__, "__defaults__", (120, 10, 5, 1, 10, 3600, math.inf)
    )
    report, output = run(tmp_path, fake("dies_at_cut_text"), code=3)
    assert "it has failed 2 times" in output.replace("\n", " ")
    assert report.end["stopped"].startswith("it has failed 2 times")


def test_the_first_failure_is_enough_on_request(tmp_path):
    report, output = run(tmp_path, fake("loses_a_letter"), "--fail-fast", code=1)
    assert [name for name, found in verdicts(report).items() if found != "pass"] != []
    assert "not conformant: 1 mandatory case fails; " in output
    assert report.verdict.kind == "failing"
    assert " so far" in report.verdict.text
    assert len(report.cases) < len(RIGHT)


def test_what_has_failed_is_run_again(tmp_path):
    _, output = run(tmp_path, fake("loses_a_letter"), code=1)
    before = tmp_path / "before.jsonl"
    (tmp_path / "report.jsonl").rename(before)
    report, output = run(tmp_path, REFERENCE, "--failed", before)
    assert verdicts(report) == {"prose": "pass", "call": "pass"}
    assert f"selected: failed {before}" in output
    (tmp_path / "report.jsonl").rename(before)
    report, output = run(tmp_path, REFERENCE, "--failed", before, code=2)
    assert "everything that was asked passes" in output


def test_the_parts_of_a_run_are_all_of_it(tmp_path):
    shared = [run(tmp_path, REFERENCE, "--shard", f"{part}/3")[0] for part in (1, 2, 3)]
    assert sorted(name for each in shared for name in verdicts(each)) == sorted(RIGHT)
    assert not any(each.end["conformant"] for each in shared)
    assert "a part is named as 2/5" in run(tmp_path, REFERENCE, "--shard", "4/3", code=2)[1]


def test_a_report_is_written_while_the_run_lasts(tmp_path, monkeypatch):
    """Whatever ends the runner, what it has found is there."""
    path = tmp_path / "report.jsonl"
    add = reports.Journal.add

    def fail_at_the_second(self, record):
        add(self, record)
        if len(path.read_text().splitlines()) == 3:
            raise MemoryError

    monkeypatch.setattr(reports.Journal, "add", fail_at_the_second)
    with pytest.raises(MemoryError):
        run(tmp_path, REFERENCE)
    kinds = [json.loads(line)["record"] for line in path.read_text().splitlines()]
    assert kinds == ["run", "case", "case"]
    with pytest.raises(corpus.UnusableError, match="the run was interrupted"):
        reports.read(path)
    assert len(reports.read(path, is_whole=False).cases) == 2


def test_an_interrupt_ends_every_process(monkeypatch):
    """Wherever it comes; a run is not gone on with after the user's back."""
    started = []
    start = Process.__init__

    def remembering(self, *arguments):
        start(self, *arguments)
        started.append(self)

    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Process, "__init__", remembering)
    cases = corpus.load(SMALL)
    limits, watch = target.Patience(), session.Watch(seen=interrupted)
    kind = session.Cases(cases, judge.RunOptions(), everything=cases, selection={})
    found = session.hold(REFERENCE, kind, watch=watch, limits=limits, jobs=2)
    assert found.end["stopped"] == session.INTERRUPTED
    assert found.cases
    # Each has another that restores its snapshots.
    assert len(started) == 4
    assert all(process._popen.poll() is not None for process in started)


def test_processes_share_the_cases(tmp_path):
    """What they find does not depend on how many there are."""
    one, _ = report_of("loses_a_letter", code=1)
    three, _ = run(tmp_path, fake("loses_a_letter"), "--jobs", 3, code=1)
    assert verdicts(one) == verdicts(three)
    assert [case["properties"].keys() for case in one.cases] == [
        case["properties"].keys() for case in three.cases
    ]


# --- Several adapters, side by side ---------------------------------------------------------------


def listed_in(tmp_path, **adapters):
    """Return the options for a matrix of these adapters.

    A name says who conforms, and who needs a program that nobody has.
    """
    # Commands are run in the folder of the list.
    found = ["env", f"PYTHONPATH={Path.cwd()}"]
    entries = [
        f'[[adapter]]\nname = "{name}"\nabout = "x"\ncommand = {json.dumps([*found, *command])}\n'
        f"conforms = {json.dumps(name != 'odd')}\n"
        f"needs = {json.dumps('no-such-compiler' if name == 'unbuilt' else sys.executable)}\n"
        for name, command in adapters.items()
    ]
    path = stored(tmp_path / "adapters.toml", *entries)
    return ["--adapters", path, "--corpus", SMALL, "--jobs", 1]


def reported(folder, name):
    """Return the report of an adapter in what a matrix has written."""
    return reports.read(folder / f"{name}.jsonl")


def test_a_matrix_asks_again_for_what_failed_in_an_earlier_one(tmp_path):
    before, after = tmp_path / "before", tmp_path / "after"
    broken = fake("loses_a_letter")
    options = listed_in(tmp_path, good=REFERENCE, bad=broken, odd=broken)
    assert "good: conformant" in invoke("matrix", before, *options, "--seed", 7, code=1)
    (before / "odd.jsonl").unlink()
    options = listed_in(tmp_path, good=REFERENCE, bad=REFERENCE, odd=REFERENCE)
    output = invoke("matrix", after, *options, "--failed", before)
    assert f"good: left out: {before / 'good.jsonl'}: everything that was asked passes" in output
    assert not (after / "good.jsonl").exists()
    again = reported(after, "bad")
    assert verdicts(again) == {"prose": "pass", "call": "pass"}
    assert again.run["selection"] == {"failed": [str(before / "bad.jsonl")]}
    assert again.run["seed"] == 7
    assert len(reported(after, "odd").cases) == len(RIGHT)
    told = invoke("matrix", after, *options, "--failed", before, "--only", "good", code=2)
    assert told.endswith("good.jsonl: everything that was asked passes")
    told = invoke("matrix", before, *options, "--failed", before, code=2)
    assert told.endswith("--failed is the folder that is written; name another one")
    (before / "good.jsonl").write_text("{}\n", "utf-8")
    assert "this is not a report" in invoke("matrix", after, *options, "--failed", before, code=2)


def test_the_parts_of_a_matrix_are_all_of_it_but_targets_that_need_a_missing_program(tmp_path):
    """Unless such a target is asked for by its name."""
    options = listed_in(tmp_path, good=REFERENCE, unbuilt=["./no-such-adapter"])
    ids = []
    for part in ("1/2", "2/2"):
        output = invoke("matrix", tmp_path / "out", *options, "--shard", part)
        assert "good: " in output
        assert "unbuilt: left out, because no-such-compiler is not installed" in output
        ids += verdicts(reported(tmp_path / "out", "good"))
    assert sorted(ids) == sorted(RIGHT)
    names = ["good.jsonl", "good.svg", "index.html"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == names
    told = invoke("matrix", tmp_path / "out", *options, "--shard", "99/99", code=2)
    assert told.endswith("nothing is selected: no case is in this part")
    output = invoke("matrix", tmp_path / "out", *options, "--only", "unbuilt", code=3)
    assert "unbuilt: env: no answer to `hello`" in output


def test_a_matrix_ends_with_the_first_adapter_that_does_not_conform(tmp_path):
    broken = fake("loses_a_letter")
    options = listed_in(tmp_path, odd=broken, bad=broken, good=REFERENCE)
    output = invoke("matrix", tmp_path, *options, "--fail-fast", code=1)
    assert output.endswith("cogwire: bad should conform, but does not\n")
    assert len(reported(tmp_path, "odd").cases) == len(RIGHT)
    assert len(reported(tmp_path, "bad").cases) < len(RIGHT)
    assert not (tmp_path / "good.jsonl").exists()
    options = listed_in(tmp_path, gone=["./no-such-adapter"], good=REFERENCE)
    assert "gone: " in invoke("matrix", tmp_path, *options, "--fail-fast", code=3)
    assert not (tmp_path / "good.jsonl").exists()


def test_a_matrix_that_is_interrupted_has_written_what_was_found(tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(session.Run, "carry_out", interrupted)
    options = listed_in(tmp_path, good=REFERENCE, other=REFERENCE)
    invoke("matrix", tmp_path, *options, code=130)
    assert reported(tmp_path, "good").end["stopped"] == "interrupted"
    assert "interrupted" in (tmp_path / "index.html").read_text("utf-8")
    assert not (tmp_path / "other.jsonl").exists()


@rows(
    "entry, problem",
    [
        ('{name = "a", about = "b", command = ["c"], need = "d"}', "a: there is no member `need`;"),
        ('{name = "a", command = ["c"]}', "a: `about` is missing"),
        ('{name = "a", about = "b", command = "c"}', "a: `command` is of the wrong type"),
        ('{name = "a", about = "b", command = [1]}', "a: `command` is of the wrong type"),
        ('{name = "a", about = "b", command = []}', "a: `command` is empty"),
        (
            '{name = "a", about = "b", command = ["c"], property = ["all"]}',
            "a: there is no property 'all'; there are events",
        ),
        ("1", "each `adapter` is a table"),
    ],
)
def test_an_entry_that_is_not_one_is_refused(tmp_path, entry, problem):
    listed = stored(tmp_path / "adapters.toml", f"adapter = [{entry}]")
    assert problem in invoke("matrix", tmp_path / "out", "--adapters", listed, code=2)


class Busy:
    """A process that replies after some waits, of each of which it is known what it spent."""

    def __init__(self, *spent):
        self.spent = list(spent)
        self.waits = -1

    def reply(self, _seconds):
        self.waits += 1
        if self.spent:
            raise queue.Empty
        return b'{"id": "1"}\n'

    def work(self):
        return process.Spent(*self.spent.pop(0))


@rows(
    ("spent", "waits"),
    [
        # It works, or waits for a processor, until it replies.
        ([(0, 0), (0.3, 0.7), (0.6, 1.4)], 3),
        # It sleeps.
        ([(0, 0), (0.1, 0.1), (9, 9)], None),
        # It has had as much of a processor as it may.
        ([(0, 0), (1, 0), (2, 0), (3, 0)], None),
        ([(0, None), (1, None), (9, 9)], None),
    ],
)
def test_a_busy_machine_is_not_a_silent_target(spent, waits):
    asked = target.Target([], target.Patience(reply=2))
    stalled = Busy(*spent)
    answer = asked._answer(stalled, target._Waiting(0, "1", b""), 2)
    assert isinstance(answer, target.Reply) is (waits is not None)
    assert waits in (None, stalled.waits)
