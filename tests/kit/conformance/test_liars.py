"""Adapters that lie, and adapters that a runner might die of: none is ever called conformant."""

import functools
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cogwire_kit.conformance import corpus, forms, process, reports, text_reports
from cogwire_kit.conformance.process import Process
from tests.kit.conformance.helpers import (
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


GOOD, UNCLAIMED, FAILING, NONE = (0, "partial"), (1, "partial"), (1, "failing"), (3, "none")


#: Adapters that fresh inputs show.
LIARS = [
    # Liars.
    ("knows_the_corpus", [], FAILING, "--case xml-json-fresh --seed 1"),
    (
        *("knows_its_raw_by_heart", [], FAILING),
        ("--case xml-json-fresh --seed 1", '\n    request   {"id": "1", "op": "parse", '),
    ),
    ("knows_what_is_drawn", [], FAILING, "--case xml-json-fresh --seed 1"),
    ("ends_blocks_in_strings", ["--seed", 5], FAILING, "--case xml-json-fresh --seed 5"),
    ("is_late_elsewhere", [], FAILING, "arrives later than with chunk 0"),
    ("loses_beyond_a_buffer", [], FAILING, "fresh: differs"),
    # The smallest piece of what was drawn is shown: one byte.
    ("drops_ill_formed_bytes", ["--seed", 3], FAILING, '"chunks_b64": ["gA=="]}'),
    ("counts_with_two_bytes", [], FAILING, "discarded differs"),
    # The smallest turns of which the second has no text.
    ("counts_on_in_later_turns", ["--seed", 3], FAILING, '"turns": [["<end>["], [""]]}'),
    ("has_no_call_deltas", ["--seed", 3], FAILING, ("call_delta '", "' is missing")),
    ("keeps_what_is_far", ["--seed", 3], FAILING, "arrives later than with"),
    ("keeps_answers", ["--case", "*-growing"], FAILING, "4 times the input takes 1"),
    ("keeps_rests", ["--case", "*-growing", "--seed", 3], FAILING, "4 times the input takes"),
    ("stores_what_is_emitted", [], FAILING, "restored in another process after 8 chunks"),
    ("ignores_snapshots", ["--as-claimed"], GOOD, "without restore"),
    (
        *("tires", ["--case", "*-fresh"], FAILING),
        "passes alone: state is kept between requests (ad-stateless)",
    ),
    ("drops_what_it_claims", ["--as-claimed"], FAILING, "the adapter says: blocks"),
    (
        "claims_no_tokens",
        ["--as-claimed"],
        GOOD,
        "without token, call-deltas, finish, snapshot",
    ),
    (None, ["--case", "*-prose"], GOOD, "1 of 1 selected case passes"),
    (
        *("falls_now_and_then", [], FAILING),
        (
            "1 failure that no case explains",
            "after 300 to 303 replies of a process, ",
            " times: crashed",
        ),
    ),
    # What is declared is left out, and named.
    (
        *("lacks_much", ["--as-claimed"], GOOD),
        (
            "lacks calls, discarded, messages",
            "not asked; without the op results; without token",
        ),
    ),
]
#: Those that probes or the corpus show, without any fresh inputs.
SEEN = [
    # What is probed before any case is asked.
    ("gives_deltas_for_events", [], NONE, "m-event-mode"),
    (
        *("keeps_snapshots_in_files", [], NONE),
        (
            "probes: what a snapshot contains: xml-json: a think with 2,048 random bytes in ",
            "so that it cannot contain them; a key to what is kept elsewhere is not a snapshot",
            "7 of 7 claimed cases pass\n",
        ),
    ),
    (
        *("keeps_snapshots_to_itself", [], NONE),
        (
            "restored in another process after 1 chunk",
            # Both requests, since the second alone restores what nothing has shown.
            '\n    request   {"id": "1", "op": "parse", "dialect": "xml-json", "save": [0], ',
            ']}\n    request   {"id": "2", "op": "parse", ',
        ),
    ),
    (
        "begins_anew",
        [],
        NONE,
        "a snapshot without its 'version' is not answered with `refused`, but {'feeds': ",
    ),
    # Requests that nobody can fulfil.
    ("numbers_on", [], NONE, "the same request has two replies"),
    ("sorts_cuts", [], NONE, "members that do not fit together: xml-json: {'text': 'Hello'"),
    ("prefers_chunks", [], NONE, "(ad-misuse)"),
    ("passes_over_call_deltas", [], NONE, "(ad-misuse)"),
    ("sleeps", ["--time-limit", 2], NONE, "took longer than 2 s; --time-limit gives it more"),
    ("is_small", [], NONE, "the adapter is not to be trusted; 7 of 7 claimed cases pass\n"),
    # What could be declared is one line, and the rest is judged.
    (
        *("has_bare_errors", [], NONE),
        (
            "errors have no `content`: report it, or list `messages` in",
            "replies have no `state`: report it, or list `state` in",
            "no verdict: the reply to `hello` does not have `calls`, `messages`, `state` in",
            "`lacks`; 7 of 7 claimed cases pass\n",
        ),
    ),
    (
        *("answers_at_the_close", [], NONE),
        (
            "probes: no event came before the close in any input: return each with the chunk",
            "no verdict: the reply to `hello` does not have `prompt` in `lacks`; ",
            " 7 of 7 claimed cases pass\n",
        ),
    ),
    (
        *("spells_calls_anew", [], NONE),
        (
            "probes: calls are not as the model spelled them: keep the text, or list",
            "no verdict: the reply to `hello` does not have `verbatim-calls` in `lacks`; ",
            " 7 of 7 claimed cases pass\n",
        ),
    ),
    # What is not claimed, or not asked.
    ("ignores_snapshots", [], UNCLAIMED, "not claimed, 5 cases: ability restore (5)"),
    ("claims_no_tokens", [], UNCLAIMED, "--as-claimed leaves out"),
    ("lacks_much", [], UNCLAIMED, "--as-claimed leaves out"),
    (None, ["--without", "token"], GOOD, "without token"),
    (None, ["--property", "chunks"], GOOD, "prompt, growth not judged"),
    # What is no reply.
    ("has_times", [], FAILING, "(ad-no-timestamp)"),
    ("repeats_a_member", [], FAILING, "two members 'close' in one object (ad-reply-names)"),
    ("adds_a_line", [], NONE, "a line after the last reply (ad-lines): '{}'"),
    ("has_an_empty_message", [], FAILING, "/content is empty (ad-reply-schema)"),
    ("has_no_message", [], FAILING, "/content is null, and not of the type string"),
    ("has_other_words", ["--case", "*-broken"], FAILING, "worded differently"),
    ("has_odd_members", [], FAILING, "ad-reply-schema"),
    ("has_halves", [], FAILING, "differs"),
    ("has_numbers_for_text", [], FAILING, "ad-reply-schema"),
    ("refuses_cuts", [], FAILING, 'what is valid was refused: "é\\u009b\\udfff"'),
    ("nests_a_little", [], FAILING, "ad-reply-depth"),
    ("greets_with_depth", [], NONE, "ad-reply-depth"),
    ("nests", [], FAILING, "ad-reply-depth"),
    ("feeds_no_lists", [], FAILING, "and not an array"),
    ("says_no_number", [], FAILING, "not JSON"),
    ("writes_too_much", [], FAILING, "ad-reply-length"),
]


# Each takes a second or more, so that they are shared between processes.
@pytest.mark.parametrize(
    ("kind", "options", "expected", "words", "with_fresh"),
    [*((*liar, True) for liar in LIARS), *((*liar, False) for liar in SEEN)],
)
def test_a_liar_gets_no_good_verdict(tmp_path, kind, options, expected, words, with_fresh):  # noqa: PLR0917
    """No form of the report says more than its verdict."""
    code, kind_of_verdict = expected
    command = fake(kind) if kind else REFERENCE
    report, output = run(tmp_path, command, *options, code=code, with_fresh=with_fresh)
    assert report.verdict.kind == kind_of_verdict
    for each in [words] if isinstance(words, str) else words:
        assert each in output
    assert "conformant" not in forms.as_badge(report).replace("not conformant", "")
    assert kind_of_verdict != "none" or 'type="none"' in forms.as_junit(report)
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
    while not process._noise:
        time.sleep(0.01)
    child = int(process._noise[0])
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
