# SPDX-License-Identifier: MIT
"""Loss masks: which tokens of a conversation a model is trained on.

`cogwire.spans` returns who wrote each piece of a text and what it is; `mask` maps that to tokens,
given the offset mapping of any tokenizer.  `chat_spans` returns the spans of a whole conversation
as a chat template writes it, `turn_spans` those of each turn after its prompt, with its calls and
thoughts, and `train_details` a value for axolotl's `message_field_training_detail`.
"""

import json
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, Protocol, TypedDict, get_args

from cogwire import Span, spans, start_of
from cogwire.tooling import WHITE, Author, HasDialect, SpanKind, Start, notation, read
from cogwire_kit.texts.answers import answer_pieces
from cogwire_kit.texts.messages import (
    BESIDE,
    is_text_part,
    is_trained_message,
    require_texts,
    require_turn,
    texts_of,
)

#: What to do with a token that contains both trained and other text.
Straddling = Literal["train", "skip", "first"]
#: What to do with a record that has a special token of the tokenizer in the text of a message.
SpecialTokens = Literal["refuse", "keep"]

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
    if straddling not in (known := get_args(Straddling)):
        raise ValueError(f"straddling must be one of {', '.join(known)}, not {straddling!r}")
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


class MessageError(ValueError):
    """A message cannot be trained as it is, or as a chat template writes it."""

    def __init__(self, index: int, reason: str) -> None:
        super().__init__(index, reason)
        #: The index of the message.
        self.index = index
        #: Why it cannot be trained.
        self.reason = reason

    def __str__(self) -> str:
        return f"message {self.index}: {self.reason}"


def message_spans(
    messages: Sequence[Mapping[str, Any]], dialect: str | None = None, *, start: Start = "prose"
) -> list[list[Span]]:
    """Return the spans of each message's content; the model's are written in `dialect`.

    `start` is what these begin in, as for `spans`.

    Results of the preceding turn at the start of a user's message are the system's, as in a
    transcript; the rest is prose of the user.  Texts of tools are results of the system.  The
    `event` of a model's span is its index among the events of this message; other spans have none.
    Raises `MessageError`, a `ValueError`, for content that is not a string and, as `spans` does,
    for a message of another dialect where none is named.
    """
    found: list[list[Span]] = []
    turn = ""
    for index, message in enumerate(messages):
        role, content = message.get("role"), message.get("content")
        if not isinstance(content, str):
            raise MessageError(index, "`content` is not a string")
        if role == "assistant":
            try:
                found.append(spans(content, dialect, start=start))
            except ValueError as error:
                raise MessageError(index, str(error)) from None
            turn = content
            continue
        tiles = _Tiles()
        if role in ("user", "tool") and turn:
            for kind, text in answer_pieces(turn, content, dialect or "xml-json", start):
                tiles.add("system", kind, text)
        author: Author = "user" if role == "user" else "system"
        tiles.add_text(author, "results" if role == "tool" else "prose", content[tiles.end :])
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

    def add_text(self, author: Author, kind: SpanKind, text: str) -> None:
        """Add `text` as one span, with the white space around it."""
        content = text.strip(WHITE)
        before = len(text) - len(text.lstrip(WHITE)) if content else 0
        self.add(author, "white", text[:before])
        self.add(author, kind, content)
        self.add(author, "white", text[before + len(content) :])


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
    start: str = "",
    stop: str = "",
) -> Rendered:
    r"""Return a conversation as `render`, a chat template, writes it, with its spans.

    `render` takes messages and returns text: `lambda messages:
    tokenizer.apply_chat_template(messages, tokenize=False)`.  `stop` is the text that the template
    writes after a message of the model and that the model must learn to write, such as
    `"<|im_end|>"`: it is a `marker` of the model.  So is what the template writes between its
    prompt and the content, such as an empty think; `start` is the text with which prompts end, such
    as `"<|im_start|>assistant\n"`.  A message of the model without text, or with a `weight` of 0,
    is a `marker` of the system.

    Raises `MessageError`, a `ValueError`, if the template changes a message in more than the white
    space around it, or does not write `start` before or `stop` after a message that is trained; and
    for a message of the model with `tool_calls`, `reasoning_content` or a like member, which a
    template writes beside the content, where nothing would be trained: `turn_spans` is for these.
    """
    copies = [dict(message) for message in messages]
    _refuse_beside(copies)
    found, between = message_spans(copies, dialect), _between(copies, render)

    def turn_of(index: int, _: int) -> int:
        begin = _after(start, between[index], copies[index]["content"])
        if begin < 0:
            raise MessageError(index, f"the template does not write {start!r} before it")
        return begin

    return _whole(copies, found, (render(copies), between), (stop,), turn_of)


