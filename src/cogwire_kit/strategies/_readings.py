# SPDX-License-Identifier: MIT
"""The ways to read a text: modes, starts, streams, calls and limits."""

from typing import Final

from hypothesis import strategies as st

modes = st.sampled_from(["turn", "transcript"])
starts = st.sampled_from(["prose", "prose", "think"])
streams = st.sampled_from(["event", "token"])
#: When calls are emitted.
calls = st.sampled_from(["shown", "sealed"])

#: The default limits (limits.md): size, calls, depth, digits.
DEFAULT_LIMITS: Final = (8_388_608, 256, 128, 1000)

#: The limits' defaults, or small ones that documents cross, in the same order.
limits: st.SearchStrategy[tuple[int, int, int, int]] = st.one_of(
    st.just(DEFAULT_LIMITS),
    st.tuples(st.integers(1, 200), st.integers(1, 3), st.integers(1, 6), st.integers(1, 5)),
    st.integers(1, 120).map(lambda size: (size, *DEFAULT_LIMITS[1:])),
)
