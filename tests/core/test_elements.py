"""Blocks of elements: what is read as a call, what voids the block and where, and what is written.

Each text is run whole, where tools are taken in one go, and in pieces, where they are not.
"""

import json

import pytest

from tests import cogwire
from tests.core.helpers import (
    CARET,
    bare,
    call,
    check,
    cuts,
    error,
    execute,
    messages,
    placed,
    respond,
    run,
    singles,
    split,
)

DIALECT = "xml-elements"


def block(inside):
    return f"<execute>{inside}</execute>"


def tool(name, /, **args):
    return call(json.dumps({"name": name, "args": args}, ensure_ascii=False))


def check_calls(inside, *calls, **options):
    """Assert that a block gives these calls, however it is cut."""
    check_cuts(block(inside), [*calls, execute()], "paused", **options)


def check_void(inside, code, path, *calls, **options):
    """Assert that a block is void from the caret in `inside` on."""
    wrong = error(code, path, calls=len(calls))
    check_cuts(f"<execute>{inside}", [*calls, wrong], "execute", **options)


def check_cuts(text, expected, state, **options):
    """Assert what `text` gives: whole, in two pieces, and one by one, with snapshots and without.

    Streams, `raw` and bytes are the same for every block; they are tested elsewhere.
    """
    text, expected = placed(text, expected)
    said = None
    ways = [[text], singles(text), *(split(text, cut) for cut in cuts(len(text)))]
    for hop, chunks in [(True, singles(text)), *((False, chunks) for chunks in ways)]:
        outcome = run(chunks, hop=hop, dialect=DIALECT, **options)
        assert bare(outcome.events) == expected, chunks
        assert outcome.state == state, chunks
        said = said or messages(outcome.events)
        assert messages(outcome.events) == said, chunks


def check_value(text, value):
    """Assert what the text of an argument says."""
    check_calls(f"<w><a>{text}</a></w>", tool("w", a=value))


# --- Valid blocks -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("inside", "calls"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param(" \t\r\n", [], id="white space"),
        pytest.param("<ls/>", [tool("ls")], id="an empty tool"),
        pytest.param("<ls \n/>", [tool("ls")], id="white space before the slash"),
        pytest.param("<ls></ls>", [tool("ls")], id="a tool without arguments"),
        pytest.param("<ls\t>\n </ls\r\n>", [tool("ls")], id="white space in tags"),
        pytest.param("<w><a>1</a></w>", [tool("w", a="1")], id="an argument"),
        pytest.param("<w ><a >1</a ></w >", [tool("w", a="1")], id="white space behind names"),
        pytest.param("<w><a/></w>", [tool("w", a="")], id="an empty argument"),
        pytest.param("<w><a \n/></w>", [tool("w", a="")], id="the same with white space"),
        pytest.param("<w><a></a></w>", [tool("w", a="")], id="an argument without text"),
        pytest.param("<w><a> \n</a></w>", [tool("w", a=" \n")], id="white space is a value"),
        pytest.param(
            "\n<w>\n<a>1</a>\n<b>2</b>\n</w>\n", [tool("w", a="1", b="2")], id="one a line"
        ),
        pytest.param("<w><b>1</b><a>2</a></w>", [tool("w", b="1", a="2")], id="in reading order"),
        pytest.param("<a/><a/> <b/>", [tool("a"), tool("a"), tool("b")], id="several tools"),
        pytest.param("<a><a>1</a></a>", [tool("a", a="1")], id="an argument named as its tool"),
        pytest.param(
            "<end/><think><a>1</a></think>",
            [tool("end"), tool("think", a="1")],
            id="tools named as markers",
        ),
        pytest.param("<w><execute>1</execute></w>", [tool("w", execute="1")], id="such arguments"),
        pytest.param("<w><execute/></w>", [tool("w", execute="")], id="empty ones too"),
        pytest.param("<executes/>", [tool("executes")], id="a tool named nearly as the block"),
        pytest.param("<w><name>n</name></w>", [tool("w", name="n")], id="an argument called name"),
    ],
)
def test_a_block_is_read(inside, calls):
    check_calls(inside, *calls)


