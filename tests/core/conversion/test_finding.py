"""Calls that a model wrote into its prose: what is found, what is not, and at every cut."""

import functools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import cogwire, oracle
from tests.core.helpers import singles, split, with_room
from tests.core.wire.described.drawing import described_texts, descriptions
from tests.rows import rows

HERMES = {
    "name": "hermes",
    "call": ["<tool_call>", "</tool_call>"],
    "payload": {"kind": "object", "partial": True},
    "result": ["<tool_response>", "</tool_response>"],
}
GLM = {
    "name": "glm",
    "call": ["<tool_call>", "</tool_call>"],
    "payload": {
        "kind": "tags",
        "tool": ["", ""],
        "key": ["<arg_key>", "</arg_key>"],
        "value": ["<arg_value>", "</arg_value>"],
    },
}
#: Without a closer of a call, and with a section.
BARE = {
    "name": "bare",
    "call": ["[C]", ""],
    "payload": {"kind": "arguments", "head": ["{name}[A]"]},
}
SECTION = {
    "name": "section",
    "section": ["<calls>", "</calls>"],
    "call": ["<call>", "</call>"],
    "payload": {"kind": "object"},
    "ends": ["</s>"],
}
FORMATS = [HERMES, GLM, BARE, SECTION]
#: Headers that name a tool, those that an opener ends, and those before a section.
NAMED = {
    "name": "named",
    "header": {
        "open": ["<s>", "<c>"],
        "close": "<m>",
        "think": ["hm"],
        "prose": ["to=user"],
        "call": ["to="],
    },
    "think": ["<s><c>hm<m>", "<e>"],
    "call": ["", ["<x>", "<e>"]],
    "payload": {"kind": "arguments", "head": ["<s><c>to={name}<m>"]},
    "ends": ["<x>"],
    "ignored": ["<e>"],
}
ENDED = {
    "name": "ended",
    "header": {"open": ["<s>"], "close": "<t>"},
    "call": ["<json>", "<e>"],
    "payload": {"kind": "object"},
}
BEFORE = {
    **SECTION,
    "name": "before",
    "header": {"open": ["<s>"], "close": "<m>", "think": ["hm"]},
    "think": ["<s>hm<m>", "<e>"],
}
HEADED = [NAMED, ENDED, BEFORE, HERMES]
NAMES = {"search", "a"}

