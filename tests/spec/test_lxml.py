"""Blocks of elements beside lxml: another reader of XML, made by others, and its RELAX NG.

lxml reads XML; what more the dialect asks for (no attributes, no comments, …) is said here in the
tree that it gives.  The two agree on which blocks are valid and on every value, but for these
differences, which are the dialect's own:

- a line end stays what it is, CR and CR LF too, and XML makes LF of each; so a text with CR is read
  once more with LF in its place, and only then are the line ends in its values compared
- the closer is exactly `</execute>`; XML allows white space before its `>`, so a block is compared
  up to each `</execute>` in the text
- no name holds a colon; lxml knows only that a prefix must be declared, and `xml:` always is
- white space between elements is written as it is; XML allows a reference or a CDATA section for
  it, and in the tree they are the same
- there are limits, of size, calls and depth; the texts here stay below them
"""

import json
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

from tests import cogwire

DIALECT = "xml-elements"
SCHEMAS = Path(__file__).parents[2] / "spec" / "schemas"
WHITE = " \t\r\n"

#: Validators are made and used on a machine that may be busy.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


# --- Two readings of a text -------------------------------------------------------------------


def read_by_lxml(text):
    """Return the calls of a block, or `None` if it is not valid."""
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
    )
    try:
        block = etree.fromstring(text.encode(), parser)
    except etree.XMLSyntaxError:
        return None
    return [(tool.tag, arguments_of(tool)) for tool in block] if is_in_use(block) else None


def is_in_use(block):
    """Whether the tree holds only what the dialect uses."""
    names = [[argument.tag for argument in tool] for tool in block]
    return (
        all(is_plain(element) for element in block.iter())
        and block.getroottree().docinfo.internalDTD is None
        and not any(text.strip(WHITE) for text in texts_between(block))
        and not any(len(argument) for tool in block for argument in tool)
        and not any(tool.tag == "execute" for tool in block)
        and not any(len(set(each)) < len(each) for each in names)
    )


def is_plain(element):
    """Whether this is an element, and has neither attributes nor a namespace."""
    return isinstance(element.tag, str) and not (
        element.attrib or element.nsmap or "{" in element.tag or ":" in element.tag
    )


def texts_between(block):
    """Return the texts between tools and between arguments."""
    containers = [block, *block]
    return [
        text or ""
        for container in containers
        for text in (container.text, *(element.tail for element in container))
    ]


def arguments_of(tool):
    return [(argument.tag, argument.text or "") for argument in tool]


def with_line_feeds(text):
    return text.replace("\r\n", "\n").replace("\r", "\n")


def without_line_ends(calls):
    return [
        (tool, [(name, re.sub("[\r\n]+", "", value)) for name, value in arguments])
        for tool, arguments in calls
    ]


def read_by_cogwire(text):
    """Return the calls of the block that `text` begins with, or `None`, and the last event."""
    events = cogwire.parse(text, DIALECT, clock=None, raw=True)
    if events[-1]["type"] == "error":
        return None, events[-1]
    assert [event["type"] for event in events] == ["call"] * (len(events) - 1) + ["execute"]
    calls = [json.loads(event["content"]) for event in events[:-1]]
    return [(call["name"], list(call["args"].items())) for call in calls], events[-1]


def is_escaped_white(text, error):
    """Whether the error stands at white space between elements that is no plain white space."""
    at = error["offset"]
    is_between = re.fullmatch(r"(?:/\d+/args)?", error.get("path", "")) is not None
    return is_between and (text[at] == "&" or text.startswith("<![CDATA[", at - 1))


def check(text):
    """Assert that lxml reads a text that begins with a block as cogwire does."""
    calls, last = read_by_cogwire(text)
    found = [match.end() for match in re.finditer("</execute>", text)]
    readings = {end: read_by_lxml(text[:end]) for end in found}
    valid = {end: reading for end, reading in readings.items() if reading is not None}
    if calls is not None:
        ((end, reading),) = valid.items()
        assert end == len(text) - len(rest(text)), text
        assert without_line_ends(reading) == without_line_ends(calls), text
        assert reading == calls or "\r" in text, text
    elif valid:
        assert last["offset"] < len(text), text
        assert is_escaped_white(text, last), text
    if "\r" in text:
        check(with_line_feeds(text))


