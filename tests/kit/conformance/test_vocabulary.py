"""Texts cut into the tokens of a vocabulary."""

import random

import pytest

from cogwire_kit.conformance import vocabulary
from cogwire_kit.conformance.corpus import UnusableError
from cogwire_kit.conformance.vocabulary import Vocabulary
from tests.kit.cli.running import stored
from tests.rows import rows

RNG = random.Random(0)


def read(tmp_path, value):
    path = stored(tmp_path / "tokens", value)
    return vocabulary.read_vocabulary(path)


def longest(found, text):
    return next(found.cuttings(text, RNG, as_bytes=False))


def test_a_text_is_split_into_the_longest_tokens():
    found = Vocabulary(frozenset({b"<tool", b"_call", b"<tool_call>", b"a", b"aa", "é".encode()}))
    assert longest(found, "<tool_call>") == ["<tool_call>"]
    assert longest(found, "<tool_call aaa") == ["<tool", "_call", " ", "aa", "a"]
    assert longest(found, "éé") == ["é", "é"]
    assert longest(found, "") == [""]


def test_the_first_token_of_a_tokenizer_precedes_longer_ones():
    found = Vocabulary(frozenset({b" <to", b"<tool>", b"<tool>>"}), frozenset({b"<tool>"}))
    assert longest(found, "a <tool>>") == ["a", " ", "<tool>", ">"]


def test_other_tokens_are_chosen_at_random():
    found = Vocabulary(frozenset({b"a", b"aa", b"aaa"}))
    ways = list(found.cuttings("a" * 12, RNG, as_bytes=False))
    assert {"".join(way) for way in ways} == {"a" * 12}
    assert {len(piece) for way in ways for piece in way} == {1, 2, 3}
    assert ways[0] == ["aaa"] * 4
    assert len(ways) == 7


def test_a_token_may_end_inside_a_character():
    """As text it is sent with what completes the character, as a server would."""
    grin = "\U0001f600".encode()
    found = Vocabulary(frozenset({b"a" + grin[:2], grin[2:3]}))
    assert longest(found, "ba\U0001f600c") == ["b", "a\U0001f600", "c"]
    ways = list(found.cuttings("ba\U0001f600c", RNG, as_bytes=True))
    assert ways[1] == [b"b", b"a" + grin[:2], grin[2:3], grin[3:], b"c"]


def test_a_plain_list_has_a_string_on_each_line(tmp_path):
    found = read(tmp_path, '"a b"\n\n"\\n"\n"\u00e9"\n')
    assert found.tokens == {b"a b", b"\n", "é".encode()}


BYTE_LEVEL = {
    "model": {
        "type": "BPE",
        "vocab": {"\u0120tool": 0, "\u010a": 1, "\u00c3\u00a9": 2, "<x y>": 3},
    },
    "decoder": {"type": "Sequence", "decoders": [{"type": "ByteLevel"}]},
    "added_tokens": [{"id": 4, "content": "<tool_call>"}],
}
PIECES = {
    "model": {"type": "Unigram", "vocab": [["\u2581tool", -1.5], ["<0x0A>", 0], ["\u00e9", 0]]},
    "decoder": {"type": "Metaspace"},
}


@rows(
    "data, tokens",
    [
        (BYTE_LEVEL, {b" tool", b"\n", "é".encode(), b"<x y>", b"<tool_call>"}),
        (PIECES, {b" tool", b"\n", "é".encode()}),
        ({"model": {"vocab": {"\u2581a": 0}}, "pre_tokenizer": None}, {b" a"}),
    ],
)
def test_a_tokenizer_of_hugging_face_is_read(tmp_path, data, tokens):
    found = read(tmp_path, data)
    assert found.tokens == tokens
    assert found.first == tokens & {b"<tool_call>"}


@rows(
    "value, words",
    [
        ({"model": {"type": "WordPiece", "vocab": {"##a": 0}}}, "tokens of WordPiece are not"),
        ({"model": {"vocab": {"a</w>": 0}, "end_of_word_suffix": "</w>"}}, "tokens of BPE are not"),
        ({"model": {"vocab": {}}}, "it has no tokens"),
        ({"a": 1}, "'model'"),
        ({"model": 5}, "no vocabulary: "),
        ("", "it has no tokens"),
        ("a b", "no vocabulary: Expecting value"),
        ('"a"\n["b"]', "line 2 is not a JSON string"),
    ],
)
def test_an_invalid_vocabulary_is_refused(tmp_path, value, words):
    with pytest.raises(UnusableError, match="tokens: no vocabulary: ") as refused:
        read(tmp_path, value)
    assert words in str(refused.value)
