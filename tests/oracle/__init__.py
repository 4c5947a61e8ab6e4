"""The executable spec: whole text in, events out, each function under the clause it states.

It shares no code and no table with the core, so that the two can be held against each other.
"""

from .xml_json import Outcome, parse

__all__ = ["Outcome", "parse"]
