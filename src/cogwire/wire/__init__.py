# SPDX-License-Identifier: MIT
"""The wire formats: how the parts of a turn are marked, and how calls are written."""
