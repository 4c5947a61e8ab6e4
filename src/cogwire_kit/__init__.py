# SPDX-License-Identifier: MIT
"""Everything of cogwire that does I/O: the command line, the demo and the adapter."""
