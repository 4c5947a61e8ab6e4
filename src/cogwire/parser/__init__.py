# SPDX-License-Identifier: MIT
"""The parser, and iterators over what it gives."""
