# SPDX-License-Identifier: MIT
"""Calls as JSON: an array of objects, or one object after each marker."""
