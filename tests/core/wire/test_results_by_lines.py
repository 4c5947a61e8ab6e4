"""Bodies of results of the delimiter dialects, as a reader takes them: JSON where it is JSON, else text."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests import cogwire
from tests.core.helpers import LINES, bare, error, hopped, result, run, singles
from tests.rows import rows

A = '{"name": "a"}'
ONE = f"§call: {A}\n§execute\n"
VOID = "§call: ?\n§execute\n"
TWO = f"§call: {A}\n§call: {A}\n§execute\n"


def read(text, **options):
    events = bare(cogwire.parse_transcript(text, "delimiter", clock=None, **options))
    return [each for each in events if each["type"] in {"result", "error"}]


def success(content):
    """Return the result whose content is this JSON text."""
    return result(f'[\n  {{"tool": "a", "status": "success", "content": {content}}}\n]', 1)


@rows(
    ("text", "is_json"),
    [
        ("[" * 126 + "]" * 126, True),
        ("[" * 127 + "]" * 127, False),
        ('{"a": ' * 126 + "1" + "}" * 126, True),
        ('{"a": ' * 127 + "1" + "}" * 127, False),
        ('{"a": [' * 63 + "]}" * 63, True),
        ('{"a": [' * 63 + "{}" + "]}" * 63, False),
        ("0." + "1" * 999, True),
        ("0." + "1" * 1000, False),
    ],
)
def test_the_limits_determine_what_is_json(text, is_json):
    """A result is level 2, and its content level 3."""
    assert read(f"{ONE}§result: {text}") == [success(text if is_json else json.dumps(text))]
    loose = cogwire.Limits(depth=200, digits=2000)
    assert read(f"{ONE}§result: {text}", limits=loose) == [success(text)]


def test_a_body_that_goes_on_after_an_object_is_text():
    body = '{"tool": "a", "status": "success", "content": 1}]\0'
    assert read(f"{ONE}§result: {body}") == [success(json.dumps(body))]


@rows("size", [39, 40])
def test_bodies_together_are_as_long_as_one_block(size):
    """White space counts, markers and the bracket that closes do not."""
    text = f"{TWO}[SYSTEM: {'a' * 34}] ]\n§result: bc\n"
    events = read(text, limits=cogwire.Limits(size=size))
    if size == 39:
        assert events == [error("results-shape", "/1", offset=len(text) - 1)]
    else:
        assert [each["type"] for each in events] == ["result"]


def test_the_bodies_so_far_are_in_a_snapshot():
    """Another process goes on with them; what could not have been read is refused."""
    text = f'{TWO}§result: x\n§result: {{"tool": "a", "status": "failure", "content": "no"}}\n'
    parser = cogwire.Parser("delimiter", mode="transcript", clock=None)
    parser.feed(text)
    value = parser.snapshot()
    assert len(value["bodies"]) == 1
    assert bare(hopped(parser).close(finished=True)) == read(text)
    for wrong in ([1], "x", [*value["bodies"], "y", "z"], ["\ud800"]):
        with pytest.raises(ValueError, match="snapshot"):
            cogwire.Parser.restore({**value, "bodies": wrong}, clock=None)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=5,
)


@given(values, st.sampled_from(LINES), st.sampled_from([None, 1]), st.booleans())
@example("§end", "delimiter", None, False)
def test_a_json_body_is_its_value_and_a_json_string_a_string(value, dialect, indent, ascii_only):
    """However it is spelled; where a marker begins in it, the body ends, so that none does here."""
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    for body, content in ((text, value), (json.dumps(text), text)):
        events = cogwire.parse_transcript(f"{ONE}§result: {body}", dialect, clock=None)
        (item,) = json.loads(events[-1]["content"])
        # An infinity has no place in strict JSON, and stays text.
        assert item["content"] == (text if "Infinity" in body and body == text else content)


def test_an_excess_result_is_an_error_at_the_first_character_of_its_marker():
    """That is where it is wrong; what follows is the rest of it."""
    text = f"{ONE}§result: a\n§result: b\n§respond: c"
    for chunks in ([text], singles(text)):
        *_, wrong, rest = run(chunks, dialect="delimiter", mode="transcript", raw=True).events
        assert (wrong["code"], wrong["offset"]) == ("results-count", len(f"{ONE}§result: a\n"))
        assert (wrong["raw"], rest["raw"]) == ("\n§result: a\n§", "result: b\n§respond: c")


@rows("after", ["", "\n", "\n§respond: b"])
def test_a_body_may_be_as_large_as_results_may_be(after):
    """At the end of the text, which is the end of a line too; and no larger."""
    text = f"{ONE}§result: " + "x" * 29
    for size, types in ((29, ["error"]), (30, ["result"])):
        for chunks in ([text + after], singles(text + after)):
            limits = cogwire.Limits(size=size)
            options = {"dialect": "delimiter", "mode": "transcript", "limits": limits}
            events = run(chunks, **options).events
            seen = [each["type"] for each in events if each["type"] in {"result", "error"}]
            assert seen == (["error"] if after.startswith("\n") and size == 30 else types)


@rows(
    "results", ["§result: ab", "[SYSTEM: ab", "[SYSTEM: [", "[SYSTEM: a\n[SYS", "§result: a\n§res"]
)
def test_an_error_in_a_body_is_at_its_last_character(results):
    """Also where the text ends, with what might have become a marker; white space does not count."""
    text = f"{VOID}{results}"
    for after in ("", " ", "\n", "\n\t\n"):
        for chunks in ([text + after], singles(text + after)):
            *_, wrong = run(chunks, dialect="delimiter", mode="transcript").events
            assert (wrong["code"], wrong["offset"]) == ("results-shape", len(text) - 1), after