@pytest.mark.parametrize(
    "name",
    ["_", "A-b.c_9", "é", "e\u0301", "x\xb7", "x\u203f\u2040", "日本語", "\U00010000\U000effff"],
)
def test_names_are_those_of_xml(name):
    check_calls(f"<{name}><{name}>1</{name}></{name}>", tool(name, **{name: "1"}))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("a > b", "a > b", id="a greater-than sign"),
        pytest.param("]", "]", id="a bracket"),
        pytest.param("]]", "]]", id="two brackets"),
        pytest.param("]] >]>", "]] >]>", id="brackets and more"),
        pytest.param("]]&gt;", "]]>", id="the end of a section, escaped"),
        pytest.param("]&#93;>]&#x5D;>", "]]>]]>", id="a reference comes between"),
        pytest.param("]]<![CDATA[]]>>", "]]>", id="a section comes between"),
        pytest.param("a\r\nb\rc\n", "a\r\nb\rc\n", id="line ends stay as they are"),
        pytest.param("\t\x7f\x85\u2028\ufeff", "\t\x7f\x85\u2028\ufeff", id="odd characters"),
        pytest.param("\ufffd\U0001f600", "\ufffd\U0001f600", id="U+FFFD that was sent"),
        pytest.param("&amp;&lt;&gt;&quot;&apos;", "&<>\"'", id="the five entities"),
        pytest.param("&amp;lt;&#38;gt;", "&lt;&gt;", id="nothing is read twice"),
        pytest.param("&#9;&#10;&#13;&#32;", "\t\n\r ", id="white space by number"),
        pytest.param("&#x41;&#65;&#x6a;&#x6A;", "AAjj", id="references by number"),
        pytest.param("&#00000000;".replace("0;", "65;"), "A", id="leading zeros"),
        pytest.param("&#x0000000041;", "A", id="leading zeros in hexadecimal"),
        pytest.param("&#xD7FF;&#xE000;&#xFFFD;", "\ud7ff\ue000\ufffd", id="beside the holes"),
        pytest.param("&#x10000;&#1114111;", "\U00010000\U0010ffff", id="the last ones"),
        pytest.param("<![CDATA[]]>", "", id="an empty section"),
        pytest.param("<![CDATA[<b>&amp;</b>]]>", "<b>&amp;</b>", id="a section hides markup"),
        pytest.param("<![CDATA[</execute>]]>", "</execute>", id="and the closer"),
        pytest.param("<![CDATA[<![CDATA[]]>", "<![CDATA[", id="and its own opener"),
        pytest.param("<![CDATA[]]]>", "]", id="a bracket at the end of a section"),
        pytest.param("<![CDATA[]]]]>", "]]", id="two brackets"),
        pytest.param("<![CDATA[]] >]>]]>", "]] >]>", id="brackets and more in a section"),
        pytest.param("a<![CDATA[<]]>b<![CDATA[>]]>&amp;", "a<b>&", id="sections among text"),
        pytest.param("&lt;<![CDATA[&lt;]]>", "<&lt;", id="a reference beside a section"),
        pytest.param("&#60;<![CDATA[]]]]>&gt;", "<]]>", id="a number beside a section"),
        pytest.param("]]<![CDATA[x]]>]]", "]]x]]", id="brackets around a section"),
    ],
)
def test_the_text_of_an_argument(text, value):
    check_value(text, value)


def test_long_text():
    """Long text is judged in another way than short text; both know the same characters."""
    text = "line é \t\n" * 40
    check_value(text, text)
    check_value(f"{text}&amp;", f"{text}&")
    check_void(f"<w><a>{text}{CARET}\x01</a></w>", "xml-syntax", "/0/args/a")
    check_void(f"<w><a>{text}{CARET}\uffff</a></w>", "xml-syntax", "/0/args/a")
    check_void(f"<w><a>{text}{CARET}\ufffe</a></w>", "xml-syntax", "/0/args/a")


