# SPDX-License-Identifier: MIT
"""LangChain: histories, tools, and a chat model that adds tool calls to any text model.

It needs `langchain-core`: `pip install 'langchain-core>=1.7'`.
"""

try:
    import langchain_core  # noqa: F401 - what follows needs it
except ImportError as missing:
    raise ImportError(
        "cogwire_kit.bridges.langchain needs langchain-core: pip install 'langchain-core>=1.7'"
    ) from missing

from cogwire_kit.bridges.langchain.declaring import tool
from cogwire_kit.bridges.langchain.messages import from_messages, to_messages, tools
from cogwire_kit.bridges.langchain.model import CogwireChatModel

__all__ = ["CogwireChatModel", "from_messages", "to_messages", "tool", "tools"]
