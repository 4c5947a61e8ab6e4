# SPDX-License-Identifier: MIT
"""Parts between an opener and a closer, such as `<think>` and `</think>`."""
