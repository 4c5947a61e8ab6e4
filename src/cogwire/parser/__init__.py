# SPDX-License-Identifier: MIT
"""The parser, and iterators over its events."""
