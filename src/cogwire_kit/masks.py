# SPDX-License-Identifier: MIT
"""Loss masks: which tokens of a conversation a model is trained on.

`cogwire.spans` returns who wrote each piece of a text and what it is; `mask` maps that to tokens,
given the offset mapping of any tokenizer.  `chat_spans` returns the spans of a whole conversation
as a chat template writes it, `turn_spans` those of each turn after its prompt, with its calls and
thoughts, and `train_details` a value for axolotl's `message_field_training_detail`.
"""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, Protocol, TypedDict, get_args

from cogwire import Event, Span, spans, start_of
from cogwire.tooling import WHITE, Author, HasDialect, SpanKind, notation, read
from cogwire_kit.texts.answers import answer_pieces

#: What to do with a token that contains both trained and other text.
Straddling = Literal["train", "skip", "first"]

_STRADDLING: Final = ("train", "skip", "first")
_NAMES: Final = frozenset(get_args(Author) + get_args(SpanKind))


class Mask(NamedTuple):
    """Which tokens are trained."""

    #: For each token 1 if it is trained, else 0.
    tokens: list[int]
    #: The indices of the tokens that contain both trained and other text.
    straddling: list[int]

    def labels(self, ids: Sequence[int], ignore: int = -100) -> list[int]:
        """Return the ids of the tokens, with `ignore` for those that are not trained.

        Raises `ValueError` if the number of ids is not that of the tokens.
        """
        if len(ids) != len(self.tokens):
            raise ValueError(f"{len(ids)} ids for {len(self.tokens)} tokens")
        return [
            number if trained else ignore for number, trained in zip(ids, self.tokens, strict=True)
        ]


class TrainDetail(TypedDict):
    """A part of a message's content, in axolotl's format."""

    #: Where it begins, in code points.
    begin_offset: int
    #: The offset of its last character.
    end_offset: int
    #: Whether it is trained.
    train: bool


def mask(
    pieces: Iterable[Span],
    offsets: Iterable[tuple[int, int]],
    *,
    train: Collection[str] = ("model",),
    skip: Collection[str] = (),
    straddling: Straddling = "train",
    unit: Literal["codepoint", "byte"] = "codepoint",
) -> Mask:
    """Return which tokens of a text are trained.

    `pieces` are the spans of the text, and `offsets` the begin and end of each token, in code
    points or bytes, as tokenizers return them; a token without text, such as a special token, is
    not trained.  A piece is trained if its author or its kind is in `train`, and neither is in
    `skip`.  A token that contains both trained and other text is trained (`"train"`), not trained
    (`"skip"`), or treated like its first character (`"first"`); it is always listed.  Raises
    `ValueError` for an unknown author or kind, and for offsets beyond the text.
    """
    if straddling not in _STRADDLING:
        raise ValueError(f"straddling must be one of {', '.join(_STRADDLING)}, not {straddling!r}")
    ranges, size = _ranges(pieces, chosen(train, skip), is_bytes=unit == "byte")
    starts, ends = [start for start, _ in ranges], [end for _, end in ranges]
    tokens: list[int] = []
    mixed: list[int] = []
    for index, (start, end) in enumerate(offsets):
        if not 0 <= start <= end <= size:
            raise ValueError(f"token {index}: ({start}, {end}) is beyond the text, of {size}")
        # The first range that ends after the token's start.
        place = bisect_right(ends, start)
        overlaps = start < end and place < len(starts) and starts[place] < end
        is_whole = overlaps and starts[place] <= start and end <= ends[place]
        if overlaps and not is_whole:
            mixed.append(index)
            first = straddling == "first" and starts[place] <= start
            overlaps = straddling == "train" or first
        tokens.append(int(overlaps))
    return Mask(tokens, mixed)


class _Piece(Protocol):
    """Anything with an author and a kind, such as a span."""

    @property
    def author(self) -> str:
        """Who wrote it."""

    @property
    def kind(self) -> str:
        """What it is."""


