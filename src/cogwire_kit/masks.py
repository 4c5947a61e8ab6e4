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

from cogwire import Event, Span, spans, start_of
from cogwire.tooling import WHITE, Author, HasDialect, SpanKind, notation, read
from cogwire_kit.texts.answers import answer_pieces

#: What to do with a token that contains both trained and other text.
Straddling = Literal["train", "skip", "first"]
#: What to do with a record that has a special token of the tokenizer in the text of a message.
SpecialTokens = Literal["refuse", "keep"]

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


class MessageError(ValueError):
    """A message cannot be trained as it is, or as a chat template writes it."""

    def __init__(self, index: int, reason: str) -> None:
        """Take the index of the message, and why."""
        super().__init__(index, reason)
        #: The index of the message.
        self.index = index
        #: Why it cannot be trained.
        self.reason = reason

    def __str__(self) -> str:
        """Return both."""
        return f"message {self.index}: {self.reason}"


def message_spans(
    messages: Sequence[Mapping[str, Any]], dialect: str | None = None
) -> list[list[Span]]:
    """Return the spans of each message's content; the model's are written in `dialect`.

    Results of the preceding turn at the start of a user's message are the system's, as in a
    transcript; the rest is prose of the user.  What a tool says are results of the system.  The
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
                found.append(spans(content, dialect))
            except ValueError as error:
                raise MessageError(index, str(error)) from None
            turn = content
            continue
        tiles = _Tiles()
        if role in ("user", "tool") and turn:
            for kind, text in answer_pieces(turn, content, dialect or "xml-json"):
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


_CALLS: Final = "tool_calls"
#: The members with which a message of the model must be a think.
THINKS: Final = ("reasoning_content", "thinking", "reasoning")
#: Members in which messages of the model have answers beside their content.
_ANSWERS: Final = (_CALLS, "function_call", "refusal", "audio")
#: Members with which messages say for axolotl, ms-swift and others what of them is trained.
_FLAGS: Final = ("train", "training", "trainable", "train_detail", "loss", "loss_scale")
FLAGS: Final = ("weight", *_FLAGS)
#: Members in which messages of the model have what it wrote beside their content.
BESIDE: Final = (*_ANSWERS, *THINKS, "thinking_blocks")


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
    space around it, and for a message of the model with `tool_calls`, `reasoning_content` or a like
    member, which a template writes beside the content, where nothing would be trained:
    `turn_spans` is for these.
    """
    given = [dict(message) for message in messages]
    for index, message in enumerate(given):
        if message.get("role") != "assistant":
            continue  # Nothing of what others wrote is trained.
        if member := next((each for each in BESIDE if message.get(each)), None):
            reason = (
                f"the model's `{member}` would not be trained; "
                "use `turn_spans`, or write it into `content`, as its dialect does"
            )
            raise MessageError(index, reason)
    found = message_spans(given, dialect)
    text = render(given)
    tiles = _Tiles()
    between = _between(given, render)
    # There is none before the first message, nor after the last one.
    trained = [*map(_is_trained, given), False]
    for index, (message, pieces) in enumerate(zip(given, found, strict=True)):
        own = (stop if trained[index - 1] else "", start if trained[index] else "")
        _add_template(tiles, between[index], *own)
        if not text.startswith(between[index], tiles.end - len(between[index])):
            raise MessageError(index, "the template changes its content")
        content = message["content"]
        begin, end = 0, len(content)
        if not text.startswith(content + between[index + 1], tiles.end):
            begin, end = len(content) - len(content.lstrip()), len(content.rstrip())
        if not text.startswith(content[begin:end] + between[index + 1], tiles.end):
            raise MessageError(index, "the template changes its content")
        if message.get("role") == "assistant" and not trained[index]:
            tiles.add("system", "marker", content[begin:end])
            continue
        for piece in pieces:
            inner = content[max(piece.start, begin) : min(piece.end, end)]
            tiles.add(piece.author, piece.kind, inner, piece.event)
    _add_template(tiles, between[-1], stop if trained[len(given) - 1] else "", "")
    if tiles.end != len(text):
        raise ValueError("the template's text does not end where its last message does")
    return Rendered(text, tiles.spans)


def _is_trained(message: Mapping[str, Any]) -> bool:
    """Whether a message is the model's, with a text or with calls, and has a weight."""
    says = any(message.get(name) for name in _ANSWERS) or any(
        each.strip() for each in _texts(message)
    )
    return message.get("role") == "assistant" and has_weight(message) and says


def has_weight(message: Mapping[str, Any]) -> bool:
    """Whether a message does not say that it is not trained, as a `weight` of 0 does."""
    weight = message.get("weight")
    try:
        return float(weight) != 0 if isinstance(weight, str) else weight != 0
    except ValueError:
        return True


def flags_in(message: Mapping[str, Any]) -> list[str]:
    """Return the members that say in vain how a message is trained, as other programs read them.

    A `weight` other than 0 and 1 is one of them; what is done without a member does not count.
    """
    found = [name for name in _FLAGS if message.get(name) not in (None, 1, [])]
    weighs = has_weight(message) and message.get("weight") not in (None, 1, "1")
    return ["weight", *found] if weighs else found