def conversation_spans(
    messages: list[dict[str, Any]], render: "_Render", dialect: str | None, stops: Sequence[str]
) -> Rendered:
    """Return what `chat_spans` does, where `render` is that of `turn_spans`.

    A turn begins where its prompt ends, and ends with the first of `stops` that follows it.
    """
    _refuse_beside(messages)
    found = message_spans(messages, dialect)
    prompt, text = render(messages, True), render(messages, False)
    between = _between(messages, lambda copies: render(copies, False))
    start = prompt.removeprefix(text) if prompt.startswith(text) else ""

    def turn_of(index: int, at: int) -> int:
        begin = _after(start, between[index], messages[index]["content"]) if start else -1
        if begin >= 0:
            return begin
        # Many templates end a prompt with nothing of its own, or in another way.
        try:
            prompt = render(messages[:index], True)
        except ValueError:
            return len(between[index])  # Nothing precedes it that could be a prompt.
        if not text.startswith(prompt) or len(prompt) < at:
            raise MessageError(index, f"{_NOT_ITS_PROMPT}; try `turn_spans`, or --by-turn")
        # Where no prompt has anything of its own, what says who speaks next is the template's.
        opened = between[index][len(prompt) - at :]
        return len(between[index]) if opened.strip() and not start else len(prompt) - at

    return _whole(messages, found, (text, between), stops, turn_of)


_NOT_ITS_PROMPT: Final = "its text does not begin with the prompt before it"
_CHANGED: Final = "the template changes its content; try `turn_spans`, or --by-turn"


def _after(start: str, before: str, content: str) -> int:
    """Return where the last `start` ends that begins in `before`, or before `content`; or -1.

    A prompt may end in the content, with the opener of a think.
    """
    if not start:
        return len(before)
    at = (before + content).rfind(start, 0, len(before) + len(start))
    return at + len(start) if at >= 0 else -1


def _whole(
    messages: list[dict[str, Any]],
    found: list[list[Span]],
    rendered: tuple[str, list[str]],
    stops: Sequence[str],
    turn_of: Callable[[int, int], int],
) -> Rendered:
    """Return a conversation as a template writes it, with what it writes between the contents.

    `turn_of` returns where the turn of a message begins in the text before its content, which
    begins at an offset.
    """
    text, between = rendered
    tiles = _Tiles()
    # There is none before the first message, nor after the last one.
    trained = [*map(is_trained_message, messages), False]
    for index, (message, pieces) in enumerate(zip(messages, found, strict=True)):
        before, after = between[index : index + 2]
        if not text.startswith(before, tiles.end):
            raise MessageError(index, _CHANGED)
        first = turn_of(index, tiles.end) if trained[index] else len(before)
        last = _end_of(index - 1, before, stops) if trained[index - 1] else 0
        _add_template(tiles, before, last, max(first, last))
        content = message["content"]
        begin, end = 0, len(content)
        if not text.startswith(content + after, tiles.end):
            begin, end = len(content) - len(content.lstrip()), len(content.rstrip())
        if not text.startswith(content[begin:end] + after, tiles.end):
            raise MessageError(index, _CHANGED)
        own = max(begin, first - len(before)) if trained[index] else begin
        if message.get("role") == "assistant" and not trained[index]:
            own = end
        tiles.add("system", "marker", content[begin:own])
        for piece in pieces:
            inner = content[max(piece.start, own) : min(piece.end, end)]
            tiles.add(piece.author, piece.kind, inner, piece.event)
    last = _end_of(len(messages) - 1, between[-1], stops) if trained[len(messages) - 1] else 0
    _add_template(tiles, between[-1], last, len(between[-1]))
    if tiles.end != len(text):
        raise ValueError("the template's text does not end where its last message does")
    return Rendered(text, tiles.spans)


