"""Blocks of elements as they are written: what is escaped, and what XML cannot hold."""

import json

import pytest

from tests import cogwire
from tests.core.helpers import call, check, execute
from tests.rows import rows

DIALECT = "xml-elements"


@rows(
    ("calls", "text"),
    [
        ([], "<execute>\n</execute>"),
        ([("ping", {})], "<execute>\n  <ping/>\n</execute>"),
        (
            [("read", {"file": "config.json"}), ("ping", {}), ("touch", {"file": "", "mode": "w"})],
            (
                "<execute>\n  <read><file>config.json</file></read>\n  <ping/>\n"
                "  <touch><file></file><mode>w</mode></touch>\n</execute>"
            ),
        ),
        (
            [("w", {"a": "<b>&amp;]]></b>\r\n\"'", "b": "x\ty\n"})],
            (
                "<execute>\n  <w><a>&lt;b&gt;&amp;amp;]]&gt;&lt;/b&gt;&#13;\n\"'</a>"
                "<b>x\ty\n</b></w>\n</execute>"
            ),
        ),
    ],
)
def test_calls_are_written(calls, text):
    """One a line; what was written is read back the same."""
    calls = [{"name": name, "args": args} for name, args in calls]
    assert cogwire.render_calls(calls, DIALECT) == text
    check(text, [*(call(json.dumps(one)) for one in calls), execute()], dialect=DIALECT)


@rows(
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
    [event, _] = cogwire.parse(text, DIALECT, clock=None)
    assert json.loads(event["content"])["args"] == {"a": value}


class Text(str):
    """What is nearly a string."""

    __slots__ = ()


@rows(
    ("path", "names", "values"),
    [
        ("/0/name", ["1", "a b", "n:w", "a\n", "", "execute", Text("w")], []),
        ("/0/args/{}", ["$ref", "my arg", "1", ""], []),
        ("/0/args/a~1b~0", ["a/b~"], []),
        ("/0/args", [1, Text("a")], []),
        ("/0/args/a", [], [1, None, ["x"], "\0", "\x1b[0m", "\uffff", "\ud83d", Text("x")]),
    ],
)
def test_characters_that_xml_cannot_contain_are_refused(path, names, values):
    """The path says which name, or which value."""
    calls = [
        {"name": name, "args": {}} if path == "/0/name" else {"name": "w", "args": {name: "x"}}
        for name in names
    ] + [{"name": "w", "args": {"a": value}} for value in values]
    for name, one in zip(names or values, calls, strict=True):
        with pytest.raises(cogwire.RenderError) as caught:
            cogwire.render_calls([one], DIALECT)
        assert caught.value.path == path.format(name), one
