# SPDX-License-Identifier: MIT
"""The formats of calls: how each is read, written, and described in prompts."""