def test_a_reference_may_have_any_number_of_zeros():
    """Neither interpreters' limits on digits nor the time to count them matter."""
    check_value(f"&#{'0' * 5_000}65;", "A")
    check_value(f"&#x{'0' * 5_000}41;", "A")


def test_chunks_inside_of_text():
    """A chunk may be taken as it is, unless something in it means more than itself."""
    chunks = ["<execute><w><a>", "one", " >", "]", "x>", "]]", "]", "y]", "]", "z\n", "&gt;", "]"]
    parser = cogwire.Parser(DIALECT, clock=None)
    events = [event for chunk in [*chunks, "</a></w>"] for event in parser.feed(chunk)]
    assert events == [tool("w", a="one >]x>]]]y]]z\n>]")]
    for ending in ("]>", "]]>"):
        parser = cogwire.Parser(DIALECT, clock=None)
        events = [event for chunk in [*chunks, ending] for event in parser.feed(chunk)]
        assert [event["code"] for event in events] == ["xml-syntax"]


def test_calls_come_as_soon_as_they_are_whole():
    parser = cogwire.Parser(DIALECT, clock=None)
    assert parser.feed("<execute><ls/") == []
    assert parser.feed(">") == [tool("ls")]
    assert parser.feed("<w><a>1</a></w") == []
    assert parser.feed("> <ls></ls><ls") == [tool("w", a="1"), tool("ls")]
    assert parser.state == "execute"


