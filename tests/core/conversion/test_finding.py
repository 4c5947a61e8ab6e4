"""Calls that a model wrote into its prose: what is found, what is not, and at every cut."""

import functools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogwire_kit.conformance import corpus
from tests import cogwire, oracle
from tests.core.helpers import singles, split, unmeasured, with_room
from tests.core.wire.described.drawing import described_texts, descriptions
from tests.rows import rows

#: Texts for anything that looks for calls in prose, in groups that have the same formats.
GROUPS = corpus.array(corpus.PLACE / "texts" / "finding.json")
FORMATS, HEADED = GROUPS[0]["formats"], GROUPS[2]["formats"]
NAMES = {"search", "a"}

A = '<tool_call>{"name": "a", "arguments": {"x": "</tool_call>"}}</tool_call>'
CONTENT_A = '{"name": "a", "args": {"x": "</tool_call>"}}'
G = "<tool_call>search\n<arg_key>q</arg_key>\n<arg_value>b</arg_value>\n</tool_call>"
CONTENT_G = '{"name": "search", "args": {"q": "b"}}'
S = '<calls><call>{"name": "a", "arguments": {}}</call>\n<call>{"name": "search", "arguments": {}}</call></calls>'
C = '<call>{"name": "a", "arguments": {}}</call>'
N, J = "<s>b<c>to=a<m>{}", '<json>{"name": "a", "arguments": {}}<e>'


@functools.lru_cache
def made(written):
    """Return the format that a description in JSON is, made once for all texts."""
    return cogwire.Format.from_json(json.loads(written))


def finder(descriptions=FORMATS, names=NAMES, **options):
    forms = [made(json.dumps(each)) for each in descriptions]
    return cogwire.CallFinder(formats=forms, names=names, **options)


def found(chunks, *given, finished=False, **options):
    """Return the prose and the calls of a text in chunks."""
    reading = finder(*given, **options)
    prose = "".join([*map(reading.feed, chunks), reading.close(finished=finished)])
    return prose, [(each.content, each.format, each.begin, each.end) for each in reading.calls]


