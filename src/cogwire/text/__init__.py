# SPDX-License-Identifier: MIT
"""Characters: decoding, JSON as text, and the words of messages."""
