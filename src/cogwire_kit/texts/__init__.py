# SPDX-License-Identifier: MIT
"""Texts as commands and data tools read them, and the words in which they speak of them."""
