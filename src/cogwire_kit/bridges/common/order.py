# SPDX-License-Identifier: MIT
"""Puts messages in order: results after the messages with their calls."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

#: The note about a result that other messages separate from its call.
LATE: Final = "the result follows another message, and is read after its call"


#: What a message is, and what links it to others: of a result the id of its call, and of a message
#: of the model the ids of its calls.
Link = tuple[object, Sequence[Any]]


class PlacedMessage(NamedTuple):
    """A message, and its index in the conversation."""

    place: int
    message: Any
    #: Whether other messages separate this result from its call.
    is_late: bool = False


def in_order(messages: Iterable[Any], link_of: Callable[[Any], Link]) -> Iterator[PlacedMessage]:
    """Yield messages, late results after the one with their call, as their ids say.

    The kinds that count are `tool`, `user` and `assistant`: the user's messages are not passed
    over.
    """
    # The messages since the user's last one, each with its results; and these by the calls' ids.
    turn: list[list[PlacedMessage]] = []
    called: dict[str, list[PlacedMessage]] = {}
    for place, message in enumerate(messages):
        kind, ids = link_of(message)
        if kind == "tool" and turn:
            own_id = ids[0] if ids else None
            answered = called.pop(own_id, turn[-1]) if isinstance(own_id, str) else turn[-1]
            answered.append(PlacedMessage(place, message, answered is not turn[-1]))
            continue
        if kind == "user":
            yield from chain.from_iterable(turn)
            turn.clear()
            called.clear()
        turn.append([PlacedMessage(place, message)])
        if ids and kind == "assistant":
            called.update((each, turn[-1]) for each in ids if each and isinstance(each, str))
    yield from chain.from_iterable(turn)
