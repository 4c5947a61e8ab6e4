"""The author, the kind and the event of each piece of a transcript."""

from .ledger import Options, Part
from .reading import reader, room_for_brackets
from .text import WHITE, decode

# Author, kind, event, first and last character, first and last byte.
Piece = tuple[str, str, int | None, int, int, int, int]


# conv-span-tile conv-span-members conv-span-white
# Text that belongs to no other piece is white space.
def spans(data: str | bytes, dialect: str, start: str = "prose") -> list[Piece]:
    options = Options(mode="transcript", start=start)
    reading = reader(data, dialect, options)
    with room_for_brackets(min(options.limits.depth, len(reading.characters))):
        reading.read_transcript()
    text = decode(data).characters
    number = {id(event): index for index, event in enumerate(reading.events)}
    pieces: list[Piece] = []
    at, author = 0, "model"
    for part in sorted(reading.parts):
        final = resolved(part)
        if at < part.first:
            pieces.append(piece(text, at, part.first, (author, "white", None)))
        event = None if final.event is None else number[id(final.event)]
        label = (final.author, final.kind, event)
        joined = pieces[-1] if pieces and label == pieces[-1][:3] else None
        first = part.first
        if joined and final.kind == "error":
            first = joined[3]
            pieces.pop()
        pieces.append(piece(text, first, part.last, label))
        at = part.last
        author = "system" if at in reading.stops else final.author
    if at < len(text):
        pieces.append(piece(text, at, len(text), (author, "white", None)))
    assert all(each[1] != "white" or not text[each[3] : each[4]].strip(WHITE) for each in pieces)
    return pieces


# conv-span-error
# The pieces of a batch that has failed belong to its error.
def resolved(part: Part) -> Part:
    if part.batch and part.batch[0]["type"] == "error":
        return part._replace(kind="error", event=part.batch[0])
    return part


# conv-span-members
def piece(text: str, first: int, last: int, label: tuple[str, str, int | None]) -> Piece:
    begins = len(text[:first].encode())
    return (*label, first, last, begins, begins + len(text[first:last].encode()))
