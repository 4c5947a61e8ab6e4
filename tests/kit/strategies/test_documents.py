"""The strategies: what they draw, how it shrinks, and the cases that failures leave behind."""

import ast
import json
import os
import random
import re
import subprocess
import sys
import textwrap
import traceback
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import UnsatisfiedAssumption
from jsonschema import Draft202012Validator

from cogwire_kit import _adapter, strategies
from cogwire_kit.conformance import corpus, normal, questions
from cogwire_kit.strategies import _cases, _cuts, _hostile
from tests import oracle
from tests.core.laws import chunked, law
from tests.kit.conformance.helpers import REFERENCE, run, verdicts
from tests.rows import rows

ROOT = Path(__file__).parents[3]
SCHEMA = Draft202012Validator(json.loads((ROOT / "spec/schemas/case.schema.json").read_text()))
FILES = sorted(Path(strategies.__file__).parent.glob("*.py"))

#: How an example is looked for that has to exist.
FOUND = settings(
    max_examples=1000,
    derandomize=False,
    database=None,
    deadline=None,
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)

each_dialect = rows("dialect", strategies.DIALECTS)
#: For what takes long; the strategies of the others are made of the same pieces.
one_dialect = rows("dialect", ["delimiter"])


def drawn(strategy, count=150):
    """Return what the strategy draws, the same each time."""
    values = []

    @settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def draw(value):
        values.append(value)

    draw()
    return values


# --- Imports ----------------------------------------------------------------------------------


def python(script):
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout


def test_nothing_of_the_core_is_imported():
    """What it says of a text is not what the core says of it."""
    script = "import sys, cogwire_kit.strategies; print(*sys.modules)"
    assert "cogwire" not in python(script).split()
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            modules += [node.module] if isinstance(node, ast.ImportFrom) else []
            assert not any(module.split(".")[0] == "cogwire" for module in modules), path


def test_without_hypothesis_the_error_says_what_to_install():
    script = """
        import sys
        sys.modules["hypothesis"] = None
        try:
            import cogwire_kit.strategies
        except ImportError as error:
            print(type(error).__name__, error)
    """
    said = python(textwrap.dedent(script))
    assert said.startswith("ImportError cogwire_kit.strategies needs Hypothesis")
    assert "pip install 'cogwire[strategies]'" in said


def test_everything_public_is_there_and_says_what_it_is():
    for name in strategies.__all__:
        value = getattr(strategies, name)
        assert not callable(value) or isinstance(value, st.SearchStrategy) or value.__doc__, name


# --- Documents and other texts ----------------------------------------------------------------


@law(strategies.documents)
def test_the_events_of_a_document_are_those_of_the_executable_spec(dialect, document):
    """The generator and the spec share nothing either."""
    expected = oracle.parse(document.text, **document.options)
    assert document.events == expected.events
    assert (document.state, document.discarded) == (expected.state, expected.discarded)
    assert document.options["dialect"] == dialect


@one_dialect
def test_turns_are_turns_and_transcripts_are_transcripts(dialect):
    for strategy, mode in ((strategies.turns, "turn"), (strategies.transcripts, "transcript")):
        documents = drawn(strategy(dialect), 60)
        assert {document.options["mode"] for document in documents} == {mode}
        seen = {event["type"] for document in documents for event in document.events}
        due = {"think", "respond", "call", "execute", "end"}
        assert seen >= (due if mode == "turn" else {*due, "result"})


@one_dialect
def test_a_document_shrinks_to_nothing(dialect):
    document = find(
        strategies.documents(dialect), lambda _: True, settings=settings(FOUND, max_examples=20)
    )
    assert (document.text, document.events, document.discarded) == ("", [], 0)


@one_dialect
def test_a_document_shrinks_to_one_call(dialect):
    types = ["call", "execute"]
    document = find(
        strategies.turns(dialect),
        lambda document: [event["type"] for event in document.events] == types,
        settings=FOUND,
    )
    assert len(document.text) < 60


