"""Events from chat messages: each function under the clause it states."""

from typing import Any

from .block import NO_LIMITS
from .json_block import room_for_brackets
from .ledger import Options
from .line import Lines
from .reading import DIALECTS, read_transcript, reader
from .refused import Refused
from .tags import Tags
from .text import WHITE

ROLES = ("system", "user", "assistant")


# msg-from-assistant msg-from-system msg-inverse msg-inverse-messages
# Each message produces its events, in order; system messages produce none.
def from_messages(messages: Any, dialect: str = "xml-json") -> list[dict[str, Any]]:
    if dialect not in DIALECTS:
        raise ValueError(f"dialect {dialect!r}")
    if type(messages) is not list:
        raise Refused((), "not an array")
    events: list[dict[str, Any]] = []
    # How the message directly before was read, if it was an assistant's.
    before: Tags | Lines | None = None
    for index, message in enumerate(messages):
        role, content = require_message(message, index)
        if role == "assistant":
            # An assistant's message is a separate transcript.
            before = read_transcript(content, dialect, NO_LIMITS)
            events += before.events
        elif role == "user":
            events += read_user(content, before, dialect)
            before = None
    return events


# msg-from-refused
# A message is an object with one of the three roles, and a string as its content, without calls
# beside it.
def require_message(message: Any, index: int) -> tuple[str, str]:
    if type(message) is not dict or message.get("role") not in ROLES:
        raise Refused((str(index),), "not a message")
    if type(message.get("content")) is not str or message.get("tool_calls") not in (None, []):
        raise Refused((str(index),), "the content is missing")
    return message["role"], message["content"]


# msg-from-results msg-from-void msg-from-user
# Results at the start of a user's message answer the block that the message before ends with; after
# a message that ends without a block, or with a void one, only the answer of a void block does.
# Everything else, without white space around it, is the user's.
def read_user(content: str, before: Tags | Lines | None, dialect: str) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    text = content
    if before is not None:
        ends_with_block = before.events[-1:] == [{"type": "execute"}]
        reading = reader(content, dialect, Options(mode="transcript", limits=NO_LIMITS))
        reading.called = before.called if ends_with_block else None
        if read_results(reading):
            events = reading.events
            text = reading.characters[reading.at :]
            # msg-from-after-results
            # The marker between results and the user's text is part of neither.
            if isinstance(reading, Lines) and dialect == "delimiter" and reading.end_follows():
                text = text.strip(WHITE)[len("§end") :]
    if text.strip(WHITE):
        events.append({"type": "user", "content": text.strip(WHITE)})
    return events


# msg-from-results
# Whether the message begins with results, and they answer the block.
def read_results(reading: Tags | Lines) -> bool:
    with room_for_brackets(len(reading.characters)):
        if isinstance(reading, Lines):
            if reading.results_follow():
                reading.read_results()
        elif reading.next_is_results():
            reading.read_results_block()
    return [event["type"] for event in reading.events] == ["result"]
