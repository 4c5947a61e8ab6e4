# SPDX-License-Identifier: MIT
"""What all bridges share: turns, histories of other libraries, outcomes and tools."""
