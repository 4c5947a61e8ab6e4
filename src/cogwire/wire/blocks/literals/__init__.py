# SPDX-License-Identifier: MIT
"""Calls whose args are not JSON on the wire: literals of other notations, and plain text."""