# --- Void blocks ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("inside", "code", "path"),
    [
        # Between tools.
        pytest.param("‸hello", "xml-forbidden", None, id="text"),
        pytest.param(" ‸[", "xml-forbidden", None, id="JSON"),
        pytest.param("‸&amp;", "xml-forbidden", None, id="a reference"),
        pytest.param("‸>", "xml-forbidden", None, id="the end of no tag"),
        pytest.param("‸\xa0", "xml-forbidden", None, id="white space of others"),
        pytest.param("‸\ufeff", "xml-forbidden", None, id="a byte order mark"),
        pytest.param("‸\x00", "xml-syntax", None, id="no character of XML"),
        pytest.param("‸\uffff", "xml-syntax", None, id="no character at all"),
        pytest.param("<‸!--", "xml-forbidden", None, id="a comment"),
        pytest.param("<‸![CDATA[", "xml-forbidden", None, id="a section"),
        pytest.param("<‸!DOCTYPE", "xml-forbidden", None, id="a document type"),
        pytest.param("<‸?xml", "xml-forbidden", None, id="an XML declaration"),
        pytest.param("<‸ ls", "xml-syntax", None, id="a space before the name"),
        pytest.param("<‸1", "xml-syntax", None, id="a digit before the name"),
        pytest.param("<‸-", "xml-syntax", None, id="a hyphen before the name"),
        pytest.param("<‸\xb7", "xml-syntax", None, id="what may only go on a name"),
        pytest.param("<‸\xd7", "xml-syntax", None, id="a sign among letters"),
        pytest.param("<‸\u037e", "xml-syntax", None, id="the Greek question mark"),
        pytest.param("<‸\U000f0000", "xml-syntax", None, id="private use"),
        pytest.param("<‸:", "xml-syntax", None, id="a colon before the name"),
        pytest.param("<‸<", "xml-syntax", None, id="twice"),
        pytest.param("<‸[", "xml-syntax", None, id="a placeholder"),
        pytest.param("<‸\x01", "xml-syntax", None, id="no character in a tag"),
        pytest.param("</‸x", "xml-syntax", None, id="another closer"),
        pytest.param("</execute‸ >", "xml-syntax", None, id="white space in the closer"),
        pytest.param("</exe‸<", "xml-syntax", None, id="a tag in the closer"),
        pytest.param("</‸EXECUTE>", "xml-syntax", None, id="a closer in capitals"),
        # Start tags.
        pytest.param("<n‸:w/>", "xml-syntax", "/0", id="a colon in a name"),
        pytest.param("<w‸<", "xml-syntax", "/0", id="a tag in a tag"),
        pytest.param('<w‸="1"', "xml-syntax", "/0", id="an equals sign"),
        pytest.param("<w‸\x02", "xml-syntax", "/0", id="no character behind a name"),
        pytest.param('<w ‸a="1"', "xml-forbidden", "/0", id="an attribute"),
        pytest.param("<w ‸1", "xml-syntax", "/0", id="a digit behind white space"),
        pytest.param("<w ‸:", "xml-syntax", "/0", id="a colon behind white space"),
        pytest.param("<w/‸ >", "xml-syntax", "/0", id="a space behind the slash"),
        pytest.param("<w/‸/", "xml-syntax", "/0", id="two slashes"),
        pytest.param("<execute‸>", "xml-forbidden", "/0", id="a tool called execute"),
        pytest.param("<execute‸/>", "xml-forbidden", "/0", id="an empty one"),
        pytest.param("<execute‸ >", "xml-forbidden", "/0", id="one with white space"),
        pytest.param("<execute‸:", "xml-syntax", "/0", id="the grammar comes first"),
        # In a tool.
        pytest.param("<read>‸config.json</read>", "xml-forbidden", "/0/args", id="text in a tool"),
        pytest.param("<w> ‸{", "xml-forbidden", "/0/args", id="JSON in a tool"),
        pytest.param("<w>‸&", "xml-forbidden", "/0/args", id="a reference in a tool"),
        pytest.param("<w>‸\x1f", "xml-syntax", "/0/args", id="no character in a tool"),
        pytest.param("<w><‸!", "xml-forbidden", "/0/args", id="a comment in a tool"),
        pytest.param("<w><‸?", "xml-forbidden", "/0/args", id="an instruction in a tool"),
        pytest.param("<w><‸ ", "xml-syntax", "/0/args", id="a space before an argument"),
        pytest.param("<w><a>1</a>‸x", "xml-forbidden", "/0/args", id="text behind an argument"),
        pytest.param("<w><n‸:a", "xml-syntax", "/0/args", id="a colon in an argument's name"),
        pytest.param("<w><a ‸b", "xml-forbidden", "/0/args", id="an argument's attribute"),
        pytest.param("<w><a/‸ ", "xml-syntax", "/0/args", id="a slash alone in an argument"),
        pytest.param("<w></‸x", "xml-syntax", "/0/args", id="another tool ends"),
        pytest.param("<w></w‸x", "xml-syntax", "/0/args", id="a longer name ends"),
        pytest.param("<ww></w‸>", "xml-syntax", "/0/args", id="a shorter name ends"),
        pytest.param("<w></w ‸x", "xml-syntax", "/0/args", id="more in an end tag"),
        pytest.param("<w></‸ w>", "xml-syntax", "/0/args", id="a space in an end tag"),
        # In an argument.
        pytest.param("<w><a>1</‸w>", "xml-syntax", "/0/args/a", id="the tool ends too early"),
        pytest.param("<w><ab>1</a‸c>", "xml-syntax", "/0/args/ab", id="another name ends"),
        pytest.param("<w><a>1</a‸b", "xml-syntax", "/0/args/a", id="a longer argument ends"),
        pytest.param("<w><a><‸b>hi</b>", "xml-forbidden", "/0/args/a", id="an element"),
        pytest.param("<w><a>x<‸?", "xml-forbidden", "/0/args/a", id="an instruction"),
        pytest.param("<w><a><!‸-", "xml-forbidden", "/0/args/a", id="a comment in text"),
        pytest.param("<w><a><!‸D", "xml-forbidden", "/0/args/a", id="a document type in text"),
        pytest.param("<w><a><!‸x", "xml-syntax", "/0/args/a", id="another declaration"),
        pytest.param("<w><a><!‸d", "xml-syntax", "/0/args/a", id="a small letter"),
        pytest.param("<w><a><![‸c", "xml-syntax", "/0/args/a", id="a small section"),
        pytest.param("<w><a><![CDATA‸ [", "xml-syntax", "/0/args/a", id="a space in the opener"),
        pytest.param("<w><a>1 <‸ 2", "xml-syntax", "/0/args/a", id="a less-than sign"),
        pytest.param("<w><a><‸[", "xml-syntax", "/0/args/a", id="a bracket behind it"),
        pytest.param("<w><a>x]]‸>", "xml-syntax", "/0/args/a", id="the end of no section"),
        pytest.param("<w><a>]]]]‸></a></w>", "xml-syntax", "/0/args/a", id="after more brackets"),
        pytest.param("<w><a>&lt;]]‸></a></w>", "xml-syntax", "/0/args/a", id="with a reference"),
        pytest.param(
            "<w><a><![CDATA[]]>]]‸></a></w>", "xml-syntax", "/0/args/a", id="behind a section"
        ),
        pytest.param("<w><a>‸\x0b</a></w>", "xml-syntax", "/0/args/a", id="a control character"),
        pytest.param("<w><a>‸\ufffe</a></w>", "xml-syntax", "/0/args/a", id="no character in text"),
        pytest.param("<w><a><![CDATA[‸\x1f", "xml-syntax", "/0/args/a", id="nor in a section"),
        # References.
        pytest.param("<w><a>&‸ b", "xml-syntax", "/0/args/a", id="an ampersand"),
        pytest.param("<w><a>&‸nbsp;</a></w>", "xml-syntax", "/0/args/a", id="an entity of HTML"),
        pytest.param("<w><a>&a‸b", "xml-syntax", "/0/args/a", id="an entity of no one"),
        pytest.param("<w><a>&amp‸ ", "xml-syntax", "/0/args/a", id="a semicolon is missing"),
        pytest.param("<w><a>&‸;", "xml-syntax", "/0/args/a", id="no name"),
        pytest.param("<w><a>&‸AMP;", "xml-syntax", "/0/args/a", id="capitals"),
        pytest.param("<w><a>&#‸;", "xml-syntax", "/0/args/a", id="no digit"),
        pytest.param("<w><a>&#x‸;", "xml-syntax", "/0/args/a", id="no hexadecimal digit"),
        pytest.param("<w><a>&#‸X41;", "xml-syntax", "/0/args/a", id="a capital x"),
        pytest.param("<w><a>&#4‸a;", "xml-syntax", "/0/args/a", id="no decimal digit"),
        pytest.param("<w><a>&#‸٣;", "xml-syntax", "/0/args/a", id="a digit of others"),
        pytest.param("<w><a>&#x4‸g;", "xml-syntax", "/0/args/a", id="no digit at all"),
        pytest.param("<w><a>&#65‸ ", "xml-syntax", "/0/args/a", id="no semicolon"),
        pytest.param("<w><a>&#0‸;", "xml-syntax", "/0/args/a", id="U+0000"),
        pytest.param("<w><a>&#x0‸;", "xml-syntax", "/0/args/a", id="U+0000 in hexadecimal"),
        pytest.param("<w><a>&#11‸;</a></w>", "xml-syntax", "/0/args/a", id="a control character"),
        pytest.param("<w><a>&#xD800‸;", "xml-syntax", "/0/args/a", id="a surrogate"),
        pytest.param("<w><a>&#xDFFF‸;", "xml-syntax", "/0/args/a", id="the last surrogate"),
        pytest.param("<w><a>&#xFFFE‸;", "xml-syntax", "/0/args/a", id="a noncharacter"),
        pytest.param("<w><a>&#x11000‸0;", "xml-syntax", "/0/args/a", id="past the end"),
        pytest.param("<w><a>&#111411‸2;", "xml-syntax", "/0/args/a", id="past the end in decimal"),
        # Twice.
        pytest.param("<w><a>1</a><a‸>2</a></w>", "duplicate-arg", "/0/args/a", id="twice"),
        pytest.param("<w><a/><b/><a‸/></w>", "duplicate-arg", "/0/args/a", id="twice empty"),
        pytest.param("<w><a/><a‸ ", "duplicate-arg", "/0/args/a", id="with white space"),
        pytest.param("<w><a/><a‸:", "xml-syntax", "/0/args", id="the grammar before the name"),
    ],
)
def test_a_block_is_void(inside, code, path):
    check_void(inside, code, path)


