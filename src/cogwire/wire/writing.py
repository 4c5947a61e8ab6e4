# SPDX-License-Identifier: MIT
"""The writers of a dialect; writing the parts of a message, and a call in another format."""

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

from ..events import ARGS_NAMES, RESERVED_NAME, UNLIMITED
from ..text import WHITE, pointer_step, shorten
from ..text.decoding import is_text
from ..text.json_text import members, on_one_line, sound, value_at_start
from .blocks.interface import CallFormat, Fault
from .blocks.json_payload import PAYLOADS
from .blocks.values import ItemWriter, RenderError
from .dialects import Dialect
from .frames.machine import Frame, Options
from .writing_interface import CallWriting, FrameWriting, ModelKind

#: Called for each value that will be read back differently: a code, its path, and a message.
Note = Callable[[Literal["completed", "dropped", "retyped"], str, str], None]

_OPTIONS: Final = Options(UNLIMITED)


@functools.lru_cache(maxsize=64)
def writing_of(dialect: Dialect) -> FrameWriting:
    """Return the writer of the parts of the dialect's messages."""
    writing: FrameWriting = _writer(dialect.frame)
    return writing


@functools.lru_cache(maxsize=64)
def call_writing_of(dialect: Dialect) -> CallWriting:
    """Return the writer of the dialect's calls."""
    writing: CallWriting = _writer(dialect.calls)
    return writing


if TYPE_CHECKING:

    def _writer(read: Frame[Any] | CallFormat) -> Any: ...

else:  # a smaller copy lacks some writers, which a type checker would miss

    def _writer(read: Frame[Any] | CallFormat) -> Any:
        """Return the writer of what is read."""
        match read.kind:
            case "tags":
                from .frames.message_writing import TagWriting as Writing
            case "lines":
                from .frames.message_writing import LineWriting as Writing
            case "wrapped":
                from .frames.wrapped_writing import WrappedWriting as Writing
            case "bare":
                from .frames.wrapped_writing import BareWriting as Writing
            case "array" | "object" | "objects":
                from .blocks.json_writing import json_writing

                return json_writing(read)
            case "keyed":
                from .blocks.json_objects import KeyedWriting as Writing
            case "elements":
                from .blocks.elements_writing import ElementWriting

                return ElementWriting()
            case "headed":
                from .blocks.headed import HeadedWriting as Writing
            case "literals":
                from .blocks.literals_writing import LiteralWriting as Writing
            case "text":
                from .blocks.literals_writing import TextWriting as Writing
            case _:
                from .blocks.tagged_writing import TaggedWriting as Writing
        return Writing(read)


def frame_text(kind: ModelKind, text: str, dialect: Dialect) -> str:
    """Return a think, or prose, whose content is `text`, verbatim."""
    return text.join(writing_of(dialect).text_ends(kind))


def is_misread(kind: ModelKind, text: str, dialect: Dialect, *, has_called: bool = False) -> bool:
    """Whether `text`, without live markers, is not read back as it is where a turn begins.

    `has_called` means that the turn has a call, which the text may follow.
    """
    if not text.startswith(writing_of(dialect).risky(kind)):
        return False
    expected: list[tuple[object, object]] = [(kind, text)]
    text = f"{frame_text(kind, text, dialect)}\n"
    if has_called:
        writer = ItemWriter(writing_of(dialect).escape)
        try:
            call = call_writing_of(dialect).write("a", {}, writer, "")
        except RenderError:  # no such call can precede it, and what can is unknown
            return True
        text = f"{frame_calls([call], dialect)}\n{text}"
        expected = [("call", '{"name": "a", "args": {}}'), *expected]
    machine = dialect.machine(_OPTIONS)
    events = machine.read(text, 0, []) + machine.finish(len(text), finished=True)
    found = [(event["type"], event.get("content")) for event in events]
    return [each for each in found if each[0] != "execute"] != expected


def frame_calls(calls: Iterable[str], dialect: Dialect) -> str:
    """Return the block of `calls`, each of them already as the dialect writes it."""
    writing = writing_of(dialect)
    return writing.joint.join(writing.call_parts(calls, call_writing_of(dialect)))


def _spell_known(call: Mapping[str, Any], content: str, dialect: Dialect) -> str | None:
    """Return what `spell_call` does; `None` if a value in it will be read back differently."""
    calls = dialect.calls
    if calls.is_verbatim:
        return content if "args" in call or calls.is_partial else None
    is_exact = calls.is_text and "args" in call and len(call) == len(("name", "args"))
    if is_exact and {str}.issuperset(map(type, call["args"].values())):
        writer = ItemWriter(writing_of(dialect).escape, UNLIMITED.size)
        return call_writing_of(dialect).write(call["name"], call["args"], writer, "")
    return None


def spell_call(
    content: str, dialect: Dialect, note: Note, call: Mapping[str, Any] | None = None
) -> str:
    """Return the call whose JSON is `content` as the dialect writes it, verbatim if possible.

    `call` is what `sound_call` found in it, if it is known, and `note` is called for what will be
    read back differently.  Raises `RenderError` for values that the dialect cannot express.
    """
    calls = dialect.calls
    if calls.is_verbatim or calls.is_text:
        call = call or sound_call(content)
        if call is not None and (text := _spell_known(call, content, dialect)):
            return text
    texts = dict(members(content))
    if calls.is_verbatim and ("args" in texts or calls.is_partial):
        return content
    for name in () if calls.is_verbatim else texts:
        if name not in ("name", "args"):
            note("dropped", pointer_step(name), "there is no place for this member")
    if "args" not in texts:
        note("completed", "", "the call is written with empty args")
    if calls.is_verbatim:
        return content[:-1].rstrip(WHITE) + ', "args": {}}'
    if not calls.is_text:
        return call_writing_of(dialect).spell(texts["name"], texts.get("args", "{}"))
    args: dict[object, object] = {}
    for name, value in members(texts.get("args", "{}")):
        if value.startswith('"'):
            args[name] = value_at_start(value)
        else:
            args[name] = on_one_line(value)
            note("retyped", f"/args{pointer_step(name)}", f"{shorten(value)} is written as text")
    writer = ItemWriter(writing_of(dialect).escape, UNLIMITED.size)
    return call_writing_of(dialect).write(value_at_start(texts["name"]), args, writer, "")


def sound_call(content: str) -> dict[str, Any] | None:
    """Return the call in `content` if every reader of blocks surely accepts it, else `None`."""
    call: Any = sound(content)
    if call.__class__ is not dict:
        return None
    if call.get("args").__class__ is not dict and not ARGS_NAMES.isdisjoint(call):
        return None
    name = call.get("name")
    return call if type(name) is str and name not in ("", RESERVED_NAME) else None


def read_call(content: str) -> str:
    """Return the name of the tool in the JSON of a call; `ValueError` if it is not a call."""
    call = sound_call(content)
    if call is not None:
        return str(call["name"])
    if not is_text(content):
        raise ValueError("It contains half of a surrogate pair.")
    reader = PAYLOADS.reader("\0", UNLIMITED)
    try:
        end = reader.read(content, 0, len(content))
    except Fault as fault:
        place = (fault.path or "").removeprefix("/0")
        raise ValueError(f"At {place}: {fault.message}" if place else fault.message) from None
    if not reader.closed:
        raise ValueError("The JSON of the call is cut off: a value in it is not closed.")
    if reader.found != [(content, 0, end)]:
        raise ValueError("There is text before or after the object of the call.")
    return reader.tools[0]
