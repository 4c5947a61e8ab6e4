"""What the reader of elements takes in one go, and what it leaves to be read character by character.

What is left is judged by the machine, so that nobody sees from outside what was taken; but what is
taken and should not have been is a rule that is lost, and what is always left is slow.
"""

import importlib

import pytest

from tests import cogwire
from tests.core.helpers import bare, error, placed

elements = importlib.import_module(f"{cogwire.__name__}._elements")
machine = importlib.import_module(f"{cogwire.__name__}._json")

DIALECT = "xml-elements"
OPEN = "<w><a>"
LONG = "line é \t\n" * 40


def reader(**limits):
    return elements.ElementReader("</execute>", cogwire.Limits(**limits))


def read(*chunks, **limits):
    """Return the reader that has read these chunks, each up to its end."""
    fresh = reader(**limits)
    for chunk in chunks:
        assert fresh.read(chunk, 0, len(chunk)) == len(chunk)
    return fresh


# --- Whole tools ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        pytest.param("<a/>‸", {}, id="an empty tool"),
        pytest.param("<a></a>‸", {}, id="a tool without arguments"),
        pytest.param("<a><b/></a>‸", {}, id="an empty argument"),
        pytest.param("<a><b>1</b><c>2</c></a>‸", {}, id="arguments"),
        pytest.param("<a/>\n<b><c>1</c></b>‸\n", {}, id="tools"),
        pytest.param("<a><b>x > y ]] ]></b></a>‸", {}, id="signs"),
        pytest.param("<a><b>&lt;&#65;&amp;</b></a>‸", {}, id="references"),
        pytest.param("<a><b>x<![CDATA[<&]]>y</b></a>‸", {}, id="a section"),
        pytest.param(f"<a><b>{LONG}</b></a>‸", {}, id="long text"),
        pytest.param("<a><b>1</b></a>‸", {"depth": 3}, id="as deep as is allowed"),
        pytest.param("‸<a/>", {"depth": 2}, id="limits on depth"),
        pytest.param("<a/><b/>‸<c/>", {"calls": 2}, id="as many as are allowed"),
        pytest.param("‸x", {}, id="text"),
        pytest.param("‸<a>x</a>", {}, id="text in a tool"),
        pytest.param("‸<a x='1'/>", {}, id="an attribute"),
        pytest.param("‸<a><b>1</b>", {}, id="a tool that is cut off"),
        pytest.param("<a/>‸<execute/>", {}, id="the reserved name"),
        pytest.param("<a/>‸<a><b/><b/></a>", {}, id="an argument twice"),
        pytest.param("<a/>‸<a><b>\x01</b></a>", {}, id="no character"),
        pytest.param(f"‸<a><b>{LONG}\uffff</b></a>", {}, id="no character in long text"),
        pytest.param("<a/>‸<a><b>]]></b></a>", {}, id="the end of no section"),
        pytest.param("<a/>‸<a><b>&nbsp;</b></a>", {}, id="another entity"),
        pytest.param("<a/>‸<a><b>& </b></a>", {}, id="an ampersand"),
    ],
)
def test_whole_tools_are_taken_up_to_what_has_to_be_judged(text, limits):
    at = text.index("‸")
    text = text.replace("‸", "")
    assert reader(**limits)._offer(text, 0, len(text)) == at


@pytest.mark.parametrize(
    ("text", "begin", "is_offered"),
    [("<a/>", 0, True), ("<a/", 0, False), ("<execute><a/>", 9, True), ("<execute><a/", 9, False)],
)
def test_a_tool_is_looked_for_where_there_is_room_for_one(monkeypatch, text, begin, is_offered):
    offered = []

    def recording(_, text, pos, end):
        offered.append(text[pos:end])
        return pos

    monkeypatch.setattr(elements.ElementReader, "_offer", recording)
    reader().read(text, begin, len(text))
    assert offered == [text[begin:]] * is_offered


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("", ""),
        ("a > b ]] ]>", "a > b ]] ]>"),
        ("&lt;&gt;&amp;", "<>&"),
        ("&amp;lt;", "&lt;"),
        ("&quot;&amp;&#65;&#x41;", '"&AA'),
        ("<![CDATA[<&amp;>]]>", "<&amp;>"),
        ("&lt;<![CDATA[&lt;]]>&amp;<![CDATA[]]]]>", "<&lt;&]]"),
        ("]]<![CDATA[x]]>]]", "]]x]]"),
        ("]]>", None),
        ("<![CDATA[x]]>]]>", None),
        ("&nbsp;", None),
        ("&amp", None),
        ("&amp;&", None),
        ("&#1;", None),
        ("& <![CDATA[x]]>", None),
    ],
)
def test_text_is_understood_where_it_keeps_the_rules(written, meant):
    assert elements._understood(written) == meant


@pytest.mark.parametrize(
    ("written", "meant"),
    [("a > b", "a > b"), ("&lt;b&gt;", "<b>"), ("&amp;&amp;lt;", "&&lt;"), ("&lt;&amp;", "<&")],
)
def test_the_references_that_are_met_most_are_replaced_at_once(monkeypatch, written, meant):
    monkeypatch.setattr(elements, "_CODED", None)
    assert elements._understood(written) == meant


# --- Text in chunks ---------------------------------------------------------------------------


@pytest.mark.parametrize("opened", [OPEN, f"{OPEN}x", f"{OPEN}<![CDATA[x", f"{OPEN}<![CDATA[]]>x"])
@pytest.mark.parametrize(
    ("chunk", "is_taken"),
    [
        ("plain", True),
        ("a\tb\r\nc é", True),
        (LONG, True),
        (">", True),
        ("]]", True),
        ("]>", False),
        ("<", False),
        ("&", False),
        ("\x01", False),
        ("\ufffe", False),
        (f"{LONG}\x01", False),
    ],
)
def test_chunks_of_text_are_taken(opened, chunk, is_taken):
    opened_reader = read(opened, "y")
    assert opened_reader.in_body
    assert opened_reader.extend(chunk) is is_taken
    assert opened_reader.text() == opened + "y" + chunk * is_taken


