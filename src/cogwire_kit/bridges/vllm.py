# SPDX-License-Identifier: MIT
"""vLLM's server: a parser of calls and one of reasoning for each format, as a plugin.

`--tool-parser-plugin` and `--reasoning-parser-plugin` take the name of this module, or the path of
this file; the parsers are called `cogwire-` and the name of the format, such as `cogwire-hermes`.
A call is given once nothing can void it, with its arguments converted by the schema of its tool.
"""

import functools
import re
from collections.abc import Sequence
from typing import Any

from vllm.entrypoints.generate.base.protocol import (
    DeltaFunctionCall,
    DeltaMessage,
    DeltaToolCall,
    ExtractedToolCallInformation,
    FunctionCall,
    ToolCall,
)
from vllm.logger import init_logger
from vllm.reasoning.abs_reasoning_parsers import ReasoningParser, ReasoningParserManager
from vllm.renderers.chat_utils import make_tool_call_id
from vllm.tool_parsers.abstract_tool_parser import ToolParser, ToolParserManager

import cogwire
from cogwire.tooling import Start, notation
from cogwire_kit.bridges.common import engines
from cogwire_kit.texts.rows import strings_in

__all__ = ["CallParser", "ThinkParser"]

#: vLLM shows what its own loggers say.
_logger = init_logger("vllm.cogwire")


class CallParser(ToolParser):
    """A parser of the calls of one format.

    Thinking is given as reasoning in streams.  For whole texts, vLLM takes reasoning from its
    reasoning parser alone, so that both parsers belong together.
    """

    #: The name of the format; each has a class.
    dialect = ""
    #: vLLM then passes on each text once, and says when the stream has ended.
    engine_based_streaming = True

    def __init__(self, tokenizer: Any, tools: Any = None) -> None:
        super().__init__(tokenizer, tools)
        self._reader = engines.EngineReader(self.dialect, _logger, early=engines.is_early())
        self._tools: cogwire.Toolset | None = None
        self._is_begun = False
        #: Reasoning of the first chunk, of which vLLM keeps only that of the reasoning parser.
        self._thought = ""
        #: The last chunk that had tokens, and its last token.
        self._last: tuple[str, int] | None = None

    def adjust_request(self, request: Any) -> Any:
        """Ask for the markers, of which many are special tokens."""
        request = super().adjust_request(request)
        if request.tools and request.tool_choice != "none":
            request.skip_special_tokens = False
        return request

    def extract_tool_calls(self, model_output: str, request: Any) -> ExtractedToolCallInformation:
        """Return the calls and the prose of a whole text."""
        reader = engines.EngineReader(self.dialect, _logger)
        events = [*reader.feed(model_output), *reader.close()]
        tools = engines.toolset(request.tools, self.dialect)
        calls = [
            ToolCall(function=FunctionCall(name=name, arguments=arguments))
            for name, arguments in engines.calls(events, tools)
        ]
        content = engines.joined(events, "respond") or None
        return ExtractedToolCallInformation(
            tools_called=bool(calls), tool_calls=calls, content=content
        )

    def extract_tool_calls_streaming(  # noqa: PLR0917 (the interface is vLLM's)
        self,
        previous_text: str,
        current_text: str,
        delta_text: str,
        previous_token_ids: Sequence[int],
        current_token_ids: Sequence[int],
        delta_token_ids: Sequence[int],
        request: Any,
    ) -> DeltaMessage | None:
        """Return what a chunk completes, or None."""
        del previous_text, current_text, previous_token_ids, current_token_ids
        events = self._reader.feed(delta_text)
        # A request may ask for the text of a token that stops, which then looks like any other.
        if delta_token_ids and not getattr(request, "include_stop_str_in_output", False):
            self._last = delta_text, delta_token_ids[-1]
        if self._is_begun:
            return self._message(events)
        self._is_begun = True
        # vLLM leaves the calls out itself, except those that come at the end of a stream.
        if request.tool_choice != "none":
            self._tools = engines.toolset(request.tools, self.dialect)
        made = self._message([event for event in events if event["type"] != "think"])
        self._thought = engines.joined(events, "think")
        return made

    def finish_streaming(self) -> DeltaMessage | None:
        """Return what the end of the stream completes, or None."""
        return self._message(self._reader.close(finished=not self._is_cut()))

    def _is_cut(self) -> bool:
        """Return whether a limit cut the text: vLLM omits the text of a stop token."""
        if self._last is None:
            return False
        text, token = self._last
        written = self.model_tokenizer.decode([token])
        # The replacement character is for a part of a character.
        return written != "" and ("\ufffd" in written or text.endswith(written))

    def _message(self, events: list[cogwire.Event]) -> DeltaMessage | None:
        thought, self._thought = self._thought + engines.joined(events, "think"), ""
        made = DeltaMessage(
            content=engines.joined(events, "respond") or None,
            reasoning=thought or None,
            tool_calls=[self._delta(*call) for call in engines.calls(events, self._tools)],
        )
        return made if made.content or made.reasoning or made.tool_calls else None

    def _delta(self, name: str, arguments: str) -> DeltaToolCall:
        """Return a call, and remember it where the server looks for calls."""
        self.current_tool_id += 1
        self.prev_tool_call_arr.append({"name": name, "arguments": arguments})
        self.streamed_args_for_tool.append(arguments)
        return DeltaToolCall(
            id=make_tool_call_id(),
            type="function",
            index=self.current_tool_id,
            function=DeltaFunctionCall(name=name, arguments=arguments),
        )


