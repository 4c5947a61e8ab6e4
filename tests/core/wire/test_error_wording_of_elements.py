"""The messages of the errors in blocks of elements, word for word: they are what the model reads."""

import pytest

from tests import cogwire
from tests.rows import rows

DIALECT = "xml-elements"

NO_CHARACTER = "XML cannot represent this character at all."
NOTHING_BUT_TOOLS = (
    "A block contains only tools, each <tool><argument>value</argument></tool>, but here is {}. "
    "Text belongs before the block or after it."
)
JSON = "Calls in JSON are of the dialect xml-json; here each call is an element."
NO_COMMENTS = "A block contains only elements and their text. Leave out comments and declarations."
NO_INSTRUCTIONS = (
    "A block contains only elements and their text. Leave out processing instructions."
)
DIRECTLY = 'The name follows directly after "<".'
LETTER = "A name begins with a letter or an underscore."
NONE_IS_OPEN = "No tool is open here, so only the block can be closed, in exactly this form."
NO_NAMESPACES = "Names contain no colon, because there are no namespaces here."
RESERVED = (
    'At /0: No tool is called "execute": the block is open already, and the name is reserved. '
    "Blocks end with </execute>."
)
OWN_ELEMENT = (
    "At /0/args: Each argument is written in an element of its own, "
    "as in <w><argument>value</argument></w>, but here is {}."
)
TOOL_OPEN = 'The tool "w" is still open and has to be closed first.'
ARGUMENT_OPEN = 'The argument "a" is still open and has to be closed first.'
CDATA = 'Write "<" as &lt; and "&" as &amp;, or put the whole value into <![CDATA[…]]>.'
NO_MARKUP = (
    f"At /0/args/a: An argument contains only text, without elements or other markup. {CDATA}"
)
SECTION_END = (
    'At /0/args/a: Text must not contain "]]>" outside of <![CDATA[…]]>. Write ]]&gt; instead.'
)
REFERENCE = (
    "At /0/args/a: Expected &amp; or another of the references &lt; &gt; &quot; &apos; and &#10; "
    'or &#xA;, but got {}. An "&" that is meant as text is written &amp;.'
)
LAST = "At /0/args/a: This is beyond U+10FFFF, the last code point."
NUMBER = "At /0/args/a: XML cannot represent the character U+{}, not even as a reference."


def message(inside, **limits):
    """Return the message of the one error of a block, which is the same for each way to cut it."""
    text = f"<execute>{inside}"
    messages = set()
    for chunks in ([text], list(text), *([text[:at], text[at:]] for at in range(1, len(text)))):
        parser = cogwire.Parser(DIALECT, clock=None, limits=cogwire.Limits(**limits))
        events = [event for chunk in chunks for event in parser.feed(chunk)]
        assert [event["type"] for event in events if event["type"] != "call"] == ["error"]
        messages.add(events[-1]["content"])
    (only,) = messages
    return only


@rows(
    ("inside", "expected"),
    [
        ("x", NOTHING_BUT_TOOLS.format('"x"')),
        ("\n&", NOTHING_BUT_TOOLS.format('"&"')),
        ("<a/>>", NOTHING_BUT_TOOLS.format('">"')),
        ("\xa0", NOTHING_BUT_TOOLS.format("the character U+00A0")),
        ("[", f'Expected a tool or </execute>, but got "[". {JSON}'),
        ("{", f'Expected a tool or </execute>, but got "{{". {JSON}'),
        ("\x00", f"Expected a tool or </execute>, but got the character U+0000. {NO_CHARACTER}"),
        ("<!", NO_COMMENTS),
        ("<?", NO_INSTRUCTIONS),
        (
            "< ",
            f"Expected the name of a tool or </execute>, but got a space (U+0020). {DIRECTLY}",
        ),
        ("<1", f'Expected the name of a tool or </execute>, but got "1". {LETTER}'),
        ("<<", f'Expected the name of a tool or </execute>, but got "<". {LETTER}'),
        (
            "<\x01",
            (
                "Expected the name of a tool or </execute>, but got the character U+0001. "
                f"{NO_CHARACTER}"
            ),
        ),
        ("</x", f'Expected </execute>, but got "x". {NONE_IS_OPEN}'),
        ("<a/></a", f'Expected </execute>, but got "a". {NONE_IS_OPEN}'),
        ("</execute ", f"Expected </execute>, but got a space (U+0020). {NONE_IS_OPEN}"),
    ],
)
def test_between_tools(inside, expected):
    assert message(inside) == expected