def rest(text):
    """Return what stands behind the block."""
    parser = cogwire.Parser(DIALECT, clock=None)
    parser.feed(text)
    return text[len(text) - parser.discarded :]


# --- Texts ------------------------------------------------------------------------------------

NAMES = ["a", "w", "b1", "x.y-z", "_", "été", "日本", "x\u203f", "\U00010000", "end", "xmlns"]
NO_NAMES = ["1", "-a", "n:w", "xml:w", ":", "", " ", "\u0300", "a\u037e", "\U000f0000", "a b"]
SPACES = ["", "", "", " ", "\n", "\t\r\n "]
PIECES = [
    "x",
    "text and more text",
    "]]",
    "]",
    ">",
    "\r\n",
    "\r",
    "\t",
    "é\U0001f600",
    "\x7f\x85\u2028",
    "\ufffd",
    "&amp;",
    "&lt;",
    "&gt;",
    "&quot;",
    "&apos;",
    "&#13;",
    "&#x41;",
    "&#0065;",
    "&#x10FFFF;",
    "<![CDATA[]]>",
    "<![CDATA[<b>&amp;]]]>",
    "<![CDATA[</execute>\r]]>",
]
WRONG = [
    "<",
    ">",
    "&",
    "]]>",
    "]",
    "/",
    "<b>",
    "</b>",
    "</w>",
    "<w>",
    "<w/>",
    "<a/>",
    "</execute>",
    "</execute >",
    "<execute>",
    "<!--",
    "-->",
    "<!-- c -->",
    "<?pi x?>",
    "<?xml version='1.0'?>",
    "<!DOCTYPE execute>",
    "<![CDATA[",
    "<![CDATA[ ]]>",
    "&#32;",
    "&nbsp;",
    "&x;",
    "&#0;",
    "&#xD800;",
    "&#xFFFE;",
    "&#x110000;",
    "&#x",
    "&#;",
    ' a="1"',
    ' xmlns="u"',
    ' xmlns:n="u"',
    "n:",
    "xml:",
    ":",
    "\x00",
    "\x01",
    "\x0b",
    "\x1f",
    "\ufffe",
    "\uffff",
    "\xa0",
    "\ufeff",
    "text",
    "[",
    "{",
    " ",
    "=",
    '"',
]

names = st.sampled_from(NAMES)
spaces = st.sampled_from(SPACES)


@st.composite
def elements(draw, name, content):
    if not content and draw(st.booleans()):
        return f"<{name}{draw(spaces)}/>"
    return f"<{name}{draw(spaces)}>{content}</{name}{draw(spaces)}>"


@st.composite
def tools(draw):
    arguments = [
        draw(elements(name, "".join(draw(st.lists(st.sampled_from(PIECES), max_size=3)))))
        for name in draw(st.lists(st.sampled_from([*NAMES, "execute"]), max_size=3, unique=True))
    ]
    return draw(elements(draw(names), "".join(draw(spaces) + each for each in arguments)))


blocks = st.lists(tools(), max_size=4).flatmap(
    lambda written: spaces.map(
        lambda gap: f"<execute>{''.join(gap + each for each in written)}{gap}</execute>"
    )
)
wrongs = st.sampled_from([*WRONG, *NO_NAMES]) | st.text(max_size=3)


@st.composite
def mutated(draw):
    text = draw(blocks)
    opener = len("<execute>")
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(opener, max(opener, len(text))))
        cut = draw(st.sampled_from([0, 0, 1, 2, 5]))
        text = text[:at] + draw(st.just("") | wrongs if cut else wrongs) + text[at + cut :]
    return text


arbitrary = st.lists(
    st.sampled_from([*WRONG, *PIECES, *NAMES, "<w><a>", "</a></w>", "<a>x</a>"]), max_size=12
).map(lambda pieces: f"<execute>{''.join(pieces)}</execute>")


