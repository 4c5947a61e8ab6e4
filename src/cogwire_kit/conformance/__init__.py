# SPDX-License-Identifier: MIT
"""The conformance kit: the corpus, and the runner that tests any parser with it."""
