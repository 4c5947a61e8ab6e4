"""Adapters that lie, and adapters that a runner might die of: none is ever called conformant."""

import functools
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cogwire_kit.conformance import corpus, forms, fresh, process, reports, text_reports
from cogwire_kit.conformance.process import Process
from tests.kit.conformance.helpers import (
    HERE,
    REFERENCE,
    SMALL,
    document,
    fake,
    properties,
    report_of,
    run,
)
from tests.rows import rows

pytestmark = pytest.mark.verify


def run_of(tmp_path, kind, *options, code=1):
    """Return the verdict of a run with fresh inputs, and what was written."""
    command = fake(kind) if kind else REFERENCE
    report, output = run(tmp_path, command, *options, code=code, with_fresh=True)
    return report, report.verdict, output


def test_the_reference_conforms_to_fresh_cases(tmp_path):
    report, found, _ = run_of(tmp_path, None, code=0)
    assert (found.kind, report.end["unseen"]) == ("conformant", [])
    assert "xml-json-fresh" in {case["id"] for case in report.cases}


# Each takes a second or more, so that they are shared between processes.
@pytest.mark.parametrize("liar", corpus.array(HERE / "liars.json"), ids=lambda liar: liar["kind"])
def test_a_liar_gets_no_good_verdict(tmp_path, liar):
    """No form of the report says more than its verdict; some are shown by fresh inputs alone."""
    command = fake(liar["kind"]) if liar["kind"] else REFERENCE
    options, is_fresh = liar.get("options", []), liar.get("fresh", False)
    report, output = run(tmp_path, command, *options, code=liar["code"], with_fresh=is_fresh)
    assert report.verdict.kind == liar["verdict"]
    assert [words for words in liar["words"] if words not in output] == []
    assert liar.get("asked") in (None, bool(report.cases))
    assert "conformant" not in forms.as_badge(report).replace("not conformant", "")
    assert liar["verdict"] != "none" or 'type="none"' in forms.as_junit(report)
    assert forms.as_page([report]).encode()
    assert reports.read(tmp_path / "report.jsonl").end["conformant"] is False


def test_requests_of_other_ops_are_fresh_too(tmp_path):
    """An adapter that knows all of them by heart passes what the corpus asks, and nothing else."""
    options = ["--dialect", "xml-json", "--op", "results", "--as-claimed"]
    command = fake("knows_results_by_heart")
    report, _ = run(tmp_path, command, *options, code=1, place=corpus.PLACE, with_fresh=True)
    failing = {case["id"] for case in report.cases if case["verdict"] != "pass"}
    assert failing == {"xml-json-fresh-results"}
    assert report.verdict.kind == "failing"


def test_words_of_the_protocol_stay_in_fresh_requests():
    """A code that no event has is no error, and an adapter may refuse it."""
    request = {"events": [{"type": "error", "code": "not-array", "content": "Write it."}]}
    found = [(name, word[0]) for _, name, word in fresh.words_of(request)]
    assert found == [("content", "rite"), ("content", "it")]


def test_snapshots_of_consecutive_turns_are_asked_for(tmp_path):
    """What a parser needs for its next turn is part of its snapshot."""
    options = ["--case", "xml-json-start-think-in-each-turn"]
    command = fake("forgets_its_start_when_stored")
    report, _ = run(tmp_path, command, *options, code=1, place=corpus.PLACE)
    found = properties(report, "start-think-in-each-turn")
    assert (found["events"], found["chunks"], found["resume"]) == ("pass", "pass", "differs")


def test_processes_of_a_target_end_with_it_and_do_not_block_the_run(tmp_path):
    """Of a child that has left the group, nothing is waited for."""
    _, found, output = run_of(tmp_path, "leaves_a_child", "--timeout", 60, "--case", "*-prose")
    assert found.kind == "failing"
    assert "exited with 3" in output


@pytest.mark.parametrize("jobs", [1, 2])
def test_each_process_of_a_target_has_to_claim_the_same(tmp_path, jobs):
    command = fake("claims_less_later", tmp_path / "mark")
    report, output = run(tmp_path, command, "--jobs", jobs, code=3)
    assert report.verdict.kind == "none"
    assert "the reply to `hello` differs from the first one (ad-stateless)" in output


def test_the_whole_group_of_a_target_is_ended():
    command = ["sh", "-c", "sleep 60 & echo $! >&2; exec cat"]
    process = Process(command, None)
    process.send(b"x\n")
    assert process.reply(30) == b"x\n"
    while not process._first_noise:
        time.sleep(0.01)
    child = int(process._first_noise[0])
    assert Path(f"/proc/{child}").exists()
    process.kill()
    assert_ends(child)


def assert_ends(process):
    """Wait until a process that was ended is gone, or is left to be waited for by nobody."""
    stat = Path(f"/proc/{process}/stat")
    while stat.exists() and stat.read_text().split()[2] not in "ZX":
        time.sleep(0.01)


def test_replies_that_never_end_are_not_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(process, "_READ_AHEAD", 1 << 20)
    received = []
    close = Process._close
    monkeypatch.setattr(
        Process, "_close", lambda self: [received.append(self._received), close(self)]
    )
    _, found, _ = run_of(tmp_path, "floods", "--case", "*-prose")
    assert found.kind == "failing"
    assert max(received) < 4 << 20


def test_a_name_that_a_page_cannot_contain_is_escaped():
    report, output = report_of("has_an_odd_name")
    assert "od\\u001b[31md \\ud800 ]]>&<" in output
    for form in (forms.as_badge, forms.as_junit, lambda one: forms.as_page([one])):
        form(report).encode("utf-8")
    document(forms.as_badge(report))
    document(forms.as_junit(report))


@rows(
    "kind, command",
    [
        ("interrupts", ["run", "--corpus", SMALL, "--jobs", 1]),
        ("ends_the_runner", ["run", "--corpus", SMALL, "--jobs", 1]),
        ("ends_the_runner", ["format", "hermes"]),
    ],
)
def test_an_interrupt_shows_what_was_found_so_far(tmp_path, kind, command):
    path = tmp_path / "report.jsonl"
    options = [*command, "--report", path, "--", *fake(kind)]
    command = [sys.executable, "-m", "cogwire_kit", "conformance", *map(str, options)]
    # Where the tests run in the background, the shell has had interrupts ignored.
    heeding = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    done = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=heeding)
    assert done.returncode == 130
    found = text_reports.load(path)
    assert found.verdict.text.startswith("no verdict: interrupted; ")
    assert found.cases
    assert "interrupted" in done.stdout
