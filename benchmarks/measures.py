"""What is measured, and the readers with which cogwire's are compared."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import tomllib

STREAM = "µs a chunk"
#: How a value is computed from `units` of work and seconds.  A size in KiB is a value already.
UNITS: dict[str, Callable[[float, float], float]] = {
    STREAM: lambda seconds, units: seconds / units * 1e6,
    "µs an event": lambda seconds, units: seconds / units * 1e6,
    "µs": lambda seconds, units: seconds / units * 1e6,
    "ms": lambda seconds, units: seconds / units * 1e3,
    "MB/s": lambda seconds, units: units / seconds / 1e6,
    "KiB": lambda size, units: size / units,
}


@dataclass(frozen=True)
class Peer:
    """A package that is installed in its own environment and measured in its own process."""

    #: The name in the table; the package of this name is installed first.
    title: str
    #: The module in `readers`.
    reader: str
    #: The packages that are installed without their dependencies, and those installed with them.
    alone: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """The names of its packages."""
        return [one.partition("==")[0] for one in self.alone + self.whole]

    @property
    def package(self) -> str:
        """The package that it is named after."""
        return next(iter(self.names), "")


class Series(NamedTuple):
    """One row of a measure."""

    peer: str
    #: The name of the peer's reader.
    reader: str = ""
    #: The name in the table, if it is not the package and its version; `{}` is the version.
    name: str = ""


#: What parsers of vLLM and SGLang import; their other dependencies need a GPU, or a gigabyte.
IMPORTED = (
    "ijson==3.6.0",
    "msgspec==0.22.0",
    "openai==3.54.0",
    "orjson==3.13.0",
    "partial-json-parser==0.2.1.1.post7",
    "pydantic==2.14.3",
    "regex==2026.11.15",
)
PEERS = {
    "cogwire": Peer("cogwire", "cogwire_"),
    "formats": Peer("cogwire", "formats"),
    "cogency": Peer("cogency", "cogency", ("cogency==3.3.0",)),
    "cogency-3.2.0": Peer("cogency", "cogency", ("cogency==3.2.0",)),
    "vllm": Peer("vLLM", "vllm", ("vllm==0.33.0",), IMPORTED),
    "sglang": Peer("SGLang", "formats", ("sglang==0.5.23",), IMPORTED),
    "lmdeploy": Peer(
        "LMDeploy",
        "formats",
        ("lmdeploy==0.18.0",),
        (
            "fastapi==0.165.0",
            "mmengine-lite==0.10.7",
            "openai==3.54.0",
            "packaging==26.3",
            "pydantic==2.14.3",
            "shortuuid==1.0.13",
        ),
    ),
    "transformers": Peer(
        "transformers", "formats", ("transformers==5.23.0",), ("regex==2026.11.15",)
    ),
    # litellm contains the vocabulary, which harmony would download.
    "harmony": Peer(
        "openai-harmony",
        "harmony",
        ("openai-harmony==0.0.8", "litellm==1.109.1"),
        ("pydantic==2.14.3",),
    ),
    "jiter": Peer("jiter", "jsons", ("jiter==0.19.0", "ijson==3.6.0")),
    "imports": Peer("h11", "imports", (), ("h11==0.16.0", "jsonschema==4.26.0")),
}


@dataclass(frozen=True)
class Measure:
    """One block of the table: at each point, the job of each series."""

    id: str
    title: str
    unit: str
    axis: str
    points: list[Any]
    #: The job for a reader at a point: the name of a function and its arguments.
    job: Callable[[Any], tuple[Any, ...]]
    #: The series of cogwire comes first.
    series: list[Series]


OURS = Series("cogwire")
TURN_READERS = [
    OURS,
    Series("cogency"),
    Series("vllm", "engine"),
    Series("harmony"),
]
JSON_READERS = [OURS, Series("jiter", "jiter"), Series("jiter", "ijson")]
LIMIT = Series("cogwire", "limit", "json.loads of the block, one find")
LENGTHS = [1_000, 20_000, 80_000]


def _stream(
    name: str, title: str, kind: str, series: list[Series], sizes: list[int] = LENGTHS
) -> Measure:
    return Measure(
        name,
        f"4-character chunks, {title}",
        STREAM,
        "characters",
        sizes,
        lambda size: ("prepare", kind, size, 4),
        series,
    )


def _whole(kind: str) -> Measure:
    name = kind.replace(" ", "-").replace(",", "").lower()
    return Measure(
        f"whole-{name}",
        f"Whole text, {kind}",
        "µs",
        "characters",
        [1_000, 80_000, 1_000_000],
        lambda size: ("whole", kind, size),
        [OURS, LIMIT],
    )


MEASURES = [
    _stream("stream", "even thirds", "even thirds", TURN_READERS),
    _stream(
        "stream-delimiter",
        "other dialects",
        "even thirds",
        [
            Series("cogwire", "delimiter"),
            Series("cogency-3.2.0"),
            Series("cogwire", "xml-elements"),
        ],
    ),
    _stream(
        "stream-small",
        "half prose",
        "half prose",
        [one if one.peer != "cogency" else Series("cogency", "with loop") for one in TURN_READERS],
        [1_000],
    ),
    _stream("stream-json", "JSON alone", "JSON alone", JSON_READERS),
    Measure(
        "stream-dense",
        "20,000 characters of dense JSON, in chunks",
        STREAM,
        "characters a chunk",
        [4, 16],
        lambda chunk: ("prepare", "dense JSON", 20_000, chunk),
        JSON_READERS,
    ),
    *map(_whole, ("even thirds", "even thirds, ASCII", "tiny calls", "dense JSON")),
    Measure(
        "messages",
        "to_messages",
        "µs an event",
        "turns",
        [10, 100, 400],
        lambda turns: ("messages", turns, "event"),
        [OURS, Series("cogwire", "json", "json.dumps of the events")],
    ),
    Measure(
        "messages-turn",
        "What the messages of one more turn cost, after so many",
        "ms",
        "turns",
        [10, 100, 400],
        lambda turns: ("messages", turns, "turn"),
        [
            Series("cogwire", "assembler", "cogwire's Assembler"),
            Series("cogwire", "", "cogwire's to_messages"),
            Series("cogwire", "json", "json.dumps of the events"),
        ],
    ),
    Measure(
        "convert",
        "convert",
        "MB/s",
        "dialects",
        [
            "xml-json to delimiter",
            "delimiter to xml-json",
            "xml-elements to xml-json",
            "delimiter to xml-elements",
        ],
        lambda way: ("convert", way),
        [OURS, Series("cogwire", "json", "json.loads and dumps of each event")],
    ),
    Measure(
        "transcript",
        "parse_transcript",
        "MB/s",
        "dialects",
        ["xml-json", "xml-elements", "delimiter"],
        lambda dialect: ("transcript", dialect),
        [OURS, Series("cogwire", "json", "json.loads of each event")],
    ),
    Measure(
        "results",
        "render_results of 100 small results",
        "µs",
        "results",
        [100],
        lambda count: ("results", count),
        [OURS, Series("cogwire", "json", "json.dumps")],
    ),
    Measure(
        "import",
        "import, in a new process",
        "ms",
        "process",
        [1],
        lambda _: ("importing",),
        [
            Series("imports", "cogwire", "cogwire, its parser used"),
            Series("imports", "json", "json"),
            Series("imports", "h11"),
            Series("imports", "jsonschema"),
        ],
    ),
    Measure(
        "memory",
        "Memory of a new parser",
        "KiB",
        "parser",
        [1],
        lambda _: ("memory",),
        [one for one in TURN_READERS if one.peer not in {"cogency", "harmony"}],
    ),
]


# -- Formats, beside the parsers of engines ---------------------------------------------------

_PARSERS = Path(__file__).resolve().parents[1] / "conformance" / "adapters" / "formats"
_TEMPLATE = "{}, response_template"
#: The row of each parser of the corpus's adapters, called as its server calls it for each chunk.
_ROWS = {
    "vllm": Series("vllm", "vllm_parsers", "vLLM {}"),
    "sglang": Series("sglang", "sglang_detectors", "SGLang {}"),
    "lmdeploy": Series("lmdeploy", "lmdeploy_parsers", "LMDeploy {}"),
    "transformers": Series(
        "transformers", "response_templates:transformers", f"transformers {_TEMPLATE}"
    ),
    "vllm-templates": Series("vllm", "readers.templates:vllm", f"vLLM {_TEMPLATE}"),
    "sglang-templates": Series("sglang", "readers.templates:sglang", f"SGLang {_TEMPLATE}"),
}


def _of_formats() -> Iterator[Measure]:
    """Yield a measure for each format that an engine's parser reads, by the corpus's list."""
    with (_PARSERS / "parsers.toml").open("rb") as file:
        listed = {one["name"]: one["formats"] for one in tomllib.load(file)["parser"]}
    for name in sorted({name for parser in _ROWS for name in listed[parser]}):
        yield Measure(
            name,
            name,
            STREAM,
            "characters",
            LENGTHS,
            lambda size, name=name: ("formatted", name, size, 4),
            [
                Series("formats"),
                Series("formats", "deltas", "cogwire, arguments while they come"),
                *(row for parser, row in _ROWS.items() if name in listed[parser]),
            ],
        )


FORMATS = list(_of_formats())
