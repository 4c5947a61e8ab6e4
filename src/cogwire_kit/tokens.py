# SPDX-License-Identifier: MIT
"""Records as trainers read them: the ids of their tokens, and which of these are trained.

`cogwire mask --tokenizer` writes what is here.  A transcript is tokenized as it is; messages are
written by the chat template first.  `cogwire_kit.masks` is for programs that have their own
tokenizer: it needs neither of the packages that are imported here.
"""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from itertools import chain, groupby, pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, NamedTuple

import cogwire
from cogwire.tooling import Start, notation
from cogwire_kit.chats import Chat, Trouble, refusal, tools_of
from cogwire_kit.conversions import Changed, chat_messages, system_beside
from cogwire_kit.masks import (
    Mask,
    MessageError,
    Rendered,
    SpecialTokens,
    Straddling,
    chosen,
    conversation_spans,
    mask,
    numbered_turns,
)
from cogwire_kit.records import (
    NO_MESSAGE,
    SYSTEM,
    RefusedError,
    dialect_of,
    form_of,
    readable,
    wire_dialect,
)
from cogwire_kit.templates.files import TOKENIZER, template_in
from cogwire_kit.texts.dialects import AUTO
from cogwire_kit.texts.messages import BESIDE, is_text_part
from cogwire_kit.texts.notices import FOREIGN
from cogwire_kit.texts.rows import HALVES, Refusal, strings_in

try:
    from tokenizers import Tokenizer, processors

    from cogwire_kit.templates.chat import ChatTemplate, names_in
except ImportError:
    raise ImportError(
        "this needs tokenizers and Jinja2; install them: python -m pip install tokenizers jinja2"
    ) from None

#: A think, as a mask chooses what is trained.
_THINK: Final = cogwire.Span("model", "think", None, 0, 0, 0, 0)
#: The members of a record that continue its `prompt`.
_CONTINUED: Final = ("/completion", "/chosen", "/rejected")


#: The ids of the tokens of a text, and their offsets.
_Piece = tuple[list[int], list[tuple[int, int]]]


class Tokens(NamedTuple):
    """A text as a trainer reads it."""

    #: The ids of its tokens, without any that the tokenizer would add.
    ids: list[int]
    #: Which of them are trained.
    mask: Mask