HOSTILE = {
    "a lone surrogate": re.compile("[\ud800-\udfff]"),
    "an invisible character": re.compile(f"[{re.escape(''.join(_hostile.INVISIBLE))}]"),
    "an invisible character in a marker": re.compile("<?[a-z§][\u200b-\u200e\u2060\ufe0f][a-z]"),
}
HOSTILE_TAGS = {
    "another letter case": re.compile("</?(?=[a-z]*[A-Z])(?i:think|execute|results|end)>"),
    "a marker that is cut": re.compile("<(?:thin|execut|resul|en)(?![ktsd])"),
    "a letter twice": re.compile("<</?(?:think|execute|results)|<thh|eexecute|>>"),
}
HOSTILE_JSON = {
    "a closer in a string": re.compile('"x(?:</execute>|\\\\n§execute)"'),
    "an escape that is cut": re.compile(r"\\u[0-9a-f]{0,3}(?![0-9a-f])"),
    "half of a pair of escapes": re.compile(r"\\ud83d(?!\\ude00)"),
}
HOSTILE_ELEMENTS = {
    "a closer in a section": re.compile(r"<!\[CDATA\[</execute>\]\]>"),
    "a reference that is cut": re.compile("&(?:#x?[0-9A-F]*|[a-z]+)(?![;0-9A-Fa-z])"),
    "a section that is cut": re.compile(r"<!\[CDATA(?!\[)"),
}
HOSTILE_LINES = {
    "another letter case": re.compile("\n§(?=[a-z]*[A-Z])(?i:think:|call:|respond:|execute|end)"),
    "letters that fold": re.compile("[\u017f\u212a]"),
}


@each_dialect
def test_hostile_pieces_are_what_confuses(dialect):
    """Every text that is hostile is made of them."""
    texts = drawn(strategies.hostile_pieces(dialect), 1000)
    is_json = dialect != "xml-elements"
    due = HOSTILE | (HOSTILE_JSON if is_json else HOSTILE_ELEMENTS)
    due |= HOSTILE_TAGS if dialect.startswith("xml") else HOSTILE_LINES
    found = {name: sum(bool(one.search(text)) for text in texts) for name, one in due.items()}
    assert min(found.values()) > 0, found


@one_dialect
def test_texts_are_valid_damaged_and_hostile(dialect):
    """Many of them give an error, and many give none; many hold calls that may run."""
    kinds = Counter()
    for text in drawn(strategies.texts(dialect)):
        events = oracle.parse(text, dialect, mode="transcript").events
        kinds["error" if any(event["type"] == "error" for event in events) else "fine"] += 1
        kinds["execute"] += any(event["type"] == "execute" for event in events)
    assert min(kinds.values()) > 15, kinds


@one_dialect
def test_inputs_are_text_and_bytes_that_may_be_no_utf8(dialect):
    kinds = Counter()
    for data in drawn(strategies.inputs(dialect)):
        is_bytes = isinstance(data, bytes)
        is_valid = not is_bytes or data.decode("utf-8", "ignore").encode() == data
        kinds[is_bytes, is_valid] += 1
    assert kinds.keys() == {(False, True), (True, True), (True, False)}
    assert min(kinds.values()) > 3, kinds


def test_damage_changes_a_text_in_a_few_places():
    damaged = drawn(strategies.mutated(st.just("abc" * 20), st.just("!")))
    assert sum(text != "abc" * 20 for text in damaged) > len(damaged) // 2
    assert any("!" in text for text in damaged)


# --- Cuts -------------------------------------------------------------------------------------

#: Text with everything that has an inside.
WHOLE = 'a <think>b</think> \\ud83d\\ude00 \ud83d\ude00 &amp; <execute>[{"name":"a"}]</execute>'
LINE = 'é 😀 \n§call: {"name": "a\\n"}\r\n§execute\n[SYSTEM: <![CDATA[日]]>'


@rows("data", [WHOLE, LINE, LINE.encode(), "x", "", b"", b"\xff\xfe"])
def test_cuts_are_places_in_order_and_pieces_join(data):
    for cuts in drawn(strategies.chunkings(data)):
        assert cuts == sorted(cuts)
        assert all(1 <= cut <= len(data) for cut in cuts)
        chunks = strategies.split(data, cuts)
        assert data[:0].join(chunks) == data
        assert len(chunks) == len(cuts) + 1
    assert strategies.split("abc", [1, 1, 3]) == ["a", "", "bc", ""]


@rows("data", [WHOLE, LINE, LINE.encode()])
def test_a_number_means_a_place_and_later_places_have_larger_ones(data):
    numbers = _cuts._Numbers(data)
    places = [numbers.place(number) for number in range(numbers.stop + 1, numbers.last + 1)]
    assert sorted(set(places)) == list(range(1, len(data) + 1))
    assert places == sorted(places)
    assert [numbers.place(numbers.of(place)) for place in range(1, len(data) + 1)] == sorted(
        set(places)
    )


