"""The executable spec: whole text in, events out, each function under the clause it states.

It shares no code and no table with the core, so that the two can be held against each other.
"""

from .ledger import Outcome
from .reading import DIALECTS, parse

__all__ = ["DIALECTS", "Outcome", "parse"]
