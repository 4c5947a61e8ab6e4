# SPDX-License-Identifier: MIT
"""Tools: how they are declared, and what is wrong with a call.

`jsonschema` judges and `google-re2` matches patterns.  Both are imported when the first toolset
or the first pattern is made, and nowhere else in the core.
"""

from .declaring import Tool
from .problems import Problem
from .toolset import Checked, Toolset

__all__ = ["Checked", "Problem", "Tool", "Toolset"]
