"""The results of a stored turn, as the system's part of a conversation."""

from .block import NO_LIMITS, Block, BlockError
from .framing import ITEM, framed_results
from .json_block import room_for_brackets
from .json_shapes import array, read_results
from .pieces import Assembly, Piece
from .spelling import inner_texts, lookalikes, only, plain_json, without_lookalikes
from .stored import Stored, is_void_answer
from .text import WHITE, decode
from .writing import quoted


# msg-results msg-results-text
class Result:
    """A `result`: its items, each as its own text; content that is not an array is one item."""

    def __init__(self, stored: Stored) -> None:
        self.index = stored.index
        self.content = stored.event["content"]
        is_array = type(plain_json(self.content)) is list
        self.items = inner_texts(self.content) if is_array else None
        self.count = 1 if self.items is None else len(self.items)
        self.is_void = is_void_answer(plain_json(self.content))

    # msg-results msg-results-text msg-results-mismatch msg-surplus
    # Writes the results of calls of these names, after those of orphans.  The content is verbatim
    # unless it is not an array, or items are put before it or left out.
    def write(self, assembly: Assembly, orphans: list[str], names: list[str]) -> None:
        if self.items is None:
            assembly.change(self.index, "completed")
            text = assembly.repaired(self.content, self.index)
            self.count_lookalikes(assembly, text)
            item = success(names[-1], quoted(text, assembly.dialect), assembly.dialect)
            write_results(assembly, [*orphans, item], self.index)
            return
        text = decode(self.content).characters
        if text.strip(WHITE) != text and (names or not self.items):
            assembly.change(self.index, "trimmed")
        # Items that are left out have no separate entry.
        own = [assembly.repaired(item, self.index) for item in self.items[: len(names)]]
        if assembly.by_lines:
            own = self.with_places(assembly, own, names)
        elif not answers(own, names):
            assembly.change(self.index, "mismatch")
        is_whole = not orphans and len(own) == len(self.items) and not assembly.by_lines
        written = text.strip(WHITE) if is_whole else array([*orphans, *own])
        self.count_lookalikes(assembly, written)
        write_array(assembly, without_lookalikes(written, assembly.dialect), self.index)

    # msg-results msg-report-order
    # Each place that is escaped is reported.
    def count_lookalikes(self, assembly: Assembly, text: str) -> None:
        for _ in lookalikes(text, assembly.dialect):
            assembly.change(self.index, "neutralised")

    # msg-bodies msg-report-each
    # In the delimiter dialects an item that is not a result is the content of a success, and
    # members for which a body has no place are left out.
    def with_places(self, assembly: Assembly, own: list[str], names: list[str]) -> list[str]:
        items: list[str] = []
        for item, name in zip(own, names, strict=True):
            whole = plain_json(item)
            if type(whole) is dict and whole.keys() >= set(ITEM):
                items.append(only(ITEM, item))
                for _ in range(len(inner_texts(item)) - len(ITEM)):
                    assembly.change(self.index, "dropped")
            else:
                items.append(success(name, item, assembly.dialect))
                assembly.change(self.index, "completed")
        if not all(answers([item], [name]) for item, name in zip(items, names, strict=True)):
            assembly.change(self.index, "mismatch")
        return items


# msg-results-text msg-bodies
# The content is JSON, and no limits are enforced.
def success(tool: str, content: str, dialect: str) -> str:
    return f'{{"tool": {quoted(tool, dialect)}, "status": "success", "content": {content}}}'


# msg-results-mismatch
# Whether the items answer calls of these names one by one, by the rules of results blocks.
def answers(items: list[str], names: list[str]) -> bool:
    text = decode(f"[{','.join(items)}]")
    reader = Block(text, 0, NO_LIMITS)
    try:
        with room_for_brackets(len(text.characters)):
            read_results(reader, None if names == ["execute"] else names)
    except BlockError:
        return False
    return reader.at == len(text.characters)


# msg-results
# Items are written as their array.
def write_results(assembly: Assembly, items: list[str], index: int) -> None:
    write_array(assembly, array(items), index)


# msg-results msg-bodies
# An array of items is written unchanged in the xml dialects, and as a body for each item in the
# delimiter dialects.
def write_array(assembly: Assembly, content: str, index: int) -> None:
    text = framed_results(content, assembly.dialect)
    assembly.pieces.append(Piece("user", text, index, "results"))
