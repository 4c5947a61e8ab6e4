"""The tests.  They reach the core through this one name, so that a vendored copy is tested too."""

import importlib
import os

#: The module under test; `COGWIRE_UNDER_TEST=host._vendor.wire` retargets every test of the core.
cogwire = importlib.import_module(os.environ.get("COGWIRE_UNDER_TEST", "cogwire"))
