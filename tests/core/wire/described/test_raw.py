"""Values in tags that may be between two more markers."""

import pytest

from tests import cogwire
from tests.core.helpers import call
from tests.core.wire.described.reading import refusal
from tests.rows import rows

#: MiniCPM5.
CDATA = {
    "name": "minicpm5",
    "call": ['<function name="', "</function>"],
    "payload": {
        "kind": "tags",
        "tool": ["", '">'],
        "key": ['<param name="', '">'],
        "value": ["", "</param>"],
        "raw": ["<![CDATA[", "]]>"],
    },
}
A = '<function name="a"><param name="x">'
END = "</param></function>"


def text(value):
    """Return the call that has this text, as it is in JSON."""
    return call(f'{{"name": "a", "args": {{"x": "{value}"}}}}')


@rows("value, expected", [("<![CDATA[a]</b", '{"x": "a]</b'), ("<!b<", '{"x": "<!b')])
def test_deltas_are_without_the_markers(value, expected):
    form = cogwire.Format.from_json(CDATA)
    parser = cogwire.Parser(form, stream="token", call_deltas=True, clock=None)
    shown = "".join(event["content"] for event in parser.feed(A) if event["type"] == "call_delta")
    for char in value:
        parser = cogwire.Parser.restore(parser.snapshot(), dialect=form, clock=None)
        shown += "".join(event["content"] for event in parser.feed(char))
    assert shown == expected


def test_the_first_marker_may_come_in_two_pieces():
    parser = cogwire.Parser(cogwire.Format.from_json(CDATA), clock=None)
    assert parser.feed(f"{A}<![CD") == []
    assert parser.feed(f"ATA[b</param>]]>{END}") == [text("b</param>")]


@rows(
    "change, reason",
    [
        ({"raw": ["a", ""]}, ": nothing but two markers is around a value here"),
        ({"raw": ["", "a"]}, ": nothing but two markers is around a value here"),
        ({"margin": "\n"}, ": nothing but two markers is around a value here"),
        (
            {"key": ["<k", ""], "types": {'">': "text"}},
            ": nothing but two markers is around a value here",
        ),
        ({"raw": ["<", "]]>"]}, ": '<' and '</param>', which contains it, are live together"),
        (
            {"raw": ["</{", "a"], "value": ["", "</{key}>"]},
            ": '</' and '</{', which contains it, are live together",
        ),
        ({"raw": ["a ", "b"]}, "/0: a marker has no white space at its ends"),
        ({"raw": ["a"]}, ": an opener and a closer are needed"),
    ],
)
def test_a_description_is_refused(change, reason):
    payload = {**CDATA["payload"], **change}
    assert refusal({**CDATA, "payload": payload}) == f"/payload/raw{reason}"


@rows(
    "value, written",
    [
        ("a & b", "a & b"),
        ("a < b", "<![CDATA[a < b]]>"),
        ("<![CDATA[a]]>", "<![CDATA[<![CDATA[a]]>]]>"),
        ("]]></param", "<![CDATA[]]></param]]>"),
        ("</param>", "<![CDATA[</param>]]>"),
    ],
)
def test_a_value_is_written_and_read_back(value, written):
    form = cogwire.Format.from_json(CDATA)
    given = {"name": "a", "args": {"x": value}}
    text = cogwire.render_calls([given], form)
    assert f">{written}</param>" in text
    assert (
        cogwire.parse(text, dialect=form, clock=None)[0]
        == cogwire.parse(cogwire.render_calls([given], "xml-json"), clock=None)[0]
    )


def test_a_value_that_would_end_too_early_is_refused():
    given = {"name": "a", "args": {"x": "]]></param> b"}}
    with pytest.raises(cogwire.RenderError, match="]]></param>, which would end the value"):
        cogwire.render_calls([given], cogwire.Format.from_json(CDATA))


def test_a_value_that_begins_like_the_marker_with_its_closer_is_written_between_them():
    payload = {**CDATA["payload"], "raw": ["[<", ">]"]}
    form = cogwire.Format.from_json({**CDATA, "payload": payload})
    text = cogwire.render_calls([{"name": "a", "args": {"x": "["}}], form)
    assert "[<[>]</param>" in text
