# SPDX-License-Identifier: MIT
"""The vocabulary of a model, and how a text is cut into tokens.

A text is split into the longest tokens that there are, after those that a tokenizer finds first,
which is close to what the tokenizer makes of it; and at random, as a model may write it too.  A
token may end inside a character; as text, it is sent together with what completes the character.
"""

import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

from cogwire_kit.conformance.corpus import UnusableError
from cogwire_kit.conformance.questions import RANDOM_CUTS, Chunks, cut

#: How the tokens of some models write a single byte.
_BYTE: Final = re.compile(r"<0x([0-9A-Fa-f]{2})>")


@dataclass(frozen=True)
class Vocabulary:
    """The tokens of a model, as UTF-8, and those among them that are found before all others."""

    tokens: frozenset[bytes]
    first: frozenset[bytes] = frozenset()

    @cached_property
    def _sizes(self) -> list[int]:
        return sorted({len(token) for token in self.tokens}, reverse=True)

    @cached_property
    def _first(self) -> re.Pattern[bytes]:
        longest = sorted(self.first, key=len, reverse=True)
        return re.compile(b"(" + b"|".join(map(re.escape, longest)) + b")")

    def split(self, data: bytes, rng: random.Random | None = None) -> list[bytes]:
        """Return `data` in tokens: the longest, or any that fit; a byte without one is alone."""
        pieces = self._first.split(data) if self.first and rng is None else [data]
        return [
            token
            for piece in pieces
            for token in ([piece] if piece in self.first else self._split(piece, rng))
        ]

    def _split(self, data: bytes, rng: random.Random | None) -> Iterator[bytes]:
        place = 0
        while place < len(data):
            sizes = (size for size in self._sizes if data[place : place + size] in self.tokens)
            size = next(sizes, 1) if rng is None else rng.choice(list(sizes) or [1])
            yield data[place : place + size]
            place += size

    def cuttings(self, text: str, rng: random.Random, *, as_bytes: bool) -> Iterator[Chunks]:
        """Yield a text in chunks of one token: the longest ones, and some at random."""
        data = _utf8(text)
        for number in range(1 + RANDOM_CUTS):
            tokens = self.split(data, rng if number else None)
            yield _characters(text, tokens)
            if as_bytes:
                yield list(tokens)


def _characters(text: str, tokens: list[bytes]) -> Chunks:
    """Return `text` cut where a token ends together with a character."""
    ends = dict.fromkeys(accumulate(len(_utf8(c)) for c in text))
    places = {end: place for place, end in enumerate(ends, start=1)}
    cuts = [places[end] for end in accumulate(map(len, tokens)) if end in places]
    return cut(text, cuts[:-1])


def read_vocabulary(path: Path) -> Vocabulary:
    """Return the vocabulary in a file: `tokenizer.json` as Hugging Face has it, or plain tokens.

    Plain tokens are JSON strings, one a line.

    Raises:
        UnusableError: it is neither, or of a model whose tokens are not pieces of the text.
    """
    try:
        text = path.read_text("utf-8")
        is_tokenizer = text.lstrip()[:1] == "{"
        data = json.loads(text) if is_tokenizer else {}
        tokens = frozenset(_of_tokenizer(data) if is_tokenizer else _of_lines(text)) - {b""}
        added = [_utf8(token["content"]) for token in data.get("added_tokens") or ()]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as problem:
        raise UnusableError(f"{path}: no vocabulary: {problem}") from None
    if not tokens:
        raise UnusableError(f"{path}: no vocabulary: it has no tokens")
    return Vocabulary(tokens.union(added), frozenset(added) - {b""})


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _of_lines(text: str) -> Iterator[bytes]:
    for number, line in enumerate(text.splitlines(), start=1):
        token = json.loads(line) if line.strip() else ""
        if not isinstance(token, str):
            raise ValueError(f"line {number} is not a JSON string")  # noqa: TRY004 - of the file
        yield _utf8(token)


def _of_tokenizer(data: dict[str, Any]) -> Iterator[bytes]:
    model = data["model"]
    kind = model.get("type", "BPE")
    if kind not in ("BPE", "Unigram") or model.get("end_of_word_suffix"):
        raise ValueError(f"tokens of {kind} are not pieces of the text; BPE and Unigram are read")
    # A list is of pairs with scores.
    tokens = [one[0] for one in model["vocab"]] if kind == "Unigram" else list(model["vocab"])
    steps = {*_steps(data.get("pre_tokenizer")), *_steps(data.get("decoder"))}
    yield from map(_of_byte_level if "ByteLevel" in steps else _of_pieces, tokens)


def _steps(value: Any) -> Iterator[str]:
    """Yield the types of a step of a tokenizer, and of the steps in it."""
    if isinstance(value, dict):
        yield str(value.get("type"))
        for inner in (*value.get("pretokenizers", ()), *value.get("decoders", ())):
            yield from _steps(inner)


def _alphabet() -> dict[str, int]:
    """Return the characters that stand for bytes in vocabularies of the kind of GPT-2.

    A byte that is a visible character of Latin-1 is that character, and the others are those from
    U+0100 on, in order.
    """
    seen = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    unseen = [byte for byte in range(256) if byte not in seen]
    return {chr(byte): byte for byte in seen} | {
        chr(0x100 + number): byte for number, byte in enumerate(unseen)
    }


_ALPHABET: Final = _alphabet()


def _of_byte_level(token: str) -> bytes:
    if all(character in _ALPHABET for character in token):
        return bytes(_ALPHABET[character] for character in token)
    return _utf8(token)


def _of_pieces(token: str) -> bytes:
    """Return a token of SentencePiece, in which a space is U+2581."""
    if byte := _BYTE.fullmatch(token):
        return bytes([int(byte[1], 16)])
    return _utf8(token.replace("\u2581", " "))
