# SPDX-License-Identifier: MIT
"""`python -m cogwire` is the command line, which is a separate package; no copy has this file."""

import runpy
import sys
from importlib.util import find_spec

if __name__ == "__main__":
    if find_spec("cogwire_kit") is None:
        sys.exit(
            "cogwire: the command line is the package cogwire_kit, which is not installed here"
        )
    runpy.run_module("cogwire_kit", run_name="__main__", alter_sys=True)