def chosen(train: Collection[str], skip: Collection[str]) -> Callable[[_Piece], bool]:
    """Return whether a piece is trained: its author or its kind is in `train`, neither in `skip`.

    Raises `ValueError` for an unknown author or kind.
    """
    wanted, unwanted = (
        frozenset([names] if isinstance(names, str) else names) for names in (train, skip)
    )
    if unknown := sorted((wanted | unwanted) - _NAMES):
        known = ", ".join(sorted(_NAMES))
        raise ValueError(f"{unknown[0]!r} is neither an author nor a kind; known: {known}")

    def is_trained(piece: _Piece) -> bool:
        names = {piece.author, piece.kind}
        return not names.isdisjoint(wanted) and names.isdisjoint(unwanted)

    return is_trained


def _ranges(
    pieces: Iterable[Span], is_trained: Callable[[Span], bool], *, is_bytes: bool
) -> tuple[list[tuple[int, int]], int]:
    """Return the ranges of trained text, with adjacent ones joined, and the size of the text."""
    ranges: list[tuple[int, int]] = []
    size = 0
    for piece in pieces:
        start, end = (piece.start_byte, piece.end_byte) if is_bytes else (piece.start, piece.end)
        size = end
        if not is_trained(piece):
            continue
        if ranges and ranges[-1][1] == start:
            ranges[-1] = (ranges[-1][0], end)
        else:
            ranges.append((start, end))
    return ranges, size


def train_details(
    pieces: Sequence[Span], *, train: Collection[str] = ("model",), skip: Collection[str] = ()
) -> list[TrainDetail]:
    """Return which parts of a message are trained, for axolotl's `message_field_training_detail`.

    `pieces` are the spans of the message's content, which the parts tile; `train` and `skip` are
    those of `mask`.  White space after trained text is trained too: axolotl leaves out a token of
    which only one character is trained, such as the end of a closer with the line ends after it.
    """
    is_trained = chosen(train, skip)
    details: list[TrainDetail] = []
    trained = False
    for piece in pieces:
        trained = is_trained(piece) or (trained and piece.kind == "white")
        if details and details[-1]["train"] == trained:
            details[-1]["end_offset"] = piece.end - 1
        else:
            details.append(
                {"begin_offset": piece.start, "end_offset": piece.end - 1, "train": trained}
            )
    return details


# -- Conversations --------------------------------------------------------------------------------


def message_spans(
    messages: Sequence[Mapping[str, Any]], dialect: str | None = None
) -> list[list[Span]]:
    """Return the spans of each message's content; the model's are written in `dialect`.

    Results of the preceding turn at the start of a user's message are the system's, as in a
    transcript; the rest is prose of the user, and a system's message is prose of the system.  The
    `event` of a model's span is its index among the events of this message; other spans have none.
    Raises `ValueError`, naming the index, for content that is not a string and, as `spans` does,
    for a message of another dialect where none is named.
    """
    found: list[list[Span]] = []
    turn = ""
    for index, message in enumerate(messages):
        role, content = message.get("role"), message.get("content")
        if not isinstance(content, str):
            raise ValueError(f"message {index}: `content` is not a string")  # noqa: TRY004 (bad data)
        if role == "assistant":
            try:
                found.append(spans(content, dialect))
            except ValueError as error:
                raise ValueError(f"message {index}: {error}") from None
            turn = content
            continue
        tiles = _Tiles()
        if role == "user" and turn:
            for kind, text in answer_pieces(turn, content, dialect or "xml-json"):
                tiles.add("system", kind, text)
        tiles.add_prose("user" if role == "user" else "system", content[tiles.end :])
        found.append(tiles.spans)
        turn = ""
    return found


