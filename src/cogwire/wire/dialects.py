# SPDX-License-Identifier: MIT
"""The dialects by their names.

A new dialect is one file beside this one, its name here, and its import in `_imported`.
"""

from typing import TYPE_CHECKING, Any, Final, Protocol

from .dialect import Dialect as Dialect  # noqa: PLC0414 (it is published here)


class HasDialect(Protocol):
    """What is for one dialect, and can be named instead of it: a toolset, a parser, a format.

    Where the name is not that of a known dialect, as for a described format, it also has `wire`,
    the dialect itself.
    """

    @property
    def dialect(self) -> str:
        """The name of the dialect."""
        ...


#: The dialects of the protocol.
PROTOCOL: Final = ("xml-json", "xml-elements", "delimiter", "delimiter-upper")
#: Formats that models are trained on, which are not dialects of the protocol.
TRAINED: Final = ("hermes", "qwen3-coder", "mistral", "llama3-json", "glm-4.5")
NAMES: Final = (*PROTOCOL, *TRAINED)

#: The dialect where none is named.
DEFAULT: Final = "xml-json"
#: The dialects that have been imported.
DIALECTS: Final[dict[str, Dialect]] = {}


def dialect_names() -> tuple[str, ...]:
    """Return the names of all dialects, without the formats that models are trained on."""
    return tuple(name for name in dict.fromkeys((*NAMES, *DIALECTS)) if name not in TRAINED)


def dialect_named(named: str | HasDialect) -> Dialect:
    """Return the dialect called `named`, or that of an object which has one.

    Raises `ValueError` with the valid names.
    """
    name: Any = named
    if not isinstance(named, str):
        wire: object = getattr(named, "wire", None)
        if isinstance(wire, Dialect):
            return wire
        name = getattr(named, "dialect", None)
    try:
        return DIALECTS[name]
    except (KeyError, TypeError):
        if type(name) is not str or name not in NAMES:
            known = ", ".join(dict.fromkeys((*NAMES, *DIALECTS)))
            raise ValueError(f"unknown dialect {named!r}; known: {known}") from None
    try:
        dialect: Dialect = _imported(name)
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


if TYPE_CHECKING:

    def _imported(name: str) -> Any: ...

else:  # a smaller copy lacks some dialects, which a type checker would miss

    def _imported(name: str) -> Any:
        """Return a dialect, which is imported here: all of them take twice as long to load."""
        match name:
            case "xml-json":
                from .xml_json import DIALECT
            case "xml-elements":
                from .xml_elements import DIALECT
            case "delimiter":
                from .delimiter import DELIMITER as DIALECT
            case "delimiter-upper":
                from .delimiter import DELIMITER_UPPER as DIALECT
            case "hermes":
                from .trained.hermes import DIALECT
            case "qwen3-coder":
                from .trained.qwen3_coder import DIALECT
            case "mistral":
                from .trained.mistral import DIALECT
            case "llama3-json":
                from .trained.llama3_json import DIALECT
            case _:
                from .trained.glm_4_5 import DIALECT
        return DIALECT


def dialect_of(owner: object, named: str | HasDialect | None) -> Dialect:
    """Return the dialect of `owner`, such as a toolset, which is `named` too unless that is `None`.

    An owner without a dialect has the default one.  Raises `ValueError` if the two differ.
    """
    given: Any = owner
    own = dialect_named(given) if hasattr(given, "dialect") else None
    if named is None:
        return own or dialect_named(DEFAULT)
    wire = dialect_named(named)
    if own is not None and wire != own:
        kind = type(owner).__name__
        raise ValueError(f"the dialect is {wire.name}, and the {kind} is for {own.name}")
    return wire