@rows(
    ("inside", "expected"),
    [
        ("<w=", '=". Arguments are elements, not attributes.'),
        ("<w:", f':". {NO_NAMESPACES}'),
        ("<w<", '<".'),
    ],
)
def test_after_a_name(inside, expected):
    after_name = '">" after the name "w", but got "'
    assert message(inside) == f"At /0: Expected {after_name}{expected}"
    assert message(f"<t>{inside}") == f"At /0/args: Expected {after_name}{expected}"


@rows(
    ("inside", "expected"),
    [
        ("<execute>", RESERVED),
        ("<execute/>", RESERVED),
        ("<execute\t", RESERVED),
        (
            "<w a",
            (
                "At /0: Arguments are elements, not attributes: write "
                "<w><argument>value</argument></w>."
            ),
        ),
        ("<w><a b", "At /0/args: Arguments are elements, not attributes: write <a>value</a>."),
        ("<w 1", 'At /0: Expected ">" or "/>", but got "1".'),
        ("<w><a :", 'At /0/args: Expected ">" or "/>", but got ":".'),
        ("<w/ ", 'At /0: Expected ">" after "/", but got a space (U+0020).'),
        ("<w><a//", 'At /0/args: Expected ">" after "/", but got "/".'),
        (
            "<w\x02",
            (
                'At /0: Expected ">" after the name "w", but got the character U+0002. '
                f"{NO_CHARACTER}"
            ),
        ),
    ],
)
def test_in_a_start_tag(inside, expected):
    assert message(inside) == expected


@rows(
    ("inside", "expected"),
    [
        ("<w>x", OWN_ELEMENT.format('"x"')),
        ("<w>\n<a/>\n&", OWN_ELEMENT.format('"&"')),
        ("<w>[", f'At /0/args: Expected an argument or </w>, but got "[". {JSON}'),
        ("<w>{", f'At /0/args: Expected an argument or </w>, but got "{{". {JSON}'),
        (
            "<w>\x1f",
            (
                "At /0/args: Expected an argument or </w>, but got the character U+001F. "
                f"{NO_CHARACTER}"
            ),
        ),
        ("<w><!", f"At /0/args: {NO_COMMENTS}"),
        ("<w><?", f"At /0/args: {NO_INSTRUCTIONS}"),
        (
            "<w><\t",
            (
                "At /0/args: Expected the name of an argument or </w>, but got a tab (U+0009). "
                f"{DIRECTLY}"
            ),
        ),
        (
            "<w><-",
            f'At /0/args: Expected the name of an argument or </w>, but got "-". {LETTER}',
        ),
        ("<w></x", f'At /0/args: Expected </w>, but got "x". {TOOL_OPEN}'),
        ("<w></w x", f'At /0/args: Expected </w>, but got "x". {TOOL_OPEN}'),
        (
            "<w><a/><b/><a>",
            'At /0/args/a: The argument "a" appears twice in one call; write it once.',
        ),
    ],
)
def test_in_a_tool(inside, expected):
    assert message(inside) == expected


