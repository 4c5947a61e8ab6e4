# SPDX-License-Identifier: MIT
"""What a parser returns for a text in one piece and for its cuts, compared; tokens are cuts, too.

Nothing is expected of a text.  What its cuts produce is compared with what the whole text does; how
soon an item arrives, with when the parser returns it for less of the text; and how the work grows,
with what the parser says that it has counted for more of the text.

In a vocabulary, a text is split into the longest tokens that there are, after those that a
tokenizer finds first, which is close to what the tokenizer makes of it; and at random, as a model
may write it too.  A token may end inside a character; as text, it is sent together with what
completes the character.
"""

import bisect
import contextlib
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

from cogwire_kit.conformance import corpus, formats, questions
from cogwire_kit.conformance.corpus import UnusableError
from cogwire_kit.conformance.questions import RANDOM_CUTS, Chunks, cut
from cogwire_kit.conformance.target import (
    UNFLUSHED,
    Answer,
    Failure,
    Limits,
    Reply,
    Target,
    TargetError,
)
from cogwire_kit.texts.words import counted

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


#: How much of an invalid reply is shown.
_SHOWN: Final = 300
#: Put after the beginning of a text, so that nothing is decided by the end, or by what follows.
_MORE: Final = ("x", "\n")
#: What comes before so many characters more is late.
_AHEAD: Final = 2
#: Texts up to here are made longer by so many characters, and by twice as many.
_SHORT: Final = 100
_STRETCH: Final = 400

#: What chunks and the end gave, in the form in which it is compared.
Items = list[Any]


@dataclass
class Late:
    """An item that arrives later than it could: in characters, or at the end if that is None."""

    item: Any
    complete: int
    came: int | None

    @property
    def when(self) -> str:
        """When it was complete, and when it came, in words."""
        arrived = "at the end" if self.came is None else f"at {self.came}"
        return f"complete at character {self.complete}, came {arrived}"


@dataclass
class Found:
    """The result of one text."""

    text: str
    whole: Items = field(default_factory=list)
    #: Why it has no answer, if so.
    failure: str = ""
    cuts: int = 0
    #: The cuts that differ, the least first, each with what it gives, or why it gives nothing.
    differing: list[tuple[Chunks, Items | str]] = field(default_factory=list)
    late: list[Late] = field(default_factory=list)
    #: After how many characters less is known in single characters than in one chunk.
    short: int | None = None
    is_at_close: bool = False

    @property
    def is_wrong(self) -> bool:
        """Whether some cut produces something else, or the whole text nothing."""
        return bool(self.differing or self.failure)

    def record(self) -> dict[str, Any]:
        """Return what a report says of the text."""
        members: dict[str, Any] = {"text": self.text, "cuts": self.cuts}
        members |= {"differing": len(self.differing), "at_close": self.is_at_close}
        if self.failure:
            members["failure"] = self.failure
        if self.differing:
            chunks, given = self.differing[0]
            shown = [one if isinstance(one, str) else list(one) for one in chunks]
            members |= {"chunks": shown, "whole": self.whole, "gives": given}
        if self.late:
            members["late"] = [vars(one) for one in self.late]
        return members


@dataclass
class Growth:
    """How many times as much twice the text takes, by what is counted."""

    times: dict[str, float] = field(default_factory=dict)
    #: Why a longer text has no answer, if so.
    failure: str = ""


@contextlib.contextmanager
def started(
    command: tuple[str, ...], request: dict[str, Any], seed: int, timeout: float
) -> Iterator[tuple[Target, Answer]]:
    """Give a target that is not greeted, and has had time for its first reply, which is given too.

    Raises:
        TargetError: it cannot be run, is silent at first, or fails too often.
    """
    # What has to start, or to be fetched, may take longer for the first reply.
    limits = Limits(reply=max(timeout, Limits.start))
    with Target(list(command), limits, seed, greets=False) as target:
        answer = target.ask({**request, "chunks": [""]})
        if isinstance(answer, Failure) and answer.kind == "timed-out":
            raise TargetError(f"{answer.message} to the first request, an empty text; {UNFLUSHED}")
        limits.reply = timeout
        yield target, answer


def ways(
    text: str, seed: int, vocabulary: Vocabulary | None, *, name: str = "", as_bytes: bool = False
) -> list[Chunks]:
    """Return a text cut in every way in which cases are, and in tokens; single characters first."""
    like = corpus.Case({"id": name, "input": text})
    abilities = frozenset({"bytes"} if as_bytes else ())
    found = [chunks for _, chunks in questions.cuttings(like, abilities, seed)]
    if vocabulary is not None:
        rng = random.Random(f"{seed}/{name}/tokens")  # noqa: S311 - cuts, not keys
        found += vocabulary.cuttings(text, rng, as_bytes=as_bytes)
    return found


