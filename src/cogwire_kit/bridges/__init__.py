# SPDX-License-Identifier: MIT
"""Bridges between events and the conversations of other libraries, one module for each library.

The modules have functions of the same names: `to_messages` and `from_messages` for histories,
`chunks` for a turn while it is written, if there is a stream, and `tools` for the tools of a
`Toolset`.  A bridge lists what it cannot keep in its `report`, in entries like those of
`cogwire.to_messages`.  A module imports the library that it is for, or none.
"""