@unhurried
@given(blocks)
def test_valid_blocks(text):
    assert read_by_cogwire(text)[0] is not None
    check(text)


@unhurried
@given(mutated())
def test_mutated_blocks(text):
    check(text)


@unhurried
@given(arbitrary)
def test_arbitrary_blocks(text):
    check(text)


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize(
    "around",
    [
        ("<execute>", "<w><a>1</a></w></execute>"),
        ("<execute><", "w><a>1</a></w></execute>"),
        ("<execute><w", "><a>1</a></w></execute>"),
        ("<execute><w>", "<a>1</a></w></execute>"),
        ("<execute><w><a", ">1</a></w></execute>"),
        ("<execute><w><a>1", "2</a></w></execute>"),
        ("<execute><w><a>1</a", "></w></execute>"),
        ("<execute><w><a>1</a>", "</w></execute>"),
        ("<execute><w><a>1</a></w>", "</execute>"),
    ],
)
def test_everything_wrong_everywhere(wrong, around):
    check(wrong.join(around))


# --- The differences, one by one --------------------------------------------------------------


def test_line_ends_are_kept():
    text = "<execute><w><a>1\r\n2\r3&#13;\n</a></w></execute>"
    (call, _) = cogwire.parse(text, DIALECT, clock=None)
    assert json.loads(call["content"])["args"] == {"a": "1\r\n2\r3\r\n"}
    assert etree.fromstring(text)[0][0].text == "1\n2\n3\r\n"


def test_the_closer_has_one_form():
    text = "<execute><w/></execute >"
    assert read_by_lxml(text) == [("w", [])]
    assert read_by_cogwire(text)[0] is None


@pytest.mark.parametrize("space", ["&#32;", "&#10;", "<![CDATA[ ]]>"])
@pytest.mark.parametrize("around", ["<execute>{}<w/></execute>", "<execute><w>{}</w></execute>"])
def test_white_space_between_elements_is_plain(space, around):
    text = around.format(space)
    assert read_by_lxml(text) == [("w", [])]
    assert read_by_cogwire(text)[1]["code"] == "xml-forbidden"


def test_no_name_holds_a_colon():
    for name in ("xml:w", "n:w"):
        assert read_by_cogwire(f"<execute><{name}/></execute>")[1]["code"] == "xml-syntax"


def test_limits_are_the_dialects_own():
    text = f"<execute>{'<w/>' * 257}</execute>"
    assert len(read_by_lxml(text)) == 257
    assert read_by_cogwire(text)[1]["code"] == "limit-calls"


# --- Attacks ----------------------------------------------------------------------------------

BILLION = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 10))
BOMB = f'<!DOCTYPE execute [<!ENTITY e0 "lol">{BILLION}]>'
OUTSIDE = '<!DOCTYPE execute [<!ENTITY x SYSTEM "file:///etc/passwd">]>'


@pytest.mark.parametrize("declaration", [BOMB, OUTSIDE], ids=["billion laughs", "external entity"])
@pytest.mark.parametrize("entity", ["e9", "x"])
def test_what_is_declared_before_a_block_is_prose(declaration, entity):
    """Nothing outside of a block is XML, so that a block knows the five entities alone."""
    text = f"{declaration}<execute><w><a>&{entity};</a></w></execute>"
    prose, wrong = cogwire.parse(text, DIALECT, clock=None)
    assert prose == {"type": "respond", "content": declaration}
    assert (wrong["code"], wrong["path"]) == ("xml-syntax", "/0/args/a")
    assert wrong["offset"] == text.index("<execute>") + len("<execute><w><a>&")


@pytest.mark.parametrize("declaration", [BOMB, OUTSIDE, "<!DOCTYPE execute>", "<!ENTITY x 'y'>"])
@pytest.mark.parametrize(
    "around",
    [
        "<execute>{}</execute>",
        "<execute>{}<w><a>&x;</a></w></execute>",
        "<execute><w>{}</w></execute>",
        "<execute><w><a>{}</a></w></execute>",
        "<execute><w/>{}</execute>",
    ],
)
def test_declarations_void_a_block(declaration, around):
    text = around.format(declaration)
    assert read_by_lxml(text) is None
    wrong = read_by_cogwire(text)[1]
    assert wrong["type"] == "error"
    assert wrong["offset"] <= text.index(declaration) + 2


