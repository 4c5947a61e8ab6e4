"""Single inputs of `xml-elements` on which careful readers would differ, one case for each.

A caret `‸` stands before the character at which the error is due; it is no part of the text.
"""

import json

import pytest

from tests import cogwire
from tests.core.helpers import (
    bare,
    call,
    check,
    end,
    error,
    execute,
    messages,
    placed,
    respond,
    result,
    run,
    think,
)
from tests.core.test_rulings import cases

#: A block up to the inside of a tool, and of an argument, and the way out of it again.
W = "<execute><w>"
X = "<execute><w><a>"
OUT = "</a></w></execute>"


def tool(name, **args):
    """Give the event of a call, whose content is written by this dialect."""
    return call(json.dumps({"name": name, "args": args}, ensure_ascii=False))


def check_elements(text, expected, **options):
    check(text, expected, dialect="xml-elements", **options)


def check_block(inside, *calls):
    check_elements(f"<execute>{inside}</execute>", [*calls, execute()], state="paused")


def check_value(source, value):
    """Assert that an argument written so has this value."""
    check_block(f"<w><a>{source}</a></w>", tool("w", a=value))


def check_void(text, code, path=None):
    """Assert that `text` breaks at its caret, and the parser skips the rest of the block."""
    check_elements(text, [error(code, path)], state="execute")
    text, events = placed(text, [error(code, path)])
    for rest in ("", ">", "]]>", "/", "<w>"):
        outcome = run([text + rest + OUT], dialect="xml-elements")
        assert bare(outcome.events) == events
        assert outcome.state == "paused"


# --- What a block holds -----------------------------------------------------------------------


@cases(
    "inside calls",
    ("nothing", "", []),
    ("white space", " \r\n\t", []),
    ("a closed tag", "<ping/>", [tool("ping")]),
    ("a closed tag with white space", "<ping \n/>", [tool("ping")]),
    ("two tags", "<ls></ls>", [tool("ls")]),
    ("white space in a tool", "<ls> \r\n</ls>", [tool("ls")]),
    ("white space in its tags", "<w ></w >", [tool("w")]),
    ("line ends in its tags", "<w\r\n\t></w\n>", [tool("w")]),
    ("a closed argument", "<w><file/></w>", [tool("w", file="")]),
    ("a closed argument with white space", "<w><file /></w>", [tool("w", file="")]),
    ("an empty argument", "<w><file></file></w>", [tool("w", file="")]),
    ("an argument", "<read><file>a.txt</file></read>", [tool("read", file="a.txt")]),
    ("white space in the tags of an argument", "<w><a\t>1</a\n></w>", [tool("w", a="1")]),
    ("white space around arguments", "<w> <a>1</a>\n<b/> </w>", [tool("w", a="1", b="")]),
    ("two tools", "<a/><b/>", [tool("a"), tool("b")]),
    ("two tools of one name", "<a/>\n<a/>", [tool("a"), tool("a")]),
    ("white space around tools", "\n  <a/>\n  <b/>\n", [tool("a"), tool("b")]),
    ("names in reading order", "<w><b>1</b><a>2</a></w>", [tool("w", b="1", a="2")]),
    ("one name in two tools", "<w><a/></w><w><a/></w>", [tool("w", a=""), tool("w", a="")]),
    ("an argument of the tool's name", "<w><w>1</w></w>", [tool("w", w="1")]),
)
def test_a_valid_block(inside, calls):
    check_block(inside, *calls)


@cases(
    "name",
    ("a letter", "w"),
    ("an underscore", "_"),
    ("digits and punctuation", "a-1.b_"),
    ("accented letters", "été"),
    ("a combining accent", "e\u0301"),
    ("ideographs", "日本語"),
    ("a middle dot", "x\u00b7y"),
    ("a tie", "x\u203fy"),
    ("the last two-byte start", "\u02ff"),
    ("a letter of the fifth edition", "\u0132"),
    ("beyond the first plane", "\U00010000\U000effff"),
    ("upper case", "Execute"),
    ("longer than reserved", "executes"),
    ("shorter than reserved", "execut"),
)
def test_what_a_tool_and_an_argument_may_be_called(name):
    check_block(f"<{name}/>", tool(name))
    check_block(f"<w><{name}>1</{name}></w>", tool("w", **{name: "1"}))


