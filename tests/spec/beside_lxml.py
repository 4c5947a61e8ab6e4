"""Blocks of elements beside lxml: another reader of XML, made by others, and its RELAX NG.

lxml reads XML; the further rules of the dialect (no attributes, no comments, …) are checked here on
the tree that lxml returns. The two agree on which blocks are valid and on every value, except for
these differences, which are rules of the dialect:

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

from hypothesis import HealthCheck, settings
from lxml import etree

from tests import cogwire

DIALECT = "xml-elements"
WHITE = " \t\r\n"

#: Validators are built and used on a machine that may be busy.
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
    """Whether the tree contains only what the dialect uses."""
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
    """Whether the error is at white space between elements that is not plain white space."""
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
    """Return what follows the block."""
    parser = cogwire.Parser(DIALECT, clock=None)
    parser.feed(text)
    return text[len(text) - parser.discarded :]


#: What breaks a block somewhere, and elsewhere may be a part of one.
WRONG = [
    *["<", ">", "&", "]]>", "]", "/", "<b>", "</b>", "</w>", "<w>", "<w/>", "<a/>", "</execute>"],
    *["</execute >", "<execute>", "<!--", "-->", "<!-- c -->", "<?pi x?>"],
    *["<?xml version='1.0'?>", "<!DOCTYPE execute>", "<![CDATA[", "<![CDATA[ ]]>", "&#32;"],
    *["&nbsp;", "&x;", "&#0;", "&#xD800;", "&#xFFFE;", "&#x110000;", "&#x", "&#;", ' a="1"'],
    *[' xmlns="u"', ' xmlns:n="u"', "n:", "xml:", ":", "\x00", "\x01", "\x0b", "\x1f", "\ufffe"],
    *["\uffff", "\xa0", "\ufeff", "text", "[", "{", " ", "=", '"'],
]
