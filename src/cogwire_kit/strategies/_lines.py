# SPDX-License-Identifier: MIT
"""Parts of the delimiter dialects: prose without markers, keywords, calls, and invalid calls."""

import functools
import re
from typing import Final

from hypothesis import strategies as st

from cogwire_kit.strategies._json import Call, calls, exact_objects, names, plain_names
from cogwire_kit.strategies._prose import running
from cogwire_kit.strategies._wire import MARKER

#: A marker that counts, in text that has a line end in front and after.
LIVE_LINE: Final = re.compile(rf"[\r\n][ \t]*(?:{MARKER.pattern})", MARKER.flags)


def holds_marker(text: str) -> bool:
    """Whether a marker counts in `text`, if `text` begins where one would count."""
    return LIVE_LINE.search(f"\n{text}\n") is not None


#: Prose in which no marker counts.
prose = running.filter(lambda text: not holds_marker(text))
anything = running

#: Line ends after which a marker may follow, without and with white space before it.
breaks = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r", "\n\n", "\n \t"])
line_ends = st.one_of(breaks, breaks, st.just(" \n  "))

#: White space that is not empty.
spaces = st.one_of(line_ends, st.sampled_from([" ", "\t"]))


@functools.cache
def keywords(word: str) -> st.SearchStrategy[str]:
    """Spell a keyword in any ASCII letter case."""
    mixed = [
        "".join(one.upper() if mask >> place & 1 else one for place, one in enumerate(word))
        for mask in (0b1, 0b10, 0b1010101, 0b0101110, 0b1011001)
    ]
    return st.sampled_from([word, word, word, word.upper(), word.upper(), *mixed])


#: Calls without `args`.
bare_calls = st.one_of(plain_names, names).flatmap(
    lambda pair: exact_objects([("name", pair[0])]).map(lambda source: Call(source, pair[1]))
)
tiny_calls = st.sampled_from(
    [
        Call('{"name":"a","args":{}}', "a"),
        Call('{"name": "b"}', "b"),
        Call('{"name":"c","args":{"x":1}}', "c"),
        Call('{"args":{"s":"\\n§end"},"name":"d"}', "d"),
        Call('{\n"name":"e","args":{"s":"§execute"}\n}', "e"),
    ]
)
any_calls = st.one_of(tiny_calls, tiny_calls, bare_calls, calls())

#: Payloads that are not a call: the offending character, its code and its place in the call.
BROKEN: Final = [
    ("{bad}", 1, "json-syntax", ""),
    ("please", 0, "json-syntax", ""),
    ('"a §end', 0, "not-object", ""),
    ("[1]", 0, "not-object", ""),
    ("{}", 1, "missing-name", ""),
    ('{"name":1}', 8, "bad-name", "/name"),
    ('{"name":"a","args":[]}', 19, "bad-args", "/args"),
    ('{"name":"a","args":{"x":01}}', 25, "json-syntax", "/args/x"),
    ('{"name":"a","args":{"x":"\\q"}}', 26, "json-syntax", "/args/x"),
]
