# SPDX-License-Identifier: MIT
"""Records as chat templates read them: the roles of OpenAI, arguments as values, and tools."""

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from cogwire.tooling import short_repr
from cogwire_kit.bridges import sharegpt
from cogwire_kit.bridges.common.reading import role_of
from cogwire_kit.records import FUNCTIONS, SYSTEM, TOOLS, RefusedError, tools_in
from cogwire_kit.texts.numbers import json_of, number_of
from cogwire_kit.texts.rows import Refusal, cut_off, has_half, no_number, unrepeated

_CALLS: Final = "tool_calls"


class Trouble(NamedTuple):
    """Why something is not trained."""

    #: A JSON Pointer into the record, to the message or the call.
    pointer: str
    reason: str


class Chat:
    """The messages of a conversation as a chat template reads them.

    It ends before a call whose arguments are not JSON, since no prompt with that call can be
    written.
    """

    def __init__(self, system: Any, messages: Iterable[tuple[str, Any]]) -> None:
        """Read the messages of a record, each after its pointer, and what precedes them.

        That is the system's text which a record has beside its messages, as Anthropic has it,
        unless the first message is the same.  Raises `RefusedError` for what is not a message.
        """
        #: Each has a `role`, mostly a `content`, and what else the message has.
        self.messages: list[dict[str, Any]] = []
        #: Where in the record each message is.
        self.pointers: list[str] = []
        #: Why messages of the model are not here.
        self.left_out: list[Trouble] = []
        placed = [*messages]
        first = next((message for _, message in placed), None)
        if system and sharegpt.role_and_text(first) != ("system", system):
            self._add({"role": "system", "content": system}, f"/{SYSTEM}")
        for number, (pointer, message) in enumerate(placed):
            if self.left_out:
                self.leave_out(placed[number:])
                break
            self._add(message, pointer)

    def leave_out(self, placed: Iterable[tuple[str, Any]]) -> None:
        """Leave out the messages of the model that follow a call which cannot be read."""
        self.left_out += (
            Trouble(pointer, "it follows a call that cannot be read")
            for pointer, message in placed
            if sharegpt.role_in(message) == "assistant"
        )

    def _add(self, message: Any, pointer: str) -> None:
        if not isinstance(message, Mapping):
            raise refusal(pointer, "it is not an object")
        if has_half(message):
            raise RefusedError(Refusal("not-utf8", f"{pointer}: it has half of a surrogate pair"))
        made = dict(message)
        names = sharegpt.names_in(message)
        origin, content = (made.pop(name, None) for name in names)
        made["role"] = role = role_of(origin)
        if role in {"", "call"}:
            raise refusal(pointer, f"a chat template has no role {short_repr(origin)}")
        # Some templates tell null, which is beside calls, from a text that is empty.
        if content is not None or names[1] in message:
            made["content"] = content
        if role == "assistant":
            _update(made)
        self._read_calls(made, f"{pointer}/{_CALLS}")
        if not self.left_out:
            self.messages.append(made)
            self.pointers.append(pointer)

    def _read_calls(self, message: dict[str, Any], pointer: str) -> None:
        """Write the arguments of calls as values, which is what templates write as JSON."""
        calls = message.get(_CALLS)
        if not calls:
            return
        if not isinstance(calls, list):
            raise refusal(pointer, "it is not a list")
        message[_CALLS] = read = list[Any]()
        for number, call in enumerate(calls):
            try:
                read.append(_with_values(call))
            except (ValueError, RecursionError) as problem:
                reason = f"its arguments are not a JSON object: {problem}"
                self.left_out.append(Trouble(f"{pointer}/{number}", reason))
                return


def _update(message: dict[str, Any]) -> None:
    """Write what a message of the model has in other members where templates read it."""
    refused = message.pop("refusal", None)
    if refused and not message.get("content"):
        message["content"] = refused
    function = message.pop("function_call", None)
    if function and not message.get(_CALLS):
        message[_CALLS] = [{"type": "function", "function": function}]


def _finite(number: str) -> float:
    """Return a number that a template can write: it would write a greater one as Infinity."""
    if not math.isfinite(value := float(number)):
        raise ValueError(f"{short_repr(number)} is too large a number")
    return value


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=unrepeated, parse_constant=no_number, parse_float=_finite
)


def _with_values(call: Any) -> dict[str, Any]:
    """Return a call with its arguments as values."""
    if not isinstance(call, Mapping):
        raise ValueError("it is not an object")  # noqa: TRY004 (bad data)
    function = call.get("function")
    if isinstance(function, Mapping):
        return {**call, "function": _with_values(function)}
    # A call without arguments has an empty text in streams, and null or nothing in some records.
    text = call.get("arguments")
    if text is None and "name" in call:
        text = ""
    if not isinstance(text, str):
        json.dumps(text, allow_nan=False, default=str)  # a template would write it as it is
        return {**call}
    arguments = _DECODER.decode(text) if text.strip() else {}
    if not isinstance(arguments, Mapping):
        raise ValueError("it is another value")  # noqa: TRY004 (bad data)
    return {**call, "arguments": arguments}


def tools_of(record: Any) -> Any:
    """Return the tools that a record declares, which may be JSON in a string, or None.

    Those of Anthropic are written in OpenAI's form, which templates expect.

    Raises `RefusedError` if they are not a list of objects, or are in two members.
    """
    place, tools = tools_in(record)
    if tools and place == f"/{TOOLS}" and record.get(FUNCTIONS):
        raise refusal(f"/{FUNCTIONS}", f"there are `{TOOLS}` too; keep one of them")
    if isinstance(tools, str):
        try:
            tools = json.loads(tools)
        except (ValueError, RecursionError) as problem:
            reason = cut_off(problem) or f"it is not JSON: {problem}"
            raise RefusedError(Refusal("not-json", f"{place}: {reason}")) from None
    if tools is not None and not isinstance(tools, list):
        raise refusal(place, "it is not a list")
    if has_half(tools):
        raise RefusedError(Refusal("not-utf8", f"{place}: it has half of a surrogate pair"))
    for number, tool in enumerate(tools or ()):
        if not isinstance(tool, Mapping):
            raise refusal(f"{place}/{number}", "it is not an object")
    # Functions alone are written as they are, as in transformers.
    return tools and [tool_of_openai(tool) if "input_schema" in tool else tool for tool in tools]


def tools_of_openai(tools: Any) -> Any:
    """Return tools in the form that OpenAI's API has, as chat templates expect them.

    They may be Anthropic's, or functions alone; and JSON in a text, which they stay.
    """
    if isinstance(tools, str):
        try:
            declared = json.loads(tools, parse_float=number_of)
        except (ValueError, RecursionError):
            return tools
        written = tools_of_openai(declared)
        return tools if written == declared else json_of(written)
    return [*map(tool_of_openai, tools)] if isinstance(tools, list) else tools


def tool_of_openai(tool: Any) -> Any:
    """Return the definition of one tool in this form; what is none is as it was."""
    if not isinstance(tool, Mapping) or "function" in tool or not isinstance(tool.get("name"), str):
        return tool
    function = {("parameters" if name == "input_schema" else name): tool[name] for name in tool}
    return {"type": "function", "function": function}


def refusal(pointer: str, reason: str) -> RefusedError:
    """Return the error for a record of which no tokens can be made, and where in it."""
    return RefusedError(Refusal("no-tokens", f"{pointer}: {reason}" if pointer else reason))
