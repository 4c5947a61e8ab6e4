# SPDX-License-Identifier: MIT
"""Records as trainers read them: the ids of their tokens, and which of these are trained.

`cogwire mask --tokenizer` writes what is here.  A transcript is tokenized as it is; messages are
written by the chat template first.  `cogwire_kit.masks` is for programs that have their own
tokenizer: it needs neither of the packages that are imported here.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import cogwire
from cogwire_kit.masks import (
    BESIDE,
    Mask,
    Rendered,
    Straddling,
    chat_spans,
    mask,
    turn_spans,
)
from cogwire_kit.records import (
    TOOLS,
    RefusedError,
    dialect_of,
    form_of,
    readable,
    wire_dialect,
    wire_messages,
)
from cogwire_kit.texts.dialects import AUTO
from cogwire_kit.texts.rows import Refusal
from cogwire_kit.texts.templates import template_of

try:
    from tokenizers import Tokenizer, processors

    from cogwire_kit.chat_templates import ChatTemplate, names_in
except ImportError:
    raise ImportError(
        "this needs tokenizers and Jinja2; install them with\n"
        "    python -m pip install tokenizers jinja2"
    ) from None

#: The members of a record that continue its `prompt`.
_CONTINUED: Final = ("/completion", "/chosen", "/rejected")


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
        straddling: Straddling = "train",
        **chosen: Any,
    ) -> None:
        """Take a tokenizer, whose own white space is kept from now on.

        `stop` is what the template writes after each message of the model, which it must learn; by
        default it is the template's `eos_token`.
        With `by_turn` each turn is a text of its own, as `turn_spans` returns it; without it, only
        where messages have calls or thoughts beside their content.  The rest is as for `mask`.
        """
        # It would shorten the ranges of tokens by their white space; it adds no tokens here.
        tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
        self._tokenizer = tokenizer
        self._template = template
        self._stop = (template.stop if template else "") if stop is None else stop
        self._by_turn = by_turn
        self._policy: dict[str, Any] = {"straddling": straddling, **chosen}

    def encode(self, record: Any, dialect: str = AUTO) -> Iterator[tuple[str, Tokens]]:
        """Yield the texts of a record, each after the pointer of what it is of.

        A text is a transcript, a conversation, or each turn of one.
        `completion`, `chosen` and `rejected` each follow the `prompt`.  `dialect` is that of the
        texts, and with calls beside them the format of the template, which is known for `AUTO`.
        Raises `RefusedError` if it cannot be read.
        """
        found = readable(record)
        prompt: list[Any] = next((given for pointer, _, given in found if pointer == "/prompt"), [])
        is_continued = any(pointer in _CONTINUED for pointer, _, _ in found)
        for pointer, kind, given in found:
            if isinstance(given, str):
                name = dialect_of(given, dialect)
                yield pointer, self._tokens(Rendered(given, cogwire.spans(given, name)))
            elif not (pointer == "/prompt" and is_continued):
                whole = [*prompt, *given] if pointer in _CONTINUED else given
                tools = record.get(TOOLS) if isinstance(record, Mapping) else None
                try:
                    texts = self._conversation(whole, kind, dialect, tools)
                except ValueError as problem:
                    raise RefusedError(Refusal("no-tokens", f"{pointer}: {problem}")) from None
                yield from ((pointer, self._tokens(text)) for text in texts)

    def _conversation(
        self, given: list[Any], kind: str, dialect: str, tools: Any
    ) -> list[Rendered]:
        """Return messages as the template writes them, whole or turn by turn."""
        template = self._template
        if template is None:
            raise ValueError("messages need a chat template, which is beside the tokenizer")
        for index, message in enumerate(given):
            if not isinstance(message, Mapping):
                raise ValueError(f"message {index} is not an object")  # noqa: TRY004 (bad data)
        form = form_of(given, kind, dialect)
        if form not in ("wire", "openai"):
            raise ValueError(f"a chat template has no messages of {form}; convert them first")
        has_more = any(message.get(name) for message in given for name in BESIDE)

        def write(messages: list[dict[str, Any]], is_prompt: bool = False) -> str:  # noqa: FBT001, FBT002
            try:
                return template.write(messages, tools, is_prompt=is_prompt)
            except ValueError:
                # Some templates need a text beside calls, where OpenAI's API has null.
                filled = [{**each, "content": each.get("content") or ""} for each in messages]
                if filled == messages:
                    raise
                return template.write(filled, tools, is_prompt=is_prompt)

        if self._by_turn or has_more or form == "openai":
            name = template.dialect if dialect == AUTO else dialect
            if name is None:
                raise ValueError("which format the template writes is not known; name the dialect")
            return turn_spans(given, write, name, stop=self._stop)
        messages = wire_messages(given)
        return [chat_spans(messages, write, wire_dialect(messages, dialect), stop=self._stop)]

    def _tokens(self, text: Rendered) -> Tokens:
        found = self._tokenizer.encode(text.text, add_special_tokens=False)
        return Tokens(found.ids, mask(text.spans, found.offsets, **self._policy))


def opened_model(path: Path) -> tuple[Tokenizer, ChatTemplate | None]:
    """Return the tokenizer in a file, or that of a model's folder with its chat template.

    Raises `ValueError` if one of them cannot be read.
    """
    folder = path if path.is_dir() else None
    try:
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json" if folder else path))
    except Exception as problem:  # noqa: BLE001 (it raises nothing more specific)
        raise ValueError(f"this is not a tokenizer.json: {problem}") from None
    return tokenizer, _template_in(folder) if folder else None


def _template_in(folder: Path) -> ChatTemplate | None:
    """Return the chat template of a model, with the special tokens that it may write."""
    config = folder / "tokenizer_config.json"
    given = json.loads(config.read_text("utf-8")) if config.exists() else {}
    own = folder / "chat_template.jinja"
    text = own.read_text("utf-8") if own.exists() else template_of(given)
    if text is None:
        return None
    return ChatTemplate(text, names_in(given))
