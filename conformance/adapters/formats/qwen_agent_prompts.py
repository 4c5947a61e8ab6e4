"""Qwen-Agent's reader for the text that Qwen models write in the format of Nous Research.

It reads a whole text.  Its streams read all the text so far again with each chunk, and return all
messages again; here they are returned once, at the end.  Reasoning is left out
(`--without reasoning`).
"""

import logging
from collections.abc import Iterator
from importlib import import_module

from bare import leave_out
from lines import Collected, Item, answer, call

leave_out("qwen_agent", inside=("qwen_agent.log",), outside=("qwen_agent.utils",))
logging.disable(logging.CRITICAL)
prompt = import_module("qwen_agent.llm.fncall_prompts.nous_fncall_prompt").NousFnCallPrompt()
schema = import_module("qwen_agent.llm.schema")


def read(text: str) -> Iterator[Item]:
    """Read a whole text."""
    message = schema.Message(role="assistant", content=[schema.ContentItem(text=text)])
    for one in prompt.postprocess_fncall_messages([message]):
        for part in one.content or ():
            yield {"content": part.text}
        if one.function_call:
            yield from call(one.function_call.name, one.function_call.arguments)


answer({"hermes": read}, lambda _, read: lambda _: Collected(read))
