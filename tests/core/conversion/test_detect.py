"""Naming the dialect of a text: by its first live marker, then by its blocks or its letters."""

from hypothesis import strategies as st

from cogwire_kit import strategies as make
from cogwire_kit.conformance import corpus
from tests import cogwire
from tests.core.helpers import DIALECTS, LINES, MARKER, TAGS, room
from tests.core.laws import law
from tests.rows import rows


def check_candidates(text, candidates):
    """Assert what `text` may be, and that it has a reason."""
    for data in (text, text.encode()):
        detected = cogwire.detect(data)
        assert detected.candidates == tuple(candidates)
        assert detected.dialect == (candidates[0] if len(candidates) == 1 else None)
        assert detected.reason
    return detected


@rows("each", corpus.array(corpus.PLACE / "texts" / "detection.json"))
def test_the_dialect_of_a_text_has_a_reason(each):
    """A marker that is content, as the first marker has it read, does not count."""
    assert check_candidates(each["text"], each["candidates"]).reason == each["reason"]


# --- Formats that models are trained on -------------------------------------------------------

TOOL_CALL = '<tool_call>\n{"name": "a", "arguments": {}}\n</tool_call>'


@rows(
    "name, text, reading",
    [
        ("hermes", f"{TOOL_CALL}bc", (1, 0, -2, True)),
        ("hermes", f"{TOOL_CALL}<tool_call>{{1</tool_call>b", (1, -1, -1, True)),
        ("hermes", TOOL_CALL.replace('"a"', '"a b"'), (1, -1, 0, True)),
        ("hy4", "<tool_calls><tool_call>a</tool_call></tool_calls>", (1, 0, 0, True)),
        ("hy4", "<tool_call>a</tool_call>", (1, 0, 0, False)),
    ],
)
def test_what_a_format_reads_in_a_text(name, text, reading):
    """The calls, minus the errors and strange names, minus the characters of prose, the section."""
    assert room("wire.trained.catalogue").readings(text)[name] == reading


def test_a_format_that_a_copy_does_not_have_is_not_named(monkeypatch):
    monkeypatch.setattr(room("conversion.detect"), "catalogue", lambda: None)
    assert "looks like" not in cogwire.detect(TOOL_CALL).reason


# --- Markers of two kinds ---------------------------------------------------------------------


def test_offsets_are_those_of_the_text_that_is_read():
    """The halves of a surrogate pair are one character."""
    text = "\ud83d\ude00" * 9 + "<think>\ud83d</think><execute>[]</execute>"
    assert cogwire.detect(text).dialect == "xml-json"


# --- Any text ---------------------------------------------------------------------------------


@law(make.inputs, parses=False)
def test_a_detected_dialect_is_a_possible_one(dialect, data):
    """Every result has a reason; and one dialect is named if there is only one candidate."""
    detected = cogwire.detect(data)
    assert detected.reason
    assert set(detected.candidates) <= set(DIALECTS)
    assert len(set(detected.candidates)) == len(detected.candidates)
    assert (detected.dialect is None) == (len(detected.candidates) != 1)
    assert detected.dialect in (None, *detected.candidates)


@law(
    lambda dialect: make.transcripts(dialect).map(lambda document: document.data),
    st.sampled_from(DIALECTS),
    parses=False,
)
def test_what_a_writer_has_written_is_detected(source, text, target):
    """Unless nothing was written that tells, or it is prose about another dialect."""
    written = cogwire.convert(text, source, target)
    candidates = cogwire.detect(written).candidates
    kinds = {event["type"] for event in cogwire.parse_transcript(written, target, clock=None)}
    if target in LINES and kinds:
        assert candidates[0] == target
    elif not MARKER.search(written):
        # Otherwise the first marker that is live decides, and it may be in prose.
        if "execute" in kinds:
            assert target in candidates
        elif kinds - {"respond"}:
            assert candidates[:2] == TAGS


@rows(
    ("text", "dialect", "names"),
    [
        ("<tool_call>{}</tool_call>", "hermes", ""),
        ('<tool_call>{"name": "a"}</tool_call>', "delimiter", "hermes"),
        ('<think>a</think><tool_call>{"name": "a"}</tool_call>', "xml-elements", "hermes"),
        ('<tool_call>{"name": }', "xml-json", "hermes"),
        ("<tool_call>ls\n<arg_key>a", "xml-json", "glm-4.5"),
        ('<think>a</think>\n<invoke name="{', "xml-json", ""),
        ("<execute>[]</execute>", "hermes", "xml-json"),
        ("<think>a</think>", "hermes", ""),
        ("<think>a</think>[TOOL_CALLS]ls[ARGS]{}", "hermes", "mistral"),
        ("<think>a</think>", "delimiter", "xml-json or xml-elements"),
        ("<execute>[]</execute>", "xml-elements", ""),
        ("a", "delimiter", ""),
    ],
)
def test_what_a_text_without_a_marker_of_its_dialect_looks_like(text, dialect, names):
    assert room("conversion.detect").looks_like(text, dialect) == names


def test_what_is_said_of_a_text_that_looks_like_another_dialect():
    assert room("conversion.detect").unnamed("hermes") == (
        "the text looks like hermes, and no dialect is named: name it, or xml-json if all of it is "
        "prose"
    )