def test_names_of_markers_are_names():
    """Inside a block only its closer is a marker, and only a tool may not be called `execute`."""
    check_block("<end/><think><a>1</a></think>", tool("end"), tool("think", a="1"))
    check_block("<results><execute>1</execute></results>", tool("results", execute="1"))


@cases(
    "source value",
    ("plain text", "config.json", "config.json"),
    ("white space is kept", " a\t\n ", " a\t\n "),
    ("white space alone", " \n", " \n"),
    ("carriage returns are kept", "a\r\nb\rc\r\n", "a\r\nb\rc\r\n"),
    ("json", '{"api": "new.com"}', '{"api": "new.com"}'),
    ("quotes and backslashes", "'\"\\n", "'\"\\n"),
    ("a greater-than sign", "a > b", "a > b"),
    ("an arrow", "-->", "-->"),
    ("brackets", "a[0]] >", "a[0]] >"),
    ("the five references", "&amp;&lt;&gt;&quot;&apos;", "&<>\"'"),
    ("a reference is not read twice", "&amp;lt;", "&lt;"),
    ("decimal references", "&#65;&#233;&#128512;", "Aé\U0001f600"),
    ("hexadecimal references", "&#x41;&#xe9;&#xE9;&#x1F600;", "Aéé\U0001f600"),
    ("leading zeros", "&#0065;&#x0000000000000000041;", "AA"),
    ("white space by reference", "&#9;&#10;&#13;&#32;", "\t\n\r "),
    ("the bounds of what XML holds", "&#xD7FF;&#xE000;&#xFFFD;&#x10000;&#x10FFFF;", None),
    ("an end of a section, by reference", "]]&gt;", "]]>"),
    ("an end of a section, its first bracket by reference", "&#93;]>", "]]>"),
    ("a reference between brackets", "]&#93;>", "]]>"),
    ("a section between them", "]]<![CDATA[]]>>", "]]>"),
    ("a section", "<![CDATA[a < b && c]]>", "a < b && c"),
    ("an empty section", "<![CDATA[]]>", ""),
    ("brackets at the end of a section", "<![CDATA[a]]]]>", "a]]"),
    ("an end of a section in two sections", "<![CDATA[]]]]><![CDATA[>]]>", "]]>"),
    ("markup in a section", "<![CDATA[<b>hi</b><!-- --><?x?>]]>", "<b>hi</b><!-- --><?x?>"),
    ("the closer in a section", "<![CDATA[</a></w></execute>]]>", "</a></w></execute>"),
    ("a section in a section", "<![CDATA[<![CDATA[]]>", "<![CDATA["),
    ("references in a section", "<![CDATA[&lt;&nbsp;]]>", "&lt;&nbsp;"),
    ("text around sections", "a<![CDATA[b]]>c<![CDATA[d]]>", "abcd"),
    ("delete and what follows it", "\x7f\x80\x85\x9f", "\x7f\x80\x85\x9f"),
    ("rare characters", "\u00a0\u2028\ufeff\ufffd\ue000", "\u00a0\u2028\ufeff\ufffd\ue000"),
    ("beyond the first plane", "\U0001fffe\U0010ffff", "\U0001fffe\U0010ffff"),
    ("markers of other dialects", "\n§end\n[SYSTEM: x]", "\n§end\n[SYSTEM: x]"),
)
def test_the_value_of_an_argument(source, value):
    """Verbatim, but for references and sections."""
    check_value(source, "\ud7ff\ue000\ufffd\U00010000\U0010ffff" if value is None else value)


def test_the_content_of_a_call_is_json():
    """On one line, and characters out of ASCII as they are."""
    text = '<execute><w><b>é\u2028"\\\t</b><a>&lt;/execute></a></w></execute>'
    content = '{"name": "w", "args": {"b": "é\u2028\\"\\\\\\t", "a": "</execute>"}}'
    check_elements(text, [call(content), execute()], state="paused")


@cases(
    "text events options",
    ("prose before", "Hi.\n<execute><a/></execute>", [respond("Hi."), tool("a"), execute()]),
    (
        "a think before",
        "<think>t</think><execute><a/></execute>",
        [think("t"), tool("a"), execute()],
    ),
    (
        "a second block is discarded",
        "<execute><a/></execute><execute><b/></execute>",
        [tool("a"), execute()],
        {"discarded": 23},
    ),
    ("an end", "a<end>", [respond("a"), end()], {"state": "ended"}),
    ("a block in a think", "<think><execute><a/></execute>", [think("<execute><a/></execute>")]),
    ("a block of another dialect in prose", "<read/>", [respond("<read/>")]),
    ("forged results", "a‸<results>", [respond("a"), error("forged-results")]),
)
def test_around_a_block(text, events, options):
    """The segments are those of every dialect with tags."""
    check_elements(text, events, **options)