@pytest.mark.parametrize("depth", [3, 200, 100_000])
def test_deep_nesting(depth):
    text = f"<execute>{'<a>' * depth}{'</a>' * depth}</execute>"
    assert read_by_lxml(text) is None
    wrong = read_by_cogwire(text)[1]
    assert (wrong["code"], wrong["offset"]) == ("xml-forbidden", len("<execute><a><a><"))


def test_huge_references():
    for digits, base in (("9" * 100_000, ""), ("F" * 100_000, "x"), ("1" + "0" * 100_000, "")):
        text = f"<execute><w><a>&#{base}{digits};</a></w></execute>"
        assert read_by_lxml(text) is None
        wrong = read_by_cogwire(text)[1]
        assert (wrong["code"], wrong["offset"] < 30) == ("xml-syntax", True)
    zeros = "0" * 100_000
    text = f"<execute><w><a>&#{zeros}65;&#x{zeros}42;</a></w></execute>"
    assert read_by_cogwire(text)[0] == read_by_lxml(text) == [("w", [("a", "AB")])]


def test_references_are_read_once():
    """What a reference gives is text, even where it looks like another one, or like a tag."""
    check("<execute><w><a>&amp;lt;&#38;#60;&#60;b&#62;&lt;/a&gt;</a></w></execute>")


# --- RELAX NG ---------------------------------------------------------------------------------


def schema(text):
    return etree.RelaxNG(etree.fromstring(text))


GENERIC = schema((SCHEMAS / "execute.rng").read_bytes())

