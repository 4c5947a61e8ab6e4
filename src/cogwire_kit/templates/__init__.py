# SPDX-License-Identifier: MIT
"""The templates of models: of chats, rendered and checked, and of responses, written and read."""