@rows(
    "data, inside",
    [
        ("<think>", range(1, 7)),
        ("a</EXECUTE>b", range(2, 11)),
        ("\\ud83d\\ude00", range(1, 12)),
        ("\\n\\u00e9x", [1, 3, 4, 5, 6, 7]),
        ("\ud83d\ude00", [1]),
        ("😀é", []),
        ("😀é".encode(), [1, 2, 3, 5]),
        ("§Call:", range(1, 6)),
        ("§end".encode(), range(1, 5)),
        ("&#x1F600;&lt", range(1, 9)),
        ("\r\n", [1]),
        ("[SYSTEM: ", range(1, 9)),
        ("<![CDATA[]]>", [*range(1, 9), 10, 11]),
    ],
)
def test_places_inside_of_what_must_not_be_cut(data, inside):
    assert _cuts.fragile(data) == list(inside)


def test_cuts_are_often_inside_of_what_must_not_be_cut():
    """A text of which a hundredth is a marker is cut inside of it half of the time."""
    data = "word " * 60 + "<think>" + "word " * 60
    inside = set(range(301, 307))
    cuts = [cut for cuts in drawn(strategies.chunkings(data), 60) if len(cuts) < 20 for cut in cuts]
    assert len(cuts) > 20
    assert sum(cut in inside for cut in cuts) > 0.4 * len(cuts)


def test_now_and_then_all_pieces_are_small():
    """With few cuts there is always a long piece."""
    sizes = [
        max(map(len, strategies.split(WHOLE, cuts))) for cuts in drawn(strategies.chunkings(WHOLE))
    ]
    small = sum(size <= 7 for size in sizes)
    assert 0 < small < len(sizes) // 2


def at_least(count):
    return lambda cuts: len(set(cuts)) >= count


BYTES = WHOLE.encode("utf-8", "surrogatepass")


@rows(
    "data, fails, least",
    [
        (WHOLE, lambda _: True, []),
        (BYTES, bool, [1]),
        (WHOLE, lambda cuts: max(cuts, default=0) >= 12, [12]),
        (WHOLE, lambda cuts: 17 in cuts, [17]),
        (BYTES, lambda cuts: {17, 31} <= set(cuts), [17, 31]),
        (WHOLE, lambda cuts: any(20 < cut < 30 for cut in cuts) and 33 in cuts, [21, 33]),
        (WHOLE, at_least(3), [1, 2, 3]),
        (BYTES, at_least(12), list(range(1, 13))),
        (WHOLE, lambda cuts: any(a == b for a, b in pairwise(cuts)), [1, 1]),
    ],
)
def test_cuts_shrink_to_the_fewest_and_earliest(data, fails, least):
    """However they were drawn: one by one, or all pieces small."""
    cuts = find(strategies.chunkings(data), fails, random=random.Random(1), settings=FOUND)
    assert cuts == least


# --- Cases ------------------------------------------------------------------------------------


def accepted(made, data):
    """Return the case as the runner has it, after its schema and its input were checked."""
    SCHEMA.validate(made)
    read = corpus.Case(json.loads(_cases.written(made)))
    assert read.data == made
    assert read.input == data
    assert type(read.input) is type(data)
    assert corpus.required(read) == made["requires"]
    return read


@law(strategies.documents)
def test_a_document_makes_a_case(dialect, document):
    """With its text, its options and its events."""
    read = accepted(strategies.case(document), document.text)
    assert read.expected == [
        {"events": document.events, "state": document.state, "discarded": document.discarded}
    ]
    assert read.options == {
        name: value
        for name, value in document.options.items()
        if (name, value) in {("mode", "transcript"), ("start", "think")}
    }


@law(strategies.faults)
def test_a_fault_makes_a_case(dialect, fault):
    """With the error that is due, and the limits that the fault needs."""
    read = accepted(strategies.case(fault), fault.data)
    assert read.expected[0]["events"] == fault.events
    assert read.options.get("limits", {}) == fault.options.get("limits", {})
    assert normal.same(read, read.expected[0], reference(read))


def reference(read):
    """Return the outcome that the runner sees of the core, for the case given whole."""
    line = questions.command_line(questions.whole(read)).encode()
    return normal.outcome(read, json.loads(_adapter.answer(line)))


readings = st.fixed_dictionaries(
    {
        "mode": strategies.modes,
        "start": strategies.starts,
        "limits": strategies.limits,
        "raw": st.booleans(),
    }
)


@law(strategies.inputs, readings)
def test_an_input_makes_a_case_that_the_runner_judges(dialect, data, reading):
    """Of the executable spec's outcome, which the core then has to give."""
    outcome = oracle.parse(data, dialect, **reading)
    read = accepted(strategies.case(data, outcome, dialect=dialect, **reading), data)
    assert normal.same(read, read.expected[0], reference(read))