EXAMPLE = [
    {
        "name": "read",
        "parameters": {
            "type": "object",
            "properties": {
                "file": {"type": "string", "minLength": 1},
                "lines": {"type": ["integer", "null"], "minimum": 1},
            },
            "required": ["file"],
            "additionalProperties": False,
        },
    },
    {
        "name": "search",
        "parameters": {
            "type": "object",
            "properties": {
                "text": {"type": "string"},
                "order": {"type": "string", "enum": ["name", "date"]},
                "weight": {"type": "number"},
                "deep": {"type": "boolean"},
                "in": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["text"],
        },
    },
    {"name": "list", "parameters": {"type": "object", "additionalProperties": False}},
]


@unhurried
@given(st.one_of(blocks, mutated(), arbitrary))
def test_the_generic_schema(text):
    """It takes what the parser takes, and refuses the rest as far as it can tell."""
    try:
        block = etree.fromstring(text.encode())
    except etree.XMLSyntaxError:
        return
    if read_by_cogwire(text)[0] is not None:
        assert GENERIC.validate(block)
    elif GENERIC.validate(block):
        wrong = read_by_cogwire(text)[1]
        assert (
            wrong["code"] == "duplicate-arg"
            or "xmlns" in text
            or "<!-" in text
            or "<?" in text
            or is_escaped_white(text, wrong)
            or text.endswith("</execute >")
        )


@pytest.mark.parametrize(
    "inside",
    [
        "x",
        "<w>x</w>",
        "<w a='1'/>",
        "<w><a b='1'/></w>",
        "<w><a><b/></a></w>",
        "<w><a>1<b/></a></w>",
        "<execute/>",
        "<w xmlns='u'/>",
        "<w/>x",
    ],
)
def test_the_generic_schema_refuses(inside):
    text = f"<execute>{inside}</execute>"
    assert not GENERIC.validate(etree.fromstring(text))
    assert read_by_cogwire(text)[0] is None


def test_the_published_example():
    written = cogwire.Toolset(EXAMPLE, DIALECT).relax_ng()
    assert (SCHEMAS / "toolset-example.rng").read_text() == written


@pytest.mark.parametrize(
    "inside",
    [
        "",
        "<list/>",
        "<read><file>a</file></read><list></list>",
        "<read>\n<lines>12</lines>\n<file/></read>",
        "<read><file>a</file><lines>null</lines></read>",
        "<search><in>[]</in><text><![CDATA[<]]></text><weight>-1.5e3</weight></search>",
        "<search><text/><order>date</order><deep>true</deep><other>1</other></search>",
    ],
)
def test_blocks_of_the_example(inside):
    check_example(inside, is_valid=True)


@pytest.mark.parametrize(
    "inside",
    [
        "<write/>",
        "<read/>",
        "<read><lines>1</lines></read>",
        "<read><file>a</file><lines>01</lines></read>",
        "<read><file>a</file><lines> 1</lines></read>",
        "<read><file>a</file><lines/></read>",
        "<read><file>a</file><x>1</x></read>",
        "<list><x/></list>",
        "<search><text/><order>Date</order></search>",
        "<search><text/><order> date</order></search>",
        "<search><text/><weight>1.</weight></search>",
        "<search><text/><deep>1</deep></search>",
    ],
)
def test_no_blocks_of_the_example(inside):
    check_example(inside, is_valid=False)


def check_example(inside, *, is_valid):
    text = f"<execute>{inside}</execute>"
    published = schema((SCHEMAS / "toolset-example.rng").read_bytes())
    toolset = cogwire.Toolset(EXAMPLE, DIALECT)
    events = cogwire.parse(text, DIALECT, clock=None)
    problems = [toolset.check(event).problems for event in events if event["type"] == "call"]
    assert GENERIC.validate(etree.fromstring(text))
    assert published.validate(etree.fromstring(text)) == is_valid
    if not is_valid:
        assert any(problems)


def test_rules_that_relax_ng_cannot_say():
    """Such a block passes, and its calls have problems nevertheless."""
    for inside in (
        "<read><file></file></read>",
        "<read><file>a</file><lines>0</lines></read>",
        "<search><text/><weight>1e999</weight></search>",
        "<search><text/><in>a, b</in></search>",
    ):
        toolset = cogwire.Toolset(EXAMPLE, DIALECT)
        text = f"<execute>{inside}</execute>"
        assert schema(toolset.relax_ng()).validate(etree.fromstring(text))
        assert toolset.check(cogwire.parse(text, DIALECT, clock=None)[0]).problems


#: Schemas of arguments of which RELAX NG can say all, and texts that may fit them.
SAYABLE = [
    {},
    True,
    False,
    {"type": "string"},
    {"type": "integer"},
    {"type": "number"},
    {"type": "boolean"},
    {"type": "null"},
    {"type": ["boolean", "integer"]},
    {"type": ["integer", "string"]},
    {"type": "string", "enum": ["a", "", " a", "<&>\r\n", "\x00", "\ud800", 1]},
    {"type": "string", "const": "a\nb"},
    {"type": "integer", "enum": [0, -1, 2.0, True, "1"]},
    {"type": "boolean", "enum": [True, 1]},
    {"type": "null", "enum": [None, False]},
    {"type": "string", "enum": [1]},
    {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "integer"}]},
    {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/e"}]},
    {"$ref": "#/$defs/e"},
    {"allOf": [{"type": ["string", "null"]}, {"$ref": "#/$defs/e"}]},
    {"type": ["integer", "null"], "allOf": [{"type": "integer"}]},
]
#: Schemas that say more.
MORE = [
    {"type": "string", "minLength": 2},
    {"type": "integer", "minimum": 1},
    {"type": "number", "enum": [1, 2.5]},
    {"type": "array"},
    {"type": "object"},
    {"type": ["array", "boolean"]},
    {"enum": ["a", 1]},
    {"const": None},
    {"allOf": [{"type": "integer"}, {"type": "null"}]},
    {"not": {"const": "a"}},
]
DEFS = {"e": {"type": "string", "enum": ["a", "b"]}}
TEXTS = [
    "",
    "a",
    "b",
    " a",
    "a ",
    "a\nb",
    "<&>\r\n",
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "01",
    "+1",
    "1.0",
    "2.5",
    "1e3",
    " 1",
    "true",
    "false",
    "True",
    "null",
    "[]",
    "{}",
    "[1",
    '"a"',
    "é",
]
ARGUMENTS = ["a", "b", "été", "n"]