# --- What is well formed, and no call ---------------------------------------------------------


@cases(
    "text path",
    ("a word", "<execute>‸hello", None),
    ("a word after white space", "<execute>\n ‸hello", None),
    ("a call of xml-json", '<execute>‸[{"name"', None),
    ("an object", "<execute>‸{", None),
    ("a reference", "<execute>‸&amp;", None),
    ("an end of a section", "<execute>‸]]>", None),
    ("a no-break space", "<execute>‸\u00a0<w/>", None),
    ("a byte order mark", "<execute>‸\ufeff<w/>", None),
    ("text in a tool", "<execute><read>‸config.json</read>", "/0/args"),
    ("text in a tool after white space", "<execute><read>\n ‸x", "/0/args"),
    ("text between arguments", f"{W}<a/>‸,<b/>", "/0/args"),
    ("a reference in a tool", f"{W}‸&#32;", "/0/args"),
    ("a comment", "<execute><‸!-- x -->", None),
    ("a section", "<execute><‸![CDATA[x]]>", None),
    ("a document type", "<execute><‸!DOCTYPE w>", None),
    ("a declaration", "<execute><‸?xml version='1.0'?>", None),
    ("a comment in a tool", f"{W}<‸!-- x -->", "/0/args"),
    ("a section in a tool", f"{W}<‸![CDATA[x]]>", "/0/args"),
    ("an instruction in a tool", f"{W}<‸?x?>", "/0/args"),
    ("an attribute", '<execute><w ‸a="1">', "/0"),
    ("an attribute without a value", "<execute><w ‸a>", "/0"),
    ("an attribute out of ascii", "<execute><w\n‸é", "/0"),
    ("an attribute of an argument", '<execute><w><a ‸b="1">', "/0/args"),
    ("an element in an argument", f"{X}<‸b>hi</b>", "/0/args/a"),
    ("an element after text", f"{X}hi <‸b/>", "/0/args/a"),
    ("an element of the argument's name", f"{X}<‸a>", "/0/args/a"),
    ("a comment in an argument", f"{X}<!‸-- x -->", "/0/args/a"),
    ("a document type in an argument", f"{X}<!‸DOCTYPE w>", "/0/args/a"),
    ("an instruction in an argument", f"{X}<‸?x?>", "/0/args/a"),
    ("a tool called execute", "<execute><execute‸>", "/0"),
    ("a closed tool called execute", "<execute><execute‸/>", "/0"),
    ("a tool called execute, then white space", "<execute><execute‸ >", "/0"),
)
def test_what_xml_allows_and_a_block_does_not(text, path):
    check_void(text, "xml-forbidden", path)


@cases(
    "text code path",
    ("text", "<execute><a/>‸x", "xml-forbidden", None),
    ("a tool called execute", "<execute><a/><execute‸>", "xml-forbidden", "/1"),
    ("text in the second tool", "<execute><a/><b>‸x", "xml-forbidden", "/1/args"),
    ("a character that XML does not have", "<execute><a/>‸\0", "xml-syntax", None),
    ("a wrong closer", "<execute><a/></‸w>", "xml-syntax", None),
    ("an argument twice", "<execute><a/><b><x/><x‸/>", "duplicate-arg", "/1/args/x"),
    ("the end of the text", "<execute><a/>‸", "unclosed-execute", None),
    ("the end in the closer", "<execute><a/></exec‸", "unclosed-execute", None),
    ("the end in the second name", "<execute><a/><b‸", "unclosed-execute", "/1"),
)
def test_an_error_after_a_call_voids_it(text, code, path):
    check_elements(text, [tool("a"), error(code, path, calls=1)], state="execute")


