# SPDX-License-Identifier: MIT
"""Calls as XML elements, with an element for each argument."""