@st.composite
def toolsets(draw, schemas):
    """Return a tool with one of every keyword that may say which arguments there are."""
    properties = draw(st.dictionaries(st.sampled_from(ARGUMENTS), st.sampled_from(schemas)))
    parameters = {"properties": properties, "$defs": DEFS}
    if draw(st.booleans()):
        parameters["required"] = draw(st.lists(st.sampled_from(ARGUMENTS), unique=True))
    if draw(st.booleans()):
        parameters["additionalProperties"] = draw(st.sampled_from([True, False, False]))
    if draw(st.booleans()):
        parameters = {"$ref": "#/$defs/p", "$defs": {**DEFS, "p": parameters}}
        parameters["$defs"]["p"].pop("$defs")
    tool = {"name": "t", "parameters": parameters}
    return cogwire.Toolset([tool, {"name": "other"}], DIALECT)


arguments = st.dictionaries(st.sampled_from([*ARGUMENTS, "x"]), st.sampled_from(TEXTS))


@unhurried
@given(toolsets(SAYABLE), arguments)
def test_a_schema_agrees_with_its_toolset(toolset, args):
    call = {"name": "t", "args": args}
    block = etree.fromstring(cogwire.render_calls([call], DIALECT))
    assert schema(toolset.relax_ng()).validate(block) == (not toolset.check(call).problems)


@unhurried
@given(toolsets([*SAYABLE, *MORE]), arguments)
def test_a_schema_never_refuses_a_good_call(toolset, args):
    call = {"name": "t", "args": args}
    block = etree.fromstring(cogwire.render_calls([call], DIALECT))
    if not toolset.check(call).problems:
        assert schema(toolset.relax_ng()).validate(block)


@pytest.mark.parametrize(
    ("parameters", "good", "bad"),
    [
        pytest.param(
            {"patternProperties": {"^n": {}}, "additionalProperties": False},
            ["", "<n1>x</n1>"],
            [],
            id="patterns of names cannot be said",
        ),
        pytest.param(
            {
                "allOf": [
                    {"properties": {"a": {}}, "required": ["a"]},
                    {"properties": {"b": {"type": "integer"}}},
                ]
            },
            ["<a/>", "<a/><b>1</b>", "<a/><c/>"],
            ["", "<b>1</b>", "<a/><b/>"],
            id="schemas that must all hold",
        ),
        pytest.param(
            {"allOf": [{"properties": {"a": {}}}, {"additionalProperties": False}]},
            [""],
            ["<a/>", "<b/>"],
            id="one of them forbids what another one declares",
        ),
        pytest.param(
            {"anyOf": [{"properties": {"a": {}}, "required": ["a"]}, {"required": ["b"]}]},
            ["<a/>", "<b/>"],
            [],
            id="alternatives",
        ),
        pytest.param({"required": ["a"]}, ["<a/>"], ["", "<b/>"], id="required and not declared"),
        pytest.param({"required": ["a b"]}, [], ["", "<a/>"], id="what no element can be called"),
        pytest.param(
            {"properties": {"a": False}, "required": ["a"]}, [], ["", "<a/>"], id="both at once"
        ),
        pytest.param({"properties": {"a b": {}}}, ["", "<a/>"], [], id="an argument left out"),
    ],
)
def test_where_arguments_are_declared(parameters, good, bad):
    toolset = cogwire.Toolset([{"name": "t", "parameters": parameters}], DIALECT)
    made = schema(toolset.relax_ng())
    for inside in good + bad:
        text = f"<execute><t>{inside}</t></execute>"
        assert made.validate(etree.fromstring(text)) == (inside in good)
        if inside in bad:
            assert toolset.check(cogwire.parse(text, DIALECT, clock=None)[0]).problems


def test_a_schema_without_tools():
    for tools_ in ([], [{"name": "a b"}]):
        made = schema(cogwire.Toolset(tools_, DIALECT).relax_ng())
        assert made.validate(etree.fromstring("<execute> </execute>"))
        assert not made.validate(etree.fromstring("<execute><a/></execute>"))
