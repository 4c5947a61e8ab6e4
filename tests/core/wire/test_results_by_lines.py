"""Bodies of results of the delimiter dialects, as a reader takes them: JSON where it is JSON, else text."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests import cogwire
from tests.core.helpers import LINES, bare, error, hopped, result, run, singles

A = '{"name": "a"}'
ONE = f"§call: {A}\n§execute\n"
NONE = "§execute\n"
VOID = "§call: ?\n§execute\n"
TWO = f"§call: {A}\n§call: {A}\n§execute\n"


def read(text, **options):
    events = bare(cogwire.parse_transcript(text, "delimiter", clock=None, **options))
    return [each for each in events if each["type"] in {"result", "error"}]


def success(content):
    """Return the result whose content is this JSON text."""
    return result(f'[\n  {{"tool": "a", "status": "success", "content": {content}}}\n]', 1)


def test_a_body_that_is_json_is_verbatim():
    for text in (
        *("null", "true", "false", "0", "-0", "1.50", "1e2", "[]", "{}", '""', '"a"', "[1,  2]"),
        *('{"a":{"b":[null]}}', '{"tool": 1}', '{"tool": 1, "status": 2, "content": 3, "x": 4}'),
        *('"\\u00e9"', '"\\ud83d\\ude00"', "9007199254740993", "1e-400"),
    ):
        assert read(f"{ONE}§result: {text}") == [success(text)]
        assert read(f"{ONE}[SYSTEM: {text}]") == [success(text)]
        assert read(f"{ONE}§result:\n\t{text}\r\n") == [success(text)]


def test_any_other_body_is_text():
    for text in (
        *("", "a", "nul", "nulls", "01", "+1", ".5", "1.", "0x1", "1e999", "NaN", "-", "1 2", "1,"),
        *("[1", "[1]]", "[1,]", "{", "{}{}", '{"a"}', '{"a": 1,}', "{'a': 1}", '"', '"a', '"a" b'),
        *(
            '{"a": 1, "a": 2}',
            '{"a": 1, "\\u0061": 2}',
            '"\\ud800"',
            '"\\x"',
            '"\t"',
            "// 1",
            "{}\0",
        ),
        *('1, "x": 2', '1}, {"tool": "a"', "1}]", "]", "}", "1}]\0", '{"a": 1}]\0', "\0"),
        *('{"tool": "a", "status": "success", "content": 1', '[{"a": 1, "a": 2}]'),
    ):
        assert read(f"{ONE}§result: {text}") == [success(json.dumps(text, ensure_ascii=False))]


@pytest.mark.parametrize(
    ("text", "is_json"),
    [
        ("[" * 126 + "]" * 126, True),
        ("[" * 127 + "]" * 127, False),
        ("0." + "1" * 999, True),
        ("0." + "1" * 1000, False),
    ],
)
def test_the_limits_determine_what_is_json(text, is_json):
    """A result is level 2, and its content level 3."""
    assert read(f"{ONE}§result: {text}") == [success(text if is_json else json.dumps(text))]
    loose = cogwire.Limits(depth=200, digits=2000)
    assert read(f"{ONE}§result: {text}", limits=loose) == [success(text)]


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ('{"tool": "a", "status": "success", "content": {"x": [1.0]}}', 0),
        ('{"tool": "a", "status": "failure", "content": "no"}', 1),
        ('{ "content":1,"status" :"success", "tool":"\\u0061" }', 0),
    ],
)
def test_a_body_that_is_a_whole_result_is_that_result(text, failed):
    assert read(f"{ONE}§result: {text}") == [result(f"[\n  {text}\n]", 1 - failed, failed)]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"tool": "b", "status": "success", "content": 1}', "results-order"),
        ('{"tool": "execute", "status": "failure", "content": "x"}', "results-order"),
        ('{"tool": 1, "status": "success", "content": 1}', "results-shape"),
        ('{"tool": "a", "status": "ok", "content": 1}', "results-shape"),
        ('{"tool": "a", "status": "failure", "content": 1}', "results-shape"),
    ],
)
def test_a_whole_result_that_does_not_answer_is_an_error(text, code):
    """At its last character, with the number of the body."""
    begun = f"{TWO}§result: fine\n§result: "
    at = len(begun) + len(text) - 1
    assert read(f"{begun}{text} \n") == [error(code, "/1", offset=at)]


def test_the_payload_counts_the_results():
    text = (
        f"§call: {A}\n{TWO}§result: x\n"
        '§result: {"tool": "a", "status": "failure", "content": "no"}\n[SYSTEM: 1]'
    )
    (given_result,) = read(text)
    assert given_result["payload"] == result("", 2, 1)["payload"]


def test_a_batch_without_calls_is_answered_by_an_empty_array_alone():
    for text in ("[]", "[ ]", "[\n\t\r ]"):
        assert read(f"{NONE}§result: {text}\n") == [result("[]")], text
    for text in ("x", "[", "]", "[1]", "[]]", "[\u00a0]", "null", '"[]"'):
        at = len(f"{NONE}§result: {text}") - 1
        assert read(f"{NONE}§result: {text} ") == [error("results-count", offset=at)], text


def test_an_empty_body_that_is_wrong_ends_with_its_marker():
    assert read(f"{NONE}§result: ") == [error("results-count", offset=len(f"{NONE}§result:") - 1)]
    at = len(f"{NONE}[SYSTEM: ") - 1
    assert read(f"{NONE}[SYSTEM: ]") == [error("results-count", offset=at)]


@pytest.mark.parametrize(
    "text",
    [
        "fine",
        "",
        "[]",
        '{"tool": "execute", "status": "success", "content": "x"}',
        '{"tool": "execute", "status": "failure", "content": 1}',
    ],
)
def test_a_void_batch_is_answered_by_a_failure_alone(text):
    *_, last = read(f"{VOID}[SYSTEM: {text}]")
    assert (last["type"], last["code"], last["path"]) == ("error", "results-shape", "/0")


@pytest.mark.parametrize("size", [39, 40])
def test_bodies_together_are_as_long_as_one_block(size):
    """White space counts, markers and the bracket that closes do not."""
    text = f"{TWO}[SYSTEM: {'a' * 34}] ]\n§result: bc\n"
    events = read(text, limits=cogwire.Limits(size=size))
    if size == 39:
        assert events == [error("results-shape", "/1", offset=len(text) - 1)]
    else:
        assert [each["type"] for each in events] == ["result"]


@pytest.mark.parametrize("data", [b"a\xff", b"\xff", b'{"tool": "\xff'])
def test_a_replaced_character_in_a_body_is_an_error(data):
    before = f"{ONE}§result: ".encode()
    (given_error,) = read(before + data)
    assert given_error == error(
        "results-shape", "/0", offset=len(f"{ONE}§result: ") + data.index(b"\xff")
    )
    assert read(f"{ONE}§result: \ufffd") == [success('"\ufffd"')]


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


@pytest.mark.parametrize("after", ["", "\n", "\n§respond: b"])
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


@pytest.mark.parametrize(
    "results", ["§result: ab", "[SYSTEM: ab", "[SYSTEM: [", "[SYSTEM: a\n[SYS", "§result: a\n§res"]
)
def test_an_error_in_a_body_is_at_its_last_character(results):
    """Also where the text ends, with what might have become a marker; white space does not count."""
    text = f"{VOID}{results}"
    for after in ("", " ", "\n", "\n\t\n"):
        for chunks in ([text + after], singles(text + after)):
            *_, wrong = run(chunks, dialect="delimiter", mode="transcript").events
            assert (wrong["code"], wrong["offset"]) == ("results-shape", len(text) - 1), after
