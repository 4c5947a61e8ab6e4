# SPDX-License-Identifier: MIT
"""Chat templates, rendered as transformers renders them.

A model was trained on what its template writes, to the character: with the settings that Jinja has
by default, keys are sorted, `<` is escaped, and there are other line feeds.
"""

import copy
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import cogwire
from cogwire_kit.texts.messages import THINKS

try:
    from jinja2 import Template, TemplateError, Undefined, meta, nodes
    from jinja2.exceptions import SecurityError
    from jinja2.ext import Extension
    from jinja2.parser import Parser
    from jinja2.sandbox import ImmutableSandboxedEnvironment, SandboxedEnvironment
except ImportError:
    raise ImportError("this needs Jinja2; install it: python -m pip install jinja2") from None


#: The variables that every template receives.
_GIVEN: Final = frozenset({"messages", "tools", "documents", "add_generation_prompt", "bos_token"})

#: A template with this condition writes calls only if the content is null.
_NULL: Final = re.compile(r"and\s+message\['content'\]\s+is\s+none\s*-?%\}")
_LENIENT: Final = (
    "; llama.cpp allows what the template does, and transformers refuses it: make the ChatTemplate "
    "with for_llama_cpp=True"
)


#: What the expressions of a template may raise; jinja2 passes these on.
_FAULTS: Final = (TypeError, ArithmeticError, LookupError, AttributeError, RecursionError)


class ChatTemplate:
    """A chat template, rendered with the settings, filters and functions of transformers."""

    def __init__(
        self, text: str, names: Mapping[str, Any] | None = None, *, for_llama_cpp: bool = False
    ) -> None:
        """Compile a template; `names` are its other variables, such as `bos_token`.

        `for_llama_cpp` allows what llama.cpp allows and transformers refuses: to change a list, and
        to write as JSON what a filter yields.  Raises `ValueError` for a text that is not a
        template.
        """
        self._is_lenient = for_llama_cpp
        environment = SandboxedEnvironment if for_llama_cpp else ImmutableSandboxedEnvironment
        made = environment(
            trim_blocks=True,
            lstrip_blocks=True,
            extensions=[_Generation, "jinja2.ext.loopcontrols"],
        )
        made.filters["tojson"] = _any_to_json if for_llama_cpp else _to_json
        made.globals["raise_exception"] = _refuse
        made.globals["strftime_now"] = lambda form: datetime.now().strftime(form)  # noqa: DTZ005
        self._names = names or {}
        #: Whether it writes calls only if the content is null.
        self._knows_null = _NULL.search(text) is not None
        #: The token that it may write after each message of the model.
        self.stop: str = self._names.get("eos_token", "")
        #: The format of the calls that the template writes, if it fits only one.
        self.dialect = cogwire.detect_format(template=text).dialect
        try:
            self._code = made.compile(text)
            #: The variables that it reads besides all these, such as `enable_thinking`.
            self.options: frozenset[str] = frozenset(
                meta.find_undeclared_variables(made.parse(text)) - _GIVEN - self._names.keys()
            )
        except TemplateError as problem:
            raise ValueError(f"this is not a chat template: {problem}") from None
        self._template = Template.from_code(made, self._code, made.make_globals(None))

    def with_gaps(self) -> "ChatTemplate":
        """Return the template with an empty text in place of each variable without a value.

        It shows what a turn looks like without the values that a server passes to the template,
        such as a date; its output is not a prompt for a model.
        """
        made = copy.copy(self)
        other = self._template.environment.overlay(undefined=_Gap)
        # Compiling a template takes longer than rendering it.
        made._template = Template.from_code(  # noqa: SLF001 (its own class)
            other, self._code, other.make_globals(None)
        )
        return made

    def write(
        self,
        messages: Sequence[Mapping[str, Any]],
        is_prompt: bool = False,  # noqa: FBT001, FBT002 (as `turn_spans` calls it)
        *,
        tools: Any = None,
        as_json: bool = False,
        **options: Any,
    ) -> str:
        """Return the text of OpenAI's messages.  Raises `ValueError` for those that it refuses.

        With `is_prompt` the text ends where the model's turn begins.  The arguments of calls are
        passed to the template as values, or with `as_json` as JSON in a string, which a few
        templates require; the messages may have either.  `options` are passed to the template too,
        such as `enable_thinking=False`.
        """
        # Without a tokenizer_config.json there is no `bos_token`, and no turn contains it.
        given = {"bos_token": "", **self._names, "tools": tools, "documents": None, **options}
        try:
            texts = messages if self._knows_null else map(_with_text, messages)
            written = [_with_arguments(_with_thought(each), as_json=as_json) for each in texts]
            return self._template.render(**given, messages=written, add_generation_prompt=is_prompt)
        except (TemplateError, *_FAULTS) as problem:
            reason = f"the chat template refuses it: {problem}"
            has_calls = any(each.get("tool_calls") for each in messages)
            if isinstance(problem, SecurityError) and not self._is_lenient:
                reason = reason.rstrip(".") + _LENIENT
            elif "concatenate" in str(problem) and not as_json and has_calls:
                reason += "; if it wants the arguments of calls as JSON text, pass as_json=True"
            raise ValueError(reason) from None


def names_in(config: Mapping[str, Any]) -> dict[str, str]:
    """Return the special tokens of a tokenizer_config.json, which a template may write."""
    tokens = {name: value for name, value in config.items() if name.endswith("_token")}
    texts = {
        name: value.get("content") if isinstance(value, Mapping) else value
        for name, value in tokens.items()
    }
    return {name: text for name, text in texts.items() if isinstance(text, str)}


def _with_text(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a message with an empty text in place of null, which templates may write as a word."""
    has_null = "content" in message and message["content"] is None
    return {**message, "content": ""} if has_null else message


def _with_thought(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a message with its thought under each name that templates read, as in transformers."""
    thought = next((message[name] for name in THINKS if message.get(name)), None)
    if thought is None:
        return message
    return {"thinking": thought, **message, "reasoning_content": thought}


def _with_arguments(message: Mapping[str, Any], *, as_json: bool) -> Mapping[str, Any]:
    calls = [_call(each, as_json=as_json) for each in message.get("tool_calls") or ()]
    return {**message, "tool_calls": calls} if calls else message


def _call(call: Any, *, as_json: bool) -> Any:
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping):
        return call
    # A call without arguments has an empty text in streams, and null or nothing in some records.
    args: Any = function.get("arguments")
    if args is None:
        args = {} if as_json else ""
    if isinstance(args, str) is as_json:
        return call
    arguments = json.dumps(args, ensure_ascii=False) if as_json else json.loads(args or "{}")
    return {**call, "function": {**function, "arguments": arguments}}


class _Gap(Undefined):
    """A variable without a value: an empty text where it is joined to a text."""

    def __add__(self, other: Any) -> Any:
        return other

    __radd__ = __add__


class _Generation(Extension):
    """`{% generation %}`, with which templates mark what transformers trains; it writes nothing."""

    tags = {"generation"}  # noqa: RUF012 (as its base class has it)

    def parse(self, parser: Parser) -> list[nodes.Node]:
        """Return what is in the block."""
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def _to_json(value: Any, *, ensure_ascii: bool = False, **options: Any) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, **options)


def _any_to_json(value: Any, **options: Any) -> str:
    return _to_json([*value] if isinstance(value, Iterator) else value, **options)


def _refuse(message: str) -> None:
    raise TemplateError(message)
