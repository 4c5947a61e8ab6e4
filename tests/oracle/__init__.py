"""The executable spec: whole values in and out, each function under the clause that it states.

A comment line of only ids names the clauses under spec/ that the following code states. The
executable spec shares no code and no tables with the core, so that the two can be compared with
each other.
"""

from . import batch, converting, finding, messages, spanning, validation, writing
from .answering import answer
from .detecting import detect
from .ledger import Outcome
from .reading import DIALECTS, parse

__all__ = [
    "DIALECTS",
    "Outcome",
    "answer",
    "batch",
    "converting",
    "detect",
    "finding",
    "messages",
    "parse",
    "spanning",
    "validation",
    "writing",
]
