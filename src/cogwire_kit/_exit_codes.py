# SPDX-License-Identifier: MIT
"""The exit codes that the help of each command lists."""

import textwrap
from collections.abc import Mapping
from typing import Final

_EVERYWHERE: Final = {
    0: "done",
    2: "wrong usage, or input that cannot be read",
    130: "interrupted",
    141: "the reader of the output has gone",
}
_WIDTH: Final = 90


def exit_codes(own: Mapping[int, str]) -> str:
    """Return the end of a help text: the codes of a command, `own` and those of every command."""
    codes = sorted({**_EVERYWHERE, **own}.items())
    lines = "\n".join(
        textwrap.fill(meaning, _WIDTH, initial_indent=f"  {code:<5}", subsequent_indent=" " * 7)
        for code, meaning in codes
    )
    return f"\n\n\b\nExit codes:\n{lines}"