@rows(
    "group, each",
    [pytest.param(group, each, id=each["id"]) for group in GROUPS for each in group["texts"]],
)
def test_calls_are_found(group, each):
    text, formats, finished = each["text"], group["formats"], group.get("finished", False)
    expected = each.get("prose", text), each["calls"]
    for chunks in ([text], singles(text), split(text, len(text) // 2)):
        seen, calls = found(chunks, formats, finished=finished)
        assert (seen, [content for content, *_ in calls]) == expected
        assert not finished or all(end == len(text) for _, _, _, end in calls[-1:])
    assert found([text], formats[::-1], finished=finished)[0] == expected[0]
    with unmeasured():
        seen, calls = oracle.finding.find_calls(text, formats, NAMES, finished=finished)
    assert (seen, [call.content for call in calls]) == expected


H = "<|channel|>commentary to=functions.a<|message|>{}"


def test_a_call_of_harmony_is_found_without_its_closer_where_the_turn_is_stated_to_end():
    text = f"<|start|>assistant{H}"
    for answer, count in ((text, 1), (f"{text}\n", 1), (text[:-1], 0), (f"{text}a", 0)):
        options = {"formats": ["harmony"], "names": ["a"]}
        prose, calls = cogwire.find_calls(answer, **options, finished=True)
        assert (prose, len(calls)) == (answer if not count else "", count)
        assert cogwire.find_calls(answer, **options) == (answer, [])


def test_a_call_has_its_name_its_format_and_its_place():
    forms = [cogwire.Format.from_json(each) for each in FORMATS]
    text = f"é {G}"
    prose, calls = cogwire.find_calls(text.encode(), formats=forms, names=NAMES)
    assert prose == "é "
    assert calls == [cogwire.FoundCall("search", CONTENT_G, "glm", 2, len(text))]


def test_known_formats_are_found_by_their_names():
    text = f"Here: {A}"
    seen = cogwire.find_calls(text, formats=["hermes", "glm-4.5"], names=["a"])
    assert seen == ("Here: ", [cogwire.FoundCall("a", CONTENT_A, "hermes", 6, len(text))])


def test_prose_is_not_held_back_for_longer_than_it_may_be_a_block():
    reading = finder()
    chunks = ("Hi. <", "tool_", "x<tool_call>", '{"name', '": "a"}', "</tool_call>c", "<tool_call>")
    expected = ["Hi. ", "", "<tool_x", "", "", "c", ""]
    assert [reading.feed(chunk) for chunk in chunks] == expected
    assert [call.content for call in reading.calls] == ['{"name": "a", "args": {}}']
    assert reading.close() == "<tool_call>"
    with pytest.raises(RuntimeError):
        reading.feed("a")


def test_half_characters_and_bytes_are_read_as_a_parser_reads_them():
    assert found(["a\ud83d", "\ude00b\ud83d"])[0] == "a😀b\ufffd"
    data = f"é{A}".encode()
    assert found([data[at : at + 1] for at in range(len(data))])[0] == "é"
    lost = A.replace("x", "\ud800")
    assert found([lost]) == (lost.replace("\ud800", "\ufffd"), [])


def test_a_limit_ends_a_block():
    limits = cogwire.Limits(size=20)
    assert found([A], limits=limits) == found(singles(A), limits=limits) == (A, [])


def test_a_call_is_found_however_deep_it_and_the_stack_are():
    for levels, room in ((100, 60), (5000, 200)):
        value = "[" * levels + "]" * levels
        text = A.replace('"</tool_call>"', value)
        prose, (call,) = with_room(room, lambda: found([text], limits=cogwire.Limits(depth=9999)))  # noqa: B023
        assert (prose, call[0]) == ("", f'{{"name": "a", "args": {{"x": {value}}}}}')


def test_nothing_says_that_a_call_may_run():
    seen = cogwire.find_calls(A, formats=[cogwire.format_named("hermes")], names=["a"])
    assert seen._fields == ("prose", "calls")
    assert seen.calls[0]._fields == ("name", "content", "format", "begin", "end")


@rows(
    "formats, names, kind, message",
    [
        ([], [], ValueError, "must not be empty"),
        (["hermess"], [], ValueError, "did you mean hermes"),
        ("hermes", ["a"], TypeError, r"`formats` must be a list .* such as \['hermes'\]"),
        (["hermes"], "read", TypeError, r"`names` must be a list .* such as \['read'\]"),
        (
            *([{"name": "own"}], [], TypeError),
            r"`formats` must have names or Formats, not a value of type dict",
        ),
    ],
)
def test_what_is_no_list_of_names_or_formats_is_refused(formats, names, kind, message):
    with pytest.raises(kind, match=message):
        cogwire.find_calls(A, formats=formats, names=names)


def test_a_call_is_found_by_its_opener_where_it_needs_none():
    text = "[a(x=1)] <|python_start|>[a(x=1)]<|python_end|>[a(x=1)]"
    seen = cogwire.find_calls(text, formats=["llama4-pythonic"], names=["a"])
    assert seen.prose == "[a(x=1)] [a(x=1)]"
    assert [call.content for call in seen.calls] == ['{"name": "a", "args": {"x": 1}}']


#: What an attacker, or a model that quotes, may write.
HOSTILE = (
    *("<tool_call>", "</tool_call>", "<calls>", "<call>", "[C]", "a[A]{", '{"name": "a", ', "`"),
    *(
        '"arguments": {"x": "',
        "search",
        "<arg_key>q</arg_key><arg_value>",
        "\n",
        "```",
        "~~~",
        "> ",
    ),
    *(
        "`<calls>",
        "'<calls>",
        C,
        "<!--",
        "-->",
        "-",
        "<!",
        "'",
        " ",
        "\n    ",
        "\t",
        "- ",
        "1",
        ". ",
        "\r",
        A,
        G,
        S,
        "</calls>",
        "</s>",
        "}",
        '"',
        "b",
    ),
)
#: What only formats with headers have.
HEADERS = {
    "<s>",
    "<c>",
    "<m>",
    "<t>",
    "to=a",
    "hm",
    "<json>",
    "<e>",
    "<x>",
    N,
    J,
    "\ud83d",
    "b" * 250,
}


@given(
    st.one_of(
        st.lists(st.sampled_from(HOSTILE), max_size=7),
        st.lists(st.sampled_from([*sorted(HEADERS), *HOSTILE]), max_size=7),
    ),
    st.data(),
)
def test_it_finds_what_the_executable_spec_finds(pieces, data):
    formats = HEADED if HEADERS.intersection(pieces) else FORMATS
    text = "".join(pieces)
    finished = data.draw(st.booleans())
    expected = oracle.finding.find_calls(text, formats, NAMES, finished=finished)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=4)))
    for chunks in ([text], split(text, *cuts), singles(text)):
        seen = found(chunks, formats, finished=finished)
        assert seen == (expected[0], [tuple(each) for each in expected[1]])


@given(st.data())
def test_prose_and_blocks_are_the_text(data):
    described = data.draw(descriptions())
    text = data.draw(described_texts(described))
    text = "".join(text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    try:
        prose, calls = found([text], [described], {"a", "b", "read"})
    except ValueError:
        return  # a format of which calls have no opener
    assert found(singles(text), [described], {"a", "b", "read"}) == (prose, calls)
    places = dict.fromkeys((begin, end) for _, _, begin, end in calls)
    rest = "".join(
        text[end:begin]
        for (_, end), (begin, _) in zip([(0, 0), *places], [*places, (len(text), 0)], strict=True)
    )
    assert rest == prose
    assert all(json.loads(content)["name"] in {"a", "b", "read"} for content, *_ in calls)
