# SPDX-License-Identifier: MIT
"""The formats of calls.  Each room reads one, writes it, and says it in words."""
