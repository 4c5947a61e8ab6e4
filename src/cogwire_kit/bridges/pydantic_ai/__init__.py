# SPDX-License-Identifier: MIT
"""pydantic-ai: histories, tools, and a model that adds tool calls to any text model.

It needs `pydantic-ai-slim`: `pip install 'pydantic-ai-slim>=2.68'`.
"""

try:
    import pydantic_ai  # noqa: F401 - what follows needs it
except ImportError as missing:
    raise ImportError(
        "cogwire_kit.bridges.pydantic_ai needs pydantic-ai-slim: "
        "pip install 'pydantic-ai-slim>=2.68'"
    ) from missing

from cogwire_kit.bridges.pydantic_ai.declaring import tool
from cogwire_kit.bridges.pydantic_ai.messages import from_messages, to_messages, tools
from cogwire_kit.bridges.pydantic_ai.model import CogwireModel

__all__ = ["CogwireModel", "from_messages", "to_messages", "tool", "tools"]