@pytest.mark.parametrize("opened", ["", "<w", "<w>", "<w><a", f"{OPEN}<", f"{OPEN}&", f"{OPEN}</a"])
def test_chunks_of_other_parts_are_not(opened):
    """A chunk that would be text there is refused, although nothing in it has to be judged."""
    fresh = read(opened)
    assert not fresh.in_body
    assert not fresh.extend("x")
    assert fresh.text() == opened


def test_chunks_of_text_count():
    room = len(OPEN) + 8
    fresh = read(OPEN, "x", size=room)
    assert fresh.extend("yyyy")
    assert not fresh.extend("zzzz")
    assert fresh.extend("zzz")
    assert not fresh.extend("z")


@pytest.mark.parametrize(
    ("chunks", "is_wrong"),
    [
        pytest.param(["]]", ">"], True, id="the brackets first"),
        pytest.param(["]", "]>"], True, id="one bracket first"),
        pytest.param(["]", "]", ">"], True, id="one by one"),
        pytest.param(["]", "", "]", "", ">"], True, id="with empty chunks"),
        pytest.param(["x]", "]>"], True, id="behind text"),
        pytest.param(["]]]]]", ">"], True, id="more brackets"),
        pytest.param(["]]]]]", "]>"], True, id="more of them behind"),
        pytest.param(["&lt;]]", ">"], True, id="behind a reference"),
        pytest.param(["]", "x]", ">"], False, id="text among the brackets"),
        pytest.param(["]]", "x", ">"], False, id="text behind the brackets"),
        pytest.param(["]", "x", "]", ">"], False, id="one bracket and one"),
        pytest.param(["]]x", ">"], False, id="text at the end"),
        pytest.param(["x]", ">"], False, id="one bracket"),
        pytest.param(["]&lt;]", ">"], False, id="a reference among the brackets"),
        pytest.param(["]]", "&gt;>"], False, id="a reference behind the brackets"),
    ],
)
def test_the_end_of_a_section_is_seen_across_chunks(chunks, is_wrong):
    text = "".join(chunks)
    parser = cogwire.Parser(DIALECT, clock=None)
    events = [each for chunk in [f"<execute>{OPEN}", *chunks] for each in parser.feed(chunk)]
    expected = [(len(f"<execute>{OPEN}{text}") - 1, "xml-syntax")] if is_wrong else []
    assert [(each["offset"], each["code"]) for each in events] == expected


@pytest.mark.parametrize(
    ("chunks", "value"),
    [
        pytest.param(["]", "", "]", ">"], "", id="with empty chunks"),
        pytest.param(["x]", "]>"], "x", id="behind text"),
        pytest.param(["]]]", "]", ">"], "]]", id="more brackets"),
        pytest.param(["]", "x]", ">", "]]>"], "]x]>", id="text among the brackets"),
        pytest.param(["]]", "x", ">", "]]", ">"], "]]x>", id="text behind the brackets"),
    ],
)
def test_a_section_ends_across_chunks(chunks, value):
    parser = cogwire.Parser(DIALECT, clock=None)
    whole = [f"<execute>{OPEN}<![CDATA[", *chunks, "</a></w>"]
    (call,) = [each for chunk in whole for each in parser.feed(chunk)]
    assert call["content"] == f'{{"name": "w", "args": {{"a": "{value}"}}}}'


# --- Where a void block ends ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chunks", "limits", "unread"),
    [
        pytest.param(["</x"], {}, "</", id="the beginning of a closer"),
        pytest.param(["</exe", "<"], {}, "</exe", id="in the chunk before"),
        pytest.param(["<w><a>1</b"], {}, "</", id="in an argument"),
        pytest.param(["<w>x"], {}, "", id="a tag that is no closer"),
        pytest.param(["<w", "="], {}, "", id="nor when it is open"),
        pytest.param(["x"], {}, "", id="no tag at all"),
        pytest.param(["<w><a>one two three\x01"], {}, "", id="a long text"),
        pytest.param(["<w><execute>1</execute>"], {"size": 22}, "</execute", id="all but its end"),
        pytest.param(
            ["<w><execute>1</execute", ">"], {"size": 22}, "</execute", id="in two chunks"
        ),
        pytest.param(["<w><e>1</e>"], {"size": 10}, "</e", id="a short name"),
        pytest.param(["<w><a>1</a>"], {"size": 10}, "", id="another name"),
        pytest.param(["<w><a>1"], {"size": 5}, "", id="behind a start tag"),
    ],
)
def test_what_may_begin_the_closer_is_read_again(chunks, limits, unread):
    *before, last = chunks
    fresh = read(*before, **limits)
    with pytest.raises(machine.Fault) as caught:
        fresh.read(last, 0, len(last))
    assert fresh.unread(last, caught.value.at) == unread


def test_an_argument_is_no_closer_unless_the_block_is_void_before_its_end():
    """The first closer that holds the offending character, or comes after it, ends the block."""
    inside = "<w><execute>1</execute‸></w></execute>"
    text, expected = placed(f"<execute>{inside}", [error("limit-size", "/0/args/execute")])
    for chunks in ([text], list(text)):
        limits = cogwire.Limits(size=len("<w><execute>1</execute"))
        parser = cogwire.Parser(DIALECT, clock=None, limits=limits)
        events = [each for chunk in chunks for each in parser.feed(chunk)]
        assert bare(events) == expected
        assert parser.state == "paused"
        assert parser.discarded == len("</w></execute>")