class Asking:
    """Asks a target for texts, cut in many ways."""

    def __init__(
        self,
        target: Target,
        request: dict[str, Any],
        form: Callable[[Items], Items | str],
        cutting: Callable[[str], list[Chunks]],
    ) -> None:
        self._target = target
        self._request = request
        #: Brings all that was given into the form in which it is compared.
        self._form = form
        self._cutting = cutting

    def of(self, text: str) -> Found:
        """Return what is found for one text."""
        found = Found(text)
        whole = self._given([text])
        if isinstance(whole, str):
            found.failure = whole
            return found
        found.whole = whole
        cuttings = self._cutting(text)
        found.cuts = len(cuttings)
        singles: Items = []
        for place, answer in self._target.ask_all(map(self._question, cuttings)):
            chunks = cuttings[place]
            feeds = fed(answer, len(chunks))
            given = feeds if isinstance(feeds, str) else self._formed(feeds)
            if given != whole:
                found.differing.append((chunks, given))
            elif place == 0:
                singles = list(feeds)
                found.is_at_close = bool(whole) and not any(singles[:-1])
            elif len(chunks) == 2 and singles and found.short is None:
                size = len(chunks[0])
                is_short = len(self._formed(singles[:size])) < len(self._formed(feeds[:1]))
                found.short = size if is_short else None
        found.differing.sort(key=lambda pair: len(pair[0]))
        if found.differing:
            found.differing[0] = self._least(*found.differing[0], whole)
        if singles and not found.is_at_close and len(text) <= questions.EVERY_CUT:
            found.late = list(self._late(found, singles))
        return found

    def _question(self, chunks: Chunks) -> dict[str, Any]:
        return {**self._request, **questions.sent(chunks)}

    def _formed(self, feeds: Any) -> Items | str:
        return self._form([one for feed in feeds for one in feed])

    def _given(self, chunks: Chunks) -> Items | str:
        feeds = fed(self._target.ask(self._question(chunks)), len(chunks))
        return feeds if isinstance(feeds, str) else self._formed(feeds)

    def _least(self, chunks: Chunks, given: Items | str, whole: Items) -> tuple[Chunks, Any]:
        """Take cuts away for as long as the rest still differ."""
        fewest = questions.least(
            chunks, lambda fewer: len(fewer) > 1 and self._given(fewer) != whole
        )
        return fewest, given if fewest == chunks else self._given(fewest)

    def _late(self, found: Found, singles: Items) -> Iterator[Late]:
        """Yield what arrives later in single characters than for less of the text in one piece.

        It counts only where more text may follow, since the end decides much, and beyond one
        character, which may be needed to distinguish a marker from a longer word.
        """
        for place, item in enumerate(found.whole):
            if not is_text(item) and not _is_error(item):
                number = found.whole[: place + 1].count(item)
                yield from self._late_item(found.text, singles, item, number)

    def _late_item(self, text: str, singles: Items, item: Any, number: int) -> Iterator[Late]:
        def is_complete(end: int) -> bool:
            # What truly follows may still change it.
            follows = (*_MORE, text[end : end + 1])
            return all(_has(self._given([text[:end] + more]), item, number) for more in follows)

        def has_arrived(end: int) -> bool:
            return _has(self._formed(singles[:end]), item, number)

        size = len(text)
        arrived = bisect.bisect_left(range(size + 1), True, key=has_arrived)
        if arrived > _AHEAD and is_complete(arrived - _AHEAD):
            complete = bisect.bisect_left(range(arrived - _AHEAD), True, lo=1, key=is_complete)
            yield Late(item, complete, arrived if arrived <= size else None)

    def growth(self, texts: list[str]) -> "Growth":
        """Return how much more twice the text takes, in single characters, by what is counted.

        That is the output, and what the target says that it has counted.  The text is a short one,
        repeated as a whole, or with a letter in it repeated; the worst of these is returned.
        """
        worst = Growth()
        if not texts:
            return worst
        short = [text for text in texts if len(text) <= _SHORT]
        text = max(short, key=len) if short else min(texts, key=len)
        for once, twice in _stretched(text):
            less, more = self._counted(once), self._counted(twice)
            if isinstance(less, str) or isinstance(more, str):
                worst.failure = less if isinstance(less, str) else str(more)
                continue
            for name in less.keys() & more.keys():
                times = more[name] / max(less[name], 1) * 2 * len(once) / len(twice)
                worst.times[name] = max(times, worst.times.get(name, 0))
        return worst

    def _counted(self, text: str) -> dict[str, float] | str:
        chunks = questions.cut(text, range(1, len(text)))
        answer = self._target.ask(self._question(chunks))
        given = fed(answer, len(chunks))
        if isinstance(given, str) or isinstance(answer, Failure):
            return f"{counted(len(text), 'character')}, one by one: {given}"
        size = sum(len(json.dumps(one)) for feed in given for one in feed)
        return {OUTPUT: size, **counts(answer)}