@cases(
    "text path",
    ("at a greater-than sign", f"{W}<a>1</a><a‸>2</a>", "/0/args/a"),
    ("at a slash", f"{W}<a>1</a><a‸/>", "/0/args/a"),
    ("at white space", f"{W}<a>1</a><a‸ >2</a>", "/0/args/a"),
    ("after an empty one", f"{W}<a/><a‸/>", "/0/args/a"),
    ("not beside each other", f"{W}<a/><b/><a‸/>", "/0/args/a"),
    ("out of ascii", f"{W}<é/><é‸/>", "/0/args/é"),
)
def test_an_argument_twice(text, path):
    check_void(text, "duplicate-arg", path)


def test_names_of_arguments_compare_as_they_are():
    """Without Unicode normalisation, and with their letter case."""
    check_block(
        "<w><é>1</é><e\u0301>2</e\u0301><É>3</É><a>4</a><ab>5</ab></w>",
        call('{"name": "w", "args": {"é": "1", "e\u0301": "2", "É": "3", "a": "4", "ab": "5"}}'),
    )


# --- What is not well formed ------------------------------------------------------------------


@cases(
    "text path",
    ("a prefix", "<execute><n‸:w/>", "/0"),
    ("a colon first", "<execute><‸:w/>", None),
    ("a colon last", "<execute><w‸:>", "/0"),
    ("a colon after white space", "<execute><w ‸:a", "/0"),
    ("a prefix of the reserved name", "<execute><execute‸:w", "/0"),
    ("white space before a name", "<execute><‸ w>", None),
    ("a digit", "<execute><‸1>", None),
    ("a hyphen", "<execute><‸->", None),
    ("a middle dot first", "<execute><‸\u00b7>", None),
    ("a combining accent first", "<execute><‸\u0301>", None),
    ("no name", "<execute><‸>", None),
    ("another bracket", "<execute><‸<w>", None),
    ("a quotation mark", '<execute><‸"w">', None),
    ("a placeholder", "<execute><‸[tool_name]>", None),
    ("a multiplication sign in a name", "<execute><w‸\u00d7>", "/0"),
    ("a character beyond the names", "<execute><w‸\U000f0000", "/0"),
    ("a bracket in a name", "<execute><w‸<", "/0"),
    ("an equals sign", "<execute><w‸=", "/0"),
    ("an equals sign after white space", "<execute><w ‸=", "/0"),
    ("a quotation mark after white space", '<execute><w ‸"', "/0"),
    ("a digit after white space", "<execute><w ‸1", "/0"),
    ("white space after the slash", "<execute><w/‸ >", "/0"),
    ("a name after the slash", "<execute><w/‸w>", "/0"),
    ("two slashes", "<execute><w/‸/>", "/0"),
    ("a nul in a tag", "<execute><w ‸\0", "/0"),
    ("no tool to close", "<execute></‸w>", None),
    ("white space in the closer", "<execute></execute‸ >", None),
    ("white space before its name", "<execute></‸ execute>", None),
    ("half a closer", "<execute></exe‸</execut", None),
    ("an upper-case closer", "<execute></‸EXECUTE>", None),
    ("a longer closer", "<execute></execute‸s>", None),
    ("a digit in a tool", f"{W}<‸1>", "/0/args"),
    ("another end tag", f"{W}</‸x>", "/0/args"),
    ("a longer end tag", f"{W}</w‸x>", "/0/args"),
    ("a shorter end tag", "<execute><ww></w‸>", "/0/args"),
    ("white space before the name", f"{W}</‸ w>", "/0/args"),
    ("a name after it", f"{W}</w ‸w>", "/0/args"),
    ("a slash after it", f"{W}</w‸/>", "/0/args"),
    ("an equals sign in an argument's tag", f"{W}<a‸=", "/0/args"),
    ("a colon in an argument's name", f"{W}<a‸:b>", "/0/args"),
    ("a slash in an argument's tag", f"{W}<a/‸a", "/0/args"),
    ("the end tag of another argument", f"{X}1</‸b>", "/0/args/a"),
    ("the end tag of the tool", f"{X}1</‸w>", "/0/args/a"),
    ("a longer end tag of an argument", f"{X}1</a‸b>", "/0/args/a"),
    ("a name after it in an argument", f"{X}1</a ‸a", "/0/args/a"),
    ("an end of a section in text", f"{X}]]‸>", "/0/args/a"),
    ("an end of a section behind a bracket", f"{X}]]]‸>", "/0/args/a"),
    ("an end of a section behind a section", f"{X}<![CDATA[x]]>]]‸>", "/0/args/a"),
    ("white space in a value's tag", f"{X}<‸ b>", "/0/args/a"),
    ("a digit in a value", f"{X}1 <‸ 2", "/0/args/a"),
    ("no name in a value", f"{X}<‸>", "/0/args/a"),
    ("another mark", f"{X}<!‸x", "/0/args/a"),
    ("a mark alone", f"{X}<!‸>", "/0/args/a"),
    ("a lower-case section", f"{X}<![‸cdata[", "/0/args/a"),
    ("a section with white space", f"{X}<![CDATA‸ [", "/0/args/a"),
    ("another section", f"{X}<![C‸data[", "/0/args/a"),
)
def test_what_is_no_xml(text, path):
    check_void(text, "xml-syntax", path)