def test_the_calls_before_an_error():
    """They are given, are counted by the error, and count for its path."""
    calls = [tool("a"), tool("w", b="1")]
    check_void("<a/><w><b>1</b></w><c>‸x", "xml-forbidden", "/2/args", *calls)


@pytest.mark.parametrize(
    ("inside", "code", "path"),
    [
        pytest.param("<w><a><‸b></execute>", "xml-forbidden", "/0/args/a", id="in a tag"),
        pytest.param("</exe‸</execute>", "xml-syntax", None, id="at its own first character"),
        pytest.param("‸x<![CDATA[</execute>", "xml-forbidden", None, id="in what hides nothing"),
    ],
)
def test_a_void_block_ends_at_the_next_closer(inside, code, path):
    text = f"<execute>{inside}rest"
    check(text, [error(code, path)], state="paused", discarded=4, dialect=DIALECT)


def test_prose_around_a_block():
    text = "a <w> <execute><w/></execute>"
    check(text, [respond("a <w>"), tool("w"), execute()], dialect=DIALECT)


@pytest.mark.parametrize(
    ("inside", "path"),
    [
        ("", None),
        ("<", None),
        ("</execute", None),
        ("<w", "/0"),
        ("<w ", "/0"),
        ("<w/", "/0"),
        ("<w>", "/0/args"),
        ("<w><", "/0/args"),
        ("<w><a", "/0/args"),
        ("<w><a/", "/0/args"),
        ("<w><a>", "/0/args/a"),
        ("<w><a>x]", "/0/args/a"),
        ("<w><a><", "/0/args/a"),
        ("<w><a><!", "/0/args/a"),
        ("<w><a><![CDATA[]", "/0/args/a"),
        ("<w><a>&", "/0/args/a"),
        ("<w><a>&#0", "/0/args/a"),
        ("<w><a></a", "/0/args/a"),
        ("<w><a></a>", "/0/args"),
        ("<w></w", "/0/args"),
    ],
)
def test_the_text_ends_in_a_block(inside, path):
    check_void(f"{inside}{CARET}", "unclosed-execute", path)


