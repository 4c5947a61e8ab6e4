# SPDX-License-Identifier: MIT
"""The rooms of the core: the files of each, the rooms that it may import, and what is copied.

This is the only place that defines them.  A test compares every import of the core with this list,
so that a closure is complete, and no larger than necessary.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final


@dataclass(frozen=True, slots=True)
class Room:
    """Files that belong together."""

    name: str
    #: The layer, from 1.  A room imports from lower layers, and from rooms of its own that are
    #: listed earlier.
    floor: int
    #: A path that ends with `/` is a folder, with all files in it that no longer path covers.
    paths: tuple[str, ...]
    #: The rooms that it imports when it is first used.
    imports: tuple[str, ...] = ()
    #: The third-party packages that it imports when they are needed.
    outside: tuple[str, ...] = ()


#: In the order in which they may import each other.  The package itself comes last: it names the
#: contents of the other rooms, and imports them when they are first used.
ROOMS: Final = (
    Room("events", 1, ("events.py",)),
    Room("text", 1, ("text/",)),
    Room("json-text", 1, ("text/json_text.py", "text/deep.py"), ("text",)),
    Room("wire", 2, ("wire/",), ("events", "text")),
    Room(
        "dialects",
        2,
        (
            *("wire/frames/lines.py", "wire/frames/single.py", "wire/delimiter.py"),
            *("wire/blocks/json_payload.py", "wire/blocks/spelled.py", "wire/blocks/elements.py"),
            *("wire/blocks/elements_text.py", "wire/blocks/results.py", "wire/xml_elements.py"),
        ),
        ("events", "text", "json-text", "wire"),
    ),
    Room(
        "writing",
        2,
        (
            *("wire/writing.py", "wire/writing_interface.py"),
            *("wire/frames/message_writing.py", "wire/blocks/values.py"),
            *("wire/blocks/json_writing.py", "wire/blocks/elements_writing.py"),
        ),
        ("events", "text", "json-text", "wire", "dialects"),
    ),
    Room(
        "trained",
        2,
        (
            *("wire/trained/", "wire/frames/wrapped.py", "wire/frames/bare.py"),
            *("wire/frames/longest.py", "wire/frames/header_markers.py"),
            *("wire/blocks/cut_markers.py", "wire/blocks/headed.py", "wire/blocks/header_tags.py"),
            "wire/blocks/json_objects.py",
            *("wire/blocks/json_value.py", "wire/blocks/nested.py", "wire/blocks/tagged.py"),
            *("wire/blocks/tagged_writing.py", "wire/blocks/literals_calls.py"),
            *("wire/blocks/literals_parts.py", "wire/blocks/literals_reader.py"),
            *("wire/blocks/literals_writing.py", "wire/frames/wrapped_writing.py"),
        ),
        ("events", "text", "json-text", "wire", "dialects", "writing"),
    ),
    Room("parser", 3, ("parser/",), ("events", "text", "wire")),
    Room("placed", 3, ("parser/placed.py",), ("events", "text", "wire")),
    Room(
        "tools",
        3,
        ("tools/",),
        ("events", "text", "json-text", "wire", "dialects", "writing"),
        outside=("jsonschema", "re2", "referencing"),
    ),
    Room(
        "detect",
        4,
        ("conversion/detect.py", "conversion/__init__.py"),
        ("events", "text", "wire", "placed"),
    ),
    Room(
        "turns",
        4,
        ("turns/",),
        ("events", "text", "json-text", "wire", "writing", "parser", "detect"),
    ),
    Room(
        "conversion",
        4,
        ("conversion/",),
        ("events", "text", "json-text", "wire", "writing", "placed", "detect"),
    ),
    Room(
        "formats",
        4,
        ("conversion/formats.py",),
        ("text", "trained", "detect"),
    ),
    Room(
        "finding",
        4,
        ("conversion/finding.py",),
        ("events", "text", "json-text", "wire", "trained", "parser"),
    ),
    Room("aio", 5, ("aio.py",), ("events", "text", "json-text", "wire", "writing", "turns")),
    Room("tooling", 5, ("tooling.py",), ("events", "text", "json-text", "wire", "writing")),
    # `python -m cogwire` starts the command line, so no closure has it.
    Room("command", 5, ("__main__.py",)),
    Room("package", 5, ("__init__.py", "py.typed")),
)

_PARSE: Final = ("package", "events", "text", "wire", "parser")
_DIALECTS: Final = (*_PARSE, "json-text", "dialects")
_AGENT: Final = (*_DIALECTS, "writing", "placed", "detect", "turns", "aio")
_FORMATS: Final = ("trained", "formats", "finding")
_PROTOCOL: Final = (*_AGENT, "tools", "conversion", "tooling")

#: What `cogwire vendor add --only` copies, each with everything that its rooms import.  Each
#: contains those above it, but `protocol` does not contain `formats`; `all` is the whole library,
#: and `bridges` has the bridges of the kit besides, of those that need no package.
CLOSURES: Final = {
    "parse": _PARSE,
    "dialects": _DIALECTS,
    "agent": _AGENT,
    "formats": (*_AGENT, *_FORMATS),
    "protocol": _PROTOCOL,
    "all": (*_PROTOCOL, *_FORMATS),
    "bridges": (*_PROTOCOL, *_FORMATS),
}

#: The files of these bridges, in their folder.
BRIDGES: Final = (
    *("__init__.py", "anthropic.py", "openai.py", "responses.py"),
    *(f"common/{name}.py" for name in ("__init__", "changes", "order", "outcomes", "reading")),
    *(f"common/{name}.py" for name in ("reasons", "shown", "taken", "tools", "turns")),
)


def room_of(path: str) -> Room:
    """Return the room of a file, by its path inside the package.

    Raises:
        LookupError: the file is in no room.
    """
    found = [
        (len(place), room)
        for room in ROOMS
        for place in room.paths
        if path == place or (place.endswith("/") and path.startswith(place))
    ]
    if not found:
        raise LookupError(f"{path} belongs to no room")
    return max(found, key=lambda pair: pair[0])[1]


def files_of(package: Path, closure: str) -> list[str]:
    """Return the paths of the files in the folder `package` that a closure copies, sorted."""
    rooms = CLOSURES[closure]
    return [path for path in files_in(package) if room_of(path).name in rooms]


def files_in(folder: Path) -> list[str]:
    """Return the paths of all files in a folder, sorted, without what Python compiled.

    Compiled files in other places can be imported, so they count; so does a link, to a folder too.
    """
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if (path.is_symlink() or path.is_file())
        and not (path.suffix == ".pyc" and path.parent.name == "__pycache__")
    )
