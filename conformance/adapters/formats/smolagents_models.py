"""smolagents' reader of the calls of models that write them as text.

It reads a whole text, and makes one call of what is between the first brace and the last one.  It
does not separate prose from a call, and none is returned beside one; a text in which it finds no
call is reported to the model, and is returned as prose.
"""

import logging
from collections.abc import Iterator
from importlib import import_module

from bare import leave_out
from lines import Collected, Item, answer

outside = ("PIL", "huggingface_hub", "jinja2", "requests", "rich")
leave_out("smolagents", inside=(), outside=outside)
logging.disable(logging.CRITICAL)
models = import_module("smolagents.models")


def read(text: str, arguments: str) -> Iterator[Item]:
    """Read a whole text; the member with the arguments of a call has this name."""
    message = models.ChatMessage(role="assistant", content=text)
    try:
        calls = models.Model(tool_arguments_key=arguments).parse_tool_calls(message).tool_calls
    except ValueError:
        yield {"content": text}
        return
    for one in calls:
        yield {"call": str(one.function.name)}
        yield {"arguments": one.function.arguments}


#: How a model of each format calls the arguments of a call.
PARSERS = {"hermes": "arguments", "llama3-json": "parameters"}

answer(PARSERS, lambda _, key: lambda _: Collected(lambda text: read(text, key)))