def test_a_replaced_character():
    """It voids the block wherever it stands, before any other rule is asked."""
    for before, path in [
        ("", None),
        ("<w", "/0"),
        ("<w><a>", "/0/args/a"),
        ("<w><a>&", "/0/args/a"),
    ]:
        check_void(f"{before}{CARET}\ud800", "bad-encoding", path)


# --- Limits -----------------------------------------------------------------------------------


def limits(**values):
    return {"limits": cogwire.Limits(**values)}


def test_the_limit_of_calls():
    calls = [tool("a"), tool("b")]
    check_calls("<a/><b/>", *calls, **limits(calls=3))
    check_calls("<a/><b/>", *calls, **limits(calls=2))
    check_void("<a/><‸b/>", "limit-calls", None, tool("a"), **limits(calls=1))


@pytest.mark.parametrize("depth", [3, 4])
def test_the_limit_of_depth(depth):
    check_calls("<a><b>1</b></a>", tool("a", b="1"), **limits(depth=depth))


def test_elements_that_are_too_deep():
    check_calls("<a></a>", tool("a"), **limits(depth=2))
    check_void("<a><‸b>", "limit-depth", "/0/args", **limits(depth=2))
    check_calls("", **limits(depth=1))
    check_void("<‸a>", "limit-depth", None, **limits(depth=1))


@pytest.mark.parametrize("room", [0, 1])
def test_the_limit_of_size(room):
    inside = "<a><b>1</b></a>"
    check_calls(inside, tool("a", b="1"), **limits(size=len(inside) + room))


