# SPDX-License-Identifier: MIT
"""From text to text: telling the dialect of a text, and writing it in another."""
