"""Elements in chunks: text that is taken as it is, and what has to be judged across chunks."""

from tests import cogwire
from tests.core.helpers import bare, error, placed
from tests.rows import rows

DIALECT = "xml-elements"
OPEN = "<execute><w><a>"
LONG = "line é \t\n" * 40


def read(*chunks, **limits):
    """Return a parser that has read these chunks, and its events."""
    parser = cogwire.Parser(DIALECT, clock=None, limits=cogwire.Limits(**limits))
    return parser, [each for chunk in chunks for each in parser.feed(chunk)]


@rows("opened", [OPEN, f"{OPEN}x", f"{OPEN}<![CDATA[x", f"{OPEN}<![CDATA[]]>x"])
def test_chunks_of_text(opened):
    """What means nothing but itself is text; the character that means more is judged."""
    is_section = opened.endswith("[x")
    for chunk in ("plain", "a\tb\r\nc é", LONG, ">", "]]", "]>", "<", "&lt;", "\x01", "\ufffe"):
        ending = "]]></a></w>" if is_section else "</a></w>"
        _, events = read(opened, "y", chunk, ending)
        meant = "<" if chunk == "&lt;" and not is_section else chunk
        if chunk in {"\x01", "\ufffe"} or (chunk == "<" and not is_section):
            assert events[0]["code"] == "xml-syntax", chunk
        else:
            [event] = events
            before = "x" if "x" in opened[len(OPEN) :] else ""
            value = f"{before}y{meant}".replace("\t", "\\t").replace("\r", "\\r")
            value = value.replace("\n", "\\n")
            assert event["content"] == f'{{"name": "w", "args": {{"a": "{value}"}}}}', chunk
    _, events = read(opened, "y", f"{LONG}\x01")
    assert [each["offset"] for each in events] == [len(opened) + 1 + len(LONG)]


def test_chunks_of_text_count():
    """The character that crosses the limit is found in its chunk."""
    for chunks, offset in (
        (["x", "yyyy", "zzzz"], len(OPEN) + 8),
        (["x", "yyyy", "zzz", "z"], len(OPEN) + 8),
    ):
        _, events = read(OPEN, *chunks, size=len("<w><a>") + 8)
        assert [(each["code"], each["offset"]) for each in events] == [("limit-size", offset)]
    assert read(OPEN, "x", "yyyy", "zzz", size=len("<w><a>") + 8)[1] == []


@rows(
    ("chunks", "is_wrong"),
    [
        (["]]", ">"], True),
        (["]", "]>"], True),
        (["]", "]", ">"], True),
        (["]", "", "]", "", ">"], True),
        (["x]", "]>"], True),
        (["]]]]]", ">"], True),
        (["]]]]]", "]>"], True),
        (["&lt;]]", ">"], True),
        (["]", "x]", ">"], False),
        (["]]", "x", ">"], False),
        (["]", "x", "]", ">"], False),
        (["]]x", ">"], False),
        (["x]", ">"], False),
        (["]&lt;]", ">"], False),
        (["]]", "&gt;>"], False),
    ],
)
def test_the_end_of_a_section_is_seen_across_chunks(chunks, is_wrong):
    text = "".join(chunks)
    _, events = read(OPEN, *chunks)
    expected = [(len(f"{OPEN}{text}") - 1, "xml-syntax")] if is_wrong else []
    assert [(each["offset"], each["code"]) for each in events] == expected


@rows(
    ("chunks", "value"),
    [
        (["]", "", "]", ">"], ""),
        (["x]", "]>"], "x"),
        (["]]]", "]", ">"], "]]"),
        (["]", "x]", ">", "]]>"], "]x]>"),
        (["]]", "x", ">", "]]", ">"], "]]x>"),
    ],
)
def test_a_section_ends_across_chunks(chunks, value):
    _, [call] = read(f"{OPEN}<![CDATA[", *chunks, "</a></w>")
    assert call["content"] == f'{{"name": "w", "args": {{"a": "{value}"}}}}'


@rows(
    ("chunks", "limits", "begun"),
    [
        (["</x"], {}, ""),
        (["</exe", "<"], {}, "<"),
        (["<w><a>1</b"], {}, ""),
        (["<w>x"], {}, ""),
        (["<w", "="], {}, ""),
        (["x"], {}, ""),
        (["<w><a>one two three\x01"], {}, ""),
        (["<w><execute>1</execute>"], {"size": 22}, "</execute>"),
        (["<w><execute>1</execute", ">"], {"size": 22}, "</execute>"),
        (["<w><a>1</a>"], {"size": 10}, ""),
        (["<w><a>1"], {"size": 5}, ""),
    ],
)
def test_the_beginning_of_the_closer_of_a_void_block_is_read_again(chunks, limits, begun):
    """A closer that holds the offending character, or comes after it, ends the block."""
    for each in (chunks, list("".join(chunks))):
        parser, events = read("<execute>", *each, **limits)
        assert [event["type"] for event in events] == ["error"], each
        if begun:
            parser.feed("</execute>"[len(begun) :])
            assert parser.state == "paused", each
        else:
            parser.feed("execute>")
            assert parser.state == "execute", each
            parser.feed("</execute>")
            assert parser.state == "paused", each


def test_an_argument_contains_a_closer_only_if_the_block_is_void():
    inside = "<w><execute>1</execute‸></w></execute>"
    text, expected = placed(f"<execute>{inside}", [error("limit-size", "/0/args/execute")])
    for chunks in ([text], list(text)):
        parser, events = read(*chunks, size=len("<w><execute>1</execute"))
        assert bare(events) == expected
        assert parser.state == "paused"
        assert parser.discarded == len("</w></execute>")