class ThinkParser(ReasoningParser):
    """A parser of the thinking at the start of a turn in one format; the rest is left as it is.

    Later thinking is left to the parser of calls, which reads it in streams; of whole texts, this
    parser returns it too.
    """

    dialect = ""
    engine_based_streaming = True

    def __init__(self, tokenizer: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(tokenizer, *args, **kwargs)
        self._start: Start = "prose"
        self._parser = _parser(self.dialect)
        #: What was read of the turn while it may still begin with a think.
        self._read = ""
        self._is_over = False

    def adjust_request(self, request: Any) -> Any:
        """Ask for the markers, if some have tokens that are not shown otherwise."""
        encode, decode = self.model_tokenizer.encode, self.model_tokenizer.decode
        for marker in notation(self.dialect).think:
            tokens = encode(marker, add_special_tokens=False)
            if decode(tokens, skip_special_tokens=True) != decode(tokens):
                request.skip_special_tokens = False
        return request

    def has_engine_confirmed_reasoning_end(self) -> bool:
        """Return whether the think is over, or the turn has none."""
        return self._is_over

    def is_reasoning_end(self, input_ids: Sequence[int]) -> bool:
        """Return whether the last think in some tokens is closed."""
        text = self.model_tokenizer.decode(list(input_ids))
        opener, closer = notation(self.dialect).think
        return text.rfind(closer) > text.rfind(opener)

    def extract_content_ids(self, input_ids: list[int]) -> list[int]:
        """Return all tokens: the calls are found in the text, and the last token is looked at."""
        return input_ids

    def set_prompt_token_ids(self, prompt_token_ids: Sequence[int]) -> None:
        """Find out from the prompt what the turn begins in."""
        prompt = self.model_tokenizer.decode(list(prompt_token_ids))
        self._start = cogwire.start_of(prompt, self.dialect)
        self._parser = _parser(self.dialect, self._start)

    def extract_reasoning(self, model_output: str, request: Any) -> tuple[str | None, str | None]:
        """Return the thinking in a whole text, and the text after a think at its start."""
        del request
        self._parser, self._read, self._is_over = _parser(self.dialect, self._start), "", False
        think, rest = self._split(model_output)
        later = cogwire.parse(rest, self.dialect, stream="token", clock=None)
        return think + engines.joined(later, "think") or None, rest or self._held() or None

    def extract_reasoning_streaming(  # noqa: PLR0917 (the interface is vLLM's)
        self,
        previous_text: str,
        current_text: str,
        delta_text: str,
        previous_token_ids: Sequence[int],
        current_token_ids: Sequence[int],
        delta_token_ids: Sequence[int],
    ) -> DeltaMessage | None:
        """Return the reasoning in a chunk, and as content what follows its end."""
        del previous_text, current_text
        del previous_token_ids, current_token_ids, delta_token_ids
        think, rest = self._split(delta_text)
        return (
            DeltaMessage(reasoning=think or None, content=rest or None) if think or rest else None
        )

    def finish_streaming(self) -> DeltaMessage | None:
        """Return what was held back when the stream ended in what may have become a think."""
        held = self._held()
        return DeltaMessage(content=held) if held else None

    def _held(self) -> str:
        return "" if self._is_over or self._parser.state == "think" else self._read

    def _split(self, text: str) -> tuple[str, str]:
        """Return the think in a piece of text, and what follows the think."""
        think: list[str] = []
        at = 0
        while at < len(text):
            was_think = self._parser.state == "think"
            # Only one of these characters can end a think, and any can begin one.
            found = _last_characters(self.dialect).search(text, at) if was_think else None
            begin, at = at, at + 1
            if was_think:
                at = found.end() if found else len(text)
            events = self._parser.feed(text[begin:at])
            think += (event["content"] for event in events if event["type"] == "think")
            if self._parser.state == "think":
                self._read = ""
                continue
            if was_think:
                self._is_over = True
                return "".join(think), text[at:]
            self._read += text[begin:at]
            if any(event["type"] != "think" for event in events) or self._parser.state != "prose":
                self._is_over = True
                return "".join(think), self._read + text[at:]
        return "".join(think), ""


def _parser(dialect: str, start: Start = "prose") -> cogwire.Parser:
    return cogwire.Parser(dialect, stream="token", start=start, clock=None)


@functools.cache
def _last_characters(dialect: str) -> re.Pattern[str]:
    """Return the characters with which the markers of a format end, except those in its calls."""
    described = cogwire.format_named(dialect).format.to_json()
    texts = [*notation(dialect).think, *strings_in({**described, "payload": ""})]
    return re.compile(f"[{re.escape(''.join({text[-1] for text in texts if text}))}]")


for _known in cogwire.formats():
    _name = f"cogwire-{_known.name}"
    _own = {"dialect": _known.name}
    ToolParserManager.register_module(_name, module=type("CallParser", (CallParser,), _own))
    ReasoningParserManager.register_module(_name, module=type("ThinkParser", (ThinkParser,), _own))
