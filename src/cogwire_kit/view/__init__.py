# SPDX-License-Identifier: MIT
"""`cogwire view`: transcripts as one HTML page, in which none of their text can run."""