def _texts(message: Mapping[str, Any]) -> list[str]:
    """Return the texts of a message's content, which may be in parts."""
    content = message.get("content")
    if isinstance(content, str):
        return [content]
    parts = content if isinstance(content, list) else []
    return [each["text"] for each in parts if _is_text(each)]


def _is_text(part: object) -> bool:
    return isinstance(part, Mapping) and isinstance(part.get("text"), str)


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
    options: dict[str, Any] = {"stop": stop, "needs_think": needs_think, "left_out": left_out}
    return [turn for _, turn in numbered_turns(messages, render, dialect, **options)]


def numbered_turns(
    messages: Sequence[Mapping[str, Any]],
    render: _Render,
    dialect: str | HasDialect,
    *,
    stop: str,
    needs_think: bool,
    left_out: list[MessageError] | None,
) -> list[tuple[int, Rendered]]:
    """Return what `turn_spans` does, each turn after the index of its message."""
    given = [dict(message) for message in messages]
    found: list[tuple[int, Rendered]] = []
    is_whole = _has_all_texts(given, render)
    for index, message in enumerate(given):
        if not _is_trained(message):
            continue
        try:
            prompt, text = render(given[:index], True), render(given[: index + 1], False)
            if not is_whole:
                _require_texts(given[: index + 1], render)
            turn = _turn(message, prompt, text, dialect, stop, needs_think=needs_think)
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
        if any(each.strip() for each in _texts(message))
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
    if not _texts(message):
        return message
    last = max(index for index, each in enumerate(content or ()) if _is_text(each))
    parts = [*(content or ())]
    parts[last] = {**parts[last], "text": parts[last]["text"] + mark}
    return {**message, "content": parts}


def _turn(
    message: Mapping[str, Any],
    prompt: str,
    text: str,
    dialect: str | HasDialect,
    stop: str,
    *,
    needs_think: bool,
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
    events = [each.event for each in reading.events]
    _check_turn(message, events, needs_think=needs_think)
    own = [each.event for each in read("".join(_texts(message)), dialect).events]
    _check_texts(message, own, events, needs_think=needs_think)
    tiles = _Tiles()
    tiles.add("system", "marker", prompt)
    for piece in reading.spans:
        first, last = piece.start + begin, piece.end + begin
        tiles.add(piece.author, piece.kind, text[max(first, len(prompt)) : last], piece.event)
    tiles.add("model", "marker", text[end : end + len(stop)])
    tiles.add("system", "marker", text[end + len(stop) :])
    return Rendered(text, tiles.spans)


def _check_turn(message: Mapping[str, Any], events: Sequence[Event], *, needs_think: bool) -> None:
    """Raise `ValueError` if a turn does not say what its message does."""
    for event in events:
        if event["type"] == "error":
            raise ValueError(f"the template writes what breaks the dialect: {event['content']}")
    types = [event["type"] for event in events]
    thought = next((name for name in THINKS if message.get(name)), None)
    if thought and needs_think and "think" not in types:
        reason = f"no think is read of its `{thought}`"
        raise ValueError(f"{reason}; if the template writes none, skip what is of the kind think")
    unread = next((name for name in _ANSWERS[1:] if message.get(name)), None)
    if unread and not message.get("content"):
        raise ValueError(f"its `{unread}` is not read")
    wanted, calls = len(message.get(_CALLS) or ()), types.count("call")
    if wanted and wanted != calls:
        raise ValueError(f"{calls} calls are read of its {wanted} `{_CALLS}`")


def _check_texts(
    message: Mapping[str, Any], own: list[Event], events: list[Event], *, needs_think: bool
) -> None:
    """Raise `ValueError` if a turn does not begin with the thoughts and texts of its message.

    `own` are the events of its text.  Some templates take the text before a `</think>` that
    somebody only wrote about for a thought, or leave it out.  White space is the template's, and so
    is whether a text is in a think.
    """
    wanted = _said(own, "respond")
    if needs_think or _said(events, "think"):
        wanted = _without_space(_thoughts(message)) + _said(own)
    if not _said(events).startswith(wanted):
        raise ValueError("the template writes another text or thought than it has")


def _thoughts(message: Mapping[str, Any]) -> list[str]:
    """Return the thoughts that a message has beside its text."""
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    given = [part.get("thinking") for part in parts if isinstance(part, Mapping)]
    beside = next((message[name] for name in THINKS if message.get(name)), None)
    return [text for each in (beside, *given) for text in _texts({"content": each})]


def _said(events: Iterable[Event], *types: str) -> str:
    """Return what the model says in events of these types, or in thoughts and answers."""
    named = types or ("think", "respond")
    return _without_space(str(each.get("content")) for each in events if each["type"] in named)


def _without_space(texts: Iterable[str]) -> str:
    return "".join("".join(texts).split())


def _add_template(tiles: _Tiles, text: str, stop: str, start: str) -> None:
    """Add the text that a template writes between messages.

    `stop` at its start is the model's, and so is what follows the last `start`.
    """
    own = stop if stop and text.startswith(stop) else ""
    end = text.rfind(start) + len(start) if start and start in text else len(text)
    end = max(end, len(own))
    tiles.add("model", "marker", own)
    tiles.add("system", "marker", text[len(own) : end])
    tiles.add("model", "marker", text[end:])


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
