"""What the events of a turn say, in the form in which the corpora of formats expect it."""

import functools

from cogwire_kit.conformance import formats
from tests import cogwire


@functools.cache
def toolset_of(name, form):
    """Return the tools of the corpus of this name, for calls in a format."""
    return cogwire.Toolset(formats.load(name).tools, form)


def message_of(events, toolset):
    """Return the thinking, the prose, and the calls with the arguments that the tool set reads."""
    message = formats.ReadMessage()
    for event in events:
        if event["type"] == "call":
            checked = toolset.check(event)
            call = formats.ArrivedCall(checked.name, [checked.args])
            message.raw_calls[len(message.raw_calls)] = call
        elif event["type"] == "think":
            message.reasoning += event["content"]
        elif event["type"] == "respond":
            message.content += event["content"]
    return message
