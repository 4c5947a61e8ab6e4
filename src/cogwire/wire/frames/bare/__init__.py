# SPDX-License-Identifier: MIT
"""Calls that are JSON objects at the beginning of a text, or after a tag."""
