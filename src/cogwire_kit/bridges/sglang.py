# SPDX-License-Identifier: MIT
"""SGLang's server: a detector of calls for each format, as a plugin.

The server finds `register` by the entry point `sglang.srt.plugins` of the package, and
`--tool-call-parser` then takes `cogwire-` and the name of the format, such as `cogwire-hermes`.  A
call is given once nothing can void it, with its arguments converted by the schema of its tool.
"""

import logging
from typing import Any

from sglang.srt.function_call.base_format_detector import BaseFormatDetector
from sglang.srt.function_call.core_types import StreamingParseResult, ToolCallItem
from sglang.srt.function_call.function_call_parser import FunctionCallParser

import cogwire
from cogwire_kit.bridges.common import engines

__all__ = ["CallDetector", "register"]

_logger = logging.getLogger(__name__)


class CallDetector(BaseFormatDetector):
    """A detector of the calls of one format.

    Thinking is given as it is written: SGLang's detector of reasoning, which reads the text first,
    is the one that takes it out.
    """

    #: The name of the format; each has a class.
    dialect = ""

    def __init__(self) -> None:
        super().__init__()
        self._reader = engines.EngineReader(
            self.dialect, _logger, raw=True, early=engines.is_early()
        )
        self._tools: cogwire.Toolset | None = None

    def has_tool_call(self, text: str) -> bool:
        """Return whether a whole text has anything but prose, so that the server has it read."""
        events = cogwire.parse(text, self.dialect, stream="token", raw=True, clock=None)
        return _shown(events).split() != text.split()

    def detect_and_parse(self, text: str, tools: Any) -> StreamingParseResult:
        """Return the calls and the prose of a whole text."""
        reader = engines.EngineReader(self.dialect, _logger, raw=True)
        other = type(self)()
        return other._result([*reader.feed(text), *reader.close()], tools)  # noqa: SLF001 - its own

    def parse_streaming_increment(self, new_text: str, tools: Any) -> StreamingParseResult:
        """Return what a chunk completes."""
        return self._result(self._reader.feed(new_text), tools)

    def finish(self, tools: Any) -> StreamingParseResult:
        """Return what the end of the stream completes."""
        return self._result(self._reader.close(), tools)

    def supports_structural_tag(self) -> bool:
        """Return False: where calls are required, SGLang has the model write JSON."""
        return False

    def structure_info(self) -> Any:
        """Raise `NotImplementedError`, as detectors without structural tags do."""
        raise NotImplementedError

    def _result(self, events: list[cogwire.Event], tools: Any) -> StreamingParseResult:
        if self._tools is None:
            self._tools = engines.toolset(tools, self.dialect)
        made = [self._item(*call) for call in engines.calls(events, self._tools)]
        return StreamingParseResult(normal_text=_shown(events), calls=made)

    def _item(self, name: str, arguments: str) -> ToolCallItem:
        """Return a call, and remember it where the server looks for calls."""
        self.current_tool_id += 1
        self.prev_tool_call_arr.append({"name": name, "arguments": arguments})
        self.streamed_args_for_tool.append(arguments)
        return ToolCallItem(tool_index=self.current_tool_id, name=name, parameters=arguments)


def _shown(events: list[cogwire.Event]) -> str:
    """Return the prose, and thinking as it is written."""
    return "".join(
        event["raw"] if event["type"] == "think" else event["content"]
        for event in events
        if event["type"] in ("think", "respond")
    )


def register() -> None:
    """Register a detector for each format."""
    for known in cogwire.formats():
        made = type("CallDetector", (CallDetector,), {"dialect": known.name})
        FunctionCallParser.ToolCallParserEnum[f"cogwire-{known.name}"] = made
