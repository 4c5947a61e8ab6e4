# SPDX-License-Identifier: MIT
"""The dialects, as data.

A dialect is a frozen value: the parser, the renderers and the assembler read it, and have no other
knowledge of any wire format.  It has a frame, which decides where the parts of a message begin and
end, and a format of calls.  A new dialect is one file beside this one, and one line in `MODULES`.
"""

import functools
import importlib
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

if TYPE_CHECKING:
    from .blocks.format import CallFormat, CallWriting
    from .frames.frame import Frame
    from .frames.writing import FrameWriting


class HasDialect(Protocol):
    """What is for one dialect, and can be named instead of it: a toolset, a parser, a batch."""

    @property
    def dialect(self) -> str:
        """The name of the dialect."""
        ...


class _Members(NamedTuple):
    #: The name that `Parser(dialect=…)` and the adapter protocol use.
    name: str
    frame: "Frame"
    #: How the calls of a block are read and written.
    calls: "CallFormat"
    #: Whether the calls of a block run together or one after the other.
    parallel: bool


class Dialect(_Members):
    """One wire format."""

    def __hash__(self) -> int:
        return hash(self.name)  # faster than hashing all members

    @functools.cached_property
    def writing(self) -> "FrameWriting":
        """The writer of the parts of its messages."""
        writing: FrameWriting = _writing(self.frame)
        return writing

    @functools.cached_property
    def call_writing(self) -> "CallWriting":
        """The writer of its calls."""
        writing: CallWriting = _writing(self.calls)
        return writing


@functools.cache
def _writing(reading: "Frame | CallFormat") -> Any:
    """Return the writer of a frame or a format, imported only here: parsers do not need it."""
    room = type(reading).__module__.removeprefix(f"{__package__}.").rpartition(".")[0]
    return importlib.import_module(f".{room}.writing", __package__).writing_of(reading)


#: The name of each dialect, and the module beside this one that defines it as `DIALECT`.  It is
#: imported when the dialect is first used, so that unused dialects are not loaded.
MODULES: Final[dict[str, str]] = {
    "xml-json": "xml_json",
    "xml-elements": "xml_elements",
    "delimiter": "delimiter",
    "delimiter-upper": "delimiter_upper",
    "hermes": "trained.hermes",
    "qwen3-coder": "trained.qwen3_coder",
    "mistral": "trained.mistral",
    "llama3-json": "trained.llama3_json",
    "glm-4.5": "trained.glm_4_5",
}

#: The dialect where none is named.
DEFAULT: Final = "xml-json"
#: Formats that models are trained on, which are not dialects of the protocol.
TRAINED: Final = tuple(name for name, module in MODULES.items() if module.startswith("trained."))
#: The dialects that have been imported.
DIALECTS: Final[dict[str, Dialect]] = {}


def dialect_names() -> tuple[str, ...]:
    """Return the names of all dialects, without the formats that models are trained on."""
    return tuple(name for name in {**MODULES, **DIALECTS} if name not in TRAINED)


def dialect_named(named: str | HasDialect) -> Dialect:
    """Return the dialect called `named`, or that of an object which has one.

    Raises `ValueError` with the valid names.
    """
    name: Any = named if isinstance(named, str) else getattr(named, "dialect", None)
    try:
        return DIALECTS[name]
    except (KeyError, TypeError):
        module = MODULES.get(name) if type(name) is str else None
        if module is None:
            known = ", ".join({**MODULES, **DIALECTS})
            raise ValueError(f"unknown dialect {named!r}; known: {known}") from None
    try:
        dialect: Dialect = importlib.import_module(f".{module}", __package__).DIALECT
    except ModuleNotFoundError as error:
        package = __name__.removesuffix(".wire.dialects")
        if not str(error.name).startswith(f"{package}."):
            raise
        raise ValueError(
            f"this copy of {package} lacks the dialect {name}; `cogwire vendor add DIR "
            f"--only {'all' if name in TRAINED else 'dialects'}` copies it"
        ) from None
    DIALECTS[name] = dialect
    return dialect


def dialect_of(owner: object, named: str | HasDialect | None) -> Dialect:
    """Return the dialect of `owner`, such as a toolset, which is `named` too unless that is `None`.

    An owner without a dialect has the default one.  Raises `ValueError` if the two differ.
    """
    own = getattr(owner, "dialect", None)
    if named is None:
        return dialect_named(own or DEFAULT)
    wire = dialect_named(named)
    if own is not None and wire.name != own:
        raise ValueError(f"the dialect is {wire.name}, and the {type(owner).__name__} is for {own}")
    return wire