@cases(
    "source",
    ("an unknown name", "&‸nbsp;"),
    ("no name", "&‸ b"),
    ("a semicolon", "&‸;"),
    ("two ampersands", "&‸&"),
    ("a tag", "&‸<"),
    ("half a name", "&a‸;"),
    ("another name", "&am‸b;"),
    ("no semicolon", "&amp‸ "),
    ("upper case", "&‸AMP;"),
    ("mixed case", "&l‸T;"),
    ("no number", "&#‸;"),
    ("a letter", "&#‸a;"),
    ("an upper-case x", "&#‸X41;"),
    ("no hexadecimal number", "&#x‸;"),
    ("a letter behind digits", "&#65‸a;"),
    ("a letter that is no digit", "&#x4‸g;"),
    ("white space in a number", "&#6‸ 5;"),
    ("a sign", "&#‸-1;"),
    ("a digit out of ascii", "&#‸\u0661;"),
    ("nul", "&#0‸;"),
    ("a control character", "&#x1F‸;"),
    ("a half", "&#xD800‸;"),
    ("the other half", "&#xDFFF‸;"),
    ("no character", "&#xFFFE‸;"),
    ("past the last character", "&#x11000‸0;"),
    ("past the last character, decimal", "&#111411‸2;"),
    ("past the last character, with zeros", "&#x0011000‸0;"),
    ("far past it", "&#999999‸9999;"),
    ("nul in a reference", "&‸\0"),
)
def test_a_reference_that_is_none(source):
    check_void(X + source, "xml-syntax", "/0/args/a")


@pytest.mark.parametrize(
    "character", ["\0", "\x01", "\x08", "\x0b", "\x0c", "\x0e", "\x1f", "\ufffe", "\uffff"]
)
@pytest.mark.parametrize(
    ("before", "path"),
    [
        ("<execute>", None),
        ("<execute><", None),
        ("<execute><w", "/0"),
        (W, "/0/args"),
        (X, "/0/args/a"),
        (f"{X}x<![CDATA[]", "/0/args/a"),
    ],
)
def test_a_character_that_xml_does_not_have(before, path, character):
    check_void(f"{before}‸{character}", "xml-syntax", path)


@cases(
    "text offset path",
    ("before a tool", b"<execute>\xff<w/></execute>", 9, None),
    ("in a tag", b"<execute><\xff</execute>", 10, None),
    ("in a name", b"<execute><w\xff/></execute>", 11, "/0"),
    ("in a tool", b"<execute><w>\xff</w></execute>", 12, "/0/args"),
    ("in a value", b"<execute><w><a>\xff</a></w></execute>", 15, "/0/args/a"),
    ("in a reference", b"<execute><w><a>&\xff</a></w></execute>", 16, "/0/args/a"),
    ("in a section", b"<execute><w><a><![CDATA[\xff]]></a></w></execute>", 24, "/0/args/a"),
    ("in an end tag", b"<execute><w></w\xff></execute>", 15, "/0/args"),
    ("in the closer", b"<execute></exe\xff</execute>", 14, None),
    ("half of a pair", "<execute><w><a>\ud83d</a></w></execute>", 15, "/0/args/a"),
    ("a sequence cut by a tag", b"<execute><w><a>\xe2\x82</a></w></execute>", 15, "/0/args/a"),
)
def test_a_replaced_character_voids_its_block(text, offset, path):
    check_elements(text, [error("bad-encoding", path, offset=offset)], state="paused")