#: What is always counted: the characters of the items as JSON.
OUTPUT: Final = "output"
_LETTER: Final = re.compile(r"[a-z]")


def _stretched(text: str) -> Iterator[tuple[str, str]]:
    """Yield pairs of texts: one that is made longer, and one by twice as much."""
    copies = max(1, _STRETCH // max(len(text), 1))
    yield text * copies, text * copies * 2
    found = (_LETTER.search(text, len(text) * quarter // 4) for quarter in (1, 2, 3))
    for at in dict.fromkeys(letter.start() for letter in found if letter):
        once, twice = (
            text[:at] + text[at] * number + text[at:] for number in (_STRETCH, 2 * _STRETCH)
        )
        yield once, twice


def _has(given: Items | str, item: Any, number: int) -> bool:
    return not isinstance(given, str) and given.count(item) >= number


def counts(answer: Reply) -> dict[str, float]:
    """Return what a target says that it has counted: members of `counts` that are numbers."""
    reported = answer.members.get("counts")
    found = reported.items() if isinstance(reported, dict) else ()
    return {
        name: number
        for name, number in found
        if isinstance(number, int | float) and not isinstance(number, bool) and number >= 0
    }


def fed(answer: Answer, chunks: int) -> list[Any] | str:
    """Return what each chunk and the end gave, or in words why that is not known."""
    if isinstance(answer, Failure):
        return f"{answer.kind}: {answer.message}"
    for name in ("error", "crashed", "unsupported"):
        if isinstance(answer.members.get(name), str):
            return f"{name}: {answer.members[name]}"
    feeds, close = answer.members.get("feeds"), answer.members.get("close")
    is_right = isinstance(feeds, list) and all(isinstance(one, list) for one in feeds)
    if not is_right or not isinstance(close, list) or len(feeds or ()) != chunks:
        shown = json.dumps({n: value for n, value in answer.members.items() if n != "id"})[:_SHOWN]
        return f"no reply with {counted(chunks, 'feed')} and a close: {shown}"
    return [*(feeds or ()), close]


def unanswered(whys: list[str]) -> Iterator[str]:
    """Yield what became of texts none of which has an answer: each reason once."""
    yield f"no text of {len(whys):,} has an answer, so none was cut"
    kinds = [re.split(r": ['\"]", why, maxsplit=1)[0] for why in whys]
    for kind, number in Counter(kinds).most_common(_REASONS):
        yield f"  {counted(number, 'time')}: {whys[kinds.index(kind)]}"
    if any("not JSON" in kind or "(ad-id)" in kind for kind in kinds):
        yield "  what an adapter logs belongs on standard error"
    yield '  expected: {"id": "…", "feeds": [[…], …], "close": […]}, as `--help` describes it'


#: How many reasons why no text has an answer are named.
_REASONS: Final = 3


def _is_error(item: Any) -> bool:
    """Say whether an item is an error, which may be about the end, or about what follows."""
    return isinstance(item, dict) and (item.get("type") == "error" or "error" in item)


def is_text(item: Any) -> bool:
    """Say whether an item is a piece of text: an object with one member, a string."""
    return isinstance(item, dict) and len(item) == 1 and isinstance(next(iter(item.values())), str)


@dataclass
class _Run:
    """Pieces of text that follow each other."""

    name: str
    pieces: list[str]


def joined(items: Items) -> Items:
    """Return the items with adjacent pieces of text joined, and without empty ones."""
    whole: Items = []
    for item in items:
        if not is_text(item):
            whole.append(item)
            continue
        ((name, piece),) = item.items()
        if whole and isinstance(whole[-1], _Run) and whole[-1].name == name:
            whole[-1].pieces.append(piece)
        elif piece:
            whole.append(_Run(name, [piece]))
    return [{one.name: "".join(one.pieces)} if isinstance(one, _Run) else one for one in whole]


def of_format(items: Items) -> Items | str:
    """Return what the items of a format say: reasoning, prose, and each call with its arguments.

    The order of prose and calls is not kept, which parsers of whole texts do not report, nor is
    white space at the ends of a text, which formats leave open.
    """
    message = formats.message(items)
    if isinstance(message, str):
        return message
    texts = {"reasoning": message.reasoning, "content": message.content}
    return [*({name: text.strip()} for name, text in texts.items() if text.strip()), *message.tried]
