# SPDX-License-Identifier: MIT
"""The site: it writes the pages that mkdocs renders, and checks the rendered result."""