@pytest.mark.parametrize(
    ("inside", "size", "path"),
    [
        pytest.param("<a><b>1</b></a‸>", 14, "/0/args", id="a call that would be whole"),
        pytest.param("<a><b>1‸2</b></a>", 7, "/0/args/b", id="in text"),
        pytest.param("<a><b>1</b‸></a>", 10, "/0/args/b", id="in an end tag"),
        pytest.param(" ‸ ", 1, None, id="between tools"),
        pytest.param("<a/><‸b/>", 4, "here", id="at a tag that is not the closer's"),
        pytest.param("<a/><‸b/>", 5, "here", id="behind its first character"),
    ],
)
def test_too_large_a_block(inside, size, path):
    calls = [tool("a")] if path == "here" else []
    path = None if path == "here" else path
    check_void(inside, "limit-size", path, *calls, **limits(size=size))


def test_the_closer_is_no_part_of_the_size():
    check_calls("<a/>", tool("a"), **limits(size=4))
    check_calls("   ", **limits(size=3))
    check_void("<a/></ex‸x", "xml-syntax", None, tool("a"), **limits(size=4))


def test_which_rule_comes_first():
    """The grammar, then rules on names, then the limits of calls, depth and size."""
    check_void("<a/><‸1", "xml-syntax", None, tool("a"), **limits(calls=1, depth=2, size=4))
    check_void("<a/><‸b", "limit-calls", None, tool("a"), **limits(calls=1, depth=2, size=4))
    check_void("<‸b", "limit-depth", None, **limits(depth=1, size=1))
    check_void("<a><b/><b‸>", "duplicate-arg", "/0/args/b", **limits(size=9))


# --- Messages ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("inside", "parts"),
    [
        pytest.param("[", ['"["', "xml-json"], id="an array"),
        pytest.param("<w>{", ['"{"', "xml-json"], id="an object in a tool"),
        pytest.param("Sure", ['"S"', "before the block"], id="words"),
        pytest.param("<read>c", ["<read><argument>value</argument></read>"], id="text in a tool"),
        pytest.param("<w a", ["not attributes", "<w><argument>"], id="an attribute"),
        pytest.param("<w><file p", ["<file>value</file>"], id="an attribute of an argument"),
        pytest.param("<w><a><b", ["<![CDATA[", "&lt;"], id="markup in an argument"),
        pytest.param("<w><a><!-", ["<![CDATA["], id="a comment in an argument"),
        pytest.param("<w><a>1 < ", ["&lt;", "a space"], id="a less-than sign"),
        pytest.param("<w><a>& ", ["&amp;", "a space"], id="an ampersand"),
        pytest.param("<w><a>&n", ["&amp;", "&#10;"], id="another entity"),
        pytest.param("<w><a>]]>", ["]]&gt;"], id="the end of no section"),
        pytest.param("<w><a>\x01", ["U+0001", "cannot hold"], id="a control character"),
        pytest.param("<w><a>&#1;", ["U+0001", "cannot hold"], id="the same by number"),
        pytest.param("<w><a>&#x110000", ["U+10FFFF"], id="past the last character"),
        pytest.param("<w><a>1</w", ["</a>", '"a" is still open'], id="an argument is open"),
        pytest.param("<w><a>1</a></e", ["</w>", '"w" is still open'], id="a tool is open"),
        pytest.param("<w/></w", ["</execute>", "No tool is open"], id="none is open"),
        pytest.param("<execute>", ["</execute>", "reserved"], id="a tool called execute"),
        pytest.param("<n:", ["namespaces"], id="a namespace"),
        pytest.param("<w=", ["not attributes"], id="an equals sign"),
        pytest.param("< ", ["directly behind"], id="a space before a name"),
        pytest.param("<1", ["letter"], id="a digit before a name"),
        pytest.param("<!", ["comments"], id="a comment"),
        pytest.param("<w><?", ["processing instructions"], id="an instruction"),
        pytest.param("<w><a/><a>", ['"a" stands twice'], id="an argument twice"),
    ],
)
def test_a_message_teaches(inside, parts):
    for chunks in ([f"<execute>{inside}"], list(f"<execute>{inside}")):
        parser = cogwire.Parser(DIALECT, clock=None)
        wrong = [event for chunk in chunks for event in parser.feed(chunk)][-1]
        assert wrong["type"] == "error"
        for part in parts:
            assert part in wrong["content"]


