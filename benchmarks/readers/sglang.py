"""SGLang's detectors, reasoning first and then calls, as its server uses them."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from readers.base import Reader
from readers.formats import formatted
from turns import Turn, parametric, tagged

# Its adapter leaves out what the parsers do not need.
import_module("sglang_detectors")
__all__ = ["READERS", "formatted"]

protocol = import_module("sglang.srt.entrypoints.openai.protocol")
reasoning = import_module("sglang.srt.parser.reasoning_parser")

TOOLS = [protocol.Tool(function=protocol.Function(name=name)) for name in ("read", "write")]


class Detectors(Reader):
    """A detector of calls after the detector of reasoning."""

    def __init__(
        self, module: str, name: str, written: Callable[[Turn], str], note: str, *, strings: bool
    ) -> None:
        self.note = f"{note} A detector of reasoning is before it."
        self._class = getattr(import_module(f"sglang.srt.function_call.{module}"), name)
        self.written = written  # type: ignore[method-assign]
        self.has_strings_only = strings

    def start(self) -> tuple[Callable[[Any], Any], Callable[[], Any]]:
        """Return what gives a chunk to one, and what it leaves to the other."""
        think = reasoning.Qwen3Detector().parse_streaming_increment
        call = self._class().parse_streaming_increment

        def feed(chunk: str) -> Any:
            said = think(chunk)
            return said, call(said.normal_text, TOOLS) if said.normal_text else None

        return feed, lambda: (None, call("", TOOLS))

    def seen(self, outputs: list[Any]) -> Turn:
        """Join what both gave."""
        think = prose = ""
        calls: dict[int, dict[str, Any]] = {}
        for said, found in outputs:
            think += said.reasoning_text if said else ""
            prose += found.normal_text if found else ""
            for item in found.calls if found else ():
                call = calls.setdefault(item.tool_index, {"name": "", "args": ""})
                call["name"] += item.name or ""
                call["args"] += item.parameters
        return Turn(think, prose, list(calls.values()))


READERS = {
    "Hermes": Detectors(
        *("hermes_detector", "HermesDetector", tagged),
        "Reads what there is of a call again at each chunk; asks whether the tool is there.",
        strings=False,
    ),
    "Qwen 3": Detectors(
        *("qwen3_coder_detector", "Qwen3CoderDetector", parametric),
        "Searches an open argument again at each chunk, and gives it at its end.",
        strings=True,
    ),
}
