"""Growth is judged by the work of a process, whatever else the machine does."""

import json
import random
import shutil
import subprocess
import sys

import pytest

from cogwire_kit.conformance import corpus, process, questions, replies
from cogwire_kit.conformance.growth import Measured, measured
from cogwire_kit.conformance.target import Reply
from tests.kit.conformance.helpers import SMALL, fake, finding, run, verdicts
from tests.oracle import answering
from tests.rows import rows


@rows(
    "answers, verdict, note",
    [
        # Processor time and time on the clock, of the small input and of one 4 times as large.
        ([(0.1, 0.1), (0.4, 0.4)], "pass", "4.0 times as much processor time"),
        ([(0.1, 0.1), (0.8, 0.8)], "pass", "8.0 times as much processor time"),
        ([(0.1, 0.1), (1.6, 1.6)], "differs", "16.0 times as much processor time"),
        # A busy machine lets the process wait.
        ([(0.1, 0.1), (0.4, 9.0)], "pass", "4.0 times as much processor time"),
        ([(0.1, 1.5), (1.6, 1.7)], "differs", "16.0 times as much processor time"),
        # The least of several counts, of each size.
        ([(0.1, 0.1), (1.6, 1.6), (0.3, 0.3), (0.4, 0.4)], "pass", "4.0 times as much"),
        # What takes next to no time says nothing of how it grows.
        ([(0.0001, 0.1), (0.019, 0.1)], "pass", "3.8 times as much processor time"),
        # If it is not reported, or the work is done elsewhere, there is only the clock.
        ([(None, 0.1), (None, 0.4)], "pass", "4.0 times as long"),
        ([(None, 0.1), (None, 1.6)], "differs", "16.0 times as long"),
        ([(0.001, 0.1), (0.03, 1.6)], "differs", "16.0 times as long"),
        ([(0.1, 0.1), (None, 1.6)], "differs", "16.0 times as long"),
        # Nor does it help to sleep: of that a busy machine makes nothing.
        ([(0.1, 0.1, 0.0), (0.4, 9.0, 0.1)], "pass", "4.0 times as much processor time"),
        ([(0.1, 0.2, 0.1), (0.4, 0.8, 0.4)], "pass", "4.0 times as much processor time"),
        ([(0.02, 0.1, 0.08), (0.08, 1.36, 1.28)], "differs", "13.6 times as long"),
        ([(0.02, 0.1, 0.08), (0.08, 0.4, 0.32)], "pass", "4.0 times as long"),
    ],
)
def test_the_work_of_a_larger_input_is_compared_with_that_of_a_small_one(answers, verdict, note):
    least = Measured(4)
    for at, (work, *others) in enumerate(answers):
        least.add(at % 2, Reply({}, others[0], work, *others[1:]))
    is_fine, found = least.judged()
    assert is_fine == (verdict == "pass")
    assert note in found


@rows("seconds, number", [(0.01, 24), (9, 7), (31, 2), (400, 2)])
def test_what_is_slow_is_not_measured_for_hours(seconds, number):
    """Quadratic work is seen in one answer of each size, if that takes minutes."""
    asked = []

    def ask(index):
        asked.append(index)
        return Reply({}, seconds, seconds * (16 if index else 1), 0.0)

    is_fine, note = measured(4, ask)
    assert not is_fine
    assert "16.0 times as much processor time" in note
    assert len(asked) == number


GROWTH = [case for case in corpus.load() if "growth" in case.data]


@rows("case", GROWTH)
def test_no_measured_text_begins_as_another_and_each_is_read_as_its_case_expects(case):
    """The line of prose before it changes nothing else; what is expected is written by hand."""
    small = corpus.Case({**case.data, "growth": {**case.data["growth"], "small": 3, "large": 5}})
    asked = list(questions.growing(small, 2, random.Random(1)))
    assert len({question.chunks[0] + question.chunks[1] for question in asked}) == 4
    # Nor are two of a size the same after it, where what grows is one letter.
    is_letter = '"repeat": "a", "times": "n"' in json.dumps(case.data["input"])
    rests = {"".join(question.chunks).partition("\n")[2] for question in asked}
    assert len(rests) == (4 if is_letter else 2)
    for question in asked:
        # The executable specification reads whole texts only.
        request = {name: value for name, value in question.request.items() if name != "snapshots"}
        actual = replies.outcome(question.case, answering.answer({"id": "1", **request}))
        assert replies.same(case, question.case.expected[0], actual)


@pytest.mark.verify
@rows("kind, words", [("grows", "times as much processor time"), ("dozes", "times as long")])
def test_work_or_sleep_that_grows_with_the_square_is_seen(tmp_path, kind, words):
    """What sleeps has a processor for long enough to seem to work itself."""
    report, output = run(tmp_path, fake(kind), "--case", "*growing", code=1)
    assert verdicts(report) == {"growing": "differs"}
    assert words in finding(report, "growing", "growth")["message"] + output


def shortened(place, name):
    """Store a corpus of this case and of one that lacks nothing, with texts an eighth as long."""
    shutil.copytree(SMALL, place)
    (file,) = corpus.case_files(place)
    cases = []
    for case in GROWTH:
        if case.id in (f"xml-json-growth-{name}", "xml-json-growth-long-string"):
            growth = case.data["growth"]
            sizes = {size: growth[size] // 8 for size in ("small", "large")}
            cases.append({**case.data, "growth": {**growth, **sizes}})
    file.write_text(json.dumps(cases), "utf-8")
    return place


@pytest.mark.verify
@rows(
    "kind, case",
    [
        ("grows_with_raw", "raw-of-many-events"),
        ("grows_with_raw", "raw-of-a-long-string"),
        ("grows_with_raw", "sealed-calls"),
        ("grows_with_snapshots", "snapshots"),
    ],
)
def test_work_that_grows_only_with_what_is_requested_is_seen(tmp_path, kind, case):
    """Without it the work is linear, and no other case shows the fault."""
    report, _ = run(tmp_path, fake(kind), code=1, place=shortened(tmp_path / case, case))
    assert verdicts(report) == {"growth-long-string": "pass", f"growth-{case}": "differs"}
    message = finding(report, f"growth-{case}", "growth")["message"]
    assert "times as much processor time" in message


BURNING = """
import sys, time
while time.process_time() < 0.3: pass
print("burnt", flush=True)
sys.stdin.read()
"""
PARENT = """
import subprocess, sys
pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
ended, running = (subprocess.Popen([sys.executable, "-c", sys.argv[1]], **pipes) for _ in "12")
ended.communicate()
running.stdout.readline()
print("ready", flush=True)
sys.stdin.read()
running.communicate()
"""


def test_the_work_of_a_process_is_that_of_all_below_it_whether_it_runs_or_has_ended():
    command = [sys.executable, "-c", PARENT, BURNING]
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True) as parent:
        assert parent.stdout.readline() == "ready\n"
        assert 0.59 < process.spent(parent.pid).work < 5
        parent.communicate()
    assert process.spent(parent.pid) is None