def test_a_message_quotes_nothing_behind_the_character():
    for inside in ("secret", "<w>secret", "<w secret", "<w><a><secret", "<w><a>1</secret"):
        with_rest = cogwire.parse(f"<execute>{inside}", DIALECT, clock=None)
        (wrong,) = [event for event in with_rest if event["type"] == "error"]
        assert "ecret" not in wrong["content"]


# --- Writing ----------------------------------------------------------------------------------


def test_calls_are_written_one_a_line():
    calls = [
        {"name": "read", "args": {"file": "config.json"}},
        {"name": "ping", "args": {}},
        {"name": "touch", "args": {"file": "", "mode": "w"}},
    ]
    assert cogwire.render_calls(calls, DIALECT) == (
        "<execute>\n"
        "  <read><file>config.json</file></read>\n"
        "  <ping/>\n"
        "  <touch><file></file><mode>w</mode></touch>\n"
        "</execute>"
    )
    assert cogwire.render_calls([], DIALECT) == "<execute>\n</execute>"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("a < b && c > d", "a &lt; b &amp;&amp; c &gt; d"),
        ("]]>", "]]&gt;"),
        ("\r\n", "&#13;\n"),
        ("\t\n \"'", "\t\n \"'"),
        ("</execute><end>", "&lt;/execute&gt;&lt;end&gt;"),
        ("\x7f\x85\ufffd\U0001f600", "\x7f\x85\ufffd\U0001f600"),
        ("&amp;", "&amp;amp;"),
    ],
)
def test_values_are_escaped(value, written):
    text = cogwire.render_calls([{"name": "w", "args": {"a": value}}], DIALECT)
    assert text == f"<execute>\n  <w><a>{written}</a></w>\n</execute>"
    assert cogwire.parse(text, DIALECT, clock=None) == [tool("w", a=value), execute()]


@pytest.mark.parametrize(
    ("name", "args", "path"),
    [
        pytest.param("1", {}, "/0/name", id="a name that begins with a digit"),
        pytest.param("a b", {}, "/0/name", id="a name with a space"),
        pytest.param("n:w", {}, "/0/name", id="a name with a colon"),
        pytest.param("a\n", {}, "/0/name", id="a name with a line feed"),
        pytest.param("execute", {}, "/0/name", id="the reserved name"),
        pytest.param("w", {"$ref": "x"}, "/0/args/$ref", id="an argument's name"),
        pytest.param("w", {"": "x"}, "/0/args/", id="an empty name"),
        pytest.param("w", {"a/b~": "x"}, "/0/args/a~1b~0", id="a name to be escaped in the path"),
        pytest.param("w", {1: "x"}, "/0/args", id="a name that is a number"),
        pytest.param("w", {"a": "x", "b": 1}, "/0/args/b", id="a number"),
        pytest.param("w", {"a": None}, "/0/args/a", id="nothing"),
        pytest.param("w", {"a": ["x"]}, "/0/args/a", id="a list"),
        pytest.param("w", {"a": "\x00"}, "/0/args/a", id="U+0000"),
        pytest.param("w", {"a": "x\x1b"}, "/0/args/a", id="a control character"),
        pytest.param("w", {"a": "\uffff"}, "/0/args/a", id="a noncharacter"),
        pytest.param("w", {"a": "\ud800"}, "/0/args/a", id="a surrogate"),
    ],
)
def test_what_xml_cannot_hold_is_refused(name, args, path):
    with pytest.raises(cogwire.RenderError) as caught:
        cogwire.render_calls([{"name": name, "args": args}], DIALECT)
    assert caught.value.path == path


def test_only_plain_strings_are_written():
    class Text(str):
        __slots__ = ()

    for name, args in (("w", {"a": Text("x")}), (Text("w"), {}), ("w", {Text("a"): "x"})):
        with pytest.raises(cogwire.RenderError):
            cogwire.render_calls([{"name": name, "args": args}], DIALECT)