@cases(
    "text path",
    ("nothing", "<execute>‸", None),
    ("white space", "<execute>\n‸", None),
    ("a bracket", "<execute><‸", None),
    ("one character of a name", "<execute><w‸", "/0"),
    ("white space behind it", "<execute><w ‸", "/0"),
    ("a slash behind it", "<execute><w/‸", "/0"),
    ("the reserved name", "<execute><execute‸", "/0"),
    ("in a tool", f"{W}‸", "/0/args"),
    ("a bracket in a tool", f"{W}<‸", "/0/args"),
    ("the end tag of a tool", f"{W}</w‸", "/0/args"),
    ("the name of an argument", f"{W}<a‸", "/0/args"),
    ("the same name again", f"{W}<a/><a‸", "/0/args"),
    ("a slash behind it in an argument", f"{W}<a/‸", "/0/args"),
    ("a value", f"{X}rm -rf build‸", "/0/args/a"),
    ("a reference", f"{X}&am‸", "/0/args/a"),
    ("a number", f"{X}&#x4‸", "/0/args/a"),
    ("a section", f"{X}<![CDATA[x]]‸", "/0/args/a"),
    ("half the beginning of a section", f"{X}<![CD‸", "/0/args/a"),
    ("the end tag of an argument", f"{X}x</a‸", "/0/args/a"),
    ("behind an argument", f"{X}x</a>‸", "/0/args"),
    ("the closer", "<execute></execute‸", None),
    ("the closer's first characters", "<execute></‸", None),
)
def test_a_block_cut_by_the_end(text, path):
    check_elements(text, [error("unclosed-execute", path)], state="execute")


# --- Void blocks ------------------------------------------------------------------------------


@cases(
    "text options",
    ("cut", "<execute>‸bad", {"state": "execute"}),
    ("half a closer", "<execute>‸bad</execute", {"state": "execute"}),
    ("its closer", "<execute>‸bad</execute>", {"state": "paused"}),
    ("more text", "<execute>‸bad</execute>more", {"state": "paused", "discarded": 4}),
    ("another opener", "<execute>‸bad<execute><w/></execute>x", {"discarded": 1}),
    ("a section hides nothing", "<execute>‸x<![CDATA[</execute>]]>", {"discarded": 3}),
)
def test_after_an_error_the_block_is_skipped_to_its_closer(text, options):
    check_elements(text, [error("xml-forbidden")], **options)


@cases(
    "text path",
    ("it begins the closer", f"{X}&‸</execute>", "/0/args/a"),
    ("it stands in the closer of a tool that has no end tag", f"{W}</‸execute>", "/0/args"),
    ("it stands in the closer of a whole call", "<execute><w><a>1</a></‸execute>", "/0/args"),
    ("it stands in the closer of an argument that has none", f"{X}1</‸execute>", "/0/args/a"),
    ("it is the last of the closer's name", "<execute><executf></execut‸e>", "/0/args"),
)
def test_the_closer_may_have_the_offending_character_in_it(text, path):
    """A forgotten end tag is the likeliest slip, and must not swallow what comes after the block."""
    for rest in ("", "more"):
        check_elements(
            text + rest, [error("xml-syntax", path)], state="paused", discarded=len(rest)
        )


def test_a_closer_before_the_error_is_content():
    text = f"{X}<![CDATA[</execute>]]> &‸z</execute>"
    check_elements(text, [error("xml-syntax", "/0/args/a")], state="paused")


@cases(
    "text word",
    ("an array", "<execute>[", "xml-json"),
    ("an object", "<execute>\n{", "xml-json"),
    ("an element in an argument", f"{X}<b", "CDATA"),
    ("a comment in an argument", f"{X}<!-", "CDATA"),
)
def test_a_message_says_what_was_probably_meant(text, word):
    [message] = messages(run([text], dialect="xml-elements").events)
    assert word in message


# --- Limits -----------------------------------------------------------------------------------