A = '<tool_call>{"name": "a", "arguments": {"x": "</tool_call>"}}</tool_call>'
CONTENT_A = '{"name": "a", "args": {"x": "</tool_call>"}}'
BROKEN = A.replace("x", 'x"')
G = "<tool_call>search\n<arg_key>q</arg_key>\n<arg_value>b</arg_value>\n</tool_call>"
CONTENT_G = '{"name": "search", "args": {"q": "b"}}'
S = '<calls><call>{"name": "a", "arguments": {}}</call>\n<call>{"name": "search", "arguments": {}}</call></calls>'
C = '<call>{"name": "a", "arguments": {}}</call>'
EMPTY_A, EMPTY_SEARCH = '{"name": "a", "args": {}}', '{"name": "search", "args": {}}'


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
    "text, prose, contents",
    [
        pytest.param(f"Hi. {A} Bye.", "Hi.  Bye.", [CONTENT_A], id="a call"),
        pytest.param(f"{A}{G}", "", [CONTENT_A, CONTENT_G], id="two formats with one opener"),
        pytest.param("b[C]a[A]{}c", "bc", [EMPTY_A], id="no closer"),
        pytest.param(f"b\n{S}\nc", "b\n\nc", [EMPTY_A, EMPTY_SEARCH], id="a section"),
        pytest.param("<calls></calls>", None, [], id="a section without calls"),
        pytest.param(A[:-1], None, [], id="a block that is not complete"),
        pytest.param(f"{S[:-1]}", None, [], id="a section that is not complete"),
        pytest.param(S.replace("search", "rm"), None, [], id="one name that was not offered"),
        pytest.param(A.replace('"a"', '"rm"'), None, [], id="a name that was not offered"),
        pytest.param(f"{BROKEN}{A}", BROKEN, [CONTENT_A], id="broken"),
        pytest.param(
            f"<tool_call> is a tag. {A}", "<tool_call> is a tag. ", [CONTENT_A], id="a tag"
        ),
        pytest.param(f"{S[:-8]}</s>{A}", f"{S[:-8]}</s>", [CONTENT_A], id="an end in a section"),
        pytest.param(f"</s>{A}", "</s>", [CONTENT_A], id="an end in prose"),
        pytest.param(f"[C]b{A}", "[C]b", [CONTENT_A], id="an opener in a name"),
        pytest.param(f"<<tool_call>{A}", "<<tool_call>", [CONTENT_A], id="an opener in an opener"),
        pytest.param(f"```\n{A}\n```\n{A}", f"```\n{A}\n```\n", [CONTENT_A], id="in a fence"),
        pytest.param(f"  ~~~~ xml\n{A}\n~~~\n{A}", None, [], id="a fence that is not closed"),
        pytest.param(f"~~~ {A}\n~~~\n{A}", f"~~~ {A}\n~~~\n", [CONTENT_A], id="on a fence"),
        pytest.param(f"```a`\n{A}", None, [], id="a fence with a backtick after it"),
        pytest.param(f"```a```\n{A}", "```a```\n", [CONTENT_A], id="no fence, but inline code"),
        pytest.param(f"``a\n{A}", "``a\n", [CONTENT_A], id="no fence, since it is short"),
        pytest.param(f"- ```\n  {A}\n  ```\n{A}", f"- ```\n  {A}\n  ```\n", [CONTENT_A], id="item"),
        pytest.param(
            f"1. So:\n\n    ```\n    {A}\n    ```\n{A}",
            f"1. So:\n\n    ```\n    {A}\n    ```\n",
            [CONTENT_A],
            id="a fence in an item",
        ),
        pytest.param(
            f" 10) \t+ ~~~\n{A}\n~~~\n{A}",
            f" 10) \t+ ~~~\n{A}\n~~~\n",
            [CONTENT_A],
            id="tildes in an item of an item",
        ),
        pytest.param(f"* ~~~ {A}", None, [], id="on a fence in an item"),
        pytest.param(f"-~~~\n{A}", "-~~~\n", [CONTENT_A], id="no item without white space"),
        pytest.param(
            f"1234567890. ~~~\n{A}", "1234567890. ~~~\n", [CONTENT_A], id="no item of ten digits"
        ),
        pytest.param(
            f"So: ```xml\n{A}\n```\n{A}",
            f"So: ```xml\n{A}\n```\n",
            [CONTENT_A],
            id="a fence after words",
        ),
        pytest.param(
            f"So: ~~~\n{A}", "So: ~~~\n", [CONTENT_A], id="no fence of tildes after words"
        ),
        pytest.param(
            f"{A} So: ```\n{A}", f" So: ```\n{A}", [CONTENT_A], id="before a fence after words"
        ),
        pytest.param(f"~~~ ```\n{A}\n```\n{A}", None, [], id="backticks do not end tildes"),
        pytest.param(f"```\n   ```\n{A}", "```\n   ```\n", [CONTENT_A], id="an end three deeper"),
        pytest.param(f"```\n    ```\n{A}", None, [], id="no end, since it is deeper"),
        pytest.param(f"```\n\t```\n{A}", None, [], id="no end after a tab"),
        pytest.param(
            f"- ```\n     ```\n{A}", "- ```\n     ```\n", [CONTENT_A], id="three deeper in an item"
        ),
        pytest.param(f"- ```\n      ```\n{A}", None, [], id="deeper in an item"),
        pytest.param(f"\t```\n```\n{A}", "\t```\n```\n", [CONTENT_A], id="an end less deep"),
        pytest.param(f"```\n- ```\n{A}", None, [], id="no end after the marker of an item"),
        pytest.param(
            f"```\n```\t\r\n{A}", "```\n```\t\r\n", [CONTENT_A], id="white space after an end"
        ),
        pytest.param(f"> ```\n{A}", "> ```\n", [CONTENT_A], id="no fence in a quoted line"),
        pytest.param(
            f"- > {A}\n      > {A}\n{A}",
            f"- > {A}\n      > {A}\n",
            [CONTENT_A],
            id="quoted in an item",
        ),
        pytest.param(
            f"<!-- \n--> ```\n{A}\n```\n{A}",
            f"<!-- \n--> ```\n{A}\n```\n",
            [CONTENT_A],
            id="a fence after a comment",
        ),
        pytest.param(
            f"<!-- ```\n-->{A}", "<!-- ```\n-->", [CONTENT_A], id="backticks in a comment"
        ),
        pytest.param(
            f"````\n```\n{A}\n````\n{A}", f"````\n```\n{A}\n````\n", [CONTENT_A], id="long"
        ),
        pytest.param(f"`{A}` `b` {A}", f"`{A}` `b` ", [CONTENT_A], id="inline code"),
        pytest.param(
            f"``a`{A}\n{A}", f"``a`{A}\n", [CONTENT_A], id="inline code ends with its line"
        ),
        pytest.param(f"> {A}\n{A}", f"> {A}\n", [CONTENT_A], id="a quoted line"),
        pytest.param(f'"{A}" {A}', f'"{A}" ', [CONTENT_A], id="after a quotation mark"),
        pytest.param(f'"{S}".', None, [], id="a section after a quotation mark"),
        pytest.param(
            f"Use `<calls>`. {S[7:]}",
            "Use `<calls>`. \n</calls>",
            [EMPTY_A, EMPTY_SEARCH],
            id="a mention",
        ),
        pytest.param(f"“<calls>” {C}", "“<calls>” ", [EMPTY_A], id="a mention in quotation marks"),
        pytest.param(
            f"```\nf('<calls>')\n```\n{C}",
            "```\nf('<calls>')\n```\n",
            [EMPTY_A],
            id="a mention in a fence",
        ),
        pytest.param(f"`<calls>…` {C}", None, [], id="more than a mention"),
        pytest.param(f"`<calls>` '<calls>{C}' {C}", None, [], id="a section after a mention"),
        pytest.param(
            f"'<calls>{C.replace('{}', json.dumps('<calls>'))}{C}'",
            None,
            [],
            id="a mention in a section",
        ),
        pytest.param(f'"<calls>"<calls>{C}</calls> {C}', None, [], id="a section after both"),
        pytest.param(f"'{S}' {S}", f"'{S}' ", [EMPTY_A, EMPTY_SEARCH], id="a section after that"),
        pytest.param(f"“{A}”", None, [], id="after another quotation mark"),
        pytest.param(
            f"<!-- {A}\n```\n -- > -->{A}",
            f"<!-- {A}\n```\n -- > -->",
            [CONTENT_A],
            id="in a comment",
        ),
        pytest.param(
            f"`<!--` --> {A}", "`<!--` --> ", [CONTENT_A], id="no comment, since it is code"
        ),
        pytest.param(f'"<!--" {A}', '"<!--" ', [CONTENT_A], id="no comment, since it is quoted"),
        pytest.param(f"> <!--\n{A}", "> <!--\n", [CONTENT_A], id="no comment in a quoted line"),
        pytest.param(
            f"```\n<!--\n```\n{A}", "```\n<!--\n```\n", [CONTENT_A], id="no comment in a fence"
        ),
        pytest.param(
            f"<!--\n~~~ -->\n{A}", "<!--\n~~~ -->\n", [CONTENT_A], id="no fence in a comment"
        ),
        pytest.param(f"<!-- -- {A}", None, [], id="a comment that is not closed"),
        pytest.param(f"1. So:\n\n    {A}", "1. So:\n\n    ", [CONTENT_A], id="indented"),
        pytest.param("<tool_response>{}</tool_response>", None, [], id="results are prose"),
        pytest.param(f"<think>{A}</think>", "<think></think>", [CONTENT_A], id="thinks are prose"),
    ],
)
def test_calls_are_found(text, prose, contents):
    expected = text if prose is None else prose
    for chunks in ([text], singles(text), split(text, len(text) // 2)):
        seen, calls = found(chunks)
        assert (seen, [content for content, *_ in calls]) == (expected, contents)
    seen = oracle.finding.find_calls(text, FORMATS, NAMES)
    assert (seen[0], [call.content for call in seen[1]]) == (expected, contents)


H = "<|channel|>commentary to=functions.a<|message|>{}"


@rows(
    "text, prose, contents",
    [
        pytest.param(f"Hi. {A[:-12]}", "Hi. ", [CONTENT_A], id="the closer is cut off"),
        pytest.param(f"Hi. {A[:-1]}", "Hi. ", [CONTENT_A], id="a part of the closer is cut off"),
        pytest.param(f"Hi. {A[:-12]}\n", "Hi. ", [CONTENT_A], id="white space follows"),
        pytest.param(f"{A}{A[:-12]}", "", [CONTENT_A, CONTENT_A], id="a whole call comes before"),
        pytest.param(A[:-13], None, [], id="the object is cut off"),
        pytest.param(f"{A[:-12]} So.", None, [], id="prose follows"),
        pytest.param(A[:-12].replace('"a"', '"rm"'), None, [], id="a name that was not offered"),
        pytest.param(f"`{A[:-12]}", None, [], id="in code"),
        pytest.param(G[:-12], None, [], id="a call that only its closer completes"),
        pytest.param(S[:-8], "", [EMPTY_A, EMPTY_SEARCH], id="a section without its closer"),
        pytest.param(S[:-15], "", [EMPTY_A, EMPTY_SEARCH], id="a section without both closers"),
        pytest.param(S[:-16], None, [], id="a section with a call that is cut off"),
        pytest.param("<calls>", None, [], id="a section without calls"),
        pytest.param("<tool_call>", None, [], id="only an opener"),
        pytest.param(f"{S[:-8]}</s>", None, [], id="the end of a turn in a section"),
        pytest.param(A, "", [CONTENT_A], id="a whole call"),
        pytest.param("Hi.", None, [], id="prose"),
    ],
)
def test_a_stated_end_ends_a_block(text, prose, contents):
    expected = text if prose is None else prose
    for chunks in ([text], singles(text), split(text, len(text) // 2)):
        seen, calls = found(chunks, finished=True)
        assert (seen, [content for content, *_ in calls]) == (expected, contents)
        assert all(end == len(text) for _, _, _, end in calls[-1:])
    assert found([text], FORMATS[::-1], finished=True)[0] == expected
    seen = oracle.finding.find_calls(text, FORMATS, NAMES, finished=True)
    assert (seen[0], [call.content for call in seen[1]]) == (expected, contents)


def test_a_call_of_harmony_is_found_without_its_closer_where_the_turn_is_stated_to_end():
    text = f"<|start|>assistant{H}"
    for answer, count in ((text, 1), (f"{text}\n", 1), (text[:-1], 0), (f"{text}a", 0)):
        options = {"formats": ["harmony"], "names": ["a"]}
        prose, calls = cogwire.find_calls(answer, **options, finished=True)
        assert (prose, len(calls)) == (answer if not count else "", count)
        assert cogwire.find_calls(answer, **options) == (answer, [])


def test_a_result_that_begins_with_the_opener_of_a_call_is_prose():
    form = {**SECTION, "result": ["<call><r>", "</r>"]}
    for forms in ([form], [form, {**SECTION, "name": "other"}]):
        for chunks in ([f"b <call><r>b {C}"], singles(f"b <call><r>b {C}")):
            prose, calls = found(chunks, forms)
            assert (prose, [content for content, *_ in calls]) == ("b <call><r>b ", [EMPTY_A])
        seen = oracle.finding.find_calls(f"b <call><r>b {C}", forms, NAMES)
        assert (seen[0], [call.content for call in seen[1]]) == ("b <call><r>b ", [EMPTY_A])


def test_a_backtick_that_begins_a_call_is_no_mention():
    form = {**SECTION, "call": ["`call`", "`end`"]}
    call = '`call`{"name": "a", "arguments": {}}`end`'
    for text, count in ((f"<calls>{call}</calls>", 1), (f"'<calls>{call}{call}</calls>'", 0)):
        for chunks in ([text], singles(text)):
            assert len(found(chunks, [form])[1]) == count
        assert len(oracle.finding.find_calls(text, [form], NAMES)[1]) == count


N = "<s>b<c>to=a<m>{}"
J = '<json>{"name": "a", "arguments": {}}<e>'


@rows(
    "text, prose, contents",
    [
        pytest.param(f"b {N}<e>c", "b c", [EMPTY_A], id="a header names the tool"),
        pytest.param(f"{N}<x>c", "c", [EMPTY_A], id="a closer that ends the turn"),
        pytest.param(f"{N}<x>{N}<x>", "", [EMPTY_A, EMPTY_A], id="another after it"),
        pytest.param(N, None, [], id="the closer has not come"),
        pytest.param(N.replace("to=a", "to=rm") + "<x>", None, [], id="a name not offered"),
        pytest.param(f"`{N}<x>`", None, [], id="a quoted header"),
        pytest.param(f"<s>b<c>hm<m>c<e>{N}<e>", "<s>b<c>hm<m>c<e>", [EMPTY_A], id="a think before"),
        pytest.param(f"<s>b to=user<m>{N}<e>", "<s>b to=user<m>", [EMPTY_A], id="prose before"),
        pytest.param(f"<s>b<s>{J}c", "c", [EMPTY_A], id="an opener ends the header"),
        pytest.param(f"<s>a<t>{J}c", "c", [EMPTY_A], id="an opener follows the header"),
        pytest.param(f"<s>a<t> {J}c", "<s>a<t> c", [EMPTY_A], id="white space is between them"),
        pytest.param(f"{J}c", "c", [EMPTY_A], id="no header"),
        pytest.param(f"<s>b{S}", "", [EMPTY_A, EMPTY_SEARCH], id="a section ends the header"),
        pytest.param(f"<s>b<m>{S}", "", [EMPTY_A, EMPTY_SEARCH], id="a section follows the header"),
        pytest.param(f"<s>hm<m>{S}", "<s>hm<m>", [EMPTY_A, EMPTY_SEARCH], id="after a think"),
        pytest.param(f"'<s>b<m>{S}'", None, [], id="a quoted header of a section"),
        pytest.param(
            f"<s>b {A}c", "<s>b c", [CONTENT_A], id="a call of another format in a header"
        ),
        pytest.param(
            f"<s>{'b' * 257}{J}", f"<s>{'b' * 257}", [EMPTY_A], id="too long for a header"
        ),
        pytest.param(f"<s>{'b' * 256}{J}", "", [EMPTY_A], id="not too long"),
        pytest.param(f"<s>\ufffd{J}", "<s>\ufffd", [EMPTY_A], id="a replacement character"),
        pytest.param(f"<json>{{<s>b{J}", "<json>{", [EMPTY_A], id="a header where a block breaks"),
        pytest.param(f"<json><s>b{J}", "<json>", [EMPTY_A], id="at its first character"),
        pytest.param("<s>b<c>to=execute<m>{}<x>", None, [], id="a name that a header cannot have"),
        pytest.param("<s>a b<c>to=a", None, [], id="the end of the text in a header"),
    ],
)
def test_headers_belong_to_their_calls(text, prose, contents):
    expected = text if prose is None else prose
    for chunks in ([text], singles(text), split(text, len(text) // 2)):
        seen, calls = found(chunks, HEADED)
        assert (seen, [content for content, *_ in calls]) == (expected, contents)
    seen = oracle.finding.find_calls(text, HEADED, NAMES)
    assert (seen[0], [call.content for call in seen[1]]) == (expected, contents)


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
    assert [call.content for call in reading.calls] == [EMPTY_A]
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
    "formats, message",
    [
        ([], "at least one format"),
        (["hermess"], "did you mean hermes"),
    ],
)
def test_formats_that_cannot_be_found_are_refused(formats, message):
    with pytest.raises(ValueError, match=message):
        cogwire.CallFinder(formats=formats, names=[])


@rows(
    "given, message",
    [
        (
            {"formats": "hermes", "names": ["a"]},
            r"`formats` must be a list .* such as \['hermes'\]",
        ),
        ({"formats": ["hermes"], "names": "read"}, r"`names` must be a list .* such as \['read'\]"),
        (
            {"formats": [{"name": "own"}], "names": []},
            r"a name or a Format is needed in `formats`, not a value of type dict",
        ),
    ],
)
def test_what_is_no_list_of_names_or_formats_is_refused(given, message):
    with pytest.raises(TypeError, match=message):
        cogwire.find_calls(A, **given)


def test_a_call_is_found_by_its_opener_where_it_needs_none():
    text = "[a(x=1)] <|python_start|>[a(x=1)]<|python_end|>[a(x=1)]"
    seen = cogwire.find_calls(text, formats=["llama4-pythonic"], names=["a"])
    assert seen.prose == "[a(x=1)] [a(x=1)]"
    assert [call.content for call in seen.calls] == ['{"name": "a", "args": {"x": 1}}']


def test_limits_are_limits():
    with pytest.raises(TypeError):
        finder(limits=(1, 1, 1, 1))


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