def test_a_case_leaves_to_people_what_only_they_can_say():
    made = strategies.case(strategies.Document("a", [], "prose", 0, {"dialect": "delimiter"}))
    assert re.fullmatch("delimiter-found-[0-9a-f]{8}", made["id"])
    assert made["title"].startswith("To fill in: ")
    assert made["why"].startswith("To fill in: ")
    assert made["clauses"] == made["flags"] == ["to-fill-in"]
    assert "options" not in made
    other = strategies.case(strategies.Document("b", [], "prose", 0, {"dialect": "delimiter"}))
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
    text = "a" * 4000
    document = strategies.Document(
        text,
        [{"type": "respond", "content": text}, *[{"type": "call", "content": "{}"}] * 300],
        "prose",
        0,
        {"dialect": "xml-json"},
    )
    made = strategies.case(document)
    assert len(_cases.written(made)) < 1500
    assert accepted(made, text).expected[0]["events"] == document.events


def test_what_cannot_be_seen_is_escaped():
    document = strategies.Document("\u200b\u2028§", [], "prose", 0, {"dialect": "delimiter"})
    assert '"\\u200b\\u2028§"' in _cases.written(strategies.case(document))


# --- Failures ---------------------------------------------------------------------------------


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


@one_dialect
def test_a_document_that_is_read_wrongly_is_reported_as_a_case(dialect):
    @settings(derandomize=True, database=None, max_examples=100, deadline=None)
    @given(strategies.documents(dialect))
    def test(document):
        with strategies.reported(document):
            assert events_without_the_last(document.text, **document.options) == document.events

    made = printed(failure(test))
    read = accepted(made, corpus.expanded(made["input"]))
    assert len(read.input) < 60, "it is small"
    assert normal.same(read, read.expected[0], reference(read))


def test_what_is_printed_by_a_test_is_a_case_that_the_runner_runs(tmp_path):
    """The whole way: pytest's output, a corpus of what stands in it, and a run of that."""
    test = """
        from hypothesis import given, settings
        from cogwire_kit import strategies
        from tests import oracle

        @settings(deadline=None, database=None)
        @given(strategies.documents("delimiter"))
        def test_broken(document):
            with strategies.reported(document):
                events = oracle.parse(document.text, **document.options).events
                assert events[:-1] == document.events
    """
    path = tmp_path / "test_broken.py"
    path.write_text(textwrap.dedent(test), "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", path],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}"},
        capture_output=True,
        check=False,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    cases = tmp_path / "corpus" / "cases" / "delimiter"
    cases.mkdir(parents=True)
    (tmp_path / "corpus" / "corpus.json").write_text('{"version": "0.0.0", "protocol": 1}')
    (cases / "found.json").write_text(json.dumps([printed(done.stdout)]), "utf-8")
    (case,) = corpus.load(tmp_path / "corpus")
    SCHEMA.validate(case.data)
    report, _ = run(tmp_path, REFERENCE, place=tmp_path / "corpus")
    assert verdicts(report) == {case.id: "pass"}


def test_a_law_that_fails_prints_what_the_executable_spec_says():
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

    made = printed(failure(lambda: broken("xml-json")))
    read = accepted(made, "\ufffd" if made["input"] == "\ufffd" else corpus.expanded(made["input"]))
    assert made["options"] == {"mode": "transcript", "start": "think", "limits": {"size": 20}}
    assert len(read.expected[0]["events"]) == 1
    assert normal.same(read, read.expected[0], reference(read))


def test_a_law_of_something_else_prints_no_case():
    @law(strategies.texts, dialects=["xml-json"], parses=False)
    def broken(dialect, text):
        assert not text

    assert _cases.HEADING not in failure(lambda: broken("xml-json"))


def test_what_does_not_fail_has_no_note():
    document = strategies.Document("a", [], "prose", 0, {"dialect": "delimiter"})
    with strategies.reported(document):
        pass
    with pytest.raises(UnsatisfiedAssumption) as caught, strategies.reported(document):
        raise UnsatisfiedAssumption
    assert not hasattr(caught.value, "__notes__")


# --- Profiles ---------------------------------------------------------------------------------


def test_the_profiles():
    """The brief one and that of every change are the same each time; a night is not, and keeps."""
    few, default, night = map(settings.get_profile, ("few", "default", "night"))
    assert few.max_examples < default.max_examples < night.max_examples
    assert few.derandomize
    assert default.derandomize
    assert few.database is default.database is None
    assert not night.derandomize
    night.database.save(b"cogwire-profile", b"1")
    assert list(night.database.fetch(b"cogwire-profile")) == [b"1"]
    night.database.delete(b"cogwire-profile", b"1")
