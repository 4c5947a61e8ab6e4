# SPDX-License-Identifier: MIT
"""What surrounds a turn: batches and their results, chat messages, storage, the prompt."""
