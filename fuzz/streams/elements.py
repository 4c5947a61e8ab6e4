"""Streams of the dialect whose blocks are elements."""

from collections.abc import Callable, Sequence

from . import pools
from .tags import RESULTS_CODES, Tags, damaged, too_large, too_many, unclosed
from .writer import Fault


class XmlElements(Tags):
    """Blocks are tool elements, with argument elements in them."""

    name = "xml-elements"
    pieces = pools.ELEMENT_PIECES
    beginnings = ("", "<execute>", "<execute><w>", "<execute><w><a>", "<execute><w><a>1</a>")
    tools = pools.NAMES
    codes = (
        *("xml-syntax", "xml-forbidden", "duplicate-arg", "bad-encoding", "unclosed-execute"),
        *("forged-results", "limit-size", "limit-calls", "limit-depth", *RESULTS_CODES),
    )

    def block(self, names: Sequence[str]) -> str:
        """Write an element for each call."""
        gap = self.white()
        return gap + "".join(self.tool(name) + gap for name in names)

    def tool(self, name: str, more: str = "") -> str:
        """Write one call; `more` is its last arguments."""
        names = self.random.sample(pools.NAMES, self.one([0, 1, 1, 2]))
        if not more and self.chance(0.2):
            names.append("execute")
        gap = self.white()
        inside = "".join(gap + self.element(one, self.some(pools.VALUES, 2)) for one in names)
        return self.element(name, inside + more + self.white() if inside or more else "")

    def element(self, name: str, inside: str) -> str:
        """Write an element, an empty one in any way."""
        space = self.white()
        if not inside and self.chance(0.5):
            return f"<{name}{space}/>"
        return f"<{name}{space}>{inside}</{name}{self.white()}>"

    def broken_block(self, code: str) -> Fault:
        """Write a block with one fault, or the beginning of one."""
        return FAULTS[code](self)

    def among_others(self, broken: str) -> Fault:
        """Put something between valid calls."""
        before, after = self.block(self.names()[:1]), self.block(self.names()[:1])
        return Fault(f"{before}{broken}{after}</execute>", {})

    def ill_formed(self) -> Fault:
        """Write text that is not XML."""
        text = self.one(pools.BROKEN_TEXTS)
        argument = f"<broken>{self.one(['', 'x', '<![CDATA[<]]>'])}{text}</broken>"
        return self.among_others(
            self.one([self.one(pools.BROKEN_ELEMENTS), self.tool("w", argument)])
        )

    def unused(self) -> Fault:
        """Write XML that calls do not use."""
        return self.among_others(self.one(pools.UNUSED_ELEMENTS))

    def with_twins(self) -> str:
        """Write a call with two arguments with the same name."""
        name = self.one(["twin", "execute.", "日本"])
        between = self.one(["", "<between/>", " "])
        first = self.element(name, self.some(pools.VALUES, 1))
        return f"<w>{first}{between}{self.element(name, '')}</w>"

    def too_deep(self) -> Fault:
        """Write a call with an argument, and set the limit to less."""
        fault = self.among_others(self.tool("w", "<argument>1</argument>"))
        return fault._replace(limits={"depth": self.number(1, 2)})


FAULTS: dict[str, Callable[[XmlElements], Fault]] = {
    "xml-syntax": XmlElements.ill_formed,
    "xml-forbidden": XmlElements.unused,
    "duplicate-arg": lambda writer: writer.among_others(writer.with_twins()),
    "bad-encoding": damaged,
    "unclosed-execute": unclosed,
    "limit-size": too_large,
    "limit-calls": too_many,
    "limit-depth": XmlElements.too_deep,
}
