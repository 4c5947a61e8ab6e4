# SPDX-License-Identifier: MIT
"""Calls and results that are separate, each between its own markers."""
