# SPDX-License-Identifier: MIT
"""The schemas that apply to the items of an array and to the members of an object."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Final, Generic, TypeVar

from cogwire.tooling import pointer
from cogwire_kit.grammars.nodes import NOTHING, Node
from cogwire_kit.grammars.schemas import All, Held, Places, Schemas

_Key = TypeVar("_Key", int, str)
#: A name that no schema has: half of a surrogate pair is not text.
_UNNAMED: Final = "\ud800"


class _PartSchemas(ABC, Generic[_Key]):
    """What the schemas of a value declare for its parts: for items by index, members by name."""

    #: The keyword whose schema applies to parts that no other keyword evaluates.
    _rest: ClassVar[str]

    def __init__(self, schemas: Schemas, held: All) -> None:
        self._schemas = schemas
        self._held = held

    @abstractmethod
    def _judges(self, held: Held, key: _Key) -> list[str]:
        """Return the places of the schemas by which one schema evaluates a part."""

    def _found(self, key: _Key) -> list[str]:
        """Return the places of the schemas for a part."""
        places = [place for each in self._held for place in self._judges(each, key)]
        for each in self._held:
            if self._has_rest(each) and not self._is_evaluated(each, key):
                places += [f"{each.place}/{self._rest}"]
        return places

    def _has_rest(self, held: Held) -> bool:
        return self._rest in self._schemas.nodes[held.place]

    def _is_evaluated(self, held: Held, key: _Key) -> bool:
        if self._judges(held, key):
            return True
        inner = (each for each in self._held if held.place in each.under)
        return any(self._judges(each, key) or self._has_rest(each) for each in inner)


class Items(_PartSchemas[int]):
    """What the schemas of a value declare for an array."""

    _rest = "unevaluatedItems"

    def __init__(self, schemas: Schemas, held: All, limit: int) -> None:
        super().__init__(schemas, held)
        nodes = [schemas.nodes[each.place] for each in held]
        self.least = int(max((node.get("minItems", 0) for node in nodes), default=0))
        limits = [int(node["maxItems"]) for node in nodes if "maxItems" in node]
        self._wanted: list[str] = []
        count = 0
        for each, node in zip(held, nodes, strict=True):
            if "contains" in node:
                count = max(count, self._count(each.place, node, limits))
        self._count_wanted = count
        self.least = max(self.least, count)
        self.most = min(limits, default=None)
        if self.least > limit:
            schemas.refuse(held[0].place, f"no grammar counts to {self.least} items")
        if self.most is not None and self.most > limit:
            schemas.narrow(held[0].place, f"there are at most {limit} items")
            self.most = limit
        prefixes = (len(node.get("prefixItems", ())) for node in nodes)
        #: How many items have separate schemas.
        self.size = max(*prefixes, count, 0)
        unique = [
            each.place for each, node in zip(held, nodes, strict=True) if node.get("uniqueItems")
        ]
        self.is_unique = bool(unique)
        #: The place of the first keyword that requires all items to be different.
        self.unique_at = f"{unique[0]}/uniqueItems" if unique else ""

    def _count(self, place: str, node: dict[str, Any], limits: list[int]) -> int:
        """Return how many of the first items `contains` counts."""
        wanted = int(node.get("minContains", 1))
        if wanted:
            self._schemas.narrow(f"{place}/contains", f"the first {wanted} items fit it")
            self._wanted.append(f"{place}/contains")
        if "maxContains" in node:
            limits.append(int(node["maxContains"]))
            self._schemas.narrow(f"{place}/maxContains", "the array has at most so many items")
        return wanted

    def at(self, index: int) -> Places:
        """Return the places of the schemas for an item."""
        found = self._found(index)
        if index < self._count_wanted:
            found += self._wanted
        return tuple(dict.fromkeys(found))

    def _judges(self, held: Held, key: int) -> list[str]:
        node = self._schemas.nodes[held.place]
        if key < len(node.get("prefixItems", ())):
            return [f"{held.place}/prefixItems/{key}"]
        return [f"{held.place}/items"] if "items" in node else []


class Members(_PartSchemas[str]):
    """What the schemas of a value declare for an object: members they name, and others."""

    _rest = "unevaluatedProperties"

    def __init__(self, schemas: Schemas, held: All) -> None:
        super().__init__(schemas, held)
        nodes = [schemas.nodes[each.place] for each in held]
        #: The names of the required members.
        self.required = {name for node in nodes for name in node.get("required", ())}
        declared = [name for node in nodes for name in node.get("properties", ())]
        required = [name for node in nodes for name in node.get("required", ())]
        #: The places of the schemas for each member, in the order in which members are written.
        self.places: dict[str, Places] = {
            name: self._places_of(name) for name in dict.fromkeys((*declared, *required))
        }
        self._least = int(max((node.get("minProperties", 0) for node in nodes), default=0))
        limits = [int(node["maxProperties"]) for node in nodes if "maxProperties" in node]
        self._most = min(limits, default=None)
        #: Where the object is declared.
        self.place = held[0].place if held else ""
        is_patterned = any("patternProperties" in n or "propertyNames" in n for n in nodes)
        is_counted = bool(self.places) and (self._least > 0 or self._most is not None)
        #: Whether an object may have members that no schema names, and whether a grammar can.
        self.has_others = self._may_have_others()
        self.is_free = self.has_others and not is_patterned and not is_counted

    @property
    def bounds(self) -> tuple[int, int | None]:
        """How many members an object has at least and at most."""
        return self._least, self._most

    def others(self) -> Places:
        """Return the places of the schemas for a member that no schema names."""
        return tuple(dict.fromkeys(self._found(_UNNAMED)))

    def note_others(self) -> None:
        """Report that only named members are written, if the schemas allow others."""
        if not self.has_others:
            return
        for each in self._held:
            node = self._schemas.nodes[each.place]
            for keyword in ("patternProperties", "additionalProperties", "unevaluatedProperties"):
                if node.get(keyword, False) is not False:
                    place = f"{each.place}/{keyword}"
                    self._schemas.narrow(place, "only named members are written")
                    return
        self._schemas.narrow(self.place, "only named members are written")

    def _may_have_others(self) -> bool:
        """Whether a schema declares other members, or none declares any member."""
        nodes = [self._schemas.nodes[each.place] for each in self._held]
        if any(self._schemas.nodes[place] is False for place in self.others()):
            return False
        is_declared = any("properties" in node for node in nodes)
        is_patterned = any(node.get("patternProperties") for node in nodes)
        return bool(self.others()) or is_patterned or not is_declared

    def _places_of(self, name: str) -> Places:
        found = self._found(name)
        for each in self._held:
            node, names = self._schemas.nodes[each.place], f"{each.place}/propertyNames"
            if "propertyNames" in node and not self._schemas.fits(name, [names]):
                found.append(self._schemas.made(names, node=False).place)
        return tuple(dict.fromkeys(found))

    def _judges(self, held: Held, key: str) -> list[str]:
        node = self._schemas.nodes[held.place]
        found = []
        if key in node.get("properties", ()):
            found.append(held.place + pointer(["properties", key]))
        found += (
            held.place + pointer(["patternProperties", pattern])
            for pattern in node.get("patternProperties", ())
            if self._schemas.matches(pattern, key)
        )
        if not found and "additionalProperties" in node:
            found.append(f"{held.place}/additionalProperties")
        return found

    def enough(self, written: Sequence[tuple[Node, bool]]) -> list[tuple[Node, bool]]:
        """Return members, some made required or left out so that their number is in its limits."""
        possible = [pair for pair in written if pair[1] or pair[0] != NOTHING]
        required = sum(is_required for _, is_required in possible)
        missing, free = self._least - required, None
        if self._most is not None:
            free = self._most - required
        if missing > 0:
            self._schemas.narrow(
                self._held[0].place,
                "the first members are always written, to reach the least count",
            )
        if len(possible) < self._least or (free is not None and free < 0):
            return [(NOTHING, True)]
        found: list[tuple[Node, bool]] = []
        for node, is_required in possible:
            if is_required:
                found.append((node, True))
                continue
            if free is not None and free <= 0:
                self._schemas.narrow(self._held[0].place, "the last members are left out")
                continue
            found.append((node, missing > 0))
            missing -= 1
            free = None if free is None else free - 1
        return found
