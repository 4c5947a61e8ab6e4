# SPDX-License-Identifier: MIT
"""Copies of the core inside another package: written, checked, and compared with what is newer."""
