# SPDX-License-Identifier: MIT
"""`xml-elements`: tags, and an element for each call."""

from typing import Final

from .blocks.elements import ELEMENTS
from .dialect import Dialect
from .xml_json import XML_TAGS

DIALECT: Final = Dialect("xml-elements", XML_TAGS, ELEMENTS, parallel=False)
