"""Places in texts: lines and columns, and what a JSON Pointer leads to."""

import json

from cogwire_kit.texts.places import Places, inside, locate
from tests.rows import rows


def test_places_are_counted_from_1():
    places = Places()
    for piece in ("ab", "", "\n", "c\n\nd"):
        places.add(piece)
    offsets = [places.line_and_column(offset) for offset in range(8)]
    assert offsets == [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (3, 1), (4, 1), (4, 2)]


@rows(
    "pointer, written",
    [
        ("", "{"),
        ("/a", "[1"),
        ("/a/1", '"b\\"'),
        ("/a/2/~1~0", "3"),
        ("/c", "true"),
        ("/d", "{"),
        ("/a/9", "[1"),
        ("/a/x", "[1"),
        ("/c/d", "true"),
    ],
)
def test_a_pointer_is_located_as_far_as_it_exists(pointer, written):
    source = ' {"c": false, "a": [1, "b\\"", {"/~" : 3}] , "c": true}'
    assert source[locate(source, [pointer])[pointer] :].startswith(written)


def test_characters_are_located_after_escapes():
    string = '"a\\n\\u00e9\\ud83d\\ude00\\ud83dx\\"z"'
    value = json.loads(string)
    value = value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    places = inside(string, 0, range(len(value) + 1))
    assert list(places.values()) == [1, 2, 4, 10, 22, 28, 29, 31, 32]
