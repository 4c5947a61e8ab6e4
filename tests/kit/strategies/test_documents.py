"""The strategies of documents and other texts: what they draw, and how it shrinks."""

import re
import sys
import textwrap
from collections import Counter

import pytest
from hypothesis import find, settings
from hypothesis import strategies as st

from cogwire_kit import strategies
from cogwire_kit.strategies import _hostile, _lines
from tests import oracle
from tests.core.helpers import LINES
from tests.core.laws import law, spec_of
from tests.kit.strategies.drawing import FOUND, drawn
from tests.processes import ran
from tests.rows import rows

pytestmark = pytest.mark.verify

each_dialect = rows("dialect", strategies.DIALECTS)
#: For what takes long; the strategies of the others are made of the same pieces.
one_dialect = rows("dialect", ["delimiter"])


def python(script):
    done = ran(sys.executable, "-c", script, check=True)
    return done.stdout


def test_without_hypothesis_the_error_names_the_package_to_install():
    script = """
        import sys
        sys.modules["hypothesis"] = None
        try:
            import cogwire_kit.strategies
        except ImportError as error:
            print(type(error).__name__, error)
    """
    output = python(textwrap.dedent(script))
    assert output.startswith("ImportError cogwire_kit.strategies needs Hypothesis")
    assert "pip install hypothesis" in output


# --- Documents and other texts --------------------------------------------------------------


ON_PURPOSE = {"trailing-text", "missing-execute", *_lines.BROKEN}


@law(strategies.documents)
def test_a_document_has_no_fault_but_results_that_a_model_wrote(dialect, document):
    """In the delimiter dialects there are batches on purpose that break a rule."""
    assert document.options["dialect"] == dialect
    codes = {event["code"] for event in spec_of(document).events if event["type"] == "error"}
    assert codes <= {"forged-results", *(ON_PURPOSE if dialect in LINES else ())}


@one_dialect
def test_turns_are_turns_and_transcripts_are_transcripts(dialect):
    for strategy, mode in ((strategies.turns, "turn"), (strategies.transcripts, "transcript")):
        documents = drawn(strategy(dialect), 60)
        assert {document.options["mode"] for document in documents} == {mode}
        seen = {event["type"] for document in documents for event in document.events}
        needed = {"think", "respond", "call", "execute", "end"}
        assert seen >= (needed if mode == "turn" else {*needed, "result"})


@one_dialect
def test_a_document_shrinks_to_nothing(dialect):
    document = find(
        strategies.documents(dialect), lambda _: True, settings=settings(FOUND, max_examples=20)
    )
    assert (document.data, document.events, document.discarded) == ("", [], 0)


@one_dialect
def test_a_document_shrinks_to_one_call(dialect):
    types = ["call", "execute"]
    document = find(
        strategies.turns(dialect),
        lambda document: [event["type"] for event in document.events] == types,
        settings=FOUND,
    )
    assert len(document.data) < 60


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
def test_hostile_pieces_contain_confusing_text(dialect):
    """Every text that is hostile is made of them."""
    is_json = dialect != "xml-elements"
    needed = HOSTILE | (HOSTILE_JSON if is_json else HOSTILE_ELEMENTS)
    needed |= HOSTILE_TAGS if dialect.startswith("xml") else HOSTILE_LINES
    # Most are found soon: the same draws are the beginning of more of them.
    for count in (250, 1000, 4000):
        texts = drawn(strategies.hostile_pieces(dialect), count)
        missing = [name for name, one in needed.items() if not any(map(one.search, texts))]
        if not missing:
            break
    assert missing == []


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


# --- Profiles -------------------------------------------------------------------------------


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
