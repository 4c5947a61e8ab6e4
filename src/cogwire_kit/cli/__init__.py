# SPDX-License-Identifier: MIT
"""The command line: its commands, their options, and what they read and show."""
