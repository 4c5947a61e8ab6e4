"""The animals of the zoo, by what they are copies of.

An animal states its passage once: `⟦old¦new⟧` marks what its bug changes there.
"""

from typing import Final

from conformance.zoo.animals import (
    batches,
    calls,
    characters,
    conversions,
    elements,
    exchanges,
    json_blocks,
    lines,
    messages,
    results,
    spans,
    streams,
    tags,
    validation,
    writing,
)
from conformance.zoo.making import Animal

ANIMALS: Final[tuple[Animal, ...]] = (
    *streams.ANIMALS,
    *characters.ANIMALS,
    *tags.ANIMALS,
    *json_blocks.ANIMALS,
    *elements.ANIMALS,
    *lines.ANIMALS,
    *results.ANIMALS,
    *spans.ANIMALS,
    *calls.ANIMALS,
    *writing.ANIMALS,
    *batches.ANIMALS,
    *messages.ANIMALS,
    *exchanges.ANIMALS,
    *validation.ANIMALS,
    *conversions.ANIMALS,
)
