# SPDX-License-Identifier: MIT
"""The conformance kit: the corpus, and the runner that holds any parser against it."""