def _refuse_beside(messages: Sequence[Mapping[str, Any]]) -> None:
    """Raise `MessageError` for what the model has beside the content of a message."""
    for index, message in enumerate(messages):
        if message.get("role") != "assistant":
            continue  # Nothing of what others wrote is trained.
        if member := next((each for each in BESIDE if message.get(each)), None):
            reason = (
                f"the model's `{member}` would not be trained; "
                "use `turn_spans`, or write it into `content`, as its dialect does"
            )
            raise MessageError(index, reason)


#: How much is shown of what a template writes after a message.
_SHOWN: Final = 40


def _end_of(index: int, after: str, stops: Sequence[str]) -> int:
    """Return where the turn of a message ends in the text that a template writes after it."""
    stop = next((each for each in stops if each in after), None)
    if stop is None:
        missing = " or ".join(map(repr, stops))
        reason = f"the template writes {after[:_SHOWN]!r} after it, without the stop {missing}"
        raise MessageError(index, reason)
    return after.index(stop) + len(stop)


def _add_template(tiles: _Tiles, text: str, end: int, begin: int) -> None:
    """Add what a template writes between messages: up to `end` and from `begin` on, the model's."""
    tiles.add("model", "marker", text[:end])
    tiles.add("system", "marker", text[end:begin])
    tiles.add("model", "marker", text[begin:])


#: Returns the text of messages, which ends as a prompt if the second argument is true.
_Render = Callable[[list[dict[str, Any]], bool], str]


def turn_spans(
    messages: Sequence[Mapping[str, Any]],
    render: _Render,
    dialect: str | HasDialect,
    *,
    stop: str = "",
    needs_think: bool = True,
    left_out: list[MessageError] | None = None,
) -> list[Rendered]:
    """Return each turn of the model after its prompt, as a chat template writes them, with spans.

    There is one text for each message of the model: the prompt, which is a `marker` of the system,
    and the turn as the template writes it, with `tool_calls` and `reasoning_content`, which the
    parser of `dialect`, a format or one of the protocol, reads.  So a template may write the same
    message in another way once others follow it, as those do that leave out earlier thoughts.  A
    message without text and calls, or with a `weight` of 0, is in prompts only.

    `render` takes messages and whether the text ends as a prompt: `lambda messages, is_prompt:
    tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=is_prompt)`.
    `stop` is that of `chat_spans`.  The `event` of a span is its index among those of its turn.

    Raises `MessageError`, a `ValueError`, if `render` raises `ValueError` or leaves out the text of
    a message; and if the turn does not begin with its prompt or end with `stop`, has an error, has
    other calls or another text than its message, or no think although the message has one, unless
    `needs_think` is false.  With `left_out`, such a turn is left out, and its error is appended.
    """
    options: dict[str, Any] = {"stops": (stop,), "needs_think": needs_think, "left_out": left_out}
    return [turn for _, turn in numbered_turns(messages, render, dialect, **options)]


def numbered_turns(
    messages: Sequence[Mapping[str, Any]],
    render: _Render,
    dialect: str | HasDialect,
    *,
    stops: Sequence[str],
    needs_think: bool,
    left_out: list[MessageError] | None,
) -> list[tuple[int, Rendered]]:
    """Return what `turn_spans` does, each turn after the index of its message.

    A turn ends with the first of `stops` that it has.
    """
    copies = [dict(message) for message in messages]
    found: list[tuple[int, Rendered]] = []
    is_whole = _has_all_texts(copies, render)
    for index, message in enumerate(copies):
        if not is_trained_message(message):
            continue
        try:
            prompt, text = render(copies[:index], True), render(copies[: index + 1], False)
            if not is_whole:
                _require_texts(copies[: index + 1], render)
            turn = _turn(message, prompt, text, dialect, stops, needs_think=needs_think)
            found.append((index, turn))
        except ValueError as error:
            problem = error if isinstance(error, MessageError) else MessageError(index, str(error))
            if left_out is None:
                raise problem from None
            left_out.append(problem)
    return found