class _Tiles:
    """Adjacent spans, each of which begins where the last one ends."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.end = 0
        self._end_byte = 0

    def add(self, author: Author, kind: SpanKind, text: str, event: int | None = None) -> None:
        """Add a span of `text`, unless it is empty."""
        if not text:
            return
        start, start_byte = self.end, self._end_byte
        self.end += len(text)
        # A lone surrogate counts as U+FFFD, since a parser replaces it.
        self._end_byte += len(text.encode("utf-8", "surrogatepass"))
        self.spans.append(Span(author, kind, event, start, self.end, start_byte, self._end_byte))

    def add_prose(self, author: Author, text: str) -> None:
        """Add `text` as prose, with the white space around it."""
        content = text.strip(WHITE)
        before = len(text) - len(text.lstrip(WHITE)) if content else 0
        self.add(author, "white", text[:before])
        self.add(author, "prose", content)
        self.add(author, "white", text[before + len(content) :])


#: Members in which messages of the model have what it wrote beside their content.
BESIDE: Final = (
    "tool_calls",
    "function_call",
    "reasoning_content",
    "reasoning",
    "thinking",
    "thinking_blocks",
    "refusal",
    "audio",
)


class Rendered(NamedTuple):
    """A conversation as a chat template writes it."""

    text: str
    #: The spans of the text; what the template adds is a `marker` of the system.
    spans: list[Span]


def chat_spans(
    messages: Sequence[Mapping[str, Any]],
    render: Callable[[list[dict[str, Any]]], str],
    dialect: str | None = None,
    *,
    stop: str = "",
) -> Rendered:
    """Return a conversation as `render`, a chat template, writes it, with its spans.

    `render` takes messages and returns text: `lambda messages:
    tokenizer.apply_chat_template(messages, tokenize=False)`.  `stop` is the text that the template
    writes after a message of the model and that the model must learn to write, such as
    `"<|im_end|>"`: it is a `marker` of the model.  Raises `ValueError`, naming the index, if the
    template changes a message in more than the white space around it, and for a message of the
    model with `tool_calls`, `reasoning_content` or a like member, which a template writes beside
    the content, where nothing would be trained: `turn_spans` is for these.
    """
    given = [dict(message) for message in messages]
    for index, message in enumerate(given):
        if message.get("role") != "assistant":
            continue  # Nothing of what others wrote is trained.
        if member := next((each for each in BESIDE if message.get(each)), None):
            raise ValueError(
                f"message {index}: the model's `{member}` would not be trained; "
                "use `turn_spans`, or write it into `content`, as its dialect does"
            )
    found = message_spans(given, dialect)
    text = render(given)
    tiles = _Tiles()
    between = _between(given, render)
    for index, (message, pieces) in enumerate(zip(given, found, strict=True)):
        is_model = index > 0 and given[index - 1].get("role") == "assistant"
        _add_template(tiles, between[index], stop if is_model else "")
        if not text.startswith(between[index], tiles.end - len(between[index])):
            raise ValueError(f"message {index}: the template changes its content")
        content = message["content"]
        start, end = 0, len(content)
        if not text.startswith(content + between[index + 1], tiles.end):
            start, end = len(content) - len(content.lstrip()), len(content.rstrip())
        if not text.startswith(content[start:end] + between[index + 1], tiles.end):
            raise ValueError(f"message {index}: the template changes its content")
        for piece in pieces:
            inner = content[max(piece.start, start) : min(piece.end, end)]
            tiles.add(piece.author, piece.kind, inner, piece.event)
    is_model = bool(given) and given[-1].get("role") == "assistant"
    _add_template(tiles, between[-1], stop if is_model else "")
    if tiles.end != len(text):
        raise ValueError("the template's text does not end where its last message does")
    return Rendered(text, tiles.spans)


#: The members with which a message of the model must be a think, or calls.
THINKS: Final = ("reasoning_content", "thinking", "reasoning")
_CALLS: Final = "tool_calls"


def turn_spans(
    messages: Sequence[Mapping[str, Any]],
    render: Callable[[list[dict[str, Any]], bool], str],
    dialect: str | HasDialect,
    *,
    stop: str = "",
) -> list[Rendered]:
    """Return each turn of the model after its prompt, as a chat template writes them, with spans.

    There is one text for each message of the model: the prompt, which is a `marker` of the system,
    and the turn as the template writes it, with `tool_calls` and `reasoning_content`, which the
    parser of `dialect`, a format or one of the protocol, reads.  So a template may write the same
    message in another way once others follow it, as those do that leave out earlier thoughts.

    `render` takes messages and whether the text ends as a prompt: `lambda messages, is_prompt:
    tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=is_prompt)`.
    `stop` is that of `chat_spans`.  The `event` of a span is its index among those of its turn.
    Raises `ValueError`, naming the index, if the turn does not begin with its prompt or end with
    `stop`, has an error, has no think although the message has one, or other calls than it has.
    """
    given = [dict(message) for message in messages]
    found: list[Rendered] = []
    for index, message in enumerate(given):
        if message.get("role") != "assistant":
            continue
        prompt, text = render(given[:index], True), render(given[: index + 1], False)
        try:
            found.append(_turn(message, prompt, text, dialect, stop))
        except ValueError as error:
            raise ValueError(f"message {index}: {error}") from None
    return found


def _turn(
    message: Mapping[str, Any], prompt: str, text: str, dialect: str | HasDialect, stop: str
) -> Rendered:
    """Return one turn after its prompt."""
    if not text.startswith(prompt):
        raise ValueError("its text does not begin with the prompt before it")
    end = text.rfind(stop) if stop else len(text)
    if end < len(prompt):
        raise ValueError(f"its text does not end with {stop!r}")
    # A header that the prompt has begun is read with the turn.
    begin, start = len(prompt), start_of(prompt, dialect)
    if start == "header":
        begin = max(prompt.rfind(opener) for opener in notation(dialect).openers)
        start = "prose"
    reading = read(text[begin:end], dialect, start=start)
    _check_turn(message, [each.event for each in reading.events])
    tiles = _Tiles()
    tiles.add("system", "marker", prompt)
    for piece in reading.spans:
        first, last = piece.start + begin, piece.end + begin
        tiles.add(piece.author, piece.kind, text[max(first, len(prompt)) : last], piece.event)
    tiles.add("model", "marker", text[end : end + len(stop)])
    tiles.add("system", "marker", text[end + len(stop) :])
    return Rendered(text, tiles.spans)


def _check_turn(message: Mapping[str, Any], events: Sequence[Event]) -> None:
    """Raise `ValueError` if a turn does not say what its message does."""
    for event in events:
        if event["type"] == "error":
            raise ValueError(f"the template writes what breaks the dialect: {event['content']}")
    types = [event["type"] for event in events]
    thought = next((name for name in THINKS if message.get(name)), None)
    if thought and "think" not in types:
        raise ValueError(f"no think is read of its `{thought}`")
    wanted, calls = len(message.get(_CALLS) or ()), types.count("call")
    if wanted and wanted != calls:
        raise ValueError(f"{calls} calls are read of its {wanted} `{_CALLS}`")


def _add_template(tiles: _Tiles, text: str, stop: str) -> None:
    """Add the text that a template writes between messages; `stop` at its start is the model's."""
    own = stop if stop and text.startswith(stop) else ""
    tiles.add("model", "marker", own)
    tiles.add("system", "marker", text[len(own) :])


def _between(
    messages: Sequence[Mapping[str, Any]], render: Callable[[list[dict[str, Any]]], str]
) -> list[str]:
    """Return the texts that a template writes before, between and after the messages' contents."""
    # A private-use character, which no template writes.
    marks = [f"\ue0c0{index}\ue0c0" for index in range(len(messages))]
    text = render([{**each, "content": own} for each, own in zip(messages, marks, strict=True)])
    between: list[str] = []
    for index, own in enumerate(marks):
        before, found, text = text.partition(own)
        if not found:
            raise ValueError(f"message {index}: the template leaves it out, or changes it")
        between.append(before)
    return [*between, text]
