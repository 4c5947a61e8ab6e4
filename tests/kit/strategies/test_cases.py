"""The cases that documents, faults and inputs make, and that failures leave after."""

import json
import os
import re
import sys
import textwrap
import traceback
from pathlib import Path

import pytest
from hypothesis import strategies as st
from hypothesis.errors import UnsatisfiedAssumption

from cogwire_kit import adapter, strategies
from cogwire_kit.conformance import corpus, questions, replies
from cogwire_kit.strategies import _cases
from tests import oracle, schemas
from tests.core.laws import chunked, law, property_in, spec_of
from tests.kit.conformance.helpers import REFERENCE, run, verdicts
from tests.processes import ran
from tests.rows import rows

ROOT = Path(__file__).parents[3]


def accepted(made, data):
    """Return the case as the runner has it, after its schema and its input were checked."""
    schemas.validator("case").validate(made)
    read = corpus.Case(json.loads(_cases.written(made)))
    assert read.data == made
    assert read.input == data
    assert type(read.input) is type(data)
    assert corpus.required(read) == made["requires"]
    return read


@law(strategies.documents)
def test_a_document_makes_a_case(dialect, document):
    """With its text, its options, and the events that the executable spec reads in it."""
    read = accepted(strategies.case(document), document.data)
    expected = spec_of(document)
    assert read.expected == [
        {"events": expected.events, "state": expected.state, "discarded": expected.discarded}
    ]
    assert read.options == {
        name: value
        for name, value in document.options.items()
        if (name, value) in {("mode", "transcript"), ("start", "think")}
    }


@law(strategies.faults)
def test_a_fault_makes_a_case(dialect, fault):
    """With its error, and the limits that the fault needs."""
    read = accepted(strategies.case(fault), fault.data)
    assert read.expected[0]["events"] == spec_of(fault).events
    assert read.options.get("limits", {}) == fault.options.get("limits", {})
    assert replies.same(read, read.expected[0], reference(read))


def reference(read):
    """Return the outcome that the runner sees of the core, for the case given whole."""
    line = questions.command_line(questions.whole(read)).encode()
    return replies.outcome(read, json.loads(adapter.answer(line)))


readings = st.fixed_dictionaries(
    {
        "mode": strategies.modes,
        "start": strategies.starts,
        "limits": strategies.limits,
        "raw": st.booleans(),
    }
)


@law(strategies.inputs, readings)
def test_an_input_makes_a_case_that_the_runner_runs(dialect, data, reading):
    """Of the executable spec's outcome, which the core then has to give."""
    outcome = oracle.parse(data, dialect, **reading)
    read = accepted(strategies.case(data, outcome, dialect=dialect, **reading), data)
    assert replies.same(read, read.expected[0], reference(read))


def test_a_case_has_placeholders_for_what_only_a_person_can_write():
    made = strategies.case(strategies.Document("a", {"dialect": "delimiter"}))
    assert re.fullmatch("delimiter-found-[0-9a-f]{8}", made["id"])
    assert made["title"].startswith("To fill in: ")
    assert made["why"].startswith("To fill in: ")
    assert made["clauses"] == made["flags"] == ["to-fill-in"]
    assert "options" not in made
    other = strategies.case(strategies.Document("b", {"dialect": "delimiter"}))
    assert other["id"] != made["id"]


def test_an_input_needs_its_outcome():
    with pytest.raises(TypeError, match="needs the outcome"):
        strategies.case("a")


@rows(
    "data, notation",
    [
        ("", ""),
        ("a§\n", "a§\n"),
        ("\ud83d", {"parts": [{"surrogate": "D83D"}]}),
        ("a\ud83d\ude00b", {"parts": ["a", {"surrogate": "D83D"}, {"surrogate": "DE00"}, "b"]}),
        ("x" * 15, "x" * 15),
        ("x" * 16, {"parts": [{"repeat": "x", "times": 16}]}),
        ("<" + "ab" * 500 + ">", {"parts": ["<", {"repeat": "ab", "times": 500}, ">"]}),
        (b"", {"base64": ""}),
        (b"\xff", {"base64": "/w=="}),
        (
            b"a" + b"\xff" * 20,
            {"parts": [{"base64": "YQ=="}, {"repeat": {"base64": "/w=="}, "times": 20}]},
        ),
    ],
)
def test_the_notation_of_the_corpus(data, notation):
    assert _cases.notation(data) == notation
    assert corpus.expanded(notation) == data