@cases(
    "inside limits events",
    ("no call", "", {"calls": 1}, [execute()]),
    ("as many as allowed", "<a/>", {"calls": 1}, [tool("a"), execute()]),
    ("one more", "<a/><‸b/>", {"calls": 1}, [tool("a"), error("limit-calls", calls=1)]),
    ("the closer is no call", "<a/>\n", {"calls": 1}, [tool("a"), execute()]),
    ("a block is level 1", " ", {"depth": 1}, [execute()]),
    ("a tool is level 2", "<a/>", {"depth": 2}, [tool("a"), execute()]),
    ("a tool too deep", "<‸a/>", {"depth": 1}, [error("limit-depth")]),
    ("an argument is level 3", "<a><x/></a>", {"depth": 3}, [tool("a", x=""), execute()]),
    ("an argument too deep", "<a><‸x/></a>", {"depth": 2}, [error("limit-depth", "/0/args")]),
    ("digits are text", "<a><x>123</x></a>", {"digits": 1}, [tool("a", x="123"), execute()]),
    ("numbers of references", "<a><x>&#065;</x></a>", {"digits": 1}, [tool("a", x="A"), execute()]),
    ("a size as allowed", "<a/>", {"size": 4}, [tool("a"), execute()]),
    ("a size of nothing", "", {"size": 1}, [execute()]),
    ("the size at a tool's end", "<a/‸>", {"size": 3}, [error("limit-size", "/0")]),
    ("the size in a name", "<a‸b/>", {"size": 2}, [error("limit-size", "/0")]),
    ("the size in a value", "<a><x>1‸2", {"size": 7}, [error("limit-size", "/0/args/x")]),
    ("the size in white space", "<a/> ‸ ", {"size": 5}, [tool("a"), error("limit-size", calls=1)]),
)
def test_limits(inside, limits, events):
    check_elements(f"<execute>{inside}</execute>", events, limits=cogwire.Limits(**limits))


@cases(
    "text code path limits",
    ("a colon before the reserved name", "<execute><execute‸:", "xml-syntax", "/0", {}),
    ("a character before a name's value", f"{W}<a/><a‸=", "xml-syntax", "/0/args", {}),
    ("an encoding before the grammar", "<execute><w‸\ud83d", "bad-encoding", "/0", {}),
    ("text before the size", "<execute><w>‸x", "xml-forbidden", "/0/args", {"size": 3}),
    (
        "the reserved name before the size",
        "<execute><execute‸>",
        "xml-forbidden",
        "/0",
        {"size": 8},
    ),
    (
        "an argument twice before the size",
        f"{W}<a/><a‸>",
        "duplicate-arg",
        "/0/args/a",
        {"size": 9},
    ),
    ("the depth before the size", "<execute><‸w", "limit-depth", None, {"depth": 1, "size": 1}),
)
def test_one_character_breaks_two_rules(text, code, path, limits):
    check_elements(text, [error(code, path)], limits=cogwire.Limits(**limits), state="execute")


# --- Transcripts ------------------------------------------------------------------------------

BLOCK = "<execute><a/></execute>"
ITEM = '{"tool":"a","status":"success","content":1}'
VOID_ITEM = '{"tool":"execute","status":"failure","content":"no"}'


@cases(
    "text events options",
    ("without results", f"{BLOCK} b", [tool("a"), execute(), respond("b")]),
    (
        "with results",
        f"{BLOCK}\n<results>\n[{ITEM}]\n</results>b",
        [tool("a"), execute(), result(f"[{ITEM}]", 1), respond("b")],
    ),
    (
        "no calls",
        "<execute></execute><results>[]</results>",
        [execute(), result("[]")],
    ),
    (
        "a void block",
        f"<execute>‸x</execute><results>[{VOID_ITEM}]</results>",
        [error("xml-forbidden"), result(f"[{VOID_ITEM}]", 0, 1, executed=0)],
    ),
    (
        "another tool",
        f'{BLOCK}<results>[{{"tool":"b‸"}}]</results>',
        [tool("a"), execute(), error("results-order", "/0/tool")],
    ),
    (
        "too few",
        f"{BLOCK}<results>[‸]</results>",
        [tool("a"), execute(), error("results-count", "/0")],
    ),
    (
        "elements in results",
        f"{BLOCK}<results>‸<a/></results>",
        [tool("a"), execute(), error("results-shape")],
    ),
    (
        "tools of every name are answered",
        '<execute><é/></execute><results>[{"tool":"\\u00e9","status":"failure","content":""}]</results>',
        [
            tool("é"),
            execute(),
            result('[{"tool":"\\u00e9","status":"failure","content":""}]', 0, 1),
        ],
    ),
)
def test_a_transcript(text, events, options):
    check_elements(text, events, mode="transcript", state="prose")


# --- What is written --------------------------------------------------------------------------


