# SPDX-License-Identifier: MIT
"""Parts that begin with a marker at the start of a line, such as `§think:`."""