def test_long_contents_and_many_events_are_written_short():
    text = "a" * 4000 + "<execute>" + "<b/>" * 200 + "</execute>"
    document = strategies.Document(text, {"dialect": "xml-elements"})
    made = strategies.case(document)
    assert len(_cases.written(made)) < 1500
    assert accepted(made, text).expected[0]["events"] == document.events


def test_invisible_characters_are_escaped():
    document = strategies.Document("\u200b\u2028§", {"dialect": "delimiter"})
    assert '"\\u200b\\u2028§"' in _cases.written(strategies.case(document))


# --- Failures -------------------------------------------------------------------------------


def printed(output):
    """Return the case in what a failure printed, with pytest's margin or without it."""
    text = re.sub(r"(?m)^E? *", "", output).partition(f"{_cases.HEADING}\n")[2]
    return json.JSONDecoder().raw_decode(text)[0]


def events_without_the_last(data, **options):
    """Parse, and lose the last event: a broken parser."""
    return oracle.parse(data, **options).events[:-1]


def failure(test):
    """Return what is printed of the failure of a test."""
    with pytest.raises(AssertionError) as caught:
        test()
    return "".join(traceback.format_exception(caught.value))


@pytest.mark.verify
def test_a_case_printed_by_a_test_can_be_run(tmp_path):
    """The whole way: pytest's output, a corpus of what is in it, and a run of that."""
    test = """
        from hypothesis import given, settings
        from cogwire_kit import strategies
        from tests import oracle, schemas

        @settings(deadline=None, database=None)
        @given(strategies.documents("delimiter"))
        def test_broken(document):
            with strategies.reported(document):
                events = oracle.parse(document.data, **document.options).events
                assert events[:-1] == document.events
    """
    path = tmp_path / "test_broken.py"
    path.write_text(textwrap.dedent(test), "utf-8")
    done = ran(
        *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", path),
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}"},
        encoding="utf-8",
    )
    assert done.returncode == 1, done.stdout + done.stderr
    cases = tmp_path / "corpus" / "cases" / "delimiter"
    cases.mkdir(parents=True)
    (tmp_path / "corpus" / "corpus.json").write_text('{"version": "0.0.0", "protocol": 1}')
    (cases / "found.json").write_text(json.dumps([printed(done.stdout)]), "utf-8")
    (case,) = corpus.load(tmp_path / "corpus")
    assert len(accepted(case.data, corpus.expanded(case.data["input"])).input) < 60, "it is small"
    report, _ = run(tmp_path, REFERENCE, place=tmp_path / "corpus")
    assert verdicts(report) == {case.id: "pass"}


@pytest.mark.verify
def test_a_law_that_fails_prints_the_events_of_the_executable_spec():
    """Of the input that was cut, read as the law read it."""
    reading = {"mode": "transcript", "start": "think", "limits": (20, 256, 128, 1000)}

    @law(
        lambda dialect: chunked(strategies.texts(dialect)),
        st.just({"dialect": "xml-json", **reading}),
        dialects=["xml-json"],
    )
    def broken(dialect, feed, reading):
        events = events_without_the_last(feed.data, **reading)
        assert events == oracle.parse(feed.data, **reading).events

    made = printed(failure(property_in(broken.law, "xml-json")))
    read = accepted(made, "\ufffd" if made["input"] == "\ufffd" else corpus.expanded(made["input"]))
    assert made["options"] == {"mode": "transcript", "start": "think", "limits": {"size": 20}}
    assert len(read.expected[0]["events"]) == 1
    assert replies.same(read, read.expected[0], reference(read))


@pytest.mark.verify
def test_a_law_of_something_else_prints_no_case():
    @law(strategies.texts, dialects=["xml-json"], parses=False)
    def broken(dialect, text):
        assert not text

    assert _cases.HEADING not in failure(property_in(broken.law, "xml-json"))


def test_a_law_that_does_not_fail_has_no_note():
    document = strategies.Document("a", {"dialect": "delimiter"})
    with strategies.reported(document):
        pass
    with pytest.raises(UnsatisfiedAssumption) as caught, strategies.reported(document):
        raise UnsatisfiedAssumption
    assert not hasattr(caught.value, "__notes__")
