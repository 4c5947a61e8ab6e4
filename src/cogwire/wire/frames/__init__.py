# SPDX-License-Identifier: MIT
"""The frames.  Each is one way to mark where the parts of a turn begin and end."""