@rows(
    ("text", "expected"),
    [
        ("</w", f'At /0/args/a: Expected </a>, but got "w". {ARGUMENT_OPEN}'),
        ("</ab", f'At /0/args/a: Expected </a>, but got "b". {ARGUMENT_OPEN}'),
        ("<b", NO_MARKUP),
        ("<?", NO_MARKUP),
        ("<!-", NO_MARKUP),
        ("< ", f"At /0/args/a: Expected </a>, but got a space (U+0020). {CDATA}"),
        ("<1", f'At /0/args/a: Expected </a>, but got "1". {CDATA}'),
        ("<!x", f'At /0/args/a: Expected <![CDATA[, but got "x". {CDATA}'),
        ("<![CDATA ", f"At /0/args/a: Expected <![CDATA[, but got a space (U+0020). {CDATA}"),
        ("]]>", SECTION_END),
        ("x]]]>", SECTION_END),
        ("&lt;]]>", SECTION_END),
        (
            "x\x0b",
            f"At /0/args/a: Expected text, but got the character U+000B. {NO_CHARACTER}",
        ),
        (
            "<![CDATA[x\uffff",
            f"At /0/args/a: Expected text, but got the character U+FFFF. {NO_CHARACTER}",
        ),
        ("& ", REFERENCE.format("a space (U+0020)")),
        ("&n", REFERENCE.format('"n"')),
        ("&amp ", REFERENCE.format("a space (U+0020)")),
        ("&#;", REFERENCE.format('";"')),
        ("&#xg", REFERENCE.format('"g"')),
        ("&#10 ", REFERENCE.format("a space (U+0020)")),
        ("&#1114112", LAST),
        ("&#x110000", LAST),
        ("&#0;", NUMBER.format("0000")),
        ("&#xD800;", NUMBER.format("D800")),
        ("&#57343;", NUMBER.format("DFFF")),
        ("&#xFFFF;", NUMBER.format("FFFF")),
    ],
)
def test_in_an_argument(text, expected):
    assert message(f"<w><a>{text}") == expected


@rows(
    ("inside", "limits", "expected"),
    [
        (
            "<a/><b",
            {"calls": 1},
            (
                "A turn may contain at most 1 call, and here another one begins. "
                "Send the rest in the next turn."
            ),
        ),
        (
            "<a",
            {"depth": 1},
            "Elements may be nested 1 deep; this is one level more. Leave it out.",
        ),
        (
            "<a><b",
            {"depth": 2},
            "At /0/args: Elements may be nested 2 deep; this is one level more. Leave it out.",
        ),
        (
            "  ",
            {"size": 1},
            "A block may contain at most 1 character. Send less at once, or in several blocks.",
        ),
        (
            "<a><b>1",
            {"size": 6},
            (
                "At /0/args/b: A block may contain at most 6 characters. "
                "Send less at once, or in several blocks."
            ),
        ),
    ],
)
def test_limits(inside, limits, expected):
    assert message(inside, **limits) == expected


def test_a_long_name_is_shortened():
    name, shown = "n" * 65, "n" * 63 + "…"
    assert message(f"<{name}<") == f'At /0: Expected ">" after the name "{shown}", but got "<".'


# --- Writing ----------------------------------------------------------------------------------

NO_NAME = "{} is not an XML name without a colon, as the name of {} must be"


@rows(
    ("name", "args", "path", "expected"),
    [
        ("a b", {}, "/0/name", NO_NAME.format("'a b'", "a tool")),
        ("w", {"$": "x"}, "/0/args/$", NO_NAME.format("'$'", "an argument")),
        ("w", {"n:a": "x"}, "/0/args/n:a", NO_NAME.format("'n:a'", "an argument")),
        ("w", {"a": 1}, "/0/args/a", "a value of type int; elements contain text, a plain str"),
        ("w", {"a": "x\x00"}, "/0/args/a", "the character U+0000, which XML cannot contain"),
        (
            "w",
            {"a": "\ud800"},
            "/0/args/a",
            "half a surrogate pair; XML contains only whole characters",
        ),
    ],
)
def test_what_is_refused(name, args, path, expected):
    with pytest.raises(cogwire.RenderError) as caught:
        cogwire.render_calls([{"name": name, "args": args}], DIALECT)
    assert (caught.value.path, caught.value.reason) == (path, expected)