def _has_all_texts(messages: list[dict[str, Any]], render: _Render) -> bool:
    """Whether the text of each message is in that of the conversation."""
    try:
        return not _unwritten(messages, render)
    except ValueError:
        return False


def _require_texts(messages: list[dict[str, Any]], render: _Render) -> None:
    """Raise `MessageError` for a message whose text is not in a turn, the last, or its prompt.

    Earlier texts of the model may be left out, because templates leave out thoughts.
    """
    for index in _unwritten(messages, render):
        if index == len(messages) - 1 or messages[index].get("role") != "assistant":
            raise MessageError(index, "the template does not write its text")


def _unwritten(messages: list[dict[str, Any]], render: _Render) -> list[int]:
    """Return the indices of the messages whose texts are not in that of the conversation."""
    marks = _marks(messages)
    text = render([_marked(*each) for each in zip(messages, marks, strict=True)], False)
    return [
        index
        for index, (message, mark) in enumerate(zip(messages, marks, strict=True))
        if any(each.strip() for each in texts_of(message))
        # Some templates write results as JSON.
        and mark not in text
        and json.dumps(mark)[1:-1] not in text
    ]


def _marks(messages: Sequence[object]) -> list[str]:
    """Return a text for each message that no template writes, of private-use characters."""
    return [f"\ue0c0{index}\ue0c0" for index in range(len(messages))]


def _marked(message: dict[str, Any], mark: str) -> dict[str, Any]:
    """Return a message with `mark` at the end of its text, if it has one."""
    content = message.get("content")
    if isinstance(content, str):
        return {**message, "content": content + mark} if content.strip() else message
    if not texts_of(message):
        return message
    last = max(index for index, each in enumerate(content or ()) if is_text_part(each))
    parts = [*(content or ())]
    parts[last] = {**parts[last], "text": parts[last]["text"] + mark}
    return {**message, "content": parts}


def _turn(
    message: Mapping[str, Any],
    prompt: str,
    text: str,
    dialect: str | HasDialect,
    stops: Sequence[str],
    *,
    needs_think: bool,
) -> Rendered:
    """Return one turn after its prompt."""
    if not text.startswith(prompt):
        raise ValueError(_NOT_ITS_PROMPT)
    stop = next((each for each in stops if text.rfind(each) >= len(prompt)), None)
    if stop is None:
        raise ValueError(f"its text does not end with {' or '.join(map(repr, stops))}")
    end = text.rfind(stop) if stop else len(text)
    # A header that the prompt has begun is read with the turn.
    begin, start = len(prompt), start_of(prompt, dialect)
    if start == "header":
        begin = max(prompt.rfind(opener) for opener in notation(dialect).openers)
        start = "prose"
    reading = read(text[begin:end], dialect, start=start)
    events = [each.event for each in reading.events]
    require_turn(message, events, needs_think=needs_think)
    own = [each.event for each in read("".join(texts_of(message)), dialect).events]
    require_texts(message, own, events, needs_think=needs_think)
    tiles = _Tiles()
    tiles.add("system", "marker", prompt)
    for piece in reading.spans:
        first, last = piece.start + begin, piece.end + begin
        tiles.add(piece.author, piece.kind, text[max(first, len(prompt)) : last], piece.event)
    tiles.add("model", "marker", text[end : end + len(stop)])
    tiles.add("system", "marker", text[end + len(stop) :])
    return Rendered(text, tiles.spans)


def _between(
    messages: Sequence[Mapping[str, Any]], render: Callable[[list[dict[str, Any]]], str]
) -> list[str]:
    """Return the texts that a template writes before, between and after the messages' contents."""
    marks = _marks(messages)
    text = render([{**each, "content": own} for each, own in zip(messages, marks, strict=True)])
    between: list[str] = []
    for index, own in enumerate(marks):
        before, found, text = text.partition(own)
        if not found:
            raise MessageError(index, "the template leaves it out, or changes it")
        between.append(before)
    return [*between, text]
