# SPDX-License-Identifier: MIT
"""AG-UI: a run as the events that a user interface shows, its messages, and its tools.

It needs `ag-ui-protocol`: `pip install 'ag-ui-protocol>=1.0'`.
"""

try:
    import ag_ui.core  # noqa: F401 - what follows needs it
except ImportError as missing:
    raise ImportError(
        "cogwire_kit.bridges.ag_ui needs ag-ui-protocol: pip install 'ag-ui-protocol>=1.0'"
    ) from missing

from cogwire_kit.bridges.ag_ui.messages import from_messages, to_messages, tools
from cogwire_kit.bridges.ag_ui.runs import Chunks, chunks, from_chunks

__all__ = ["Chunks", "chunks", "from_chunks", "from_messages", "to_messages", "tools"]