class Encoder:
    """A tokenizer with the chat template beside it, and what of the texts is trained."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        template: ChatTemplate | None = None,
        *,
        stop: str | None = None,
        by_turn: bool = False,
        template_options: Mapping[str, Any] | None = None,
        start: Start = "prose",
        straddling: Straddling = "train",
        special_tokens: SpecialTokens = "refuse",
        train: Collection[str] = ("model",),
        skip: Collection[str] = (),
    ) -> None:
        """Take a tokenizer, whose own white space is kept from now on.

        `stop` is what the template writes after each message of the model, which it must learn; by
        default it is the template's `eos_token`.  Turns of transcripts begin in `start`.
        `template_options` are passed to the template, such as `enable_thinking`.
        With `by_turn` each turn is a text of its own, as `turn_spans` returns it; without it, only
        where messages have calls or thoughts beside their content.  `special_tokens` is for those
        in the texts of messages, which a template writes as they are.  The rest is as for `mask`;
        a thought that is not trained may be left out by the template.
        """
        # It would shorten the ranges of tokens by their white space; it adds no tokens here.
        tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
        self._tokenizer = tokenizer
        self._template = template
        self._stop = (template.stop if template else "") if stop is None else stop
        self._may_end = stop is None
        self._by_turn = by_turn
        self._options = template_options or {}
        self._start = start
        self._policy: dict[str, Any] = {"straddling": straddling, "train": train, "skip": skip}
        self._is_trained = chosen(train, skip)
        self._needs_think = self._is_trained(_THINK)
        self._cuts = _cuts(tokenizer)
        added = tokenizer.get_added_tokens_decoder().values()
        special = [each.content for each in added if each.special and special_tokens == "refuse"]
        self._special = re.compile("|".join(map(re.escape, special)) or r"(?!)")
        #: How many conversations have calls in a format that the template does not write, by name.
        self.foreign = Counter[str]()

    def pieces(self, text: Tokens) -> list[tuple[bool, str]]:
        """Return a text in pieces, each after whether it is trained."""
        runs = groupby(zip(text.mask.tokens, text.ids, strict=True), itemgetter(0))
        ids = ((bool(trained), [number for _, number in run]) for trained, run in runs)
        decode = self._tokenizer.decode
        return [(trained, decode(each, skip_special_tokens=False)) for trained, each in ids]

    def encode(
        self,
        record: Any,
        dialect: str = AUTO,
        left_out: list[Trouble] | None = None,
        changes: list[Changed] | None = None,
    ) -> list[tuple[str, Tokens]]:
        """Return the texts of a record, each after the pointer of what it is of.

        A text is a transcript, a conversation, or each turn of one, whose pointer is that of its
        message.
        `completion`, `chosen` and `rejected` each follow the `prompt`.  `dialect` is that of the
        texts, and with calls beside them the format of the template, which is known for `AUTO`.
        Messages that the template does not take, such as Anthropic's, are converted to those of
        OpenAI, and what that changes is appended to `changes`.  Turns that cannot be trained are
        appended to `left_out`.  Raises `RefusedError` if the record cannot be read, or nothing of
        a conversation can be trained.
        """
        found = readable(record)
        tools = tools_of(record)
        prompt: list[Any] = next((value for pointer, _, value in found if pointer == "/prompt"), [])
        is_continued = any(pointer in _CONTINUED for pointer, _, _ in found)
        texts: list[tuple[str, Rendered]] = []
        changed: dict[Changed, None] = {}  # a prompt is read for each member that continues it
        for pointer, kind, value in found:
            if isinstance(value, str):
                if HALVES.search(value):
                    raise RefusedError(Refusal("not-utf8", f"{pointer}: half of a surrogate pair"))
                name = dialect_of(value, dialect)
                texts.append(
                    (pointer, Rendered(value, cogwire.spans(value, name, start=self._start)))
                )
            elif not (pointer == "/prompt" and is_continued):
                parts = {"/prompt": prompt} if pointer in _CONTINUED else {}
                parts = {**parts, pointer: value}
                chat, form, report = self._chat(record, parts, kind, dialect)
                changed |= dict.fromkeys(report)
                # Many templates fail where there is no message.
                made = self._conversation(chat, form, dialect, tools) if chat.messages else []
                if not made:
                    raise _nothing(chat, pointer)
                texts += ((pointer if at is None else at, text) for at, text in made)
                if left_out is not None:
                    left_out += chat.left_out
        if changes is not None:
            changes += changed
        known: dict[str, _Piece] = {}
        return [(pointer, self._tokens(text, known)) for pointer, text in texts]

    def _chat(
        self, record: Any, parts: dict[str, list[Any]], kind: str, dialect: str
    ) -> tuple[Chat, str, list[Changed]]:
        """Return messages as templates have them, their form, and what was changed for that.

        The form is `wire` for texts in a dialect, and else `openai`.
        """
        system = record.get(SYSTEM) if isinstance(record, Mapping) else None
        placed = [
            (f"{pointer}/{index}", message)
            for pointer, part in parts.items()
            for index, message in enumerate(part)
        ]
        messages = [message for _, message in placed]
        form = form_of(messages, kind, dialect, as_written=True)
        is_plain = form == "wire" or (form == "openai" and not _has_parts(messages))
        if is_plain or (form == "openai" and self._takes_parts):
            return Chat(system, placed), form, []
        report: list[Changed] = []
        if isinstance(record, Mapping):
            system = system_beside(record, report) or system

        def read(placed: list[tuple[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
            options: dict[str, Any] = {"report": report, "start": self._start}
            return chat_messages(placed, form, dialect, **options) if placed else []

        known = [*report]
        written = read(placed)
        left_out = [Trouble(at, each) for at, _, code, each in report if code == "skipped"]
        end = min(([at for at, _ in placed].index(each.pointer) for each in left_out), default=None)
        if end is not None:
            # No prompt can be written with what is left out, as it is with such a call of OpenAI.
            report[:] = known
            written = read(placed[:end])
        messages = [message for _, message in written]
        is_wire = form_of(messages, "messages", dialect, as_written=True) == "wire"
        chat = Chat(system, written)
        if end is not None:
            chat.left_out += left_out[:1]
            chat.leave_out(placed[end + 1 :])
        return chat, "wire" if is_wire else "openai", report

    @cached_property
    def _takes_parts(self) -> bool:
        """Whether the template writes a text in parts as it writes the text, which few do."""
        texts = [{"role": role, "content": "a"} for role in ("user", "assistant")]
        parts = [{**each, "content": [{"type": "text", "text": "a"}]} for each in texts]
        try:
            write = self._template.write if self._template else str
            return write(parts) == write(texts)
        except ValueError:
            return False

    def _conversation(
        self, chat: Chat, form: str, dialect: str, tools: Any
    ) -> list[tuple[str | None, Rendered]]:
        """Return messages as the template writes them, whole or each turn after its pointer."""
        template = self._template
        if template is None:
            raise refusal("", "messages need a chat template, which is beside the tokenizer")
        self._refuse_special(chat, form, dialect)

        def write(messages: list[dict[str, Any]], is_prompt: bool = False) -> str:  # noqa: FBT001, FBT002
            try:
                return template.write(messages, is_prompt, tools=tools, **self._options)
            except ValueError:
                # Some templates need a text beside calls, where OpenAI's API has null.
                filled = [{**each, "content": each.get("content") or ""} for each in messages]
                if filled == messages:
                    raise
                return template.write(filled, is_prompt, tools=tools, **self._options)

        own = template.dialect
        known = own if dialect == AUTO else dialect
        has_more = any(message.get(name) for message in chat.messages for name in BESIDE)
        if self._by_turn or has_more or form == "openai":
            if form == "wire":
                with suppress(RefusedError):  # a turn is read in the format of the template then
                    self.foreign.update(_foreign(chat, wire_dialect(chat.messages, dialect), own))
            return self._turns(chat, write, known)
        messages = chat.messages
        name = wire_dialect(messages, dialect)
        foreign = _foreign(chat, name, own)
        try:
            found = conversation_spans(messages, write, name, self._stops(known))
        except ValueError as problem:
            # Where the template changes a text, this may be why.
            hint = "".join(f"; it is {FOREIGN.format(each)}" for each in foreign)
            raise self._refused(chat, problem, hint) from None
        self.foreign.update(foreign)
        return [(None, found)] if found.text else []

    def _stops(self, dialect: str | None) -> tuple[str, ...]:
        """Return what may end a turn: what is named, or the token of the template and the format's.

        Only if none of these is known, a turn ends where the template's text does.
        """
        form = notation(dialect).form if dialect and self._may_end else None
        known = dict.fromkeys((self._stop, *(form.ends if form else ())))
        return tuple(filter(None, known)) or ("",)

    def _turns(
        self, chat: Chat, write: Any, dialect: str | None
    ) -> list[tuple[str | None, Rendered]]:
        if dialect is None:
            reason = "the format that the template writes is not known; name it with --dialect"
            raise refusal("", reason)
        left_out: list[MessageError] = []
        options: dict[str, Any] = {"stops": self._stops(dialect), "needs_think": self._needs_think}
        found = numbered_turns(chat.messages, write, dialect, left_out=left_out, **options)
        own = self._template.dialect if self._template else None
        hint = "" if own in (None, dialect) else f"; {_OTHER.format(dialect, own)}"
        chat.left_out += (
            Trouble(chat.pointers[each.index], f"{each.reason}{hint}") for each in left_out
        )
        return [(chat.pointers[index], text) for index, text in found]

    def _refused(self, chat: Chat, problem: ValueError, hint: str) -> RefusedError:
        if isinstance(problem, MessageError):
            return refusal(chat.pointers[problem.index], f"{problem.reason}{hint}")
        return refusal(chat.pointers[0] if chat.pointers else "", f"{problem}{hint}")

    def _refuse_special(self, chat: Chat, form: str, dialect: str) -> None:
        """Raise `RefusedError` for a special token in the text of a message.

        The texts of the model in a format may have those that are its markers.
        """
        own = ""
        for message, pointer in zip(chat.messages, chat.pointers, strict=True):
            is_wire = form == "wire" and message["role"] == "assistant"
            texts = strings_in(message, names=True)
            for found in chain.from_iterable(map(self._special.finditer, texts)):
                own = own or (self._markers_of(chat, dialect) if is_wire else "")
                if not is_wire or found[0] == self._stop or found[0] not in own:
                    reason = f"its text has {found[0]!r}, a special token of the tokenizer"
                    raise refusal(pointer, f"{reason}; --special-tokens keep allows it")

    def _markers_of(self, chat: Chat, dialect: str) -> str:
        """Return a text with all markers that the texts of the model may have."""
        name = self._template.dialect if self._template else None
        with suppress(RefusedError):  # a turn is read in the format of the template then
            name = wire_dialect(chat.messages, dialect)
        if name is None:
            return ""
        read = notation(name)
        form = json.dumps(read.form.to_json(), ensure_ascii=False) if read.form else ""
        return "\n".join((form, *read.openers, *read.think, *read.block))

    def _tokens(self, text: Rendered, known: dict[str, _Piece]) -> Tokens:
        """Return the tokens of a text, of which `known` has the pieces of earlier ones.

        The turns of a conversation have their prompts in common, in which nothing is trained.
        """
        trained = next((each.start for each in text.spans if self._is_trained(each)), None)
        begin = len(text.text) if trained is None else trained
        ids: list[int] = []
        offsets: list[tuple[int, int]] = []
        places = [0, *(found.start() for found in self._cuts.finditer(text.text, 1))]
        for start, end in pairwise([*places, len(text.text)]):
            piece = text.text[start:end]
            if piece not in known:
                found = self._tokenizer.encode(piece, add_special_tokens=False)
                known[piece] = found.ids, found.offsets
            own, spans = known[piece]
            ids += own
            if end > begin:
                offsets += [(first + start, last + start) for first, last in spans]
        before = len(ids) - len(offsets)
        found = mask(text.spans, offsets, **self._policy)
        return Tokens(
            ids, Mask([0] * before + found.tokens, [before + each for each in found.straddling])
        )


def _has_parts(messages: Iterable[Any]) -> bool:
    """Whether contents are in parts, all of which are texts."""
    contents = (each.get("content") for each in messages if isinstance(each, Mapping))
    parts = [part for each in contents if isinstance(each, list) for part in each]
    return bool(parts) and all(map(is_text_part, parts))


#: What is said of a turn that is not read as the template writes it.
_OTHER: Final = "it was read as {}, and the template writes {}; name that with --dialect, or auto"


def _foreign(chat: Chat, name: str, own: str | None) -> list[str]:
    """Return the format of a conversation's calls, if the template would write its `own`.

    No template writes the protocol's own dialects: who trains them knows that.
    """
    if own in (None, name) or notation(name).form is None:
        return []
    contents = (each.get("content") for each in chat.messages if each["role"] == "assistant")
    texts = [text for text in contents if isinstance(text, str)]
    return [name] if _has_calls(texts, name) and not _has_calls(texts, own) else []


def _has_calls(texts: Collection[str], dialect: str) -> bool:
    events = chain.from_iterable(cogwire.parse(text, dialect) for text in texts)
    return any(event["type"] == "call" for event in events)


def _cuts(tokenizer: Tokenizer) -> re.Pattern[str]:
    """Return where a text can be cut so that its pieces have the tokens of the whole.

    That is before a special token, which is found in a text before all else, unless it takes along
    the white space around it, or begins inside another one; and nowhere if the tokenizer is not
    known to read a text in the same way wherever it is.
    """
    made = json.loads(tokenizer.to_str())
    rooms = (made["normalizer"], made["pre_tokenizer"])
    added = [each["content"] for each in made["added_tokens"]]
    whole = [
        each["content"]
        for each in made["added_tokens"]
        if each["special"]
        and not any(each[name] for name in ("lstrip", "rstrip", "single_word", "normalized"))
        and not any(_reaches_into(other, each["content"]) for other in added)
    ]
    is_known = made["truncation"] is made["padding"] is None and all(map(_is_alike, rooms))
    return re.compile("|".join(map(re.escape, whole)) if whole and is_known else r"(?!)")


def _reaches_into(one: str, other: str) -> bool:
    """Whether a token that begins before another one may end in it or after it."""
    return other in one[1:] or any(other.startswith(one[at:]) for at in range(1, len(one)))


def _is_alike(room: Any) -> bool:
    """Whether a part of a tokenizer does the same with a text wherever it is."""
    if room is None:
        return True
    if room["type"] == "Sequence":
        return all(map(_is_alike, room.get("normalizers") or room["pretokenizers"]))
    is_split = room["type"] in ("NFC", "NFD", "NFKC", "NFKD", "Digits", "Split")
    return is_split or (room["type"] == "ByteLevel" and not room["add_prefix_space"])


def _nothing(chat: Chat, pointer: str) -> RefusedError:
    """Return why there is no text of a conversation."""
    if chat.left_out:
        return refusal(*chat.left_out[0])
    if not chat.messages:
        return refusal(pointer, NO_MESSAGE)
    return refusal(pointer, "no message of the model has a text or calls, and a weight")


def opened_model(path: Path) -> tuple[Tokenizer, ChatTemplate | None]:
    """Return the tokenizer in a file, or that of a model's folder with its chat template.

    Raises `ValueError` if one of them cannot be read.
    """
    folder = path if path.is_dir() else None
    try:
        tokenizer = Tokenizer.from_file(str(folder / TOKENIZER if folder else path))
    except Exception as problem:  # noqa: BLE001 (it raises nothing more specific)
        raise ValueError(f"this is not a tokenizer.json: {problem}") from None
    text, config = template_in(folder) if folder else (None, {})
    return tokenizer, None if text is None else ChatTemplate(text, names_in(config))