@cases(
    "calls text",
    ("none", [], "<execute>\n</execute>"),
    ("no arguments", [{"name": "ping", "args": {}}], "<execute>\n  <ping/>\n</execute>"),
    (
        "an empty string",
        [{"name": "read", "args": {"file": ""}}],
        "<execute>\n  <read><file></file></read>\n</execute>",
    ),
    (
        "two calls",
        [
            {"name": "read", "args": {"file": "config.json"}},
            {"name": "write", "args": {"file": "a", "content": "x\ty\n"}},
        ],
        (
            "<execute>\n  <read><file>config.json</file></read>\n"
            "  <write><file>a</file><content>x\ty\n</content></write>\n</execute>"
        ),
    ),
    (
        "what must be escaped",
        [{"name": "w", "args": {"a": "<b>&amp;]]></b>\r\n\"'"}}],
        "<execute>\n  <w><a>&lt;b&gt;&amp;amp;]]&gt;&lt;/b&gt;&#13;\n\"'</a></w>\n</execute>",
    ),
)
def test_calls_are_written(calls, text):
    assert cogwire.render_calls(calls, "xml-elements") == text
    check_elements(text, [*(tool(one["name"], **one["args"]) for one in calls), execute()])


@cases(
    "call path",
    ("a dollar sign", {"name": "w", "args": {"$ref": "x"}}, "/0/args"),
    ("a space", {"name": "w", "args": {"my arg": "x"}}, "/0/args"),
    ("a digit", {"name": "w", "args": {"1": "x"}}, "/0/args"),
    ("a colon", {"name": "n:w", "args": {}}, "/0/name"),
    ("an empty name", {"name": "", "args": {}}, "/0/name"),
    ("an empty argument", {"name": "w", "args": {"": "x"}}, "/0/args"),
    ("the reserved name", {"name": "execute", "args": {}}, "/0/name"),
    ("a number", {"name": "w", "args": {"a": 1}}, "/0/args/a"),
    ("nothing", {"name": "w", "args": {"a": None}}, "/0/args/a"),
    ("a list", {"name": "w", "args": {"a": ["x"]}}, "/0/args/a"),
    ("nul", {"name": "w", "args": {"a": "\0"}}, "/0/args/a"),
    ("a control character", {"name": "w", "args": {"a": "\x1b[0m"}}, "/0/args/a"),
    ("no character", {"name": "w", "args": {"a": "\uffff"}}, "/0/args/a"),
    ("half of a pair", {"name": "w", "args": {"a": "\ud83d"}}, "/0/args/a"),
)
def test_what_xml_cannot_hold_is_refused(call, path):
    with pytest.raises(cogwire.RenderError) as refusal:
        cogwire.render_calls([call], "xml-elements")
    assert refusal.value.path.startswith(path)


# --- Values by their declared type ------------------------------------------------------------


@cases(
    "schema text value",
    ("digits for a string", {"type": "string"}, "01234", "01234"),
    ("a truth value", {"type": "boolean"}, "true", True),
    ("the first member that fits", {"type": ["integer", "string"]}, "1", 1),
    ("a string fits first", {"type": ["string", "null"]}, "null", "null"),
)
def test_text_becomes_a_value_of_the_declared_type(schema, text, value):
    checked = checked_by({"a": schema}, {"a": text})
    assert checked.problems == []
    assert checked.args == {"a": value}
    assert type(checked.args["a"]) is type(value)


def test_what_does_not_fit_is_a_problem_and_stays_text():
    checked = checked_by({"a": {"type": "integer"}}, {"a": "01234"})
    assert [(one["code"], one["path"]) for one in checked.problems] == [("bad-type", "/a")]
    assert checked.args == {"a": "01234"}


def checked_by(properties, args):
    parameters = {"type": "object", "properties": properties}
    tools = cogwire.Toolset([{"name": "w", "parameters": parameters}], dialect="xml-elements")
    return tools.check(json.dumps({"name": "w", "args": args}))


def test_a_toolset_warns_of_names_that_xml_cannot_hold():
    properties = {"$ref": {"type": "string"}, "ok": {"type": "string"}}
    tools = [
        {"name": "w", "parameters": {"type": "object", "properties": properties}},
        {"name": "my tool", "parameters": {"type": "object", "properties": {}}},
    ]
    warnings = " ".join(map(str, cogwire.Toolset(tools, dialect="xml-elements").warnings))
    assert "$ref" in warnings
    assert "my tool" in warnings
    assert cogwire.Toolset(tools).warnings == cogwire.Toolset(tools, dialect="delimiter").warnings
