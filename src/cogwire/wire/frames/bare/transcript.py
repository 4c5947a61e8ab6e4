# SPDX-License-Identifier: MIT
"""Reads turns whose calls have no markers, and results."""

from ..wrapped.transcript import WrappedTranscript
from .machine import BareMachine


class BareTranscript(WrappedTranscript, BareMachine):
    """Reads turns, and results, before which the calls of a turn run."""

    _SCANS = {**WrappedTranscript._SCANS, "called": BareMachine._SCANS["called"]}
    _STATES = {**WrappedTranscript._STATES, "called": "prose"}
