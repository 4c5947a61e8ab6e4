# SPDX-License-Identifier: MIT
"""The tags of a format of calls, as data."""

from typing import NamedTuple


class Tags(NamedTuple):
    """What is around the name of a tool, and around the key and the value of each argument.

    A tag may be empty: the name then ends where the next tag begins, and the value begins where
    the key ends.
    """

    name: tuple[str, str]
    key: tuple[str, str]
    value: tuple[str, str]
    #: What ends the call.
    end: str
    #: The white space that is written around each value, and is not content when it is read.
    margin: str
